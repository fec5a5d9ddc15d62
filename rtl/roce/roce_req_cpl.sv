// SPDX-License-Identifier: Apache-2.0
// Completions of requester, flushed queues and refused requests become one stream. A skid buffer: latency 1, one a cycle.
// The requester goes first, then flushed work: so the completions of a QP leave in the order of its work requests, because
// roce_sq_sched flushes what is queued only after the requester has handed over everything in flight.
//
// A completion of the requester may have to wait until data that it stands for are in memory: until req_tag_i of the
// requester's commands (cmd_count_i so far) are done. A failed one waits for all commands so far: nothing is written to the buffer of a
// READ after its completion. It goes into a queue, and everything that comes while the queue holds something goes behind it.
// Back-pressure: a full queue or skid buffer stalls all three inputs; no ready follows cpl_ready_i in the same cycle.
//
// done_i tells what is done, modulo 256, and which command failed: memory did not take the data of a READ or atomic. That QP fails
// (fail_o, once a life): its first completion that stands for this command or a later one, or that was flushed, is CPL_LOCAL_MEM, all
// others of it are flushed. A silent completion vanishes unless it is that one. Commands of a QP's older life do not count.
`include "prim_assert.svh"
module roce_req_cpl
  import prim_pkg::*;
  import roce_pkg::*;
#(
  parameter int unsigned NumQps = 256,
  parameter int unsigned Depth  = 32
) (
  input logic clk_i,
  input logic rst_i,

  // Table writes, broadcast: ready when no failure waits
  input  roce_cfg_t cfg_i,
  input  logic      cfg_go_i,
  output logic      cfg_ready_o,

  input  cpl_t   req_i,
  input  logic   req_wait_i,
  input  wr_no_t req_tag_i,
  input  logic   req_silent_i,
  input  logic   req_valid_i,
  output logic   req_ready_o,
  input  cpl_t   flush_i,
  input  logic   flush_valid_i,
  output logic   flush_ready_o,
  input  cpl_t   refuse_i,
  input  logic   refuse_valid_i,
  output logic   refuse_ready_o,

  // Commands given, and those that are done
  input wr_no_t    cmd_count_i,
  input rsp_done_t done_i,

  // QPs of which one failed
  output mem_fail_t fail_o,
  output logic      fail_valid_o,
  input  logic      fail_ready_i,

  output cpl_t cpl_o,
  output logic cpl_valid_o,
  input  logic cpl_ready_i,

  output logic quiet_o
);

  localparam int unsigned QpW = idx_width(NumQps);
  typedef logic [QpW-1:0] qpn_t;

  typedef struct packed {
    logic   must_wait;
    logic   silent;
    wr_no_t tag;
    cpl_t   cpl;
  } entry_t;

  entry_t in, head, out;
  cpl_t out_cpl;
  logic room, in_valid, through, queue_room, queued, head_done, take, req_fails, flush_fails;
  logic [7:0] pending;
  wr_no_t done, beyond;
  logic [cnt_width(Depth)-1:0] unused_count;

  assign in_valid = req_valid_i || flush_valid_i || refuse_valid_i;
  assign req_fails = req_i.status != CPL_OK && pending != '0;
  assign flush_fails = flush_i.status != CPL_OK && pending != '0;
  assign in = '{
          must_wait: req_valid_i ? req_wait_i || req_fails : flush_valid_i && flush_fails,
          silent: req_valid_i && req_silent_i,
          tag: req_valid_i && req_wait_i && !req_fails ? req_tag_i : cmd_count_i,
          cpl: req_valid_i ? req_i : flush_valid_i ? flush_i : refuse_i
      };

  // Never more than 255 commands are pending.
  assign pending = cmd_count_i[7:0] - done_i.count;
  assign done = cmd_count_i - 32'(pending);
  assign beyond = done - head.tag;
  assign head_done = !head.must_wait || !beyond[31];

  assign through = !queued && !in.must_wait;
  assign take = room && (queued ? head_done : in_valid && through);
  assign out = queued ? head : in;

  assign req_ready_o = (queued || req_wait_i || req_fails) ? queue_room : room;
  assign flush_ready_o = ((queued || flush_fails) ? queue_room : room) && !req_valid_i;
  assign refuse_ready_o = (queued ? queue_room : room) && !req_valid_i && !flush_valid_i;
  // A completion that waits for its data changes nothing.
  assign quiet_o = !cpl_valid_o && !(queued && head_done) && !done_i.bad && !fail_valid_o;

  // ---- Failures. bad: a command of the QP has failed, the number of the first is in first_mem; told: by a completion. born_mem: commands
  // given when the QP was created ---------------------------------------------------------------------------------------------------------
  logic [NumQps-1:0] bad_q, told_q;
  wr_no_t first_mem[NumQps];
  wr_no_t born_mem [NumQps];
  qpn_t cfg_qpn, bad_qpn, out_qpn;
  wr_no_t age, since, first;
  logic init, bad, out_bad, out_hit, fail_room;
  logic [cnt_width(NumQps)-1:0] unused_fails;

  assign cfg_qpn = cfg_i.index[QpW-1:0];
  assign init = cfg_go_i && is_new_qp(cfg_i, NumQps);
  assign cfg_ready_o = !fail_valid_o;
  assign bad_qpn = done_i.qpn[QpW-1:0];
  assign age = done - born_mem[bad_qpn];
  assign bad = done_i.bad && !age[31] && age != '0 && !bad_q[bad_qpn] && !(init && cfg_qpn == bad_qpn);

  assign out_qpn = out.cpl.qpn[QpW-1:0];
  assign out_bad = out.cpl.qpn < 24'(NumQps) && (bad_q[out_qpn] || (bad && bad_qpn == out_qpn));
  assign first = bad_q[out_qpn] ? first_mem[out_qpn] : done;
  assign since = out.tag - first;
  assign out_hit = out_bad && (out.cpl.status == CPL_FLUSHED || (out.cpl.status == CPL_OK && !since[31]));

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      bad_q  <= '0;
      told_q <= '0;
    end else begin
      if (bad) bad_q[bad_qpn] <= 1'b1;
      if (take && out_hit) told_q[out_qpn] <= 1'b1;
      if (init) begin
        bad_q[cfg_qpn]  <= 1'b0;
        told_q[cfg_qpn] <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (bad) first_mem[bad_qpn] <= done;
    if (init) born_mem[cfg_qpn] <= cmd_count_i;
  end

  // A QP fails once a life, and none is left here when one is created.
  prim_fifo #(
    .T    (mem_fail_t),
    .Depth(NumQps)
  ) u_fails (
    .clk_i,
    .rst_i,
    .data_i ('{own: 1'b0, qpn: done_i.qpn, psn: '0}),
    .valid_i(bad),
    .ready_o(fail_room),
    .data_o (fail_o),
    .valid_o(fail_valid_o),
    .ready_i(fail_ready_i),
    .count_o(unused_fails)
  );

  prim_fifo #(
    .T    (entry_t),
    .Depth(Depth)
  ) u_queue (
    .clk_i,
    .rst_i,
    .data_i (in),
    .valid_i(in_valid && !through),
    .ready_o(queue_room),
    .data_o (head),
    .valid_o(queued),
    .ready_i(room && head_done),
    .count_o(unused_count)
  );

  always_comb begin
    out_cpl = out.cpl;
    if (out_hit) begin
      out_cpl.status = told_q[out_qpn] ? CPL_FLUSHED : CPL_LOCAL_MEM;
      out_cpl.orig   = '0;
    end
  end

  prim_skid #(
    .T(cpl_t)
  ) u_out (
    .clk_i,
    .rst_i,
    .data_i (out_cpl),
    .valid_i(take && (!out.silent || out_hit)),
    .ready_o(room),
    .data_o (cpl_o),
    .valid_o(cpl_valid_o),
    .ready_i(cpl_ready_i)
  );

  `PRIM_ASSERT(cpl_fails, bad -> fail_room, "a QP failed twice")

endmodule
