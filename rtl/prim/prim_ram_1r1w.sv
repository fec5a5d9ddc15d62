// SPDX-License-Identifier: Apache-2.0
// Simple dual-port RAM: one read and one write port, synchronous read. rdata_o shows, from the edge that ends the cycle
// of re_i on, the row as it was before a write of that same cycle (read first); it holds its value while re_i is low.
// Contents start as zero, as FPGA block RAM does; there is no reset.
module prim_ram_1r1w
  import prim_pkg::*;
#(
  parameter type         T     = logic [7:0],
  parameter int unsigned Depth = 16
) (
  input logic clk_i,

  // Read port
  input  logic                        re_i,
  input  logic [idx_width(Depth)-1:0] raddr_i,
  output T                            rdata_o,

  // Write port
  input logic                        we_i,
  input logic [idx_width(Depth)-1:0] waddr_i,
  input T                            wdata_i
);

  T mem[Depth];
  T rdata_q;

`ifndef SYNTHESIS
  // Block RAM powers up as zero without being told; elaborators would unroll this loop.
  initial for (int unsigned i = 0; i < Depth; i++) mem[i] = '0;
`endif

  always_ff @(posedge clk_i) begin
    if (re_i) rdata_q <= mem[raddr_i];
    if (we_i) mem[waddr_i] <= wdata_i;
  end

  assign rdata_o = rdata_q;

endmodule
