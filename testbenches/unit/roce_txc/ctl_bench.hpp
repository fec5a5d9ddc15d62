// SPDX-License-Identifier: Apache-2.0
// Bench of roce_tx_ctl: verbs and responses in, packets, completions and commands for payload out, an own clock of
// cycles (now_i).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "testbenches/support/bench.hpp"

#ifdef CARAVAN_WIDE_WINDOW
#include "Vtb_roce_ctl_wide.h"
using Vroce_ctl = Vtb_roce_ctl_wide;
#else
#include "Vtb_roce_ctl.h"
using Vroce_ctl = Vtb_roce_ctl;
#endif

namespace caravan::roce_txc {

using support::StallPattern;

#ifdef CARAVAN_WIDE_WINDOW
inline constexpr unsigned kWindow = 64;
#else
inline constexpr unsigned kWindow = 16;
#endif
inline constexpr unsigned kQps = 8, kSqDepth = 8;
inline constexpr std::uint32_t kPsnMask = 0xFFFFFF;
enum QpState { kReset = 0, kRtr = 2, kRts = 3, kSqd = 4, kErr = 5 };
enum Status {
  kOk = 0,
  kFlushed,
  kBadRequest,
  kRetryExceeded,
  kRemoteAccess,
  kRemoteOp,
  kRemoteInvalid,
  kRnrExceeded,
  kLocalLen,
  kLocalMem
};
enum Opcode {
  kSendFirst = 0,
  kSendMiddle,
  kSendLast,
  kSendLastImm,
  kSendOnly,
  kSendOnlyImm,
  kFirst,
  kMiddle,
  kLast,
  kLastImm,
  kOnly,
  kOnlyImm,
  kReadRequest,
  kReadFirst,
  kReadMiddle,
  kReadLast,
  kReadOnly,
  kAck,
  kAtomicAck,
  kCmpSwap,
  kFetchAdd,
  kUdOnly = 0x64,
  kUdOnlyImm
};
enum Op { kWrite = 0, kSend, kRead, kCas, kFaa };
enum Source { kNone = 0, kInline = 1, kHbm = 2, kHost = 3 };
enum Target { kDrop = 0, kToHbm = 1, kToHost = 2 };
inline constexpr std::uint64_t kHostBit = 0x8000'0000'0000'0000;

struct Qp {
  unsigned state = kRts, pmtu = 2, timeout = 1, retry_limit = 2, rnr_retry = 7;
  bool ud = false;
  std::uint32_t psn = 100, dest = 0x500, peer_ip = 0x0A000002;
};
struct Verb {
  std::uint32_t qpn = 0, wr_id = 0, len = 8, rkey = 0x77;
  bool signaled = true, inl = false;
  std::uint64_t laddr = 0x10000, raddr = 0x70000;
  unsigned op = kWrite;
  std::uint32_t data = 0;  ///< first word of inline data, the others count on; atomics: see below
  bool solicited = false, has_imm = false;
  std::uint32_t imm = 0;
  std::uint64_t operand = 0, compare = 0;  ///< of atomics
};
struct Job {
  unsigned opcode = 0;
  bool ackreq = false;
  std::uint32_t dest = 0, psn = 0, neigh = 0, sport = 0, len = 0, src = 0;
  std::uint32_t rkey = 0, total = 0;  ///< of the RETH
  std::uint64_t va = 0, addr = 0, ring = 0;
  bool se = false;
  std::array<std::uint32_t, 7> ext{};  ///< extension headers, first word first
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
/// A response; an ACK or NAK unless said otherwise.
struct Ack {
  std::uint32_t qpn = 0, psn = 0;
  unsigned syndrome = 0x1F;
  std::uint32_t src_ip = 0x0A000002;
  unsigned opcode = kAck;
  std::uint32_t len = 0;
  std::uint64_t orig = 0;
  std::uint64_t va = 0;  ///< where the peer read the payload; not on the wire
};
/// A memory error of the send data path.
struct MemFail {
  bool own = true;  ///< of the payload of our packet `psn`; else an answer to the peer
  std::uint32_t qpn = 0, psn = 0;
};
/// A command for payload; `va` tells from where the peer read what it carries.
struct Cmd {
  bool inl = false;
  std::uint64_t data = 0;
  std::uint32_t target = 0, qpn = 0;
  std::uint64_t addr = 0;
  std::uint32_t len = 0;
  std::uint64_t va = 0;
  std::uint64_t at = 0;  ///< now in the cycle of the handshake
};
struct Events {
  unsigned ack = 0, nak = 0, stale = 0, timeout = 0, qp_err = 0, bad = 0;
};

/// Stall patterns of the back-pressured ports.
struct Stalls {
  StallPattern::Kind verb = StallPattern::Kind::kNone, ack = StallPattern::Kind::kNone, job = StallPattern::Kind::kNone,
                     retry = StallPattern::Kind::kNone, cpl = StallPattern::Kind::kNone,
                     cmd = StallPattern::Kind::kNone;
};

class Ctl {
 public:
  explicit Ctl(Stalls stalls = {});
  Vroce_ctl* operator->() { return dut.operator->(); }

