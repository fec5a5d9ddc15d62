// SPDX-License-Identifier: Apache-2.0
// READs and atomics on their way from the responder to roce_rd, in order. When a QP is made anew, those of its old life that
// wait here are marked gone: they keep their place and number, but are not answered. What comes in as gone stays so.
// Latency 1, one a cycle. Back-pressure: a full queue of Depth entries.
`include "prim_assert.svh"
module roce_rd_queue
  import prim_pkg::*;
  import roce_pkg::*;
#(
  parameter int unsigned Depth = 16
) (
  input logic clk_i,
  input logic rst_i,

  // Configuration rows; a table write comes only while the responder's pipeline is empty
  input roce_cfg_t cfg_i,
  input logic      cfg_valid_i,
  input logic      cfg_go_i,

  input  rd_evt_t evt_i,
  input  logic    evt_valid_i,
  output logic    evt_ready_o,

  output rd_evt_t evt_o,
  output logic    evt_valid_o,
  input  logic    evt_ready_i,

  output logic quiet_o
);

  localparam int unsigned PtrW = idx_width(Depth);

  rd_evt_t head;
  logic [Depth-1:0] gone_q;
  logic [Depth-1:0][23:0] qpn_q;
  logic [PtrW-1:0] wr_q, rd_q;
  logic push, pop, init, moved_q;

  assign init = cfg_valid_i && cfg_go_i && !cfg_i.is_region && cfg_i.init;
  assign push = evt_valid_i && evt_ready_o;
  assign pop  = evt_valid_o && evt_ready_i;

  prim_fifo #(
    .T    (rd_evt_t),
    .Depth(Depth)
  ) u_queue (
    .clk_i,
    .rst_i,
    .data_i (evt_i),
    .valid_i(evt_valid_i),
    .ready_o(evt_ready_o),
    .data_o (head),
    .valid_o(evt_valid_o),
    .ready_i(evt_ready_i),
    .count_o()
  );

  // The queue's own pointers run in step with the FIFO's.
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      wr_q <= '0;
      rd_q <= '0;
      gone_q <= '0;
      moved_q <= 1'b0;
    end else begin
      moved_q <= push || pop;
      if (push) wr_q <= (wr_q == PtrW'(Depth - 1)) ? '0 : wr_q + 1'b1;
      if (pop) rd_q <= (rd_q == PtrW'(Depth - 1)) ? '0 : rd_q + 1'b1;
      if (push) gone_q[wr_q] <= evt_i.gone || (init && evt_i.qpn == cfg_i.index);
      if (init) for (int unsigned i = 0; i < Depth; i++) if (qpn_q[i] == cfg_i.index) gone_q[i] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) qpn_q[wr_q] <= evt_i.qpn;
  end

  always_comb begin
    evt_o      = head;
    evt_o.gone = gone_q[rd_q];
  end

  // What waits changes nothing, but for one cycle after the queue moved: the assertions on its output look one cycle back.
  assign quiet_o = !evt_valid_i && !cfg_valid_i && !pop && !moved_q;

endmodule
