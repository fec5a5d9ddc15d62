// SPDX-License-Identifier: Apache-2.0
// roce_rx as a whole: latency in cycles, rate of small packets, full FIFOs, stalls, quiet.
#include <catch2/catch_test_macros.hpp>

#include "Vroce_rx.h"
#include "testbenches/support/roce_rx_bench.hpp"

using namespace caravan;
using namespace caravan::support;
using packet::Buffer;
using packet::Opcode;
using Kind = StallPattern::Kind;
using RxBench = RoceRxBench<Vroce_rx>;

namespace {

constexpr std::uint32_t kPeer = 0x0A000001, kRkey = 0x0155, kHostRkey = 0x0266, kRpcRkey = 0x0377;
constexpr std::uint64_t kRpcClass = 0x3000000000000000ull;

void set_up(RxBench& b, std::uint32_t pmtu = 1024) {
  for (std::uint32_t n = 1; n < 4; ++n) {
    ref::QpConfig q;
    q.qpn = base::Qpn(n);
    q.peer_ip = kPeer;
    q.pmtu = pmtu;
    b.cfg.write(RoceCfg::of_qp(q));
  }
  b.cfg.write(RoceCfg::of_region(kRkey, {0x10000, 0x100000, {.write = true}, 0}));
  b.cfg.write(RoceCfg::of_region(kHostRkey, {RxBench::kHostBase, 0x100000, {.write = true}, 0}));
  b.cfg.write(RoceCfg::of_region(kRpcRkey, {kRpcClass, 0x1000, {.write = true}, 0}));
  for (int i = 0; i < 8; ++i) b.dut.tick();
}

Buffer write_frame(Opcode op, std::uint32_t qpn, std::uint32_t psn, std::uint64_t va, std::uint32_t rkey,
                   std::uint32_t dma, const Buffer& payload, bool ack = true) {
  packet::RoceFrame f;
  packet::Ipv4 ip;
  ip.src = kPeer;
  ip.dst = 0x0A000002;
  f.ip = ip;
  f.bth.opcode = static_cast<std::uint8_t>(op);
  f.bth.dest_qp = qpn;
  f.bth.psn = psn;
  f.bth.ack_req = ack;
  f.ext.reth = packet::Reth{va, rkey, dma};
  f.ext.aeth = packet::Aeth{0x1F, 0x77};
  return packet::build(f, payload);
}
Buffer only(std::uint32_t psn, std::uint64_t va, std::uint32_t rkey, std::uint32_t len, std::uint32_t qpn = 1) {
  return write_frame(Opcode::kWriteOnly, qpn, psn, va, rkey, len, Buffer(len, static_cast<std::uint8_t>(psn + 1)));
}

}  // namespace

TEST_CASE("Receive half: 8 cycles from the last beat to AW, W and RPC, 7 to the ACK event, 4 to the requester",
          "[unit][roce][rx][latency]") {
  for (std::uint32_t len : {1u, 6u, 8u, 58u, 60u, 61u, 64u}) {
    RxBench b;
    set_up(b);
    b.send(only(0, 0x10000, kRkey, len));
    REQUIRE(b.drain());
    REQUIRE(b.hbm.bursts().at(0).cycle == b.eop_at.at(0) + 8);
    REQUIRE(b.hbm.beats_at().at(0) == b.eop_at.at(0) + 8);
    REQUIRE(b.evt.at().at(0) == b.eop_at.at(0) + 7);
    b.send(only(1, RxBench::kHostBase, kHostRkey, len));
    REQUIRE(b.drain());
    REQUIRE(b.host.bursts().at(0).cycle == b.eop_at.at(1) + 8);
    b.send(only(2, kRpcClass, kRpcRkey, len));
    REQUIRE(b.drain());
    REQUIRE(b.rpc.at().at(0) == b.eop_at.at(2) + 8);
    Buffer data(64);
    std::fill_n(data.begin(), len, 3);
    REQUIRE(b.rpc.items().at(0) == RxRpc{1, len, data});
    b.send(write_frame(Opcode::kAck, 2, 9, 0, 0, 0, {}));
    REQUIRE(b.drain());
    REQUIRE(b.rx_rsp.at().at(0) == b.eop_at.at(3) + 4);
    REQUIRE(b.rx_rsp.items().at(0) == RxRsp{2, kPeer, 9, 0x77, 0x1F});
    REQUIRE(b.stats[kPkts] == 4);
  }
}

