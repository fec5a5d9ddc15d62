// SPDX-License-Identifier: Apache-2.0
// Control half of the send side with congestion control, flat pins: work requests, acknowledges, CNPs and marks in, packet
// jobs out. Table writes are taken when both are ready.
module paced_top
  import roce_cc_pkg::*;
  import roce_pkg::*;
  import roce_wire_pkg::*;
#(
  parameter int unsigned NumQps = 8
) (
  input logic                clk_i,
  input logic                rst_i,
  input logic         [63:0] now_i,
  input roce_cc_cfg_t        cc_i,

  input  logic        cfg_valid_i,
  output logic        cfg_done_o,
  input  logic [23:0] cfg_index_i,
  input  logic [ 1:0] cfg_cc_i,
  input  logic [ 4:0] cfg_timeout_i,

  input  logic        verb_valid_i,
  output logic        verb_ready_o,
  input  logic [23:0] verb_qpn_i,
  input  logic [31:0] verb_len_i,

  input  logic        ack_valid_i,
  output logic        ack_ready_o,
  input  logic [23:0] ack_qpn_i,
  input  logic [23:0] ack_psn_i,
  input  logic [ 7:0] ack_syndrome_i,

  input logic [23:0] ce_qpn_i,
  input logic        ce_valid_i,
  input logic [23:0] cnp_qpn_i,
  input logic        cnp_valid_i,

  output logic        new_valid_o,
  input  logic        new_ready_i,
  output logic [23:0] new_dest_o,
  output logic [23:0] new_psn_o,
  output logic [12:0] new_len_o,
  output logic        new_ackreq_o,
  output logic        retry_valid_o,

  output logic        cnp_job_valid_o,
  input  logic        cnp_job_ready_i,
  output logic [ 7:0] cnp_opcode_o,
  output logic [23:0] cnp_dest_o,
  output logic [ 7:0] cnp_neigh_o,

  output logic        rtt_event_o,
  output logic        quiet_o,
  output logic [63:0] wake_at_o
);

  roce_cfg_t cfg;
  verb_t verb;
  rx_rsp_t ack;
  tx_job_t new_job, retry_job, cnp_job;
  cc_sent_t sent;
  roce_cc_stats_t stats;
  logic sent_valid, back, limited, paced, park, kick, kick_ready, ctl_ready, cc_ready, ctl_quiet, cc_quiet, is_ack;
  logic [$clog2(NumQps)-1:0] pace_qpn, back_qpn, kick_qpn;
  logic [63:0] ctl_wake, cc_wake;

  always_comb begin
    cfg = '0;
    cfg.init = 1'b1;
    cfg.index = cfg_index_i;
    cfg.qpc.state = QP_RTS;
    cfg.qpc.pmtu = 3'd4;
    cfg.qpc.retry_limit = 3'd7;
    cfg.qpc.timeout = cfg_timeout_i;
    cfg.qpc.cc = cc_mode_e'(cfg_cc_i);
    cfg.qpc.dest_qpn = 24'h100 + cfg_index_i;
    cfg.qpc.neigh = 8'd1 + cfg_index_i[7:0];
    cfg.qpc.peer_ip = 32'h0A00_0002;
    verb = '0;
    verb.op = VERB_WRITE;
    verb.qpn = verb_qpn_i;
    verb.len = verb_len_i;
    ack = '0;
    ack.qpn = ack_qpn_i;
    ack.src_ip = 32'h0A00_0002;
    ack.psn = ack_psn_i;
    ack.opcode = OP_ACK;
    ack.syndrome = ack_syndrome_i;
  end

  assign cfg_done_o = cfg_valid_i && ctl_ready && cc_ready;
  assign is_ack     = ack_valid_i && ack_ready_o && ack_syndrome_i[7:5] == 3'd0;
  assign quiet_o    = ctl_quiet && cc_quiet && !verb_valid_i && !ack_valid_i;
  assign wake_at_o  = (ctl_wake < cc_wake) ? ctl_wake : cc_wake;

  roce_tx_ctl #(
    .NumQps(NumQps)
  ) u_ctl (
    .clk_i,
    .rst_i,
    .now_i,
    .glb_i            ('{ring_base: '0, ackreq_every: 8'd8, icrc_check: 1'b1}),
    .cfg_i            (cfg),
    .cfg_valid_i,
    .cfg_go_i         (cfg_done_o),
    .cfg_ready_o      (ctl_ready),
    .verb_i           (verb),
    .verb_valid_i,
    .verb_ready_o,
    .cpl_o            (),
    .cpl_valid_o      (),
    .cpl_ready_i      (1'b1),
    .rx_rsp_i         (ack),
    .rx_rsp_valid_i   (ack_valid_i),
    .rx_rsp_ready_o   (ack_ready_o),
    .rsp_cmd_o        (),
    .rsp_cmd_valid_o  (),
    .rsp_cmd_ready_i  (1'b1),
    .rsp_done_i       ('0),
    .fail_i           ('0),
    .fail_valid_i     (1'b0),
    .fail_ready_o     (),
    .qp_err_i         ('0),
    .qp_err_valid_i   (1'b0),
    .qp_err_ready_o   (),
    .qp_err_o         (),
    .qp_err_valid_o   (),
    .qp_err_ready_i   (1'b1),
    .new_job_o        (new_job),
    .new_job_valid_o  (new_valid_o),
    .new_job_ready_i  (new_ready_i),
    .retry_job_o      (retry_job),
    .retry_job_valid_o(retry_valid_o),
    .retry_job_ready_i(1'b1),
    .pace_qpn_o       (pace_qpn),
    .paced_i          (paced),
    .limited_i        (limited),
    .park_o           (park),
    .pace_kick_qpn_i  (kick_qpn),
    .pace_kick_i      (kick),
    .pace_kick_ready_o(kick_ready),
    .sent_o           (sent),
    .sent_valid_o     (sent_valid),
    .back_qpn_o       (back_qpn),
    .back_o           (back),
    .stats_o          (),
    .quiet_o          (ctl_quiet),
    .wake_at_o        (ctl_wake)
  );

  roce_cc_top #(
    .NumQps(NumQps)
  ) u_cc (
    .clk_i,
    .rst_i,
    .now_i,
    .cc_i,
    .cfg_i       (cfg),
    .cfg_valid_i,
    .cfg_go_i    (cfg_done_o),
    .cfg_ready_o (cc_ready),
    .ce_qpn_i,
    .ce_valid_i,
    .ce_ready_o  (),
    .cnp_qpn_i,
    .cnp_valid_i,
    .cnp_ready_o (),
    .sent_i      (sent),
    .sent_valid_i(sent_valid),
    .ack_qpn_i,
    .ack_psn_i,
    .ack_valid_i (is_ack),
    .back_qpn_i  (back_qpn),
    .back_valid_i(back),
    .sched_qpn_i (pace_qpn),
    .held_o      (paced),
    .limited_o   (limited),
    .park_i      (park),
    .park_qpn_i  (pace_qpn),
    .kick_qpn_o  (kick_qpn),
    .kick_valid_o(kick),
    .kick_ready_i(kick_ready),
    .job_o       (cnp_job),
    .job_valid_o (cnp_job_valid_o),
    .job_ready_i (cnp_job_ready_i),
    .stats_o     (stats),
    .quiet_o     (cc_quiet),
    .wake_at_o   (cc_wake)
  );

  assign {new_dest_o, new_psn_o, new_len_o, new_ackreq_o} = {
    new_job.hdr.dest_qpn, new_job.hdr.psn, new_job.hdr.len, new_job.hdr.ackreq
  };
  assign {cnp_opcode_o, cnp_dest_o, cnp_neigh_o} = {cnp_job.hdr.opcode, cnp_job.hdr.dest_qpn, cnp_job.hdr.neigh};
  assign rtt_event_o = stats.rtt;

endmodule
