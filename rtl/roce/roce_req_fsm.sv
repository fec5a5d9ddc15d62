// SPDX-License-Identifier: Apache-2.0
// Judges one event of the requester and acts: the state machine of roce_requester, see there for the rules.
//
// StIdle, StDecide (rows and context of the event's QP are there), StWalk and StFlush: one PSN a cycle is done, from una
// on; its metadata, asked for with meta_psn_o, is there one cycle later. done_o: last cycle of the event.
// Every response with payload makes exactly one command for that payload, in order, whatever it meets; an atomic
// acknowledge that is accepted makes one that writes its value. A completion that must wait for them carries the count
// of commands (cpl_tag_o) that must have been carried out. So that it can tell when its data do not reach memory, a READ or
// atomic that is not signaled has a silent completion.
`include "prim_assert.svh"
module roce_req_fsm
  import prim_pkg::*;
  import roce_pkg::*;
  import roce_req_pkg::*;
  import roce_wire_pkg::*;
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
  output logic   retry_o,
  output logic   kick_o,
  output cpl_t   cpl_o,
  output logic   cpl_wait_o,    // not before the commands up to cpl_tag_o are in memory
  output wr_no_t cpl_tag_o,
  output logic   cpl_silent_o,  // only when that fails
  output logic   cpl_valid_o,
  input  logic   cpl_ready_i,
  output logic   tell_o,

  // What to do with payload that came back: pushed only while there is room; commands so far
  output rx_cmd_t cmd_o,
  output logic    cmd_push_o,
  input  logic    cmd_room_i,
  output wr_no_t  cmd_count_o,

  output roce_tx_stats_t stats_o
);

  localparam int unsigned WinW = $clog2(Window);

  typedef enum logic [1:0] {
    StIdle,
    StDecide,
    StWalk,
    StFlush
  } state_e;
  // What happens once the PSNs before that of the response are done. The first three name a PSN that they answer.
  typedef enum logic [2:0] {
    ActAck,
    ActRead,
    ActAtomic,
    ActSeq,
    ActRnr,
    ActFail
  } act_e;

  state_e state_q, state_d;
  act_e act_q, act_d, act_end;
  logic progress_q;
  logic [WinW:0] left_q, left_d;  // PSNs still to do before the action; when flushing, before the cause takes effect
  cpl_status_e status_q, status_d;
  wr_no_t cmd_count_q;

  logic [23:0] una_next, in_flight, ahead;
  logic live, from_peer, in_window, refuses, over_limit, over_rnr, enter_error, notify, need_cpl, step;
  logic middle, wants_room, at_named, match, lost, miss, walk, finish, cmd_data, cmd_orig, rnr_wait;
  logic [2:0] code;

  assign una_next = row_i.una + 24'd1;
  assign in_flight = next_i - row_i.una;
  assign ahead = event_i.psn - row_i.una;
  assign live = event_i.in_range && row_i.live;
  assign from_peer = event_i.src_ip == qpc_i.peer_ip;
  assign in_window = ahead < in_flight;
  assign over_limit = row_i.retries >= qpc_i.retry_limit;
  assign over_rnr = qpc_i.rnr_retry != RNR_ENDLESS && row_i.rnr_retries >= qpc_i.rnr_retry;
  assign need_cpl = meta_i.last && (state_q == StFlush || meta_i.signaled || cpl_wait_o);
  assign idle_o = state_q == StIdle;
  assign tell_o = enter_error && notify;

  // A READ response in the middle has no AETH and so says nothing but yes.
  assign middle = event_i.opcode == OP_READ_RESP_MIDDLE;
  assign code = middle ? 3'b000 : event_i.syndrome[7:5];
  assign refuses = code == 3'b011 && (event_i.syndrome inside {SYN_NAK_INVALID, SYN_NAK_ACCESS, SYN_NAK_OP});
  assign wants_room = event_i.kind == EvResponse && (event_i.len != '0 || event_i.opcode == OP_ATOMIC_ACK);

  // The PSN being walked over: the one that the response names, or one before it, which was executed then. A READ or an
  // atomic before it has lost its response.
  assign at_named = left_q == 1 && (act_q inside {ActAck, ActRead, ActAtomic});
  assign match = act_q == ActRead ? meta_i.kind == RowRead && meta_i.len == event_i.len :
                 act_q == ActAtomic ? meta_i.kind == RowAtomic : meta_i.kind == RowData;
  assign lost = state_q == StWalk && left_q != '0 && !at_named && meta_i.kind != RowData;
  assign miss = state_q == StWalk && at_named && !match;
  assign walk = state_q == StWalk && left_q != '0 && !lost && !miss;
  assign act_end = lost ? ActSeq : act_q;

  // Payload of an accepted READ response goes to the address of its row, all other is dropped; the value of an atomic
  // has a command only when it is wanted in memory.
  assign cmd_data = event_i.kind == EvResponse && event_i.len != '0 &&
                    (state_q == StDecide ? cmd_room_i && state_d == StIdle : state_q == StWalk && finish);
  assign cmd_orig = walk && at_named && step && act_q == ActAtomic && meta_i.target != RX_DROP;
  assign cmd_push_o = cmd_data || cmd_orig;
  assign cmd_count_o = cmd_count_q;
  assign cmd_o = '{
          inl: cmd_orig,
          data: event_i.orig,
          target: cmd_orig || (walk && at_named && act_q == ActRead) ? meta_i.target : RX_DROP,
          qpn: 24'(qpn_i),
          addr: meta_i.addr,
          len: cmd_orig ? 13'd8 : event_i.len
      };

  assign cpl_o = '{
          qpn: 24'(qpn_i),
          wr_id: meta_i.wr_id,
          status: state_q != StFlush ? CPL_OK : left_q == '0 ? status_q : CPL_FLUSHED,
          orig: meta_i.kind == RowAtomic && state_q != StFlush ? event_i.orig : '0
      };
  assign cpl_wait_o = state_q == StWalk && (meta_i.kind == RowRead ? event_i.len != '0 :
                      meta_i.kind == RowAtomic && meta_i.target != RX_DROP);
  assign cpl_tag_o = cmd_count_q + 32'd1;
  assign cpl_silent_o = state_q == StWalk && !meta_i.signaled;

  // Apart from the decisions below, so that these don't follow the clock's count.
  assign deadline_o = now_i + (rnr_wait ? rnr_timeout(
      event_i.syndrome[4:0], CyclesPerUs
  ) : ack_timeout(
      qpc_i.timeout, CyclesPerUs
  ));

  // The row at una is read in StDecide, the following ones while walking.
  assign meta_re_o = state_q != StIdle;
  assign meta_psn_o = (state_q == StDecide || !step) ? row_i.una[WinW-1:0] : una_next[WinW-1:0];

  always_comb begin
    logic moved;
    moved         = 1'b0;
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
    finish        = 1'b0;
    done_o        = 1'b0;
    timer_set_o   = 1'b0;
    timer_clear_o = 1'b0;
    rnr_wait      = 1'b0;
    stats_o       = '0;

    unique case (state_q)
      StIdle: ;

      StDecide: begin
        left_d = '0;
        unique case (event_i.kind)
          EvResponse: begin
            left_d = ahead[WinW:0];
            if (wants_room && !cmd_room_i) begin
              done_o = 1'b0;
            end else if (!live || !from_peer || !in_window) begin
              done_o = 1'b1;
            end else if (code == 3'b000) begin
              act_d   = event_i.opcode == OP_ACK ? ActAck : event_i.opcode == OP_ATOMIC_ACK ? ActAtomic : ActRead;
              left_d  = ahead[WinW:0] + 1'b1;
              state_d = StWalk;
            end else if (code == SYN_RNR) begin
              // A second RNR NAK of the same packet must not postpone the timer for ever.
              act_d = ActRnr;
              if (ahead == '0 && row_i.rnr) done_o = 1'b1;
              else state_d = StWalk;
            end else if (event_i.syndrome == SYN_NAK_SEQ) begin
              // Behind an RNR NAK comes one of these for the packets that followed: the wait goes on.
              act_d = ActSeq;
              if (ahead == '0 && (row_i.naked || row_i.rnr || retry_busy_i)) done_o = 1'b1;
              else state_d = StWalk;
            end else if (refuses) begin
              act_d = ActFail;
              status_d = event_i.syndrome == SYN_NAK_INVALID ? CPL_REMOTE_INVALID :
                         event_i.syndrome == SYN_NAK_ACCESS ? CPL_REMOTE_ACCESS : CPL_REMOTE_OP;
              state_d = StWalk;
            end else begin
              done_o = 1'b1;
            end
            stats_o.rx_stale = done_o;
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

          // Its own packet's message takes the cause, what is before it is flushed; a packet that was acknowledged meanwhile
          // needs no payload any more. Other failures are told even when nothing can be sent.
          EvMemory: begin
            status_d = event_i.own ? CPL_LOCAL_MEM : CPL_FLUSHED;
            if (event_i.own ? live && in_window : event_i.in_range && !row_i.err) begin
              enter_error = 1'b1;
              notify      = 1'b1;
              if (event_i.own) left_d = ahead[WinW:0];
              state_d = StFlush;
            end else begin
              done_o = 1'b1;
            end
          end

          EvResume: begin
            kick_o = 1'b1;
            done_o = 1'b1;
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
        cpl_valid_o = walk && need_cpl;
        step        = walk && (!need_cpl || cpl_ready_i);
        if (step) begin
          left_d                 = left_q - 1'b1;
          write_o.una_we         = 1'b1;
          write_o.retries_we     = 1'b1;
          write_o.rnr_retries_we = 1'b1;
          write_o.rd_done        = meta_i.rd_end;
          write_o.clear_naked    = 1'b1;
          kick_o                 = 1'b1;
        end
        moved  = progress_q || step;
        finish = lost || miss || left_d == '0;
        if (finish) begin
          state_d = StIdle;
          done_o  = 1'b1;
          unique case (act_end)
            ActAck, ActRead, ActAtomic: begin
              if ((step ? una_next : row_i.una) == next_i) begin
                timer_clear_o = 1'b1;
                write_o.clear_rnr = 1'b1;
              end else if (moved && !row_i.rnr) begin
                timer_set_o = qpc_i.timeout != '0;
              end
              stats_o.rx_ack   = moved;
              stats_o.rx_stale = !moved;
            end
            ActSeq: begin
              stats_o.rx_nak = 1'b1;
              if (lost && !moved && (row_i.naked || row_i.rnr || retry_busy_i)) begin
                stats_o.rx_nak   = 1'b0;
                stats_o.rx_stale = 1'b1;
              end else if (!moved && over_limit) begin
                enter_error = 1'b1;
                status_d    = CPL_RETRY_EXCEEDED;
              end else begin
                if (!moved) begin
                  write_o.retries_we = 1'b1;
                  write_o.retries    = row_i.retries + 3'd1;
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
              stats_o.rx_nak = 1'b1;
              if (!moved && over_rnr) begin
                enter_error = 1'b1;
                status_d    = CPL_RNR_EXCEEDED;
              end else begin
                if (!moved && qpc_i.rnr_retry != RNR_ENDLESS) begin
                  write_o.rnr_retries_we = 1'b1;
                  write_o.rnr_retries    = row_i.rnr_retries + 3'd1;
                end
                write_o.set_rnr = 1'b1;
                timer_set_o = 1'b1;
                rnr_wait = 1'b1;
              end
            end
            default: begin  // ActFail
              stats_o.rx_nak = 1'b1;
              enter_error    = 1'b1;
            end
          endcase
          if (enter_error) begin
            notify  = 1'b1;
            left_d  = '0;
            state_d = StFlush;
            done_o  = 1'b0;
          end
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
          cpl_valid_o     = need_cpl;
          step            = !need_cpl || cpl_ready_i;
          write_o.una_we  = step;
          write_o.rd_done = step && meta_i.rd_end;
          if (step && left_q != '0) left_d = left_q - 1'b1;
          if (step && need_cpl && left_q == '0) begin
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
      state_q     <= StIdle;
      cmd_count_q <= '0;
    end else begin
      if (cmd_push_o) cmd_count_q <= cmd_count_q + 32'd1;
      // Taking is possible in StIdle, and for a response in the last cycle of the event before it.
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

  `PRIM_ASSERT(cmd_room, !cmd_push_o || cmd_room_i, "a command for payload is lost; every later one is wrong")

endmodule