TEST_CASE("Receive half: 64-byte WRITEs of one QP without gaps: three cycles a packet, nothing dropped",
          "[unit][roce][rx][rate]") {
  for (std::uint64_t ofs : {0u, 1u}) {
    RxBench b;
    set_up(b);
    const std::uint32_t n = 500;
    ref::SparseMemory want;
    for (std::uint32_t i = 0; i < n; ++i) {
      b.send(only(i, 0x10000 + 64 * i + ofs, kRkey, 64));
      want.write(0x10000 + 64 * i + ofs, Buffer(64, static_cast<std::uint8_t>(i + 1)));
    }
    REQUIRE(b.drain());
    REQUIRE(b.eop_at.back() - b.eop_at.front() == 3 * (n - 1));  // frames of 138 bytes: three beats each
    REQUIRE(b.evt.items().size() == n);
    REQUIRE(b.evt.at().back() - b.evt.at().front() == 3 * (n - 1));
    REQUIRE(b.stats[kWritePkts] == n);
    REQUIRE(b.stats[kDropFifo] == 0);
    REQUIRE(b.memory == want);
  }
}

TEST_CASE("Receive half: smallest packets, one a beat without gaps", "[unit][roce][rx][rate]") {
  RxBench b;
  set_up(b);
  for (std::uint32_t i = 0; i < 300; ++i) b.send(write_frame(Opcode::kAck, 1, i, 0, 0, 0, {}));
  REQUIRE(b.drain());
  REQUIRE(b.rx_rsp.items().size() == 300);
  REQUIRE(b.rx_rsp.at().back() - b.rx_rsp.at().front() == 299);
  // SENDs take turns with their receive queue: faster ones are dropped whole
  for (std::uint32_t i = 0; i < 100; ++i) b.send(write_frame(Opcode::kSendOnly, 1, 0xFFFF00, 0, 0, 0, Buffer(4)));
  REQUIRE(b.drain());
  REQUIRE(b.stats[kDup] + b.stats[kDropFifo] == 100);
  REQUIRE(b.stats[kDup] >= 30);
}

TEST_CASE("Receive half: 4 KiB WRITEs unaligned, faster than the wire, nothing dropped", "[unit][roce][rx][rate]") {
  RxBench b;
  set_up(b, 4096);
  for (std::uint32_t i = 0; i < 60; ++i) b.send(only(i, 0x10000 + 4096 * i + 33, kRkey, 4096));
  REQUIRE(b.drain());
  REQUIRE(b.stats[kWritePkts] == 60);
  REQUIRE(b.eop_at.back() - b.eop_at.front() ==
          66 * 59);  // 4170 bytes are 66 beats; the wire takes 83.9 cycles for them
}

TEST_CASE("Receive half: stalls everywhere, messages of two QPs, PSN wrap", "[unit][roce][rx]") {
  for (Kind gaps : StallPattern::kAll) {
    for (Kind stalls : StallPattern::kAll) {
      RxBench b(gaps, stalls, 4);
      base::Rng rng(5);
      set_up(b, 256);
      ref::SparseMemory want;
      std::vector<RxRpc> rpcs;
      std::uint32_t psn[3] = {}, sent = 0;
      for (int round = 0; round < 25; ++round) {
        for (std::uint32_t qpn : {1u, 2u}) {
          Buffer data(1 + rng.below(900));
          for (auto& x : data) x = static_cast<std::uint8_t>(rng.next());
          const bool host = rng.chance(0.5);
          const std::uint64_t va = (host ? RxBench::kHostBase : 0x10000) + rng.below(0x8000);
          want.write(va, data);
          const auto len = static_cast<std::uint32_t>(data.size());
          for (std::uint32_t at = 0; at < len; at += 256, ++sent) {
            const bool first = at == 0, last = at + 256 >= len;
            const Buffer part(data.begin() + at, data.begin() + std::min(at + 256, len));
            b.send(write_frame(first  ? last ? Opcode::kWriteOnly : Opcode::kWriteFirst
                               : last ? Opcode::kWriteLast
                                      : Opcode::kWriteMiddle,
                               qpn, psn[qpn]++, va, host ? kHostRkey : kRkey, len, part, last));
          }
        }
        Buffer op(1 + rng.below(64));
        for (auto& x : op) x = static_cast<std::uint8_t>(rng.next());
        b.send(write_frame(Opcode::kWriteOnly, 1, psn[1]++, kRpcClass + 8, kRpcRkey,
                           static_cast<std::uint32_t>(op.size()), op));
        ++sent;
        const auto len = static_cast<std::uint32_t>(op.size());
        op.resize(64);
        rpcs.push_back({1, len, op});
        REQUIRE(b.drain());
      }
      REQUIRE(b.memory == want);
      REQUIRE(b.rpc.items() == rpcs);
      REQUIRE(b.stats[kWritePkts] == sent);
      REQUIRE(b.stats[kPkts] == sent);
      REQUIRE(b.stats[kMsgs] == 75);
      REQUIRE(b.evt.items().size() == 75);
    }
  }
}

