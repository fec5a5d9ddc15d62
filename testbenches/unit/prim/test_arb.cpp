// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include "Vtb_prim_arb.h"
#include "Vtb_prim_arb_lock.h"
#include "testbenches/support/stalls.hpp"

using caravan::support::Bench;
using caravan::support::Sink;
using caravan::support::Source;
using caravan::support::StallPattern;

namespace {
/// Item of one input: input number in the upper two bits, a count below, and the end-of-frame mark.
struct Item {
  std::uint8_t value = 0;
  bool last = true;
};

template <class V>
struct ArbBench {
  Bench<V> dut;
  std::vector<std::unique_ptr<Source<Item>>> sources;
  Sink<std::uint8_t> sink;
  std::vector<unsigned> index;
  ArbBench(StallPattern::Kind gaps, StallPattern::Kind stalls)
      : sink(
            dut, {stalls, 9},
            [this] {
              index.push_back(dut->index_o);
              return dut->data_o;
            },
            [this] { return dut->valid_o != 0; }, [this](bool r) { dut->ready_i = r; }) {
    for (unsigned i = 0; i < 3; ++i) {
      sources.push_back(std::make_unique<Source<Item>>(
          dut, StallPattern{gaps, i + 1},
          [this, i](Item item) {
            dut->data_i = (dut->data_i & ~(0xFFu << 8 * i)) | static_cast<unsigned>(item.value) << 8 * i;
            dut->last_i = (dut->last_i & ~(1u << i)) | static_cast<unsigned>(item.last) << i;
          },
          [this, i](bool v) { dut->valid_i = (dut->valid_i & ~(1u << i)) | static_cast<unsigned>(v) << i; },
          [this, i] { return (dut->ready_o >> i & 1) != 0; }));
    }
    dut.reset();
  }
};
}  // namespace

TEST_CASE("prim_arb_rr passes every item of every input once, in order per input", "[unit][prim]") {
  const auto gaps = CARAVAN_EVERY_STALL();
  const auto stalls = CARAVAN_EVERY_STALL();
  ArbBench<Vtb_prim_arb> bench(gaps, stalls);
  for (unsigned i = 0; i < 3; ++i)
    for (unsigned n = 0; n < 60; ++n) bench.sources[i]->push({static_cast<std::uint8_t>(i << 6 | n), true});
  REQUIRE(bench.dut.run_until([&] { return bench.sink.items().size() == 180; }, 8000));
  unsigned next[3] = {};
  for (std::size_t k = 0; k < 180; ++k) {
    const unsigned from = bench.sink.items()[k] >> 6;
    REQUIRE(bench.index[k] == from);
    REQUIRE((bench.sink.items()[k] & 63u) == next[from]++);
  }
}

TEST_CASE("prim_arb_rr serves waiting inputs in turn, one a cycle, without latency", "[unit][prim]") {
  ArbBench<Vtb_prim_arb> bench(StallPattern::Kind::kNone, StallPattern::Kind::kNone);
  for (unsigned i = 0; i < 3; ++i)
    for (unsigned n = 0; n < 10; ++n) bench.sources[i]->push({static_cast<std::uint8_t>(i << 6 | n), true});
  bench.dut.run_until([&] { return bench.sink.items().size() == 30; }, 40);
  for (std::size_t k = 0; k < 30; ++k) {
    REQUIRE(bench.sink.at()[k] == k);
    REQUIRE(bench.index[k] == k % 3);
  }
}

TEST_CASE("prim_arb_rr does not move its pointer while nobody asks", "[unit][prim]") {
  ArbBench<Vtb_prim_arb> bench(StallPattern::Kind::kNone, StallPattern::Kind::kNone);
  bench.sources[0]->push({0, true});
  for (int i = 0; i < 7; ++i) bench.dut.tick();
  for (unsigned i = 0; i < 3; ++i) bench.sources[i]->push({static_cast<std::uint8_t>(i << 6), true});
  bench.dut.run_until([&] { return bench.index.size() == 4; }, 20);
  REQUIRE(bench.index == std::vector<unsigned>{0, 1, 2, 0});
}

TEST_CASE("prim_arb_rr keeps its choice while the output waits", "[unit][prim]") {
  ArbBench<Vtb_prim_arb> bench(StallPattern::Kind::kNone, StallPattern::Kind::kEveryOther);
  bench.sources[2]->push({0x80, true});  // taken at cycle 0: the pointer wraps to input 0
  bench.dut.tick();
  bench.sources[2]->push({0x81, true});  // offered in a cycle without ready
  bench.dut.tick();
  bench.sources[0]->push({0x01, true});  // has priority, but comes too late
  bench.dut.run_until([&] { return bench.index.size() == 3; }, 20);
  REQUIRE(bench.index == std::vector<unsigned>{2, 2, 0});
}

TEST_CASE("prim_arb_rr with LastLock never mixes frames", "[unit][prim]") {
  const auto gaps = CARAVAN_EVERY_STALL();
  const auto stalls = CARAVAN_EVERY_STALL();
  ArbBench<Vtb_prim_arb_lock> bench(gaps, stalls);
  std::vector<bool> last_of[3];
  for (unsigned i = 0; i < 3; ++i)
    for (unsigned n = 0; n < 60; ++n) {
      const bool last = n % (i + 2) == i || n == 59;  // frames of 2, 3 and 4 items
      last_of[i].push_back(last);
      bench.sources[i]->push({static_cast<std::uint8_t>(i << 6 | n), last});
    }
  REQUIRE(bench.dut.run_until([&] { return bench.sink.items().size() == 180; }, 8000));
  bool inside = false;
  unsigned owner = 0;
  for (std::size_t k = 0; k < 180; ++k) {
    const unsigned from = bench.sink.items()[k] >> 6;
    if (inside) REQUIRE(from == owner);
    owner = from;
    inside = !last_of[from][bench.sink.items()[k] & 63u];
  }
}

TEST_CASE("prim_arb_rr forgets a lock in reset", "[unit][prim]") {
  ArbBench<Vtb_prim_arb_lock> bench(StallPattern::Kind::kNone, StallPattern::Kind::kNone);
  bench.sources[1]->push({0x40, false});
  bench.dut.run_until([&] { return bench.index.size() == 1; }, 5);
  bench.dut.reset();
  bench.sources[0]->push({0x00, true});
  REQUIRE(bench.dut.run_until([&] { return bench.index.size() == 2; }, 5));
  REQUIRE(bench.index[1] == 0);
}
