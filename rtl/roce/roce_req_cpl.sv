// SPDX-License-Identifier: Apache-2.0
// Completions of requester, flushed queues and refused requests become one stream. One register: latency 1, one a cycle.
// The requester goes first, then flushed work: so the completions of a QP leave in the order of its work requests, because
// roce_sq_sched flushes what is queued only after the requester has handed over everything in flight.
//
// A completion of the requester may have to wait until data that it stands for are in memory: until req_tag_i of the
// requester's commands (cmd_count_i so far) are done (done_i), both modulo 256. A failed one waits for all commands so far:
// nothing is written to the buffer of a READ after its completion. It goes into a queue, and everything that comes while
// the queue holds something goes behind it. Back-pressure: a full queue stalls all three inputs.
`include "prim_assert.svh"
module roce_req_cpl
  import prim_pkg::*;
  import roce_pkg::*;
#(
  parameter int unsigned Depth = 32
) (
  input logic clk_i,
  input logic rst_i,

  input  cpl_t       req_i,
  input  logic       req_wait_i,
  input  logic [7:0] req_tag_i,
  input  logic       req_valid_i,
  output logic       req_ready_o,
  input  cpl_t       flush_i,
  input  logic       flush_valid_i,
  output logic       flush_ready_o,
  input  cpl_t       refuse_i,
  input  logic       refuse_valid_i,
  output logic       refuse_ready_o,

  // Commands given, and those that are in memory
  input logic [7:0] cmd_count_i,
  input logic [7:0] done_i,

  output cpl_t cpl_o,
  output logic cpl_valid_o,
  input  logic cpl_ready_i,

  output logic quiet_o
);

  typedef struct packed {
    logic       must_wait;
    logic [7:0] tag;
    cpl_t       cpl;
  } entry_t;

  entry_t in, head;
  cpl_t cpl_q;
  logic valid_q, room, in_valid, through, queue_room, queued, head_done, take, req_fails, flush_fails;
  logic [7:0] pending, given_since;
  logic [cnt_width(Depth)-1:0] unused_count;

  assign in_valid = req_valid_i || flush_valid_i || refuse_valid_i;
  assign req_fails = req_i.status != CPL_OK && pending != '0;
  assign flush_fails = flush_i.status != CPL_OK && pending != '0;
  assign in = '{
          must_wait: req_valid_i ? req_wait_i || req_fails : flush_valid_i && flush_fails,
          tag: req_valid_i && !req_fails ? req_tag_i : cmd_count_i,
          cpl: req_valid_i ? req_i : flush_valid_i ? flush_i : refuse_i
      };

  // Never more than 255 commands are pending, so what was given since the tag tells whether the tag is among them; after
  // 256 more commands the answer may be too cautious, until nothing is pending.
  assign pending = cmd_count_i - done_i;
  assign given_since = cmd_count_i - head.tag;
  assign head_done = !head.must_wait || given_since >= pending;

  assign room = !valid_q || cpl_ready_i;
  assign through = !queued && !in.must_wait;
  assign take = room && (queued ? head_done : in_valid && through);

  assign req_ready_o = (queued || req_wait_i || req_fails) ? queue_room : room;
  assign flush_ready_o = ((queued || flush_fails) ? queue_room : room) && !req_valid_i;
  assign refuse_ready_o = (queued ? queue_room : room) && !req_valid_i && !flush_valid_i;
  assign cpl_o = cpl_q;
  assign cpl_valid_o = valid_q;
  // A completion that waits for its data changes nothing.
  assign quiet_o = !valid_q && !(queued && head_done);

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

  always_ff @(posedge clk_i) begin
    if (take) cpl_q <= queued ? head.cpl : in.cpl;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) valid_q <= 1'b0;
    else if (room) valid_q <= take;
  end

  `PRIM_ASSERT_STREAM(cpl_out, cpl_valid_o, cpl_ready_i, cpl_o)

endmodule
