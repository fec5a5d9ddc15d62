// SPDX-License-Identifier: Apache-2.0
// Completions of requester, flushed queues and refused requests become one stream. One register: latency 1, one a cycle.
// The requester goes first, then flushed work: so the completions of a QP leave in the order of its work requests, because
// roce_sq_sched flushes what is queued only after the requester has handed over everything in flight.
`include "prim_assert.svh"
module roce_req_cpl
  import roce_pkg::*;
(
  input logic clk_i,
  input logic rst_i,

  input  cpl_t req_i,
  input  logic req_valid_i,
  output logic req_ready_o,
  input  cpl_t flush_i,
  input  logic flush_valid_i,
  output logic flush_ready_o,
  input  cpl_t refuse_i,
  input  logic refuse_valid_i,
  output logic refuse_ready_o,

  output cpl_t cpl_o,
  output logic cpl_valid_o,
  input  logic cpl_ready_i,

  output logic quiet_o
);

  cpl_t cpl_q;
  logic valid_q, room;

  assign room           = !valid_q || cpl_ready_i;
  assign req_ready_o    = room;
  assign flush_ready_o  = room && !req_valid_i;
  assign refuse_ready_o = room && !req_valid_i && !flush_valid_i;
  assign cpl_o          = cpl_q;
  assign cpl_valid_o    = valid_q;
  assign quiet_o        = !valid_q;

  always_ff @(posedge clk_i) begin
    if (room && (req_valid_i || flush_valid_i || refuse_valid_i)) begin
      cpl_q <= req_valid_i ? req_i : flush_valid_i ? flush_i : refuse_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) valid_q <= 1'b0;
    else if (room) valid_q <= req_valid_i || flush_valid_i || refuse_valid_i;
  end

  `PRIM_ASSERT_STREAM(cpl_out, cpl_valid_o, cpl_ready_i, cpl_o)

endmodule
