// SPDX-License-Identifier: Apache-2.0
// axis_axi_wmux with three masters and narrow pins: data and strobes are repeated from 32 and 8 bits, and checked.
module wmux_top
  import axis_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_i,
  input  logic [ 2:0][43:0] aw_i,        // {id[4], len[8], addr[32]}
  input  logic [ 2:0]       aw_valid_i,
  output logic [ 2:0]       aw_ready_o,
  input  logic [ 2:0][40:0] w_i,         // {last, strb[8], data[32]}
  input  logic [ 2:0]       w_valid_i,
  output logic [ 2:0]       w_ready_o,
  output logic [ 2:0][ 5:0] b_o,         // {id[4], resp[2]}
  output logic [ 2:0]       b_valid_o,
  input  logic [ 2:0]       b_ready_i,
  output logic [43:0]       aw_o,
  output logic              aw_valid_o,
  input  logic              aw_ready_i,
  output logic [40:0]       w_o,
  output logic              w_valid_o,
  input  logic              w_ready_i,
  input  logic [ 5:0]       b_i,
  input  logic              b_valid_i,
  output logic              b_ready_o,
  output logic              quiet_o
);

  axi_addr_t [2:0] aw;
  axi_w_t [2:0] w;
  axi_addr_t aw_out;
  axi_w_t w_out;

  for (genvar i = 0; i < 3; i++) begin : gen_master
    assign aw[i] = '{id: aw_i[i][43:40], addr: {32'd0, aw_i[i][31:0]}, len: aw_i[i][39:32]};
    assign w[i]  = '{last: w_i[i][40], strb: {8{w_i[i][39:32]}}, data: {16{w_i[i][31:0]}}};
  end

  axis_axi_wmux #(
    .N        (3),
    .MaxBursts(8)
  ) u_mux (
    .clk_i,
    .rst_i,
    .aw_i(aw),
    .aw_valid_i,
    .aw_ready_o,
    .w_i (w),
    .w_valid_i,
    .w_ready_o,
    .b_o,
    .b_valid_o,
    .b_ready_i,
    .aw_o(aw_out),
    .aw_valid_o,
    .aw_ready_i,
    .w_o (w_out),
    .w_valid_o,
    .w_ready_i,
    .b_i,
    .b_valid_i,
    .b_ready_o,
    .quiet_o
  );

  assign aw_o = {aw_out.id, aw_out.len, aw_out.addr[31:0]};
  assign w_o  = {w_out.last, w_out.strb[7:0], w_out.data[31:0]};

  always_ff @(posedge clk_i)
    if (!rst_i && w_valid_o)
      assert (w_out.data == {16{w_out.data[31:0]}} && w_out.strb == {8{w_out.strb[7:0]}})
      else $error("%m: a part of the beat is not of the same beat");

endmodule
