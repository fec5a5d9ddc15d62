// SPDX-License-Identifier: Apache-2.0
// Checks the ICRC of a frame while its beats pass. Latency 1: good_o tells, in the cycle after a beat, whether the bytes so
// far are a packet that ends with its right ICRC. Beats without packet bytes (MAC padding) do not count.
// One 512-bit CRC step a beat; the zero bytes behind the packet are part of the step and looked up in a table of residues.
module roce_rx_crc
  import prim_crc_pkg::*;
(
  input logic clk_i,

  // A beat of a frame: sop starts anew, bytes from `bytes_i` on are zero
  input logic         valid_i,
  input logic         sop_i,
  input logic [  6:0] bytes_i,
  input logic [511:0] data_i,

  output logic good_o
);

  logic [31:0] crc_q;
  logic [ 5:0] zeros_q;

  always_ff @(posedge clk_i) begin
    if (valid_i && (sop_i || bytes_i != '0)) begin
      crc_q   <= crc512(sop_i ? ICRC_START : crc_q, sop_i ? icrc_first_beat(data_i) : data_i);
      zeros_q <= 6'd0 - bytes_i[5:0];
    end
  end

  assign good_o = crc_q == ICRC_RESIDUES[zeros_q];

endmodule
