// SPDX-License-Identifier: Apache-2.0
// RoCE send side: work requests, acknowledges, READs and atomics to answer in, frames and completions out. Wiring only.
//
//   verb, rx_rsp -> roce_tx_ctl -- new_job, retry_job --> roce_tx_path -> frame
//           cpl  <-                              ack_evt -->
//             rd -> roce_rd -------------------- rsp_job -->
//                      ^ v atomic unit
//
// Latency: 4 cycles from the verb's handshake to the job, then roce_tx_path.
// quiet_o: no clock edge is needed before now_i reaches wake_at_o (the bound of the retry timers) or an input turns valid.
// NumQps, Window and SqDepth are powers of two, at least 2; Window at most 256.
module roce_tx
  import axis_pkg::*;
  import net_pkg::*;
  import prim_pkg::*;
  import roce_cc_pkg::*;
  import roce_pkg::*;
  import roce_wire_pkg::*;
#(
  parameter int unsigned NumQps      = 256,
  parameter int unsigned Window      = 16,
  parameter int unsigned SqDepth     = 16,
  parameter int unsigned RdAtomic    = 16,   // READs and atomics remembered a QP
  parameter int unsigned CyclesPerUs = 250
) (
  // One clock; each copy may be held while its flag below is 1
  input logic clk_i,
  input logic clk_path_i,
  input logic clk_cc_i,
  input logic rst_i,

  input logic [63:0] now_i,

  // Registers and table writes, broadcast; see roce_cfg_t
  input  roce_glb_t glb_i,
  input  roce_cfg_t cfg_i,
  input  logic      cfg_valid_i,
  input  logic      cfg_go_i,
  output logic      cfg_ready_o,
  input  net_cfg_t  net_cfg_i,

  // Congestion control: parameters; from the receive half, by local QPN: marked packets, CNPs
  input  roce_cc_cfg_t        cc_i,
  input  logic         [23:0] ce_qpn_i,
  input  logic                ce_valid_i,
  output logic                ce_ready_o,
  input  logic         [23:0] cnp_qpn_i,
  input  logic                cnp_valid_i,
  output logic                cnp_ready_o,

  // Work requests and completions
  input  verb_t verb_i,
  input  logic  verb_valid_i,
  output logic  verb_ready_o,
  output cpl_t  cpl_o,
  output logic  cpl_valid_o,
  input  logic  cpl_ready_i,

  // From the receive side: acknowledges that arrived, acknowledges to send
  input  rx_rsp_t   rx_rsp_i,
  input  logic      rx_rsp_valid_i,
  output logic      rx_rsp_ready_o,
  // What to do with the payload of a READ response, and how many of these commands are in memory
  output rx_cmd_t   rsp_cmd_o,
  output logic      rsp_cmd_valid_o,
  input  logic      rsp_cmd_ready_i,
  input  rsp_done_t rsp_done_i,
  input  ack_evt_t  ack_evt_i,
  input  logic      ack_evt_valid_i,
  output logic      ack_evt_ready_o,

  // READs and atomics to answer, after these payload commands; atomics are done by the node's atomic unit
  input  rd_evt_t           rd_i,
  input  logic              rd_valid_i,
  output logic              rd_ready_o,
  input  wr_no_t            wr_done_i,
  output atomic_req_t       atomic_o,
  output logic              atomic_valid_o,
  input  logic              atomic_ready_i,
  input  atomic_rsp_t [1:0] atomic_i,
  input  logic        [1:0] atomic_valid_i,
  output logic        [1:0] atomic_ready_o,

  // QP failures: from the responder, and to it
  input  qp_err_t qp_err_i,
  input  logic    qp_err_valid_i,
  output logic    qp_err_ready_o,
  output qp_err_t qp_err_o,
  output logic    qp_err_valid_o,
  input  logic    qp_err_ready_i,

  // Neighbour table: neigh_i is the row one cycle after neigh_re_o
  output logic             neigh_re_o,
  output logic       [7:0] neigh_idx_o,
  input  net_neigh_t       neigh_i,

  // HBM: payload and retransmission ring
  output axi_addr_t hbm_ar_o,
  output logic      hbm_ar_valid_o,
  input  logic      hbm_ar_ready_i,
  input  axi_r_t    hbm_r_i,
  input  logic      hbm_r_valid_i,
  output logic      hbm_r_ready_o,
  output axi_addr_t hbm_aw_o,
  output logic      hbm_aw_valid_o,
  input  logic      hbm_aw_ready_i,
  output axi_w_t    hbm_w_o,
  output logic      hbm_w_valid_o,
  input  logic      hbm_w_ready_i,
  input  axi_b_t    hbm_b_i,
  input  logic      hbm_b_valid_i,
  output logic      hbm_b_ready_o,

  // Host memory: payload
  output axi_addr_t host_ar_o,
  output logic      host_ar_valid_o,
  input  logic      host_ar_ready_i,
  input  axi_r_t    host_r_i,
  input  logic      host_r_valid_i,
  output logic      host_r_ready_o,

  // Frames for the MAC
  output axis_beat_t frame_o,
  output logic       frame_valid_o,
  input  logic       frame_ready_i,

  output roce_tx_stats_t        stats_o,
  output roce_cc_stats_t        cc_stats_o,
  output logic                  quiet_o,
  output logic                  path_quiet_o,
  output logic                  cc_quiet_o,
  output logic           [63:0] wake_at_o
);

  tx_job_t ctl_job, cnp_job;
  cc_sent_t sent;
  logic ctl_job_valid, ctl_job_ready, cnp_job_valid, cnp_job_ready, unused_hi, cc_cfg_ready, acked;
  logic paced, limited, park, kick, kick_ready, sent_valid, back;
  logic [idx_width(NumQps)-1:0] pace_qpn, kick_qpn, back_qpn;
  logic [63:0] ctl_wake_at, cc_wake_at;
  tx_job_t new_job, retry_job, rsp_job;
  logic new_job_valid, new_job_ready, retry_job_valid, retry_job_ready, rsp_job_valid, rsp_job_ready;
  logic ctl_cfg_ready, path_cfg_ready, rd_cfg_ready, ctl_quiet, rd_quiet;
  logic rsp_sent, rsp_gone, rd_lost, fail_valid, fail_ready;
  logic [NumQps-1:0] silent;
  mem_fail_t fail;
  logic [23:0] rsp_gone_qpn;
  roce_tx_stats_t ctl_stats, path_stats, rd_stats;

  assign cfg_ready_o = ctl_cfg_ready && path_cfg_ready && rd_cfg_ready && cc_cfg_ready;
  assign quiet_o     = ctl_quiet && rd_quiet && !cfg_valid_i;
  assign wake_at_o   = time_min(ctl_wake_at, cc_wake_at);
  assign rd_stats    = '{rd_lost: rd_lost, default: '0};
  assign stats_o     = ctl_stats | path_stats | rd_stats;  // each counts its own events

  roce_tx_ctl #(
    .NumQps     (NumQps),
    .Window     (Window),
    .SqDepth    (SqDepth),
    .CyclesPerUs(CyclesPerUs)
  ) u_ctl (
    .clk_i,
    .rst_i,
    .now_i,
    .glb_i,
    .cfg_i,
    .cfg_valid_i,
    .cfg_go_i,
    .cfg_ready_o      (ctl_cfg_ready),
    .verb_i,
    .verb_valid_i,
    .verb_ready_o,
    .cpl_o,
    .cpl_valid_o,
    .cpl_ready_i,
    .rx_rsp_i,
    .rx_rsp_valid_i,
    .rx_rsp_ready_o,
    .rsp_cmd_o,
    .rsp_cmd_valid_o,
    .rsp_cmd_ready_i,
    .rsp_done_i,
    .qp_err_i,
    .qp_err_valid_i,
    .qp_err_ready_o,
    .qp_err_o,
    .qp_err_valid_o,
    .qp_err_ready_i,
    .fail_i           (fail),
    .fail_valid_i     (fail_valid),
    .fail_ready_o     (fail_ready),
    .new_job_o        (ctl_job),
    .new_job_valid_o  (ctl_job_valid),
    .new_job_ready_i  (ctl_job_ready),
    .retry_job_o      (retry_job),
    .retry_job_valid_o(retry_job_valid),
    .retry_job_ready_i(retry_job_ready),
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
    .stats_o          (ctl_stats),
    .quiet_o          (ctl_quiet),
    .wake_at_o        (ctl_wake_at)
  );

  assign acked = rx_rsp_valid_i && rx_rsp_ready_o && rx_rsp_i.opcode == OP_ACK && rx_rsp_i.syndrome[7:5] == 3'd0;

  roce_cc_top #(
    .NumQps(NumQps)
  ) u_cc (
    .clk_i       (clk_cc_i),
    .rst_i,
    .now_i,
    .cc_i,
    .cfg_i,
    .cfg_valid_i,
    .cfg_go_i,
    .cfg_ready_o (cc_cfg_ready),
    .ce_qpn_i,
    .ce_valid_i,
    .ce_ready_o,
    .cnp_qpn_i,
    .cnp_valid_i,
    .cnp_ready_o,
    .sent_i      (sent),
    .sent_valid_i(sent_valid),
    .ack_qpn_i   (rx_rsp_i.qpn),
    .ack_psn_i   (rx_rsp_i.psn),
    .ack_valid_i (acked),
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
    .job_valid_o (cnp_job_valid),
    .job_ready_i (cnp_job_ready),
    .stats_o     (cc_stats_o),
    .quiet_o     (cc_quiet_o),
    .wake_at_o   (cc_wake_at)
  );

  // CNPs go before new packets.
  roce_tx_prio #(
    .T(tx_job_t)
  ) u_cnp_prio (
    .clk_i      (clk_path_i),
    .rst_i,
    .hi_i       (cnp_job),
    .hi_valid_i (cnp_job_valid),
    .hi_ready_o (cnp_job_ready),
    .lo_i       (ctl_job),
    .lo_valid_i (ctl_job_valid),
    .lo_ready_o (ctl_job_ready),
    .out_o      (new_job),
    .out_valid_o(new_job_valid),
    .hi_o       (unused_hi),
    .out_ready_i(new_job_ready)
  );

  roce_rd #(
    .NumQps  (NumQps),
    .RdAtomic(RdAtomic)
  ) u_rd (
    .clk_i,
    .rst_i,
    .cfg_i,
    .cfg_valid_i,
    .cfg_go_i,
    .cfg_ready_o(rd_cfg_ready),
    .evt_i      (rd_i),
    .evt_valid_i(rd_valid_i),
    .evt_ready_o(rd_ready_o),
    .wr_done_i,
    .silent_i   (silent),
    .atomic_o,
    .atomic_valid_o,
    .atomic_ready_i,
    .atomic_i,
    .atomic_valid_i,
    .atomic_ready_o,
    .job_o      (rsp_job),
    .job_valid_o(rsp_job_valid),
    .job_ready_i(rsp_job_ready),
    .sent_i     (rsp_sent),
    .done_o     (rsp_gone),
    .done_qpn_o (rsp_gone_qpn),
    .lost_o     (rd_lost),
    .quiet_o    (rd_quiet)
  );

  roce_tx_path #(
    .NumQps(NumQps),
    .Window(Window)
  ) u_path (
    .clk_i            (clk_path_i),
    .rst_i,
    .cfg_i,
    .cfg_valid_i,
    .cfg_go_i,
    .cfg_ready_o      (path_cfg_ready),
    .net_cfg_i,
    .ack_evt_i,
    .ack_evt_valid_i,
    .ack_evt_ready_o,
    .new_job_i        (new_job),
    .new_job_valid_i  (new_job_valid),
    .new_job_ready_o  (new_job_ready),
    .retry_job_i      (retry_job),
    .retry_job_valid_i(retry_job_valid),
    .retry_job_ready_o(retry_job_ready),
    .rsp_job_i        (rsp_job),
    .rsp_job_valid_i  (rsp_job_valid),
    .rsp_job_ready_o  (rsp_job_ready),
    .rsp_sent_o       (rsp_sent),
    .rsp_gone_i       (rsp_gone),
    .rsp_gone_qpn_i   (rsp_gone_qpn),
    .silent_o         (silent),
    .fail_o           (fail),
    .fail_valid_o     (fail_valid),
    .fail_ready_i     (fail_ready),
    .neigh_re_o,
    .neigh_idx_o,
    .neigh_i,
    .hbm_ar_o,
    .hbm_ar_valid_o,
    .hbm_ar_ready_i,
    .hbm_r_i,
    .hbm_r_valid_i,
    .hbm_r_ready_o,
    .hbm_aw_o,
    .hbm_aw_valid_o,
    .hbm_aw_ready_i,
    .hbm_w_o,
    .hbm_w_valid_o,
    .hbm_w_ready_i,
    .hbm_b_i,
    .hbm_b_valid_i,
    .hbm_b_ready_o,
    .host_ar_o,
    .host_ar_valid_o,
    .host_ar_ready_i,
    .host_r_i,
    .host_r_valid_i,
    .host_r_ready_o,
    .frame_o,
    .frame_valid_o,
    .frame_ready_i,
    .stats_o          (path_stats),
    .quiet_o          (path_quiet_o)
  );

endmodule
