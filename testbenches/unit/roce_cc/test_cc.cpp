// SPDX-License-Identifier: Apache-2.0
// roce_cc against the reference: the cost of every QP, bit by bit, under random CNPs, samples, traffic and
// configuration.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <vector>

#include "Vtb_roce_cc.h"
#include "testbenches/support/bench.hpp"
#include "testbenches/unit/roce_cc/cc_pins.hpp"

namespace {

namespace ref = caravan::ref;
constexpr unsigned kQps = 8;
constexpr std::uint64_t kNever = ~0ull;

/// The device, the reference, and what the pacer was told. Jumps over quiet stretches as the engine does.
struct CcBench {
  caravan::support::Bench<Vtb_roce_cc> dut;
  ref::CcConfig config;
  std::vector<ref::CcFlow> flows;
  std::vector<ref::CcMode> modes = std::vector<ref::CcMode>(kQps, ref::CcMode::kNone);
  std::vector<ref::CcCost> costs = std::vector<ref::CcCost>(kQps, 0);
  std::uint64_t now = 1000, updates = 0, skipped = 0;
  bool skip = false;

  explicit CcBench(const ref::CcConfig& c) : config(c), flows(kQps, ref::CcFlow(c, ref::CcMode::kNone)) {
    caravan::unit::put_cc_config(dut->cc_i, c);
    dut.reset();
  }
  void tick() {
    dut->now_i = now;
    dut->clk_i = 0;
    dut->eval();
    if (dut->rate_valid_o) {
      costs[dut->rate_qpn_o] = dut->rate_cost_o;
      ++updates;
    }
    const bool quiet = dut->quiet_o;
    if (quiet) REQUIRE(dut->wake_at_o > now);
    if (quiet && skip) {
      ++skipped;
    } else {
      dut->clk_i = 1;
      dut->eval();
    }
    dut->cnp_i = dut->rtt_i = dut->sent_i = dut->cfg_i = dut->cfg_wait_i = 0;
    ++now;
  }
  void idle(unsigned cycles) {
    while (cycles-- > 0) tick();
  }
  /// Until every event has been worked on, so that a comparison makes sense.
  void settle() {
    for (int i = 0; i < 8000; ++i) {
      tick();
      dut->clk_i = 0;
      dut->eval();
      if (dut->quiet_o) return;
    }
    FAIL("roce_cc never settles");
  }
  void create(unsigned q, ref::CcMode mode, bool init = true) {
    settle();
    dut->cfg_i = 1, dut->cfg_wait_i = 1, dut->cfg_qpn_i = q, dut->cfg_init_i = init,
    dut->cfg_cc_i = static_cast<unsigned>(mode);
    dut->eval();
    REQUIRE(dut->cfg_ready_o);
    tick();
    if (init || mode != modes[q]) flows[q] = ref::CcFlow(config, mode);
    modes[q] = mode;
    tick();
  }
  void compare() {
    settle();
    for (unsigned q = 0; q < kQps; ++q) {
      flows[q].advance(now - 1);
      INFO("qp " << q << " at " << now);
      REQUIRE(costs[q] == flows[q].cost());
    }
  }
};

ref::CcMode mode_of(unsigned q) {
  return q % 4 == 3 ? ref::CcMode::kNone : q % 2 ? ref::CcMode::kTimely : ref::CcMode::kDcqcn;
}

}  // namespace

