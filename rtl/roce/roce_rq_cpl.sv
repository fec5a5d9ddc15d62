// SPDX-License-Identifier: Apache-2.0
// Completions of receives, in order, each held until the payload writer has brought everything before it into memory.
// Two sources: the responder (with the number of the commands to wait for) and the receive queues (nothing to wait for); the
// responder goes first. Latency 1 when there is nothing to wait for.
// Contract: done_i counts commands in memory, modulo 2^32, and is never 2^31 or more away from a waiting number.
// Back-pressure: a full queue of Depth completions holds both sources; in the end the responder, so software must take
// completions.
`include "prim_assert.svh"
module roce_rq_cpl
  import prim_pkg::*;
  import roce_pkg::*;
  import roce_rx_pkg::*;
#(
  parameter int unsigned Depth = 16
) (
  input logic clk_i,
  input logic rst_i,

  // From the responder
  input  rq_done_t done_i,
  input  logic     done_valid_i,
  output logic     done_ready_o,

  // From the receive queues
  input  rq_cpl_t own_i,
  input  logic    own_valid_i,
  output logic    own_ready_o,

  // Payload writer's progress
  input wr_no_t wr_done_i,

  // Completions
  output rq_cpl_t cpl_o,
  output logic    cpl_valid_o,
  input  logic    cpl_ready_i,

  output logic quiet_o
);

  rq_done_t head;
  logic head_valid, room, reached, moved_q;
  logic [cnt_width(Depth)-1:0] unused_count;
  wr_no_t behind;

  assign done_ready_o = room;
  assign own_ready_o  = room && !done_valid_i;
  assign behind       = wr_done_i - head.tag;
  assign reached      = !behind[31];

  prim_fifo #(
    .T    (rq_done_t),
    .Depth(Depth)
  ) u_queue (
    .clk_i,
    .rst_i,
    .data_i (done_valid_i ? done_i : '{tag: wr_done_i, cpl: own_i}),
    .valid_i(done_valid_i || own_valid_i),
    .ready_o(room),
    .data_o (head),
    .valid_o(head_valid),
    .ready_i(cpl_ready_i && reached),
    .count_o(unused_count)
  );

  assign cpl_o       = head.cpl;
  assign cpl_valid_o = head_valid && reached;

  // A completion that waits changes nothing, but for one cycle after the queue moved (see roce_rd_queue).
  always_ff @(posedge clk_i) begin
    if (rst_i) moved_q <= 1'b0;
    else moved_q <= done_valid_i || own_valid_i || (cpl_valid_o && cpl_ready_i);
  end

  assign quiet_o = !done_valid_i && !own_valid_i && !cpl_valid_o && !moved_q;

  `PRIM_ASSERT_STREAM(rq_cpl_out, cpl_valid_o, cpl_ready_i, cpl_o)

endmodule
