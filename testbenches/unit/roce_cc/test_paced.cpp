// SPDX-License-Identifier: Apache-2.0
// Scheduler, pacer and rates together: a limited QP sends at its rate to the byte, the others at theirs; RTTs reach
// TIMELY; marks become CNPs; skipping quiet cycles changes nothing.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <deque>
#include <map>

#include "Vtb_paced.h"
#include "testbenches/support/bench.hpp"
#include "testbenches/unit/roce_cc/cc_pins.hpp"

using namespace caravan;

namespace {

constexpr unsigned kWire = 4096 + 98;  // a WRITE_ONLY of one PMTU, preamble to gap

struct PacedBench {
  support::Bench<Vtb_paced> dut;
  ref::CcConfig config;
  std::uint64_t now = 1'000, skipped = 0;
  std::uint64_t rtt = 600;  // cycles from a job to its acknowledge
  unsigned line = 84;       // cycles a packet takes on the line
  bool skip = false;
  struct Sent {
    std::uint64_t at;
    unsigned qp, psn;
    bool operator==(const Sent&) const = default;
  };
  std::vector<Sent> sent;
  std::deque<std::pair<std::uint64_t, Sent>> acks;
  std::uint64_t line_free = 0;
  unsigned rtts = 0;

  explicit PacedBench(const ref::CcConfig& c) : config(c) {
    unit::put_cc_config(dut->cc_i, c);
    dut->cnp_job_ready_i = 1;
    dut.reset();
  }
  void tick() {
    dut->now_i = now;
    dut->new_ready_i = now >= line_free;
    dut->ack_valid_i = !acks.empty() && acks.front().first <= now;
    if (dut->ack_valid_i) {
      dut->ack_qpn_i = acks.front().second.qp;
      dut->ack_psn_i = acks.front().second.psn;
    }
    dut->clk_i = 0;
    dut->eval();
    REQUIRE_FALSE(dut->retry_valid_o);
    rtts += dut->rtt_event_o;
    if (dut->ack_valid_i && dut->ack_ready_o) acks.pop_front();
    if (dut->new_valid_o && dut->new_ready_i) {
      const Sent packet{now, dut->new_dest_o - 0x100, dut->new_psn_o};
      sent.push_back(packet);
      line_free = now + line;
      if (dut->new_ackreq_o) acks.emplace_back(now + rtt, packet);
    }
    if (dut->quiet_o) REQUIRE(dut->wake_at_o > now);
    if (skip && dut->quiet_o) {
      ++skipped;
    } else {
      dut->clk_i = 1;
      dut->eval();
    }
    dut->cnp_valid_i = dut->ce_valid_i = 0;
    ++now;
  }
  void run(std::uint64_t cycles) {
    while (cycles-- > 0) tick();
  }
  void create(unsigned qp, unsigned cc) {
    dut->cfg_valid_i = 1, dut->cfg_index_i = qp, dut->cfg_cc_i = cc;
    for (bool done = false; !done;) {
      dut->eval();
      done = dut->cfg_done_o;
      tick();
    }
    dut->cfg_valid_i = 0;
  }
  void post(unsigned qp, unsigned bytes) {
    dut->verb_valid_i = 1, dut->verb_qpn_i = qp, dut->verb_len_i = bytes;
    for (bool done = false; !done;) {
      dut->eval();
      done = dut->verb_ready_o;
      tick();
    }
    dut->verb_valid_i = 0;
  }
  void cnp(unsigned qp) {
    dut->cnp_valid_i = 1, dut->cnp_qpn_i = qp;
    tick();
  }
  std::uint64_t packets(unsigned qp, std::uint64_t from) const {
    std::uint64_t n = 0;
    for (const auto& s : sent) n += s.qp == qp && s.at >= from;
    return n;
  }
};

/// Nothing raises a rate again during a test.
ref::CcConfig fixed() {
  ref::CcConfig c = unit::quick_config();
  c.byte_counter = 0, c.timer_cycles = 0, c.cut_cycles = 0;
  return c;
}

}  // namespace

