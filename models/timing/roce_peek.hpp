// SPDX-License-Identifier: Apache-2.0
// A light look at the fields of a frame that a switch matches on: offsets only, nothing is checked or copied.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/base/units.hpp"

namespace caravan::timing {

struct FramePeek {
  std::uint64_t dst_mac = 0, src_mac = 0;       ///< 48 bits, first byte most significant; 0 in a runt
  std::optional<std::uint32_t> src_ip, dst_ip;  ///< IPv4 only; 10.0.0.1 is 0x0A000001
  std::uint64_t src_host = 0;                   ///< IPv4 address, or a hash of the IPv6 one
  struct Bth {
    std::uint8_t opcode = 0;
    base::Qpn dest_qp;
    base::Psn psn;
    std::uint32_t offset = 0;  ///< of the BTH in the frame
  };
  std::optional<Bth> bth;  ///< UDP to port 4791 that is long enough
};

/// The Ethernet addresses alone; of at least 14 bytes.
struct FrameMacs {
  std::uint64_t dst_mac, src_mac;
};
FrameMacs peek_macs(const std::vector<std::uint8_t>& frame);

FramePeek peek(const std::vector<std::uint8_t>& frame);

/// Sets the ECN field of an IPv4 or IPv6 frame to CE in place, with the IPv4 header checksum brought up to date (the
/// ICRC does not cover the field). False when the frame is not IP or, with `only_capable`, not ECN capable.
bool mark_ce(std::vector<std::uint8_t>& frame, bool only_capable);
/// Whether the frame is IP with ECT(0), ECT(1) or CE.
bool ecn_capable(const std::vector<std::uint8_t>& frame);

}  // namespace caravan::timing
