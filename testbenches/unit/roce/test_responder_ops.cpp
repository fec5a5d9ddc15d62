// SPDX-License-Identifier: Apache-2.0
// roce_responder: SEND, immediates, receive buffers, READ, atomics, datagrams, CNPs.
#include "Vroce_responder.h"
#include "testbenches/unit/roce/responder_bench.hpp"

using namespace caravan;
using namespace caravan::support;
using Kind = StallPattern::Kind;
using ResponderBench = ResponderBenchOf<Vroce_responder>;

namespace {

constexpr std::uint32_t kPsn = 0xFFFFF8;
constexpr std::uint8_t kAck = 0x1F;

/// What a READ event says; operands are those of atomics.
RdEvt read_part(RdEvt e) {
  e.swap_add = e.compare = 0;
  return e;
}
std::uint32_t psn(std::uint32_t n) { return (kPsn + n) & 0xFFFFFF; }

RxDesc with_imm(RxDesc d, std::uint32_t imm, std::size_t at = 0) {
  packet::put_be(d.ext.data() + at, 4, imm);
  return d;
}
RxDesc atomic(Opcode op, std::uint32_t n, std::uint64_t va, std::uint64_t swap_add, std::uint64_t compare) {
  auto d = make(op, n, 0, va, 0, kRkey);
  packet::put_be(d.ext.data() + 12, 8, swap_add);
  packet::put_be(d.ext.data() + 20, 8, compare);
  return d;
}
ref::Region all_rights() { return {0x10000, 0x10000, {.write = true, .read = true, .atomic = true}, 7}; }

}  // namespace

TEST_CASE("Responder: a SEND takes the buffer at the head, five cycles from descriptor to command",
          "[unit][roce][responder]") {
  ResponderBench b;
  b.buffer = {.wr_id = 77, .local_va = kHostVa + 0x123, .length = 600};
  auto r = b.react(make(Opcode::kSendOnly, 0, 100));
  REQUIRE(b.cmd.at().at(0) == b.desc.sent_at().at(0) + 3);
  REQUIRE(*r.cmd == RxCmd{2, 1, 100, 0x123});
  REQUIRE(*r.evt == AckEvt{1, psn(0), 1, kAck});
  REQUIRE(*r.rq == RqDone{{.qpn = base::Qpn(1), .wr_id = 77, .length = 100, .src_ip = kPeer}, 1});
  REQUIRE((b.pops == 1 && r.stats[kSends] == 1 && r.stats[kMsgs] == 1));
  // FIRST, MIDDLE, LAST with immediate go on where the packet before has ended; one completion.
  r = b.react(make(Opcode::kSendFirst, 1, 256));
  REQUIRE((*r.cmd == RxCmd{2, 1, 256, 0x123} && !r.rq && b.pops == 1));
  r = b.react(make(Opcode::kSendMiddle, 2, 256));
  REQUIRE((*r.cmd == RxCmd{2, 1, 256, 0x223} && !r.rq && r.evt->msn == 1));
  auto last = with_imm(make(Opcode::kSendLastImm, 3, 88), 0xCAFEF00D);
  last.bth.solicited = true;
  r = b.react(last);
  REQUIRE(*r.cmd == RxCmd{2, 1, 88, 0x323});
  REQUIRE(*r.rq == RqDone{{.qpn = base::Qpn(1),
                           .wr_id = 77,
                           .solicited = true,
                           .has_imm = true,
                           .imm = 0xCAFEF00D,
                           .length = 600,
                           .src_ip = kPeer},
                          4});
  REQUIRE((b.pops == 2 && r.evt->msn == 2));
  // Of no bytes
  r = b.react(make(Opcode::kSendOnly, 4, 0));
  REQUIRE((r.rq->cpl.length == 0 && r.rq->tag == 4 && b.pops == 3));
}

TEST_CASE("Responder: the latency of a SEND counts from the moment it stands at the input", "[unit][roce][responder]") {
  ResponderBench b;
  b.buffer = {.wr_id = 1, .local_va = 0x1000, .length = 64};
  const std::uint64_t start = b.dut.cycle();
  b.desc.push(make(Opcode::kSendOnly, 0, 64));
  b.drain();
  REQUIRE(b.cmd.at().at(0) == start + 5);
  // One after the other: one in 5 cycles.
  for (std::uint32_t n = 1; n <= 20; ++n) b.desc.push(make(Opcode::kSendOnly, n, 64));
  b.drain();
  for (std::size_t n = 2; n <= 20; ++n) REQUIRE(b.desc.sent_at().at(n) == b.desc.sent_at().at(n - 1) + 5);
}

