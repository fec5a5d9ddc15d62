// SPDX-License-Identifier: Apache-2.0
// roce_responder: every refusal.
#include <catch2/generators/catch_generators.hpp>

#include "Vroce_responder.h"
#include "testbenches/unit/roce/responder_bench.hpp"

using namespace caravan;
using namespace caravan::support;
using Kind = StallPattern::Kind;
using ResponderBench = ResponderBenchOf<Vroce_responder>;

TEST_CASE("Responder: who may talk to a QP", "[unit][roce][responder]") {
  ResponderBench b;
  auto stranger = make(Opcode::kWriteOnly, 0, 8);
  stranger.src_ip = kPeer + 1;
  b.expect_drop(stranger, kDropPeer);
  auto beyond = make(Opcode::kWriteOnly, 0, 8);
  for (std::uint32_t qpn : {8u, 9u, 0xFFFFFFu}) {
    beyond.bth.dest_qp = qpn;
    b.expect_drop(beyond, kDropQp);
  }
  beyond.bth.dest_qp = 5;  // never set up
  b.expect_drop(beyond, kDropQp);
  for (auto state : {ref::QpState::kReset, ref::QpState::kInit, ref::QpState::kError}) {
    auto q = ResponderBench::qp(1);
    q.state = state;
    b.cfg.write(RoceCfg::of_qp(q, false));
    b.expect_drop(make(Opcode::kWriteOnly, 0, 8), kDropQp);
  }
  std::uint32_t n = 0;
  for (auto state : {ref::QpState::kRtr, ref::QpState::kRts, ref::QpState::kSqd}) {
    auto q = ResponderBench::qp(1);
    q.state = state;
    b.cfg.write(RoceCfg::of_qp(q, false));
    b.expect_write(make(Opcode::kWriteOnly, n, 8), 1, 0x10000, n + 1);
    ++n;
  }
  for (unsigned op = 0; op < 256; ++op) {
    const auto* known = packet::find_opcode(static_cast<std::uint8_t>(op));
    if (known != nullptr && known->service != packet::Service::kUc && (known->is_request || op == 0x81)) continue;
    auto d = make(static_cast<Opcode>(op), n, 0);
    b.expect_drop(d, kDropOp);
  }
  b.expect_write(make(Opcode::kWriteOnly, n, 8), 1, 0x10000, n + 1);
}

