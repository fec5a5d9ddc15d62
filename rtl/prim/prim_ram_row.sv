// SPDX-License-Identifier: Apache-2.0
// RAM row with hazard bypass: as prim_ram_1r1w, but rdata_o is always the newest value of the row read last, including a
// write in the cycle of the read and every write to that row while the result is held. So a pipeline may read at t, decide
// at t+1 and write at t+1, back to back on the same row, and never sees a stale value.
module prim_ram_row
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

  T ram_rdata, bypass_q;
  logic [idx_width(Depth)-1:0] addr_q;
  logic bypassed_q;

  prim_ram_1r1w #(
    .T    (T),
    .Depth(Depth)
  ) u_ram (
    .clk_i,
    .re_i,
    .raddr_i,
    .rdata_o(ram_rdata),
    .we_i,
    .waddr_i,
    .wdata_i
  );

  always_ff @(posedge clk_i) begin
    if (re_i) begin
      addr_q     <= raddr_i;
      bypassed_q <= we_i && (waddr_i == raddr_i);
    end else if (we_i && (waddr_i == addr_q)) begin
      bypassed_q <= 1'b1;
    end
    if (we_i) bypass_q <= (re_i ? (waddr_i == raddr_i) : (waddr_i == addr_q)) ? wdata_i : bypass_q;
  end

  assign rdata_o = bypassed_q ? bypass_q : ram_rdata;

endmodule
