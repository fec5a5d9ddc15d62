// SPDX-License-Identifier: Apache-2.0
// roce_rx_writer: any alignment and length into either memory, bursts, throughput, order of RPCs, error responses.
#include <catch2/catch_test_macros.hpp>

#include "Vroce_rx_writer.h"
#include "testbenches/support/axi_write_slave.hpp"

using namespace caravan;
using namespace caravan::support;
using packet::Buffer;
using Kind = StallPattern::Kind;

namespace {

constexpr std::uint64_t kHostBase = 0x8000000000000000ull;
enum : std::uint32_t { kDrop, kHbm, kHost, kRpcTarget };

struct WriterBench {
  Bench<Vroce_rx_writer> dut;
  ref::SparseMemory memory, want;
  Source<RxCmd> cmd;
  Source<Buffer> pay;
  Sink<RxRpc> rpc;
  AxiWriteSlave hbm, host;
  std::vector<RxRpc> want_rpc;
  RxStats stats{};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> bad;  ///< {done_o, QPN} of failed commands
  base::Rng rng{77};

  explicit WriterBench(Kind gaps = Kind::kNone, Kind stalls = Kind::kNone, std::uint64_t seed = 1)
      : cmd(
            dut, StallPattern(gaps, seed), [this](const RxCmd& c) { pack(dut->cmd_i, c); },
            [this](bool v) { dut->cmd_valid_i = v; }, [this] { return dut->cmd_ready_o != 0; }),
        pay(
            dut, StallPattern(gaps, seed + 1), [this](const Buffer& b) { PinWriter(dut->pay_i).data(b); },
            [this](bool v) { dut->pay_valid_i = v; }, [this] { return dut->pay_ready_o != 0; }),
        rpc(
            dut, StallPattern(stalls, seed + 2), [this] { return unpack_rpc(dut->rpc_o); },
            [this] { return dut->rpc_valid_o != 0; }, [this](bool r) { dut->rpc_ready_i = r; }),
        hbm(dut, hbm_pins(*dut), memory, 0, {stalls, seed + 3}, {stalls, seed + 4}, {stalls, seed + 5}),
        host(dut, host_pins(*dut), memory, kHostBase, {stalls, seed + 6}, {stalls, seed + 7}, {stalls, seed + 8}) {
    dut.add([] {},
            [this] {
              for (unsigned i = 0; i < kRxStats; ++i) stats[i] += dut->stats_o >> i & 1;
              if (dut->bad_o) bad.emplace_back(dut->done_o, dut->bad_qpn_o);
            });
    dut.reset();
  }
  void push(std::uint32_t target, std::uint64_t addr, std::uint32_t len) {
    Buffer data(len);
    for (auto& b : data) b = static_cast<std::uint8_t>(rng.next());
    cmd.push({target, 5, len, addr});
    for (std::size_t at = 0; at < len; at += 64) {
      Buffer beat(data.begin() + at, data.begin() + std::min<std::size_t>(at + 64, len));
      while (beat.size() < 64)
        beat.push_back(static_cast<std::uint8_t>(rng.next()));  // what lies behind the payload is anything
      pay.push(beat);
    }
    if (target == kHbm || target == kHost) want.write((target == kHost ? kHostBase : 0) + addr, data);
    if (target == kRpcTarget) {
      data.resize(64);
      want_rpc.push_back({5, len, data});
    }
  }
  void push_inline(std::uint32_t target, std::uint64_t addr) {
    const std::uint64_t value = rng.next();
    cmd.push({target, 5, 8, addr, true, value});
    want.write_u64((target == kHost ? kHostBase : 0) + addr, value);
  }
  void drain(std::uint64_t limit = 2'000'000) {
    REQUIRE(dut.run_until([this] { return cmd.empty() && pay.empty(); }, limit));
    REQUIRE(dut.run_until([this] { return dut->quiet_o && hbm.idle() && host.idle(); }, 10'000));
    REQUIRE(memory.first_difference(want) == 0);
    REQUIRE(memory == want);
    REQUIRE(rpc.items() == want_rpc);
    REQUIRE(stats[kRpc] == want_rpc.size());
  }
};

}  // namespace

TEST_CASE("Writer: every alignment with lengths around beats and pages, all stalls crossed", "[unit][roce][writer]") {
  for (Kind gaps : StallPattern::kAll) {
    for (Kind stalls : StallPattern::kAll) {
      WriterBench b(gaps, stalls, 3);
      std::uint64_t addr = 0;
      const bool light = gaps == Kind::kNone && stalls == Kind::kNone;
      for (std::uint32_t ofs = 0; ofs < 64; ofs += light ? 1 : 7) {
        for (std::uint32_t len : {1u, 2u, 63u, 64u, 65u, 127u, 128u, 200u, 256u}) {
          addr += 4096;
          b.push(len % 2 ? kHbm : kHost, addr + ofs, len);
          b.push(len % 2 ? kHost : kHbm, addr - len / 2 + 1, len);  // across the page boundary
          if (len == 65) b.push(kDrop, 0, 300 + ofs);
          if (len == 127) b.push(kRpcTarget, 0, ofs + 1);
        }
      }
      b.drain();
      REQUIRE(b.stats[kMemErr] == 0);
    }
  }
}

TEST_CASE("Writer: 4096 bytes at every alignment, one or two bursts", "[unit][roce][writer]") {
  WriterBench b(Kind::kNone, Kind::kNone);
  for (std::uint32_t ofs = 0; ofs < 64; ++ofs) b.push(kHbm, 0x100000 + ofs * 0x2000 + ofs * 65, 4096);
  b.drain();
  const auto& bursts = b.hbm.bursts();
  REQUIRE(bursts.size() == 127);
  REQUIRE(bursts[0].beats == 64);
  for (std::size_t i = 1; i < bursts.size(); i += 2) REQUIRE(bursts[i].beats + bursts[i + 1].beats == 65);
}

TEST_CASE("Writer: inline commands at every alignment, between others, take no payload", "[unit][roce][writer]") {
  for (Kind gaps : {Kind::kNone, Kind::kRandom}) {
    for (Kind stalls : {Kind::kNone, Kind::kMostly}) {
      WriterBench b(gaps, stalls, 5);
      for (std::uint32_t ofs = 0; ofs < 64; ++ofs) {
        b.push_inline(ofs % 2 ? kHbm : kHost, 0x10000 + 4096 * ofs + ofs);
        b.push_inline(ofs % 2 ? kHost : kHbm, 0x80000 + 4096 * ofs - ofs % 8);  // across the page boundary
        if (ofs % 3 == 0) b.push(kHbm, 0x200000 + 4096 * ofs + ofs, 1 + 3 * ofs);
        if (ofs % 5 == 0) b.push(kDrop, 0, 65);
      }
      b.drain();
      REQUIRE(b.dut->done_o == (128 + 22 + 13) % 256);
    }
  }
}

TEST_CASE("Writer: latency one cycle, no bubbles inside or between commands", "[unit][roce][writer]") {
  WriterBench b;
  for (int i = 0; i < 50; ++i) b.push(i % 2 ? kHbm : kHost, 4096u * i, 64);
  for (int i = 0; i < 10; ++i) b.push(kHbm, 0x100000 + 4096u * i + 192, 4096);
  for (int i = 0; i < 50; ++i) b.push(kRpcTarget, 0, 64);
  b.drain();
  const auto first = b.pay.sent_at()[0];
  REQUIRE(b.host.bursts()[0].cycle == first + 1);
  REQUIRE(b.host.beats_at()[0] == first + 1);
  for (std::size_t i = 0; i < b.pay.sent_at().size(); ++i) REQUIRE(b.pay.sent_at()[i] == first + i);
  REQUIRE(b.rpc.at().front() == b.pay.sent_at()[50 + 640] + 1);
  REQUIRE(b.rpc.at().back() == b.pay.sent_at().back() + 1);
  // Unaligned: one beat more a command
  WriterBench u;
  for (int i = 0; i < 10; ++i) u.push(kHbm, 8192u * i + 1, 4096);
  u.drain();
  REQUIRE(u.hbm.beats_at().back() - u.hbm.beats_at().front() == 10 * 65 - 1);
}

TEST_CASE("Writer: an RPC waits until the writes before it are taken, not until they are answered",
          "[unit][roce][writer]") {
  WriterBench b(Kind::kNone, Kind::kMostly, 9);
  for (int i = 0; i < 40; ++i) {
    b.push(i % 3 ? kHbm : kHost, 4096u * i + 5, 200);
    b.push(kRpcTarget, 0, 64);
  }
  b.drain();
  // The n-th RPC after all bursts and beats of the writes before it
  std::size_t hbm = 0, host = 0;
  for (int i = 0; i < 40; ++i) {
    auto& n = i % 3 ? hbm : host;
    auto& port = i % 3 ? b.hbm : b.host;
    ++n;
    REQUIRE(port.bursts()[n - 1].cycle < b.rpc.at()[i]);
    REQUIRE(port.beats_at()[4 * n - 1] < b.rpc.at()[i]);
  }
}

TEST_CASE("Writer: every response with an error is counted, also two in one cycle", "[unit][roce][writer]") {
  WriterBench b;
  for (int i = 0; i < 20; ++i) b.push(i % 2 ? kHbm : kHost, 4096u * i, 640);
  b.hbm.fail(7);
  b.host.fail(6);
  b.drain();
  REQUIRE(b.stats[kMemErr] == 13);
  REQUIRE(b.hbm.answered() == 10);
  REQUIRE(b.host.answered() == 10);
}

TEST_CASE("Writer: a command of which a burst failed is told when it is done, whichever memory answers first",
          "[unit][roce][writer]") {
  for (Kind stalls : StallPattern::kAll) {
    WriterBench b(Kind::kNone, stalls, 11);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> want;
    // Every command has a QP and two pages of its own; the second page makes a second burst. 400 of them wrap all
    // counters.
    for (std::uint32_t i = 0; i < 400; ++i) {
      const std::uint32_t target = i % 3 ? kHbm : kHost;
      const std::uint64_t page = (target == kHost ? kHostBase : 0) + 0x100000 + 0x2000ull * i;
      if (i % 7 == 0) b.memory.break_range(page, 64, ref::Broken::kWrites);
      if (i % 11 == 0) b.memory.break_range(page + 0x1000, 64, ref::Broken::kWrites);
      const bool two = i % 2;
      const std::uint64_t addr = 0x100000 + 0x2000ull * i + (two ? 0xFF0 : 0);
      const bool fails = two ? i % 11 == 0 : i % 7 == 0;
      b.cmd.push({target, i, 32, addr});
      b.pay.push(Buffer(64, static_cast<std::uint8_t>(i)));
      if (i % 5 == 0) {
        b.cmd.push({kDrop, i, 64, 0});
        b.pay.push(Buffer(64));
      }
      if (fails) want.emplace_back((i + 1 + (i + 4) / 5) % 256, i);
    }
    REQUIRE(b.dut.run_until([&] { return b.cmd.empty() && b.pay.empty(); }, 50'000));
    REQUIRE(b.dut.run_until([&] { return b.dut->quiet_o && b.hbm.idle() && b.host.idle(); }, 10'000));
    REQUIRE(want.size() > 40);
    REQUIRE(b.bad == want);
    REQUIRE(b.stats[kMemErr] == want.size());
  }
}
