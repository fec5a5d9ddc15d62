// SPDX-License-Identifier: Apache-2.0
// roce_pacer: held to the exact cycle, kicks at slot edges, rates exact in the long run, nothing parked is forgotten.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "Vtb_roce_pacer.h"
#include "models/ref/cc_ref.hpp"
#include "testbenches/support/stalls.hpp"

using namespace caravan::support;

namespace {

constexpr std::uint64_t kSlack = 64, kNever = ~0ull;
constexpr unsigned kQps = 16;

struct PacerBench {
  Bench<Vtb_roce_pacer> dut;
  std::uint64_t now = 100;
  std::vector<std::pair<std::uint64_t, unsigned>> kicks;
  PacerBench() {
    dut->kick_ready_i = 1;
    dut.reset();
  }
  void eval() {
    dut->now_i = now;
    dut->clk_i = 0;
    dut->eval();
  }
  void tick() {
    eval();
    if (dut->kick_valid_o && dut->kick_ready_i) kicks.emplace_back(now, dut->kick_qpn_o);
    dut->clk_i = 1;
    dut->eval();
    dut->send_i = dut->park_i = dut->rate_valid_i = 0;
    ++now;
  }
  void run_to(std::uint64_t cycle) {
    while (now < cycle) tick();
  }
  bool held(unsigned q) {
    dut->sched_qpn_i = q;
    eval();
    return dut->sched_held_o;
  }
  void rate(unsigned q, std::uint32_t cost) {
    dut->rate_valid_i = 1, dut->rate_qpn_i = q, dut->rate_cost_i = cost;
    tick();
  }
  void send(unsigned q, unsigned bytes) {
    dut->send_i = 1, dut->send_qpn_i = q, dut->send_bytes_i = bytes;
    tick();
  }
  void park(unsigned q) {
    dut->park_i = 1, dut->park_qpn_i = q;
    tick();
  }
  std::uint64_t wake() {
    eval();
    return dut->wake_at_o;
  }
};

}  // namespace

TEST_CASE("roce_pacer: held up to the exact cycle; kicked at the slot edge", "[unit][roce]") {
  PacerBench bench;
  bench.rate(3, 1u << 20);  // a cycle a byte
  bench.run_to(1000);
  // The slack of an idle QP: charged from 1002 - 64 on (the product is added two cycles after the packet).
  bench.send(3, 200);
  REQUIRE(bench.held(3));
  REQUIRE_FALSE(bench.held(4));
  bench.park(3);
  const std::uint64_t due = 1002 - kSlack + 200;
  bench.run_to(due - 1);
  REQUIRE(bench.held(3));
  bench.run_to(due);
  REQUIRE_FALSE(bench.held(3));
  // 1138 lies in the slot that begins at 1136: the next edge is 1152, its kick two cycles later.
  REQUIRE(bench.wake() == 1152);
  bench.run_to(1160);
  REQUIRE(bench.kicks == std::vector<std::pair<std::uint64_t, unsigned>>{{1154, 3}});
  REQUIRE(bench.wake() == kNever);
}

TEST_CASE("roce_pacer: a QP without control is never held", "[unit][roce]") {
  PacerBench bench;
  for (int i = 0; i < 100; ++i) {
    bench.send(5, 4200);
    REQUIRE_FALSE(bench.held(5));
  }
  bench.rate(5, 100u << 20);
  bench.send(5, 4200);
  REQUIRE(bench.held(5));
  // Cost 0 forgets what was sent.
  bench.rate(5, 0);
  REQUIRE_FALSE(bench.held(5));
  bench.rate(5, 1u << 20);
  bench.run_to(bench.now + 5);
  REQUIRE_FALSE(bench.held(5));
}

TEST_CASE("roce_pacer: parked twice, beyond the wheel, or without being held", "[unit][roce]") {
  PacerBench bench;
  bench.rate(1, 255u << 20);
  bench.run_to(1000);
  bench.send(1, 100);  // 25500 cycles, the wheel has 64 slots of 16
  bench.park(1);
  bench.park(1);
  bench.park(2);  // was not held: next edge
  bench.run_to(3000);
  // 1001 + 3: slot 62, the last one that can be reached is 62 + 63 = 125: 2000.
  REQUIRE(bench.kicks == std::vector<std::pair<std::uint64_t, unsigned>>{{1010, 2}, {2002, 1}});
  REQUIRE(bench.held(1));
}

