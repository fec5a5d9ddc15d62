// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include <map>

#include "Vtb_axil.h"
#include "models/base/rng.hpp"
#include "testbenches/support/stalls.hpp"

using namespace caravan;
using namespace caravan::support;

namespace {
struct Read {
  std::uint32_t data;
  unsigned resp;
};
struct AxilBench {
  Bench<Vtb_axil> dut;
  Source<std::uint16_t> aw, ar;
  Source<std::uint32_t> w;
  Sink<unsigned> b;
  Sink<Read> r;
  std::vector<std::uint64_t> we_at, re_at;
  explicit AxilBench(StallPattern::Kind gaps = StallPattern::Kind::kNone,
                     StallPattern::Kind stalls = StallPattern::Kind::kNone, bool gated = false)
      : aw(
            dut, {gaps, 1}, [this](std::uint16_t v) { dut->awaddr_i = v; }, [this](bool v) { dut->awvalid_i = v; },
            [this] { return dut->awready_o != 0; }),
        ar(
            dut, {gaps, 2}, [this](std::uint16_t v) { dut->araddr_i = v; }, [this](bool v) { dut->arvalid_i = v; },
            [this] { return dut->arready_o != 0; }),
        w(
            dut, {gaps, 3}, [this](std::uint32_t v) { dut->wdata_i = v; }, [this](bool v) { dut->wvalid_i = v; },
            [this] { return dut->wready_o != 0; }),
        b(
            dut, {stalls, 4}, [this] { return unsigned{dut->bresp_o}; }, [this] { return dut->bvalid_o != 0; },
            [this](bool v) { dut->bready_i = v; }),
        r(
            dut, {stalls, 5},
            [this] {
              return Read{dut->rdata_o, dut->rresp_o};
            },
            [this] { return dut->rvalid_o != 0; }, [this](bool v) { dut->rready_i = v; }) {
    dut.add([] {},
            [this] {
              if (dut->we_o) we_at.push_back(dut.cycle());
              if (dut->re_o) re_at.push_back(dut.cycle());
            });
    if (gated) dut.gate([this] { return dut->quiet_o != 0; });
    dut.reset();
  }
  void write(unsigned addr, std::uint32_t data) {
    aw.push(static_cast<std::uint16_t>(addr));
    w.push(data);
    const std::size_t done = b.items().size() + 1;
    REQUIRE(dut.run_until([&] { return b.items().size() == done; }, 2000));
    REQUIRE(b.items().back() == 0);
  }
  std::uint32_t read(unsigned addr) {
    ar.push(static_cast<std::uint16_t>(addr));
    const std::size_t done = r.items().size() + 1;
    REQUIRE(dut.run_until([&] { return r.items().size() == done; }, 2000));
    REQUIRE(r.items().back().resp == 0);
    return r.items().back().data;
  }
};
}  // namespace

TEST_CASE("axis_axil_csr writes and reads registers under every stall pattern", "[unit][axis]") {
  const auto gaps = CARAVAN_EVERY_STALL();
  const auto stalls = CARAVAN_EVERY_STALL();
  const bool gated = GENERATE(false, true);
  AxilBench bench(gaps, stalls, gated);
  base::Rng rng(1);
  std::map<unsigned, std::uint32_t> model;
  for (int i = 0; i < 60; ++i) {
    const unsigned addr = 0x3000 + 4 * static_cast<unsigned>(rng.below(16));
    model[addr] = static_cast<std::uint32_t>(rng());
    bench.write(addr, model[addr]);
    const unsigned other = std::next(model.begin(), static_cast<long>(rng.below(model.size())))->first;
    REQUIRE(bench.read(other) == model[other]);
  }
  bench.dut.tick();
  REQUIRE(bench.dut->quiet_o == 1);
}

