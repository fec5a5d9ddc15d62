// SPDX-License-Identifier: Apache-2.0
// roce_cnp: one CNP a QP and interval at the exact cycle, under every stall pattern; a full queue loses no interval.
#include <catch2/catch_test_macros.hpp>

#include <map>

#include "Vtb_roce_cnp.h"
#include "models/ref/cc_ref.hpp"
#include "testbenches/support/stalls.hpp"

using namespace caravan::support;

TEST_CASE("roce_cnp: the interval ends at its exact cycle", "[unit][roce]") {
  Bench<Vtb_roce_cnp> dut;
  dut->cnp_cycles_i = 100;
  dut->cnp_ready_i = 1;
  dut.reset();
  std::uint64_t now = 5;
  const auto marked = [&](std::uint64_t at) {
    now = at;
    dut->now_i = now;
    dut->mark_i = 1, dut->mark_qpn_i = 3;
    dut.tick();
    dut->mark_i = 0;
    dut->clk_i = 0;
    dut->eval();
    const bool sent = dut->cnp_valid_o;
    if (sent) REQUIRE(dut->cnp_qpn_o == 3);
    dut.tick();
    return sent;
  };
  REQUIRE(marked(5));
  REQUIRE_FALSE(marked(104));
  REQUIRE(marked(105));
  REQUIRE_FALSE(marked(110));
  // A QP that is created anew starts afresh.
  dut->init_i = 1, dut->init_qpn_i = 3;
  dut.tick();
  dut->init_i = 0;
  REQUIRE(marked(111));
}

TEST_CASE("roce_cnp: random marks of all QPs against the reference", "[unit][roce]") {
  const StallPattern::Kind out_kind = CARAVAN_EVERY_STALL();
  const StallPattern::Kind in_kind = CARAVAN_EVERY_STALL();
  Bench<Vtb_roce_cnp> dut;
  dut->cnp_cycles_i = 300;
  StallPattern in(in_kind, 1);
  Sink<unsigned> sink(
      dut, StallPattern(out_kind, 2), [&] { return static_cast<unsigned>(dut->cnp_qpn_o); },
      [&] { return dut->cnp_valid_o != 0; }, [&](bool ready) { dut->cnp_ready_i = ready; });
  dut.reset();
  caravan::base::Rng rng(7);
  std::map<unsigned, caravan::ref::CcNotifier> flows;
  std::vector<unsigned> expected;
  for (std::uint64_t now = 0; now < 6000; ++now) {
    dut->now_i = now;
    dut->mark_i = !in.next();
    dut->mark_qpn_i = rng.below(8);
    if (dut->mark_i && flows[dut->mark_qpn_i].marked(now, 300)) expected.push_back(dut->mark_qpn_i);
    dut.tick();
  }
  dut->mark_i = 0;
  REQUIRE(dut.run_until([&] { return dut->quiet_o != 0; }, 500));
  REQUIRE(expected.size() >= 8 * 10);
  REQUIRE(sink.items() == expected);
}

TEST_CASE("roce_cnp: a mark that finds the queue full does not use up the interval", "[unit][roce]") {
  Bench<Vtb_roce_cnp> dut;
  dut->cnp_cycles_i = 0;  // every mark is due
  dut->cnp_ready_i = 0;
  dut.reset();
  dut->now_i = 10;
  dut->mark_i = 1, dut->mark_qpn_i = 0;
  for (int i = 0; i < 16; ++i) dut.tick();
  dut->cnp_cycles_i = 1000;
  dut->mark_qpn_i = 1;
  dut.tick();  // no room
  dut->mark_i = 0;
  dut->cnp_ready_i = 1;
  dut.tick();
  dut->mark_i = 1;  // 1 cycle later: due at once
  dut.tick();
  dut->mark_i = 0;
  unsigned ones = 0;
  REQUIRE(dut.run_until(
      [&] {
        ones += dut->cnp_valid_o && dut->cnp_qpn_o == 1;
        return dut->quiet_o != 0;
      },
      100));
  REQUIRE(ones == 1);
}