TEST_CASE("Responder: no buffer is an RNR NAK each time, and nothing moves", "[unit][roce][responder]") {
  ResponderBench b;
  auto q = ResponderBench::qp(1);
  q.min_rnr_timer = 13;
  b.cfg.write(RoceCfg::of_qp(q));
  for (auto d : {make(Opcode::kSendOnly, 0, 8), make(Opcode::kSendFirst, 0, 256), make(Opcode::kWriteOnlyImm, 0, 8)}) {
    auto r = b.react(d);
    REQUIRE(*r.evt == AckEvt{1, psn(0), 0, 0x20 | 13});
    REQUIRE((r.cmd->target == 0 && !r.failed && r.stats[kRnr] == 1 && b.pops == 0));
  }
  // What runs ahead gets a sequence NAK once, as after a loss; an RNR NAK ends that silence.
  auto r = b.react(make(Opcode::kSendMiddle, 1, 256));
  REQUIRE(r.evt->syndrome == 0x60);
  REQUIRE(!b.react(make(Opcode::kSendMiddle, 2, 256)).evt);
  REQUIRE(b.react(make(Opcode::kSendOnly, 0, 8)).evt->syndrome == (0x20 | 13));
  REQUIRE(b.react(make(Opcode::kSendMiddle, 1, 256)).evt->syndrome == 0x60);
  b.buffer = {.wr_id = 5, .local_va = 0x1000, .length = 8};
  r = b.react(make(Opcode::kSendOnly, 0, 8));
  REQUIRE((r.evt->syndrome == kAck && b.pops == 1));
}

TEST_CASE("Responder: a SEND longer than its buffer fails the QP, NAK 0x63", "[unit][roce][responder]") {
  for (bool later : {false, true}) {
    ResponderBench b;
    b.buffer = {.wr_id = 9, .local_va = 0x1000, .length = 300};
    if (later) REQUIRE(!b.react(make(Opcode::kSendFirst, 0, 256)).failed);
    const std::uint32_t n = later ? 1 : 0;
    if (!later) b.buffer->length = 99;
    auto r = b.react(make(later ? Opcode::kSendLast : Opcode::kSendOnly, n, 100));
    REQUIRE(*r.evt == AckEvt{1, psn(n), 0, 0x63});
    REQUIRE((r.cmd->target == 0 && r.failed && r.stats[kNakOp] == 1));
    REQUIRE(*r.rq == RqDone{{.qpn = base::Qpn(1), .wr_id = 9, .status = ref::CompletionStatus::kLocalLength}, n + 1});
    b.expect_drop(make(Opcode::kSendOnly, n, 8), kDropQp);
  }
}

TEST_CASE("Responder: WRITE with immediate uses up a buffer at its end only", "[unit][roce][responder]") {
  ResponderBench b;
  b.expect_write(make(Opcode::kWriteFirst, 0, 256, 0x10000, 300), 1, 0x10000, 0);
  const auto last = with_imm(make(Opcode::kWriteLastImm, 1, 44), 0x01020304);
  REQUIRE(b.react(last).stats[kRnr] == 1);
  b.buffer = {.wr_id = 3, .local_va = 0x5000, .length = 0};
  auto r = b.react(last);
  REQUIRE(*r.cmd == RxCmd{1, 1, 44, 0x10100});
  REQUIRE(r.rq->cpl == ref::ReceiveCompletion{.qpn = base::Qpn(1),
                                              .wr_id = 3,
                                              .is_write = true,
                                              .has_imm = true,
                                              .imm = 0x01020304,
                                              .length = 300,
                                              .src_ip = kPeer});
  r = b.react(with_imm(make(Opcode::kWriteOnlyImm, 2, 8, 0x10008), 0xA0B0C0D0, 16));
  REQUIRE((*r.cmd == RxCmd{1, 1, 8, 0x10008} && r.rq->cpl.imm == 0xA0B0C0D0 && r.rq->cpl.length == 8));
  REQUIRE(r.stats[kWritePkts] == 1);
  // The region is asked first, then the buffer.
  b.buffer.reset();
  b.expect_nak(with_imm(make(Opcode::kWriteOnlyImm, 3, 8, 0x1FFFF), 0, 16), 0x62, psn(3), 2);
}

