// SPDX-License-Identifier: Apache-2.0
// First-in first-out queue with fall-through read: data_o shows the oldest element while valid_o.
// Latency 1 (an element written at an edge is visible after it). Push and pop in one cycle at any fill level;
// a full FIFO does not accept in the cycle of a pop, so ready_o does not depend on ready_i.
// count_o is the number of elements. Reset empties it; data is not reset.
`include "prim_assert.svh"
module prim_fifo
  import prim_pkg::*;
#(
  parameter type         T     = logic [7:0],
  parameter int unsigned Depth = 4
) (
  input logic clk_i,
  input logic rst_i,

  // Write side
  input  T     data_i,
  input  logic valid_i,
  output logic ready_o,

  // Read side
  output T     data_o,
  output logic valid_o,
  input  logic ready_i,

  output logic [cnt_width(Depth)-1:0] count_o
);

  localparam int unsigned PtrW = idx_width(Depth);
  localparam logic [PtrW-1:0] LastPtr = PtrW'(Depth - 1);

  T mem[Depth];
  logic [PtrW-1:0] wr_q, rd_q;
  logic [cnt_width(Depth)-1:0] count_q;
  logic push, pop;

  assign ready_o = count_q != Depth[cnt_width(Depth)-1:0];
  assign valid_o = count_q != '0;
  assign data_o  = mem[rd_q];
  assign count_o = count_q;
  assign push    = valid_i && ready_o;
  assign pop     = valid_o && ready_i;

  always_ff @(posedge clk_i) begin
    if (push) mem[wr_q] <= data_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      wr_q    <= '0;
      rd_q    <= '0;
      count_q <= '0;
    end else if (push || pop) begin
      if (push) wr_q <= (wr_q == LastPtr) ? '0 : wr_q + 1'b1;
      if (pop) rd_q <= (rd_q == LastPtr) ? '0 : rd_q + 1'b1;
      if (push && !pop) count_q <= count_q + 1'b1;
      if (!push && pop) count_q <= count_q - 1'b1;
    end
  end

  `PRIM_ASSERT_STREAM(fifo_out, valid_o, ready_i, data_o)

endmodule
