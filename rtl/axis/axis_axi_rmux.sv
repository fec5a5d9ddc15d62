// SPDX-License-Identifier: Apache-2.0
// N AXI4 read masters onto one. Round-robin per burst; the burst's id downstream is the index of its master, and R goes back
// to that master with the id it had used, on a bus that all share. So the data of one master come in the order of its bursts, those of different
// masters in any order, beat by beat.
// Latency 0 on AR and R; one burst and one beat a cycle.
// Back-pressure: a master with MaxBursts bursts unanswered waits; R of a master that is not ready holds R of all.
// Bad input: data of an id without a burst are taken and dropped.
`include "prim_assert.svh"
module axis_axi_rmux
  import axis_pkg::*;
  import prim_pkg::*;
#(
  parameter int unsigned N         = 2,  // 1..16
  parameter int unsigned MaxBursts = 64
) (
  input logic clk_i,
  input logic rst_i,

  // Masters
  input  axi_addr_t [N-1:0] ar_i,
  input  logic      [N-1:0] ar_valid_i,
  output logic      [N-1:0] ar_ready_o,
  output axi_r_t            r_o,
  output logic      [N-1:0] r_valid_o,
  input  logic      [N-1:0] r_ready_i,

  // Slave
  output axi_addr_t ar_o,
  output logic      ar_valid_o,
  input  logic      ar_ready_i,
  input  axi_r_t    r_i,
  input  logic      r_valid_i,
  output logic      r_ready_o,

  output logic quiet_o
);

  localparam int unsigned IdxW = idx_width(N);

  logic [N-1:0] room, push, pop, waiting;
  logic [N-1:0][3:0] id_head;
  axi_addr_t ar_pick;
  logic [IdxW-1:0] index;
  logic moved_q;

  // Only masters with room for one more unanswered burst compete. Room never goes away while a master waits.
  prim_arb_rr #(
    .T(axi_addr_t),
    .N(N)
  ) u_arb (
    .clk_i,
    .rst_i,
    .data_i (ar_i),
    .last_i ({N{1'b1}}),
    .valid_i(ar_valid_i & room),
    .ready_o(ar_ready_o),
    .data_o (ar_pick),
    .valid_o(ar_valid_o),
    .index_o(index),
    .ready_i(ar_ready_i)
  );

  always_comb begin
    ar_o    = ar_pick;
    ar_o.id = 4'(index);
  end

  for (genvar i = 0; i < int'(N); i++) begin : gen_master
    assign push[i]      = ar_valid_i[i] && ar_ready_o[i];
    assign pop[i]       = r_valid_o[i] && r_ready_i[i] && r_i.last;
    assign r_valid_o[i] = r_valid_i && (r_i.id == 4'(unsigned'(i))) && waiting[i];

    prim_fifo #(
      .T    (logic [3:0]),
      .Depth(MaxBursts)
    ) u_ids (
      .clk_i,
      .rst_i,
      .data_i (ar_pick.id),
      .valid_i(push[i]),
      .ready_o(room[i]),
      .data_o (id_head[i]),
      .valid_o(waiting[i]),
      .ready_i(pop[i]),
      .count_o()
    );
  end

  always_comb begin
    r_o    = r_i;
    r_o.id = id_head[r_i.id[IdxW-1:0]];
  end

  assign r_ready_o = (r_valid_o == '0) || ((r_valid_o & r_ready_i) != '0);

  // Bursts that only wait for their data do not change any state, but for one cycle after a queue moved: the assertions on
  // its output look one cycle back.
  always_ff @(posedge clk_i) begin
    if (rst_i) moved_q <= 1'b0;
    else moved_q <= push != '0 || pop != '0;
  end

  assign quiet_o = (ar_valid_i == '0) && !r_valid_i && !moved_q;

endmodule
