// SPDX-License-Identifier: Apache-2.0
// prim_arb_rr: at most one grant, only to who asks; an asking input is never passed over while the output is ready; what
// comes out is the granted input's; offered beats are held; a waiting input sees at most N-1 others (with LastLock: frames
// of others) before it; with LastLock no frame is interrupted.
module arb_formal #(
  parameter bit LastLock = 1'b0
) (
  input logic            clk_i,
  input logic            rst_i,
  input logic [2:0][1:0] data_i,
  input logic [2:0]      last_i,
  input logic [2:0]      valid_i,
  input logic            ready_i,
  input logic [1:0]      watched_i
);

  localparam int unsigned N = 3;

  logic [2:0] ready, waiting_q, last_q;
  logic [2:0][1:0] data_q;
  logic [1:0] data, index, owner_q, watched_q, waited_q, offered_q, offered_index_q;
  logic valid, started_q, locked_q, offering_q;

  prim_arb_rr #(
    .T       (logic [1:0]),
    .N       (N),
    .LastLock(LastLock)
  ) u_dut (
    .clk_i,
    .rst_i,
    .data_i,
    .last_i,
    .valid_i,
    .ready_o(ready),
    .data_o (data),
    .valid_o(valid),
    .index_o(index),
    .ready_i
  );

  logic grant, frame_end;
  assign grant     = valid && ready_i;
  assign frame_end = grant && (!LastLock || last_i[index]);

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q       <= 1'b1;
    watched_q       <= started_q ? watched_q : watched_i;  // any input, always the same
    data_q          <= data_i;
    last_q          <= last_i;
    offered_q       <= data;
    offered_index_q <= index;
    if (rst_i) begin
      waiting_q  <= '0;
      offering_q <= 1'b0;
      locked_q   <= 1'b0;
      waited_q   <= '0;
    end else begin
      waiting_q  <= valid_i & ~ready;
      offering_q <= valid && !ready_i;
      if (grant) begin
        locked_q <= !frame_end;
        owner_q  <= index;
      end
      if (!valid_i[watched_q] || ready[watched_q] || (LastLock && locked_q && owner_q == watched_q)) waited_q <= '0;
      else if (frame_end) waited_q <= waited_q + 2'd1;
    end
  end

  // How far the pointer is before the watched input, and the frozen choice behind the pointer.
  function automatic logic [1:0] ahead(input logic [1:0] from, input logic [1:0] to);
    return (to >= from) ? to - from : 2'(3'd3 + 3'(to) - 3'(from));
  endfunction

  always_comb begin
    if (!started_q) assume (rst_i);
    if (started_q) begin
      assume (watched_q < 2'(N));
      for (int i = 0; i < int'(N); i++) begin
        if (waiting_q[i]) assume (valid_i[i] && data_i[i] == data_q[i] && last_i[i] == last_q[i]);
      end
      assert ($onehot0(ready) && (ready & ~valid_i) == '0);
      assert ((ready != '0) == grant);
      if (!locked_q) assert (valid == (valid_i != '0));
      if (valid) assert (data == data_i[index] && index < 2'(N));
      if (grant) assert (ready[index]);
      if (offering_q) assert (valid && data == offered_q && index == offered_index_q);
      if (locked_q) assert (LastLock && index == owner_q);
      if (valid_i[watched_q] && !ready[watched_q] && frame_end && !(locked_q && owner_q == watched_q))
        assert (waited_q < 2'(N - 1));
      // Invariants of the implementation.
      assert (u_dut.ptr_q < 2'(N) && u_dut.sel_q < 2'(N));
      assert (u_dut.frozen_q == (offering_q || locked_q));
      if (offering_q) assert (u_dut.sel_q == offered_index_q && waiting_q[u_dut.sel_q]);
      if (locked_q) assert (u_dut.sel_q == owner_q);
      if (waited_q != '0) begin
        assert (waiting_q[watched_q]);
        assert (3'(waited_q) + 3'(ahead(u_dut.ptr_q, watched_q)) <= 3'(N - 1));
        if (u_dut.frozen_q) assert (ahead(u_dut.ptr_q, u_dut.sel_q) <= ahead(u_dut.ptr_q, watched_q));
      end
    end
  end

endmodule