TEST_CASE("Responder: lengths and opcode sequence, NAK 0x61", "[unit][roce][responder]") {
  ResponderBench b;
  SECTION("nothing that goes on where nothing has begun; SEND with invalidate is not served") {
    for (auto op : {Opcode::kSendMiddle, Opcode::kSendLast, Opcode::kSendLastImm, Opcode::kWriteLastImm,
                    Opcode::kSendLastInv, Opcode::kSendOnlyInv}) {
      b.cfg.write(RoceCfg::of_qp(ResponderBench::qp(1)));
      b.expect_nak(make(op, 0, 0), 0x61, 0xFFFFF8, 0);
    }
  }
  SECTION("a first packet that is wrong") {
    struct Case {
      Opcode op;
      std::uint32_t len, dma;
    };
    for (auto c : {Case{Opcode::kWriteFirst, 255, 512},
                   {Opcode::kWriteFirst, 257, 1024},
                   {Opcode::kWriteFirst, 0, 512},
                   {Opcode::kWriteFirst, 256, 256},
                   {Opcode::kWriteFirst, 256, 255},
                   {Opcode::kWriteFirst, 256, 0},
                   {Opcode::kWriteFirst, 256, 0x80000001},
                   {Opcode::kWriteOnly, 257, 257},
                   {Opcode::kWriteOnly, 8, 7},
                   {Opcode::kWriteOnly, 8, 9},
                   {Opcode::kWriteOnly, 0, 1},
                   {Opcode::kWriteOnly, 1, 0},
                   {Opcode::kWriteMiddle, 256, 512},
                   {Opcode::kWriteLast, 8, 8}}) {
      b.cfg.write(RoceCfg::of_qp(ResponderBench::qp(1)));
      b.expect_nak(make(c.op, 0, c.len, 0x10000, c.dma), 0x61, 0xFFFFF8, 0);
    }
  }
  SECTION("a later packet that is wrong") {
    struct Case {
      Opcode op;
      std::uint32_t len;
    };
    for (auto c : {Case{Opcode::kWriteMiddle, 255},
                   {Opcode::kWriteMiddle, 257},
                   {Opcode::kWriteMiddle, 0},
                   {Opcode::kWriteLast, 0},
                   {Opcode::kWriteLast, 99},
                   {Opcode::kWriteLast, 101},
                   {Opcode::kWriteLast, 257},
                   {Opcode::kWriteFirst, 256},
                   {Opcode::kWriteOnly, 8},
                   {Opcode::kSendMiddle, 256}}) {
      b.cfg.write(RoceCfg::of_qp(ResponderBench::qp(1)));
      b.expect_write(make(Opcode::kWriteFirst, 0, 256, 0x10000, 612), 1, 0x10000, 0);
      if (c.op == Opcode::kWriteLast) b.expect_write(make(Opcode::kWriteMiddle, 1, 256), 1, 0x10100, 0);
      const std::uint32_t n = c.op == Opcode::kWriteLast ? 2 : 1;
      b.expect_nak(make(c.op, n, c.len, 0x10000, c.op == Opcode::kWriteFirst ? 512 : c.len), 0x61, 0xFFFFF8 + n, 0);
    }
    // MIDDLE where only LAST can follow
    b.cfg.write(RoceCfg::of_qp(ResponderBench::qp(1)));
    b.expect_write(make(Opcode::kWriteFirst, 0, 256, 0x10000, 512), 1, 0x10000, 0);
    b.expect_nak(make(Opcode::kWriteMiddle, 1, 256), 0x61, 0xFFFFF9, 0);
  }
  SECTION("class RPC takes one packet of at most 64 bytes") {
    b.expect_write(make(Opcode::kWriteOnly, 0, 1, kRpcVa + 5, ~0u, kRpcRkey), 3, 5, 1);
    b.expect_write(make(Opcode::kWriteOnly, 1, 64, kRpcVa + 64, ~0u, kRpcRkey), 3, 64, 2);
    b.expect_nak(make(Opcode::kWriteOnly, 2, 65, kRpcVa, ~0u, kRpcRkey), 0x61, 0xFFFFFA, 2);
    b.cfg.write(RoceCfg::of_qp(ResponderBench::qp(1)));
    b.expect_nak(make(Opcode::kWriteFirst, 0, 256, kRpcVa, 300, kRpcRkey), 0x61, 0xFFFFF8, 0);
  }
}

