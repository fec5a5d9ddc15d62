// SPDX-License-Identifier: Apache-2.0
// Computes the ICRC of each frame and writes it over the four zero bytes that the builder left at its end.
//
// One beat in, one beat out, latency 3: CRC register; the zero bytes behind the packet taken back out, in two halves; the
// second half goes with the insertion. Whole beats run through the CRC (prim_crc_pkg).
// Contract: beats of a frame come without gaps and leave without gaps while out_ready_i; back-pressure loses nothing.
// in_split_i: the last two bytes of this beat are the first two of the ICRC; the other two are all of the next beat.
`include "prim_assert.svh"
module roce_tx_icrc
  import axis_pkg::*;
  import prim_crc_pkg::*;
(
  input logic clk_i,
  input logic rst_i,

  // From roce_tx_build
  input  axis_beat_t in_i,
  input  logic       in_first_i,
  input  logic       in_split_i,
  input  logic       in_valid_i,
  output logic       in_ready_o,

  // To the MAC
  output axis_beat_t out_o,
  output logic       out_valid_o,
  input  logic       out_ready_i,

  output logic quiet_o
);

  // Where the ICRC stands in a beat.
  typedef enum logic [1:0] {
    IcrcNone  = 2'd0,
    IcrcWhole = 2'd1,
    IcrcHead  = 2'd2,  // its first two bytes, at the end of the beat
    IcrcTail  = 2'd3   // its last two bytes, which are the whole beat
  } place_e;

  axis_beat_t a_q, b_q, c_q;
  place_e in_place, a_place_q, b_place_q;
  logic a_valid_q, b_valid_q, c_valid_q;
  logic a_ready, b_ready, c_ready;
  logic [31:0] crc_q, half_q, icrc;
  logic [15:0] tail_q;
  logic [3:0] in_gap, a_gap_q, b_gap_q;  // bytes of the beat from the ICRC on: 4 * gap + 2

  assign c_ready    = !c_valid_q || out_ready_i;
  assign b_ready    = !b_valid_q || c_ready;
  assign a_ready    = !a_valid_q || b_ready;
  assign in_ready_o = a_ready;

  always_comb begin
    in_place = IcrcNone;
    if (in_split_i) in_place = IcrcHead;
    else if (in_i.last) in_place = (in_i.bytes == 7'd2) ? IcrcTail : IcrcWhole;
  end

  assign in_gap = in_split_i ? 4'd0 : 4'd0 - in_i.bytes[5:2];

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      a_valid_q <= 1'b0;
      b_valid_q <= 1'b0;
      c_valid_q <= 1'b0;
    end else begin
      if (a_ready) a_valid_q <= in_valid_i;
      if (b_ready) b_valid_q <= a_valid_q;
      if (c_ready) c_valid_q <= b_valid_q;
    end
  end

  // ---- Register over all bytes of the beat, the place of the ICRC as zeros ---------------------------------------------
  always_ff @(posedge clk_i) begin
    if (in_valid_i && a_ready) begin
      a_q       <= in_i;
      a_place_q <= in_place;
      a_gap_q   <= in_gap;
      if (in_first_i) crc_q <= crc512(ICRC_START, icrc_first_beat(in_i.data));
      else if (in_place != IcrcTail) crc_q <= crc512(crc_q, in_i.data);
    end
  end

  // ---- Zeros out of the register. Their number is 2 modulo 4, so of the matrices for 1 and 2 the second always counts. ----
  always_ff @(posedge clk_i) begin
    if (a_valid_q && b_ready) begin
      b_q       <= a_q;
      b_place_q <= a_place_q;
      b_gap_q   <= a_gap_q;
      if (a_place_q inside {IcrcWhole, IcrcHead}) half_q <= crc_unwind_lo(crc_q, {a_gap_q[0], 2'b10});
    end
  end

  assign icrc = ~crc_unwind_hi(half_q, b_gap_q[3:1]);

  always_ff @(posedge clk_i) begin
    if (b_valid_q && c_ready) begin
      c_q <= b_q;
      unique case (b_place_q)
        IcrcWhole: begin
          logic [1023:0] wide;
          wide = {480'd0, icrc, 512'd0};
          c_q.data <= b_q.data | wide[{1'b0, b_gap_q, 5'b10000}+:512];
        end
        IcrcHead: begin
          c_q.data[511:496] <= icrc[15:0];
          tail_q            <= icrc[31:16];
        end
        IcrcTail: c_q.data[15:0] <= tail_q;
        default:  ;
      endcase
    end
  end

  assign out_o       = c_q;
  assign out_valid_o = c_valid_q;
  assign quiet_o     = !in_valid_i && !a_valid_q && !b_valid_q && !c_valid_q;

  `PRIM_ASSERT_STREAM(icrc_out, out_valid_o, out_ready_i, out_o)
  `PRIM_ASSERT(icrc_length, !(in_valid_i && in_i.last) || in_i.bytes[1:0] == 2'd2,
               "a frame's length is not 2 modulo 4; the ICRC has no place")

endmodule
