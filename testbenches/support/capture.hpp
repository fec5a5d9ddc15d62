// SPDX-License-Identifier: Apache-2.0
// One capture of the Linux stack (testbenches/support/vectors/rxe/README.md): frames, queue pairs, and the script that
// made them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/units.hpp"
#include "models/packet/headers.hpp"
#include "models/ref/roce_types.hpp"

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

/// Any work request of the script, as CaptureWrite; wr_id is in the request.
struct CaptureVerb {
  ref::WorkRequest request;
  std::string status;
};

/// How a receive of B ended.
struct CaptureReceived {
  std::uint32_t wr_id = 0;
  std::string status;
  bool is_write = false, has_imm = false;
  std::uint32_t imm = 0, length = 0;  ///< length: as Linux counts, with the 40 bytes before a datagram
};

/// FNV-1a of both sides' memory when the script compared them.
struct CaptureSum {
  std::uint64_t offset = 0, length = 0;
  std::uint64_t hash_a = 0, hash_b = 0;
};

struct CaptureMemory {
  std::uint64_t va = 0;
  packet::Buffer bytes;
};

struct Capture {
  static constexpr std::uint64_t kRegionBytes = 4 << 20;

  std::string name, description, qp_type;
  std::uint32_t pmtu = 1024, timeout_exponent = 0, retry_limit = 7;
  std::uint32_t rnr_retry = 7, min_rnr_timer = 12;
  bool b_writable = true;  ///< B's region was registered with remote write
  bool b_atomic = true;    ///< ... and with remote atomics
  CaptureQp a, b;
  std::vector<CaptureStep> steps;
  std::vector<CaptureWrite> writes;           ///< the WRITEs of A without immediate, in order of posting
  std::vector<CaptureVerb> verbs;             ///< everything that A posts, in order
  std::vector<ref::ReceiveRequest> receives;  ///< of B, in order of posting
  std::vector<CaptureReceived> received;
  std::vector<CaptureMemory> a_memory;    ///< what A's memory holds before the writes
  std::vector<CaptureMemory> b_memory;    ///< what B's memory holds before the first frame
  std::vector<CaptureMemory> a_expected;  ///< what A's memory held in the end, where the script looked
  std::vector<CaptureMemory> b_expected;  ///< what B's memory held when the script compared both sides
  std::vector<CaptureSum> sums;
};

/// Reads `stem`.pcap and `stem`.json. base::UserError names file and what is wrong.
Capture load_capture(const std::string& stem);
/// The same over IPv4: the frames of an IPv6 capture with the addresses of the other captures.
Capture over_ipv4(Capture capture);

}  // namespace caravan::support
