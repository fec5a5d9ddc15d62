// SPDX-License-Identifier: Apache-2.0
// A sweep over all cells of the coverage table: wherever a packet can lead, RTL and reference go together.
// tools/coverage counts that none is left out.
#include <catch2/catch_test_macros.hpp>

#include "testbenches/fuzz/cells.hpp"

using namespace caravan;
using support::CellBench;
using support::Intent;
using support::Meets;

TEST_CASE("every opcode x length x QP state x outcome of a request: RTL answers as the reference", "[fuzz][cells]") {
  CellBench bench;
  constexpr std::uint8_t kOpcodes[] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09,
                                       0x0A, 0x0B, 0x0C, 0x13, 0x14, 0x16, 0x17, 0x64, 0x65, 0x81};
  constexpr std::size_t kLengths[] = {0, 32, 100, CellBench::kPmtu, CellBench::kPmtu + 44};
  using enum ref::QpState;
  for (const std::uint8_t opcode : kOpcodes) {
    for (const std::size_t bytes : kLengths) {
      if (bytes > 0 && (!packet::find_opcode(opcode)->has_payload || opcode == 0x81)) continue;
      for (const ref::QpState state : {kReset, kInit, kRtr, kRts, kSqd, kError}) {
        for (std::uint8_t intent = 0; intent < support::kIntents; ++intent) {
          const std::string text = bench.request(opcode, bytes, state, static_cast<Intent>(intent));
          if (text.empty()) continue;
          INFO("opcode " << int(opcode) << ", " << bytes << " bytes, state " << int(state) << ", intent "
                         << int(intent));
          FAIL_CHECK(text);
        }
      }
    }
  }
  CHECK(bench.memory_equal());
}

TEST_CASE("every response x syndrome x length x outcome: RTL does as the reference", "[fuzz][cells]") {
  CellBench bench;
  for (const std::uint8_t opcode : {0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x12}) {
    for (const std::uint8_t syndrome : {0x1F, 0x21, 0x60, 0x61, 0x62, 0x63, 0x7F}) {
      for (const std::size_t bytes : {0, 32, 100}) {
        if (opcode > 0x10 && bytes > 0) continue;
        for (std::uint8_t meets = 0; meets < support::kMeets; ++meets) {
          const std::string text = bench.response(opcode, syndrome, bytes, static_cast<Meets>(meets));
          if (text.empty()) continue;
          INFO("opcode " << int(opcode) << ", syndrome " << int(syndrome) << ", " << bytes << " bytes, meets "
                         << int(meets));
          FAIL_CHECK(text);
        }
      }
    }
  }
  CHECK(bench.memory_equal());
}