TEST_CASE("roce_pacer: kicks under every stall pattern; nobody early at an idle wheel, nobody forgotten",
          "[unit][roce]") {
  const StallPattern::Kind ready_kind = CARAVAN_EVERY_STALL();
  PacerBench bench;
  StallPattern stall(ready_kind, 5);
  caravan::base::Rng rng(static_cast<std::uint64_t>(ready_kind) + 1, 9);
  // What a scheduler does: QPs in a queue; a held one is parked, others send and queue again.
  std::deque<unsigned> list;
  std::vector<bool> parked(kQps, false);
  std::vector<caravan::ref::CcPacer> model(kQps, caravan::ref::CcPacer(kSlack));
  std::vector<std::uint32_t> cost(kQps), sent(kQps);
  std::vector<std::pair<std::uint64_t, unsigned>> charge;  // as the pacer does it, two cycles later
  std::vector<unsigned> bytes_of(kQps);
  for (unsigned q = 0; q < kQps; ++q) {
    cost[q] = q % 5 == 0 ? 0 : static_cast<std::uint32_t>((1u << 19) + rng.below(6u << 20));
    if (cost[q] != 0) bench.rate(q, cost[q]);
    list.push_back(q);
  }
  const std::uint64_t start = bench.now;
  unsigned wakes = 0, quiet = 0;
  for (int i = 0; i < 60'000; ++i) {
    bench.dut->kick_ready_i = !stall.next();
    std::size_t charged = 0;
    while (charged < charge.size() && charge[charged].first == bench.now) {
      const unsigned q = charge[charged++].second;
      model[q].sent(bytes_of[q], cost[q], bench.now);
    }
    charge.erase(charge.begin(), charge.begin() + static_cast<std::ptrdiff_t>(charged));
    unsigned q = 0;
    bool act = false;
    if (!list.empty() && rng.chance(0.7)) {
      q = list.front();
      list.pop_front();
      act = true;
      const bool charging = std::any_of(charge.begin(), charge.end(), [&](const auto& c) { return c.second == q; });
      const bool held = bench.held(q);
      REQUIRE(held == (cost[q] != 0 && (charging || bench.now < model[q].due())));
      if (held) {
        bench.dut->park_i = 1, bench.dut->park_qpn_i = q;
        parked[q] = true;
      } else {
        bytes_of[q] = 84 + rng.below(300);
        sent[q] += bytes_of[q];
        bench.dut->send_i = 1, bench.dut->send_qpn_i = q, bench.dut->send_bytes_i = bytes_of[q];
        if (cost[q] != 0) charge.emplace_back(bench.now + 2, q);
        list.push_back(q);
      }
    }
    bench.eval();
    if (!act && bench.dut->quiet_o) {
      ++quiet;
      REQUIRE(bench.dut->wake_at_o > bench.now);
    }
    const std::size_t before = bench.kicks.size();
    bench.tick();
    if (bench.kicks.size() != before) {
      const unsigned woken = bench.kicks.back().second;
      REQUIRE(parked[woken]);
      parked[woken] = false;
      list.push_back(woken);
      ++wakes;
    }
  }
  REQUIRE(wakes > 1000);
  const double cycles = static_cast<double>(bench.now - start);
  for (unsigned q = 0; q < kQps; ++q) {
    if (cost[q] == 0) continue;
    const double per_byte = static_cast<double>(cost[q]) / (1u << 20), used = sent[q] * per_byte;
    CAPTURE(q, used, cost[q]);
    // Never more than the time allows, the slack and the packet that is being paid for.
    REQUIRE(used < cycles + kSlack + 384 * per_byte);
    // Kicks that come late because the scheduler is slow cost rate; without stalls none is lost.
    if (ready_kind == StallPattern::Kind::kNone) REQUIRE(used > 0.98 * cycles);
  }
  // All that are parked come back by themselves.
  bench.dut->kick_ready_i = 1;
  bench.run_to(bench.now + 3000);
  for (const auto& [cycle, q] : bench.kicks) parked[q] = false;
  REQUIRE(std::count(parked.begin(), parked.end(), true) == 0);
  REQUIRE(bench.wake() == kNever);
}

TEST_CASE("roce_pacer: gated cycles change nothing", "[unit][roce]") {
  const auto run = [](bool gate) {
    PacerBench bench;
    caravan::base::Rng rng(3, 3);
    std::uint64_t skipped = 0;
    for (unsigned q = 0; q < kQps; ++q) bench.rate(q, (1 + q) << 19);
    for (int i = 0; i < 3000; ++i) {
      const unsigned q = rng.below(kQps);
      if (rng.chance(0.5)) {
        bench.send(q, 84 + rng.below(500));
      } else {
        bench.park(q);
      }
      for (std::uint64_t left = rng.below(40); left > 0; --left) {
        bench.eval();
        if (gate && bench.dut->quiet_o && bench.dut->wake_at_o > bench.now) {
          ++bench.now;
          ++skipped;
        } else {
          bench.tick();
        }
      }
    }
    if (gate) REQUIRE(skipped > 1000);
    return bench.kicks;
  };
  const auto kicks = run(false);
  REQUIRE(kicks.size() > 500);
  REQUIRE(run(true) == kicks);
}
