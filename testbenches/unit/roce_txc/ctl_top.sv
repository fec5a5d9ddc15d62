// SPDX-License-Identifier: Apache-2.0
// roce_tx_ctl with flat, named pins for the unit bench.
module ctl_top
  import roce_pkg::*;
#(
  parameter int unsigned NumQps      = 8,
  parameter int unsigned Window      = 16,
  parameter int unsigned SqDepth     = 8,
  parameter int unsigned CyclesPerUs = 250
) (
  input logic clk_i,
  input logic rst_i,
  input logic [63:0] now_i,

  input logic [63:0] ring_base_i,
  input logic [ 7:0] ackreq_every_i,

  input  logic        cfg_valid_i,
  input  logic        cfg_go_i,
  output logic        cfg_ready_o,
  input  logic        cfg_is_region_i,
  input  logic        cfg_init_i,
  input  logic [23:0] cfg_index_i,
  input  logic [ 2:0] cfg_state_i,
  input  logic [ 2:0] cfg_pmtu_i,
  input  logic [ 4:0] cfg_timeout_i,
  input  logic [ 2:0] cfg_retry_limit_i,
  input  logic [ 2:0] cfg_rnr_retry_i,
  input  logic        cfg_ud_i,
  input  logic [23:0] cfg_dest_qpn_i,
  input  logic [ 7:0] cfg_neigh_i,
  input  logic [31:0] cfg_peer_ip_i,
  input  logic [15:0] cfg_sport_i,
  input  logic [23:0] cfg_sq_psn_i,

  input  logic         verb_valid_i,
  output logic         verb_ready_o,
  input  logic [  3:0] verb_op_i,
  input  logic [ 23:0] verb_qpn_i,
  input  logic         verb_signaled_i,
  input  logic         verb_solicited_i,
  input  logic         verb_has_imm_i,
  input  logic [ 31:0] verb_imm_i,
  input  logic [ 31:0] verb_wr_id_i,
  input  logic         verb_inl_i,
  input  logic [ 31:0] verb_len_i,
  input  logic [ 63:0] verb_laddr_i,
  input  logic [ 63:0] verb_raddr_i,
  input  logic [ 31:0] verb_rkey_i,
  input  logic [511:0] verb_data_i,

  output logic        cpl_valid_o,
  input  logic        cpl_ready_i,
  output logic [23:0] cpl_qpn_o,
  output logic [31:0] cpl_wr_id_o,
  output logic [ 3:0] cpl_status_o,
  output logic [63:0] cpl_orig_o,

  input  logic        ack_valid_i,
  output logic        ack_ready_o,
  input  logic [23:0] ack_qpn_i,
  input  logic [31:0] ack_src_ip_i,
  input  logic [23:0] ack_psn_i,
  input  logic [ 7:0] ack_opcode_i,
  input  logic [ 7:0] ack_syndrome_i,
  input  logic [63:0] ack_orig_i,
  input  logic [12:0] ack_len_i,

  output logic        cmd_valid_o,
  input  logic        cmd_ready_i,
  output logic        cmd_inl_o,
  output logic [63:0] cmd_data_o,
  output logic [ 1:0] cmd_target_o,
  output logic [23:0] cmd_qpn_o,
  output logic [63:0] cmd_addr_o,
  output logic [12:0] cmd_len_o,
  input  logic [ 7:0] done_i,
  input  logic        bad_i,
  input  logic [23:0] bad_qpn_i,

  input  logic        fail_valid_i,
  output logic        fail_ready_o,
  input  logic        fail_own_i,
  input  logic [23:0] fail_qpn_i,
  input  logic [23:0] fail_psn_i,

  input  logic        err_valid_i,
  output logic        err_ready_o,
  input  logic [23:0] err_qpn_i,
  output logic        err_valid_o,
  input  logic        err_ready_i,
  output logic [23:0] err_qpn_o,

  output logic         new_valid_o,
  input  logic         new_ready_i,
  output logic         retry_valid_o,
  input  logic         retry_ready_i,
  output logic [  7:0] new_opcode_o,
  retry_opcode_o,
  output logic         new_ackreq_o,
  retry_ackreq_o,
  output logic [ 23:0] new_dest_o,
  retry_dest_o,
  output logic [ 23:0] new_psn_o,
  retry_psn_o,
  output logic [  7:0] new_neigh_o,
  retry_neigh_o,
  output logic [ 15:0] new_sport_o,
  retry_sport_o,
  output logic         new_se_o,
  retry_se_o,
  output logic [223:0] new_ext_o,
  retry_ext_o,
  output logic [ 12:0] new_len_o,
  retry_len_o,
  output logic [  1:0] new_src_o,
  retry_src_o,
  output logic [ 63:0] new_addr_o,
  retry_addr_o,
  output logic         new_ring_we_o,
  retry_ring_we_o,
  output logic         new_ring_rd_o,
  retry_ring_rd_o,
  output logic [ 63:0] new_ring_o,
  retry_ring_o,
  output logic [511:0] new_data_o,

  output logic        ev_ack_o,
  output logic        ev_nak_o,
  output logic        ev_stale_o,
  output logic        ev_timeout_o,
  output logic        ev_qp_err_o,
  output logic        ev_bad_o,
  output logic        quiet_o,
  output logic [63:0] wake_at_o
);

  roce_cfg_t cfg;
  verb_t verb;
  cpl_t cpl;
  rx_rsp_t ack;
  rx_cmd_t cmd;
  qp_err_t err_in, err_out;
  tx_job_t new_job, retry_job;
  roce_glb_t glb;
  roce_tx_stats_t stats;

  always_comb begin
    cfg = '0;
    cfg.is_region = cfg_is_region_i;
    cfg.init = cfg_init_i;
    cfg.index = cfg_index_i;
    cfg.qpc.state = qp_state_e'(cfg_state_i);
    cfg.qpc.pmtu = cfg_pmtu_i;
    cfg.qpc.timeout = cfg_timeout_i;
    cfg.qpc.retry_limit = cfg_retry_limit_i;
    cfg.qpc.rnr_retry = cfg_rnr_retry_i;
    cfg.qpc.svc = qp_service_e'(cfg_ud_i);
    cfg.qpc.dest_qpn = cfg_dest_qpn_i;
    cfg.qpc.neigh = cfg_neigh_i;
    cfg.qpc.peer_ip = cfg_peer_ip_i;
    cfg.qpc.sport = cfg_sport_i;
    cfg.sq_psn = cfg_sq_psn_i;
    verb = '{
        verb_op_e'(verb_op_i),
        verb_qpn_i,
        verb_signaled_i,
        verb_solicited_i,
        verb_has_imm_i,
        verb_imm_i,
        verb_wr_id_i,
        verb_inl_i,
        verb_len_i,
        verb_laddr_i,
        verb_raddr_i,
        verb_rkey_i,
        verb_data_i
    };
    ack = '{
        qpn: ack_qpn_i,
        src_ip: ack_src_ip_i,
        psn: ack_psn_i,
        opcode: ack_opcode_i,
        syndrome: ack_syndrome_i,
        msn: '0,
        orig: ack_orig_i,
        len: ack_len_i
    };
    err_in = '{qpn: err_qpn_i};
    glb = '{ring_base: ring_base_i, ackreq_every: ackreq_every_i, icrc_check: 1'b1};
  end

  roce_tx_ctl #(
    .NumQps     (NumQps),
    .Window     (Window),
    .SqDepth    (SqDepth),
    .CyclesPerUs(CyclesPerUs)
  ) u_dut (
    .clk_i,
    .rst_i,
    .now_i,
    .glb_i            (glb),
    .cfg_i            (cfg),
    .cfg_valid_i,
    .cfg_go_i,
    .cfg_ready_o,
    .verb_i           (verb),
    .verb_valid_i,
    .verb_ready_o,
    .cpl_o            (cpl),
    .cpl_valid_o,
    .cpl_ready_i,
    .rx_rsp_i         (ack),
    .rx_rsp_valid_i   (ack_valid_i),
    .rx_rsp_ready_o   (ack_ready_o),
    .rsp_cmd_o        (cmd),
    .rsp_cmd_valid_o  (cmd_valid_o),
    .rsp_cmd_ready_i  (cmd_ready_i),
    .rsp_done_i       ('{bad: bad_i, qpn: bad_qpn_i, count: done_i}),
    .qp_err_i         (err_in),
    .qp_err_valid_i   (err_valid_i),
    .qp_err_ready_o   (err_ready_o),
    .qp_err_o         (err_out),
    .qp_err_valid_o   (err_valid_o),
    .qp_err_ready_i   (err_ready_i),
    .fail_i           ('{own: fail_own_i, qpn: fail_qpn_i, psn: fail_psn_i}),
    .fail_valid_i,
    .fail_ready_o,
    .new_job_o        (new_job),
    .new_job_valid_o  (new_valid_o),
    .new_job_ready_i  (new_ready_i),
    .retry_job_o      (retry_job),
    .retry_job_valid_o(retry_valid_o),
    .retry_job_ready_i(retry_ready_i),
    .pace_qpn_o       (),
    .paced_i          (1'b0),
    .limited_i        (1'b0),
    .park_o           (),
    .pace_kick_qpn_i  ('0),
    .pace_kick_i      (1'b0),
    .pace_kick_ready_o(),
    .sent_o           (),
    .sent_valid_o     (),
    .back_qpn_o       (),
    .back_o           (),
    .stats_o          (stats),
    .quiet_o,
    .wake_at_o
  );

  assign {cpl_qpn_o, cpl_wr_id_o, cpl_status_o, cpl_orig_o} = cpl;
  assign {cmd_inl_o, cmd_data_o, cmd_target_o, cmd_qpn_o, cmd_addr_o, cmd_len_o} = cmd;
  assign err_qpn_o = err_out.qpn;
  assign {ev_ack_o, ev_nak_o, ev_stale_o} = {stats.rx_ack, stats.rx_nak, stats.rx_stale};
  assign {ev_timeout_o, ev_qp_err_o, ev_bad_o} = {stats.timeout, stats.qp_err, stats.bad_verb};

  assign {new_opcode_o, new_ackreq_o, new_dest_o, new_psn_o, new_neigh_o, new_sport_o, new_se_o, new_ext_o} = {
    new_job.hdr.opcode,
    new_job.hdr.ackreq,
    new_job.hdr.dest_qpn,
    new_job.hdr.psn,
    new_job.hdr.neigh,
    new_job.hdr.sport,
    new_job.hdr.se,
    new_job.hdr.ext
  };
  assign {new_len_o, new_src_o, new_addr_o, new_ring_we_o, new_ring_rd_o, new_ring_o, new_data_o} = {
    new_job.hdr.len, new_job.src, new_job.addr, new_job.ring_we, new_job.ring_rd, new_job.ring_addr, new_job.data
  };
  assign {retry_opcode_o, retry_ackreq_o, retry_dest_o, retry_psn_o, retry_neigh_o, retry_sport_o, retry_se_o,
          retry_ext_o} = {
    retry_job.hdr.opcode,
    retry_job.hdr.ackreq,
    retry_job.hdr.dest_qpn,
    retry_job.hdr.psn,
    retry_job.hdr.neigh,
    retry_job.hdr.sport,
    retry_job.hdr.se,
    retry_job.hdr.ext
  };
  assign {retry_len_o, retry_src_o, retry_addr_o, retry_ring_we_o, retry_ring_rd_o, retry_ring_o} = {
    retry_job.hdr.len, retry_job.src, retry_job.addr, retry_job.ring_we, retry_job.ring_rd, retry_job.ring_addr
  };

endmodule
