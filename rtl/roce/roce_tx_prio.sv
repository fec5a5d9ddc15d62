// SPDX-License-Identifier: Apache-2.0
// Two streams into one, fixed priority: hi_i goes first whenever both wait. Latency 0.
// Contract: an offer of lo_i that was not taken stands (a later hi_i waits for it), so the output keeps its payload until
// ready. lo_i starves while hi_i is always valid; the users bound the rate of hi_i.
`include "prim_assert.svh"
module roce_tx_prio #(
  parameter type T = logic [7:0]
) (
  input logic clk_i,
  input logic rst_i,

  // Upstream, high and low priority
  input  T     hi_i,
  input  logic hi_valid_i,
  output logic hi_ready_o,
  input  T     lo_i,
  input  logic lo_valid_i,
  output logic lo_ready_o,

  // Downstream; hi_o: this element comes from hi_i
  output T     out_o,
  output logic out_valid_o,
  output logic hi_o,
  input  logic out_ready_i
);

  logic lo_offered_q;

  assign hi_o        = hi_valid_i && !lo_offered_q;
  assign out_o       = hi_o ? hi_i : lo_i;
  assign out_valid_o = hi_valid_i || lo_valid_i;
  assign hi_ready_o  = out_ready_i && hi_o;
  assign lo_ready_o  = out_ready_i && !hi_o && lo_valid_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) lo_offered_q <= 1'b0;
    else lo_offered_q <= lo_valid_i && !hi_o && !out_ready_i;
  end

  `PRIM_ASSERT_STREAM(prio_out, out_valid_o, out_ready_i, out_o)

endmodule
