// SPDX-License-Identifier: Apache-2.0
// prim_skid: any one element comes out once, in its place and unchanged; valid and payload are held until ready; exactly
// two elements are stored.
module skid_formal (
  input logic       clk_i,
  input logic       rst_i,
  input logic [3:0] data_i,
  input logic       valid_i,
  input logic       ready_i,
  input logic       pick_i
);

  logic [3:0] data, watched_q, offered_q;
  logic valid, ready, watching_q, ahead_q, started_q, waiting_q;
  logic [1:0] count_q;

  prim_skid #(
    .T(logic [3:0])
  ) u_dut (
    .clk_i,
    .rst_i,
    .data_i,
    .valid_i,
    .ready_o(ready),
    .data_o (data),
    .valid_o(valid),
    .ready_i
  );

  logic push, pop;
  assign push = valid_i && ready;
  assign pop  = valid && ready_i;

  // The watched element: any push that pick_i points at. ahead_q elements are before it.
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    waiting_q <= !rst_i && valid && !ready_i;
    offered_q <= data;
    if (rst_i) begin
      watching_q <= 1'b0;
      count_q    <= '0;
    end else begin
      count_q <= count_q + 2'(push) - 2'(pop);
      if (!watching_q) begin
        watching_q <= push && pick_i;
        watched_q  <= data_i;
        ahead_q    <= (count_q - 2'(pop)) != '0;
      end else if (pop) begin
        watching_q <= ahead_q;
        ahead_q    <= 1'b0;
      end
    end
  end

  always_comb begin
    if (!started_q) assume (rst_i);
    if (started_q) begin
      assert (count_q <= 2'd2);
      assert (valid == (count_q != '0) && ready == (count_q != 2'd2));
      if (watching_q) assert (2'(ahead_q) < count_q);
      if (watching_q && !ahead_q) assert (data == watched_q);
      if (waiting_q) assert (valid && data == offered_q);
      // Invariant of the implementation.
      if (watching_q && ahead_q) assert (u_dut.skid_q == watched_q);
    end
  end

endmodule