TEST_CASE("Receive half: memory that stops fills the FIFO; whole frames are dropped and counted, the rest is intact",
          "[unit][roce][rx]") {
  RxBench b(Kind::kNone, Kind::kMostly, 6);
  set_up(b);
  const std::uint32_t n = 400;
  for (std::uint32_t i = 0; i < n; ++i) b.send(only(i, 0x10000 + 1024 * i, kRkey, 960));
  REQUIRE(b.drain());
  REQUIRE(b.stats[kDropFifo] > 0);
  REQUIRE(b.stats[kPkts] + b.stats[kDropFifo] == n);
  // After the first loss everything else is a gap: exactly one NAK.
  REQUIRE(b.stats[kNakSeq] == 1);
  const auto written = static_cast<std::uint32_t>(b.stats[kWritePkts]);
  ref::SparseMemory want;
  for (std::uint32_t i = 0; i < written; ++i)
    want.write(0x10000 + 1024 * i, Buffer(960, static_cast<std::uint8_t>(i + 1)));
  REQUIRE(b.memory == want);
  // The sender goes back: all arrives in the end.
  std::uint32_t next = written;
  while (next < n) {
    b.send(only(next, 0x10000 + 1024 * next, kRkey, 960));
    want.write(0x10000 + 1024 * next, Buffer(960, static_cast<std::uint8_t>(next + 1)));
    ++next;
    REQUIRE(b.drain());
  }
  REQUIRE(b.memory == want);
}

TEST_CASE("Receive half: ACKs pass an RPC that nobody takes", "[unit][roce][rx]") {
  RxBench b;
  set_up(b);
  b.send(only(0, kRpcClass, kRpcRkey, 64));
  for (std::uint32_t i = 1; i < 20; ++i) b.send(only(i, 0x10000, kRkey, 64));
  b.send(write_frame(Opcode::kAck, 3, 1234, 0, 0, 0, {}));
  b.hold_rpc = true;
  REQUIRE(b.dut.run_until([&] { return !b.rx_rsp.items().empty(); }, 200));
  REQUIRE(b.rx_rsp.items().size() == 1);
  REQUIRE(b.rx_rsp.at()[0] == b.eop_at.back() + 4);
  REQUIRE(b.rpc.items().empty());
  b.hold_rpc = false;
  REQUIRE(b.drain());
  REQUIRE(b.stats[kWritePkts] == 20);
}

TEST_CASE("Receive half: quiet only when nothing moves and nothing comes in", "[unit][roce][rx][quiet]") {
  RxBench b;
  set_up(b);
  REQUIRE(b.dut->quiet_o == 1);
  b.dut->net_valid_i = 1;
  b.dut->eval();
  REQUIRE(b.dut->quiet_o == 0);
  b.dut->net_valid_i = 0;
  for (auto* pin : {&b.dut->cfg_valid_i, &b.dut->qp_err_valid_i, &b.dut->hbm_b_valid_i, &b.dut->host_b_valid_i}) {
    *pin = 1;
    b.dut->eval();
    REQUIRE(b.dut->quiet_o == 0);
    *pin = 0;
  }
  b.dut->eval();
  REQUIRE(b.dut->quiet_o == 1);
  // From the first beat to the last effect it is not quiet.
  b.send(only(0, 0x10000, kRkey, 200));
  const std::uint64_t start = b.dut.cycle();
  std::uint64_t busy_until = start;
  for (int i = 0; i < 40; ++i) {
    b.dut.tick();
    b.dut->clk_i = 0;
    b.dut->net_valid_i = 0;
    b.dut->hbm_b_valid_i = 0;
    b.dut->eval();
    if (!b.dut->quiet_o) busy_until = b.dut.cycle();
  }
  REQUIRE(busy_until >= b.hbm.beats_at().back());
  REQUIRE(b.hbm.answered() == 1);
}