TEST_CASE("Responder: SEND and WRITE do not mix within a message", "[unit][roce][responder]") {
  ResponderBench b;
  b.buffer = {.wr_id = 1, .local_va = 0x1000, .length = 4096};
  for (auto op : {Opcode::kWriteMiddle, Opcode::kWriteLast, Opcode::kSendFirst, Opcode::kSendOnly, Opcode::kReadRequest,
                  Opcode::kFetchAdd, Opcode::kSendLastInv}) {
    b.cfg.write(RoceCfg::of_qp(ResponderBench::qp(1)));
    b.react(make(Opcode::kSendFirst, 0, 256));
    const bool bare = op == Opcode::kReadRequest || op == Opcode::kFetchAdd;
    b.expect_nak(make(op, 1, bare ? 0 : 256), 0x61, psn(1), 0);
  }
  for (auto op : {Opcode::kSendMiddle, Opcode::kSendLast, Opcode::kReadRequest, Opcode::kCompareSwap}) {
    b.cfg.write(RoceCfg::of_qp(ResponderBench::qp(1)));
    b.react(make(Opcode::kWriteFirst, 0, 256, 0x10000, 512));
    const bool bare = op == Opcode::kReadRequest || op == Opcode::kCompareSwap;
    b.expect_nak(make(op, 1, bare ? 0 : 256), 0x61, psn(1), 0);
  }
  for (std::uint32_t len : {255u, 257u, 0u}) {
    b.cfg.write(RoceCfg::of_qp(ResponderBench::qp(1)));
    b.expect_nak(make(Opcode::kSendFirst, 0, len), 0x61, psn(0), 0);
  }
  b.cfg.write(RoceCfg::of_qp(ResponderBench::qp(1)));
  b.react(make(Opcode::kSendFirst, 0, 256));
  b.expect_nak(make(Opcode::kSendLast, 1, 0), 0x61, psn(1), 0);
}

TEST_CASE("Responder: a READ takes as many PSNs as its answer has packets", "[unit][roce][responder]") {
  ResponderBench b;
  b.cfg.write(RoceCfg::of_region(kRkey, all_rights()));
  std::uint32_t n = 0, msn = 0;
  for (std::uint32_t len : {0u, 1u, 256u, 257u, 512u, 5000u}) {
    auto r = b.react(make(Opcode::kReadRequest, n, 0, 0x10020, len));
    ++msn;
    REQUIRE(read_part(*r.rd) ==
            RdEvt{.op = 0, .qpn = 1, .psn = psn(n), .msn = msn, .rkey = kRkey, .len = len, .va = 0x10020});
    REQUIRE((!r.evt && !r.cmd && r.stats[kReads] == 1 && r.stats[kMsgs] == 1));
    n += len == 0 ? 1 : (len + 255) / 256;
  }
  // The next packet follows them all; its acknowledge waits for the sixth answer.
  b.expect_write(make(Opcode::kWriteOnly, n, 8), 1, 0x10000, msn + 1);
  REQUIRE(b.after == 6);
  // A repeated one goes on to those that remember, with the newest MSN.
  auto r = b.react(make(Opcode::kReadRequest, 3, 0, 0x10120, 1));
  REQUIRE(
      read_part(*r.rd) ==
      RdEvt{.qpn = 1, .psn = psn(3), .msn = msn + 1, .rkey = kRkey, .len = 1, .tag = 1, .dup = true, .va = 0x10120});
  REQUIRE(r.stats[kDup] == 1);
  // Not when it is not permitted any more.
  b.cfg.write(RoceCfg::of_region(kRkey, ResponderBench::region(0x10000, 0x10000)));
  b.expect_drop(make(Opcode::kReadRequest, 3, 0, 0x10120, 1), kDup);
}

