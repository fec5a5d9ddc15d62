// SPDX-License-Identifier: Apache-2.0
// One verb stream out of the client's verbs and the replication's updates, round robin. Latency 0.
// Contract: the client's payload is never inline; of its data only the operands of an atomic travel.
`include "prim_assert.svh"
module rdt_verb_arb
  import roce_pkg::*;
(
  input logic clk_i,
  input logic rst_i,

  // Client
  input  verb_t client_i,
  input  logic  client_valid_i,
  output logic  client_ready_o,

  // Replication
  input  verb_t update_i,
  input  logic  update_valid_i,
  output logic  update_ready_o,

  // To the send queues
  output verb_t verb_o,
  output logic  verb_valid_o,
  input  logic  verb_ready_i
);

  localparam int unsigned DataBits = 512;
  typedef logic [$bits(verb_t)-DataBits-1:0] verb_head_t;

  verb_head_t head;
  logic index;

  prim_arb_rr #(
    .T(verb_head_t),
    .N(2)
  ) u_arb (
    .clk_i,
    .rst_i,
    .data_i ({client_i[$bits(verb_t)-1:DataBits], update_i[$bits(verb_t)-1:DataBits]}),
    .last_i ('1),
    .valid_i({client_valid_i, update_valid_i}),
    .ready_o({client_ready_o, update_ready_o}),
    .data_o (head),
    .valid_o(verb_valid_o),
    .index_o(index),
    .ready_i(verb_ready_i)
  );

  // Of the client's data only the operands of atomics count.
  assign verb_o = {head, index ? {384'd0, client_i.data[127:0]} : update_i.data};

  `PRIM_ASSERT(verb_arb_inline, !client_valid_i || !client_i.inl, "an inline verb of the client lost its payload")

endmodule
