// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include "Vtb_prim_fifo_pkt.h"
#include "models/base/rng.hpp"
#include "testbenches/support/stalls.hpp"

using caravan::support::Bench;
using caravan::support::Sink;
using caravan::support::StallPattern;

namespace {
constexpr int kDepth = 6;

struct PktBench {
  Bench<Vtb_prim_fifo_pkt> dut;
  Sink<std::uint8_t> sink;
  explicit PktBench(StallPattern::Kind stalls)
      : sink(
            dut, {stalls, 2}, [this] { return dut->data_o; }, [this] { return dut->valid_o != 0; },
            [this](bool r) { dut->ready_i = r; }) {
    dut.reset();
  }
  void cycle(bool valid, std::uint8_t data, bool commit, bool rollback) {
    dut->valid_i = valid;
    dut->data_i = data;
    dut->commit_i = commit;
    dut->rollback_i = rollback;
    dut.tick();
    dut->valid_i = dut->commit_i = dut->rollback_i = 0;
  }
};
}  // namespace

TEST_CASE("prim_fifo_pkt delivers what was committed and nothing else", "[unit][prim]") {
  const auto gaps = CARAVAN_EVERY_STALL();
  const auto stalls = CARAVAN_EVERY_STALL();
  PktBench bench(stalls);
  StallPattern gap(gaps, 5);
  caravan::base::Rng rng(7, static_cast<std::uint64_t>(gaps) * 8 + static_cast<std::uint64_t>(stalls));
  std::vector<std::uint8_t> expected, pending;
  std::uint8_t next = 0;
  for (int packet = 0; packet < 120; ++packet) {
    const std::uint64_t length = 1 + rng.below(4);
    bool failed = false;
    for (std::uint64_t i = 0; i < length; ++i) {
      while (gap.next()) bench.dut.tick();
      const bool end = i + 1 == length;
      bench.dut->valid_i = 1;
      (*bench.dut).eval();
      failed = failed || !bench.dut->room_o;
      REQUIRE((bench.dut->overflow_o != 0) == (bench.dut->room_o == 0));
      const bool commit = end && !failed && rng.chance(0.7);
      pending.push_back(next);
      bench.cycle(true, next++, commit, end && !commit);
      if (commit) expected.insert(expected.end(), pending.begin(), pending.end());
      if (end) pending.clear();
    }
  }
  REQUIRE(expected.size() > 30);
  bench.dut.run_until([&] { return bench.sink.items().size() == expected.size(); }, 2000);
  for (int i = 0; i < 40; ++i) bench.dut.tick();
  REQUIRE(bench.sink.items() == expected);
  REQUIRE(bench.dut->count_o == 0);
}

TEST_CASE("prim_fifo_pkt shows a committed element exactly two cycles after its write, then one a cycle",
          "[unit][prim]") {
  PktBench bench(StallPattern::Kind::kNone);
  for (int i = 0; i < 4; ++i) bench.cycle(true, static_cast<std::uint8_t>(i), true, false);
  bench.dut.run_until([&] { return bench.sink.items().size() == 4; }, 10);
  REQUIRE(bench.sink.at() == std::vector<std::uint64_t>{2, 3, 4, 5});
}

TEST_CASE("prim_fifo_pkt commits earlier elements without a new one", "[unit][prim]") {
  PktBench bench(StallPattern::Kind::kNone);
  bench.cycle(true, 1, false, false);
  bench.cycle(true, 2, false, false);
  for (int i = 0; i < 5; ++i) bench.dut.tick();
  REQUIRE(bench.sink.items().empty());
  bench.cycle(false, 0, true, false);
  bench.dut.run_until([&] { return bench.sink.items().size() == 2; }, 10);
  REQUIRE(bench.sink.items() == std::vector<std::uint8_t>{1, 2});
}

TEST_CASE("prim_fifo_pkt takes Depth uncommitted elements, then overflows, and is whole again after rollback",
          "[unit][prim]") {
  PktBench bench(StallPattern::Kind::kNone);
  for (int i = 0; i < kDepth; ++i) {
    REQUIRE(bench.dut->room_o == 1);
    bench.cycle(true, static_cast<std::uint8_t>(i), false, false);
  }
  REQUIRE(bench.dut->room_o == 0);
  bench.dut->valid_i = 1;
  (*bench.dut).eval();
  REQUIRE(bench.dut->overflow_o == 1);
  bench.cycle(true, 99, false, true);
  REQUIRE(bench.dut->room_o == 1);
  bench.cycle(true, 42, true, false);
  for (int i = 0; i < 5; ++i) bench.dut.tick();
  REQUIRE(bench.sink.items() == std::vector<std::uint8_t>{42});
}

TEST_CASE("prim_fifo_pkt is empty after reset, uncommitted elements included", "[unit][prim]") {
  PktBench bench(StallPattern::Kind::kMostly);
  for (int i = 0; i < 3; ++i) bench.cycle(true, static_cast<std::uint8_t>(i), i == 1, false);
  bench.dut.reset();
  const std::size_t before = bench.sink.items().size();
  bench.cycle(true, 7, true, false);
  for (int i = 0; i < 60; ++i) bench.dut.tick();
  REQUIRE(bench.sink.items().size() == before + 1);
  REQUIRE(bench.sink.items().back() == 7);
}
