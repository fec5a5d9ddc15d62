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

  // Users: 0 on the chip, 1 the host
  input  verb_t [1:0] verb_i,
  input  logic  [1:0] verb_valid_i,
  output logic  [1:0] verb_ready_o,
  output cpl_t  [1:0] cpl_o,
  output logic  [1:0] cpl_valid_o,
  input  logic  [1:0] cpl_ready_i,

  // Send queues
  output verb_t verb_o,
  output logic  verb_valid_o,
  input  logic  verb_ready_i,
  input  cpl_t  cpl_i,
  input  logic  cpl_valid_i,
  output logic  cpl_ready_o
);

  logic host, to_host;
  verb_t picked;
  cpl_t  plain;

  prim_arb_rr #(
    .T(verb_t),
    .N(2)
  ) u_arb (
    .clk_i,
    .rst_i,
    .data_i (verb_i),
    .last_i (2'b11),
    .valid_i(verb_valid_i),
    .ready_o(verb_ready_o),
    .data_o (picked),
    .valid_o(verb_valid_o),
    .index_o(host),
    .ready_i(verb_ready_i)
  );

  always_comb begin
    verb_o                 = picked;
    verb_o.wr_id[HOST_BIT] = host;
    plain                  = cpl_i;
    plain.wr_id[HOST_BIT]  = 1'b0;
  end

  assign to_host     = cpl_i.wr_id[HOST_BIT];
  assign cpl_o       = {2{plain}};
  assign cpl_valid_o = {cpl_valid_i && to_host, cpl_valid_i && !to_host};
  assign cpl_ready_o = to_host ? cpl_ready_i[1] : cpl_ready_i[0];

endmodule
