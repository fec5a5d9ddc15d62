// SPDX-License-Identifier: Apache-2.0
// N AXI4 write masters onto one. Round-robin per burst; W beats follow the order in which bursts were taken; the burst's
// id downstream is the index of its master, and B goes back to that master with the id it had used. So the responses of
// one master come in the order of its bursts.
// Latency 1 on AW and W (both registered), 0 on B. One beat a cycle, without a bubble between bursts of any length.
// A burst's W may reach the downstream port before its AW is taken there, as AXI4 allows.
// Back-pressure: a master with MaxBursts bursts unanswered, or MaxBursts bursts without their last W beat in all, waits.
// Bad input: a response to an id without a burst is taken and dropped.
`include "prim_assert.svh"
module axis_axi_wmux
  import axis_pkg::*;
  import prim_pkg::*;
#(
  parameter int unsigned N         = 2,  // 1..16
  parameter int unsigned MaxBursts = 64
) (
  input logic clk_i,
  input logic rst_i,

  // Masters
  input  axi_addr_t [N-1:0] aw_i,
  input  logic      [N-1:0] aw_valid_i,
  output logic      [N-1:0] aw_ready_o,
  input  axi_w_t    [N-1:0] w_i,
  input  logic      [N-1:0] w_valid_i,
  output logic      [N-1:0] w_ready_o,
  output axi_b_t    [N-1:0] b_o,
  output logic      [N-1:0] b_valid_o,
  input  logic      [N-1:0] b_ready_i,

  // Slave
  output axi_addr_t aw_o,
  output logic      aw_valid_o,
  input  logic      aw_ready_i,
  output axi_w_t    w_o,
  output logic      w_valid_o,
  input  logic      w_ready_i,
  input  axi_b_t    b_i,
  input  logic      b_valid_i,
  output logic      b_ready_o,

  output logic quiet_o
);

  localparam int unsigned IdxW = idx_width(N);

  logic [N-1:0] aw_wanted, id_room, id_push, id_pop, id_valid;
  logic [N-1:0][3:0] id_head;
  axi_addr_t aw_pick, aw_out;
  axi_w_t w_pick;
  logic aw_pick_valid, aw_taken, skid_aw_ready;
  logic [IdxW-1:0] aw_index, order_head, w_sel;
  logic order_push, order_room, order_valid, order_pop;
  logic w_active, w_skid_ready, w_taken, w_last_taken;

  // AW: only masters with room for one more unanswered burst compete. Room never goes away while a master waits.
  assign aw_wanted = aw_valid_i & id_room;

  prim_arb_rr #(
    .T(axi_addr_t),
    .N(N)
  ) u_aw_arb (
    .clk_i,
    .rst_i,
    .data_i (aw_i),
    .last_i ({N{1'b1}}),
    .valid_i(aw_wanted),
    .ready_o(aw_ready_o),
    .data_o (aw_pick),
    .valid_o(aw_pick_valid),
    .index_o(aw_index),
    .ready_i(skid_aw_ready && order_room)
  );

  assign aw_taken = aw_pick_valid && skid_aw_ready && order_room;

  always_comb begin
    aw_out    = aw_pick;
    aw_out.id = 4'(aw_index);
  end

  prim_skid #(
    .T(axi_addr_t)
  ) u_aw_skid (
    .clk_i,
    .rst_i,
    .data_i (aw_out),
    .valid_i(aw_pick_valid && order_room),
    .ready_o(skid_aw_ready),
    .data_o (aw_o),
    .valid_o(aw_valid_o),
    .ready_i(aw_ready_i)
  );

  // W follows the oldest burst that still lacks beats: the head of the order queue, or with an empty queue the burst that
  // is taken in this very cycle, so that AW and W leave together.
  assign w_sel        = order_valid ? order_head : aw_index;
  assign w_active     = order_valid || aw_taken;
  assign w_taken      = w_active && w_valid_i[w_sel] && w_skid_ready;
  assign w_last_taken = w_taken && w_pick.last;
  assign order_pop    = w_last_taken && order_valid;
  assign order_push   = aw_taken && !(w_last_taken && !order_valid);

  // As in prim_arb_rr: not w_i[w_sel].
  always_comb begin
    w_pick = w_i[0];
    for (int unsigned i = 1; i < N; i++) if (w_sel == IdxW'(i)) w_pick = w_i[i];
  end

  always_comb begin
    w_ready_o = '0;
    w_ready_o[w_sel] = w_active && w_skid_ready;
  end

  prim_fifo #(
    .T    (logic [IdxW-1:0]),
    .Depth(MaxBursts)
  ) u_order (
    .clk_i,
    .rst_i,
    .data_i (aw_index),
    .valid_i(order_push),
    .ready_o(order_room),
    .data_o (order_head),
    .valid_o(order_valid),
    .ready_i(order_pop),
    .count_o()
  );

  prim_skid #(
    .T(axi_w_t)
  ) u_w_skid (
    .clk_i,
    .rst_i,
    .data_i (w_pick),
    .valid_i(w_active && w_valid_i[w_sel]),
    .ready_o(w_skid_ready),
    .data_o (w_o),
    .valid_o(w_valid_o),
    .ready_i(w_ready_i)
  );

  // B: the ids of each master's unanswered bursts, oldest first.
  for (genvar i = 0; i < int'(N); i++) begin : gen_master
    assign id_push[i]   = aw_taken && (aw_index == IdxW'(unsigned'(i)));
    assign id_pop[i]    = b_valid_o[i] && b_ready_i[i];
    assign b_valid_o[i] = b_valid_i && (b_i.id == 4'(unsigned'(i))) && id_valid[i];
    assign b_o[i]       = {id_head[i], b_i.resp};

    prim_fifo #(
      .T    (logic [3:0]),
      .Depth(MaxBursts)
    ) u_ids (
      .clk_i,
      .rst_i,
      .data_i (aw_pick.id),
      .valid_i(id_push[i]),
      .ready_o(id_room[i]),
      .data_o (id_head[i]),
      .valid_o(id_valid[i]),
      .ready_i(id_pop[i]),
      .count_o()
    );
  end

  assign b_ready_o = (b_valid_o == '0) || ((b_valid_o & b_ready_i) != '0);

  // Bursts that only wait for their response do not change any state.
  assign quiet_o   = (aw_valid_i == '0) && (w_valid_i == '0) && !b_valid_i && !order_valid && !aw_valid_o && !w_valid_o;

endmodule
