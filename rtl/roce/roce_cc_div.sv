// SPDX-License-Identifier: Apache-2.0
// Serial divider, two quotient bits a cycle: quotient = numerator / denominator, rounded down; all ones for a denominator of 0.
// start_i takes the operands; done_o is 1 and quotient_o valid 21 cycles later for one cycle. start_i while busy starts afresh.
module roce_cc_div (
  input logic clk_i,
  input logic rst_i,

  input logic        start_i,
  input logic [39:0] numerator_i,
  input logic [23:0] denominator_i,

  output logic [39:0] quotient_o,
  output logic        done_o,
  output logic        quiet_o
);

  logic [4:0] left_q;
  logic busy_q, done_q;
  logic [39:0] num_q;  // numerator above, quotient from below
  logic [23:0] den_q, rem_q, rem1, rem2;
  logic [24:0] try1, try2;
  logic [1:0] bits;

  assign try1       = {rem_q, num_q[39]};
  assign bits[1]    = try1 >= {1'b0, den_q};
  assign rem1       = bits[1] ? 24'(try1 - {1'b0, den_q}) : try1[23:0];
  assign try2       = {rem1, num_q[38]};
  assign bits[0]    = try2 >= {1'b0, den_q};
  assign rem2       = bits[0] ? 24'(try2 - {1'b0, den_q}) : try2[23:0];

  assign quotient_o = num_q;
  assign done_o     = done_q;
  assign quiet_o    = !start_i && !busy_q && !done_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      busy_q <= 1'b0;
      done_q <= 1'b0;
    end else begin
      if (start_i) busy_q <= 1'b1;
      else if (left_q == '0) busy_q <= 1'b0;
      done_q <= busy_q && !start_i && left_q == '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      num_q  <= numerator_i;
      den_q  <= denominator_i;
      rem_q  <= '0;
      left_q <= 5'd19;
    end else if (busy_q) begin
      num_q <= {num_q[37:0], bits};
      rem_q <= rem2;
      if (left_q != '0) left_q <= left_q - 5'd1;
    end
  end

endmodule
