// SPDX-License-Identifier: Apache-2.0
// roce_csr: staging, table writes, refusals, global registers.
#include <catch2/catch_test_macros.hpp>

#include "Vroce_csr.h"
#include "testbenches/support/bench.hpp"
#include "testbenches/support/roce_rx_pins.hpp"

using namespace caravan;
using namespace caravan::support;

namespace {

struct CsrBench {
  Bench<Vroce_csr> dut;
  CsrBench() {
    idle();
    dut->cfg_go_i = 0;
    dut.reset();
  }
  void idle() { request(false, false, 0, 0); }
  void request(bool we, bool re, std::uint32_t addr, std::uint32_t data) {
    dut->csr_i = std::uint64_t{data} | std::uint64_t{addr} << 32 | std::uint64_t{re} << 48 | std::uint64_t{we} << 49;
  }
  void write(std::uint32_t offset, std::uint32_t data, std::uint32_t block = 2) {
    request(true, false, block << 12 | offset, data);
    dut.tick();
    idle();
  }
  std::uint32_t read(std::uint32_t offset, std::uint32_t block = 2) {
    request(false, true, block << 12 | offset, 0);
    dut.tick();
    idle();
    const std::uint32_t value = dut->rdata_o;
    dut.tick();
    REQUIRE(dut->rdata_o == 0);  // one cycle only
    return value;
  }
  std::vector<std::uint32_t> cfg() {
    std::vector<std::uint32_t> words;
    for (unsigned i = 0; i < 13; ++i) words.push_back(dut->cfg_o[i]);
    return words;
  }
  static std::vector<std::uint32_t> packed(const RoceCfg& c) {
    VlWide<13> wide{};
    pack(wide, c);
    std::vector<std::uint32_t> words;
    for (unsigned i = 0; i < 13; ++i) words.push_back(wide[i]);
    return words;
  }
};

/// The fields of `qp` or of the region, as software stages them.
void stage(CsrBench& b, const RoceCfg& c) {
  if (c.is_region) {
    const std::uint64_t last = c.region.base + c.region.length - 1;
    b.write(0x00, std::uint32_t{c.region.pd} << 16 | std::uint32_t{c.key} << 8 | c.region.access.atomic << 3 |
                      c.region.access.read << 2 | c.region.access.write << 1 | c.valid);
    b.write(0x04, static_cast<std::uint32_t>(c.region.base));
    b.write(0x08, static_cast<std::uint32_t>(c.region.base >> 32));
    b.write(0x0C, static_cast<std::uint32_t>(last));
    b.write(0x10, static_cast<std::uint32_t>(last >> 32));
    return;
  }
  unsigned pmtu = 0;
  while ((256u << pmtu) < c.qp.pmtu) ++pmtu;
  b.write(0x00, 2u << 26 | 1u << 25 | 0x15u << 20 | 6u << 17 | c.qp.remote_write << 14 | c.qp.retry_limit << 11 |
                    c.qp.timeout_exponent << 6 | pmtu << 3 | static_cast<unsigned>(c.qp.state));
  b.write(0x04, 0x5Au << 24 | c.qp.dest_qpn.value());
  b.write(0x08, std::uint32_t{c.qp.pd} << 16 | c.qp.udp_src_port);
  b.write(0x0C, c.qp.peer_ip);
  b.write(0x10, c.qp.first_psn_to_send.value());
  b.write(0x14, c.qp.first_psn_to_expect.value());
  b.write(0x18, 0xFACE0001);
}

}  // namespace

