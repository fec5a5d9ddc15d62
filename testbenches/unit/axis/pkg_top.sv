// SPDX-License-Identifier: Apache-2.0
// The functions of axis_pkg on pins.
module pkg_top
  import axis_pkg::*;
(
  input  logic [511:0] data_i,
  input  logic [  6:0] n_i,
  output logic [511:0] wire_o,
  output logic [511:0] first_o,
  output logic [ 63:0] strobes_o
);
  assign wire_o    = wire_order(data_i);
  assign first_o   = first_bytes(data_i, n_i);
  assign strobes_o = strobes(n_i);
endmodule
