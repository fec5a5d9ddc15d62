// SPDX-License-Identifier: Apache-2.0
// Completions of host work become completion entries in host memory, in order per completion queue, and events.
//
//   cpl, rq_cpl -> arbiter -> queue of the QP -> row of the queue -> AW and W of one beat -> event
//
// Every completion of the present row gives its credit back (done). A successful completion of unsignaled work makes no
// entry. An entry is written without waiting for the response of the one before: posted writes keep their order. Latency: 3
// cycles from a completion to its write address; one entry every two cycles.
// Event: a queue that was armed gives one pulse on event_valid_o when its next (solicited, or failed) entry has left towards
// host memory, and is disarmed.
// Bad input: a queue without a row, or full: the entry is dropped and counted, overrun_o tells which. Completions of an older
// row of their QP are dropped (stale). A doorbell or arm with an impossible number or index has no effect (bad_db_o).
`include "prim_assert.svh"
module hostif_cq
  import axis_pkg::*;
  import prim_pkg::*;
  import hostif_pkg::*;
  import roce_pkg::*;
#(
  parameter int unsigned NumQps = 256,
  parameter int unsigned NumCqs = 64,
  parameter logic [3:0] AxiId = 4'd0
) (
  input logic clk_i,
  input logic rst_i,

  // Table writes
  input  hostif_cfg_t cfg_i,
  input  logic        cfg_valid_i,
  input  logic        cfg_go_i,
  output logic        cfg_ready_o,

  // Doorbells, always taken
  input doorbell_t db_i,
  input logic      db_valid_i,
  input cq_arm_t   arm_i,
  input logic      arm_valid_i,

  // Completions
  input  cpl_t    cpl_i,
  input  logic    cpl_valid_i,
  output logic    cpl_ready_o,
  input  rq_cpl_t rq_cpl_i,
  input  logic    rq_cpl_valid_i,
  output logic    rq_cpl_ready_o,

  // Credits to the rings
  output logic [idx_width(NumQps)-1:0] sq_done_qpn_o,
  output logic                         sq_done_valid_o,
  input  logic                         sq_done_ready_i,
  output logic [idx_width(NumQps)-1:0] rq_done_qpn_o,
  output logic                         rq_done_valid_o,
  input  logic                         rq_done_ready_i,

  // Host memory writes
  output axi_addr_t aw_o,
  output logic      aw_valid_o,
  input  logic      aw_ready_i,
  output axi_w_t    w_o,
  output logic      w_valid_o,
  input  logic      w_ready_i,
  input  axi_b_t    b_i,
  input  logic      b_valid_i,
  output logic      b_ready_o,

  // Events
  output cq_event_t event_o,
  output logic      event_valid_o,

  output logic        overrun_o,
  output logic [15:0] overrun_cqn_o,

  output logic bad_db_o,
  output logic cqe_o,
  output logic quiet_cpl_o,
  output logic stale_o,
  output logic mem_err_o,
  output logic quiet_o
);

  localparam int unsigned QpW = idx_width(NumQps);
  localparam int unsigned CqW = idx_width(NumCqs);
  typedef logic [15:0] count_t;

  // Per QP: its queues and the epoch of its row. Per queue: row, entries written and freed. One writer each.
  logic [31:0] qp_cqn_mem[NumQps];
  logic [3:0] epoch_mem[NumQps];
  ring_cfg_t cq_mem[NumCqs];
  count_t written_mem[NumCqs];
  count_t freed_mem[NumCqs];
  logic [NumCqs-1:0] armed_q, solicited_only_q;

  // Stage 1: which completion; stage 2: its entry and queue; stage 3: on the bus.
  logic turn_q, s2_valid_q, s1_room, s2_room, pick_rq, take, keep, fresh;
  logic cpl_fresh, rq_fresh, cpl_seen, cpl_valid, rq_valid;
  host_wr_id_t cpl_id, rq_id;
  logic [QpW-1:0] cpl_qpn, rq_qpn;
  cqe_t s1_cqe, s2_cqe_q;
  logic [31:0] s1_cqns;
  logic [15:0] s1_cqn, s2_cqn_q;
  logic s1_solicited, s2_solicited_q;
  logic [CqW-1:0] cqn, db_cqn, arm_cqn;
  ring_cfg_t row, db_row;
  count_t written, offset;
  logic full, cq_ok, s2_write, s2_drop, event_new;
  logic aw_valid_q, w_valid_q, event_q;
  axi_addr_t aw_q;
  axi_w_t w_q;
  cq_event_t event_cqn_q;
  cqe_t s3_cqe;
  logic db_ok, arm_ok, bus_done;
  count_t db_freed, db_used;
  logic cfg_qp, cfg_cq;

  // ---- Stage 1: arbitrate, tell fresh from stale, give the credit back ----------------------------------------------
  assign cpl_id          = host_wr_id_t'(cpl_i.wr_id);
  assign rq_id           = host_wr_id_t'(rq_cpl_i.wr_id);
  assign cpl_qpn         = cpl_i.qpn[QpW-1:0];
  assign rq_qpn          = rq_cpl_i.qpn[QpW-1:0];
  assign cpl_fresh       = cpl_id.epoch == epoch_mem[cpl_qpn];
  assign rq_fresh        = rq_id.epoch == epoch_mem[rq_qpn];
  // A row that is about to change decides about freshness: nothing moves before.
  assign s1_room         = s2_room && !cfg_valid_i;
  assign cpl_valid       = cpl_valid_i && s1_room;
  assign rq_valid        = rq_cpl_valid_i && s1_room;
  assign pick_rq         = rq_valid && (!cpl_valid || turn_q);
  assign sq_done_qpn_o   = cpl_qpn;
  assign rq_done_qpn_o   = rq_qpn;
  assign sq_done_valid_o = cpl_valid && !pick_rq && cpl_fresh;
  assign rq_done_valid_o = pick_rq && rq_fresh;
  assign cpl_ready_o     = cpl_valid && !pick_rq && (sq_done_ready_i || !cpl_fresh);
  assign rq_cpl_ready_o  = pick_rq && (rq_done_ready_i || !rq_fresh);
  assign take            = cpl_ready_o || rq_cpl_ready_o;
  assign fresh           = pick_rq ? rq_fresh : cpl_fresh;
  assign cpl_seen        = cpl_id.signaled || cpl_i.status != CPL_OK;
  assign keep            = take && fresh && (pick_rq || cpl_seen);
  assign stale_o         = take && !fresh;
  assign quiet_cpl_o     = cpl_ready_o && fresh && !cpl_seen;
  assign s1_cqns         = qp_cqn_mem[pick_rq?rq_qpn : cpl_qpn];
  assign s1_cqn          = pick_rq ? s1_cqns[31:16] : s1_cqns[15:0];
  assign s1_solicited    = pick_rq ? rq_cpl_i.solicited || rq_cpl_i.status != CPL_OK : cpl_i.status != CPL_OK;

  always_comb begin
    s1_cqe = '0;
    if (pick_rq) begin
      s1_cqe.status    = 8'(rq_id.mem_err ? CPL_LOCAL_MEM : rq_cpl_i.status);
      s1_cqe.kind      = 8'(rq_cpl_i.is_write ? CQE_RECV_WRITE : CQE_RECV);
      s1_cqe.index     = rq_id.index;
      s1_cqe.qpn       = rq_cpl_i.qpn;
      s1_cqe.has_imm   = rq_cpl_i.has_imm;
      s1_cqe.solicited = rq_cpl_i.solicited;
      s1_cqe.len       = rq_cpl_i.len;
      s1_cqe.imm       = rq_cpl_i.imm;
      s1_cqe.src_qpn   = rq_cpl_i.src_qpn;
      s1_cqe.src_ip    = rq_cpl_i.src_ip;
    end else begin
      s1_cqe.status = 8'(cpl_id.mem_err && cpl_i.status == CPL_BAD_REQUEST ? CPL_LOCAL_MEM : cpl_i.status);
      s1_cqe.kind   = 8'(CQE_SEND);
      s1_cqe.index  = cpl_id.index;
      s1_cqe.qpn    = cpl_i.qpn;
      s1_cqe.op     = {4'd0, cpl_id.op};
      s1_cqe.orig   = cpl_i.orig;
    end
  end

  // ---- Stage 2: place in the queue ---------------------------------------------------------------------------------
  assign cqn           = s2_cqn_q[CqW-1:0];
  assign row           = cq_mem[cqn];
  assign written       = written_mem[cqn];
  assign offset        = written & ((16'd1 << row.log2) - 16'd1);
  assign full          = count_t'(written - freed_mem[cqn]) == (16'd1 << row.log2);
  assign cq_ok         = 32'(s2_cqn_q) < NumCqs && row.valid && !full;
  assign bus_done      = (!aw_valid_q || aw_ready_i) && (!w_valid_q || w_ready_i);
  assign s2_write      = s2_valid_q && cq_ok && bus_done;
  assign s2_drop       = s2_valid_q && !cq_ok;
  assign s2_room       = !s2_valid_q || s2_write || s2_drop;
  assign event_new     = armed_q[cqn] && (s2_solicited_q || !solicited_only_q[cqn]);
  assign overrun_o     = s2_drop;
  assign overrun_cqn_o = s2_cqn_q;
  always_comb begin
    s3_cqe = s2_cqe_q;
    s3_cqe.phase = !written[row.log2];
  end

  // ---- Doorbells of queues -----------------------------------------------------------------------------------------
  assign db_cqn      = db_i.number[CqW-1:0];
  assign arm_cqn     = arm_i.cqn[CqW-1:0];
  assign db_row      = cq_mem[db_cqn];
  assign db_freed    = db_i.index - freed_mem[db_cqn];
  assign db_used     = written_mem[db_cqn] - freed_mem[db_cqn];
  assign db_ok       = db_valid_i && 32'(db_i.number) < NumCqs && db_row.valid && db_freed <= db_used;
  assign arm_ok      = arm_valid_i && 32'(arm_i.cqn) < NumCqs && cq_mem[arm_cqn].valid;
  assign bad_db_o    = (db_valid_i && !db_ok) || (arm_valid_i && !arm_ok);

  // ---- Table writes: nothing is under way ----------------------------------------------------------------------------
  assign cfg_ready_o = !s2_valid_q && !db_valid_i && !arm_valid_i;
  assign cfg_qp      = cfg_go_i && !cfg_i.is_cq;
  assign cfg_cq      = cfg_go_i && cfg_i.is_cq;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      turn_q     <= 1'b0;
      s2_valid_q <= 1'b0;
      aw_valid_q <= 1'b0;
      w_valid_q  <= 1'b0;
      event_q    <= 1'b0;
      armed_q    <= '0;
    end else begin
      if (take) turn_q <= !pick_rq;
      if (s2_room) s2_valid_q <= keep;
      if (s2_write) begin
        aw_valid_q <= 1'b1;
        w_valid_q  <= 1'b1;
        event_q    <= event_new;
      end else begin
        if (aw_ready_i) aw_valid_q <= 1'b0;
        if (w_ready_i) w_valid_q <= 1'b0;
        if (bus_done) event_q <= 1'b0;
      end
      if (s2_write && event_new) armed_q[cqn] <= 1'b0;
      if (arm_ok) armed_q[arm_cqn] <= 1'b1;
      if (cfg_cq) armed_q[cfg_i.index[CqW-1:0]] <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (keep) begin
      s2_cqe_q       <= s1_cqe;
      s2_cqn_q       <= s1_cqn;
      s2_solicited_q <= s1_solicited;
    end
    if (s2_write) begin
      aw_q        <= '{id: AxiId, addr: {row.page, 12'd0} + {42'd0, offset, 6'd0}, len: '0};
      w_q         <= '{last: 1'b1, strb: '1, data: s3_cqe};
      event_cqn_q <= '{cqn: s2_cqn_q};
    end
    if (arm_ok) solicited_only_q[arm_cqn] <= arm_i.solicited_only;
  end

  always_ff @(posedge clk_i) begin
    if (cfg_qp) qp_cqn_mem[cfg_i.index[QpW-1:0]] <= {cfg_i.qp.recv_cqn, cfg_i.qp.send_cqn};
    if (cfg_qp) epoch_mem[cfg_i.index[QpW-1:0]] <= epoch_mem[cfg_i.index[QpW-1:0]] + 4'd1;
    if (cfg_cq) cq_mem[cfg_i.index[CqW-1:0]] <= cfg_i.cq;
    if (cfg_cq) written_mem[cfg_i.index[CqW-1:0]] <= '0;
    else if (s2_write) written_mem[cqn] <= written + 16'd1;
    if (cfg_cq) freed_mem[cfg_i.index[CqW-1:0]] <= '0;
    else if (db_ok) freed_mem[db_cqn] <= db_i.index;
  end

  assign aw_o = aw_q;
  assign aw_valid_o = aw_valid_q;
  assign w_o = w_q;
  assign w_valid_o = w_valid_q;
  assign b_ready_o = 1'b1;
  assign mem_err_o = b_valid_i && b_i.resp != '0;
  assign event_o = event_cqn_q;
  assign event_valid_o = event_q && bus_done;
  assign cqe_o = s2_write;
  assign quiet_o       = !cpl_valid_i && !rq_cpl_valid_i && !s2_valid_q && !aw_valid_q && !w_valid_q && !event_q && !b_valid_i &&
                         !db_valid_i && !arm_valid_i && !cfg_valid_i;

  `PRIM_ASSERT_STREAM(aw, aw_valid_o, aw_ready_i, aw_o)
  `PRIM_ASSERT_STREAM(w, w_valid_o, w_ready_i, w_o)

endmodule
