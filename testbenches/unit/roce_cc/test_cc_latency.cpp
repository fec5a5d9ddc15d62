// SPDX-License-Identifier: Apache-2.0
// Exact cycles of roce_cc and of its divider.
#include <catch2/catch_test_macros.hpp>

#include "Vtb_roce_cc.h"
#include "Vtb_roce_cc_div.h"
#include "testbenches/support/bench.hpp"
#include "testbenches/unit/roce_cc/cc_pins.hpp"

namespace {

/// Cycles from an event on the pins to the cost at the pacer.
unsigned cycles_to_cost(caravan::support::Bench<Vtb_roce_cc>& dut, std::uint64_t& now) {
  for (unsigned cycle = 0; cycle < 300; ++cycle) {
    dut->now_i = now++;
    dut->clk_i = 0;
    dut->eval();
    const bool valid = dut->rate_valid_o;
    dut->clk_i = 1;
    dut->eval();
    dut->cnp_i = dut->rtt_i = dut->cfg_i = dut->cfg_wait_i = 0;
    if (valid) return cycle;
  }
  return ~0u;
}

}  // namespace

TEST_CASE("roce_cc: cycles from an event to the cost", "[unit][roce]") {
  caravan::support::Bench<Vtb_roce_cc> dut;
  const auto config = caravan::unit::quick_config();
  caravan::unit::put_cc_config(dut->cc_i, config);
  dut.reset();
  std::uint64_t now = 10'000;
  const auto create = [&](unsigned cc) {
    dut->cfg_i = dut->cfg_wait_i = 1, dut->cfg_qpn_i = 4, dut->cfg_init_i = 1, dut->cfg_cc_i = cc;
    REQUIRE(cycles_to_cost(dut, now) == 1);
  };
  create(1);
  dut->cnp_i = 1, dut->cnp_qpn_i = 4;
  const std::uint64_t cut_at = now;
  REQUIRE(cycles_to_cost(dut, now) == 26);
  // The timer: the sweep starts at the deadline and looks at QP q q + 1 cycles later.
  now = cut_at + config.timer_cycles;
  dut->now_i = now;
  dut->eval();
  const unsigned timer = cycles_to_cost(dut, now);
  // An alpha update stood before it in the sweep.
  CAPTURE(timer);
  REQUIRE(timer == 4 + 1 + 26);
  create(2);
  dut->rtt_i = 1, dut->rtt_qpn_i = 4, dut->rtt_cycles_i = 2 * config.t_high;
  REQUIRE(cycles_to_cost(dut, now) == 50);
}

TEST_CASE("roce_cc_div: quotients, and 21 cycles for each", "[unit][roce]") {
  caravan::support::Bench<Vtb_roce_cc_div> dut;
  dut.reset();
  caravan::base::Rng rng(1, 3);
  for (int i = 0; i < 400; ++i) {
    const std::uint64_t num = rng.next() >> (24 + rng.below(40)), den = (rng.next() & 0xFFFFFF) >> rng.below(25);
    dut->start_i = 1, dut->numerator_i = num, dut->denominator_i = den;
    dut.tick();
    dut->start_i = 0;
    for (unsigned cycle = 1;; ++cycle) {
      dut->clk_i = 0;
      dut->eval();
      REQUIRE_FALSE(dut->quiet_o);
      if (dut->done_o) {
        REQUIRE(cycle == 21);
        break;
      }
      REQUIRE(cycle < 22);
      dut.tick();
    }
    REQUIRE(dut->quotient_o == (den == 0 ? (1ull << 40) - 1 : num / den));
    dut.tick();
    dut->clk_i = 0;
    dut->eval();
    REQUIRE(dut->quiet_o);
  }
}