TEST_CASE("roce_cc: costs equal the reference under random events", "[unit][roce]") {
  const std::uint64_t seed = GENERATE(range(1, 9));
  caravan::base::Rng rng(seed, 11);
  ref::CcConfig config = caravan::unit::quick_config();
  config.patched = seed % 2 == 0;
  if (seed == 3) config.byte_counter = 0;
  if (seed == 4) config.timer_cycles = 0;
  if (seed == 5) config.alpha_cycles = 0, config.cut_cycles = 3000;
  if (seed == 6) config.min_rate = config.line_rate / 3, config.fast_steps = 1;
  CcBench bench(config);
  bench.skip = seed % 3 != 0;
  for (unsigned q = 0; q < kQps; ++q) bench.create(q, mode_of(q));
  std::uint64_t limited = 0;
  for (int round = 0; round < 120; ++round) {
    // Congested for a while, then not: rates go down and come back, up to the line for some.
    const bool congested = round % 20 < 8;
    for (int i = 0; i < 400; ++i) {
      if (rng.chance(congested ? 0.01 : 0.0005)) {
        const unsigned q = rng.below(kQps);
        bench.dut->cnp_i = 1, bench.dut->cnp_qpn_i = q;
        bench.flows[q].cnp(bench.now);
      }
      if (rng.chance(0.02)) {
        const unsigned q = rng.below(kQps);
        const std::uint32_t rtt = rng.chance(0.1) ? 7000 + rng.below(20'000)
                                  : congested     ? rng.below(9000)
                                                  : rng.below(1500);
        bench.dut->rtt_i = 1, bench.dut->rtt_qpn_i = q, bench.dut->rtt_cycles_i = rtt;
        bench.flows[q].rtt(rtt, bench.now);
      }
      bench.tick();
    }
    // Traffic apart from CNPs: a byte counter's mark moves when its CNP has been worked on.
    bench.settle();
    for (int i = 0; i < 60; ++i) {
      const unsigned q = rng.below(kQps), bytes = 90 + rng.below(9000);
      bench.dut->sent_i = 1, bench.dut->sent_qpn_i = q, bench.dut->sent_bytes_i = bytes;
      bench.flows[q].sent(bytes, bench.now);
      bench.tick();
    }
    bench.compare();
    for (const auto cost : bench.costs) limited += cost != 0;
    if (round % 30 == 29) bench.create(rng.below(kQps), static_cast<ref::CcMode>(rng.below(3)), rng.chance(0.5));
  }
  REQUIRE(limited > 100);
  REQUIRE(bench.updates > 200);
  if (bench.skip) REQUIRE(bench.skipped > 1000);
}

TEST_CASE("roce_cc: DCQCN by the book", "[unit][roce]") {
  ref::CcConfig config = caravan::unit::quick_config();
  config.byte_counter = 0;
  CcBench bench(config);
  bench.create(2, ref::CcMode::kDcqcn);
  const ref::CcRate line = config.line_rate;
  const auto cost_of = [](std::uint64_t rate) { return static_cast<ref::CcCost>((1ull << 36) / rate); };
  // alpha is 1 at the first CNP: half of the line rate.
  bench.dut->cnp_i = 1, bench.dut->cnp_qpn_i = 2;
  const std::uint64_t cut_at = bench.now;
  bench.idle(60);
  REQUIRE(bench.costs[2] == cost_of(line / 2));
  // Before the cut interval is over, a CNP does nothing.
  bench.now = cut_at + config.cut_cycles - 1;
  bench.dut->cnp_i = 1, bench.dut->cnp_qpn_i = 2;
  bench.idle(60);
  REQUIRE(bench.costs[2] == cost_of(line / 2));
  // Fast recovery: half of the way back at each timer expiry, not a cycle earlier.
  bench.now = cut_at + config.timer_cycles - 1;
  bench.tick();
  REQUIRE(bench.costs[2] == cost_of(line / 2));
  bench.idle(60);
  REQUIRE(bench.costs[2] == cost_of((line + line / 2 + 1) / 2));
  // It comes back to the line rate by itself and is not paced any more.
  for (int i = 0; i < 40'000; ++i) bench.tick();
  REQUIRE(bench.costs[2] == 0);
  bench.settle();
  REQUIRE(bench.dut->wake_at_o == kNever);
}

TEST_CASE("roce_cc: events that a QP does not know have no effect", "[unit][roce]") {
  CcBench bench(caravan::unit::quick_config());
  bench.create(0, ref::CcMode::kDcqcn);
  bench.create(1, ref::CcMode::kTimely);
  bench.create(2, ref::CcMode::kNone);
  const std::uint64_t before = bench.updates;
  for (int i = 0; i < 20; ++i) {
    bench.dut->rtt_i = 1, bench.dut->rtt_qpn_i = 0, bench.dut->rtt_cycles_i = 50'000;
    bench.dut->cnp_i = 1, bench.dut->cnp_qpn_i = 1;
    bench.idle(20);
    bench.dut->rtt_i = 1, bench.dut->rtt_qpn_i = 2, bench.dut->rtt_cycles_i = 50'000;
    bench.dut->cnp_i = 1, bench.dut->cnp_qpn_i = 2;
    bench.idle(20);
  }
  REQUIRE(bench.updates == before);
}

TEST_CASE("roce_cc: a mode change and init bring a QP to line rate", "[unit][roce]") {
  CcBench bench(caravan::unit::quick_config());
  bench.create(5, ref::CcMode::kDcqcn);
  const auto congest = [&] {
    bench.dut->cnp_i = 1, bench.dut->cnp_qpn_i = 5;
    bench.idle(60);
    REQUIRE(bench.costs[5] != 0);
  };
  congest();
  bench.create(5, ref::CcMode::kDcqcn, false);  // the same again: nothing changes
  REQUIRE(bench.costs[5] != 0);
  bench.create(5, ref::CcMode::kNone, false);
  REQUIRE(bench.costs[5] == 0);
  bench.create(5, ref::CcMode::kDcqcn, false);
  congest();
  bench.create(5, ref::CcMode::kDcqcn, true);
  REQUIRE(bench.costs[5] == 0);
  bench.settle();
  REQUIRE(bench.dut->quiet_o);
}

TEST_CASE("roce_cc: a full queue drops, counts, and goes on", "[unit][roce]") {
  CcBench bench(caravan::unit::quick_config());
  for (unsigned q = 0; q < kQps; ++q) bench.create(q, ref::CcMode::kTimely);
  unsigned lost = 0;
  for (int i = 0; i < 300; ++i) {
    bench.dut->rtt_i = 1, bench.dut->rtt_qpn_i = i % kQps, bench.dut->rtt_cycles_i = 9000;
    bench.dut->now_i = bench.now;
    bench.dut->eval();
    lost += caravan::support::PinReader(std::array<std::uint32_t, 1>{bench.dut->stats_o}).get32(5) >> 1 & 1;
    bench.tick();
  }
  REQUIRE(lost > 100);
  bench.settle();
  for (const auto cost : bench.costs) REQUIRE(cost != 0);
}

TEST_CASE("roce_cc: senseless parameters are survived", "[unit][roce]") {
  ref::CcConfig config = caravan::unit::quick_config();
  config.min_rate = 0, config.min_rtt = 0, config.t_low = 0, config.t_high = 0, config.g_shift = 0,
  config.fast_steps = 0;
  config.patched = GENERATE(false, true);
  CcBench bench(config);
  for (unsigned q = 0; q < kQps; ++q) bench.create(q, mode_of(q));
  for (int i = 0; i < 200; ++i) {
    const unsigned q = i % kQps;
    bench.dut->cnp_i = 1, bench.dut->cnp_qpn_i = q;
    bench.flows[q].cnp(bench.now);
    bench.dut->rtt_i = 1, bench.dut->rtt_qpn_i = q, bench.dut->rtt_cycles_i = i * 50;
    bench.flows[q].rtt(i * 50, bench.now);
    bench.idle(150);
    bench.compare();
  }
}
