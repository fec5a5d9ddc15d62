// SPDX-License-Identifier: Apache-2.0
// Atomics on one memory, up to Slots at a time: each reads the 64-byte beat of its word, writes the new word with its strobes, and is
// answered when memory has confirmed that. Requests to different words run side by side. One to a word of an unfinished
// request takes that one's result instead of reading memory, and writes its own behind it: so a hot word is about as fast as many
// words, and all atomics through this module see each other's results. A compare that fails writes nothing.
// What others write to the word is seen all the same: a request of another epoch, and every MaxChain-th of a chain, waits until the word is
// free and reads memory. So a lock that is released by a WRITE or by a processor is never spun on for ever.
// Slots are a ring; every stage takes them in the order of requests, one a cycle: AR, R and the operation, AW and W, B, answer. The
// memory must answer reads in order, and writes in order (one id each).
// Latency: AR 1 cycle after the request, AW and W 1 cycle after R, the answer 1 cycle after B (after R when nothing is
// written and nothing before it is unfinished). Throughput: a request a cycle, as long as Slots cover the memory's latency, both ways.
// Errors: a request whose read or write fails, and every one that took its result, is answered with err; what it then wrote is
// not known.
// Back-pressure: req_ready_o is low while all slots are in use or the word is to be read anew; answers stand until they are taken.
`include "prim_assert.svh"
module axis_atomic_mem
  import axis_pkg::*;
  import prim_pkg::*;
#(
  parameter int unsigned Slots    = 8,  // a power of two
  parameter int unsigned MaxChain = 64  // requests to a word for one read of it
) (
  input logic clk_i,
  input logic rst_i,

  // Requests (their memory is this one) and answers, in the same order
  input  atomic_req_t req_i,
  input  logic        req_valid_i,
  output logic        req_ready_o,
  output atomic_rsp_t rsp_o,
  output logic        rsp_valid_o,
  input  logic        rsp_ready_i,

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

  localparam int unsigned IdxW = idx_width(Slots);
  typedef logic [IdxW-1:0] slot_t;
  typedef logic [IdxW:0] ptr_t;  // one more bit than an index: full and empty differ
  typedef logic [60:0] word_t;  // address without the byte
  typedef logic [cnt_width(MaxChain)-1:0] length_t;

  typedef struct packed {
    logic        cas;
    logic [63:0] operand;
    logic [63:0] compare;
  } work_t;

  // The next slot of each stage.
  ptr_t in_q, ar_q, r_q, w_q, b_q, out_q;
  slot_t in_slot, ar_slot, r_slot, w_slot, b_slot, out_slot;

  // What a slot holds. chained: takes the result of slot from_mem; newest: unfinished, and no later one has its word; writes: the
  // operation changes memory; bad: its result is not known; failed: nor is it known to be in memory.
  word_t [Slots-1:0] word_q;
  logic [Slots-1:0] chained_q, newest_q, writes_q, bad_q, failed_q;
  logic [Slots-1:0][31:0] epoch_q;
  length_t [Slots-1:0] length_q;  // of the chain so far
  slot_t from_mem[Slots];
  work_t work_mem[Slots];
  logic [63:0] original_mem[Slots];
  logic [63:0] result_mem[Slots];

  assign in_slot  = in_q[IdxW-1:0];
  assign ar_slot  = ar_q[IdxW-1:0];
  assign r_slot   = r_q[IdxW-1:0];
  assign w_slot   = w_q[IdxW-1:0];
  assign b_slot   = b_q[IdxW-1:0];
  assign out_slot = out_q[IdxW-1:0];

  // ---- Requests -------------------------------------------------------------------------------------------------------------
  logic take, chain;
  logic [Slots-1:0] match;
  slot_t from;

  assign chain = epoch_q[from] == req_i.epoch && length_q[from] != length_t'(MaxChain);
  assign req_ready_o = in_q - out_q != ptr_t'(Slots) && (match == '0 || chain);
  assign take = req_valid_i && req_ready_o;

  always_comb begin
    match = '0;
    from  = '0;
    if (req_valid_i) begin
      for (int unsigned i = 0; i < Slots; i++) begin
        match[i] = newest_q[i] && word_q[i] == req_i.addr[63:3];
        if (match[i]) from = slot_t'(i);
      end
    end
  end

  // ---- AR -------------------------------------------------------------------------------------------------------------------
  logic ar_next;

  assign ar_valid_o = ar_q != in_q && !chained_q[ar_slot];
  assign ar_next = ar_q != in_q && (chained_q[ar_slot] || ar_ready_i);
  assign ar_o = '{id: '0, addr: {word_q[ar_slot][60:3], 6'd0}, len: '0};

  // ---- R and the operation --------------------------------------------------------------------------------------------------
  logic r_next, hit, r_bad, r_writes, through;
  work_t work;
  logic [2:0] r_lane;
  slot_t r_from;
  logic [63:0] old;

  assign work = work_mem[r_slot];
  assign r_lane = word_q[r_slot][2:0];
  assign r_from = from_mem[r_slot];
  assign r_ready_o = r_q != ar_q && !chained_q[r_slot];
  assign r_next = r_q != ar_q && (chained_q[r_slot] || r_valid_i);
  assign old = chained_q[r_slot] ? result_mem[r_from] : r_i.data[{r_lane, 6'd0}+:64];
  assign r_bad = chained_q[r_slot] ? bad_q[r_from] : r_i.resp[1];
  assign hit = !work.cas || old == work.compare;
  assign r_writes = hit && !r_bad;
  assign through = r_next && !r_writes && b_q == r_q;  // nothing left to do for it

  // ---- AW and W, in any order -----------------------------------------------------------------------------------------------
  logic w_wait, w_next, aw_done_q, w_done_q;
  word_t w_word;

  assign w_word = word_q[w_slot];
  assign w_wait = w_q != r_q && writes_q[w_slot];
  assign aw_valid_o = w_wait && !aw_done_q;
  assign w_valid_o = w_wait && !w_done_q;
  assign w_next = w_q != r_q && (!writes_q[w_slot] || ((aw_done_q || aw_ready_i) && (w_done_q || w_ready_i)));
  assign aw_o = '{id: '0, addr: {w_word[60:3], 6'd0}, len: '0};
  assign w_o = '{last: 1'b1, strb: 64'hFF << {w_word[2:0], 3'd0}, data: {8{result_mem[w_slot]}}};

  // ---- B, answers -----------------------------------------------------------------------------------------------------------
  logic b_next, b_failed;
  slot_t b_from;

  assign b_ready_o = b_q != w_q && writes_q[b_slot];
  assign b_next = b_q != w_q && (!writes_q[b_slot] || b_valid_i);
  assign b_from = from_mem[b_slot];
  assign b_failed = bad_q[b_slot] || (writes_q[b_slot] && b_i.resp[1]) || (chained_q[b_slot] && failed_q[b_from]);

  assign rsp_valid_o = out_q != b_q;
  assign rsp_o = '{err: failed_q[out_slot], original: original_mem[out_slot]};

  // ---- State ----------------------------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      in_q      <= '0;
      ar_q      <= '0;
      r_q       <= '0;
      w_q       <= '0;
      b_q       <= '0;
      out_q     <= '0;
      newest_q  <= '0;
      aw_done_q <= 1'b0;
      w_done_q  <= 1'b0;
    end else begin
      if (ar_next) ar_q <= ar_q + 1'b1;
      if (r_next) r_q <= r_q + 1'b1;
      if (w_next || through) w_q <= w_q + 1'b1;
      if (b_next || through) b_q <= b_q + 1'b1;
      if (rsp_valid_o && rsp_ready_i) out_q <= out_q + 1'b1;
      if (w_wait) begin
        aw_done_q <= !w_next && (aw_done_q || aw_ready_i);
        w_done_q  <= !w_next && (w_done_q || w_ready_i);
      end
      if (take) begin
        in_q              <= in_q + 1'b1;
        newest_q          <= newest_q & ~match;
        newest_q[in_slot] <= 1'b1;
      end
      if (b_next) newest_q[b_slot] <= 1'b0;
      if (through) newest_q[r_slot] <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      word_q[in_slot]    <= req_i.addr[63:3];
      chained_q[in_slot] <= match != '0;
      from_mem[in_slot]  <= from;
      epoch_q[in_slot]   <= req_i.epoch;
      length_q[in_slot]  <= match != '0 ? length_q[from] + 1'b1 : length_t'(1);
      work_mem[in_slot]  <= '{cas: req_i.cas, operand: req_i.operand, compare: req_i.compare};
    end
    if (r_next) begin
      original_mem[r_slot] <= old;
      result_mem[r_slot]   <= !hit ? old : work.cas ? work.operand : old + work.operand;
      writes_q[r_slot]     <= r_writes;
      bad_q[r_slot]        <= r_bad;
    end
    if (b_next) failed_q[b_slot] <= b_failed;
    if (through) failed_q[r_slot] <= r_bad || (chained_q[r_slot] && failed_q[r_from]);
  end

  // Waiting for the memory, for a free slot or for the answer to be taken changes nothing.
  assign quiet_o = !take && ar_q == in_q && !r_next && w_q == r_q && !b_next && !(rsp_valid_o && rsp_ready_i);

  `PRIM_ASSERT(atomic_aligned, req_valid_i -> req_i.addr[2:0] == '0, "an atomic on an unaligned word")
  `PRIM_ASSERT(atomic_once, req_valid_i -> $onehot0(match), "two unfinished requests are both the newest of their word")
  `PRIM_ASSERT_STREAM(atomic_ar, ar_valid_o, ar_ready_i, ar_o)
  `PRIM_ASSERT_STREAM(atomic_aw, aw_valid_o, aw_ready_i, aw_o)
  `PRIM_ASSERT_STREAM(atomic_w, w_valid_o, w_ready_i, w_o)
  `PRIM_ASSERT_STREAM(atomic_rsp, rsp_valid_o, rsp_ready_i, rsp_o)

endmodule
