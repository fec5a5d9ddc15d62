// SPDX-License-Identifier: Apache-2.0
// Congestion events of the receive half as two streams of QPNs: packets that a switch has marked, and CNPs. Requests and
// responses may be marked in one cycle: then the response counts. Latency 1. An event that finds its queue full is lost:
// there is at most one CNP an interval anyway, and a CNP may be lost on the wire as well.
module roce_rx_marks
  import prim_pkg::*;
#(
  parameter int unsigned Depth = 8
) (
  input logic clk_i,
  input logic rst_i,

  // From the responder, and of responses
  input logic        ce_i,
  input logic        cnp_i,
  input logic [23:0] qpn_i,
  input logic        ce_rsp_i,
  input logic [23:0] rsp_qpn_i,

  output logic [23:0] ce_o,
  output logic        ce_valid_o,
  input  logic        ce_ready_i,
  output logic [23:0] cnp_o,
  output logic        cnp_valid_o,
  input  logic        cnp_ready_i,

  output logic quiet_o
);

  prim_fifo #(
    .T    (logic [23:0]),
    .Depth(Depth)
  ) u_ce (
    .clk_i,
    .rst_i,
    .data_i (ce_rsp_i ? rsp_qpn_i : qpn_i),
    .valid_i(ce_i || ce_rsp_i),
    .ready_o(),
    .data_o (ce_o),
    .valid_o(ce_valid_o),
    .ready_i(ce_ready_i),
    .count_o()
  );

  prim_fifo #(
    .T    (logic [23:0]),
    .Depth(Depth)
  ) u_cnp (
    .clk_i,
    .rst_i,
    .data_i (qpn_i),
    .valid_i(cnp_i),
    .ready_o(),
    .data_o (cnp_o),
    .valid_o(cnp_valid_o),
    .ready_i(cnp_ready_i),
    .count_o()
  );

  assign quiet_o = !ce_i && !ce_rsp_i && !cnp_i && !ce_valid_o && !cnp_valid_o;

endmodule
