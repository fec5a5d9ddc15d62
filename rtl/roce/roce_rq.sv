// SPDX-License-Identifier: Apache-2.0
// Receive queues: a ring of RqDepth posted buffers for each QP, used in order. One operation a cycle, each in two steps
// (read the QP's row; act and write it), in this priority: pop, peek, flush, post.
// Latency: entry_ok_o answers a peek from the second cycle after peek_i on, entry_o from the third, until the next one. A buffer is posted
// in two cycles. Completions that this module makes itself: a post that cannot be used (CPL_BAD_REQUEST: QPN out of range,
// address neither in HBM nor in host memory), a QP that is not to receive any more (CPL_FLUSHED).
// Contract: pop takes away what the last peek of that QP has shown. A QP is flushed when it fails (fail_i) or software puts
// it into RESET or ERR; until it is made anew or usable again, what is posted to it is flushed at once. Creating a QP
// (init) empties its ring without a word.
// Back-pressure: post_ready_o stays low while the ring of that QP is full.
`include "prim_assert.svh"
module roce_rq
  import prim_pkg::*;
  import roce_pkg::*;
  import roce_rx_pkg::*;
#(
  parameter int unsigned NumQps  = 256,
  parameter int unsigned RqDepth = 16    // a power of two
) (
  input logic clk_i,
  input logic rst_i,

  // Configuration rows
  input  roce_cfg_t cfg_i,
  input  logic      cfg_valid_i,
  input  logic      cfg_go_i,
  output logic      cfg_ready_o,

  // Posted buffers
  input  rq_wr_t post_i,
  input  logic   post_valid_i,
  output logic   post_ready_o,

  // Responder
  input  logic             peek_i,
  input  logic      [23:0] peek_qpn_i,
  output rq_entry_t        entry_o,
  output logic             entry_ok_o,
  input  logic             pop_i,
  input  logic      [23:0] pop_qpn_i,
  input  logic             fail_i,
  input  logic      [23:0] fail_qpn_i,

  // Completions made here
  output rq_cpl_t cpl_o,
  output logic    cpl_valid_o,
  input  logic    cpl_ready_i,

  output logic quiet_o
);

  localparam int unsigned QpW = idx_width(NumQps);
  localparam int unsigned PtrW = idx_width(RqDepth);
  localparam int unsigned CplDepth = 4;

  typedef logic [QpW-1:0] qp_t;

  // One more bit than an index: full and empty differ.
  typedef struct packed {
    logic [PtrW:0] head;
    logic [PtrW:0] tail;
  } ring_t;

  typedef enum logic [2:0] {
    OpNone,
    OpPop,
    OpPeek,
    OpFlush,
    OpPost
  } op_e;

  op_e op, op_q;
  qp_t op_qp, op_qp_q;
  logic op_far, op_far_q;  // QPN out of range
  ring_t row, row_new;
  logic row_we, empty, full;

  // One bit a QP: failed; put out of use by software; to be flushed; stands in the queue of those.
  logic [NumQps-1:0] failed_q, off_q, flush_q, queued_q;
  logic dead;
  logic cfg_qp, cfg_init, cfg_off, cfg_flush_q;
  qp_t cfg_qp_index, cfg_flush_qp_q;
  logic blocked_q;  // the post waits for room

  logic flushing_q, flush_start, queue_valid, queue_room, push, emit_q;
  qp_t flush_qp_q, queue_head, push_qp, emit_qp_q;
  logic [  cnt_width(NumQps)-1:0] unused_queue;
  logic [cnt_width(CplDepth)-1:0] cpl_count;
  logic cpl_room, cpl_push, refuse;
  cpl_status_e post_status;
  rq_cpl_t cpl;

  assign cfg_qp       = cfg_valid_i && cfg_go_i && is_qp_row(cfg_i, NumQps);
  assign cfg_init     = cfg_qp && cfg_i.init;
  assign cfg_qp_index = cfg_i.index[QpW-1:0];
  assign cfg_off      = !(cfg_i.qpc.state inside {QP_INIT, QP_RTR, QP_RTS, QP_SQD});
  assign cfg_ready_o  = op_q == OpNone && !cfg_flush_q;

  // ---- First step: choose an operation, read its row. Two completions may be on the way to their queue -----------------
  assign cpl_room     = 32'(cpl_count) + 2 <= CplDepth;

  always_comb begin
    op     = OpNone;
    op_qp  = post_i.qpn[QpW-1:0];
    op_far = 32'(post_i.qpn) >= NumQps;
    if (pop_i) begin
      op    = OpPop;
      op_qp = pop_qpn_i[QpW-1:0];
    end else if (peek_i) begin
      op    = OpPeek;
      op_qp = peek_qpn_i[QpW-1:0];
    end else if (cfg_valid_i || !cpl_room) begin
      op = OpNone;
    end else if (flushing_q) begin
      op    = (op_q == OpFlush) ? OpNone : OpFlush;
      op_qp = flush_qp_q;
    end else if (post_valid_i && !blocked_q && op_q != OpPost) begin
      op = OpPost;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) op_q <= OpNone;
    else op_q <= op;
  end

  always_ff @(posedge clk_i) begin
    if (op != OpNone) begin
      op_qp_q  <= op_qp;
      op_far_q <= op_far;
    end
  end

  // A table write happens while no operation is in its second step.
  prim_ram_row #(
    .T    (ring_t),
    .Depth(NumQps)
  ) u_rows (
    .clk_i,
    .re_i   (op != OpNone),
    .raddr_i(op_qp),
    .rdata_o(row),
    .we_i   (row_we || cfg_init),
    .waddr_i(cfg_init ? cfg_qp_index : op_qp_q),
    .wdata_i(cfg_init ? '0 : row_new)
  );

  // ---- Second step -------------------------------------------------------------------------------------------------------
  rq_entry_t ram_entry, entry_q;
  logic peeked_q, entry_ok_q, post_write;

  assign empty = row.head == row.tail;
  assign full  = row.head[PtrW-1:0] == row.tail[PtrW-1:0] && !empty;
  assign dead  = failed_q[op_qp_q] || off_q[op_qp_q];

  always_comb begin
    post_status = CPL_OK;
    if (op_far_q || !(post_i.addr[63:60] inside {CLASS_HBM, CLASS_HOST})) post_status = CPL_BAD_REQUEST;
    else if (dead) post_status = CPL_FLUSHED;
  end

  assign refuse = op_q == OpPost && post_status != CPL_OK;
  assign post_write = op_q == OpPost && post_status == CPL_OK && !full;
  assign post_ready_o = refuse || post_write;
  assign row_we = post_write || op_q == OpPop || (op_q == OpFlush && !empty);

  always_comb begin
    row_new = row;
    if (op_q == OpPost) row_new.tail = row.tail + 1'b1;
    else row_new.head = row.head + 1'b1;
  end

  prim_ram_1r1w #(
    .T    (rq_entry_t),
    .Depth(NumQps * RqDepth)
  ) u_entries (
    .clk_i,
    .re_i   (op_q == OpPeek || op_q == OpFlush),
    .raddr_i({op_qp_q, row.head[PtrW-1:0]}),
    .rdata_o(ram_entry),
    .we_i   (post_write),
    .waddr_i({op_qp_q, row.tail[PtrW-1:0]}),
    .wdata_i('{wr_id: post_i.wr_id, addr: post_i.addr, len: post_i.len})
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      peeked_q  <= 1'b0;
      emit_q    <= 1'b0;
      blocked_q <= 1'b0;
    end else begin
      peeked_q <= op_q == OpPeek;
      emit_q   <= op_q == OpFlush && !empty;
      if ((row_we && op_q != OpPost) || cfg_init || cfg_qp) blocked_q <= 1'b0;
      else if (op_q == OpPost && post_status == CPL_OK && full) blocked_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (op_q == OpPeek) entry_ok_q <= !empty;
    if (peeked_q) entry_q <= ram_entry;
    if (op_q == OpFlush) emit_qp_q <= op_qp_q;
  end

  assign entry_o = entry_q;
  assign entry_ok_o = entry_ok_q;

  // ---- Who is to be flushed: the responder's failures go first, a table write waits ----------------------------------------
  assign push_qp = fail_i ? fail_qpn_i[QpW-1:0] : cfg_flush_qp_q;
  assign push = (fail_i || cfg_flush_q) && (!queued_q[push_qp] || (flush_start && queue_head == push_qp));
  assign flush_start = queue_valid && !flushing_q && op_q != OpFlush;

  prim_fifo #(
    .T    (qp_t),
    .Depth(NumQps)
  ) u_queue (
    .clk_i,
    .rst_i,
    .data_i (push_qp),
    .valid_i(push),
    .ready_o(queue_room),
    .data_o (queue_head),
    .valid_o(queue_valid),
    .ready_i(flush_start),
    .count_o(unused_queue)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      failed_q    <= '0;
      off_q       <= '1;
      flush_q     <= '0;
      queued_q    <= '0;
      flushing_q  <= 1'b0;
      cfg_flush_q <= 1'b0;
    end else begin
      if (flush_start) begin
        flushing_q           <= flush_q[queue_head];
        flush_q[queue_head]  <= 1'b0;
        queued_q[queue_head] <= 1'b0;
      end
      if (op_q == OpFlush && empty) flushing_q <= 1'b0;
      if (push) queued_q[push_qp] <= 1'b1;
      if (fail_i) begin
        failed_q[fail_qpn_i[QpW-1:0]] <= 1'b1;
        flush_q[fail_qpn_i[QpW-1:0]]  <= 1'b1;
      end else if (cfg_flush_q) begin
        flush_q[cfg_flush_qp_q] <= 1'b1;
        cfg_flush_q             <= 1'b0;
      end
      if (cfg_qp) begin
        off_q[cfg_qp_index] <= cfg_off;
        if (cfg_i.init) begin
          failed_q[cfg_qp_index] <= 1'b0;
          flush_q[cfg_qp_index]  <= 1'b0;
          if (flush_qp_q == cfg_qp_index) flushing_q <= 1'b0;
        end else if (cfg_off) begin
          cfg_flush_q <= 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (flush_start) flush_qp_q <= queue_head;
    if (cfg_qp) cfg_flush_qp_q <= cfg_qp_index;
  end

  // ---- Completions -----------------------------------------------------------------------------------------------------------
  // A post is refused and a flushed buffer told in different cycles: no flush is in its third step while a post is in its second.
  always_comb begin
    cpl        = '0;
    cpl.qpn    = emit_q ? 24'(emit_qp_q) : post_i.qpn;
    cpl.wr_id  = emit_q ? ram_entry.wr_id : post_i.wr_id;
    cpl.status = emit_q ? CPL_FLUSHED : post_status;
  end

  assign cpl_push = emit_q || refuse;

  prim_fifo #(
    .T    (rq_cpl_t),
    .Depth(CplDepth)
  ) u_cpl (
    .clk_i,
    .rst_i,
    .data_i (cpl),
    .valid_i(cpl_push),
    .ready_o(),
    .data_o (cpl_o),
    .valid_o(cpl_valid_o),
    .ready_i(cpl_ready_i),
    .count_o(cpl_count)
  );

  assign quiet_o = !(post_valid_i && !blocked_q) && !peek_i && !pop_i && !fail_i && !cfg_valid_i && op_q == OpNone &&
      !peeked_q && !emit_q && !queue_valid && !flushing_q && !cfg_flush_q && cpl_count == '0;

  `PRIM_ASSERT(rq_pop, op_q == OpPop -> !empty, "a receive buffer is used that is not there")
  `PRIM_ASSERT(rq_one, !(pop_i && peek_i) && !(emit_q && refuse), "two things at once in the receive queues")
  `PRIM_ASSERT(rq_queue, push -> queue_room, "a QP was queued twice to be flushed")
  `PRIM_ASSERT(rq_cfg, cfg_qp -> op_q == OpNone, "a table write in the middle of an operation")

endmodule
