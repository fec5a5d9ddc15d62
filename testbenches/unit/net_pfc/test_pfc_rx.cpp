// SPDX-License-Identifier: Apache-2.0
// net_pfc_rx: pauses of exact length, per priority; what is not a pause frame changes nothing.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "Vtb_net_pfc_csr.h"
#include "Vtb_net_pfc_rx.h"
#include "testbenches/support/bench.hpp"
#include "testbenches/unit/net_pfc/pfc_pins.hpp"

using namespace caravan;
using support::Beat;
using support::Bench;

namespace {

constexpr std::uint64_t kNever = ~0ull;

struct RxBench {
  Bench<Vtb_net_pfc_rx> dut;
  unit::PfcRegisters regs;
  std::uint64_t now = 1000;
  unsigned frames = 0;
  bool gated = false;
  explicit RxBench(const unit::PfcRegisters& r = {}) : regs(r) {
    unit::put_pfc(dut->cfg_i, regs);
    dut.reset();
  }
  void eval() {
    dut->now_i = now;
    dut->clk_i = 0;
    dut->eval();
  }
  void tick() {
    eval();
    frames += dut->pause_o;
    if (!dut->quiet_o || !gated) {
      dut->clk_i = 1;
      dut->eval();
    }
    dut->mac_rx_valid_i = 0;
    ++now;
  }
  void beat(const Beat& b) {
    support::put_axis(dut->mac_rx_i, b);
    dut->mac_rx_valid_i = 1;
    tick();
  }
  void frame(const std::vector<std::uint8_t>& bytes, bool err = false) {
    for (const Beat& b : support::to_beats(bytes, err)) beat(b);
  }
  unsigned paused() {
    eval();
    return dut->paused_o;
  }
  void run_to(std::uint64_t cycle) {
    while (now < cycle) tick();
  }
};

}  // namespace

TEST_CASE("net_pfc_rx: a pause lasts exactly as long as it says", "[unit][net]") {
  RxBench bench;
  bench.gated = GENERATE(false, true);
  const std::uint64_t arrival = bench.now;
  bench.frame(unit::pause(0x28, 100));
  REQUIRE(bench.paused() == 0);
  bench.tick();
  REQUIRE(bench.paused() == 0x28);  // 2 cycles after the beat
  REQUIRE(unit::cycles_of(100, bench.regs.quantum) == 129);
  bench.run_to(arrival + 127);
  REQUIRE(bench.paused() == 0x28);
  REQUIRE(bench.dut->wake_at_o == arrival + 128);  // the last cycle: its edge ends the pause
  REQUIRE(bench.dut->quiet_o);
  bench.run_to(arrival + 128);
  REQUIRE(bench.paused() == 0x28);
  REQUIRE_FALSE(bench.dut->quiet_o);
  bench.run_to(arrival + 129);
  REQUIRE(bench.paused() == 0);
  REQUIRE(bench.dut->quiet_o);
  REQUIRE(bench.dut->wake_at_o == kNever);
  REQUIRE(bench.frames == 1);
}

TEST_CASE("net_pfc_rx: times are replaced, zero ends a pause, others stay", "[unit][net]") {
  RxBench bench;
  const std::uint64_t first = bench.now;
  bench.frame(unit::pause(0x03, 1000));
  bench.run_to(first + 500);
  bench.frame(unit::pause(0x01, 2000));  // priority 0 anew
  bench.tick();
  REQUIRE(bench.dut->wake_at_o == first + 1280);  // 1000 * 1.28001 rounded up, less 1
  bench.run_to(first + 1281);
  REQUIRE(bench.paused() == 0x01);
  bench.frame(unit::pause(0x01, 0));
  bench.tick();
  REQUIRE(bench.paused() == 0);
  // Frame after frame, one a cycle.
  bench.frame(unit::pause(0x10, 50));
  bench.frame(unit::pause(0x20, 50));
  bench.frame(unit::pause(0x10, 0));
  bench.tick();
  REQUIRE(bench.paused() == 0x20);
}

TEST_CASE("net_pfc_rx: what is no good pause frame has no effect", "[unit][net]") {
  RxBench bench;
  const auto good = unit::pause(0xFF, 1000);
  const auto ignored = [&](std::vector<std::uint8_t> f, bool err = false) {
    bench.frame(f, err);
    bench.tick();
    bench.tick();
    REQUIRE(bench.paused() == 0);
    REQUIRE(bench.frames == 0);
  };
  for (const std::size_t byte : {0u, 5u, 12u, 13u, 14u, 15u}) {
    auto f = good;
    f[byte] ^= 0x02;
    ignored(f);
  }
  ignored(good, true);                                                  // bad FCS
  ignored(std::vector<std::uint8_t>(good.begin(), good.begin() + 33));  // too short for its times
  auto longer = good;
  longer.resize(128, 0);
  ignored(longer);  // MAC control frames are of minimum size
  // The beats of another frame that look like one.
  std::vector<std::uint8_t> inside(64, 0);
  inside.insert(inside.end(), good.begin(), good.end());
  ignored(inside);
  bench.frame(good);
  bench.tick();
  REQUIRE(bench.paused() == 0xFF);
}

TEST_CASE("net_pfc_rx: only the priorities of the mask are obeyed", "[unit][net]") {
  RxBench bench(unit::PfcRegisters{.rx_en = 0x08});
  bench.frame(unit::pause(0xFF, 1000));
  bench.tick();
  REQUIRE(bench.paused() == 0x08);
}

TEST_CASE("net_pfc_csr: reset values, fields, read back", "[unit][net]") {
  Bench<Vtb_net_pfc_csr> dut;
  dut.reset();
  const auto access = [&](bool write, std::uint32_t addr, std::uint32_t data) {
    dut->csr_i = std::uint64_t{write} << 49 | std::uint64_t{!write} << 48 | std::uint64_t{addr} << 32 | data;
    dut.tick();
    dut->csr_i = 0;
    dut->clk_i = 0;
    dut->eval();
    return static_cast<std::uint32_t>(dut->rdata_o);
  };
  REQUIRE(access(false, 0x1040, 0) == 0);
  REQUIRE(access(false, 0x1044, 0) == (512u << 16 | 768u));
  REQUIRE(access(false, 0x1048, 0) == 0xFFFF);
  REQUIRE(access(false, 0x104C, 0) == 83'887);
  access(true, 0x1040, 0xFFFD'5A3C);
  access(true, 0x1044, 0x0123'4567);
  access(true, 0x1048, 0xABCD'1234);
  access(true, 0x104C, 0xFF01'0000);
  access(true, 0x2040, 0);  // another block
  access(true, 0x1050, 0);  // unknown
  REQUIRE(access(false, 0x1040, 0) == 0x0005'5A3C);
  REQUIRE(access(false, 0x1044, 0) == 0x0123'4567);
  REQUIRE(access(false, 0x1048, 0) == 0x1234);
  REQUIRE(access(false, 0x104C, 0) == 0x01'0000);
  REQUIRE(access(false, 0x1050, 0) == 0);
  std::array<std::uint32_t, 3> expected{};
  unit::put_pfc(expected, {0x3C, 0x5A, 5, 0x4567, 0x0123, 0x1234, 0x01'0000});
  for (std::size_t i = 0; i < expected.size(); ++i) REQUIRE(dut->cfg_o[i] == expected[i]);
  dut.tick();
  dut->clk_i = 0;
  dut->eval();
  REQUIRE(dut->rdata_o == 0);
  REQUIRE(dut->quiet_o);
}
