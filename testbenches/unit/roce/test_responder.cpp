// SPDX-License-Identifier: Apache-2.0
// roce_responder: one packet a cycle on one QP, the PSN rules, every refusal, table writes between packets.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <memory>

#include "Vroce_responder.h"
#include "testbenches/support/roce_cfg_driver.hpp"

using namespace caravan;
using namespace caravan::support;
using packet::Opcode;

namespace {

constexpr std::uint32_t kPeer = 0x0A000001, kRkey = 0x0155, kHostRkey = 0x0266, kRpcRkey = 0x0377;
constexpr std::uint64_t kHost = 0x8000000000000000ull, kRpcClass = 0x3000000000000000ull;
using Kind = StallPattern::Kind;

struct ResponderBench {
  Bench<Vroce_responder> dut;
  CfgDriver<Vroce_responder> cfg{dut};
  Source<RxDesc> desc;
  Sink<RxCmd> cmd;
  Sink<AckEvt> evt;
  Sink<std::uint32_t> err;
  RxStats stats{};

  explicit ResponderBench(Kind gaps = Kind::kNone, Kind stalls = Kind::kNone, std::uint64_t seed = 1)
      : desc(dut, StallPattern(gaps, seed), [this](const RxDesc& d) { pack(dut->desc_i, d); },
             [this](bool v) { dut->desc_valid_i = v; }, [this] { return dut->desc_ready_o != 0; }),
        cmd(dut, StallPattern(stalls, seed + 1), [this] { return unpack_cmd(dut->cmd_o); },
            [this] { return dut->cmd_valid_o != 0; }, [this](bool r) { dut->cmd_ready_i = r; }),
        evt(dut, StallPattern(stalls, seed + 2), [this] { return unpack_ack_evt(dut->ack_evt_o); },
            [this] { return dut->ack_evt_valid_o != 0; }, [this](bool r) { dut->ack_evt_ready_i = r; }),
        err(dut, StallPattern(stalls, seed + 3), [this] { return std::uint32_t{dut->qp_err_o}; },
            [this] { return dut->qp_err_valid_o != 0; }, [this](bool r) { dut->qp_err_ready_i = r; }) {
    dut.add([] {}, [this] { for (unsigned i = 0; i < kRxStats; ++i) stats[i] += dut->stats_o >> i & 1; });
    dut.reset();
    cfg.write(RoceCfg::of_qp(qp(1)));
    cfg.write(RoceCfg::of_qp(qp(2)));
    cfg.write(RoceCfg::of_region(kRkey, region(0x10000, 0x10000)));
    cfg.write(RoceCfg::of_region(kHostRkey, region(kHost + 0x1000, 0x1000)));
    cfg.write(RoceCfg::of_region(kRpcRkey, region(kRpcClass, 0x1000)));
  }
  static ref::QpConfig qp(std::uint32_t number) {
    ref::QpConfig q;
    q.qpn = base::Qpn(number);
    q.peer_ip = kPeer;
    q.pmtu = 256;
    q.first_psn_to_expect = base::Psn(0xFFFFF8);
    q.pd = 7;
    return q;
  }
  static ref::Region region(std::uint64_t base, std::uint64_t length) { return {base, length, {.write = true}, 7}; }
  void drain() {
    REQUIRE(dut.run_until([this] { return desc.empty() && cfg.empty(); }, 100'000));
    REQUIRE(dut.run_until([this] { return dut->quiet_o != 0; }, 1000));
  }
  /// One packet through the idle pipeline: what it caused.
  struct Reaction {
    std::optional<RxCmd> cmd;
    std::optional<AckEvt> evt;
    bool failed = false;
    RxStats stats{};
  };
  Reaction react(const RxDesc& d) {
    cmd.clear(), evt.clear(), err.clear();
    stats = {};
    desc.push(d);
    drain();
    REQUIRE((cmd.items().size() <= 1 && evt.items().size() <= 1 && err.items().size() <= 1));
    Reaction r;
    if (!cmd.items().empty()) r.cmd = cmd.items()[0];
    if (!evt.items().empty()) r.evt = evt.items()[0];
    r.failed = !err.items().empty();
    r.stats = stats;
    REQUIRE(r.cmd.has_value() == (d.len != 0));
    return r;
  }
  void expect_write(const RxDesc& d, std::uint32_t target, std::uint64_t addr, std::optional<std::uint32_t> msn) {
    const auto r = react(d);
    REQUIRE(!r.failed);
    REQUIRE(r.stats[kWritePkts] == 1);
    if (d.len != 0) REQUIRE(*r.cmd == RxCmd{target, d.bth.dest_qp, d.len, addr});
    REQUIRE(r.evt.has_value() == d.bth.ack_req);
    if (r.evt) REQUIRE(*r.evt == AckEvt{d.bth.dest_qp, d.bth.psn, *msn, 0x1F});
  }
  void expect_drop(const RxDesc& d, RxStat stat) {
    const auto r = react(d);
    if (d.len != 0) REQUIRE(r.cmd->target == 0);
    REQUIRE(!r.evt);
    REQUIRE(!r.failed);
    RxStats want{};
    want[stat] = 1;
    REQUIRE(r.stats == want);
  }
  void expect_nak(const RxDesc& d, std::uint8_t syndrome, std::uint32_t psn, std::uint32_t msn) {
    const auto r = react(d);
    if (d.len != 0) REQUIRE(r.cmd->target == 0);
    REQUIRE(r.evt.has_value());
    REQUIRE(*r.evt == AckEvt{d.bth.dest_qp, psn, msn, syndrome});
    REQUIRE(r.failed == (syndrome != 0x60));
    REQUIRE(r.stats[syndrome == 0x60 ? kNakSeq : syndrome == 0x61 ? kNakInvalid : kNakAccess] == 1);
    REQUIRE(r.stats[kWritePkts] == 0);
    if (r.failed) expect_drop(d, kDropQp);  // from now on silence
  }
};

/// A packet of QP 1; PSN is 0xFFFFF8 + n.
RxDesc make(Opcode op, std::uint32_t n, std::uint32_t len, std::uint64_t va = 0x10000, std::uint32_t dma = ~0u, std::uint32_t rkey = kRkey) {
  RxDesc d;
  d.bth.opcode = static_cast<std::uint8_t>(op);
  d.bth.dest_qp = 1;
  d.bth.psn = (0xFFFFF8 + n) & 0xFFFFFF;
  d.bth.ack_req = true;
  d.reth = {va, rkey, dma == ~0u ? len : dma};
  d.src_ip = kPeer;
  d.len = len;
  return d;
}

}  // namespace

TEST_CASE("Responder: command and ACK three cycles after the descriptor, one packet a cycle on one QP", "[unit][roce][responder]") {
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
        push(other, other.reth.va, true, true);
        push(make(Opcode::kWriteMiddle, 0, 256), va + 256, false, false);
        push(other, other.reth.va, true, round & 1);
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
  // A gap: one NAK with the expected PSN, then silence until the packet comes; its duplicates are acknowledged each time.
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
    if (known != nullptr && known->service == packet::Service::kRc && known->is_request) continue;
    auto d = make(static_cast<Opcode>(op), n, 0);
    b.expect_drop(d, kDropOp);
  }
  b.expect_write(make(Opcode::kWriteOnly, n, 8), 1, 0x10000, n + 1);
}

TEST_CASE("Responder: lengths and opcode sequence, NAK 0x61", "[unit][roce][responder]") {
  ResponderBench b;
  SECTION("requests that are legal but not served") {
    for (auto op : {Opcode::kSendFirst, Opcode::kSendMiddle, Opcode::kSendLast, Opcode::kSendLastImm, Opcode::kSendOnly, Opcode::kSendOnlyImm,
                    Opcode::kWriteLastImm, Opcode::kWriteOnlyImm, Opcode::kReadRequest, Opcode::kCompareSwap, Opcode::kFetchAdd,
                    Opcode::kSendLastInv, Opcode::kSendOnlyInv}) {
      b.cfg.write(RoceCfg::of_qp(ResponderBench::qp(1)));
      b.expect_nak(make(op, 0, 0), 0x61, 0xFFFFF8, 0);
    }
  }
  SECTION("a first packet that is wrong") {
    struct Case { Opcode op; std::uint32_t len, dma; };
    for (auto c : {Case{Opcode::kWriteFirst, 255, 512}, {Opcode::kWriteFirst, 257, 1024}, {Opcode::kWriteFirst, 0, 512}, {Opcode::kWriteFirst, 256, 256},
                   {Opcode::kWriteFirst, 256, 255}, {Opcode::kWriteFirst, 256, 0}, {Opcode::kWriteFirst, 256, 0x80000001}, {Opcode::kWriteOnly, 257, 257},
                   {Opcode::kWriteOnly, 8, 7}, {Opcode::kWriteOnly, 8, 9}, {Opcode::kWriteOnly, 0, 1}, {Opcode::kWriteOnly, 1, 0},
                   {Opcode::kWriteMiddle, 256, 512}, {Opcode::kWriteLast, 8, 8}}) {
      b.cfg.write(RoceCfg::of_qp(ResponderBench::qp(1)));
      b.expect_nak(make(c.op, 0, c.len, 0x10000, c.dma), 0x61, 0xFFFFF8, 0);
    }
  }
  SECTION("a later packet that is wrong") {
    struct Case { Opcode op; std::uint32_t len; };
    for (auto c : {Case{Opcode::kWriteMiddle, 255}, {Opcode::kWriteMiddle, 257}, {Opcode::kWriteMiddle, 0}, {Opcode::kWriteLast, 0}, {Opcode::kWriteLast, 99},
                   {Opcode::kWriteLast, 101}, {Opcode::kWriteLast, 257}, {Opcode::kWriteFirst, 256}, {Opcode::kWriteOnly, 8}, {Opcode::kSendMiddle, 256}}) {
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
    b.expect_write(make(Opcode::kWriteOnly, 0, 1, kRpcClass + 5, ~0u, kRpcRkey), 3, 5, 1);
    b.expect_write(make(Opcode::kWriteOnly, 1, 64, kRpcClass + 64, ~0u, kRpcRkey), 3, 64, 2);
    b.expect_nak(make(Opcode::kWriteOnly, 2, 65, kRpcClass, ~0u, kRpcRkey), 0x61, 0xFFFFFA, 2);
    b.cfg.write(RoceCfg::of_qp(ResponderBench::qp(1)));
    b.expect_nak(make(Opcode::kWriteFirst, 0, 256, kRpcClass, 300, kRpcRkey), 0x61, 0xFFFFF8, 0);
  }
}

TEST_CASE("Responder: rkey, bounds and permissions, NAK 0x62", "[unit][roce][responder]") {
  ResponderBench b;
  const std::uint64_t top = 0x8FFFFFFFFFFFFFFFull;
  SECTION("accepted up to the last byte") {
    b.expect_write(make(Opcode::kWriteOnly, 0, 256, 0x1FF00), 1, 0x1FF00, 1);
    b.expect_write(make(Opcode::kWriteOnly, 1, 1, kHost + 0x1FFF, ~0u, kHostRkey), 2, 0x1FFF, 2);
    b.cfg.write(RoceCfg::of_region(kHostRkey, ResponderBench::region(top - 15, 16)));
    b.expect_write(make(Opcode::kWriteOnly, 2, 16, top - 15, ~0u, kHostRkey), 2, 0x0FFFFFFFFFFFFFF0ull, 3);
    b.expect_nak(make(Opcode::kWriteOnly, 3, 17, top - 15, ~0u, kHostRkey), 0x62, 0xFFFFFB, 3);
  }
  SECTION("refused") {
    struct Case { const char* what; std::uint64_t va; std::uint32_t len, rkey; };
    for (auto c : {Case{"key", 0x10000, 8, 0x0156}, {"region number", 0x10000, 8, 0x0255}, {"region number out of range", 0x10000, 8, 0x0455},
                   {"region number far out of range", 0x10000, 8, 0xFFFFFF55}, {"unused region", 0x10000, 8, 0x0000}, {"below", 0xFFFF, 8, kRkey},
                   {"above", 0x1FFF9, 8, kRkey}, {"far above", 0x20000, 1, kRkey}, {"another class", kHost + 0x10000, 8, kRkey},
                   {"class without target", 0x7000000000010000ull, 8, kRkey}, {"wraps", ~0ull - 3, 8, kRkey}}) {
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

TEST_CASE("Responder: a table write waits for the packets on the way and holds back the rest", "[unit][roce][responder]") {
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
