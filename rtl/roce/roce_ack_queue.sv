// SPDX-License-Identifier: Apache-2.0
// Acknowledges that wait for their turn on the wire: at most one a QP, merged while it waits, never lost.
//
// An event is taken in its first cycle, or in its second when a waiting acknowledge is taken out in the first; the end of an
// answer that was waited for costs it one more. A QP stands in the queue at most once, so NumQps entries are enough.
// Latency from an event to its acknowledge: 4 cycles; one acknowledge in 2 cycles leaves.
// Order: an event names the READ or atomic of its QP that must be answered before (`after`); until that answer has left
// the QP is held, outside of the queue. Answers end in the order of their numbers: one done_i each.
// Merging: the newest wins, but an ACK whose PSN lies before that of what waits (the re-ACK of a duplicate; before the
// PSN that a NAK asks for) changes nothing; a NAK always replaces.
// Contract: pkt_o is an OP_ACK without payload from the QP's own copy of the context. A QP that is not in RTR, RTS, SQD or
// ERR, or whose number is out of range, is not acknowledged: the event is dropped. Creating a QP anew (cfg init) discards
// what waits for it. A silent QP (silent_i) is not acknowledged any more: what waits for it is dropped in its turn.
`include "prim_assert.svh"
module roce_ack_queue
  import prim_pkg::*;
  import roce_pkg::*;
  import roce_wire_pkg::*;
#(
  parameter int unsigned NumQps = 256
) (
  input logic clk_i,
  input logic rst_i,

  // Table writes, broadcast
  input  roce_cfg_t cfg_i,
  input  logic      cfg_valid_i,
  input  logic      cfg_go_i,
  output logic      cfg_ready_o,

  // From the responder
  input  ack_evt_t evt_i,
  input  logic     evt_valid_i,
  output logic     evt_ready_o,

  // The next READ or atomic, one of this QP, is answered
  input logic        done_i,
  input logic [23:0] done_qpn_i,

  // QPs that have refused a request for good
  input logic [NumQps-1:0] silent_i,

  // To the frame builder
  output tx_pkt_t pkt_o,
  output logic    pkt_valid_o,
  input  logic    pkt_ready_i,

  output logic merged_o,
  output logic quiet_o
);

  localparam int unsigned QpnW = idx_width(NumQps);
  typedef logic [QpnW-1:0] qpn_t;

  typedef struct packed {
    rd_no_t      after;
    logic [23:0] psn;
    logic [7:0]  syndrome;
    logic [23:0] msn;
  } row_t;

  // The part of the context that a packet needs.
  typedef struct packed {
    logic        active;
    logic [23:0] dest_qpn;
    logic [7:0]  neigh;
    logic [15:0] sport;
  } ctx_t;

  // queued: the QPN stands in the queue. pending: its row holds an acknowledge (not so after it was discarded). held: it
  // waits for an answer.
  logic [NumQps-1:0] queued_q, pending_q, held_q;

  // First stage: an event, the head of the queue or a held QP reads the rows. Second stage: decide and write.
  logic evt_take, drain_take, free_take, evt_q, drain_q, free_q, taken_q, cfg_q, may_leave;
  rd_no_t done_q, done_now, after;  // READs and atomics answered
  qpn_t read_qpn;
  ack_evt_t evt_row_q;
  qpn_t qpn_q;
  logic discard_now, in_range;

  qpn_t head;
  logic head_valid, push;
  logic queue_room;
  logic [cnt_width(NumQps)-1:0] unused_count;

  row_t row, row_new;
  ctx_t ctx, ctx_new;
  logic row_we, waiting, replace;
  logic cfg_qp, cfg_init;

  tx_pkt_t pkt_new, pkt_q;
  logic pkt_valid_q, emit;

  // ---- First stage. A drain is never taken twice in a row, so events wait for one cycle at most. -------------------
  assign free_take = done_i && held_q[done_qpn_i[QpnW-1:0]];
  assign drain_take  = head_valid && !drain_q && (!pkt_valid_q || pkt_ready_i) && (!evt_valid_i || taken_q) && !free_take;
  assign evt_take = evt_valid_i && !drain_take && !free_take;
  assign evt_ready_o = !drain_take && !free_take;
  assign read_qpn = free_take ? done_qpn_i[QpnW-1:0] : evt_take ? evt_i.qpn[QpnW-1:0] : head;
  assign in_range = evt_i.qpn < 24'(NumQps);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      taken_q <= 1'b0;
      cfg_q   <= 1'b0;
      evt_q   <= 1'b0;
      drain_q <= 1'b0;
      free_q  <= 1'b0;
      done_q  <= '0;
    end else begin
      free_q  <= free_take;
      done_q  <= done_now;
      taken_q <= evt_take;
      cfg_q   <= cfg_qp;
      evt_q   <= evt_take && in_range;
      drain_q <= drain_take;
    end
  end

  always_ff @(posedge clk_i) begin
    if (evt_take) evt_row_q <= evt_i;
    if (evt_take || drain_take || free_take) qpn_q <= read_qpn;
  end

  prim_ram_row #(
    .T    (row_t),
    .Depth(NumQps)
  ) u_rows (
    .clk_i,
    .re_i   (evt_take || drain_take || free_take),
    .raddr_i(read_qpn),
    .rdata_o(row),
    .we_i   (row_we),
    .waddr_i(qpn_q),
    .wdata_i(row_new)
  );

  // ---- Context copy ------------------------------------------------------------------------------------------------
  assign cfg_ready_o = 1'b1;
  assign cfg_qp = cfg_go_i && is_qp_row(cfg_i, NumQps);
  assign cfg_init = cfg_qp && cfg_i.init;
  assign ctx_new = '{
          active: cfg_i.qpc.state inside {QP_RTR, QP_RTS, QP_SQD, QP_ERR},
          dest_qpn: cfg_i.qpc.dest_qpn,
          neigh: cfg_i.qpc.neigh,
          sport: cfg_i.qpc.sport
      };

  prim_ram_row #(
    .T    (ctx_t),
    .Depth(NumQps)
  ) u_ctx (
    .clk_i,
    .re_i   (drain_take),
    .raddr_i(head),
    .rdata_o(ctx),
    .we_i   (cfg_qp),
    .waddr_i(cfg_i.index[QpnW-1:0]),
    .wdata_i(ctx_new)
  );

  // ---- Second stage ------------------------------------------------------------------------------------------------
  // NAK and RNR NAK have a syndrome other than 000xxxxx.
  assign discard_now = cfg_init && (cfg_i.index[QpnW-1:0] == qpn_q);
  assign waiting     = pending_q[qpn_q];
  assign replace     = !waiting || (evt_row_q.syndrome[6:5] != 2'd0) || (psn_diff(evt_row_q.psn, row.psn) >= 0);
  assign row_we      = evt_q && replace;
  assign row_new     = '{after: evt_row_q.after, psn: evt_row_q.psn, syndrome: evt_row_q.syndrome, msn: evt_row_q.msn};
  assign done_now    = done_q + 56'(done_i);
  assign after       = row_we ? evt_row_q.after : row.after;
  assign may_leave   = after <= done_now;
  assign push        = ((evt_q && !queued_q[qpn_q]) || (free_q && held_q[qpn_q])) && may_leave;
  assign merged_o    = evt_q && waiting;
  assign emit        = drain_q && waiting && !discard_now && ctx.active && may_leave && !silent_i[qpn_q];

  prim_fifo #(
    .T    (qpn_t),
    .Depth(NumQps)
  ) u_queue (
    .clk_i,
    .rst_i,
    .data_i (qpn_q),
    .valid_i(push),
    .ready_o(queue_room),
    .data_o (head),
    .valid_o(head_valid),
    .ready_i(drain_take),
    .count_o(unused_count)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      queued_q  <= '0;
      pending_q <= '0;
      held_q    <= '0;
    end else begin
      if (push) begin
        queued_q[qpn_q] <= 1'b1;
        held_q[qpn_q]   <= 1'b0;
      end
      if (evt_q && !queued_q[qpn_q] && !may_leave) held_q[qpn_q] <= 1'b1;
      if (drain_q) begin
        queued_q[qpn_q] <= 1'b0;
        held_q[qpn_q]   <= waiting && !may_leave;
      end
      if (evt_q && !discard_now) pending_q[qpn_q] <= 1'b1;
      if (drain_q && may_leave) pending_q[qpn_q] <= 1'b0;
      if (cfg_init) begin
        pending_q[cfg_i.index[QpnW-1:0]] <= 1'b0;
        held_q[cfg_i.index[QpnW-1:0]]    <= 1'b0;
      end
    end
  end

  always_comb begin
    pkt_new              = '0;
    pkt_new.hdr.opcode   = OP_ACK;
    pkt_new.hdr.dest_qpn = ctx.dest_qpn;
    pkt_new.hdr.psn      = row.psn;
    pkt_new.hdr.neigh    = ctx.neigh;
    pkt_new.hdr.sport    = ctx.sport;
    pkt_new.hdr.ext      = {row.syndrome, row.msn, 192'd0};
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) pkt_valid_q <= 1'b0;
    else if (emit) pkt_valid_q <= 1'b1;
    else if (pkt_ready_i) pkt_valid_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (emit) pkt_q <= pkt_new;
  end

  assign pkt_o = pkt_q;
  assign pkt_valid_o = pkt_valid_q;
  assign quiet_o     = !evt_valid_i && !cfg_valid_i && !cfg_q && !done_i && !taken_q && !drain_q &&
      !free_q && !head_valid && !pkt_valid_q;

  `PRIM_ASSERT_STREAM(ack_out, pkt_valid_o, pkt_ready_i, pkt_o)
  `PRIM_ASSERT(ack_queue_room, push -> queue_room, "a QP was queued twice; an acknowledge is lost")

endmodule
