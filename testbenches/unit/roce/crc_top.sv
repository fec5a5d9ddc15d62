// SPDX-License-Identifier: Apache-2.0
// Puts the functions of prim_crc_pkg on pins.
module crc_top
  import prim_crc_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_i,
  input  logic [511:0] data_i,
  input  logic [ 31:0] state_i,
  input  logic [  5:0] k_i,
  output logic [ 31:0] next_o,
  output logic [ 31:0] next_rows_o,
  output logic [ 31:0] unwound_o,
  output logic [ 31:0] start_o,
  output logic [ 31:0] residue_o,
  output logic [511:0] first_o
);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      next_o <= '0;
    end else begin
      next_o    <= crc512(state_i, data_i);
      next_rows_o <= crc512_rows(state_i, data_i);
      unwound_o <= crc_unwind(state_i, k_i);
      start_o   <= ICRC_START;
      residue_o <= ICRC_RESIDUES[k_i];
      first_o   <= icrc_first_beat(data_i);
    end
  end

endmodule
