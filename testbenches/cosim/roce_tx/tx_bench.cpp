// SPDX-License-Identifier: Apache-2.0
#include "testbenches/cosim/roce_tx/tx_bench.hpp"

#include <cstring>

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
                        {{static_cast<std::uint64_t>(v.request.op), 4},
                         {v.qpn.value(), 24},
                         {v.request.signaled, 1},
                         {v.request.solicited, 1},
                         {v.request.has_imm, 1},
                         {v.request.imm, 32},
                         {v.request.wr_id, 32},
                         {v.request.inl, 1},
                         {v.request.length, 32},
                         {v.request.local_va, 64},
                         {v.request.remote_va, 64},
                         {v.request.rkey, 32}});
            txd::Beat data = v.request.inline_data;
            if (ref::is_atomic(v.request.op)) {
              std::memcpy(&data[0], &v.request.swap_add, 8);
              std::memcpy(&data[8], &v.request.compare, 8);
            }
            txd::put_data(dut_->verb_i, data);
          },
          [this](bool valid) { dut_->verb_valid_i = valid; }, [this] { return dut_->verb_ready_o != 0; }),
      responses_(
          dut_, {stall, 2},
          [this](const Response& r) {
            put_members(dut_->rx_rsp_i, 0,
                        {{r.qpn, 24},
                         {r.src_ip, 32},
                         {r.psn, 24},
                         {r.opcode, 8},
                         {r.syndrome, 8},
                         {r.msn, 24},
                         {r.original, 64},
                         {r.payload.size(), 13}});
            offered_ = r;
          },
          [this](bool valid) { dut_->rx_rsp_valid_i = valid; },
          [this] {
            if (dut_->rx_rsp_ready_o && !offered_.payload.empty()) payloads_.push_back(offered_.payload);
            return dut_->rx_rsp_ready_o != 0;
          }),
      frame_stall_(stall, 3),
      cpl_stall_(stall, 4),
      cmd_stall_(stall, 5),
      write_latency_(memory.write_latency) {
  dut_.other_clocks([this](bool rise) { return set_other_clocks(rise); });
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
  dut_->rsp_cmd_ready_i = !cmd_stall_.next();
  for (; !landings_.empty() && landings_.front().at <= dut_.cycle(); landings_.pop_front(), ++landed_)
    write_memory(landings_.front().va, landings_.front().bytes);
  dut_->rsp_done_i = landed_;
}

void TxBench::take_command() {
  const auto f = [this](unsigned lsb, unsigned width) { return support::get_bits(dut_->rsp_cmd_o, lsb, width); };
  const std::uint64_t length = f(0, 13), target = f(101, 2);
  packet::Buffer bytes;
  if (f(167, 1) != 0) {
    bytes.resize(8);
    const std::uint64_t value = f(103, 64);
    std::memcpy(bytes.data(), &value, 8);
  } else {
    BUG_IF(payloads_.empty() || payloads_.front().size() != length, "a command without its payload");
    bytes = std::move(payloads_.front());
    payloads_.pop_front();
  }
  if (target == 0) bytes.clear();
  landings_.push_back({dut_.cycle() + write_latency_, f(13, 64) | (target == 2 ? kHostBit : 0), std::move(bytes)});
}

