// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "Vtb_prim_fifo.h"
#include "testbenches/support/bench.hpp"

using caravan::support::Bench;
using caravan::support::Sink;
using caravan::support::Source;
using caravan::support::StallPattern;

namespace {
struct FifoBench {
  Bench<Vtb_prim_fifo> dut;
  Source<std::uint8_t> source;
  Sink<std::uint8_t> sink;
  FifoBench(StallPattern::Kind gaps, StallPattern::Kind stalls)
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

TEST_CASE("prim_fifo keeps order and loses nothing under every stall pattern", "[unit][prim]") {
  const auto gaps = GENERATE(from_range(std::begin(StallPattern::kAll), std::end(StallPattern::kAll)));
  const auto stalls = GENERATE(from_range(std::begin(StallPattern::kAll), std::end(StallPattern::kAll)));
  FifoBench bench(gaps, stalls);
  for (int i = 0; i < 200; ++i) bench.source.push(static_cast<std::uint8_t>(i));
  REQUIRE(bench.dut.run_until([&] { return bench.sink.items().size() == 200; }, 6000));
  for (int i = 0; i < 200; ++i) REQUIRE(bench.sink.items()[i] == static_cast<std::uint8_t>(i));
}

TEST_CASE("prim_fifo shows an element exactly one cycle after it was written", "[unit][prim]") {
  FifoBench bench(StallPattern::Kind::kNone, StallPattern::Kind::kNone);
  bench.source.push(7);
  bench.dut.run_until([&] { return !bench.sink.items().empty(); }, 10);
  REQUIRE(bench.sink.at().at(0) == bench.source.sent_at().at(0) + 1);
}
