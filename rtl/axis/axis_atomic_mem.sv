// SPDX-License-Identifier: Apache-2.0
// Atomics on one memory, one at a time: reads the 64-byte beat, answers with the word, writes the new word with its strobes
// and takes the next request when memory has confirmed it. So atomics through this module see each other's results.
// A compare that fails writes nothing. Latency: AR 1 cycle after the request, the answer 1 cycle after B (after R when nothing
// is written). Back-pressure: one request in work; the answer is a one-cycle pulse that the requester must take.
`include "prim_assert.svh"
module axis_atomic_mem
  import axis_pkg::*;
(
  input logic clk_i,
  input logic rst_i,

  // Requests (their memory is this one) and answers
  input  atomic_req_t req_i,
  input  logic        req_valid_i,
  output logic        req_ready_o,
  output atomic_rsp_t rsp_o,
  output logic        rsp_valid_o,

  // Memory: one-beat bursts
  output axi_addr_t ar_o,
  output logic      ar_valid_o,
  input  logic      ar_ready_i,
  input  axi_r_t    r_i,
  input  logic      r_valid_i,
  output logic      r_ready_o,
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

  typedef enum logic [2:0] {
    StIdle,
    StAddr,   // AR
    StData,   // waits for R
    StWrite,  // AW and W, in any order
    StResp,   // waits for B
    StDone    // answers
  } state_e;

  state_e state_q, state_d;
  atomic_req_t req_q;
  atomic_rsp_t rsp_q;
  logic [63:0] word, word_q;  // read; to be written
  logic hit, aw_left_q, w_left_q;

  assign word = r_i.data[{req_q.addr[5:3], 6'd0}+:64];
  assign hit  = !req_q.cas || word == req_q.compare;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle:  if (req_valid_i) state_d = StAddr;
      StAddr:  if (ar_ready_i) state_d = StData;
      StData:  if (r_valid_i) state_d = (hit && !r_i.resp[1]) ? StWrite : StDone;
      StWrite: if ((!aw_left_q || aw_ready_i) && (!w_left_q || w_ready_i)) state_d = StResp;
      StResp:  if (b_valid_i) state_d = StDone;
      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q   <= StIdle;
      aw_left_q <= 1'b0;
      w_left_q  <= 1'b0;
    end else begin
      state_q <= state_d;
      if (state_q == StData) begin
        aw_left_q <= state_d == StWrite;
        w_left_q  <= state_d == StWrite;
      end else begin
        if (aw_ready_i) aw_left_q <= 1'b0;
        if (w_ready_i) w_left_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StIdle && req_valid_i) req_q <= req_i;
    if (state_q == StData && r_valid_i) begin
      rsp_q  <= '{err: r_i.resp[1], original: word};
      word_q <= req_q.cas ? req_q.operand : word + req_q.operand;
    end
    if (state_q == StResp && b_valid_i) rsp_q.err <= b_i.resp[1];
  end

  assign req_ready_o = state_q == StIdle;
  assign rsp_o = rsp_q;
  assign rsp_valid_o = state_q == StDone;
  assign ar_o = '{id: '0, addr: {req_q.addr[63:6], 6'd0}, len: '0};
  assign ar_valid_o = state_q == StAddr;
  assign r_ready_o = state_q == StData;
  assign aw_o = ar_o;
  assign aw_valid_o = aw_left_q;
  assign w_o = '{last: 1'b1, strb: 64'hFF << {req_q.addr[5:3], 3'd0}, data: {8{word_q}}};
  assign w_valid_o = w_left_q;
  assign b_ready_o = state_q == StResp;

  assign quiet_o     = (state_q == StIdle && !req_valid_i) || (state_q == StData && !r_valid_i) ||
      (state_q == StResp && !b_valid_i);

  `PRIM_ASSERT(atomic_aligned, req_valid_i -> req_i.addr[2:0] == '0, "an atomic on an unaligned word")
  `PRIM_ASSERT_STREAM(atomic_ar, ar_valid_o, ar_ready_i, ar_o)
  `PRIM_ASSERT_STREAM(atomic_aw, aw_valid_o, aw_ready_i, aw_o)
  `PRIM_ASSERT_STREAM(atomic_w, w_valid_o, w_ready_i, w_o)

endmodule
