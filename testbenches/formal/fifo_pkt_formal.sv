// SPDX-License-Identifier: Apache-2.0
// prim_fifo_pkt: any one element that is committed comes out once, in its place and unchanged; one that is taken back or
// not yet committed is never seen; the counts are right; a committed element is visible after two cycles, and reading leaves no bubble.
module fifo_pkt_formal (
  input logic       clk_i,
  input logic       rst_i,
  input logic [2:0] data_i,
  input logic       valid_i,
  input logic       commit_i,
  input logic       rollback_i,
  input logic       ready_i,
  input logic       pick_i
);

  localparam int unsigned Depth = 3;

  logic [2:0] data, watched_q;
  logic valid, room, overflow, watching_q, committed_q, started_q, hidden_q, more_q;
  logic [2:0] count;
  logic [2:0] ahead_q, seen_q, pend_q;  // seen: committed and not read; pend: not committed

  prim_fifo_pkt #(
    .T    (logic [2:0]),
    .Depth(Depth)
  ) u_dut (
    .clk_i,
    .rst_i,
    .data_i,
    .valid_i,
    .commit_i,
    .rollback_i,
    .room_o    (room),
    .overflow_o(overflow),
    .data_o    (data),
    .valid_o   (valid),
    .ready_i,
    .count_o   (count)
  );

  logic push, pop, commit;
  assign push   = valid_i && room;
  assign pop    = valid && ready_i;
  assign commit = commit_i && !rollback_i;

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // Committed elements that are not offered: only for one cycle.
    hidden_q <= !rst_i && !valid && (seen_q != '0);
    more_q <= !rst_i && pop && (u_dut.avail_q != '0);
    if (rst_i) begin
      watching_q <= 1'b0;
      seen_q     <= '0;
      pend_q     <= '0;
    end else begin
      seen_q <= seen_q - 3'(pop) + (commit ? pend_q + 3'(push) : 3'd0);
      pend_q <= (commit || rollback_i) ? 3'd0 : pend_q + 3'(push);
      if (!watching_q) begin
        watching_q  <= push && pick_i && !rollback_i;
        committed_q <= commit;
        watched_q   <= data_i;
        ahead_q     <= seen_q - 3'(pop) + pend_q;
      end else begin
        if (commit) committed_q <= 1'b1;
        if (rollback_i && !committed_q) watching_q <= 1'b0;
        if (pop && ahead_q == '0) watching_q <= 1'b0;
        ahead_q <= ahead_q - 3'(pop && ahead_q != '0);
      end
    end
  end

  // An index that may be past the end once.
  function automatic logic [1:0] wrapped(input logic [3:0] at);
    return (at >= 4'(Depth)) ? 2'(at - 4'(Depth)) : 2'(at);
  endfunction

  // Where the watched element lies in the memory, for the induction.
  logic [3:0] place;
  assign place = 4'(u_dut.rd_q) + 4'(ahead_q) - 4'(valid);

  always_comb begin
    if (!started_q) assume (rst_i);
    if (started_q) begin
      assert (count == seen_q);
      if (valid) assert (seen_q != '0);
      assert (!(hidden_q && !valid));
      assert (!(more_q && !valid));
      assert (overflow == (valid_i && !room));
      // All of Depth is used: there is room unless the memory is full.
      assert (room == (seen_q - 3'(valid) + pend_q < 3'(Depth)));
      if (watching_q && committed_q) assert (ahead_q < seen_q);
      if (watching_q && !committed_q) assert (ahead_q >= seen_q && ahead_q < seen_q + pend_q);
      if (watching_q && valid && ahead_q == '0) assert (committed_q && data == watched_q);
      // Invariants of the implementation.
      assert (u_dut.rd_q < 2'(Depth) && u_dut.wr_q < 2'(Depth) && u_dut.base_q < 2'(Depth));
      assert (3'(u_dut.pend_q) == pend_q && 3'(u_dut.avail_q) + 3'(valid) == seen_q);
      assert (3'(u_dut.avail_q) + pend_q <= 3'(Depth));
      assert (wrapped(4'(u_dut.rd_q) + 4'(u_dut.avail_q)) == u_dut.base_q);
      assert (wrapped(4'(u_dut.base_q) + 4'(pend_q)) == u_dut.wr_q);
      if (watching_q && !(valid && ahead_q == '0)) assert (u_dut.u_ram.mem[wrapped(place)] == watched_q);
    end
  end

endmodule