TEST_CASE("axis_axil_csr strobes one cycle after the request; B follows after 1, R after 2 cycles", "[unit][axis]") {
  AxilBench bench;
  bench.write(0x3004, 0xDEADBEEF);
  REQUIRE(bench.aw.sent_at()[0] == 0);
  REQUIRE(bench.we_at == std::vector<std::uint64_t>{1});
  REQUIRE(bench.b.at() == std::vector<std::uint64_t>{2});
  REQUIRE(bench.read(0x3004) == 0xDEADBEEF);
  REQUIRE(bench.re_at[0] == bench.ar.sent_at()[0] + 1);
  REQUIRE(bench.r.at()[0] == bench.re_at[0] + 2);
}

TEST_CASE("axis_axil_csr takes address and data in any order", "[unit][axis]") {
  AxilBench bench;
  bench.w.push(5);
  for (int i = 0; i < 10; ++i) bench.dut.tick();
  REQUIRE(bench.w.empty());  // taken, although no address is there
  REQUIRE(bench.we_at.empty());
  bench.aw.push(0x3008);
  bench.dut.run_until([&] { return bench.b.items().size() == 1; }, 10);
  REQUIRE(bench.we_at == std::vector<std::uint64_t>{bench.aw.sent_at()[0] + 1});
  bench.aw.push(0x300C);
  for (int i = 0; i < 10; ++i) bench.dut.tick();
  REQUIRE(bench.aw.empty());
  bench.w.push(6);
  bench.dut.run_until([&] { return bench.b.items().size() == 2; }, 10);
  REQUIRE(bench.we_at[1] == bench.w.sent_at()[1] + 1);
  REQUIRE(bench.read(0x3008) == 5);
  REQUIRE(bench.read(0x300C) == 6);
}

TEST_CASE("axis_axil_csr answers misaligned and unknown addresses with zero and leaves everything as it was",
          "[unit][axis]") {
  AxilBench bench;
  for (unsigned i = 0; i < 16; ++i) bench.write(0x3000 + 4 * i, 100 + i);
  const std::size_t strobes = bench.we_at.size();
  for (const unsigned addr : {0x3001u, 0x3002u, 0x3003u, 0x303Fu}) {
    bench.write(addr, 7);
    REQUIRE(bench.read(addr) == 0);
  }
  REQUIRE(bench.we_at.size() == strobes);
  REQUIRE(bench.re_at.empty());
  for (const unsigned addr : {0x0000u, 0x2FFCu, 0x3040u, 0xFFFCu}) {
    bench.write(addr, 7);
    REQUIRE(bench.read(addr) == 0);
  }
  for (unsigned i = 0; i < 16; ++i) REQUIRE(bench.read(0x3000 + 4 * i) == 100 + i);
}

TEST_CASE("axis_axil_csr lets waiting writes and reads take turns, one at a time", "[unit][axis]") {
  const auto stalls = CARAVAN_EVERY_STALL();
  AxilBench bench(StallPattern::Kind::kNone, stalls);
  for (unsigned i = 0; i < 20; ++i) {
    bench.aw.push(static_cast<std::uint16_t>(0x3000 + 4 * (i % 16)));
    bench.w.push(i);
    bench.ar.push(0x3000);
  }
  REQUIRE(bench.dut.run_until([&] { return bench.b.items().size() == 20 && bench.r.items().size() == 20; }, 4000));
  REQUIRE(bench.we_at.size() == 20);
  REQUIRE(bench.re_at.size() == 20);
  for (std::size_t i = 0; i < 19; ++i) {
    REQUIRE(bench.we_at[i] < bench.re_at[i]);
    REQUIRE(bench.re_at[i] < bench.we_at[i + 1]);
  }
}

TEST_CASE("axis_axil_csr forgets half a write in reset", "[unit][axis]") {
  AxilBench bench;
  bench.write(0x3000, 1);
  bench.aw.push(0x3000);
  for (int i = 0; i < 3; ++i) bench.dut.tick();
  bench.dut.reset();
  bench.w.push(9);
  for (int i = 0; i < 5; ++i) bench.dut.tick();
  REQUIRE(bench.we_at.size() == 1);
  REQUIRE(bench.read(0x3000) == 1);
}
