// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/roce_txc/ctl_bench.hpp"

#include "models/base/errors.hpp"

namespace caravan::roce_txc {

std::uint64_t ring_slot(std::uint32_t qpn, std::uint32_t psn) {
  return kRingBase + ((std::uint64_t{qpn} * kWindow + psn % kWindow) << 12);
}

Ctl::Ctl(Stalls stalls)
    : verbs(
          dut, {stalls.verb, 11},
          [this](const Verb& v) {
            dut->verb_op_i = v.op;
            dut->verb_qpn_i = v.qpn;
            dut->verb_signaled_i = v.signaled;
            dut->verb_wr_id_i = v.wr_id;
            dut->verb_inl_i = v.inl;
            dut->verb_len_i = v.len;
            dut->verb_laddr_i = v.laddr;
            dut->verb_raddr_i = v.raddr;
            dut->verb_rkey_i = v.rkey;
            dut->verb_solicited_i = v.solicited;
            dut->verb_has_imm_i = v.has_imm;
            dut->verb_imm_i = v.imm;
            for (unsigned i = 0; i < 16; ++i) dut->verb_data_i[i] = v.data + i;
            if (v.op == kCas || v.op == kFaa) {
              for (unsigned i = 0; i < 2; ++i) {
                dut->verb_data_i[i] = static_cast<std::uint32_t>(v.operand >> (32 * i));
                dut->verb_data_i[2 + i] = static_cast<std::uint32_t>(v.compare >> (32 * i));
              }
            }
          },
          [this](bool valid) { dut->verb_valid_i = valid; }, [this] { return dut->verb_ready_o != 0; }),
      acks(
          dut, {stalls.ack, 12},
          [this](const Ack& a) {
            dut->ack_qpn_i = a.qpn;
            dut->ack_psn_i = a.psn;
            dut->ack_syndrome_i = a.syndrome;
            dut->ack_src_ip_i = a.src_ip;
            dut->ack_opcode_i = a.opcode;
            dut->ack_len_i = a.len;
            dut->ack_orig_i = a.orig;
            offered_ = a;
          },
          [this](bool valid) { dut->ack_valid_i = valid; },
          [this] {
            if (dut->ack_ready_o && offered_.len != 0) with_payload_.push_back(offered_);
            return dut->ack_ready_o != 0;
          }),
      errs(
          dut, {StallPattern::Kind::kNone}, [this](std::uint32_t qpn) { dut->err_qpn_i = qpn; },
          [this](bool valid) { dut->err_valid_i = valid; }, [this] { return dut->err_ready_o != 0; }),
      fails(
          dut, {StallPattern::Kind::kNone},
          [this](const MemFail& f) {
            dut->fail_own_i = f.own;
            dut->fail_qpn_i = f.qpn;
            dut->fail_psn_i = f.psn;
          },
          [this](bool valid) { dut->fail_valid_i = valid; }, [this] { return dut->fail_ready_o != 0; }),
      cpl(
          dut, {stalls.cpl, 13},
          [this] {
            originals.push_back(dut->cpl_orig_o);
            return Cpl{dut->cpl_qpn_o, dut->cpl_wr_id_o, dut->cpl_status_o};
          },
          [this] { return dut->cpl_valid_o && !hold_cpl; },
          [this](bool ready) { dut->cpl_ready_i = ready && !hold_cpl; }),
      job_stall_(stalls.job, 14),
      retry_stall_(stalls.retry, 15),
      cmd_stall_(stalls.cmd, 16) {
  dut.add(
      [this] {
        dut->now_i = now;
        dut->err_ready_i = 1;
        dut->new_ready_i = !hold_jobs && !hold_new && !job_stall_.next();
        dut->retry_ready_i = !hold_jobs && !retry_stall_.next();
        dut->cmd_ready_i = !hold_cmds && !cmd_stall_.next();
        dut->bad_i = 0;
        for (; !hold_writes && !in_memory_at_.empty() && in_memory_at_.front().at <= now && !dut->bad_i;
             in_memory_at_.pop_front()) {
          ++done_;
          dut->bad_i = in_memory_at_.front().bad;
          dut->bad_qpn_i = in_memory_at_.front().qpn;
        }
        dut->done_i = done_;
      },
      [this] {
        if (dut->cmd_valid_o && dut->cmd_ready_i) {
          Cmd cmd{dut->cmd_inl_o != 0,
                  dut->cmd_data_o,
                  dut->cmd_target_o,
                  dut->cmd_qpn_o,
                  dut->cmd_addr_o,
                  dut->cmd_len_o,
                  0,
                  now};
          if (!cmd.inl) {
            BUG_IF(with_payload_.empty() || with_payload_.front().len != cmd.len, "a command without its payload");
            cmd.va = with_payload_.front().va;
            with_payload_.pop_front();
          }
          in_memory_at_.push_back({now + write_latency, cmd.qpn, is_bad && is_bad(cmd)});
          cmds.push_back(cmd);
          if (on_cmd) on_cmd(cmd);
        }
        for (const bool retry : {true, false}) {
          if (retry ? !(dut->retry_valid_o && dut->retry_ready_i) : !(dut->new_valid_o && dut->new_ready_i)) continue;
          jobs_.push_back(retry ? read_retry() : read_new());
          if (on_job) on_job(jobs_.back());
        }
        if (dut->err_valid_o) err_out.push_back(dut->err_qpn_o);
        events.ack += dut->ev_ack_o;
        events.nak += dut->ev_nak_o;
        events.stale += dut->ev_stale_o;
        events.timeout += dut->ev_timeout_o;
        events.qp_err += dut->ev_qp_err_o;
        events.bad += dut->ev_bad_o;
      });
  dut->ring_base_i = kRingBase;
  dut->ackreq_every_i = 8;
  dut.reset();
}

void Ctl::tick() {
  dut.tick();
  ++now;
}

void Ctl::run(std::uint64_t cycles) {
  for (std::uint64_t i = 0; i < cycles; ++i) tick();
}

bool Ctl::run_until(const std::function<bool()>& done, std::uint64_t limit) {
  for (std::uint64_t i = 0; i < limit && !done(); ++i) tick();
  return done();
}

unsigned Ctl::configure(std::uint32_t qpn, const Qp& qp, bool init) {
  dut->cfg_valid_i = 1;
  dut->cfg_is_region_i = 0;
  dut->cfg_init_i = init;
  dut->cfg_index_i = qpn;
  dut->cfg_state_i = qp.state;
  dut->cfg_pmtu_i = qp.pmtu;
  dut->cfg_timeout_i = qp.timeout;
  dut->cfg_retry_limit_i = qp.retry_limit;
  dut->cfg_rnr_retry_i = qp.rnr_retry;
  dut->cfg_ud_i = qp.ud;
  dut->cfg_dest_qpn_i = qp.dest + qpn;
  dut->cfg_neigh_i = qpn + 3;
  dut->cfg_peer_ip_i = qp.peer_ip;
  dut->cfg_sport_i = 0xC000 + qpn;
  dut->cfg_sq_psn_i = qp.psn;
  unsigned waited = 0;
  for (;; ++waited) {
    dut->clk_i = 0;
    dut->eval();
    if (dut->cfg_ready_o) break;
    tick();
    if (waited > 500) return waited;
  }
  dut->cfg_go_i = 1;
  tick();
  dut->cfg_go_i = 0;
  dut->cfg_valid_i = 0;
  return waited;
}

void Ctl::read_responses(std::uint32_t qpn, std::uint32_t first, std::uint32_t n, std::uint32_t len) {
  for (std::uint32_t i = 0; i < n; ++i) {
    const unsigned opcode = n == 1 ? kReadOnly : i == 0 ? kReadFirst : i + 1 == n ? kReadLast : kReadMiddle;
    ack({.qpn = qpn, .psn = (first + i) & kPsnMask, .opcode = opcode, .len = len});
  }
}

bool Ctl::settle(std::uint64_t limit) {
  for (std::uint64_t i = 0; i < limit; ++i) {
    tick();
    if (dut->quiet_o && in_memory_at_.empty() && verbs.empty() && acks.empty() && errs.empty()) return true;
  }
  return false;
}

namespace {
void put_ext(Job& job, const VlWide<7>& ext) {
  for (unsigned i = 0; i < 7; ++i) job.ext[i] = ext[6 - i];
  // Where the packet has a RETH.
  job.va = std::uint64_t{job.ext[0]} << 32 | job.ext[1];
  job.rkey = job.ext[2];
  job.total = job.ext[3];
}
}  // namespace

Job Ctl::read_new() {
  const Vroce_ctl& p = *dut;
  Job job{.opcode = p.new_opcode_o,
          .ackreq = p.new_ackreq_o != 0,
          .dest = p.new_dest_o,
          .psn = p.new_psn_o,
          .neigh = p.new_neigh_o,
          .sport = p.new_sport_o,
          .len = p.new_len_o,
          .src = p.new_src_o,
          .addr = p.new_addr_o,
          .ring = p.new_ring_o,
          .ring_we = p.new_ring_we_o != 0,
          .ring_rd = p.new_ring_rd_o != 0,
          .data = p.new_data_o[0],
          .at = now,
          .retry = false};
  job.se = p.new_se_o != 0;
  put_ext(job, p.new_ext_o);
  return job;
}

Job Ctl::read_retry() {
  const Vroce_ctl& p = *dut;
  Job job{.opcode = p.retry_opcode_o,
          .ackreq = p.retry_ackreq_o != 0,
          .dest = p.retry_dest_o,
          .psn = p.retry_psn_o,
          .neigh = p.retry_neigh_o,
          .sport = p.retry_sport_o,
          .len = p.retry_len_o,
          .src = p.retry_src_o,
          .addr = p.retry_addr_o,
          .ring = p.retry_ring_o,
          .ring_we = p.retry_ring_we_o != 0,
          .ring_rd = p.retry_ring_rd_o != 0,
          .data = 0,
          .at = now,
          .retry = true};
  job.se = p.retry_se_o != 0;
  put_ext(job, p.retry_ext_o);
  return job;
}

}  // namespace caravan::roce_txc