void TxBench::sample() {
  if (dut_->rsp_cmd_valid_o && dut_->rsp_cmd_ready_i) take_command();
  if (dut_->neigh_re_o) neigh_ = dut_->neigh_idx_o;
  hbm_.sample_read(dut_.cycle(), dut_->hbm_ar_o, dut_->hbm_ar_valid_o, dut_->hbm_ar_ready_i, dut_->hbm_r_ready_o);
  host_.sample_read(dut_.cycle(), dut_->host_ar_o, dut_->host_ar_valid_o, dut_->host_ar_ready_i, dut_->host_r_ready_o);
  hbm_.sample_write(dut_.cycle(), dut_->hbm_aw_o, dut_->hbm_aw_valid_o && dut_->hbm_aw_ready_i, dut_->hbm_w_o,
                    dut_->hbm_w_valid_o && dut_->hbm_w_ready_i, dut_->hbm_b_ready_o);
  if (dut_->cpl_valid_o && dut_->cpl_ready_i) {
    const auto f = [this](unsigned lsb, unsigned width) {
      return static_cast<std::uint32_t>(support::get_bits(dut_->cpl_o, lsb, width));
    };
    completions.push_back({base::Qpn(f(100, 24)), f(68, 32), static_cast<ref::CompletionStatus>(f(64, 4)),
                           support::get_bits(dut_->cpl_o, 0, 64)});
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

void TxBench::create_qp(const ref::QpConfig& c, bool init) {
  unsigned pmtu = 0;
  while ((256u << pmtu) < c.pmtu) ++pmtu;
  const std::uint32_t qpn = c.qpn.value();
  neighbours_[qpn & 255] = {c.peer_mac, c.peer_ip, true};
  put_members(dut_->glb_i, 0, {{kRingBase, 64}, {c.ack_every, 8}, {1, 1}});
  put_members(dut_->cfg_i, 0,
              {{0, 1},
               {init, 1},
               {qpn, 24},
               {static_cast<std::uint64_t>(c.state), 3},
               {pmtu, 3},
               {c.timeout_exponent, 5},
               {c.retry_limit, 3},
               {c.rnr_retry, 3},
               {c.min_rnr_timer, 5},
               {c.service == ref::QpService::kUd, 1},
               {0, 2 + 3},  // congestion control, what the peer may do
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

packet::Buffer TxBench::read_memory(std::uint64_t va, std::size_t length) {
  txd::AxiSlave& memory = (va & kHostBit) ? host_ : hbm_;
  packet::Buffer bytes(length);
  for (std::size_t i = 0; i < length; ++i) bytes[i] = memory.byte((va & ~kHostBit) + i);
  return bytes;
}

void TxBench::deliver(packet::ByteSpan frame) {
  const packet::ParsedPacket p = packet::parse(frame);
  BUG_IF(!p.is_roce() || p.bth->opcode < 0x0D || p.bth->opcode > 0x12, "not a response: " + packet::describe(p));
  responses_.push({p.bth->dest_qp,
                   p.ipv4->src,
                   p.bth->psn,
                   p.bth->opcode,
                   p.ext.aeth ? p.ext.aeth->syndrome : 0xFFu,  // a READ response in the middle has none
                   p.ext.aeth ? p.ext.aeth->msn : 0u,
                   p.ext.atomic_ack ? p.ext.atomic_ack->original : 0,
                   {p.payload.begin(), p.payload.end()}});
}

bool TxBench::set_other_clocks(bool rise) {
  dut_->clk_path_i = rise && !(gating_ && dut_->path_quiet_o);
  dut_->clk_cc_i = rise && !(gating_ && dut_->cc_quiet_o);
  return dut_->clk_path_i || dut_->clk_cc_i;
}

bool TxBench::quiet() const {
  return verbs_.empty() && responses_.empty() && landings_.empty() && all_quiet() && hbm_.idle() && host_.idle();
}

bool TxBench::settle(std::uint64_t limit) {
  for (std::uint64_t i = 0; i < limit; ++i) {
    tick();
    if (quiet()) return true;
  }
  return false;
}

void TxBench::expire_timer() {
  const unsigned before = counts.timeout;
  const std::size_t sent = frames.size();  // the end of an RNR wait is no timeout
  // The bound may be early: a sweep that finds nothing due raises it.
  for (int tries = 0; tries < 10 && counts.timeout == before && frames.size() == sent && dut_->wake_at_o != ~0ull;
       ++tries) {
    now = std::max<std::uint64_t>(now, dut_->wake_at_o);
    settle();
  }
}

}  // namespace caravan::cosim