  /// One cycle; now advances with it.
  void tick();
  void run(std::uint64_t cycles);
  bool run_until(const std::function<bool()>& done, std::uint64_t limit);
  /// Writes a QP row: waits until the block is ready, then one `go` cycle. Returns the cycles waited.
  unsigned configure(std::uint32_t qpn, const Qp& qp, bool init = true);
  void post(const Verb& verb) { verbs.push(verb); }
  void ack(const Ack& ack) { acks.push(ack); }
  /// READ response packets first .. first + n - 1, each of `len` bytes.
  void read_responses(std::uint32_t qpn, std::uint32_t first, std::uint32_t n, std::uint32_t len);
  /// Runs until nothing is in flight inside (quiet_o), at most `limit` cycles.
  bool settle(std::uint64_t limit = 2000);
  /// Jobs in order of their handshakes, new and retried ones together; a retry goes first in one cycle.
  const std::vector<Job>& jobs() const { return jobs_; }
  /// When the next command's data are in memory; all ones: none is on its way.
  std::uint64_t next_write() const { return in_memory_at_.empty() ? ~0ull : in_memory_at_.front().at; }
  void clear() {
    jobs_.clear();
    cpl.clear();
    originals.clear();
    cmds.clear();
  }

  std::uint64_t now = 1000;
  support::Bench<Vroce_ctl> dut;
  support::Source<Verb> verbs;
  support::Source<Ack> acks;
  support::Source<std::uint32_t> errs;
  support::Source<MemFail> fails;
  support::Sink<Cpl> cpl;
  std::vector<std::uint32_t> err_out;
  std::vector<std::uint64_t> originals;  ///< cpl_t.orig of each completion
  std::vector<Cmd> cmds;                 ///< in order of their handshakes
  std::uint64_t write_latency = 10;      ///< cycles from a command to its data in memory
  bool hold_jobs = false, hold_new = false, hold_cpl = false, hold_cmds = false, hold_writes = false;
  /// Called for every command that is taken.
  std::function<void(const Cmd&)> on_cmd;
  /// True: memory does not take the data of this command.
  std::function<bool(const Cmd&)> is_bad;
  Events events;
  /// Called for every job, before the edge that takes it.
  std::function<void(const Job&)> on_job;

 private:
  Job read_new();
  Job read_retry();
  StallPattern job_stall_, retry_stall_, cmd_stall_;
  std::vector<Job> jobs_;
  Ack offered_;
  std::deque<Ack> with_payload_;  ///< responses taken whose payload has no command yet
  struct Write {
    std::uint64_t at = 0;
    std::uint32_t qpn = 0;
    bool bad = false;
  };
  std::deque<Write> in_memory_at_;  ///< commands carried out, not yet counted
  std::uint8_t done_ = 0;
};

/// The slot of a packet in the retransmission ring.
std::uint64_t ring_slot(std::uint32_t qpn, std::uint32_t psn);
inline constexpr std::uint64_t kRingBase = 0x4000'0000;

}  // namespace caravan::roce_txc
