// SPDX-License-Identifier: Apache-2.0
// Skid buffer: registers data, valid and ready of a stream. Latency 1, full throughput, two elements of storage.
// Back-pressure never loses a beat; ready_o does not depend on ready_i in the same cycle.
`include "prim_assert.svh"
module prim_skid #(
  parameter type T = logic [7:0]
) (
  input logic clk_i,
  input logic rst_i,

  // Upstream
  input  T     data_i,
  input  logic valid_i,
  output logic ready_o,

  // Downstream
  output T     data_o,
  output logic valid_o,
  input  logic ready_i
);

  T out_q, skid_q;
  logic out_valid_q, skid_valid_q;

  assign ready_o = !skid_valid_q;
  assign data_o  = out_q;
  assign valid_o = out_valid_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      out_valid_q  <= 1'b0;
      skid_valid_q <= 1'b0;
    end else if (!out_valid_q || ready_i) begin
      out_valid_q  <= skid_valid_q || valid_i;
      skid_valid_q <= 1'b0;
    end else if (valid_i && !skid_valid_q) begin
      skid_valid_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!out_valid_q || ready_i) begin
      if (skid_valid_q) out_q <= skid_q;
      else if (valid_i) out_q <= data_i;
    end
    if (valid_i && !skid_valid_q && out_valid_q && !ready_i) skid_q <= data_i;
  end

  `PRIM_ASSERT_STREAM(skid_out, valid_o, ready_i, data_o)

endmodule
