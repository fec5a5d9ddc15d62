// SPDX-License-Identifier: Apache-2.0
// Control half of the RoCE send side: work requests and responses in, packet jobs and completions out. Wiring only.
//
//   verb -> roce_sq ------------> new_job
//              ^  kicks, una
//   rx_rsp -> roce_requester      (retry timers inside) -> rsp_cmd: where the payload of READ responses goes
//              v  walk
//           roce_retry ---------> retry_job
//   cpl <- roce_req_cpl <- requester, flushed queues, refused requests; waits for data of READs and atomics (rsp_done)
//
// Each row has one writer: next PSN and ring heads roce_sq_sched, ring tails roce_sq_in, una, retry count and flags
// roce_requester, deadlines roce_req_timer, busy flags roce_retry.
// Latency: a verb is taken in its first cycle when the entry is free; 4 cycles from there to new_job_valid_o.
// quiet_o: no clock edge is needed before now_i reaches wake_at_o (the bound of the retry timers) or an input turns valid.
// NumQps, Window and SqDepth are powers of two, at least 2; Window at most 256.
module roce_tx_ctl
  import prim_pkg::*;
  import roce_cc_pkg::*;
  import roce_pkg::*;
  import roce_req_pkg::*;
#(
  parameter int unsigned NumQps      = 256,
  parameter int unsigned Window      = 16,
  parameter int unsigned SqDepth     = 16,
  parameter int unsigned CyclesPerUs = 250
) (
  input logic clk_i,
  input logic rst_i,

  input logic [63:0] now_i,

  // Registers and table writes, broadcast; see roce_cfg_t
  input  roce_glb_t glb_i,
  input  roce_cfg_t cfg_i,
  input  logic      cfg_valid_i,
  input  logic      cfg_go_i,
  output logic      cfg_ready_o,

  // Work requests and completions
  input  verb_t verb_i,
  input  logic  verb_valid_i,
  output logic  verb_ready_o,
  output cpl_t  cpl_o,
  output logic  cpl_valid_o,
  input  logic  cpl_ready_i,

  // Responses that arrived
  input  rx_rsp_t   rx_rsp_i,
  input  logic      rx_rsp_valid_i,
  output logic      rx_rsp_ready_o,
  // What to do with the payload of a READ response, and how many of these commands are in memory
  output rx_cmd_t   rsp_cmd_o,
  output logic      rsp_cmd_valid_o,
  input  logic      rsp_cmd_ready_i,
  input  rsp_done_t rsp_done_i,

  // QP failures: from the responder, and to it
  input  qp_err_t qp_err_i,
  input  logic    qp_err_valid_i,
  output logic    qp_err_ready_o,
  output qp_err_t qp_err_o,
  output logic    qp_err_valid_o,
  input  logic    qp_err_ready_i,

  // Memory errors of the send data path
  input  mem_fail_t fail_i,
  input  logic      fail_valid_i,
  output logic      fail_ready_o,

  // Packets, for the first time and again
  output tx_job_t new_job_o,
  output logic    new_job_valid_o,
  input  logic    new_job_ready_i,
  output tx_job_t retry_job_o,
  output logic    retry_job_valid_o,
  input  logic    retry_job_ready_i,

  // Congestion control: is pace_qpn_o's turn held back, is it below line rate, was it given up for that, wake-ups; a packet leaves for the first
  // time; a QP goes back to send again
  output logic     [idx_width(NumQps)-1:0] pace_qpn_o,
  input  logic                             paced_i,
  input  logic                             limited_i,
  output logic                             park_o,
  input  logic     [idx_width(NumQps)-1:0] pace_kick_qpn_i,
  input  logic                             pace_kick_i,
  output logic                             pace_kick_ready_o,
  output cc_sent_t                         sent_o,
  output logic                             sent_valid_o,
  output logic     [idx_width(NumQps)-1:0] back_qpn_o,
  output logic                             back_o,

  // Events: rx_ack, rx_nak, rx_stale, timeout, qp_err, bad_verb
  output roce_tx_stats_t        stats_o,
  output logic                  quiet_o,
  output logic           [63:0] wake_at_o
);

  localparam int unsigned QpW = idx_width(NumQps);

  logic [QpW-1:0] sched_qpn, req_qpn, walk_qpn, send_qpn;
  logic [23:0] sched_una, req_next, walk_una, walk_next;
  cpl_status_e sched_fail;
  logic
      sched_dead,
      sched_held,
      sched_drain,
      sched_retry_busy,
      req_retry_busy,
      walk_dead,
      retry,
      req_kick,
      retry_kick,
      retry_kick_ready;
  rd_count_t sched_rd_done;
  logic req_cpl_wait, req_cpl_silent;
  wr_no_t req_cpl_tag, cmd_count;
  mem_fail_t land_fail, fail;
  logic land_fail_valid, land_fail_ready, fail_valid, fail_ready, req_cfg_ready, cpl_cfg_ready, unused_hi;
  logic send;
  logic [4:0] send_timeout;
  logic [idx_width(NumQps * Window)-1:0] send_slot;
  meta_cpl_t send_cpl;
  meta_pkt_t send_pkt;
  cpl_t req_cpl, flush_cpl, refuse_cpl;
  logic req_cpl_valid, req_cpl_ready, flush_cpl_valid, flush_cpl_ready, refuse_cpl_valid, refuse_cpl_ready;
  logic bad_verb, sq_quiet, req_quiet, retry_quiet, cpl_quiet;
  roce_tx_stats_t req_stats;

  assign pace_qpn_o  = sched_qpn;
  assign back_qpn_o  = req_qpn;
  assign back_o      = retry;
  assign cfg_ready_o = req_cfg_ready && cpl_cfg_ready;
  assign quiet_o     = sq_quiet && req_quiet && retry_quiet && cpl_quiet && !cfg_valid_i;

  always_comb begin
    stats_o          = req_stats;
    stats_o.bad_verb = bad_verb;
  end

  roce_sq #(
    .NumQps (NumQps),
    .Window (Window),
    .SqDepth(SqDepth)
  ) u_sq (
    .clk_i,
    .rst_i,
    .glb_i,
    .cfg_i,
    .cfg_valid_i,
    .cfg_go_i,
    .verb_i,
    .verb_valid_i,
    .verb_ready_o,
    .req_kick_qpn_i    (req_qpn),
    .req_kick_i        (req_kick),
    .retry_kick_qpn_i  (walk_qpn),
    .retry_kick_i      (retry_kick),
    .retry_kick_ready_o(retry_kick_ready),
    .pace_kick_qpn_i,
    .pace_kick_i,
    .pace_kick_ready_o,
    .cur_qpn_o         (sched_qpn),
    .una_i             (sched_una),
    .fail_i            (sched_fail),
    .dead_i            (sched_dead),
    .held_i            (sched_held),
    .drain_i           (sched_drain),
    .rd_done_i         (sched_rd_done),
    .paced_i,
    .limited_i,
    .park_o,
    .sent_o,
    .sent_valid_o,
    .req_qpn_i         (req_qpn),
    .req_next_o        (req_next),
    .retry_qpn_i       (walk_qpn),
    .retry_next_o      (walk_next),
    .send_o            (send),
    .send_qpn_o        (send_qpn),
    .send_timeout_o    (send_timeout),
    .send_slot_o       (send_slot),
    .send_cpl_o        (send_cpl),
    .send_pkt_o        (send_pkt),
    .job_o             (new_job_o),
    .job_valid_o       (new_job_valid_o),
    .job_ready_i       (new_job_ready_i),
    .in_cpl_o          (refuse_cpl),
    .in_cpl_valid_o    (refuse_cpl_valid),
    .in_cpl_ready_i    (refuse_cpl_ready),
    .flush_cpl_o       (flush_cpl),
    .flush_cpl_valid_o (flush_cpl_valid),
    .flush_cpl_ready_i (flush_cpl_ready),
    .bad_verb_o        (bad_verb),
    .quiet_o           (sq_quiet)
  );

  roce_requester #(
    .NumQps     (NumQps),
    .Window     (Window),
    .CyclesPerUs(CyclesPerUs)
  ) u_requester (
    .clk_i,
    .rst_i,
    .now_i,
    .cfg_i,
    .cfg_valid_i,
    .cfg_go_i,
    .cfg_ready_o       (req_cfg_ready),
    .rx_rsp_i,
    .rx_rsp_valid_i,
    .rx_rsp_ready_o,
    .rsp_cmd_o,
    .rsp_cmd_valid_o,
    .rsp_cmd_ready_i,
    .qp_err_i,
    .qp_err_valid_i,
    .qp_err_ready_o,
    .qp_err_o,
    .qp_err_valid_o,
    .qp_err_ready_i,
    .fail_i            (fail),
    .fail_valid_i      (fail_valid),
    .fail_ready_o      (fail_ready),
    .sched_qpn_i       (sched_qpn),
    .sched_una_o       (sched_una),
    .sched_fail_o      (sched_fail),
    .sched_dead_o      (sched_dead),
    .sched_held_o      (sched_held),
    .sched_drain_o     (sched_drain),
    .sched_rd_done_o   (sched_rd_done),
    .retry_qpn_i       (walk_qpn),
    .retry_una_o       (walk_una),
    .retry_dead_o      (walk_dead),
    .cur_qpn_o         (req_qpn),
    .next_i            (req_next),
    .send_i            (send),
    .send_qpn_i        (send_qpn),
    .send_timeout_i    (send_timeout),
    .send_slot_i       (send_slot),
    .send_cpl_i        (send_cpl),
    .retry_o           (retry),
    .cur_retry_busy_i  (req_retry_busy),
    .sched_retry_busy_i(sched_retry_busy),
    .kick_o            (req_kick),
    .cpl_o             (req_cpl),
    .cpl_wait_o        (req_cpl_wait),
    .cpl_tag_o         (req_cpl_tag),
    .cpl_silent_o      (req_cpl_silent),
    .cpl_valid_o       (req_cpl_valid),
    .cpl_ready_i       (req_cpl_ready),
    .cmd_count_o       (cmd_count),
    .stats_o           (req_stats),
    .quiet_o           (req_quiet),
    .wake_at_o
  );

  roce_retry #(
    .NumQps(NumQps),
    .Window(Window)
  ) u_retry (
    .clk_i,
    .rst_i,
    .glb_i,
    .cfg_i,
    .cfg_go_i,
    .retry_i     (retry),
    .retry_qpn_i (req_qpn),
    .req_busy_o  (req_retry_busy),
    .sched_qpn_i (sched_qpn),
    .sched_busy_o(sched_retry_busy),
    .cur_qpn_o   (walk_qpn),
    .una_i       (walk_una),
    .next_i      (walk_next),
    .dead_i      (walk_dead),
    .send_i      (send),
    .send_slot_i (send_slot),
    .send_pkt_i  (send_pkt),
    .new_valid_i (new_job_valid_o),
    .new_qpn_i   (new_job_o.hdr.qpn),
    .kick_o      (retry_kick),
    .kick_ready_i(retry_kick_ready),
    .job_o       (retry_job_o),
    .job_valid_o (retry_job_valid_o),
    .job_ready_i (retry_job_ready_i),
    .quiet_o     (retry_quiet)
  );

  roce_tx_prio #(
    .T(mem_fail_t)
  ) u_fail_prio (
    .clk_i,
    .rst_i,
    .hi_i       (fail_i),
    .hi_valid_i (fail_valid_i),
    .hi_ready_o (fail_ready_o),
    .lo_i       (land_fail),
    .lo_valid_i (land_fail_valid),
    .lo_ready_o (land_fail_ready),
    .out_o      (fail),
    .out_valid_o(fail_valid),
    .hi_o       (unused_hi),
    .out_ready_i(fail_ready)
  );

  roce_req_cpl #(
    .NumQps(NumQps)
  ) u_cpl (
    .clk_i,
    .rst_i,
    .cfg_i,
    .cfg_go_i,
    .cfg_ready_o   (cpl_cfg_ready),
    .req_i         (req_cpl),
    .req_wait_i    (req_cpl_wait),
    .req_tag_i     (req_cpl_tag),
    .req_silent_i  (req_cpl_silent),
    .req_valid_i   (req_cpl_valid),
    .req_ready_o   (req_cpl_ready),
    .flush_i       (flush_cpl),
    .flush_valid_i (flush_cpl_valid),
    .flush_ready_o (flush_cpl_ready),
    .refuse_i      (refuse_cpl),
    .refuse_valid_i(refuse_cpl_valid),
    .refuse_ready_o(refuse_cpl_ready),
    .cmd_count_i   (cmd_count),
    .done_i        (rsp_done_i),
    .fail_o        (land_fail),
    .fail_valid_o  (land_fail_valid),
    .fail_ready_i  (land_fail_ready),
    .cpl_o,
    .cpl_valid_o,
    .cpl_ready_i,
    .quiet_o       (cpl_quiet)
  );

endmodule