TEST_CASE("Responder: READs that are refused", "[unit][roce][responder]") {
  ResponderBench b;
  b.cfg.write(RoceCfg::of_region(kRkey, all_rights()));
  b.cfg.write(RoceCfg::of_region(kRpcRkey, {kRpcVa, 0x1000, {.write = true, .read = true, .atomic = true}, 7}));
  const auto nak = [&](RxDesc d, std::uint8_t syndrome) {
    b.cfg.write(RoceCfg::of_qp(ResponderBench::qp(1)));
    b.expect_nak(d, syndrome, psn(0), 0);
  };
  nak(make(Opcode::kReadRequest, 0, 0, 0x10000, 0x80000001), 0x61);
  nak(make(Opcode::kReadRequest, 0, 0, 0x10001, 0x10000), 0x62);
  nak(make(Opcode::kReadRequest, 0, 0, 0x10000, 8, kRkey + 1), 0x62);
  nak(make(Opcode::kReadRequest, 0, 0, kRpcVa, 8, kRpcRkey), 0x62);
  nak(make(Opcode::kReadRequest, 0, 0, kHostVa + 0x1000, 8, kHostRkey), 0x62);  // for writing only
  auto q = ResponderBench::qp(1);
  q.remote_read = false;
  b.cfg.write(RoceCfg::of_qp(q));
  b.expect_nak(make(Opcode::kReadRequest, 0, 0, 0, 0), 0x62, psn(0), 0);
}

TEST_CASE("Responder: atomics, aligned and permitted", "[unit][roce][responder]") {
  ResponderBench b;
  b.cfg.write(RoceCfg::of_region(kRkey, all_rights()));
  auto r = b.react(atomic(Opcode::kFetchAdd, 0, 0x1FFF8, 0x1122334455667788, 0));
  REQUIRE(r.rd->op == 2);
  REQUIRE((r.rd->swap_add == 0x1122334455667788 && r.rd->va == 0x1FFF8 && r.rd->msn == 1 && !r.rd->dup));
  r = b.react(atomic(Opcode::kCompareSwap, 1, 0x10008, 3, 4));
  REQUIRE((r.rd->op == 1 && r.rd->swap_add == 3 && r.rd->compare == 4 && r.rd->psn == psn(1)));
  REQUIRE(r.stats[kAtomics] == 1);
  r = b.react(atomic(Opcode::kFetchAdd, 0, 0x1FFF8, 7, 0));
  REQUIRE((r.rd->dup && r.rd->msn == 2 && !r.evt));
  const auto nak = [&](RxDesc d, std::uint8_t syndrome) {
    b.cfg.write(RoceCfg::of_qp(ResponderBench::qp(1)));
    b.expect_nak(d, syndrome, psn(0), 0);
  };
  for (std::uint64_t low = 1; low < 8; ++low) nak(atomic(Opcode::kFetchAdd, 0, 0x10000 + low, 1, 0), 0x61);
  nak(atomic(Opcode::kFetchAdd, 0, 0x20000, 1, 0), 0x62);
  b.cfg.write(RoceCfg::of_region(kRkey, {0x10000, 0x10004, {.atomic = true}, 7}));
  nak(atomic(Opcode::kFetchAdd, 0, 0x20000, 1, 0), 0x62);  // half of it inside
  b.cfg.write(RoceCfg::of_region(kRkey, {0x10000, 0x10000, {.write = true, .read = true}, 7}));
  nak(atomic(Opcode::kCompareSwap, 0, 0x10000, 1, 0), 0x62);
}

TEST_CASE("Responder: READs and small WRITEs of one QP, one a cycle", "[unit][roce][responder]") {
  ResponderBench b;
  b.cfg.write(RoceCfg::of_region(kRkey, all_rights()));
  for (std::uint32_t i = 0; i < 60; ++i)
    b.desc.push(i % 2 ? make(Opcode::kWriteOnly, i, 64) : make(Opcode::kReadRequest, i, 0, 0x10000, 256));
  b.drain();
  for (std::uint32_t i = 0; i < 60; ++i) REQUIRE(b.desc.sent_at()[i] == b.desc.sent_at()[0] + i);
  REQUIRE((b.rd.items().size() == 30 && b.cmd.items().size() == 30));
  for (std::uint32_t i = 0; i < 30; ++i) REQUIRE((b.rd.items()[i].tag == i && b.rd.items()[i].msn == 2 * i + 1));
}