TEST_CASE("Responder: rkey, bounds and permissions, NAK 0x62", "[unit][roce][responder]") {
  ResponderBench b;
  const std::uint64_t top = 0x8FFFFFFFFFFFFFFFull;
  SECTION("accepted up to the last byte") {
    b.expect_write(make(Opcode::kWriteOnly, 0, 256, 0x1FF00), 1, 0x1FF00, 1);
    b.expect_write(make(Opcode::kWriteOnly, 1, 1, kHostVa + 0x1FFF, ~0u, kHostRkey), 2, 0x1FFF, 2);
    b.cfg.write(RoceCfg::of_region(kHostRkey, ResponderBench::region(top - 15, 16)));
    b.expect_write(make(Opcode::kWriteOnly, 2, 16, top - 15, ~0u, kHostRkey), 2, 0x0FFFFFFFFFFFFFF0ull, 3);
    b.expect_nak(make(Opcode::kWriteOnly, 3, 17, top - 15, ~0u, kHostRkey), 0x62, 0xFFFFFB, 3);
  }
  SECTION("refused") {
    struct Case {
      const char* what;
      std::uint64_t va;
      std::uint32_t len, rkey;
    };
    for (auto c : {Case{"key", 0x10000, 8, 0x0156},
                   {"region number", 0x10000, 8, 0x0255},
                   {"region number out of range", 0x10000, 8, 0x0455},
                   {"region number far out of range", 0x10000, 8, 0xFFFFFF55},
                   {"unused region", 0x10000, 8, 0x0000},
                   {"below", 0xFFFF, 8, kRkey},
                   {"above", 0x1FFF9, 8, kRkey},
                   {"far above", 0x20000, 1, kRkey},
                   {"another class", kHostVa + 0x10000, 8, kRkey},
                   {"class without target", 0x7000000000010000ull, 8, kRkey},
                   {"wraps", ~0ull - 3, 8, kRkey}}) {
      INFO(c.what);
      b.cfg.write(RoceCfg::of_qp(ResponderBench::qp(1)));
      b.expect_nak(make(Opcode::kWriteOnly, 0, c.len, c.va, ~0u, c.rkey), 0x62, 0xFFFFF8, 0);
    }
  }
  SECTION("the sum of address and length does not wrap into a region that ends with the address space") {
    b.cfg.write(RoceCfg::of_region(kRkey, ResponderBench::region(0, ~0ull)));
    b.cfg.write(RoceCfg::of_qp(ResponderBench::qp(1)));
    b.expect_nak(make(Opcode::kWriteOnly, 0, 64, ~0ull - 31), 0x62, 0xFFFFF8, 0);
  }
  SECTION("region flags and protection domain") {
    auto readonly = ResponderBench::region(0x10000, 0x1000);
    readonly.access = {.write = false, .read = true, .atomic = true};
    b.cfg.write(RoceCfg::of_region(kRkey, readonly));
    b.expect_nak(make(Opcode::kWriteOnly, 0, 8), 0x62, 0xFFFFF8, 0);
    b.cfg.write(RoceCfg::of_qp(ResponderBench::qp(1)));
    auto other = ResponderBench::region(0x10000, 0x1000);
    other.pd = 8;
    b.cfg.write(RoceCfg::of_region(kRkey, other));
    b.expect_nak(make(Opcode::kWriteOnly, 0, 8), 0x62, 0xFFFFF8, 0);
    b.cfg.write(RoceCfg::of_qp(ResponderBench::qp(1)));
    b.cfg.write(RoceCfg::of_region(kRkey, ResponderBench::region(0x10000, 0x1000), false));
    b.expect_nak(make(Opcode::kWriteOnly, 0, 8), 0x62, 0xFFFFF8, 0);
  }
  SECTION("a WRITE of no bytes needs no region, but one PSN, and counts as a message") {
    b.expect_write(make(Opcode::kWriteOnly, 0, 0, 0x7777777777777777ull, 0, 0xDEADBEEF), 0, 0, 1);
    auto q = ResponderBench::qp(1);
    q.remote_write = false;
    b.cfg.write(RoceCfg::of_qp(q, false));
    b.expect_nak(make(Opcode::kWriteOnly, 1, 0, 0, 0), 0x62, 0xFFFFF9, 1);
  }
  SECTION("a FIRST is refused when the whole message does not fit") {
    b.expect_nak(make(Opcode::kWriteFirst, 0, 256, 0x1FE00, 513), 0x62, 0xFFFFF8, 0);
  }
  SECTION("permission taken away in the middle of a message stops it") {
    auto q = ResponderBench::qp(1);
    b.expect_write(make(Opcode::kWriteFirst, 0, 256, 0x10000, 1024), 1, 0x10000, 0);
    b.expect_write(make(Opcode::kWriteMiddle, 1, 256), 1, 0x10100, 0);
    if (GENERATE(false, true)) {
      q.remote_write = false;
      b.cfg.write(RoceCfg::of_qp(q, false));
    } else {
      b.cfg.write(RoceCfg::of_region(kRkey, ResponderBench::region(0x10000, 0x10000), false));
    }
    b.expect_nak(make(Opcode::kWriteMiddle, 2, 256), 0x62, 0xFFFFFA, 0);
  }
}
