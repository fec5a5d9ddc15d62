// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include "Vtb_prim_skid.h"
#include "testbenches/support/stalls.hpp"

using caravan::support::Bench;
using caravan::support::Sink;
using caravan::support::Source;
using caravan::support::StallPattern;

namespace {
struct SkidBench {
  Bench<Vtb_prim_skid> dut;
  Source<std::uint8_t> source;
  Sink<std::uint8_t> sink;
  SkidBench(StallPattern::Kind gaps, StallPattern::Kind stalls)
      : source(
            dut, {gaps, 1}, [this](std::uint8_t v) { dut->data_i = v; }, [this](bool v) { dut->valid_i = v; },
            [this] { return dut->ready_o != 0; }),
        sink(
            dut, {stalls, 2}, [this] { return dut->data_o; }, [this] { return dut->valid_o != 0; },
            [this](bool r) { dut->ready_i = r; }) {
    dut.reset();
  }
};
}  // namespace

TEST_CASE("prim_skid keeps order and loses nothing under every stall pattern", "[unit][prim]") {
  const auto gaps = CARAVAN_EVERY_STALL();
  const auto stalls = CARAVAN_EVERY_STALL();
  SkidBench bench(gaps, stalls);
  for (int i = 0; i < 200; ++i) bench.source.push(static_cast<std::uint8_t>(i));
  REQUIRE(bench.dut.run_until([&] { return bench.sink.items().size() == 200; }, 6000));
  for (int i = 0; i < 200; ++i) REQUIRE(bench.sink.items()[i] == static_cast<std::uint8_t>(i));
}

TEST_CASE("prim_skid has latency 1 and passes one item a cycle", "[unit][prim]") {
  SkidBench bench(StallPattern::Kind::kNone, StallPattern::Kind::kNone);
  for (int i = 0; i < 20; ++i) bench.source.push(static_cast<std::uint8_t>(i));
  REQUIRE(bench.dut.run_until([&] { return bench.sink.items().size() == 20; }, 30));
  for (std::size_t i = 0; i < 20; ++i) {
    REQUIRE(bench.source.sent_at()[i] == i);
    REQUIRE(bench.sink.at()[i] == i + 1);
  }
}

TEST_CASE("prim_skid takes exactly two items while the output is blocked", "[unit][prim]") {
  Bench<Vtb_prim_skid> dut;
  dut.reset();
  dut->valid_i = 1;
  dut->ready_i = 0;
  int taken = 0;
  for (int i = 0; i < 6; ++i) {
    dut->data_i = static_cast<std::uint8_t>(i);
    taken += dut->ready_o;
    dut.tick();
  }
  REQUIRE(taken == 2);
  REQUIRE(dut->valid_o == 1);
  REQUIRE(dut->data_o == 0);
  dut.reset();
  REQUIRE(dut->valid_o == 0);
  REQUIRE(dut->ready_o == 1);
}
