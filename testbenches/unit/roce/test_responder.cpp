// SPDX-License-Identifier: Apache-2.0
// roce_responder: one packet a cycle on one QP, the PSN rules, failures, table writes between packets.
#include "Vroce_responder.h"
#include "testbenches/unit/roce/responder_bench.hpp"

using namespace caravan;
using namespace caravan::support;
using Kind = StallPattern::Kind;
using ResponderBench = ResponderBenchOf<Vroce_responder>;

TEST_CASE("Responder: command and ACK three cycles after the descriptor, one packet a cycle on one QP",
          "[unit][roce][responder]") {
  ResponderBench b;
  for (std::uint32_t i = 0; i < 100; ++i) b.desc.push(make(Opcode::kWriteOnly, i, 64, 0x10000 + 64 * i));
  b.drain();
  REQUIRE(b.cmd.items().size() == 100);
  for (std::uint32_t i = 0; i < 100; ++i) {
    REQUIRE(b.desc.sent_at()[i] == b.desc.sent_at()[0] + i);
    REQUIRE(b.cmd.at()[i] == b.desc.sent_at()[i] + 3);
    REQUIRE(b.evt.at()[i] == b.desc.sent_at()[i] + 3);
    REQUIRE(b.cmd.items()[i] == RxCmd{1, 1, 64, 0x10000 + 64 * i});
    REQUIRE(b.evt.items()[i] == AckEvt{1, (0xFFFFF8 + i) & 0xFFFFFF, i + 1, 0x1F});
  }
}

TEST_CASE("Responder: two QPs interleaved and a long message under all stalls", "[unit][roce][responder]") {
  for (Kind gaps : StallPattern::kAll) {
    for (Kind stalls : StallPattern::kAll) {
      ResponderBench b(gaps, stalls, 5);
      std::vector<RxCmd> want;
      std::vector<AckEvt> acks;
      std::uint32_t n[3] = {}, msn[3] = {};
      const auto push = [&](RxDesc d, std::uint64_t addr, bool ends, bool ack) {
        const std::uint32_t qp = d.bth.dest_qp;
        d.bth.psn = (0xFFFFF8 + n[qp]++) & 0xFFFFFF;
        d.bth.ack_req = ack;
        msn[qp] += ends;
        if (d.len != 0) want.push_back({1, qp, d.len, addr});
        if (ack) acks.push_back({qp, d.bth.psn, msn[qp], 0x1F});
        b.desc.push(d);
      };
      for (std::uint32_t round = 0; round < 12; ++round) {
        auto other = make(Opcode::kWriteOnly, 0, round * 3, 0x18000 + round);
        other.bth.dest_qp = 2;
        const std::uint64_t va = 0x10000 + round * 1029;
        push(make(Opcode::kWriteFirst, 0, 256, va, 256 * 3 + 5), va, false, round & 1);
        push(other, other.reth().va, true, true);
        push(make(Opcode::kWriteMiddle, 0, 256), va + 256, false, false);
        push(other, other.reth().va, true, round & 1);
        push(make(Opcode::kWriteMiddle, 0, 256), va + 512, false, true);
        push(make(Opcode::kWriteLast, 0, 5), va + 768, true, true);
        push(make(Opcode::kWriteOnly, 0, 0), 0, true, true);
      }
      b.drain();
      REQUIRE(b.cmd.items() == want);
      REQUIRE(b.evt.items() == acks);
      REQUIRE(b.err.items().empty());
    }
  }
}