TEST_CASE("CSR: a QP row, field by field, held until taken", "[unit][roce][csr]") {
  CsrBench b;
  RoceCfg c;
  c.init = true;
  c.index = 5;
  c.qp = {.qpn = base::Qpn(5),
          .dest_qpn = base::Qpn(0xABCDEF),
          .peer_ip = 0xC0A80102,
          .udp_src_port = 0xC123,
          .pmtu = 2048,
          .state = ref::QpState::kRtr,
          .first_psn_to_send = base::Psn(0x123456),
          .first_psn_to_expect = base::Psn(0xFEDCBA),
          .retry_limit = 5,
          .timeout_exponent = 19,
          .remote_write = true,
          .pd = 0xBEEF};
  stage(b, c);
  REQUIRE(b.read(0x44) == 0);
  b.write(0x40, 2u << 30 | 5);
  REQUIRE(b.dut->cfg_valid_o == 1);
  REQUIRE(b.dut->quiet_o == 0);
  // The row travels; only the neighbour, read and atomic bits are not in the C++ structure, and W0 fields 14..16 are.
  VlWide<13> got{};
  for (unsigned i = 0; i < 13; ++i) got[i] = b.dut->cfg_o[i];
  PinReader r(got);
  for (unsigned skip : {64u, 64u, 28u}) r.get(skip);
  REQUIRE(r.get(24) == 0xFEDCBA);
  REQUIRE(r.get(24) == 0x123456);
  REQUIRE(r.get(32) == 0xFACE0001);
  REQUIRE(r.get(16) == 0xBEEF);
  REQUIRE(r.get(16) == 0xC123);
  REQUIRE(r.get(32) == 0xC0A80102);
  REQUIRE(r.get(8) == 0x5A);
  REQUIRE(r.get(24) == 0xABCDEF);
  REQUIRE(r.get(3) == 4);  // atomic, read, write
  REQUIRE(r.get(2) == 2);  // TIMELY
  REQUIRE(r.get(1) == 1);  // UD
  REQUIRE(r.get(5) == 0x15);
  REQUIRE(r.get(3) == 6);
  REQUIRE(r.get(3) == 5);
  REQUIRE(r.get(5) == 19);
  REQUIRE(r.get(3) == 3);
  REQUIRE(r.get(3) == 2);
  REQUIRE(r.get(24) == 5);
  REQUIRE(r.get(2) == 1);  // init, QP
  // Staging the next row does not change the one that waits.
  const auto offered = b.cfg();
  for (std::uint32_t offset = 0; offset < 0x1C; offset += 4) b.write(offset, ~0u);
  REQUIRE(b.read(0x44) == 1);
  REQUIRE(b.cfg() == offered);
  b.dut->cfg_go_i = 1;
  b.dut.tick();
  b.dut->cfg_go_i = 0;
  REQUIRE(b.dut->cfg_valid_o == 0);
  REQUIRE(b.read(0x44) == 0);
  b.write(0x40, 1u << 30 | 7);
  REQUIRE(get_bits(b.dut->cfg_o, 384, 2) == 0);  // modify: neither init nor region
}

TEST_CASE("CSR: a region row", "[unit][roce][csr]") {
  CsrBench b;
  RoceCfg c = RoceCfg::of_region(
      0x03A5, {0x8000123456789ABCull, 0x100000001ull, {.write = true, .read = false, .atomic = true}, 0x4321});
  stage(b, c);
  b.write(0x40, 3u << 30 | 3);
  REQUIRE(b.dut->cfg_valid_o == 1);
  const auto want = CsrBench::packed(c), got = b.cfg();
  for (unsigned i = 0; i < 4; ++i) REQUIRE(got[i] == want[i]);
  REQUIRE((got[4] & 0xFFFFFFF) == (want[4] & 0xFFFFFFF));
  REQUIRE(get_bits(b.dut->cfg_o, 384, 2) == 2);
  REQUIRE(get_bits(b.dut->cfg_o, 360, 24) == 3);
}

TEST_CASE("CSR: commands that are refused", "[unit][roce][csr]") {
  CsrBench b;
  for (std::uint32_t cmd : {1u << 30 | 8, 2u << 30 | 8, 2u << 30 | 0xFFFFFF, 3u << 30 | 4, 0u << 30 | 1}) {
    b.write(0x40, cmd);
    REQUIRE(b.dut->cfg_valid_o == 0);
    REQUIRE(b.read(0x44) == 2);
  }
  b.write(0x40, 1u << 30 | 7);
  REQUIRE(b.read(0x44) == 1);
  b.write(0x40, 1u << 30 | 6);  // while another is pending
  REQUIRE(b.read(0x44) == 3);
  b.dut->cfg_go_i = 1;
  b.dut.tick();
  b.dut->cfg_go_i = 0;
  b.write(0x40, 3u << 30 | 3);
  REQUIRE(b.read(0x44) == 1);
}

TEST_CASE("CSR: global registers, other blocks and unknown offsets", "[unit][roce][csr]") {
  CsrBench b;
  const auto glb = [&] {
    PinReader r(b.dut->glb_o);
    return std::array<std::uint64_t, 3>{r.get(1), r.get(8), r.get(64)};
  };
  REQUIRE(glb() == std::array<std::uint64_t, 3>{1, 8, 0});
  REQUIRE(b.read(0x50) == 8);
  REQUIRE(b.read(0x54) == 1);
  b.write(0x48, 0x89ABCDEF);
  b.write(0x4C, 0x01234567);
  b.write(0x50, 0x142);
  b.write(0x54, 0xFFFFFFFE);
  REQUIRE(glb() == std::array<std::uint64_t, 3>{0, 0x42, 0x0123456789ABCDEFull});
  REQUIRE(b.read(0x48) == 0x89ABCDEF);
  REQUIRE(b.read(0x4C) == 0x01234567);
  REQUIRE(b.read(0x50) == 0x42);
  REQUIRE(b.read(0x54) == 0);
  b.write(0x08, 77);
  REQUIRE(b.read(0x08) == 77);
  b.write(0x08, 78, 1);
  b.write(0x40, 1u << 30, 3);
  REQUIRE(b.dut->cfg_valid_o == 0);
  REQUIRE(b.read(0x08) == 77);
  REQUIRE(b.read(0x08, 1) == 0);
  b.write(0x7F0, 1);
  REQUIRE(b.read(0x7F0) == 0);
  REQUIRE(b.read(0x1C) == 0);
  REQUIRE(b.dut->quiet_o == 1);
}