TEST_CASE("paced: a limited QP sends at its rate, another at line rate", "[unit][roce]") {
  const bool skip = GENERATE(false, true);
  PacedBench bench(fixed());
  bench.skip = skip;
  bench.create(1, 1);
  bench.create(2, 1);
  bench.line = 21;  // the line carries more than both
  bench.rtt = 200;
  for (int i = 0; i < 3; ++i) bench.cnp(1), bench.run(60);
  ref::CcFlow flow(bench.config, ref::CcMode::kDcqcn);
  for (std::uint64_t i = 0; i < 3; ++i) flow.cnp(bench.now - 183 + 61 * i);
  bench.post(1, 1u << 24);
  bench.post(2, 1u << 24);
  bench.run(2'000);
  const std::uint64_t from = bench.now, cycles = 60'000;
  bench.run(cycles);
  const double limited = static_cast<double>(bench.packets(1, from)) * (kWire - 16),
               allowed = cycles * flow.rate() / 65536.0;
  CHECK(limited > 0.99 * allowed);  // a wake-up comes up to one slot of the wheel late
  CHECK(limited < 1.005 * allowed + kWire);
  CHECK(bench.packets(2, from) > 1'400);  // 21 cycles each but for those of the other
}

TEST_CASE("paced: skipping quiet cycles changes no packet", "[unit][roce]") {
  const auto run = [](bool skip) {
    PacedBench bench(unit::quick_config());
    bench.skip = skip;
    for (unsigned qp = 0; qp < 4; ++qp) bench.create(qp, qp % 3);
    base::Rng rng(5);
    for (int i = 0; i < 60; ++i) {
      bench.post(static_cast<unsigned>(rng.below(4)), static_cast<unsigned>(1 + rng.below(40'000)));
      if (rng.chance(0.5)) bench.cnp(1);
      bench.rtt = 600 + rng.below(6'000);
      bench.run(rng.below(4'000));
    }
    bench.run(60'000);
    if (skip) REQUIRE(bench.skipped > 20'000);
    REQUIRE(bench.rtts > 3);
    return bench.sent;
  };
  const auto all = run(false);
  REQUIRE(all.size() > 200);
  REQUIRE(run(true) == all);
}

TEST_CASE("paced: TIMELY lowers the rate of a QP whose round trip grows", "[unit][roce]") {
  PacedBench bench(unit::quick_config());
  bench.create(3, 2);
  bench.rtt = 600;
  bench.post(3, 1u << 24);
  bench.run(20'000);
  const std::uint64_t fast = bench.packets(3, bench.now - 10'000);
  CHECK(bench.rtts == 0);  // at line rate and below T_low
  bench.rtt = 20'000;      // above T_high
  bench.run(300'000);
  CHECK(bench.rtts > 5);
  bench.rtt = 1'500;
  bench.run(25'000);
  const std::uint64_t slow = bench.packets(3, bench.now - 10'000);
  CHECK(slow * 3 < fast * 2);
}

TEST_CASE("paced: a QP so slow that eight packets take longer than its retry timer sends nothing again",
          "[unit][roce]") {
  auto config = fixed();
  config.min_rate = config.line_rate / 64;
  PacedBench bench(config);
  bench.dut->cfg_timeout_i = 5;  // 131 us, 32768 cycles; a packet takes 5400
  bench.create(1, 1);
  for (int i = 0; i < 9; ++i) bench.cnp(1), bench.run(60);
  bench.post(1, 1u << 20);
  bench.run(300'000);  // tick() refuses retransmissions
  CHECK(bench.packets(1, 0) > 40);
  CHECK(bench.packets(1, 0) < 70);
  CHECK(bench.acks.size() < 3);
}

TEST_CASE("paced: a marked packet becomes one CNP to the sender's QP", "[unit][roce]") {
  PacedBench bench(fixed());
  bench.create(5, 0);
  unsigned cnps = 0;
  for (int i = 0; i < 50; ++i) {
    bench.dut->ce_valid_i = 1, bench.dut->ce_qpn_i = i % 2 ? 5 : 0xABCDE5;  // out of range: ignored
    bench.tick();
    bench.dut->clk_i = 0;
    bench.dut->eval();
    if (bench.dut->cnp_job_valid_o) {
      ++cnps;
      CHECK(bench.dut->cnp_opcode_o == 0x81);
      CHECK(bench.dut->cnp_dest_o == 0x105);
      CHECK(bench.dut->cnp_neigh_o == 6);
    }
  }
  CHECK(cnps == 1);
}
