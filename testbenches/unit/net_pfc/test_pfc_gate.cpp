// SPDX-License-Identifier: Apache-2.0
// net_pfc_gate: stops between frames only, withdraws nothing, loses nothing.
#include <catch2/catch_test_macros.hpp>

#include "Vtb_net_pfc_gate.h"
#include "testbenches/support/beats.hpp"
#include "testbenches/support/stalls.hpp"

using namespace caravan;
using support::Beat;
using support::Bench;

TEST_CASE("net_pfc_gate: every frame passes whole, none begins while paused", "[unit][net]") {
  const auto gaps = CARAVAN_EVERY_STALL();
  const auto stalls = CARAVAN_EVERY_STALL();
  Bench<Vtb_net_pfc_gate> dut;
  base::Rng rng(9, static_cast<std::uint64_t>(gaps) * 8 + static_cast<std::uint64_t>(stalls));
  support::Source<Beat> source(
      dut, {gaps, 1}, [&](const Beat& b) { support::put_axis(dut->frame_i, b); },
      [&](bool v) { dut->frame_valid_i = v; }, [&] { return dut->frame_ready_o != 0; });
  support::Sink<Beat> sink(
      dut, {stalls, 2}, [&] { return support::get_axis(dut->frame_o); }, [&] { return dut->frame_valid_o != 0; },
      [&](bool r) { dut->frame_ready_i = r; });
  bool in_frame = false, offered = false;
  unsigned held = 0;
  dut.add([&] { dut->paused_i = rng.chance(0.02) ? !dut->paused_i : dut->paused_i; },
          [&] {
            const bool begins = dut->frame_valid_o && !in_frame && !offered;
            if (begins) REQUIRE_FALSE(dut->paused_i);
            if (dut->frame_valid_i && !dut->frame_valid_o) {
              ++held;
              REQUIRE(dut->paused_i);
              REQUIRE_FALSE(in_frame);
              REQUIRE_FALSE(dut->frame_ready_o);
            }
            if (dut->frame_valid_o) {
              offered = !dut->frame_ready_i;
              if (dut->frame_ready_i) in_frame = !support::get_axis(dut->frame_o).last;
            }
          });
  dut.gate([&] { return dut->quiet_o != 0; });
  dut.reset();
  std::vector<support::Bytes> frames;
  for (unsigned i = 0; i < 60; ++i) {
    support::Bytes frame(60 + i * 13 % 400);
    for (std::size_t j = 0; j < frame.size(); ++j) frame[j] = static_cast<std::uint8_t>(i + j);
    frames.push_back(frame);
    for (const Beat& b : support::to_beats(frame)) source.push(b);
  }
  std::size_t beats = 0;
  for (const auto& frame : frames) beats += (frame.size() + 63) / 64;
  REQUIRE(dut.run_until([&] { return sink.items().size() == beats; }, 60'000));
  REQUIRE(support::to_frames(sink.items()) == frames);
  REQUIRE(held > 0);
}

TEST_CASE("net_pfc_gate: open, it is a wire", "[unit][net]") {
  Bench<Vtb_net_pfc_gate> dut;
  dut.reset();
  support::put_axis(dut->frame_i, support::to_beats(support::Bytes(60, 7))[0]);
  dut->frame_valid_i = 1, dut->frame_ready_i = 0;
  dut->eval();
  REQUIRE(dut->frame_valid_o);
  REQUIRE_FALSE(dut->frame_ready_o);
  dut->frame_ready_i = 1;
  dut->eval();
  REQUIRE(dut->frame_ready_o);
}
