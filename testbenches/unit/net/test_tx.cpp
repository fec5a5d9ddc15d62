// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include "Vtb_net_tx.h"
#include "testbenches/support/net_frames.hpp"
#include "testbenches/support/stalls.hpp"

using namespace caravan;
using namespace caravan::support;

namespace {
struct TxBench {
  Bench<Vtb_net_tx> dut;
  Source<Beat> roce, arp, icmp;
  Sink<Beat> mac;
  unsigned frames = 0;
  TxBench(StallPattern::Kind gaps, StallPattern::Kind stalls, bool gated = false)
      : roce(
            dut, {gaps, 1}, [this](const Beat& b) { put_axis(dut->roce_i, b); },
            [this](bool v) { dut->roce_valid_i = v; }, [this] { return dut->roce_ready_o != 0; }),
        arp(
            dut, {gaps, 2}, [this](const Beat& b) { put_axis(dut->arp_i, b); },
            [this](bool v) { dut->arp_valid_i = v; }, [this] { return dut->arp_ready_o != 0; }),
        icmp(
            dut, {gaps, 3}, [this](const Beat& b) { put_axis(dut->icmp_i, b); },
            [this](bool v) { dut->icmp_valid_i = v; }, [this] { return dut->icmp_ready_o != 0; }),
        mac(
            dut, {stalls, 4}, [this] { return get_axis(dut->mac_tx_o); }, [this] { return dut->mac_tx_valid_o != 0; },
            [this](bool r) { dut->mac_tx_ready_i = r; }) {
    dut.add([] {}, [this] { frames += dut->frame_o; });
    if (gated) dut.gate([this] { return dut->quiet_o != 0; });
    dut.reset();
  }
  static void send(Source<Beat>& to, const Bytes& frame) {
    for (const Beat& b : to_beats(frame)) to.push(b);
  }
};

/// A frame whose first byte names its sender and second its number.
Bytes numbered(std::uint8_t sender, unsigned n, std::size_t size) {
  Bytes frame = pattern(size, n);
  frame[0] = sender;
  frame[1] = static_cast<std::uint8_t>(n);
  return frame;
}
}  // namespace

TEST_CASE("net_tx passes whole frames of every sender, each sender in order", "[unit][net]") {
  const auto gaps = CARAVAN_EVERY_STALL();
  const auto stalls = CARAVAN_EVERY_STALL();
  const bool gated = GENERATE(false, true);
  TxBench bench(gaps, stalls, gated);
  for (unsigned n = 0; n < 20; ++n) {
    TxBench::send(bench.roce, numbered(0, n, 60 + n * 17));
    TxBench::send(bench.arp, numbered(1, n, 60));
    TxBench::send(bench.icmp, numbered(2, n, 64 + n % 3 * 64));
  }
  REQUIRE(bench.dut.run_until([&] { return bench.frames == 60; }, 20000));
  unsigned next[3] = {};
  for (const Bytes& frame : to_frames(bench.mac.items())) {
    const unsigned from = frame[0], n = next[from]++;
    const std::size_t size = from == 0 ? 60 + n * 17 : from == 1 ? 60 : 64 + n % 3 * 64;
    REQUIRE(frame == numbered(static_cast<std::uint8_t>(from), n, size));
  }
  for (const unsigned n : next) REQUIRE(n == 20);
  bench.dut.tick();
  REQUIRE(bench.dut->quiet_o == 1);
}

TEST_CASE("net_tx has latency 1 and no bubble within or between frames", "[unit][net]") {
  TxBench bench(StallPattern::Kind::kNone, StallPattern::Kind::kNone);
  for (unsigned n = 0; n < 10; ++n) {
    TxBench::send(bench.roce, numbered(0, n, 150));
    TxBench::send(bench.arp, numbered(1, n, 60));
    TxBench::send(bench.icmp, numbered(2, n, 128));
  }
  bench.dut.run_until([&] { return bench.frames == 30; }, 100);
  REQUIRE(bench.mac.at().size() == 60);
  for (std::size_t i = 0; i < 60; ++i) REQUIRE(bench.mac.at()[i] == i + 1);
  REQUIRE(bench.roce.sent_at()[0] == 0);
  const std::vector<Bytes> frames = to_frames(bench.mac.items());
  for (std::size_t i = 0; i < 30; ++i) REQUIRE(frames[i][0] == i % 3);  // in turn
}

TEST_CASE("net_tx forgets a frame in reset", "[unit][net]") {
  TxBench bench(StallPattern::Kind::kNone, StallPattern::Kind::kNone);
  bench.icmp.push(to_beats(pattern(200))[0]);
  for (int i = 0; i < 3; ++i) bench.dut.tick();
  bench.dut.reset();
  REQUIRE(bench.dut->mac_tx_valid_o == 0);
  TxBench::send(bench.roce, numbered(0, 0, 60));
  REQUIRE(bench.dut.run_until([&] { return bench.frames == 1; }, 10));
}
