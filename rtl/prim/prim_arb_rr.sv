// SPDX-License-Identifier: Apache-2.0
// Round-robin arbiter over N ready/valid streams of one payload type. Latency 0, at most one grant a cycle.
// The pointer moves only on a grant (now-driven time: an idle arbiter does not change state). Fair: a waiting input is
// granted after at most N-1 others. Lock: with LastLock the grant stays with an input until last_i of a granted beat.
`include "prim_assert.svh"
module prim_arb_rr
  import prim_pkg::*;
#(
  parameter type         T        = logic [7:0],
  parameter int unsigned N        = 2,
  parameter bit          LastLock = 1'b0
) (
  input logic clk_i,
  input logic rst_i,

  // Inputs; last_i is used with LastLock only
  input  T     [N-1:0] data_i,
  input  logic [N-1:0] last_i,
  input  logic [N-1:0] valid_i,
  output logic [N-1:0] ready_o,

  // Output and the index of the input that it comes from
  output T                        data_o,
  output logic                    valid_o,
  output logic [idx_width(N)-1:0] index_o,
  input  logic                    ready_i
);

  localparam int unsigned IdxW = idx_width(N);

  // ptr_q: the input with the highest priority. While locked or waiting for ready the choice is frozen in sel_q.
  logic [IdxW-1:0] ptr_q, sel_q, pick, sel;
  logic [N-1:0] after, among;
  logic frozen_q;

  // The lowest waiting input at or after the pointer, else the lowest of all.
  assign after = valid_i & ({N{1'b1}} << ptr_q);
  assign among = (after != '0) ? after : valid_i;
  always_comb begin
    pick = ptr_q;
    for (int i = N - 1; i >= 0; i--) if (among[i]) pick = IdxW'(unsigned'(i));
  end

  assign sel     = frozen_q ? sel_q : pick;
  assign index_o = sel;
  assign valid_o = valid_i[sel];

  // Not data_i[sel]: the simulator would pack all inputs into one vector to select from.
  always_comb begin
    data_o = data_i[0];
    for (int unsigned i = 1; i < N; i++) if (sel == IdxW'(i)) data_o = data_i[i];
  end

  always_comb begin
    ready_o = '0;
    ready_o[sel] = ready_i && valid_i[sel];
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ptr_q    <= '0;
      frozen_q <= 1'b0;
      sel_q    <= '0;
    end else if (valid_o) begin
      if (ready_i && (!LastLock || last_i[sel])) begin
        frozen_q <= 1'b0;
        ptr_q    <= (sel == IdxW'(N - 1)) ? '0 : sel + 1'b1;
      end else begin
        frozen_q <= 1'b1;
        sel_q    <= sel;
      end
    end
  end

  `PRIM_ASSERT_STREAM(arb_out, valid_o, ready_i, data_o)

endmodule
