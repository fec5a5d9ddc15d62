// SPDX-License-Identifier: Apache-2.0
#include "testbenches/cosim/roce_tx/tx_bench.hpp"

#include "models/base/errors.hpp"

namespace caravan::cosim {

using txd::put_members;

TxBench::TxBench(const packet::MacAddr& mac, packet::Ipv4Addr ip, Kind stall, txd::AxiTiming memory)
    : hbm_(memory, 100),
      host_(memory, 200),
      verbs_(
          dut_, {stall, 1},
          [this](const Verb& v) {
            put_members(dut_->verb_i, 512,
                        {{0, 4},
                         {v.qpn.value(), 24},
                         {v.request.signaled, 1},
                         {0, 34},  // solicited, immediate data
                         {v.request.wr_id, 32},
                         {v.inl, 1},
                         {v.request.length, 32},
                         {v.request.local_va, 64},
                         {v.request.remote_va, 64},
                         {v.request.rkey, 32}});
            txd::put_data(dut_->verb_i, v.data);
          },
          [this](bool valid) { dut_->verb_valid_i = valid; }, [this] { return dut_->verb_ready_o != 0; }),
      acks_(
          dut_, {stall, 2},
          [this](const Ack& a) {
            put_members(
                dut_->rx_rsp_i, 0,
                {{a.qpn, 24}, {a.src_ip, 32}, {a.psn, 24}, {0x11, 8}, {a.syndrome, 8}, {a.msn, 24}, {0, 64}, {0, 13}});
          },
          [this](bool valid) { dut_->rx_rsp_valid_i = valid; }, [this] { return dut_->rx_rsp_ready_o != 0; }),
      frame_stall_(stall, 3),
      cpl_stall_(stall, 4) {
  dut_.add([this] { drive(); }, [this] { sample(); });
  put_members(dut_->net_cfg_i, 0, {{packet::get_be(mac.data(), 6), 48}, {ip, 32}});
  put_members(dut_->glb_i, 0, {{kRingBase, 64}, {8, 8}, {1, 1}});
  dut_.reset();
}

void TxBench::drive() {
  dut_->now_i = now;
  const Neighbour& row = neighbours_[neigh_];
  put_members(dut_->neigh_i, 0, {{row.valid, 1}, {packet::get_be(row.mac.data(), 6), 48}, {row.ip, 32}});
  hbm_.drive_read(dut_.cycle(), dut_->hbm_r_i, dut_->hbm_r_valid_i, dut_->hbm_ar_ready_i);
  host_.drive_read(dut_.cycle(), dut_->host_r_i, dut_->host_r_valid_i, dut_->host_ar_ready_i);
  hbm_.drive_write(dut_.cycle(), dut_->hbm_aw_ready_i, dut_->hbm_w_ready_i, dut_->hbm_b_i, dut_->hbm_b_valid_i);
  dut_->frame_ready_i = !frame_stall_.next();
  dut_->cpl_ready_i = !cpl_stall_.next();
  dut_->qp_err_ready_i = 1;
  dut_->rsp_cmd_ready_i = 1;
}

void TxBench::sample() {
  if (dut_->neigh_re_o) neigh_ = dut_->neigh_idx_o;
  hbm_.sample_read(dut_.cycle(), dut_->hbm_ar_o, dut_->hbm_ar_valid_o, dut_->hbm_ar_ready_i, dut_->hbm_r_ready_o);
  host_.sample_read(dut_.cycle(), dut_->host_ar_o, dut_->host_ar_valid_o, dut_->host_ar_ready_i, dut_->host_r_ready_o);
  hbm_.sample_write(dut_.cycle(), dut_->hbm_aw_o, dut_->hbm_aw_valid_o && dut_->hbm_aw_ready_i, dut_->hbm_w_o,
                    dut_->hbm_w_valid_o && dut_->hbm_w_ready_i, dut_->hbm_b_ready_o);
  if (dut_->cpl_valid_o && dut_->cpl_ready_i) {
    const auto f = [this](unsigned lsb, unsigned width) {
      return static_cast<std::uint32_t>(support::get_bits(dut_->cpl_o, lsb, width));
    };
    completions.push_back({base::Qpn(f(100, 24)), f(68, 32), static_cast<ref::CompletionStatus>(f(64, 4))});
  }
  const unsigned s = dut_->stats_o;  // first member is the most significant of 12 bits
  const auto event = [s](unsigned member) { return (s >> (11 - member)) & 1; };
  counts.pkts += event(0);
  counts.retrans += event(1);
  counts.rx_ack += event(4);
  counts.rx_nak += event(5);
  counts.rx_stale += event(6);
  counts.timeout += event(7);
  counts.qp_err += event(8);
  counts.drop_neigh += event(9);
  counts.mem_err += event(11);
  if (!dut_->frame_valid_o || !dut_->frame_ready_i) return;
  const txd::FrameBeat beat = txd::get_frame_beat(dut_->frame_o);
  if (!in_frame_) {
    frames.emplace_back();
    first_beat_at.push_back(now);
  }
  frames.back().insert(frames.back().end(), beat.data.begin(), beat.data.begin() + beat.bytes);
  in_frame_ = !beat.last;
  if (!beat.last) return;
  last_beat_at.push_back(now);
  if (on_frame) on_frame(frames.back());
}

void TxBench::tick() {
  dut_.tick();
  ++now;
}

void TxBench::create_qp(const ref::QpConfig& c) {
  unsigned pmtu = 0;
  while ((256u << pmtu) < c.pmtu) ++pmtu;
  const std::uint32_t qpn = c.qpn.value();
  neighbours_[qpn & 255] = {c.peer_mac, c.peer_ip, true};
  put_members(dut_->glb_i, 0, {{kRingBase, 64}, {c.ack_every, 8}, {1, 1}});
  put_members(dut_->cfg_i, 0,
              {{0, 1},
               {1, 1},
               {qpn, 24},
               {static_cast<std::uint64_t>(c.state), 3},
               {pmtu, 3},
               {c.timeout_exponent, 5},
               {c.retry_limit, 3},
               {0, 3 + 5 + 1 + 2},  // RNR retry and timer, service, congestion control
               {0, 3},
               {c.dest_qpn.value(), 24},
               {qpn & 255, 8},
               {c.peer_ip, 32},
               {c.udp_src_port, 16},
               {c.pd, 16},
               {0, 32},
               {c.first_psn_to_send.value(), 24},
               {c.first_psn_to_expect.value(), 24},
               {0, 64},
               {0, 64},
               {0, 28}});
  dut_->cfg_valid_i = 1;
  do {
    dut_->clk_i = 0;
    dut_->eval();
    dut_->cfg_go_i = dut_->cfg_ready_o;
    tick();
  } while (!dut_->cfg_go_i);
  dut_->cfg_go_i = 0;
  dut_->cfg_valid_i = 0;
}

void TxBench::write_memory(std::uint64_t va, packet::ByteSpan bytes) {
  txd::AxiSlave& memory = (va & kHostBit) ? host_ : hbm_;
  for (std::size_t i = 0; i < bytes.size(); ++i) memory.byte((va & ~kHostBit) + i) = bytes[i];
}

void TxBench::deliver(packet::ByteSpan frame) {
  const packet::ParsedPacket p = packet::parse(frame);
  BUG_IF(!p.is_roce() || !p.ext.aeth, "an acknowledge was expected: " + packet::describe(p));
  acks_.push({p.bth->dest_qp, p.ipv4->src, p.bth->psn, p.ext.aeth->syndrome, p.ext.aeth->msn});
}

bool TxBench::quiet() const { return verbs_.empty() && acks_.empty() && dut_->quiet_o && hbm_.idle() && host_.idle(); }

bool TxBench::settle(std::uint64_t limit) {
  for (std::uint64_t i = 0; i < limit; ++i) {
    tick();
    if (quiet()) return true;
  }
  return false;
}

void TxBench::expire_timer() {
  const unsigned before = counts.timeout;
  // The bound may be early: a sweep that finds nothing due raises it.
  for (int tries = 0; tries < 10 && counts.timeout == before && dut_->wake_at_o != ~0ull; ++tries) {
    now = std::max<std::uint64_t>(now, dut_->wake_at_o);
    settle();
  }
}

}  // namespace caravan::cosim
