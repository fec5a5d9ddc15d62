// SPDX-License-Identifier: Apache-2.0
// net_pfc_tx: frames byte by byte, thresholds, renewal at the exact cycle, under every stall pattern.
#include <catch2/catch_test_macros.hpp>

#include "Vtb_net_pfc_tx.h"
#include "testbenches/support/stalls.hpp"
#include "testbenches/unit/net_pfc/pfc_pins.hpp"

using namespace caravan;
using support::Bench;
using support::StallPattern;

namespace {

constexpr std::uint64_t kNever = ~0ull;

struct TxBench {
  Bench<Vtb_net_pfc_tx> dut;
  unit::PfcRegisters regs;
  std::uint64_t now = 1000;
  struct Sent {
    std::uint64_t at;
    std::vector<std::uint8_t> bytes;
  };
  std::vector<Sent> sent;
  unsigned pauses = 0, resumes = 0;
  explicit TxBench(const unit::PfcRegisters& r = {}) : regs(r) {
    unit::put_pfc(dut->cfg_i, regs);
    support::PinWriter(dut->net_cfg_i).put(32, 0).put(48, 0x0200'0000'0001);
    dut->frame_ready_i = 1;
    dut.reset();
  }
  void eval() {
    dut->now_i = now;
    dut->clk_i = 0;
    dut->eval();
  }
  void tick() {
    eval();
    pauses += dut->pause_o;
    resumes += dut->resume_o;
    if (dut->frame_valid_o && dut->frame_ready_i) {
      const auto beat = support::get_axis(dut->frame_o);
      REQUIRE(beat.last);
      sent.push_back({now, {beat.data.begin(), beat.data.begin() + beat.bytes}});
    }
    if (dut->quiet_o) REQUIRE(dut->wake_at_o > now);
    if (!dut->quiet_o) {  // quiet cycles get no edge
      dut->clk_i = 1;
      dut->eval();
    }
    ++now;
  }
  void level(unsigned beats, unsigned cycles) {
    dut->level_i = beats;
    while (cycles-- > 0) tick();
  }
};

}  // namespace

TEST_CASE("net_pfc_tx: pause at xoff, resume at xon, the level between changes nothing", "[unit][net]") {
  TxBench bench;
  bench.level(99, 20);
  REQUIRE(bench.sent.empty());
  const std::uint64_t reached = bench.now;
  bench.level(100, 5);
  REQUIRE(bench.sent.size() == 1);
  REQUIRE(bench.sent[0].at == reached + 1);
  REQUIRE(bench.sent[0].bytes == unit::pause(0x09, 1000));
  bench.level(41, 100);
  REQUIRE(bench.sent.size() == 1);
  const std::uint64_t fallen = bench.now;
  bench.level(40, 20);
  REQUIRE(bench.sent.size() == 2);
  REQUIRE(bench.sent[1].at == fallen + 1);
  REQUIRE(bench.sent[1].bytes == unit::pause(0x09, 0));
  bench.level(99, 20);
  REQUIRE(bench.sent.size() == 2);
  REQUIRE(bench.pauses == 1);
  REQUIRE(bench.resumes == 1);
  bench.eval();
  REQUIRE(bench.dut->wake_at_o == kNever);
}

TEST_CASE("net_pfc_tx: a pause is renewed at half of its time", "[unit][net]") {
  TxBench bench;
  const std::uint64_t reached = bench.now, half = unit::cycles_of(1000, bench.regs.quantum) / 2;
  bench.level(200, 1);
  bench.eval();
  REQUIRE(bench.dut->wake_at_o == reached + half);
  bench.level(200, static_cast<unsigned>(3 * half));
  REQUIRE(bench.sent.size() == 3);
  REQUIRE(bench.sent[1].at == reached + half + 1);
  REQUIRE(bench.sent[2].at == reached + 2 * half + 1);
  for (const auto& sent : bench.sent) REQUIRE(sent.bytes == unit::pause(0x09, 1000));
}

TEST_CASE("net_pfc_tx: turned off while senders are paused, it lets them go", "[unit][net]") {
  TxBench bench;
  bench.level(200, 10);
  auto off = bench.regs;
  off.tx_en = 0;
  unit::put_pfc(bench.dut->cfg_i, off);
  bench.level(200, 10);
  REQUIRE(bench.sent.size() == 2);
  REQUIRE(bench.sent[1].bytes == unit::pause(0x09, 0));  // of the priorities that were paused
}

TEST_CASE("net_pfc_tx: senseless thresholds and times do not flood the line", "[unit][net]") {
  TxBench never(unit::PfcRegisters{.xoff = 0});
  never.level(0xFFFF, 100);
  REQUIRE(never.sent.empty());
  TxBench too_short(unit::PfcRegisters{.quanta = 0});
  too_short.level(0xFFFF, 100);
  REQUIRE(too_short.sent.empty());
  TxBench crossed(unit::PfcRegisters{.xoff = 50, .xon = 90});
  crossed.level(70, 100);
  REQUIRE(crossed.sent.size() == 1);
  crossed.level(49, 100);
  REQUIRE(crossed.sent.size() == 2);
}

TEST_CASE("net_pfc_tx: under stalls each pause is followed by a resume, whatever the level does", "[unit][net]") {
  const StallPattern::Kind kind = CARAVAN_EVERY_STALL();
  TxBench bench;
  StallPattern stall(kind, 3);
  base::Rng rng(static_cast<std::uint64_t>(kind), 5);
  for (int i = 0; i < 20'000; ++i) {
    bench.dut->frame_ready_i = !stall.next();
    bench.level(rng.chance(0.05) ? static_cast<unsigned>(rng.below(200)) : bench.dut->level_i, 1);
  }
  bench.dut->frame_ready_i = 1;
  bench.level(0, 10);
  bool stopped = false;
  for (const auto& sent : bench.sent) {
    const bool pause = sent.bytes == unit::pause(0x09, 1000);
    REQUIRE((pause || (stopped && sent.bytes == unit::pause(0x09, 0))));
    stopped = pause;
  }
  REQUIRE_FALSE(stopped);
  REQUIRE(bench.resumes > 100);
  REQUIRE(bench.pauses >= bench.resumes);
}
