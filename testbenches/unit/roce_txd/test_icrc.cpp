// SPDX-License-Identifier: Apache-2.0
// The published ICRC vectors through the RTL, and every frame length.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "Vtb_roce_tx_icrc.h"
#include "models/packet/icrc.hpp"
#include "pins.hpp"

using namespace caravan;
using namespace caravan::txd;
using packet::Buffer;
using support::StallPattern;

namespace {
struct InBeat {
  FrameBeat beat;
  bool first = false, split = false;
};

struct IcrcBench {
  support::Bench<Vtb_roce_tx_icrc> dut;
  support::Source<InBeat> source;
  support::Sink<FrameBeat> sink;
  IcrcBench(StallPattern::Kind gap, StallPattern::Kind stall)
      : source(
            dut, {gap, 1}, [this](const InBeat& b) { put(b); }, [this](bool v) { dut->in_valid_i = v; },
            [this] { return dut->in_ready_o != 0; }),
        sink(
            dut, {stall, 2}, [this] { return get_frame_beat(dut->out_o); }, [this] { return dut->out_valid_o != 0; },
            [this](bool r) { dut->out_ready_i = r; }) {
    dut.reset();
  }
  void put(const InBeat& b) {
    put_data(dut->in_i, b.beat.data);
    dut->in_i[16] = b.beat.bytes | (b.beat.last ? 0x80u : 0u);
    dut->in_first_i = b.first;
    dut->in_split_i = b.split;
  }
  /// `frame` without its ICRC.
  void send(Buffer frame) {
    frame.resize(frame.size() + 4, 0);
    for (std::size_t at = 0; at < frame.size(); at += 64) {
      InBeat b;
      b.first = at == 0;
      const std::size_t n = std::min<std::size_t>(64, frame.size() - at);
      std::copy_n(frame.begin() + static_cast<std::ptrdiff_t>(at), n, b.beat.data.begin());
      b.beat.bytes = static_cast<unsigned>(n);
      b.beat.last = at + n == frame.size();
      b.split = frame.size() - at == 66;
      source.push(b);
    }
  }
  std::vector<Buffer> frames() const {
    std::vector<Buffer> all(1);
    for (const auto& b : sink.items()) {
      all.back().insert(all.back().end(), b.data.begin(), b.data.begin() + b.bytes);
      if (b.last) all.emplace_back();
    }
    all.pop_back();
    return all;
  }
};

Buffer from_hex(std::string_view hex) {
  Buffer out;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    out.push_back(static_cast<std::uint8_t>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  return out;
}
}  // namespace

TEST_CASE("roce_tx_icrc reproduces the published vectors", "[unit][roce_txd]") {
  // IPv4 header first, last 4 bytes ICRC; the Ethernet header in front does not count.
  const char* vectors[] = {
      "4502004400004000401126a50a0000010a000002c00012b7003000000a00ffff000000118000010000007000000010001234567800000008"
      "0001020304050607780d5863",
      "4502003c00004000401126ad0a0000010a000002c00012b7002800000c00ffff000000118000010100007000000010001234567800000008"
      "7af22c47",
      "4502004800004000401126a10a0000010a000002c00012b7003400001300ffff000000118000010200007000000010001234567800000000"
      "0000000100000000000000008a75e4b0",
      "4502004800004000401126a10a0000010a000002c00012b7003400001400ffff000000118000010300007000000010001234567800000000"
      "000000050000000000000000f50e3274",
      "4502003000004000401126b90a0000010a000002c00012b7001c00001100ffff00000022000001001f0000012523beec",
      "4502003000004000401126b90a0000010a000002c00012b7001c00001100ffff0000002200000105600000019f1c0217",
      "4502003800004000401126b10a0000010a000002c00012b7002400001200ffff00000022000001031f00000300000000deadbeefcc1f07f"
      "0",
      "4502003400004000401126b50a0000010a000002c00012b7002000000510ffff0000001180ffffffcafef00d616263004a5acba9",
      "45c2003c718c4000401191610a0011010a001201000012b7002800008100ffff400001180000000000000000000000000000000000000000"
      "82fd002a",
      "450000408a2b400040119c7f0a0000010a000002c12112b7002c00000a30ffff000000118010000100000000100010000000029700000001"
      "0100000"
      "04d9bf274",
      "4500003083c140004011a2f90a0000020a000001c12112b7001c00001100ffff00000011001000011f0000027bc9685d",
  };
  const auto stall = GENERATE(from_range(std::begin(StallPattern::kAll), std::end(StallPattern::kAll)));
  IcrcBench bench(StallPattern::Kind::kNone, stall);
  std::vector<Buffer> want;
  for (const char* hex : vectors) {
    Buffer frame{0xe4, 0x1d, 0x2d, 0xab, 0x2b, 0xc2, 0x7c, 0xfe, 0x90, 0x64, 0x3b, 0x32, 0x08, 0x00};
    const Buffer ip = from_hex(hex);
    frame.insert(frame.end(), ip.begin(), ip.end());
    want.push_back(frame);
    bench.send(Buffer(frame.begin(), frame.end() - 4));
  }
  REQUIRE(bench.dut.run_until([&] { return bench.frames().size() == want.size(); }, 2000));
  REQUIRE(bench.frames() == want);
}

TEST_CASE("roce_tx_icrc is right for every frame length under every stall pattern", "[unit][roce_txd]") {
  const auto gap = GENERATE(from_range(std::begin(StallPattern::kAll), std::end(StallPattern::kAll)));
  const auto stall = GENERATE(from_range(std::begin(StallPattern::kAll), std::end(StallPattern::kAll)));
  IcrcBench bench(gap, stall);
  base::Rng rng(5);
  std::vector<Buffer> want;
  std::size_t beats = 0;
  for (unsigned n = 54; n <= 54 + 4 * 60; n += 4) {
    Buffer frame(n);
    for (auto& b : frame) b = static_cast<std::uint8_t>(rng.next());
    frame[12] = 0x08, frame[13] = 0x00, frame[14] = 0x45;
    bench.send(frame);
    packet::append_icrc(frame);
    beats += (frame.size() + 63) / 64;
    want.push_back(frame);
  }
  REQUIRE(bench.dut.run_until([&] { return bench.sink.items().size() == beats; }, 10000));
  REQUIRE(bench.frames() == want);
}

TEST_CASE("roce_tx_icrc delays each beat by exactly 3 cycles and leaves no gap", "[unit][roce_txd]") {
  IcrcBench bench(StallPattern::Kind::kNone, StallPattern::Kind::kNone);
  for (int i = 0; i < 10; ++i) bench.send(Buffer(62 + 64 * (i % 3)));
  REQUIRE(bench.dut.run_until([&] { return bench.source.empty(); }, 200));
  for (int i = 0; i < 4; ++i) bench.dut.tick();
  REQUIRE(bench.sink.at().size() == bench.source.sent_at().size());
  for (std::size_t i = 0; i < bench.sink.at().size(); ++i) REQUIRE(bench.sink.at()[i] == bench.source.sent_at()[i] + 3);
}
