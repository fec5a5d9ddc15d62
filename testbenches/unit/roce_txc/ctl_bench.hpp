// SPDX-License-Identifier: Apache-2.0
// Bench of roce_tx_ctl: verbs and acknowledges in, packets and completions out, an own clock of cycles (now_i).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "Vtb_roce_ctl.h"
#include "testbenches/support/bench.hpp"

namespace caravan::roce_txc {

using support::StallPattern;

inline constexpr unsigned kQps = 8, kWindow = 16, kSqDepth = 8;
inline constexpr std::uint32_t kPsnMask = 0xFFFFFF;
enum QpState { kReset = 0, kRtr = 2, kRts = 3, kSqd = 4, kErr = 5 };
enum Status { kOk = 0, kFlushed, kBadRequest, kRetryExceeded, kRemoteAccess, kRemoteOp, kRemoteInvalid };
enum Opcode { kFirst = 6, kMiddle = 7, kLast = 8, kOnly = 10 };
enum Source { kNone = 0, kInline = 1, kHbm = 2, kHost = 3 };

struct Qp {
  unsigned state = kRts, pmtu = 2, timeout = 1, retry_limit = 2;
  std::uint32_t psn = 100, dest = 0x500, peer_ip = 0x0A000002;
};
struct Verb {
  std::uint32_t qpn = 0, wr_id = 0, len = 8, rkey = 0x77;
  bool signaled = true, inl = false;
  std::uint64_t laddr = 0x10000, raddr = 0x70000;
  unsigned op = 0;
  std::uint32_t data = 0;  ///< first word of inline data
};
struct Job {
  unsigned opcode = 0;
  bool ackreq = false;
  std::uint32_t dest = 0, psn = 0, neigh = 0, sport = 0, rkey = 0, total = 0, len = 0, src = 0;
  std::uint64_t va = 0, addr = 0, ring = 0;
  bool ring_we = false, ring_rd = false;
  std::uint32_t data = 0;
  std::uint64_t at = 0;  ///< now in the cycle of the handshake
  bool retry = false;
};
struct Cpl {
  std::uint32_t qpn = 0, wr_id = 0;
  unsigned status = 0;
  bool operator==(const Cpl&) const = default;
};
struct Ack {
  std::uint32_t qpn = 0, psn = 0;
  unsigned syndrome = 0x1F;
  std::uint32_t src_ip = 0x0A000002;
};
struct Events {
  unsigned ack = 0, nak = 0, stale = 0, timeout = 0, qp_err = 0, bad = 0;
};

/// Stall patterns of the five back-pressured ports.
struct Stalls {
  StallPattern::Kind verb = StallPattern::Kind::kNone, ack = StallPattern::Kind::kNone, job = StallPattern::Kind::kNone,
                     retry = StallPattern::Kind::kNone, cpl = StallPattern::Kind::kNone;
};

class Ctl {
 public:
  explicit Ctl(Stalls stalls = {});
  Vtb_roce_ctl* operator->() { return dut.operator->(); }

  /// One cycle; now advances with it.
  void tick();
  void run(std::uint64_t cycles);
  bool run_until(const std::function<bool()>& done, std::uint64_t limit);
  /// Writes a QP row: waits until the block is ready, then one `go` cycle. Returns the cycles waited.
  unsigned configure(std::uint32_t qpn, const Qp& qp, bool init = true);
  void post(const Verb& verb) { verbs.push(verb); }
  void ack(const Ack& ack) { acks.push(ack); }
  /// Runs until nothing is in flight inside (quiet_o), at most `limit` cycles.
  bool settle(std::uint64_t limit = 2000);
  /// Jobs in order of their handshakes, new and retried ones together; a retry goes first in one cycle.
  const std::vector<Job>& jobs() const { return jobs_; }
  void clear() {
    jobs_.clear();
    cpl.clear();
  }

  std::uint64_t now = 1000;
  support::Bench<Vtb_roce_ctl> dut;
  support::Source<Verb> verbs;
  support::Source<Ack> acks;
  support::Source<std::uint32_t> errs;
  support::Sink<Cpl> cpl;
  std::vector<std::uint32_t> err_out;
  bool hold_jobs = false, hold_cpl = false;
  Events events;
  /// Called for every job, before the edge that takes it.
  std::function<void(const Job&)> on_job;

 private:
  Job read_new();
  Job read_retry();
  StallPattern job_stall_, retry_stall_;
  std::vector<Job> jobs_;
};

/// The slot of a packet in the retransmission ring.
std::uint64_t ring_slot(std::uint32_t qpn, std::uint32_t psn);
inline constexpr std::uint64_t kRingBase = 0x4000'0000;

}  // namespace caravan::roce_txc
