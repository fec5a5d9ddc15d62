// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "Vtb_net_csr.h"
#include "Vtb_net_neigh.h"
#include "testbenches/support/bench.hpp"

using caravan::support::Bench;
using caravan::support::get_bits;
using caravan::support::set_bits;

namespace {
/// csr_req_t {we, re, addr[16], wdata[32]}
std::uint64_t request(bool we, bool re, unsigned addr, std::uint32_t wdata = 0) {
  return std::uint64_t{we} << 49 | std::uint64_t{re} << 48 | std::uint64_t{addr} << 32 | wdata;
}

struct CsrBench {
  Bench<Vtb_net_csr> dut;
  explicit CsrBench(bool gated) {
    if (gated) dut.gate([this] { return dut->quiet_o != 0; });
    dut.reset();
  }
  void write(unsigned addr, std::uint32_t value) {
    dut->csr_i = request(true, false, addr, value);
    dut.tick();
    dut->csr_i = 0;
  }
  /// The answer comes exactly one cycle after the request and is gone in the next.
  std::uint32_t read(unsigned addr) {
    dut->csr_i = request(false, true, addr);
    (*dut).eval();
    REQUIRE(dut->rdata_o == 0);
    dut.tick();
    dut->csr_i = 0;
    const std::uint32_t value = dut->rdata_o;
    dut.tick();
    REQUIRE(dut->rdata_o == 0);
    return value;
  }
};

struct Row {
  bool valid;
  std::uint64_t mac;
  std::uint32_t ip;
  bool operator==(const Row&) const = default;
};
template <class Wide>
Row get_row(const Wide& wide) {
  return {get_bits(wide, 80, 1) != 0, get_bits(wide, 32, 48), static_cast<std::uint32_t>(get_bits(wide, 0, 32))};
}
}  // namespace

TEST_CASE("net_csr keeps the addresses and shows them to the block", "[unit][net]") {
  CsrBench bench(GENERATE(false, true));
  bench.write(0x1000, 0x00000001);
  bench.write(0x1004, 0xFFFF5254);
  bench.write(0x1008, 0x0A000001);
  REQUIRE(get_bits(bench.dut->cfg_o, 32, 48) == 0x525400000001);
  REQUIRE(get_bits(bench.dut->cfg_o, 0, 32) == 0x0A000001);
  REQUIRE(bench.read(0x1000) == 0x00000001);
  REQUIRE(bench.read(0x1004) == 0x00005254);
  REQUIRE(bench.read(0x1008) == 0x0A000001);
  bench.dut.reset();
  REQUIRE(bench.read(0x1008) == 0);
}

TEST_CASE("net_csr sends a staged row as one strobe in the cycle after the command", "[unit][net]") {
  CsrBench bench(GENERATE(false, true));
  bench.write(0x1010, 0x00000002);
  bench.write(0x1014, 0x5254);
  bench.write(0x1018, 0x0A000002);
  REQUIRE(bench.dut->neigh_we_o == 0);
  bench.write(0x101C, 0x80000007);
  REQUIRE(bench.dut->neigh_we_o == 1);
  REQUIRE(bench.dut->neigh_index_o == 7);
  REQUIRE(get_row(bench.dut->neigh_row_o) == Row{true, 0x525400000002, 0x0A000002});
  bench.dut.tick();
  REQUIRE(bench.dut->neigh_we_o == 0);
  bench.write(0x101C, 0x000000FF);
  REQUIRE(bench.dut->neigh_we_o == 1);
  REQUIRE(bench.dut->neigh_index_o == 255);
  REQUIRE_FALSE(get_row(bench.dut->neigh_row_o).valid);
  bench.dut.tick();
  REQUIRE(bench.read(0x1010) == 2);
  REQUIRE(bench.read(0x1014) == 0x5254);
  REQUIRE(bench.read(0x1018) == 0x0A000002);
  REQUIRE(bench.read(0x101C) == 0xFF);
}

TEST_CASE("net_csr leaves other blocks and unknown offsets alone", "[unit][net]") {
  CsrBench bench(false);
  bench.write(0x1008, 5);
  for (const unsigned addr : {0x0008u, 0x2008u, 0x9008u, 0x100Cu, 0x1FFCu, 0x1808u}) {
    bench.write(addr, 9);
    REQUIRE(bench.dut->neigh_we_o == 0);
    REQUIRE(bench.read(addr) == 0);
  }
  bench.write(0x201C, 1);
  REQUIRE(bench.dut->neigh_we_o == 0);
  REQUIRE(bench.read(0x1008) == 5);
}

TEST_CASE("net_neigh stores rows, answers in the next cycle and holds the answer", "[unit][net]") {
  Bench<Vtb_net_neigh> dut;  // 5 rows
  if (GENERATE(false, true)) dut.gate([&] { return dut->quiet_o != 0; });
  dut.reset();
  const auto write = [&](unsigned index, Row row) {
    dut->we_i = 1;
    dut->windex_i = static_cast<std::uint8_t>(index);
    set_bits(dut->wrow_i, 0, 32, row.ip);
    set_bits(dut->wrow_i, 32, 48, row.mac);
    set_bits(dut->wrow_i, 80, 1, row.valid);
    dut.tick();
    dut->we_i = 0;
  };
  const auto read = [&](unsigned index) {
    dut->re_i = 1;
    dut->rindex_i = static_cast<std::uint8_t>(index);
    dut.tick();
    dut->re_i = 0;
    return get_row(dut->row_o);
  };
  for (unsigned i = 0; i < 256; ++i) REQUIRE_FALSE(read(i).valid);
  for (unsigned i = 0; i < 256; ++i) write(i, {true, 0xAABBCCDD0000u + i, 0x0A000000u + i});
  for (unsigned i = 0; i < 5; ++i) REQUIRE(read(i) == Row{true, 0xAABBCCDD0000u + i, 0x0A000000u + i});
  for (unsigned i = 5; i < 256; ++i) REQUIRE_FALSE(read(i).valid);
  REQUIRE(read(3).mac == 0xAABBCCDD0003u);
  for (int i = 0; i < 5; ++i) dut.tick();
  REQUIRE(get_row(dut->row_o) == Row{true, 0xAABBCCDD0003u, 0x0A000003});
  write(3, {false, 1, 2});
  REQUIRE(get_row(dut->row_o) == Row{true, 0xAABBCCDD0003u, 0x0A000003});
  REQUIRE(read(3) == Row{false, 1, 2});
  // Read in the cycle of a write: still the old row.
  dut->re_i = 1;
  dut->rindex_i = 4;
  write(4, {true, 7, 8});
  dut->re_i = 0;
  REQUIRE(get_row(dut->row_o) == Row{true, 0xAABBCCDD0004u, 0x0A000004});
  REQUIRE(read(4) == Row{true, 7, 8});
}
