// SPDX-License-Identifier: Apache-2.0
// Judges one event of the requester and acts: the state machine of roce_requester, see there for the rules.
//
// StIdle, StDecide (rows and context of the event's QP are there), StWalk and StFlush: one packet a cycle completes, from
// una on; the metadata asked for with meta_psn_o is there one cycle later. done_o: last cycle of the event.
module roce_req_fsm
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

  // The event: take_i in the cycle before it is there
  input  logic                               take_i,
  input  req_event_t                         event_i,
  input  logic       [idx_width(NumQps)-1:0] qpn_i,
  input  req_qpc_t                           qpc_i,
  output logic                               idle_o,
  output logic                               done_o,

  // Its QP
  input  req_row_t          row_i,
  output req_write_t        write_o,
  input  logic       [23:0] next_i,
  input  logic              retry_busy_i,

  // Metadata of its packets
  output logic                           meta_re_o,
  output logic      [$clog2(Window)-1:0] meta_psn_o,
  input  meta_cpl_t                      meta_i,

  // Its timer
  output logic        timer_set_o,
  output logic        timer_clear_o,
  output logic [63:0] deadline_o,

  // What follows: retransmission, the scheduler, completions, the responder is told
  output logic retry_o,
  output logic kick_o,
  output cpl_t cpl_o,
  output logic cpl_valid_o,
  input  logic cpl_ready_i,
  output logic tell_o,

  output roce_tx_stats_t stats_o
);

  localparam int unsigned WinW = $clog2(Window);

  typedef enum logic [1:0] {
    StIdle,
    StDecide,
    StWalk,
    StFlush
  } state_e;
  typedef enum logic [1:0] {
    ActAck,
    ActSeq,
    ActRnr,
    ActFail
  } act_e;

  state_e state_q, state_d;
  act_e act_q, act_d;
  logic progress_q;
  logic [WinW:0] left_q, left_d;  // packets still to complete before the action
  cpl_status_e status_q, status_d;

  logic [23:0] una_next, in_flight, ahead;
  logic live, from_peer, in_window, over_limit, enter_error, notify, need_cpl, step;
  logic [63:0] ack_deadline;

  assign una_next = row_i.una + 24'd1;
  assign in_flight = next_i - row_i.una;
  assign ahead = event_i.psn - row_i.una;
  assign live = event_i.in_range && row_i.live;
  assign from_peer = event_i.opcode == OP_ACK && event_i.src_ip == qpc_i.peer_ip;
  assign in_window = ahead < in_flight;
  assign over_limit = row_i.retries >= qpc_i.retry_limit;
  assign ack_deadline = now_i + ack_timeout(qpc_i.timeout, CyclesPerUs);
  assign need_cpl = meta_i.last && (state_q == StFlush || meta_i.signaled);
  assign idle_o = state_q == StIdle;
  assign cpl_o = '{qpn: 24'(qpn_i), wr_id: meta_i.wr_id, status: state_q == StFlush ? status_q : CPL_OK, orig: '0};
  assign tell_o = enter_error && notify;

  // The row at una is read in StDecide, the following ones while walking.
  assign meta_re_o = state_q != StIdle;
  assign meta_psn_o = (state_q == StDecide || !step) ? row_i.una[WinW-1:0] : una_next[WinW-1:0];

  always_comb begin
    state_d       = state_q;
    act_d         = act_q;
    left_d        = left_q;
    status_d      = status_q;
    write_o       = '0;
    write_o.una   = una_next;
    write_o.fail  = CPL_FLUSHED;
    enter_error   = 1'b0;
    notify        = 1'b0;
    retry_o       = 1'b0;
    kick_o        = 1'b0;
    cpl_valid_o   = 1'b0;
    step          = 1'b0;
    done_o        = 1'b0;
    timer_set_o   = 1'b0;
    timer_clear_o = 1'b0;
    deadline_o    = ack_deadline;
    stats_o       = '0;

    unique case (state_q)
      StIdle: ;

      StDecide: begin
        unique case (event_i.kind)
          EvAck: begin
            left_d = ahead[WinW:0];
            if (!live || !from_peer || !in_window) begin
              done_o = 1'b1;
            end else if (event_i.syndrome[7:5] == 3'b000) begin
              act_d   = ActAck;
              left_d  = ahead[WinW:0] + 1'b1;
              state_d = StWalk;
            end else if (event_i.syndrome[7:5] == 3'b001) begin
              // A second RNR NAK of the same packet must not postpone the timer for ever.
              act_d = ActRnr;
              if (ahead == '0 && row_i.rnr) done_o = 1'b1;
              else state_d = StWalk;
            end else if (event_i.syndrome == SYN_NAK_SEQ) begin
              act_d = ActSeq;
              if (ahead == '0 && (row_i.naked || retry_busy_i)) done_o = 1'b1;
              else state_d = StWalk;
            end else if (event_i.syndrome inside {SYN_NAK_INVALID, SYN_NAK_ACCESS, SYN_NAK_OP}) begin
              act_d = ActFail;
              status_d = event_i.syndrome == SYN_NAK_INVALID ? CPL_REMOTE_INVALID :
                         event_i.syndrome == SYN_NAK_ACCESS ? CPL_REMOTE_ACCESS : CPL_REMOTE_OP;
              state_d = StWalk;
            end else begin
              done_o = 1'b1;
            end
            stats_o.rx_stale = done_o;
            stats_o.rx_ack   = !done_o && act_d == ActAck;
            stats_o.rx_nak   = !done_o && act_d != ActAck;
          end

          EvTimer: begin
            done_o = 1'b1;
            if (!live || in_flight == '0 || (qpc_i.timeout == '0 && !row_i.rnr)) begin
              timer_clear_o = 1'b1;
            end else if (row_i.rnr || retry_busy_i) begin
              // RNR wait over, or the last retransmission has not even left: no retry is spent.
              write_o.clear_rnr = 1'b1;
              retry_o           = !retry_busy_i;
              timer_set_o       = qpc_i.timeout != '0;
              timer_clear_o     = qpc_i.timeout == '0;
            end else begin
              stats_o.timeout = 1'b1;
              if (over_limit) begin
                enter_error = 1'b1;
                notify      = 1'b1;
                status_d    = CPL_RETRY_EXCEEDED;
                done_o      = 1'b0;
                state_d     = StFlush;
              end else begin
                write_o.retries_we  = 1'b1;
                write_o.retries     = row_i.retries + 3'd1;
                write_o.clear_naked = 1'b1;
                retry_o             = 1'b1;
                timer_set_o         = 1'b1;
              end
            end
          end

          EvError: begin
            status_d = CPL_FLUSHED;
            if (live) begin
              enter_error = 1'b1;
              state_d     = StFlush;
            end else begin
              done_o = 1'b1;
            end
          end

          EvFlush: begin  // err was set together with the new context
            status_d = CPL_FLUSHED;
            state_d  = StFlush;
          end

          default: done_o = 1'b1;
        endcase
        if (done_o) state_d = StIdle;
      end

      StWalk: begin
        cpl_valid_o = left_q != '0 && need_cpl;
        step        = left_q != '0 && (!need_cpl || cpl_ready_i);
        if (step) begin
          left_d              = left_q - 1'b1;
          write_o.una_we      = 1'b1;
          write_o.retries_we  = 1'b1;
          write_o.clear_naked = 1'b1;
          kick_o              = 1'b1;
        end
        if (left_d == '0) begin
          state_d = StIdle;
          done_o  = 1'b1;
          unique case (act_q)
            ActAck: begin
              if (una_next == next_i) begin
                timer_clear_o = 1'b1;
                write_o.clear_rnr = 1'b1;
              end else if (!row_i.rnr) begin
                timer_set_o = qpc_i.timeout != '0;
              end
            end
            ActSeq: begin
              if (!progress_q && !step && over_limit) begin
                enter_error = 1'b1;
                notify      = 1'b1;
                status_d    = CPL_RETRY_EXCEEDED;
                state_d     = StFlush;
                done_o      = 1'b0;
              end else begin
                if (!progress_q && !step) begin
                  write_o.retries_we    = 1'b1;
                  write_o.retries = row_i.retries + 3'd1;
                end
                write_o.clear_naked = 1'b0;
                write_o.set_naked   = 1'b1;
                write_o.clear_rnr   = 1'b1;
                retry_o             = 1'b1;
                timer_set_o         = qpc_i.timeout != '0;
                timer_clear_o       = qpc_i.timeout == '0;  // an RNR timer may be left
              end
            end
            ActRnr: begin
              write_o.set_rnr = 1'b1;
              timer_set_o = 1'b1;
              deadline_o = now_i + rnr_timeout(event_i.syndrome[4:0], CyclesPerUs);
            end
            ActFail: begin
              enter_error = 1'b1;
              notify      = 1'b1;
              state_d     = StFlush;
              done_o      = 1'b0;
            end
            default: ;
          endcase
        end
      end

      StFlush: begin
        if (in_flight == '0) begin
          state_d             = StIdle;
          timer_clear_o       = 1'b1;
          write_o.clear_rnr   = 1'b1;
          write_o.clear_naked = 1'b1;
          kick_o              = 1'b1;
        end else begin
          cpl_valid_o    = need_cpl;
          step           = !need_cpl || cpl_ready_i;
          write_o.una_we = step;
          if (step && need_cpl) begin
            status_d = CPL_FLUSHED;
            write_o.fail_we = 1'b1;
          end
        end
      end

      default: state_d = StIdle;
    endcase

    if (enter_error) begin
      write_o.set_err = 1'b1;
      write_o.fail_we = 1'b1;
      write_o.fail    = status_d;
      stats_o.qp_err  = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StIdle;
    end else begin
      // Taking is possible in StIdle, and for an acknowledge in the last cycle of the event before it.
      state_q <= take_i ? StDecide : state_d;
    end
  end

  always_ff @(posedge clk_i) begin
    act_q    <= act_d;
    left_q   <= left_d;
    status_q <= status_d;
    if (state_q == StDecide) progress_q <= 1'b0;
    else if (step) progress_q <= 1'b1;
  end

endmodule
