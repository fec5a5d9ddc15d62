// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include "Vtb_prim_ram_1r1w.h"
#include "Vtb_prim_ram_row.h"
#include "models/base/rng.hpp"
#include "testbenches/support/bench.hpp"

namespace {
/// RAMs have no reset: a clock of their own.
template <class V>
struct RamBench {
  VerilatedContext context;
  V top{&context, "top"};
  void tick() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
    context.timeInc(1);
  }
  void drive(bool re, unsigned raddr, bool we, unsigned waddr, unsigned wdata) {
    top.re_i = re;
    top.raddr_i = static_cast<std::uint8_t>(raddr);
    top.we_i = we;
    top.waddr_i = static_cast<std::uint8_t>(waddr);
    top.wdata_i = static_cast<std::uint8_t>(wdata);
    tick();
  }
};
}  // namespace

TEST_CASE("prim_ram_1r1w reads first, holds its output, and starts as zero", "[unit][prim]") {
  RamBench<Vtb_prim_ram_1r1w> ram;
  caravan::base::Rng rng(3);
  std::uint8_t memory[16] = {}, shown = 0;
  ram.drive(true, 5, false, 0, 0);
  REQUIRE(ram.top.rdata_o == 0);
  for (int i = 0; i < 5000; ++i) {
    const bool re = rng.chance(0.5), we = rng.chance(0.5);
    const unsigned raddr = static_cast<unsigned>(rng.below(16)), waddr = static_cast<unsigned>(rng.below(16));
    const unsigned value = static_cast<unsigned>(rng.below(256));
    if (re) shown = memory[raddr];
    if (we) memory[waddr] = static_cast<std::uint8_t>(value);
    ram.drive(re, raddr, we, waddr, value);
    REQUIRE(ram.top.rdata_o == shown);
  }
}

TEST_CASE("prim_ram_row always shows the newest value of the row read last", "[unit][prim]") {
  RamBench<Vtb_prim_ram_row> ram;
  caravan::base::Rng rng(4);
  std::uint8_t memory[16] = {};
  unsigned row = 0;
  ram.drive(true, 0, false, 0, 0);
  for (int i = 0; i < 20000; ++i) {
    const bool re = rng.chance(0.5), we = rng.chance(0.5);
    // Few rows: hazards are the rule.
    const unsigned raddr = static_cast<unsigned>(rng.below(3)), waddr = static_cast<unsigned>(rng.below(3));
    const unsigned value = static_cast<unsigned>(rng.below(256));
    if (re) row = raddr;
    if (we) memory[waddr] = static_cast<std::uint8_t>(value);
    ram.drive(re, raddr, we, waddr, value);
    REQUIRE(ram.top.rdata_o == memory[row]);
  }
}
