// SPDX-License-Identifier: Apache-2.0
// Requester state of every QP: responses, retry timers and failures move the window, complete work requests, ask for
// retransmission or bring the QP to error. Rows stand in roce_req_rows, deadlines in roce_req_timer.
//
// One event at a time: StIdle takes it, StDecide judges it with the QP's rows, StWalk does one PSN a cycle from una on and
// acts in its last cycle, in which the next response may be taken: a response that moves una by n takes n + 1 cycles (1 when
// stale). Completion back-pressure stalls the walk, nothing is lost.
//
//   source address is not the peer, QP not RTS, SQD or in error, PSN outside [una, next), reserved syndrome: rx_stale, no effect
//   any other proves that what lies before its PSN was executed: SENDs and WRITEs there are done, a READ or atomic there has
//            lost its response: go back N from it (implied NAK), whatever else the response says
//   ACK      its PSN is done too, if it is a SEND or WRITE; progress resets the retry counts and re-arms the timer
//   READ response, atomic acknowledge: its PSN is done if it waits for just this, with this length; else no effect
//   NAK 60   go back N from its PSN. Without progress it counts as a retry, as an implied NAK does, and it is ignored during an
//            RNR wait, while a retransmission is under way, or when one has been asked for by a NAK since the last progress
//   NAK 61-63 the message takes the error, the QP goes to error
//   RNR NAK  new packets wait, go back N when the RNR timer expires; without progress one of rnr_retry is spent (7: endless);
//            over the limit: CPL_RNR_EXCEEDED, QP to error
//   timer    go back N from una with the retry count one up; over the limit: CPL_RETRY_EXCEEDED, QP to error
//            (restarting at una and not at the first packet of its message is our choice; the responder accepts both)
//   memory error  see mem_fail_t: the message of our packet takes CPL_LOCAL_MEM, what was sent before it and may have been executed
//            is flushed with the rest; a QP whose peer was refused only flushes
// Error: packets in flight complete here (CPL of the cause for the first message, then flushed, unsignaled ones too); what is
// queued is completed by roce_sq_sched afterwards. qp_err_o tells the responder, unless it or software was the cause.
// Software that takes a QP out of RTS and SQD flushes it; creating it anew drops everything silently.
// rsp_cmd_o: one command for each response with payload, in order, whatever came of it; and one for each value of an atomic
// that is wanted in memory.
`include "prim_assert.svh"
module roce_requester
  import prim_pkg::*;
  import roce_pkg::*;
  import roce_req_pkg::*;
#(
  parameter int unsigned NumQps      = 256,
  parameter int unsigned Window      = 16,
  parameter int unsigned CyclesPerUs = 250
) (
  input logic clk_i,
  input logic rst_i,

  input logic [63:0] now_i,

  // Table writes, broadcast: ready when no event is in work
  input  roce_cfg_t cfg_i,
  input  logic      cfg_valid_i,
  input  logic      cfg_go_i,
  output logic      cfg_ready_o,

  // Responses
  input  rx_rsp_t rx_rsp_i,
  input  logic    rx_rsp_valid_i,
  output logic    rx_rsp_ready_o,
  // What to do with the payload of a READ response
  output rx_cmd_t rsp_cmd_o,
  output logic    rsp_cmd_valid_o,
  input  logic    rsp_cmd_ready_i,

  // QP failures: from the responder, and to it
  input  qp_err_t qp_err_i,
  input  logic    qp_err_valid_i,
  output logic    qp_err_ready_o,
  output qp_err_t qp_err_o,
  output logic    qp_err_valid_o,
  input  logic    qp_err_ready_i,

  // Memory errors
  input  mem_fail_t fail_i,
  input  logic      fail_valid_i,
  output logic      fail_ready_o,

  // State of the scheduler's QP
  input  logic        [idx_width(NumQps)-1:0] sched_qpn_i,
  output logic        [                 23:0] sched_una_o,
  output cpl_status_e                         sched_fail_o,
  output logic                                sched_dead_o,
  output logic                                sched_held_o,
  output logic                                sched_drain_o,
  output rd_count_t                           sched_rd_done_o,
  // ... and of the QP in retransmission
  input  logic        [idx_width(NumQps)-1:0] retry_qpn_i,
  output logic        [                 23:0] retry_una_o,
  output logic                                retry_dead_o,

  // Next PSN of the QP in work
  output logic [idx_width(NumQps)-1:0] cur_qpn_o,
  input  logic [                 23:0] next_i,

  // A packet is sent for the first time
  input logic                                       send_i,
  input logic      [         idx_width(NumQps)-1:0] send_qpn_i,
  input logic      [                           4:0] send_timeout_i,
  input logic      [idx_width(NumQps * Window)-1:0] send_slot_i,
  input meta_cpl_t                                  send_cpl_i,

  // Retransmission of cur_qpn_o asked for; busy_i: under way or waiting, for the QP in work and for the scheduler's
  output logic retry_o,
  input  logic cur_retry_busy_i,
  input  logic sched_retry_busy_i,

  // The QP in work has room in its window, or work to flush
  output logic kick_o,

  // Completions; see roce_req_cpl
  output cpl_t   cpl_o,
  output logic   cpl_wait_o,
  output wr_no_t cpl_tag_o,
  output logic   cpl_silent_o,
  output logic   cpl_valid_o,
  input  logic   cpl_ready_i,
  output wr_no_t cmd_count_o,

  // One-cycle events: rx_ack, rx_nak, rx_stale, timeout, qp_err
  output roce_tx_stats_t        stats_o,
  output logic                  quiet_o,
  output logic           [63:0] wake_at_o
);

  localparam int unsigned QpW = idx_width(NumQps);
  localparam int unsigned WinW = $clog2(Window);
  localparam int unsigned CmdDepth = 16;  // so that payload being written does not hold up acknowledges
  typedef logic [QpW-1:0] qpn_t;

  qpn_t qpn, cfg_qpn, timer_qpn;
  req_event_t ev;
  req_qpc_t qpc;
  req_row_t row;
  req_write_t row_write;
  meta_cpl_t meta;
  logic [WinW-1:0] meta_psn;
  logic [63:0] deadline;
  logic init, cfg_flush, cfg_resume, event_cfg_ready, event_quiet, take, idle, done, sched_rnr, meta_re, tell;
  logic timer_set, timer_clear, timer_event, timer_ready, timer_quiet, fifo_ready;
  qp_err_t own_err;
  logic [cnt_width(NumQps)-1:0] unused_count;
  rx_cmd_t cmd;
  logic cmd_push, cmd_room;
  logic [cnt_width(CmdDepth)-1:0] unused_cmd_count;

  assign cfg_qpn      = cfg_i.index[QpW-1:0];
  assign init         = cfg_go_i && is_new_qp(cfg_i, NumQps);
  // A failure of a QP's old life must not reach its new one.
  assign cfg_ready_o  = event_cfg_ready && (cfg_i.is_region || !qp_err_valid_o);

  assign cur_qpn_o    = qpn;
  assign sched_held_o = sched_rnr || sched_retry_busy_i;
  assign quiet_o      = event_quiet && timer_quiet && !qp_err_valid_o && !rsp_cmd_valid_o;

  roce_req_event #(
    .NumQps(NumQps)
  ) u_event (
    .clk_i,
    .rst_i,
    .cfg_i,
    .cfg_valid_i,
    .cfg_go_i,
    .cfg_ready_o  (event_cfg_ready),
    .flush_i      (cfg_flush),
    .resume_i     (cfg_resume),
    .qp_err_i,
    .qp_err_valid_i,
    .qp_err_ready_o,
    .fail_i,
    .fail_valid_i,
    .fail_ready_o,
    .timer_qpn_i  (timer_qpn),
    .timer_valid_i(timer_event),
    .timer_ready_o(timer_ready),
    .rx_rsp_i,
    .rx_rsp_valid_i,
    .rx_rsp_ready_o,
    .idle_i       (idle),
    .last_i       (done),
    .take_o       (take),
    .event_o      (ev),
    .qpn_o        (qpn),
    .qpc_o        (qpc),
    .quiet_o      (event_quiet)
  );

  roce_req_fsm #(
    .NumQps     (NumQps),
    .Window     (Window),
    .CyclesPerUs(CyclesPerUs)
  ) u_fsm (
    .clk_i,
    .rst_i,
    .now_i,
    .take_i       (take),
    .event_i      (ev),
    .qpn_i        (qpn),
    .qpc_i        (qpc),
    .idle_o       (idle),
    .done_o       (done),
    .row_i        (row),
    .write_o      (row_write),
    .next_i,
    .retry_busy_i (cur_retry_busy_i),
    .meta_re_o    (meta_re),
    .meta_psn_o   (meta_psn),
    .meta_i       (meta),
    .timer_set_o  (timer_set),
    .timer_clear_o(timer_clear),
    .deadline_o   (deadline),
    .retry_o,
    .kick_o,
    .cpl_o,
    .cpl_wait_o,
    .cpl_tag_o,
    .cpl_silent_o,
    .cpl_valid_o,
    .cpl_ready_i,
    .tell_o       (tell),
    .cmd_o        (cmd),
    .cmd_push_o   (cmd_push),
    .cmd_room_i   (cmd_room),
    .cmd_count_o,
    .stats_o
  );

  roce_req_rows #(
    .NumQps(NumQps)
  ) u_rows (
    .clk_i,
    .rst_i,
    .cfg_i,
    .cfg_go_i,
    .flush_o    (cfg_flush),
    .resume_o   (cfg_resume),
    .qpn_i      (qpn),
    .row_o      (row),
    .write_i    (row_write),
    .sched_qpn_i,
    .sched_una_o,
    .sched_fail_o,
    .sched_dead_o,
    .sched_rnr_o(sched_rnr),
    .sched_drain_o,
    .sched_rd_done_o,
    .retry_qpn_i,
    .retry_una_o,
    .retry_dead_o
  );

  prim_ram_row #(
    .T    (meta_cpl_t),
    .Depth(NumQps * Window)
  ) u_meta (
    .clk_i,
    .re_i   (meta_re),
    .raddr_i({qpn, meta_psn}),
    .rdata_o(meta),
    .we_i   (send_i),
    .waddr_i(send_slot_i),
    .wdata_i(send_cpl_i)
  );

  roce_req_timer #(
    .NumQps     (NumQps),
    .CyclesPerUs(CyclesPerUs)
  ) u_timer (
    .clk_i,
    .rst_i,
    .now_i,
    .send_i,
    .send_qpn_i,
    .send_timeout_i,
    .set_i        (timer_set),
    .clear_i      (timer_clear || init),
    .qpn_i        (init ? cfg_qpn : qpn),
    .deadline_i   (deadline),
    .event_qpn_o  (timer_qpn),
    .event_valid_o(timer_event),
    .event_ready_i(timer_ready),
    .quiet_o      (timer_quiet),
    .wake_at_o
  );

  prim_fifo #(
    .T    (rx_cmd_t),
    .Depth(CmdDepth)
  ) u_cmd (
    .clk_i,
    .rst_i,
    .data_i (cmd),
    .valid_i(cmd_push),
    .ready_o(cmd_room),
    .data_o (rsp_cmd_o),
    .valid_o(rsp_cmd_valid_o),
    .ready_i(rsp_cmd_ready_i),
    .count_o(unused_cmd_count)
  );

  assign own_err.qpn = 24'(qpn);

  // At most one failure a life of a QP is told, and none is left when a QP is created: the queue never overflows.
  prim_fifo #(
    .T    (qp_err_t),
    .Depth(NumQps)
  ) u_err (
    .clk_i,
    .rst_i,
    .data_i (own_err),
    .valid_i(tell),
    .ready_o(fifo_ready),
    .data_o (qp_err_o),
    .valid_o(qp_err_valid_o),
    .ready_i(qp_err_ready_i),
    .count_o(unused_count)
  );

  `PRIM_ASSERT(err_room, !(tell && !fifo_ready), "a failure of a QP was told twice")

endmodule
