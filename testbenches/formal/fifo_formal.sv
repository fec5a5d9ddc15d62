// SPDX-License-Identifier: Apache-2.0
// prim_fifo: any one element comes out once, in its place and unchanged; the count is right; a full FIFO refuses.
module fifo_formal
  import prim_pkg::*;
(
  input logic       clk_i,
  input logic       rst_i,
  input logic [3:0] data_i,
  input logic       valid_i,
  input logic       ready_i,
  input logic       pick_i
);

  localparam int unsigned Depth = 3;

  logic [3:0] data, watched_q;
  logic valid, ready, watching_q, started_q;
  logic [1:0] count, ahead_q, count_q;

  prim_fifo #(
    .T    (logic [3:0]),
    .Depth(Depth)
  ) u_dut (
    .clk_i,
    .rst_i,
    .data_i,
    .valid_i,
    .ready_o(ready),
    .data_o (data),
    .valid_o(valid),
    .ready_i,
    .count_o(count)
  );

  logic push, pop;
  assign push = valid_i && ready;
  assign pop  = valid && ready_i;

  // The watched element: any push that pick_i points at. ahead_q elements are before it.
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (rst_i) begin
      watching_q <= 1'b0;
      ahead_q    <= '0;
      count_q    <= '0;
    end else begin
      count_q <= count_q + 2'(push) - 2'(pop);
      if (!watching_q) begin
        if (push && pick_i) begin
          watching_q <= 1'b1;
          watched_q  <= data_i;
          ahead_q    <= count_q - 2'(pop);
        end
      end else if (pop) begin
        if (ahead_q == '0) watching_q <= 1'b0;
        else ahead_q <= ahead_q - 2'd1;
      end
    end
  end

  // An index that may be past the end once.
  function automatic logic [1:0] wrapped(input logic [2:0] at);
    return (at >= 3'(Depth)) ? 2'(at - 3'(Depth)) : 2'(at);
  endfunction

  // Where the watched element lies in the memory, for the induction.
  logic [2:0] place;
  assign place = 3'(u_dut.rd_q) + 3'(ahead_q);

  initial started_q = 1'b0;
  always_comb begin
    if (!started_q) assume (rst_i);
    if (started_q) begin
      assert (count == count_q && count <= 2'(Depth));
      assert (valid == (count_q != '0) && ready == (count_q != 2'(Depth)));
      if (watching_q) assert (ahead_q < count_q);
      if (watching_q && ahead_q == '0) assert (valid && data == watched_q);
      // Invariants of the implementation.
      assert (u_dut.rd_q < 2'(Depth) && u_dut.wr_q < 2'(Depth));
      assert (wrapped(3'(u_dut.rd_q) + 3'(count_q)) == u_dut.wr_q);
      if (watching_q) assert (u_dut.mem[wrapped(place)] == watched_q);
    end
  end

endmodule
