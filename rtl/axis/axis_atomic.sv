// SPDX-License-Identifier: Apache-2.0
// The node's atomics: N requesters, two memories, one axis_atomic_mem and one round-robin arbiter for each memory. All atomics
// of a node pass here, so they are atomic to each other whoever asks.
// Contract: a requester has one request on the way and takes its answer (a one-cycle pulse) whenever it comes.
// Latency: see axis_atomic_mem. Back-pressure: a memory works on one request.
module axis_atomic
  import axis_pkg::*;
  import prim_pkg::*;
#(
  parameter int unsigned N = 1
) (
  input logic clk_i,
  input logic rst_i,

  // Requesters
  input  atomic_req_t [N-1:0] req_i,
  input  logic        [N-1:0] req_valid_i,
  output logic        [N-1:0] req_ready_o,
  output atomic_rsp_t [N-1:0] rsp_o,
  output logic        [N-1:0] rsp_valid_o,

  // Memories: 0 HBM, 1 host
  output axi_addr_t [1:0] ar_o,
  output logic      [1:0] ar_valid_o,
  input  logic      [1:0] ar_ready_i,
  input  axi_r_t    [1:0] r_i,
  input  logic      [1:0] r_valid_i,
  output logic      [1:0] r_ready_o,
  output axi_addr_t [1:0] aw_o,
  output logic      [1:0] aw_valid_o,
  input  logic      [1:0] aw_ready_i,
  output axi_w_t    [1:0] w_o,
  output logic      [1:0] w_valid_o,
  input  logic      [1:0] w_ready_i,
  input  axi_b_t    [1:0] b_i,
  input  logic      [1:0] b_valid_i,
  output logic      [1:0] b_ready_o,

  output logic quiet_o
);

  localparam int unsigned IdxW = idx_width(N);

  logic [1:0][N-1:0] wanted, ready, answer;
  atomic_rsp_t [1:0] rsp;
  logic [1:0] quiet;

  for (genvar m = 0; m < 2; m++) begin : gen_memory
    atomic_req_t pick;
    logic pick_valid, pick_ready, rsp_valid;
    logic [IdxW-1:0] index, owner_q;

    for (genvar i = 0; i < int'(N); i++) begin : gen_wanted
      atomic_req_t req;
      assign req = req_i[i];
      assign wanted[m][i] = req_valid_i[i] && req.host == (m == 1);
      assign answer[m][i] = rsp_valid && owner_q == IdxW'(unsigned'(i));
    end

    prim_arb_rr #(
      .T(atomic_req_t),
      .N(N)
    ) u_arb (
      .clk_i,
      .rst_i,
      .data_i (req_i),
      .last_i ({N{1'b1}}),
      .valid_i(wanted[m]),
      .ready_o(ready[m]),
      .data_o (pick),
      .valid_o(pick_valid),
      .index_o(index),
      .ready_i(pick_ready)
    );

    axis_atomic_mem u_mem (
      .clk_i,
      .rst_i,
      .req_i      (pick),
      .req_valid_i(pick_valid),
      .req_ready_o(pick_ready),
      .rsp_o      (rsp[m]),
      .rsp_valid_o(rsp_valid),
      .ar_o       (ar_o[m]),
      .ar_valid_o (ar_valid_o[m]),
      .ar_ready_i (ar_ready_i[m]),
      .r_i        (r_i[m]),
      .r_valid_i  (r_valid_i[m]),
      .r_ready_o  (r_ready_o[m]),
      .aw_o       (aw_o[m]),
      .aw_valid_o (aw_valid_o[m]),
      .aw_ready_i (aw_ready_i[m]),
      .w_o        (w_o[m]),
      .w_valid_o  (w_valid_o[m]),
      .w_ready_i  (w_ready_i[m]),
      .b_i        (b_i[m]),
      .b_valid_i  (b_valid_i[m]),
      .b_ready_o  (b_ready_o[m]),
      .quiet_o    (quiet[m])
    );

    always_ff @(posedge clk_i) begin
      if (pick_valid && pick_ready) owner_q <= index;
    end
  end

  assign req_ready_o = ready[0] | ready[1];
  assign rsp_valid_o = answer[0] | answer[1];
  for (genvar i = 0; i < int'(N); i++) begin : gen_rsp
    assign rsp_o[i] = answer[0][i] ? rsp[0] : rsp[1];
  end
  assign quiet_o = quiet[0] && quiet[1] && req_valid_i == '0;

endmodule
