// SPDX-License-Identifier: Apache-2.0
// Flat tops of prim_arb_rr with and without LastLock: three inputs of bytes.
module arb_top #(
  parameter bit LastLock = 1'b0
) (
  input  logic            clk_i,
  input  logic            rst_i,
  input  logic [2:0][7:0] data_i,
  input  logic [2:0]      last_i,
  input  logic [2:0]      valid_i,
  output logic [2:0]      ready_o,
  output logic [7:0]      data_o,
  output logic            valid_o,
  output logic [1:0]      index_o,
  input  logic            ready_i
);
  prim_arb_rr #(
    .T       (logic [7:0]),
    .N       (3),
    .LastLock(LastLock)
  ) u_arb (
    .*
  );
endmodule
