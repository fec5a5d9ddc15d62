// SPDX-License-Identifier: Apache-2.0
// hostif_top with the PCIe memory model behind it and a stand-in for the endpoint: requests are collected and completed
// by the test.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "Vtb_hostif.h"
#include "models/timing/axi_memory.hpp"
#include "testbenches/support/bench.hpp"
#include "testbenches/support/packed_pins.hpp"

namespace caravan::tb {

using support::PinReader;
using support::PinWriter;
using support::StallPattern;

inline constexpr unsigned kCredits = 4;  // of the bench's top
// Offsets in the register block; the block number is in bits 15:12.
inline constexpr std::uint16_t kBlock = 0x5000;
inline constexpr std::uint16_t kCmd = 0x040, kStatus = 0x044, kSqDb = 0x080, kRqDb = 0x084, kCqDb = 0x088,
                               kCqArm = 0x08C, kSqPush = 0x090, kOverrun = 0x094, kPush0 = 0x100;
// Verbs and statuses of roce_pkg.
inline constexpr unsigned kWrite = 0, kSend = 1, kRead = 2, kCmpSwap = 3, kFetchAdd = 4, kRefused = 15;
inline constexpr unsigned kOk = 0, kFlushed = 1, kBadRequest = 2, kRemoteAccess = 4, kLocalMem = 9;

struct Verb {
  std::uint64_t cycle = 0;
  unsigned op = 0, qpn = 0;
  bool inl = false, has_imm = false, solicited = false, signaled = false;
  std::uint32_t imm = 0, wr_id = 0, len = 0, rkey = 0;
  std::uint64_t laddr = 0, raddr = 0;
  packet::Buffer data;
  unsigned index() const { return wr_id & 0xFFFF; }
};
struct Post {
  unsigned qpn = 0;
  std::uint32_t wr_id = 0, len = 0;
  std::uint64_t addr = 0;
};
struct Cpl {
  unsigned qpn = 0;
  std::uint32_t wr_id = 0;
  unsigned status = 0;
  std::uint64_t orig = 0;
};
struct RqCpl {
  unsigned qpn = 0;
  std::uint32_t wr_id = 0;
  unsigned status = 0;
  bool is_write = false, solicited = false, has_imm = false;
  std::uint32_t imm = 0, len = 0, src_qpn = 0, src_ip = 0;
};
/// A completion entry as the host sees it.
struct Cqe {
  unsigned status = 0, kind = 0, index = 0, qpn = 0, op = 0;
  bool has_imm = false, solicited = false, phase = false;
  std::uint32_t len = 0, imm = 0, src_qpn = 0, src_ip = 0;
  std::uint64_t orig = 0;
};
/// A send entry to be written into a ring.
struct Sqe {
  unsigned op = kWrite;
  bool signaled = true, solicited = false, has_imm = false, inl = false;
  std::uint32_t len = 0, rkey = 0, imm = 0;
  std::uint64_t laddr = 0, raddr = 0;
  std::vector<std::uint8_t> data{};  // at most 64
  std::vector<std::uint8_t> bytes() const;
};

struct Stalls {
  StallPattern::Kind read = StallPattern::Kind::kNone, write = StallPattern::Kind::kNone,
                     verb = StallPattern::Kind::kNone;
};

class HostifBench {
 public:
  explicit HostifBench(Stalls stalls = {}, base::Bytes memory = base::Bytes::mib(1));

  support::Bench<Vtb_hostif> bench;
  timing::SparseMemory memory;
  timing::AxiMemory axi;
  std::vector<Verb> verbs;
  std::vector<Post> posts;
  std::vector<std::pair<std::uint64_t, unsigned>> events;       ///< cycle, CQ
  std::vector<std::pair<std::uint64_t, unsigned>> read_bursts;  ///< cycle, beats
  std::vector<std::uint64_t> cqe_writes;                        ///< cycles of their W beats
  std::array<std::uint64_t, 12> stats{};                        ///< hostif_stats_t, its last field first
  enum Stat {
    kMemErr,
    kEvents,
    kCqDrop,
    kStale,
    kQuietCpls,
    kCqes,
    kRqEntries,
    kSqEntries,
    kBursts,
    kBadDb,
    kPushes,
    kDoorbells
  };

  void complete(const Cpl& cpl) { cpls_.push_back(cpl); }
  void complete(const Verb& verb, unsigned status = kOk, std::uint64_t orig = 0) {
    complete(Cpl{verb.qpn, verb.wr_id, status, orig});
  }
  void complete(const RqCpl& cpl) { rq_cpls_.push_back(cpl); }
  bool completions_taken() const { return cpls_.empty() && rq_cpls_.empty(); }

  /// Registers: writes are queued and go out one a cycle; now() waits until all have gone.
  void write(std::uint16_t offset, std::uint32_t value) {
    csr_.push_back({static_cast<std::uint16_t>(kBlock | offset), value});
  }
  void flush_writes();
  std::uint32_t read(std::uint16_t offset);
  std::uint64_t last_write_cycle() const { return last_write_; }

  void set_qp(unsigned qpn, std::uint64_t sq, unsigned sq_log2, std::uint64_t rq, unsigned rq_log2, unsigned send_cqn,
              unsigned recv_cqn, bool valid = true);
  void set_cq(unsigned cqn, std::uint64_t base, unsigned log2, bool valid = true);
  void put_sqe(std::uint64_t ring, unsigned log2, unsigned index, const Sqe& sqe);
  void doorbell(std::uint16_t offset, unsigned number, unsigned index) {
    write(offset, number << 16 | (index & 0xFFFF));
  }
  Cqe cqe(std::uint64_t ring, unsigned log2, unsigned index);
  void run(std::uint64_t cycles) {
    for (std::uint64_t i = 0; i < cycles; ++i) bench.tick();
  }
  bool run_until(const std::function<bool()>& done, std::uint64_t limit = 20000) {
    return bench.run_until(done, limit);
  }
  bool quiet() { return bench->quiet_o != 0; }

 private:
  void drive();
  void sample();

  StallPattern ar_stall_, r_stall_, aw_stall_, w_stall_, verb_stall_, post_stall_, cpl_stall_, rq_stall_;
  bool ar_open_ = true, aw_open_ = true, w_open_ = true, r_shown_ = false, cpl_shown_ = false, rq_shown_ = false;
  timing::AxiRequestPins pins_;
  std::deque<Cpl> cpls_;
  std::deque<RqCpl> rq_cpls_;
  std::deque<std::pair<std::uint16_t, std::uint32_t>> csr_;
  std::optional<std::uint16_t> csr_read_;
  std::uint64_t last_write_ = 0;
};

}  // namespace caravan::tb
