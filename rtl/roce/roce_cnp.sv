// SPDX-License-Identifier: Apache-2.0
// Notification point: turns received packets with a congestion mark into CNPs, at most one a QP in `cnp_cycles`.
// Latency 1 from a mark to cnp_o. One mark a cycle, without back-pressure: when the queue of CNPs is full the mark has no
// effect, not even on the interval, so the next marked packet of the QP asks again.
// Bad input: a QPN out of range is the responder's matter and must not come here. quiet_o: no mark, no CNP waits.
`include "prim_assert.svh"
module roce_cnp
  import prim_pkg::*;
#(
  parameter int unsigned NumQps = 256,
  parameter int unsigned Depth  = 16
) (
  input logic clk_i,
  input logic rst_i,

  input logic [63:0] now_i,
  input logic [23:0] cnp_cycles_i,

  // A QP is created anew: its interval starts afresh
  input logic                         init_i,
  input logic [idx_width(NumQps)-1:0] init_qpn_i,

  // A packet with payload came with ECN = 3
  input logic                         mark_i,
  input logic [idx_width(NumQps)-1:0] mark_qpn_i,

  // CNPs to send, by local QPN
  output logic [idx_width(NumQps)-1:0] cnp_qpn_o,
  output logic                         cnp_valid_o,
  input  logic                         cnp_ready_i,

  output logic quiet_o
);

  typedef logic [idx_width(NumQps)-1:0] qpn_t;

  // Read asynchronously (LUT RAM); means nothing without its flag.
  logic [63:0] next_mem[NumQps];
  logic [NumQps-1:0] timed_q;
  logic allowed, push, room;
  logic [cnt_width(Depth)-1:0] unused_count;

  assign allowed = !timed_q[mark_qpn_i] || now_i >= next_mem[mark_qpn_i];
  assign push = mark_i && allowed && room;
  assign quiet_o = !mark_i && !init_i && !cnp_valid_o;

  prim_fifo #(
    .T    (qpn_t),
    .Depth(Depth)
  ) u_fifo (
    .clk_i,
    .rst_i,
    .data_i (mark_qpn_i),
    .valid_i(push),
    .ready_o(room),
    .data_o (cnp_qpn_o),
    .valid_o(cnp_valid_o),
    .ready_i(cnp_ready_i),
    .count_o(unused_count)
  );

  always_ff @(posedge clk_i) begin
    if (push) next_mem[mark_qpn_i] <= now_i + 64'(cnp_cycles_i);
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      timed_q <= '0;
    end else begin
      if (push) timed_q[mark_qpn_i] <= 1'b1;
      if (init_i) timed_q[init_qpn_i] <= 1'b0;
    end
  end

  `PRIM_ASSERT_STREAM(cnp_out, cnp_valid_o, cnp_ready_i, cnp_qpn_o)

endmodule
