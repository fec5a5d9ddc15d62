// SPDX-License-Identifier: Apache-2.0
// roce_cc_csr: the published defaults, every register written and read, others untouched.
#include <catch2/catch_test_macros.hpp>

#include <array>

#include "Vtb_roce_cc_csr.h"
#include "testbenches/support/bench.hpp"
#include "testbenches/unit/roce_cc/cc_pins.hpp"

using namespace caravan::support;

namespace {

/// csr_req_t {we, re, addr[15:0], wdata[31:0]}
void access(Bench<Vtb_roce_cc_csr>& dut, bool write, std::uint32_t addr, std::uint32_t data) {
  dut->csr_i = std::uint64_t{write} << 49 | std::uint64_t{!write} << 48 | std::uint64_t{addr} << 32 | data;
  dut.tick();
  dut->csr_i = 0;
  dut->clk_i = 0;
  dut->eval();
}
std::uint32_t read(Bench<Vtb_roce_cc_csr>& dut, std::uint32_t addr) {
  access(dut, false, addr, 0);
  return dut->rdata_o;
}

struct Register {
  std::uint32_t offset;
  unsigned width;
  std::uint32_t value;  // default
};

std::vector<Register> registers() {
  const auto c = caravan::ref::CcConfig::defaults(250, 100);
  return {{0x00, 24, c.line_rate},    {0x04, 24, c.min_rate},   {0x08, 24, c.ai_rate},      {0x0C, 24, c.hai_rate},
          {0x10, 4, c.g_shift},       {0x14, 4, c.fast_steps},  {0x18, 32, c.byte_counter}, {0x1C, 24, c.alpha_cycles},
          {0x20, 24, c.timer_cycles}, {0x24, 24, c.cut_cycles}, {0x28, 24, c.cnp_cycles},   {0x2C, 24, c.add_rate},
          {0x30, 24, c.t_low},        {0x34, 24, c.t_high},     {0x38, 24, c.min_rtt},      {0x3C, 16, c.ewma},
          {0x40, 16, c.beta},         {0x44, 4, c.hai_thresh},  {0x48, 1, c.patched}};
}

}  // namespace

TEST_CASE("roce_cc_csr: defaults, as fields and as registers", "[unit][roce]") {
  Bench<Vtb_roce_cc_csr> dut;
  dut.reset();
  for (const auto& r : registers()) {
    CAPTURE(r.offset);
    REQUIRE(read(dut, 0x4000 + r.offset) == r.value);
  }
  std::array<std::uint32_t, 12> expected{};
  caravan::unit::put_cc_config(expected, caravan::ref::CcConfig::defaults(250, 100));
  for (std::size_t i = 0; i < expected.size(); ++i) REQUIRE(dut->cfg_o[i] == expected[i]);
  // 50 us, 40 Mb/s, 100 Gb/s at 250 MHz
  REQUIRE(read(dut, 0x4028) == 12'500);
  REQUIRE(read(dut, 0x4000) == 50u << 16);
}

TEST_CASE("roce_cc_csr: each register keeps what fits and leaves the others alone", "[unit][roce]") {
  Bench<Vtb_roce_cc_csr> dut;
  dut.reset();
  auto regs = registers();
  for (auto& r : regs) {
    access(dut, true, 0x4000 + r.offset, 0xA5C3'96F1);
    r.value = 0xA5C3'96F1 & static_cast<std::uint32_t>((1ull << r.width) - 1);
    for (const auto& other : regs) {
      CAPTURE(r.offset, other.offset);
      REQUIRE(read(dut, 0x4000 + other.offset) == other.value);
    }
  }
  access(dut, true, 0x4038, 0);
  REQUIRE(read(dut, 0x4038) == 1);  // a division by the minimum RTT stays one
  access(dut, true, 0x3000, 7);     // another block
  access(dut, true, 0x4100, 7);     // unknown
  REQUIRE(read(dut, 0x4100) == 0);
  REQUIRE(read(dut, 0x4000) == regs[0].value);
  dut.tick();
  dut->clk_i = 0;
  dut->eval();
  REQUIRE(dut->rdata_o == 0);
  REQUIRE(dut->quiet_o);
}
