// SPDX-License-Identifier: Apache-2.0
// roce_req_timer against a table of deadlines: never early, never lost, wake_at_o never late.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <algorithm>
#include <optional>

#include "Vtb_roce_req_timer.h"
#include "testbenches/support/bench.hpp"

namespace {
constexpr unsigned kQps = 8;
constexpr std::uint64_t kNever = ~0ull;
}  // namespace

TEST_CASE("roce_req_timer: events are due, none is lost, the bound is never late", "[unit][roce]") {
  const std::uint64_t seed = GENERATE(range(1, 6));
  caravan::support::Bench<Vtb_roce_req_timer> dut;
  caravan::base::Rng rng(seed, 2);
  dut.reset();
  std::optional<std::uint64_t> deadline[kQps];
  std::uint64_t now = 500;
  unsigned events = 0, quiet = 0;
  int answer = -1;  // QP whose event was taken: set or cleared in the next cycle, as the requester does
  for (int cycle = 0; cycle < 60'000; ++cycle, ++now) {
    dut->now_i = now;
    // Busy stretches, and calm ones in which everything that is armed must come.
    const bool busy = cycle % 7500 < 1500;
    const bool act = answer >= 0 || (busy && rng.chance(0.03));
    dut->qpn_i = answer >= 0 ? static_cast<unsigned>(answer) : rng.below(kQps);
    dut->set_i = act && rng.chance(0.5);
    dut->clear_i = act && !dut->set_i;
    // Often a packet of the same QP is sent in the very cycle.
    const bool together = act && rng.chance(0.5);
    dut->send_i = together || (busy && rng.chance(0.02));
    dut->send_qpn_i = together ? dut->qpn_i : rng.below(kQps);
    dut->send_timeout_i = rng.below(3);
    dut->deadline_i = now + 1 + rng.below(400);
    dut->event_ready_i = !act && rng.chance(0.5);
    answer = -1;
    dut->clk_i = 0;
    dut->eval();
    if (dut->quiet_o && !act && !dut->send_i) {
      ++quiet;
      REQUIRE_FALSE(dut->event_valid_o);
      std::uint64_t earliest = kNever;
      for (const auto& d : deadline) earliest = std::min(earliest, d.value_or(kNever));
      REQUIRE(dut->wake_at_o <= earliest);
      REQUIRE(dut->wake_at_o > now);
    }
    if (dut->event_valid_o) {
      const unsigned qpn = dut->event_qpn_o;
      REQUIRE(deadline[qpn].has_value());
      REQUIRE(*deadline[qpn] <= now);
      if (dut->event_ready_i) {
        ++events;
        answer = static_cast<int>(qpn);
      }
    }
    for (const auto& d : deadline)
      if (d) REQUIRE(now < *d + 120);  // a sweep of 8, some waiting for the takers
    const unsigned acted = dut->qpn_i, sender = dut->send_qpn_i;
    if (dut->clear_i) deadline[acted].reset();
    if (dut->send_i && dut->send_timeout_i != 0 && !deadline[sender] && !(dut->set_i && acted == sender))
      deadline[sender] = now + (1024ull << dut->send_timeout_i);
    if (dut->set_i) deadline[acted] = dut->deadline_i;
    dut->clk_i = 1;
    dut->eval();
  }
  REQUIRE(events > 60);
  REQUIRE(quiet > 10'000);
}

TEST_CASE("roce_req_timer: deadline D of QP q shows its event in cycle D + q + 3, not before", "[unit][roce]") {
  const unsigned qpn = GENERATE(range(0u, kQps));
  const bool sent = GENERATE(false, true);
  caravan::support::Bench<Vtb_roce_req_timer> dut;
  dut.reset();
  std::uint64_t now = 100;
  dut->now_i = now;
  dut->send_i = sent;
  dut->send_qpn_i = qpn;
  dut->send_timeout_i = 1;
  dut->set_i = !sent;
  dut->qpn_i = qpn;
  dut->deadline_i = now + 2048;
  dut.tick();
  dut->send_i = dut->set_i = 0;
  REQUIRE(dut->wake_at_o == 100 + 2048);
  for (++now; now < 100 + 2048 + qpn + 3; ++now) {
    dut->now_i = now;
    dut->clk_i = 0;
    dut->eval();
    REQUIRE_FALSE(dut->event_valid_o);
    REQUIRE((dut->quiet_o != 0) == (now < 100 + 2048));
    dut.tick();
  }
  dut->now_i = now;
  dut->clk_i = 0;
  dut->eval();
  REQUIRE(dut->event_valid_o);
  REQUIRE(dut->event_qpn_o == qpn);
}
