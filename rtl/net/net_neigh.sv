// SPDX-License-Identifier: Apache-2.0
// Static neighbour table: one write port for software, one read port for the sender. Latency 1: row_o shows the row from
// the cycle after re_i on and holds it. A row that is read in the cycle of its write still has its old value.
// Clocked with the reader; quiet_o is 0 in the cycle of a write or read, so that no write is lost.
// Bad input: a row at or above NumNeigh is not stored and reads as invalid.
module net_neigh
  import net_pkg::*;
  import prim_pkg::*;
#(
  parameter int unsigned NumNeigh = 64  // 1..256
) (
  input logic clk_i,
  input logic rst_i,

  // From net_csr
  input logic             we_i,
  input logic       [7:0] windex_i,
  input net_neigh_t       wrow_i,

  // Read port
  input  logic             re_i,
  input  logic       [7:0] rindex_i,
  output net_neigh_t       row_o,

  output logic quiet_o
);

  localparam int unsigned IdxW = idx_width(NumNeigh);

  net_neigh_t row;
  logic outside_q;

  prim_ram_1r1w #(
    .T    (net_neigh_t),
    .Depth(NumNeigh)
  ) u_ram (
    .clk_i,
    .re_i,
    .raddr_i(rindex_i[IdxW-1:0]),
    .rdata_o(row),
    .we_i   (we_i && 32'(windex_i) < NumNeigh),
    .waddr_i(windex_i[IdxW-1:0]),
    .wdata_i(wrow_i)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) outside_q <= 1'b1;
    else if (re_i) outside_q <= 32'(rindex_i) >= NumNeigh;
  end

  assign row_o   = '{valid: row.valid && !outside_q, mac: row.mac, ip: row.ip};
  assign quiet_o = !we_i && !re_i;

endmodule
