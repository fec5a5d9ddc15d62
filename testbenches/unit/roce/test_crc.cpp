// SPDX-License-Identifier: Apache-2.0
// prim_crc_pkg against the CRC of the packet model and the published golden vectors.
#include <catch2/catch_test_macros.hpp>

#include "Vroce_crc.h"
#include "models/base/rng.hpp"
#include "models/packet/icrc.hpp"
#include "testbenches/support/bench.hpp"

using namespace caravan;
using packet::Buffer;
using packet::ByteSpan;

namespace {

void put_bytes(VlWide<16>& wide, const std::uint8_t* p) {
  for (int w = 0; w < 16; ++w) {
    wide[w] = std::uint32_t{p[4 * w]} | std::uint32_t{p[4 * w + 1]} << 8 | std::uint32_t{p[4 * w + 2]} << 16 |
              std::uint32_t{p[4 * w + 3]} << 24;
  }
}

Buffer from_hex(const std::string& text) {
  Buffer out;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    out.push_back(static_cast<std::uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
  }
  return out;
}

/// Register of the RTL over a whole frame, zero-padded to beats.
std::uint32_t frame_register(support::Bench<Vroce_crc>& dut, Buffer frame) {
  frame.resize((frame.size() + 63) / 64 * 64);
  dut.tick();
  std::uint32_t reg = dut->start_o;
  for (std::size_t at = 0; at < frame.size(); at += 64) {
    put_bytes(dut->data_i, frame.data() + at);
    dut.tick();
    if (at == 0) {
      for (int w = 0; w < 16; ++w) dut->data_i[w] = dut->first_o[w];
    }
    dut->state_i = reg;
    dut.tick();
    reg = dut->next_o;
  }
  return reg;
}

// IPv4 header to ICRC, from roce-wire 1.3.
const char* const kGolden[] = {
    "4502004400004000401126a50a0000010a000002c00012b7003000000a00ffff00000011800001000000700000001000"
    "12345678000000080001020304050607780d5863",
    "4502003c00004000401126ad0a0000010a000002c00012b7002800000c00ffff00000011800001010000700000001000"
    "12345678000000087af22c47",
    "4502004800004000401126a10a0000010a000002c00012b7003400001300ffff00000011800001020000700000001000"
    "12345678000000000000000100000000000000008a75e4b0",
    "4502004800004000401126a10a0000010a000002c00012b7003400001400ffff00000011800001030000700000001000"
    "1234567800000000000000050000000000000000f50e3274",
    "4502003000004000401126b90a0000010a000002c00012b7001c00001100ffff00000022000001001f0000012523beec",
    "4502003000004000401126b90a0000010a000002c00012b7001c00001100ffff0000002200000105600000019f1c0217",
    "4502003800004000401126b10a0000010a000002c00012b7002400001200ffff00000022000001031f000003"
    "00000000deadbeefcc1f07f0",
    "4502003400004000401126b50a0000010a000002c00012b7002000000510ffff0000001180ffffffcafef00d616263004a5acba9",
};

}  // namespace

TEST_CASE("crc512, as simulated and as synthesized, equals the byte-wise CRC for random beats and states",
          "[unit][roce][crc]") {
  support::Bench<Vroce_crc> dut;
  dut.reset();
  base::Rng rng(1);
  for (int round = 0; round < 500; ++round) {
    Buffer beat(64);
    for (auto& b : beat) b = static_cast<std::uint8_t>(rng.next());
    const auto state = static_cast<std::uint32_t>(rng.next());
    put_bytes(dut->data_i, beat.data());
    dut->state_i = state;
    dut.tick();
    REQUIRE(dut->next_o == packet::crc32_update(state, beat));
    REQUIRE(dut->next_rows_o == dut->next_o);
  }
}

TEST_CASE("crc_unwind takes k zero bytes back out of the register, for every k", "[unit][roce][crc]") {
  support::Bench<Vroce_crc> dut;
  dut.reset();
  base::Rng rng(2);
  for (unsigned k = 0; k < 64; ++k) {
    const Buffer zeros(k);
    const auto state = static_cast<std::uint32_t>(rng.next());
    dut->k_i = static_cast<std::uint8_t>(k);
    dut->state_i = packet::crc32_update(state, zeros);
    dut.tick();
    REQUIRE(dut->unwound_o == state);
    REQUIRE(dut->residue_o == packet::crc32_update(packet::kIcrcSeed, zeros));
  }
  REQUIRE(packet::crc32_update(dut->start_o, Buffer(14)) == packet::kIcrcSeed);
}

TEST_CASE("The golden ICRC vectors leave the residue of their padding; a flipped bit does not", "[unit][roce][crc]") {
  support::Bench<Vroce_crc> dut;
  dut.reset();
  for (const char* hex : kGolden) {
    Buffer frame(14, 0xA5);
    const Buffer ip = from_hex(hex);
    frame.insert(frame.end(), ip.begin(), ip.end());
    const Buffer padding((64 - frame.size() % 64) % 64);
    const std::uint32_t want = packet::crc32_update(packet::kIcrcSeed, padding);
    REQUIRE(frame_register(dut, frame) == want);
    frame[15] = 0x03, frame[22] = 1, frame[46] = 0xC0;  // TOS, TTL, FECN and BECN are not covered
    REQUIRE(frame_register(dut, frame) == want);
    frame[frame.size() - 7] ^= 0x10;
    REQUIRE(frame_register(dut, frame) != want);
  }
}