TEST_CASE("Responder: PSN rules across the wrap", "[unit][roce][responder]") {
  ResponderBench b;
  const auto only = [](std::uint32_t n) { return make(Opcode::kWriteOnly, n, 8); };
  auto quiet_only = only(0);
  quiet_only.bth.ack_req = false;
  b.expect_write(quiet_only, 1, 0x10000, std::nullopt);
  for (std::uint32_t n = 1; n < 10; ++n) b.expect_write(only(n), 1, 0x10000, n + 1);
  // A gap: one NAK with the expected PSN, then silence until the packet comes; its duplicates are acknowledged each
  // time.
  b.expect_nak(only(12), 0x60, 2, 10);
  auto r = b.react(only(13));
  REQUIRE((!r.evt && r.cmd->target == 0 && r.stats == RxStats{}));
  for (std::uint32_t back : {1u, 5u, 10u, 0x7FFFFFu, 0x800000u}) {
    auto dup = make(Opcode::kWriteOnly, 0, 8);
    dup.bth.psn = (2 - back) & 0xFFFFFF;
    dup.bth.ack_req = false;
    r = b.react(dup);
    REQUIRE((r.evt && *r.evt == AckEvt{1, 1, 10, 0x1F}));
    REQUIRE((r.cmd->target == 0 && r.stats[kDup] == 1));
  }
  r = b.react(only(12));
  REQUIRE(!r.evt);  // duplicates do not end the silence
  b.expect_write(only(10), 1, 0x10000, 11);
  b.expect_nak(only(12), 0x60, 3, 11);  // a new gap, a new NAK
  // Repeated SENDs are acknowledged like WRITEs, repeated READs and atomics are not: their answers are not remembered.
  r = b.react(make(Opcode::kSendOnly, 3, 4));
  REQUIRE((r.evt && r.evt->psn == 2));
  for (auto op : {Opcode::kReadRequest, Opcode::kCompareSwap, Opcode::kFetchAdd}) b.expect_drop(make(op, 3, 0), kDup);
}

TEST_CASE("Responder: failures, and a QP made anew", "[unit][roce][responder]") {
  ResponderBench b;
  b.expect_write(make(Opcode::kWriteFirst, 0, 256, 0x10000, 512), 1, 0x10000, 0);
  // The requester fails: this half is silent, other QPs go on.
  b.dut->qp_err_i = 1;
  b.dut->qp_err_valid_i = 1;
  REQUIRE(b.dut->qp_err_ready_o == 1);
  b.dut.tick();
  b.dut->qp_err_valid_i = 0;
  b.expect_drop(make(Opcode::kWriteLast, 1, 256), kDropQp);
  auto other = make(Opcode::kWriteOnly, 0, 8);
  other.bth.dest_qp = 2;
  b.expect_write(other, 1, 0x10000, 1);
  // A modify does not heal it, an init does, with new PSN and no message in progress.
  b.cfg.write(RoceCfg::of_qp(ResponderBench::qp(1), false));
  b.expect_drop(make(Opcode::kWriteLast, 1, 256), kDropQp);
  auto q = ResponderBench::qp(1);
  q.first_psn_to_expect = base::Psn(500);
  b.cfg.write(RoceCfg::of_qp(q));
  auto d = make(Opcode::kWriteOnly, 0, 8);
  d.bth.psn = 500;
  b.expect_write(d, 1, 0x10000, 1);
  // Out of range: ignored
  b.dut->qp_err_i = 9;
  b.dut->qp_err_valid_i = 1;
  b.dut.tick();
  b.dut->qp_err_valid_i = 0;
  d.bth.psn = 501;
  b.expect_write(d, 1, 0x10000, 2);
}

TEST_CASE("Responder: a table write waits for the packets on the way and holds back the rest",
          "[unit][roce][responder]") {
  ResponderBench b;
  for (std::uint32_t i = 0; i < 20; ++i) b.desc.push(make(Opcode::kWriteOnly, i, 64));
  for (int i = 0; i < 6; ++i) b.dut.tick();
  auto q = ResponderBench::qp(1);
  q.remote_write = false;
  const std::uint64_t asked = b.dut.cycle();
  b.cfg.push(RoceCfg::of_qp(q, false));
  b.drain();
  REQUIRE(b.cfg.taken_at() == asked + 2);  // two stages drain
  const std::size_t before = static_cast<std::size_t>(b.stats[kWritePkts]);
  REQUIRE(b.stats[kNakAccess] == 1);
  REQUIRE(b.cmd.items().size() == 20);
  for (std::size_t i = 0; i < 20; ++i) REQUIRE((b.cmd.items()[i].target == 1) == (i < before));
  REQUIRE(b.desc.sent_at()[before - 1] < asked);
  REQUIRE(b.desc.sent_at()[before] > b.cfg.taken_at());
}
