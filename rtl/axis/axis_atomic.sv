// SPDX-License-Identifier: Apache-2.0
// The node's atomics: N requesters, two memories, one axis_atomic_mem and one round-robin arbiter for each memory. All atomics
// of a node pass here, so they are atomic to each other whoever asks.
// Contract: a requester may have as many requests on the way as it likes; it gets the answers of each memory in the order of its
// requests to it. An answer that a requester does not take holds the later ones of that memory, also those of others: with more than one
// requester, none may wait for one memory before it takes from the other.
// Latency and throughput: see axis_atomic_mem. Back-pressure: a memory works on HbmSlots or HostSlots requests.
module axis_atomic
  import axis_pkg::*;
  import prim_pkg::*;
#(
  parameter int unsigned N         = 1,
  parameter int unsigned HbmSlots  = 16,  // powers of two
  parameter int unsigned HostSlots = 8
) (
  input logic clk_i,
  input logic rst_i,

  // Requesters; answers by requester and memory: 0 HBM, 1 host
  input  atomic_req_t [N-1:0]      req_i,
  input  logic        [N-1:0]      req_valid_i,
  output logic        [N-1:0]      req_ready_o,
  output atomic_rsp_t [  1:0]      rsp_o,
  output logic        [N-1:0][1:0] rsp_valid_o,
  input  logic        [N-1:0][1:0] rsp_ready_i,

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

  logic [1:0][N-1:0] wanted, ready;
  logic [1:0] quiet;

  for (genvar m = 0; m < 2; m++) begin : gen_memory
    localparam int unsigned Slots = m == 0 ? HbmSlots : HostSlots;
    atomic_req_t pick;
    logic pick_valid, pick_ready, rsp_valid, rsp_ready;
    logic [IdxW-1:0] index, owner;

    for (genvar i = 0; i < int'(N); i++) begin : gen_requester
      atomic_req_t req;
      assign req = req_i[i];
      assign wanted[m][i] = req_valid_i[i] && req.host == (m == 1);
      assign rsp_valid_o[i][m] = rsp_valid && owner == IdxW'(unsigned'(i));
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

    axis_atomic_mem #(
      .Slots(Slots)
    ) u_mem (
      .clk_i,
      .rst_i,
      .req_i      (pick),
      .req_valid_i(pick_valid),
      .req_ready_o(pick_ready),
      .rsp_o      (rsp_o[m]),
      .rsp_valid_o(rsp_valid),
      .rsp_ready_i(rsp_ready),
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

    // Who asked, oldest first.
    prim_fifo #(
      .T    (logic [IdxW-1:0]),
      .Depth(Slots)
    ) u_owner (
      .clk_i,
      .rst_i,
      .data_i (index),
      .valid_i(pick_valid && pick_ready),
      .ready_o(),
      .data_o (owner),
      .valid_o(),
      .ready_i(rsp_valid && rsp_ready),
      .count_o()
    );

    assign rsp_ready = rsp_ready_i[owner][m];
  end

  assign req_ready_o = ready[0] | ready[1];
  assign quiet_o = quiet[0] && quiet[1];

endmodule
