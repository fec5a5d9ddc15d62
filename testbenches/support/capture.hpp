// SPDX-License-Identifier: Apache-2.0
// One capture of the Linux stack (testbenches/support/vectors/rxe/README.md): frames, queue pairs, and the script that
// made them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/units.hpp"
#include "models/packet/headers.hpp"

namespace caravan::support {

/// A requests, B responds.
enum class Side : std::uint8_t { kA, kB };
/// What the relay did with a frame.
enum class Fate : std::uint8_t { kDelivered, kDropped, kCorrupted };

struct CaptureStep {
  std::size_t index = 0;  ///< place in the pcap file, from 0
  Side from = Side::kA;
  Fate fate = Fate::kDelivered;
  base::Time time;
  packet::Buffer frame;  ///< as sent
  /// What reached the other side, if anything did: the frame, or the frame with one payload bit flipped.
  packet::Buffer delivered() const;
};

/// One end of the connection.
struct CaptureQp {
  base::Qpn qpn;
  base::Psn first_psn;  ///< of what this end sends
  std::uint32_t rkey = 0;
  std::uint64_t va = 0;  ///< first byte of this end's memory; script offsets count from here
  packet::MacAddr mac{};
  packet::Ipv4Addr ip = 0;
  std::uint16_t udp_src_port = 0xC000;
};

/// RDMA WRITE of the script, and how it ended ("success", "remote access error", "transport retry counter exceeded"
/// ...).
struct CaptureWrite {
  std::uint32_t wr_id = 0;
  std::uint64_t local_va = 0, remote_va = 0, length = 0;
  std::uint32_t rkey = 0;
  std::string status;
};

struct CaptureMemory {
  std::uint64_t va = 0;
  packet::Buffer bytes;
};

struct Capture {
  static constexpr std::uint64_t kRegionBytes = 4 << 20;

  std::string name, description, qp_type;
  std::uint32_t pmtu = 1024, timeout_exponent = 0, retry_limit = 7;
  bool b_writable = true;  ///< B's region was registered with remote write
  CaptureQp a, b;
  std::vector<CaptureStep> steps;
  std::vector<CaptureWrite> writes;       ///< of A, in order of posting
  std::vector<CaptureMemory> a_memory;    ///< what A's memory holds before the writes
  std::vector<CaptureMemory> b_expected;  ///< what B's memory held when the script compared both sides
};

/// Reads `stem`.pcap and `stem`.json. base::UserError names file and what is wrong.
Capture load_capture(const std::string& stem);

}  // namespace caravan::support
