// SPDX-License-Identifier: Apache-2.0
// Bench of roce_responder: descriptors in, commands, acknowledge events and failures out. V is the Verilated class.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <optional>

#include "testbenches/support/roce_cfg_driver.hpp"

namespace caravan::support {

using packet::Opcode;

inline constexpr std::uint32_t kPeer = 0x0A000001, kRkey = 0x0155, kHostRkey = 0x0266, kRpcRkey = 0x0377;
inline constexpr std::uint64_t kHostVa = 0x8000000000000000ull, kRpcVa = 0x3000000000000000ull;

template <class V>
struct ResponderBenchOf {
  using Kind = StallPattern::Kind;
  Bench<V> dut;
  CfgDriver<V> cfg{dut};
  Source<RxDesc> desc;
  Sink<RxCmd> cmd;
  Sink<AckEvt> evt;
  Sink<std::uint32_t> err;
  Sink<RdEvt> rd;
  Sink<RqDone> rq;
  RxStats stats{};
  std::optional<ref::ReceiveRequest> buffer;  ///< at the head of every receive queue
  unsigned pops = 0, peeks = 0, marks = 0, cnps = 0;
  std::uint64_t after = 0;  ///< of the newest acknowledge event

  explicit ResponderBenchOf(Kind gaps = Kind::kNone, Kind stalls = Kind::kNone, std::uint64_t seed = 1)
      : desc(
            dut, StallPattern(gaps, seed), [this](const RxDesc& d) { pack(dut->desc_i, d); },
            [this](bool v) { dut->desc_valid_i = v; }, [this] { return dut->desc_ready_o != 0; }),
        cmd(
            dut, StallPattern(stalls, seed + 1), [this] { return unpack_cmd(dut->cmd_o); },
            [this] { return dut->cmd_valid_o != 0; }, [this](bool r) { dut->cmd_ready_i = r; }),
        evt(
            dut, StallPattern(stalls, seed + 2), [this] { return unpack_ack_evt(dut->ack_evt_o); },
            [this] { return dut->ack_evt_valid_o != 0; }, [this](bool r) { dut->ack_evt_ready_i = r; }),
        err(
            dut, StallPattern(stalls, seed + 3), [this] { return std::uint32_t{dut->qp_err_o}; },
            [this] { return dut->qp_err_valid_o != 0; }, [this](bool r) { dut->qp_err_ready_i = r; }),
        rd(
            dut, StallPattern(stalls, seed + 4), [this] { return unpack_rd(dut->rd_o); },
            [this] { return dut->rd_valid_o != 0; }, [this](bool r) { dut->rd_ready_i = r; }),
        rq(
            dut, StallPattern(stalls, seed + 5),
            [this] {
              return RqDone{unpack_rq_cpl(dut->rq_done_o), PinReader(dut->rq_done_o).skip(kRqCplBits).get32(32)};
            },
            [this] { return dut->rq_done_valid_o != 0; }, [this](bool r) { dut->rq_done_ready_i = r; }) {
    dut.add(
        [this] {
          dut->entry_ok_i = buffer.has_value();
          if (buffer) PinWriter(dut->entry_i).put(32, buffer->length).put(64, buffer->local_va).put(32, buffer->wr_id);
        },
        [this] {
          pops += dut->pop_o, peeks += dut->peek_o, marks += dut->ce_o, cnps += dut->cnp_o;
          if (dut->ack_evt_valid_o) after = PinReader(dut->ack_evt_o).skip(80).get(56);
          for (unsigned i = 0; i < kRxStats; ++i) stats[i] += dut->stats_o >> i & 1;
        });
    dut.reset();
    cfg.write(RoceCfg::of_qp(qp(1)));
    cfg.write(RoceCfg::of_qp(qp(2)));
    cfg.write(RoceCfg::of_region(kRkey, region(0x10000, 0x10000)));
    cfg.write(RoceCfg::of_region(kHostRkey, region(kHostVa + 0x1000, 0x1000)));
    cfg.write(RoceCfg::of_region(kRpcRkey, region(kRpcVa, 0x1000)));
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
    REQUIRE(dut.run_until([this] { return dut->quiet_o && !dut->rd_valid_o; }, 1000));
  }
  /// One packet through the idle pipeline: what it caused.
  struct Reaction {
    std::optional<RdEvt> rd;
    std::optional<RqDone> rq;
    std::optional<RxCmd> cmd;
    std::optional<AckEvt> evt;
    bool failed = false;
    RxStats stats{};
  };
  Reaction react(const RxDesc& d) {
    cmd.clear(), evt.clear(), err.clear(), rd.clear(), rq.clear();
    stats = {};
    desc.push(d);
    drain();
    REQUIRE((cmd.items().size() <= 1 && evt.items().size() <= 1 && err.items().size() <= 1));
    Reaction r;
    if (!cmd.items().empty()) r.cmd = cmd.items()[0];
    if (!evt.items().empty()) r.evt = evt.items()[0];
    REQUIRE((rd.items().size() <= 1 && rq.items().size() <= 1));
    if (!rd.items().empty()) r.rd = rd.items()[0];
    if (!rq.items().empty()) r.rq = rq.items()[0];
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
inline RxDesc make(Opcode op, std::uint32_t n, std::uint32_t len, std::uint64_t va = 0x10000, std::uint32_t dma = ~0u,
                   std::uint32_t rkey = kRkey) {
  RxDesc d;
  d.bth.opcode = static_cast<std::uint8_t>(op);
  d.bth.dest_qp = 1;
  d.bth.psn = (0xFFFFF8 + n) & 0xFFFFFF;
  d.bth.ack_req = true;
  d.set({va, rkey, dma == ~0u ? len : dma});
  d.src_ip = kPeer;
  d.len = len;
  return d;
}

}  // namespace caravan::support