TEST_CASE("Responder: datagrams", "[unit][roce][responder]") {
  ResponderBench b;
  auto q = ResponderBench::qp(2);
  q.service = ref::QpService::kUd;
  q.qkey = 0x11223344;
  b.cfg.write(RoceCfg::of_qp(q));
  const auto datagram = [](Opcode op, std::uint32_t len, std::uint32_t qkey) {
    auto d = make(op, 0x1234, len);
    d.bth.dest_qp = 2;
    packet::put_be(d.ext.data(), 4, qkey);
    packet::put_be(d.ext.data() + 4, 4, 0x00ABCDEF);
    packet::put_be(d.ext.data() + 8, 4, 0x55667788);
    d.src_ip = kPeer + 9;  // anybody
    return d;
  };
  b.buffer = {.wr_id = 4, .local_va = 0x3000, .length = 140};
  auto r = b.react(datagram(Opcode::kUdSendOnly, 100, q.qkey));
  REQUIRE(*r.cmd == RxCmd{1, 2, 100, 0x3000 + 40});
  REQUIRE(
      *r.rq ==
      RqDone{{.qpn = base::Qpn(2), .wr_id = 4, .length = 100, .src_qpn = base::Qpn(0xABCDEF), .src_ip = kPeer + 9}, 1});
  REQUIRE((!r.evt && r.stats[kUd] == 1));
  r = b.react(datagram(Opcode::kUdSendOnlyImm, 0, q.qkey));
  REQUIRE((r.rq->cpl.has_imm && r.rq->cpl.imm == 0x55667788));
  b.expect_drop(datagram(Opcode::kUdSendOnly, 100, q.qkey + 1), kDropPeer);
  b.expect_drop(datagram(Opcode::kUdSendOnly, 101, q.qkey), kDropRq);
  b.buffer->length = 4096;
  b.expect_drop(datagram(Opcode::kUdSendOnly, 257, q.qkey), kDropRq);
  b.buffer.reset();
  b.expect_drop(datagram(Opcode::kUdSendOnly, 8, q.qkey), kDropRq);
  // Services do not mix.
  auto rc = datagram(Opcode::kWriteOnly, 8, 0);
  rc.src_ip = kPeer;
  b.expect_drop(rc, kDropOp);
  auto ud = datagram(Opcode::kUdSendOnly, 8, 0);
  ud.bth.dest_qp = 1;
  b.expect_drop(ud, kDropOp);
}

TEST_CASE("Responder: CNPs and congestion marks are told by QP", "[unit][roce][responder]") {
  ResponderBench b;
  auto cnp = make(Opcode::kCnp, 0, 0);
  cnp.bth.psn = 0;
  b.expect_drop(cnp, kCnp);
  REQUIRE(b.cnps == 1);
  cnp.src_ip = kPeer + 1;
  b.expect_drop(cnp, kDropPeer);
  REQUIRE(b.cnps == 1);
  auto marked = make(Opcode::kWriteOnly, 0, 8);
  marked.ce = true;
  b.expect_write(marked, 1, 0x10000, 1);
  REQUIRE(b.marks == 1);
  b.react(marked);  // a duplicate was marked as well
  REQUIRE(b.marks == 2);
  marked.src_ip = kPeer + 1;
  b.expect_drop(marked, kDropPeer);
  auto empty = make(Opcode::kWriteOnly, 1, 0);
  empty.ce = true;
  b.expect_write(empty, 0, 0, 2);
  REQUIRE(b.marks == 2);
}

TEST_CASE("Responder: SENDs, READs and WRITEs under all stalls", "[unit][roce][responder]") {
  for (Kind gaps : StallPattern::kAll) {
    for (Kind stalls : StallPattern::kAll) {
      ResponderBench b(gaps, stalls, 8);
      b.cfg.write(RoceCfg::of_region(kRkey, all_rights()));
      b.buffer = {.wr_id = 6, .local_va = 0x8000, .length = 256};
      std::vector<RxCmd> want;
      std::uint32_t n = 0, reads = 0, sends = 0;
      for (std::uint32_t i = 0; i < 40; ++i) {
        if (i % 3 == 0) {
          b.desc.push(make(Opcode::kReadRequest, n, 0, 0x10000, 300));
          n += 2, ++reads;
        } else if (i % 3 == 1) {
          b.desc.push(make(Opcode::kSendOnly, n++, 20));
          want.push_back({1, 1, 20, 0x8000}), ++sends;
        } else {
          b.desc.push(make(Opcode::kWriteOnly, n++, 30));
          want.push_back({1, 1, 30, 0x10000});
        }
      }
      b.drain();
      REQUIRE(b.cmd.items() == want);
      REQUIRE(b.rd.items().size() == reads);
      REQUIRE(b.rq.items().size() == sends);
      REQUIRE(b.pops == sends);
      for (std::uint32_t i = 0; i < sends; ++i) REQUIRE(b.rq.items()[i].tag == 2 * i + 1);
      REQUIRE(b.err.items().empty());
    }
  }
}
