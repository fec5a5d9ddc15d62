// SPDX-License-Identifier: Apache-2.0
// Any response at any time, and software that changes its mind: nothing hangs, nothing is written where nobody asked
// for it, every work request completes once.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <algorithm>

#include "testbenches/unit/roce_txc/ctl_bench.hpp"

using namespace caravan::roce_txc;

namespace {

constexpr std::uint32_t kPmtu = 256;

class Fuzz {
 public:
  explicit Fuzz(std::uint64_t seed, StallPattern::Kind stall)
      : ctl({stall, stall, stall, stall, stall, stall}), rng_(seed, 9) {
    for (std::uint32_t q = 0; q < kQps; ++q) create(q);
    ctl.on_job = [this](const Job& job) {
      const std::uint32_t q = job.dest - 0x500;
      newest_[q] = job.psn + psns(job);  // random responses are aimed at what is behind it
      for (std::uint32_t i = 0; i < psns(job); ++i) right_[q].push_back(answer(q, job, i));
    };
    ctl.on_cmd = [this](const Cmd& cmd) { check(cmd); };
  }
  void run(unsigned cycles) {
    for (unsigned i = 0; i < cycles; ++i) {
      if (rng_.chance(0.10) && ctl.verbs.empty()) post();
      if (rng_.chance(0.30)) respond();
      if (rng_.chance(0.0003)) ctl.errs.push(static_cast<std::uint32_t>(rng_.below(kQps)));
      if (rng_.chance(0.003)) set_state();
      if (rng_.chance(0.006) && ctl.verbs.empty()) create(static_cast<std::uint32_t>(rng_.below(kQps)));
      ctl.tick();
    }
    for (std::uint32_t q = 0; q < kQps; ++q) ctl.configure(q, qp(kErr), false);
    REQUIRE(ctl.settle(100'000));
    std::map<std::uint32_t, unsigned> completed;
    for (const Cpl& cpl : ctl.cpl.items()) REQUIRE(++completed[cpl.wr_id] == 1);
    for (const auto& [wr_id, verb] : posts_)
      if (life_of_[wr_id] == life_[verb.qpn]) REQUIRE(completed[wr_id] == 1);
    REQUIRE(ctl.cmds.size() == payloads_ + values_);
    REQUIRE(ctl->wake_at_o != 0);
  }
  Ctl ctl;
  std::size_t written = 0;

 private:
  static std::uint32_t psns(const Job& job) {
    return job.opcode == kReadRequest ? std::max(1u, (job.total + kPmtu - 1) / kPmtu) : 1;
  }
  /// What a peer says to PSN number `i` of a request.
  static Ack answer(std::uint32_t q, const Job& job, std::uint32_t i) {
    Ack ack{.qpn = q, .psn = (job.psn + i) & kPsnMask};
    if (job.opcode == kReadRequest) ack.opcode = kReadMiddle, ack.len = std::min(kPmtu, job.total - i * kPmtu);
    if (job.opcode == kCmpSwap || job.opcode == kFetchAdd) ack.opcode = kAtomicAck;
    return ack;
  }
  static Qp qp(unsigned state) {
    Qp qp;
    qp.state = state;
    qp.pmtu = 0;
    qp.timeout = 1;
    qp.retry_limit = 7;
    qp.rnr_retry = 4;
    return qp;
  }
  void create(std::uint32_t q) {
    Qp fresh = qp(kRts);
    fresh.psn = newest_[q] = static_cast<std::uint32_t>(rng_.below(1 << 24));
    REQUIRE(ctl.configure(q, fresh) < 500);
    ++life_[q];
    right_[q].clear();
  }
  void set_state() {
    // Mostly back to RTS: an error stays until the QP is created anew anyway.
    const unsigned state = rng_.chance(0.5) ? kSqd : rng_.chance(0.9) ? kRts : kErr;
    REQUIRE(ctl.configure(static_cast<std::uint32_t>(rng_.below(kQps)), qp(state), false) < 500);
  }
  void post() {
    Verb verb{.qpn = static_cast<std::uint32_t>(rng_.below(kQps)), .wr_id = next_wr_++};
    verb.op = static_cast<unsigned>(rng_.below(5));
    if (rng_.chance(0.3)) verb.op = kRead;
    verb.len = verb.op > kRead ? 8 : static_cast<std::uint32_t>(rng_.below(10 * kPmtu));
    if (verb.op == kRead && rng_.chance(0.7)) verb.len = kPmtu * static_cast<std::uint32_t>(rng_.below(12));
    verb.laddr = (rng_.chance(0.5) ? kHostBit : 0) | (std::uint64_t{verb.wr_id} << 16);
    ctl.post(verb);
    posts_[verb.wr_id] = verb;
    life_of_[verb.wr_id] = life_[verb.qpn];
  }
  void respond() {
    if (auto& right = right_[rng_.below(kQps)]; !right.empty() && rng_.chance(0.8)) {
      const Ack ack = right.front();
      right.pop_front();
      if (rng_.chance(0.05)) return;
      payloads_ += ack.len != 0;
      ctl.ack(ack);
      return;
    }
    Ack ack;
    ack.qpn = static_cast<std::uint32_t>(rng_.chance(0.98) ? rng_.below(kQps) : rng_.next() & kPsnMask);
    const std::uint32_t around = ack.qpn < kQps ? newest_[ack.qpn] : 0;
    ack.psn = (around + 4 - static_cast<std::uint32_t>(rng_.below(24))) & kPsnMask;
    ack.opcode = kReadFirst + static_cast<unsigned>(rng_.below(6));
    if (rng_.chance(0.01)) ack.src_ip = 1;
    constexpr unsigned kSyndromes[] = {0x60, 0x61, 0x62, 0x63, 0x64, 0x20, 0x21, 0x40, 0xFF};
    if (rng_.chance(0.02)) ack.syndrome = kSyndromes[rng_.below(std::size(kSyndromes))];
    if (ack.opcode <= kReadOnly) ack.len = rng_.chance(0.8) ? kPmtu : static_cast<std::uint32_t>(rng_.below(kPmtu + 1));
    ack.orig = rng_.next();
    payloads_ += ack.len != 0;
    ctl.ack(ack);
  }
  void check(const Cmd& cmd) {
    if (cmd.inl) ++values_;
    if (cmd.target == kDrop) return;
    ++written;
    const std::uint64_t at = (cmd.target == kToHost ? kHostBit : 0) | cmd.addr;
    const auto post = posts_.find(static_cast<std::uint32_t>((at & ~kHostBit) >> 16));
    REQUIRE(post != posts_.end());
    const Verb& verb = post->second;
    REQUIRE(verb.qpn == cmd.qpn);
    REQUIRE((cmd.inl ? verb.op > kRead : verb.op == kRead));
    REQUIRE(at >= verb.laddr);
    REQUIRE(at + cmd.len <= verb.laddr + verb.len);
  }

  caravan::base::Rng rng_;
  std::uint32_t next_wr_ = 0, newest_[kQps] = {};
  std::deque<Ack> right_[kQps];  ///< what the peer would say
  unsigned life_[kQps] = {};
  std::size_t payloads_ = 0, values_ = 0;
  std::map<std::uint32_t, Verb> posts_;
  std::map<std::uint32_t, unsigned> life_of_;
};

}  // namespace

TEST_CASE("Random responses and table writes: nothing hangs, nothing is written that was not asked for",
          "[unit][roce]") {
  const std::uint64_t seed = GENERATE(range(1, 5));
  const auto stall = GENERATE(StallPattern::Kind::kNone, StallPattern::Kind::kRandom, StallPattern::Kind::kBursts);
  Fuzz fuzz(seed, stall);
  fuzz.run(20'000);
  REQUIRE(fuzz.written > 100);
  REQUIRE(fuzz.ctl.events.stale > 100);
  REQUIRE(fuzz.ctl.events.qp_err > 0);
}
