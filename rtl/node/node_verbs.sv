// SPDX-License-Identifier: Apache-2.0
// The send queues between their two users: replicated data types on the chip, and the host. Work requests round robin;
// completions back to whose request it was. Latency 0 both ways.
// Contract: bit HOST_BIT of wr_id tells the user inside the endpoint: a user's own bit there is lost, and the host gets it
// back as 0. Back-pressure: each user's own; completions that one does not take hold those of the other.
`include "prim_assert.svh"
module node_verbs
  import roce_pkg::*;
#(
  parameter int unsigned HOST_BIT = 30
) (
  input logic clk_i,
  input logic rst_i,

  // On the chip
  input  verb_t rdt_verb_i,
  input  logic  rdt_verb_valid_i,
  output logic  rdt_verb_ready_o,
  output cpl_t  rdt_cpl_o,
  output logic  rdt_cpl_valid_o,
  input  logic  rdt_cpl_ready_i,

  // The host
  input  verb_t host_verb_i,
  input  logic  host_verb_valid_i,
  output logic  host_verb_ready_o,
  output cpl_t  host_cpl_o,
  output logic  host_cpl_valid_o,
  input  logic  host_cpl_ready_i,

  // Send queues
  output verb_t verb_o,
  output logic  verb_valid_o,
  input  logic  verb_ready_i,
  input  cpl_t  cpl_i,
  input  logic  cpl_valid_i,
  output logic  cpl_ready_o
);

  logic host, to_host, unused_data;
  cpl_t plain;

  // Only the choice passes through the arbiter: the simulator would pay for packing both requests in each cycle.
  prim_arb_rr #(
    .T(logic),
    .N(2)
  ) u_arb (
    .clk_i,
    .rst_i,
    .data_i (2'b00),
    .last_i (2'b11),
    .valid_i({host_verb_valid_i, rdt_verb_valid_i}),
    .ready_o({host_verb_ready_o, rdt_verb_ready_o}),
    .data_o (unused_data),
    .valid_o(verb_valid_o),
    .index_o(host),
    .ready_i(verb_ready_i)
  );

  always_comb begin
    verb_o                 = host ? host_verb_i : rdt_verb_i;
    verb_o.wr_id[HOST_BIT] = host;
    plain                  = cpl_i;
    plain.wr_id[HOST_BIT]  = 1'b0;
  end

  assign to_host          = cpl_i.wr_id[HOST_BIT];
  assign rdt_cpl_o        = plain;
  assign host_cpl_o       = plain;
  assign rdt_cpl_valid_o  = cpl_valid_i && !to_host;
  assign host_cpl_valid_o = cpl_valid_i && to_host;
  assign cpl_ready_o      = to_host ? host_cpl_ready_i : rdt_cpl_ready_i;

endmodule
