// SPDX-License-Identifier: Apache-2.0
// Timing wheel of roce_pacer: NumSlots slots of 2^SlotLog2 cycles, each a linked list of QPs; a QP stands in it once.
// put_i (never refused; ignored for a QP that stands in it): the QP is kicked at the first slot edge at or after put_due_i,
// but at the next edge at the earliest and NumSlots - 1 slots from now at the latest. When the wheel is late a QP at its far
// end may be kicked with the slot that is being emptied: early.
// Kicks: valid held until ready; the first of a slot 2 cycles after its edge, then one a cycle but for cycles with put_i.
// The next occupied slot is found by two priority searches over words, 2 cycles, while puts go on. wake_at_o: its edge.
`include "prim_assert.svh"
module roce_pacer_wheel
  import prim_pkg::*;
#(
  parameter int unsigned NumQps   = 256,
  parameter int unsigned NumSlots = 1024,  // a power of two, at least 64
  parameter int unsigned SlotLog2 = 4
) (
  input logic clk_i,
  input logic rst_i,

  input logic [63:0] now_i,

  // A QP to wake
  input logic                         put_i,
  input logic [idx_width(NumQps)-1:0] put_qpn_i,
  input logic [                 63:0] put_due_i,

  output logic [idx_width(NumQps)-1:0] kick_qpn_o,
  output logic                         kick_valid_o,
  input  logic                         kick_ready_i,

  output logic        quiet_o,
  output logic [63:0] wake_at_o
);

  localparam int unsigned SlotW = $clog2(NumSlots);
  localparam int unsigned Words = NumSlots / 32;
  localparam int unsigned WordW = SlotW - 5;
  localparam int unsigned TimeW = 64 - SlotLog2;
  typedef logic [idx_width(NumQps)-1:0] qpn_t;
  typedef logic [SlotW-1:0] slot_t;
  typedef logic [TimeW-1:0] edge_t;  // a time in slots
  typedef struct packed {
    logic end_of_list;
    qpn_t qpn;
  } link_t;

  localparam edge_t EdgeNever = '1;
  localparam edge_t FarEdge = edge_t'(unsigned'(NumSlots - 32'd1));

  typedef enum logic [1:0] {
    StWait,   // for the edge of earliest_q
    StEmpty,  // one QP a cycle
    StWord,   // which word has the next occupied slot
    StBit     // which slot of that word
  } state_e;

  // Lists, read asynchronously (LUT RAM): first QP of a slot, next QP of a QP.
  qpn_t head_mem[NumSlots];
  link_t link_mem[NumQps];
  logic [Words-1:0][31:0] occupied_q;
  logic [Words-1:0] any_q;  // word has an occupied slot
  logic [NumQps-1:0] parked_q;

  state_e state_q;
  edge_t earliest_q, now_edge, due_edge, put_edge, done_q, found, bound;
  slot_t put_slot, done_slot;
  logic kick_valid_q, put, pop, last, look, found_valid, others;
  qpn_t kick_q, head;
  link_t link_to;
  logic [WordW-1:0] word_q, word_d;
  logic [31:0] bits_q, above;
  logic [4:0] bit_pos;
  slot_t distance;

  // ---- Put -----------------------------------------------------------------------------------------------------------

  assign now_edge = now_i[63:SlotLog2];
  assign due_edge = put_due_i[63:SlotLog2] + edge_t'(|put_due_i[SlotLog2-1:0]);
  assign put = put_i && !parked_q[put_qpn_i];

  always_comb begin
    put_edge = due_edge;
    if (due_edge <= now_edge) put_edge = now_edge + 1'b1;
    else if (due_edge - now_edge >= edge_t'(NumSlots)) put_edge = now_edge + FarEdge;
  end

  assign put_slot = put_edge[SlotW-1:0];

  // ---- Empty a slot --------------------------------------------------------------------------------------------------

  assign done_slot = done_q[SlotW-1:0];
  assign head = head_mem[done_slot];
  assign link_to = link_mem[head];
  assign pop = (state_q == StEmpty) && !put && (!kick_valid_q || kick_ready_i);
  assign last = pop && link_to.end_of_list;

  // ---- Next occupied slot --------------------------------------------------------------------------------------------

  // StWord: the rest of this word, else the next word that is not empty, around to the lower part of this one.
  assign above = occupied_q[done_slot[SlotW-1:5]] & ~((32'd2 << done_slot[4:0]) - 32'd1);

  always_comb begin
    word_d = done_slot[SlotW-1:5];
    others = 1'b0;
    if (state_q == StWord) begin
      for (int i = Words; i >= 1; i--) begin
        if (any_q[WordW'(done_slot[SlotW-1:5]+WordW'(i))]) begin
          word_d = done_slot[SlotW-1:5] + WordW'(i);
          others = 1'b1;
        end
      end
      if (above != '0) begin
        word_d = done_slot[SlotW-1:5];
        others = 1'b1;
      end
    end
  end

  // StBit: bits_q was cut in StWord when it was this word; puts since then count by themselves.
  always_comb begin
    bit_pos = '0;
    for (int i = 31; i >= 0; i--) if (bits_q[i]) bit_pos = 5'(i);
  end

  assign found_valid = state_q == StBit;
  assign distance = {word_q, bit_pos} - done_slot;
  assign found = done_q + ((distance == '0) ? edge_t'(NumSlots) : edge_t'(distance));

  always_comb begin
    bound = look ? EdgeNever : earliest_q;
    if (put && put_edge < bound) bound = put_edge;
    if (found_valid && found < bound) bound = found;
  end

  // The slot is about to be emptied: from here on the bound is made afresh.
  assign look = state_q == StWait && now_edge >= earliest_q && earliest_q != EdgeNever;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q      <= StWait;
      earliest_q   <= EdgeNever;
      occupied_q   <= '0;
      any_q        <= '0;
      parked_q     <= '0;
      kick_valid_q <= 1'b0;
      done_q       <= '0;
    end else begin
      earliest_q <= bound;
      unique case (state_q)
        StWait: begin
          if (look) begin
            state_q <= StEmpty;
            done_q  <= earliest_q;
          end
        end
        StEmpty: if (last) state_q <= StWord;
        StWord:  state_q <= others ? StBit : StWait;
        StBit:   state_q <= StWait;
        default: state_q <= StWait;
      endcase

      if (pop) parked_q[head] <= 1'b0;
      if (last) begin
        occupied_q[done_slot[SlotW-1:5]][done_slot[4:0]] <= 1'b0;
        if ((occupied_q[done_slot[SlotW-1:5]] & ~(32'd1 << done_slot[4:0])) == '0) any_q[done_slot[SlotW-1:5]] <= 1'b0;
      end
      if (put) begin
        parked_q[put_qpn_i] <= 1'b1;
        occupied_q[put_slot[SlotW-1:5]][put_slot[4:0]] <= 1'b1;
        any_q[put_slot[SlotW-1:5]] <= 1'b1;
      end

      if (pop) kick_valid_q <= 1'b1;
      else if (kick_ready_i) kick_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (put) begin
      head_mem[put_slot]  <= put_qpn_i;
      link_mem[put_qpn_i] <= '{end_of_list: !occupied_q[put_slot[SlotW-1:5]][put_slot[4:0]], qpn: head_mem[put_slot]};
    end else if (pop) begin
      head_mem[done_slot] <= link_to.qpn;
    end
    if (pop) kick_q <= head;
    if (state_q == StWord) begin
      word_q <= word_d;
      bits_q <= (above != '0) ? above : occupied_q[word_d];
    end
  end

  assign kick_qpn_o   = kick_q;
  assign kick_valid_o = kick_valid_q;
  assign quiet_o      = !put_i && !kick_valid_q && state_q == StWait && !look;
  assign wake_at_o    = (earliest_q == EdgeNever) ? TIME_NEVER : {earliest_q, SlotLog2'(0)};

  `PRIM_ASSERT_STREAM(kick, kick_valid_o, kick_ready_i, kick_qpn_o)

endmodule
