// SPDX-License-Identifier: Apache-2.0
// Remembers the client's tag of every WRITE in flight under a small slot number, which travels as work request identifier.
// slot_o is the slot that take_i takes in this cycle (room_o must be 1); tag_o is the tag of free_slot_i, combinational;
// free_i gives that slot back. First every slot is used once, then they are used in the order in which they came back.
// Contract: only taken slots are given back.
`include "prim_assert.svh"
module rdt_tags
  import prim_pkg::*;
#(
  parameter int unsigned Slots = 256
) (
  input logic clk_i,
  input logic rst_i,

  // Taking
  input  logic                        take_i,
  input  logic [                31:0] tag_i,
  output logic [idx_width(Slots)-1:0] slot_o,
  output logic                        room_o,

  // Giving back
  input  logic                        free_i,
  input  logic [idx_width(Slots)-1:0] free_slot_i,
  output logic [                31:0] tag_o
);

  localparam int unsigned SlotW = idx_width(Slots);
  localparam int unsigned CntW = cnt_width(Slots);

  logic [31:0] tags[Slots];
  logic [SlotW-1:0] old_slot;
  logic [CntW-1:0] fresh_q, returned;
  logic old_valid, fresh, back_ready;

  assign fresh  = fresh_q != CntW'(Slots);
  assign slot_o = fresh ? fresh_q[SlotW-1:0] : old_slot;
  assign room_o = fresh || old_valid;
  assign tag_o  = tags[free_slot_i];

  prim_fifo #(
    .T    (logic [SlotW-1:0]),
    .Depth(Slots)
  ) u_free (
    .clk_i,
    .rst_i,
    .data_i (free_slot_i),
    .valid_i(free_i),
    .ready_o(back_ready),
    .data_o (old_slot),
    .valid_o(old_valid),
    .ready_i(take_i && !fresh),
    .count_o(returned)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) fresh_q <= '0;
    else if (take_i && fresh) fresh_q <= fresh_q + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (take_i) tags[slot_o] <= tag_i;
  end

  `PRIM_ASSERT(tags_room, !take_i || room_o, "a slot was taken without room")
  `PRIM_ASSERT(tags_free, !free_i || (back_ready && returned < fresh_q), "a slot that was not taken came back")

endmodule
