// SPDX-License-Identifier: Apache-2.0
// Requester state of every QP: acknowledges, retry timers and failures move the window, complete work requests, ask for
// retransmission or bring the QP to error. The only writer of its rows (una, retry count, flags).
//
// One event at a time: StIdle takes it, StDecide judges it with the QP's rows, StWalk completes one packet a cycle from una
// on and acts in its last cycle, in which the next acknowledge may be taken: an acknowledge of n packets takes n + 1 cycles
// (1 when stale). Completion back-pressure stalls the walk, nothing is lost.
//
//   source address is not the peer, QP not RTS or in error, PSN outside [una, next), reserved syndrome: rx_stale, no effect
//   ACK      everything up to its PSN is done; progress resets the retry count and re-arms the timer
//   NAK 60   everything before its PSN is done, then go back N from there. Without progress it counts as a retry, and it is
//            ignored while a retransmission is under way or has been asked for by a NAK since the last progress
//   NAK 61-63 everything before is done, the message takes the error, the QP goes to error
//   RNR NAK  everything before is done; new packets wait, go back N when the RNR timer expires; no limit of rounds
//   timer    go back N from una with the retry count one up; over the limit: CPL_RETRY_EXCEEDED, QP to error
//            (restarting at una and not at the first packet of its message is our choice; the responder accepts both)
// Error: packets in flight complete here (CPL of the cause for the first message, then flushed, unsignaled ones too); what is
// queued is completed by roce_sq_sched afterwards. qp_err_o tells the responder, unless it or software was the cause.
// Software that takes a QP out of RTS flushes it; creating it anew drops everything silently.
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

  // Acknowledge packets
  input  rx_ack_t rx_ack_i,
  input  logic    rx_ack_valid_i,
  output logic    rx_ack_ready_o,

  // QP failures: from the responder, and to it
  input  qp_err_t qp_err_i,
  input  logic    qp_err_valid_i,
  output logic    qp_err_ready_o,
  output qp_err_t qp_err_o,
  output logic    qp_err_valid_o,
  input  logic    qp_err_ready_i,

  // State of the scheduler's QP
  input  logic [idx_width(NumQps)-1:0] sched_qpn_i,
  output logic [23:0]                  sched_una_o,
  output cpl_status_e                  sched_fail_o,
  output logic                         sched_dead_o,
  output logic                         sched_held_o,
  // ... and of the QP in retransmission
  input  logic [idx_width(NumQps)-1:0] retry_qpn_i,
  output logic [23:0]                  retry_una_o,
  output logic                         retry_dead_o,

  // Next PSN of the QP in work
  output logic [idx_width(NumQps)-1:0] cur_qpn_o,
  input  logic [23:0]                  next_i,

  // A packet is sent for the first time
  input logic                                  send_i,
  input logic [idx_width(NumQps)-1:0]          send_qpn_i,
  input logic [4:0]                            send_timeout_i,
  input logic [idx_width(NumQps * Window)-1:0] send_slot_i,
  input meta_cpl_t                             send_cpl_i,

  // Retransmission of cur_qpn_o asked for; busy_i: under way or waiting, for the QP in work and for the scheduler's
  output logic retry_o,
  input  logic cur_retry_busy_i,
  input  logic sched_retry_busy_i,

  // The QP in work has room in its window, or work to flush
  output logic kick_o,

  // Completions
  output cpl_t cpl_o,
  output logic cpl_valid_o,
  input  logic cpl_ready_i,

  // One-cycle events: rx_ack, rx_nak, rx_stale, timeout, qp_err
  output roce_tx_stats_t stats_o,
  output logic           quiet_o,
  output logic [63:0]    wake_at_o
);

  localparam int unsigned QpW = idx_width(NumQps);
  localparam int unsigned WinW = $clog2(Window);
  typedef logic [QpW-1:0] qpn_t;

  typedef enum logic [1:0] {StIdle, StDecide, StWalk, StFlush} state_e;
  typedef enum logic [1:0] {EvAck, EvTimer, EvError, EvConfig} event_e;
  typedef enum logic [1:0] {ActAck, ActSeq, ActRnr, ActFail} act_e;

  // Rows: read asynchronously (LUT RAM). fail: what the message under way completes with.
  logic [23:0] una_mem[NumQps];
  logic [2:0]  retry_mem[NumQps];
  cpl_status_e fail_mem[NumQps];
  // rts: ready to send; err: failed, until created anew; rnr: waits for the RNR timer; naked: went back for a NAK and has
  // made no progress since.
  logic [NumQps-1:0] rts_q, err_q, rnr_q, naked_q;

  state_e state_q, state_d;
  event_e ev_q;
  act_e act_q, act_d;
  logic [31:0] src_ip_q;
  logic [23:0] psn_q;
  logic [7:0] syndrome_q;
  logic in_range_q, progress_q, cfg_flush_q;
  qpn_t qpn_q, cfg_flush_qpn_q;
  logic [WinW:0] left_q, left_d;  // packets still to complete before the action
  cpl_status_e status_q, status_d;

  logic cfg_qp, pause, init, modify_flush, take_cfg, take_err, take_timer, take_ack, take, others, done;
  qpn_t cfg_qpn, take_qpn, timer_qpn;
  logic [23:0] una, una_next, in_flight, ahead;
  logic [2:0] retries;
  logic live, from_peer, in_window, over_limit;
  logic una_we, retry_we, fail_we, set_naked, clear_naked, set_rnr, clear_rnr, enter_error, notify;
  logic [2:0] retry_wdata;
  cpl_status_e fail_wdata;
  logic meta_re, need_cpl, step, timer_set, timer_clear, timer_event, timer_ready, timer_quiet, fifo_ready;
  logic [WinW-1:0] meta_psn;
  meta_cpl_t meta;
  req_qpc_t qpc, cfg_qpc;
  qp_err_t own_err;
  logic [63:0] deadline, ack_deadline;
  logic [cnt_width(NumQps)-1:0] unused_count;

  // ---- Taking events ---------------------------------------------------------------------------------------------------

  assign cfg_qp       = !cfg_i.is_region && cfg_i.index < 24'(NumQps);
  assign cfg_qpn      = cfg_i.index[QpW-1:0];
  assign pause        = cfg_valid_i && !cfg_i.is_region;
  assign init         = cfg_go_i && cfg_qp && cfg_i.init;
  assign modify_flush = cfg_go_i && cfg_qp && !cfg_i.init && rts_q[cfg_qpn] && !err_q[cfg_qpn] &&
                        cfg_i.qpc.state != QP_RTS;
  // A failure of a QP's old life must not reach its new one.
  assign cfg_ready_o  = cfg_i.is_region ||
                        (state_q == StIdle && !cfg_flush_q && !qp_err_valid_i && !qp_err_valid_o);

  assign take_cfg   = state_q == StIdle && cfg_flush_q;
  assign take_err   = state_q == StIdle && !cfg_flush_q && qp_err_valid_i;
  assign take_timer = state_q == StIdle && !cfg_flush_q && !qp_err_valid_i && !pause && timer_event;
  assign others     = cfg_flush_q || qp_err_valid_i || timer_event;
  assign take_ack   = (state_q == StIdle || done) && !others && !pause && rx_ack_valid_i;
  assign take       = take_cfg || take_err || take_timer || take_ack;
  assign take_qpn   = take_cfg ? cfg_flush_qpn_q : take_err ? qp_err_i.qpn[QpW-1:0] :
                      take_timer ? timer_qpn : rx_ack_i.qpn[QpW-1:0];
  assign qp_err_ready_o = take_err;
  assign rx_ack_ready_o = take_ack;
  assign timer_ready    = take_timer;

  assign cfg_qpc = '{peer_ip: cfg_i.qpc.peer_ip, timeout: cfg_i.qpc.timeout, retry_limit: cfg_i.qpc.retry_limit};

  prim_ram_1r1w #(
    .T    (req_qpc_t),
    .Depth(NumQps)
  ) u_qpc (
    .clk_i,
    .re_i   (take),
    .raddr_i(take_qpn),
    .rdata_o(qpc),
    .we_i   (cfg_go_i && cfg_qp),
    .waddr_i(cfg_qpn),
    .wdata_i(cfg_qpc)
  );

  // The row at una is read in StDecide, the following ones while walking.
  assign meta_re  = state_q != StIdle;
  assign meta_psn = (state_q == StDecide || !step) ? una[WinW-1:0] : una_next[WinW-1:0];

  prim_ram_row #(
    .T    (meta_cpl_t),
    .Depth(NumQps * Window)
  ) u_meta (
    .clk_i,
    .re_i   (meta_re),
    .raddr_i({qpn_q, meta_psn}),
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
    .qpn_i        (init ? cfg_qpn : qpn_q),
    .deadline_i   (deadline),
    .event_qpn_o  (timer_qpn),
    .event_valid_o(timer_event),
    .event_ready_i(timer_ready),
    .quiet_o      (timer_quiet),
    .wake_at_o
  );

  assign own_err.qpn = 24'(qpn_q);

  // At most one failure a life of a QP is told, and none is left when a QP is created: the queue never overflows.
  prim_fifo #(
    .T    (qp_err_t),
    .Depth(NumQps)
  ) u_err (
    .clk_i,
    .rst_i,
    .data_i (own_err),
    .valid_i(enter_error && notify),
    .ready_o(fifo_ready),
    .data_o (qp_err_o),
    .valid_o(qp_err_valid_o),
    .ready_i(qp_err_ready_i),
    .count_o(unused_count)
  );

  // ---- Judging and acting ----------------------------------------------------------------------------------------------

  assign una          = una_mem[qpn_q];
  assign una_next     = una + 24'd1;
  assign retries      = retry_mem[qpn_q];
  assign in_flight    = next_i - una;
  assign ahead        = psn_q - una;
  assign live         = in_range_q && rts_q[qpn_q] && !err_q[qpn_q];
  assign from_peer    = src_ip_q == qpc.peer_ip;
  assign in_window    = ahead < in_flight;
  assign over_limit   = retries >= qpc.retry_limit;
  assign ack_deadline = now_i + ack_timeout(qpc.timeout, CyclesPerUs);
  assign need_cpl     = meta.last && (state_q == StFlush || meta.signaled);
  assign cur_qpn_o    = qpn_q;
  assign cpl_o        = '{qpn: 24'(qpn_q), wr_id: meta.wr_id, status: state_q == StFlush ? status_q : CPL_OK};

  always_comb begin
    state_d       = state_q;
    act_d         = act_q;
    left_d        = left_q;
    status_d      = status_q;
    una_we        = 1'b0;
    retry_we      = 1'b0;
    retry_wdata   = '0;
    fail_we       = 1'b0;
    fail_wdata    = CPL_FLUSHED;
    set_naked     = 1'b0;
    clear_naked   = 1'b0;
    set_rnr       = 1'b0;
    clear_rnr     = 1'b0;
    enter_error   = 1'b0;
    notify        = 1'b0;
    retry_o       = 1'b0;
    kick_o        = 1'b0;
    cpl_valid_o   = 1'b0;
    step          = 1'b0;
    done          = 1'b0;
    timer_set     = 1'b0;
    timer_clear   = 1'b0;
    deadline      = ack_deadline;
    stats_o       = '0;

    unique case (state_q)
      StIdle: ;

      StDecide: begin
        unique case (ev_q)
          EvAck: begin
            left_d = ahead[WinW:0];
            if (!live || !from_peer || !in_window) begin
              done = 1'b1;
            end else if (syndrome_q[7:5] == 3'b000) begin
              act_d   = ActAck;
              left_d  = ahead[WinW:0] + 1'b1;
              state_d = StWalk;
            end else if (syndrome_q[7:5] == 3'b001) begin
              // A second RNR NAK of the same packet must not postpone the timer for ever.
              act_d = ActRnr;
              if (ahead == '0 && rnr_q[qpn_q]) done = 1'b1;
              else state_d = StWalk;
            end else if (syndrome_q == SYN_NAK_SEQ) begin
              act_d = ActSeq;
              if (ahead == '0 && (naked_q[qpn_q] || cur_retry_busy_i)) done = 1'b1;
              else state_d = StWalk;
            end else if (syndrome_q inside {SYN_NAK_INVALID, SYN_NAK_ACCESS, SYN_NAK_OP}) begin
              act_d    = ActFail;
              status_d = syndrome_q == SYN_NAK_INVALID ? CPL_REMOTE_INVALID :
                         syndrome_q == SYN_NAK_ACCESS ? CPL_REMOTE_ACCESS : CPL_REMOTE_OP;
              state_d  = StWalk;
            end else begin
              done = 1'b1;
            end
            stats_o.rx_stale = done;
            stats_o.rx_ack   = !done && act_d == ActAck;
            stats_o.rx_nak   = !done && act_d != ActAck;
          end

          EvTimer: begin
            done = 1'b1;
            if (!live || in_flight == '0 || (qpc.timeout == '0 && !rnr_q[qpn_q])) begin
              timer_clear = 1'b1;
            end else if (rnr_q[qpn_q] || cur_retry_busy_i) begin
              // RNR wait over, or the last retransmission has not even left: no retry is spent.
              clear_rnr   = 1'b1;
              retry_o     = !cur_retry_busy_i;
              timer_set   = qpc.timeout != '0;
              timer_clear = qpc.timeout == '0;
            end else begin
              stats_o.timeout = 1'b1;
              if (over_limit) begin
                enter_error = 1'b1;
                notify      = 1'b1;
                status_d    = CPL_RETRY_EXCEEDED;
                done        = 1'b0;
                state_d     = StFlush;
              end else begin
                retry_we    = 1'b1;
                retry_wdata = retries + 3'd1;
                clear_naked = 1'b1;
                retry_o     = 1'b1;
                timer_set   = 1'b1;
              end
            end
          end

          EvError: begin
            status_d = CPL_FLUSHED;
            if (live) begin
              enter_error = 1'b1;
              state_d     = StFlush;
            end else begin
              done = 1'b1;
            end
          end

          EvConfig: begin  // err was set together with the new context
            status_d = CPL_FLUSHED;
            state_d  = StFlush;
          end

          default: done = 1'b1;
        endcase
        if (done) state_d = StIdle;
      end

      StWalk: begin
        cpl_valid_o = left_q != '0 && need_cpl;
        step        = left_q != '0 && (!need_cpl || cpl_ready_i);
        if (step) begin
          left_d      = left_q - 1'b1;
          una_we      = 1'b1;
          retry_we    = 1'b1;
          clear_naked = 1'b1;
          kick_o      = 1'b1;
        end
        if (left_d == '0) begin
          state_d = StIdle;
          done    = 1'b1;
          unique case (act_q)
            ActAck: begin
              if (una_next == next_i) begin
                timer_clear = 1'b1;
                clear_rnr   = 1'b1;
              end else if (!rnr_q[qpn_q]) begin
                timer_set = qpc.timeout != '0;
              end
            end
            ActSeq: begin
              if (!progress_q && !step && over_limit) begin
                enter_error = 1'b1;
                notify      = 1'b1;
                status_d    = CPL_RETRY_EXCEEDED;
                state_d     = StFlush;
                done        = 1'b0;
              end else begin
                if (!progress_q && !step) begin
                  retry_we    = 1'b1;
                  retry_wdata = retries + 3'd1;
                end
                clear_naked = 1'b0;
                set_naked   = 1'b1;
                clear_rnr   = 1'b1;
                retry_o     = 1'b1;
                timer_set   = qpc.timeout != '0;
                timer_clear = qpc.timeout == '0;  // an RNR timer may be left
              end
            end
            ActRnr: begin
              set_rnr   = 1'b1;
              timer_set = 1'b1;
              deadline  = now_i + rnr_timeout(syndrome_q[4:0], CyclesPerUs);
            end
            ActFail: begin
              enter_error = 1'b1;
              notify      = 1'b1;
              state_d     = StFlush;
              done        = 1'b0;
            end
            default: ;
          endcase
        end
      end

      StFlush: begin
        if (in_flight == '0) begin
          state_d     = StIdle;
          timer_clear = 1'b1;
          clear_rnr   = 1'b1;
          clear_naked = 1'b1;
          kick_o      = 1'b1;
        end else begin
          cpl_valid_o = need_cpl;
          step        = !need_cpl || cpl_ready_i;
          una_we      = step;
          if (step && need_cpl) begin
            status_d = CPL_FLUSHED;
            fail_we  = 1'b1;
          end
        end
      end

      default: state_d = StIdle;
    endcase

    if (enter_error) begin
      fail_we        = 1'b1;
      fail_wdata     = status_d;
      stats_o.qp_err = 1'b1;
    end
  end

  // ---- Lookups -----------------------------------------------------------------------------------------------------------

  assign sched_una_o  = una_mem[sched_qpn_i];
  assign sched_fail_o = fail_mem[sched_qpn_i];
  assign sched_dead_o = !rts_q[sched_qpn_i] || err_q[sched_qpn_i];
  assign sched_held_o = rnr_q[sched_qpn_i] || sched_retry_busy_i;
  assign retry_una_o  = una_mem[retry_qpn_i];
  assign retry_dead_o = !rts_q[retry_qpn_i] || err_q[retry_qpn_i];
  assign quiet_o      = state_q == StIdle && !take && !timer_event && timer_quiet && !qp_err_valid_o && !rx_ack_valid_i &&
                        !qp_err_valid_i && !cfg_flush_q;

  // ---- State ---------------------------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q     <= StIdle;
      rts_q       <= '0;
      err_q       <= '0;
      rnr_q       <= '0;
      naked_q     <= '0;
      cfg_flush_q <= 1'b0;
    end else begin
      // Taking is possible in StIdle, and for an acknowledge in the last cycle of the event before it.
      state_q <= take ? StDecide : state_d;
      if (enter_error) err_q[qpn_q] <= 1'b1;
      if (clear_rnr) rnr_q[qpn_q] <= 1'b0;
      if (set_rnr) rnr_q[qpn_q] <= 1'b1;
      if (clear_naked) naked_q[qpn_q] <= 1'b0;
      if (set_naked) naked_q[qpn_q] <= 1'b1;
      if (take_cfg) cfg_flush_q <= 1'b0;
      if (cfg_go_i && cfg_qp) begin
        rts_q[cfg_qpn] <= cfg_i.qpc.state == QP_RTS;
        if (modify_flush) cfg_flush_q <= 1'b1;
        if (modify_flush) err_q[cfg_qpn] <= 1'b1;
        if (cfg_i.init) begin
          err_q[cfg_qpn]   <= 1'b0;
          rnr_q[cfg_qpn]   <= 1'b0;
          naked_q[cfg_qpn] <= 1'b0;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    act_q    <= act_d;
    left_q   <= left_d;
    status_q <= status_d;
    if (state_q == StDecide) progress_q <= 1'b0;
    else if (step) progress_q <= 1'b1;
    if (modify_flush) cfg_flush_qpn_q <= cfg_qpn;
    if (take) begin
      ev_q       <= take_cfg ? EvConfig : take_err ? EvError : take_timer ? EvTimer : EvAck;
      qpn_q      <= take_qpn;
      in_range_q <= take_err ? qp_err_i.qpn < 24'(NumQps) : !take_ack || rx_ack_i.qpn < 24'(NumQps);
      src_ip_q   <= rx_ack_i.src_ip;
      psn_q      <= rx_ack_i.psn;
      syndrome_q <= rx_ack_i.syndrome;
    end
    if (init) una_mem[cfg_qpn] <= cfg_i.sq_psn;
    else if (una_we) una_mem[qpn_q] <= una_next;
    if (init) retry_mem[cfg_qpn] <= '0;
    else if (retry_we) retry_mem[qpn_q] <= retry_wdata;
    if (init || modify_flush) fail_mem[cfg_qpn] <= CPL_FLUSHED;
    else if (fail_we) fail_mem[qpn_q] <= fail_wdata;
  end

  `PRIM_ASSERT(err_room, !(enter_error && notify && !fifo_ready), "a failure of a QP was told twice")

endmodule
