// SPDX-License-Identifier: Apache-2.0
// One packet of a script: what is injected, or what is expected. PSNs are offsets from those that the QP was created
// with.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/packet/packet.hpp"
#include "testbenches/conformance/endpoint.hpp"

namespace caravan::conformance {

/// The region that every script starts with: rkey, first byte, size. It allows everything.
inline constexpr std::uint32_t kRkey = 0x155;
inline constexpr std::uint64_t kVa = 0x10000;
inline constexpr std::uint32_t kRegionBytes = 0x10000;
/// Rows that post work: the peer's region, local source, local destination, receive buffers.
inline constexpr std::uint32_t kPeerRkey = 0x277;
inline constexpr std::uint64_t kPeerVa = 0x7000'0000, kSource = 0x40000, kSink = 0x60000, kBuffers = 0x80000;

/// Byte `i` of the test data called `seed`.
constexpr std::uint8_t data_byte(std::uint32_t seed, std::uint64_t i) {
  return static_cast<std::uint8_t>(seed * 37 + i * 7 + (i >> 8) * 13 + 1);
}
/// Bytes from .. from + bytes - 1 of it.
packet::Buffer data(std::uint32_t seed, std::uint64_t from, std::size_t bytes);

struct FrameSpec {
  packet::RoceFrame frame;  ///< addresses, QPN and PSN are set when the frame is made
  std::int64_t psn = 0;     ///< offset from the first PSN of its direction
  std::uint32_t qpn = 1;    ///< of the endpoint, whichever way the packet goes
  packet::Buffer payload;
  bool raw_psn = false;                                      ///< `psn` is the number itself
  std::string change;                                        ///< what is wrong with it; empty: nothing
  std::vector<std::function<void(packet::Buffer&)>> damage;  ///< applied to the finished frame, in order

  packet::Opcode opcode() const { return static_cast<packet::Opcode>(frame.bth.opcode); }
  bool is_request() const { return packet::traits(opcode()).is_request; }

  // Changes; each returns the changed packet.
  FrameSpec ack_req() const;
  FrameSpec solicited() const;
  FrameSpec imm(std::uint32_t value) const;
  FrameSpec on(std::uint32_t own_qpn) const;
  FrameSpec rkey(std::uint32_t value) const;
  FrameSpec va(std::uint64_t value) const;
  FrameSpec dma_length(std::uint32_t value) const;
  FrameSpec seed(std::uint32_t value) const;  ///< payload and length stay, contents change
  FrameSpec as(packet::Opcode opcode) const;  ///< another opcode over the same headers
  FrameSpec header(const std::string& name, const std::function<void(packet::RoceFrame&)>& edit) const;
  FrameSpec bytes(const std::string& name, const std::function<void(packet::Buffer&)>& edit) const;
};

// Requests. `from`: offset in the message of the data that they carry; data is that of seed 1.
FrameSpec write_only(std::int64_t psn, std::uint32_t bytes, std::uint64_t at = 0);
FrameSpec write_first(std::int64_t psn, std::uint32_t total, std::uint32_t pmtu = 256, std::uint64_t at = 0);
FrameSpec write_middle(std::int64_t psn, std::uint64_t from, std::uint32_t bytes = 256);
FrameSpec write_last(std::int64_t psn, std::uint64_t from, std::uint32_t bytes);
FrameSpec send_only(std::int64_t psn, std::uint32_t bytes);
FrameSpec send_first(std::int64_t psn, std::uint32_t bytes = 256);
FrameSpec send_middle(std::int64_t psn, std::uint64_t from, std::uint32_t bytes = 256);
FrameSpec send_last(std::int64_t psn, std::uint64_t from, std::uint32_t bytes);
FrameSpec read_request(std::int64_t psn, std::uint32_t bytes, std::uint64_t at = 0);
FrameSpec fetch_add(std::int64_t psn, std::uint64_t add, std::uint64_t at = 0);
FrameSpec compare_swap(std::int64_t psn, std::uint64_t compare, std::uint64_t swap, std::uint64_t at = 0);
FrameSpec datagram(std::uint32_t qkey, std::uint32_t bytes);
FrameSpec cnp();
// Responses. `msn` counts messages since the QP was created.
FrameSpec ack(std::int64_t psn, std::uint32_t msn);
FrameSpec nak(std::int64_t psn, std::uint8_t syndrome, std::uint32_t msn);
FrameSpec rnr(std::int64_t psn, std::uint8_t timer, std::uint32_t msn);
/// Opcode by place; `from`: offset in the data of `seed`.
FrameSpec read_response(packet::Opcode opcode, std::int64_t psn, std::uint32_t msn, std::uint64_t from,
                        std::uint32_t bytes, std::uint32_t seed = 1);
FrameSpec atomic_ack(std::int64_t psn, std::uint32_t msn, std::uint64_t original);

// Damage to a finished frame.
void reseal(packet::Buffer& frame);  ///< IPv4 checksum and ICRC right again
FrameSpec bad_icrc(const FrameSpec& spec);
FrameSpec pad_count(const FrameSpec& spec, unsigned pad);
FrameSpec truncated(const FrameSpec& spec, std::size_t bytes_less);
FrameSpec trailing(const FrameSpec& spec, std::size_t bytes_more);
FrameSpec vlan_tagged(const FrameSpec& spec);
FrameSpec with_ip_option(const FrameSpec& spec);
FrameSpec raw_opcode(const FrameSpec& spec, std::uint8_t opcode);

/// PSNs and service port of one QP of the script.
struct Psns {
  std::uint32_t expect = 0, send = 0;
};
/// Bytes of a packet that the peer sends (`inbound`) or that the endpoint is expected to send.
packet::Buffer make_frame(const FrameSpec& spec, const Psns& psns, bool inbound);

}  // namespace caravan::conformance
