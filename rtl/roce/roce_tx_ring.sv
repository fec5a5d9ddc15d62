// SPDX-License-Identifier: Apache-2.0
// Stores the payload of first transmissions in the retransmission ring in HBM: one write burst a packet, at the start of
// its 4 KiB slot. The payload is queued beside its frame; a full queue (more than QueueBeats behind) holds the sender.
//
// pending: writes claimed (roce_tx_fetch), but without response; a retransmission is read only when none is pending.
// A slot whose write failed, or whose packet was dropped because its payload could not be read, is marked bad until it is
// written again: a retransmission from it is dropped, for what stands there is another packet's payload.
// Slots are known by their page number modulo NumSlots (a power of two): unique, as the rings are contiguous.
`include "prim_assert.svh"
module roce_tx_ring
  import axis_pkg::*;
  import prim_pkg::*;
#(
  parameter int unsigned NumSlots   = 4096,
  parameter int unsigned QueueBeats = 128
) (
  input logic clk_i,
  input logic rst_i,

  // Claims, from roce_tx_fetch
  input  logic claim_i,
  output logic claim_room_o,
  output logic idle_o,

  // Payload from roce_tx_align, only while room_o; drop_i with the last beat: nothing is written, the slot is bad
  input  axis_beat_t        beat_i,
  input  logic              valid_i,
  input  logic       [51:0] page_i,
  input  logic              drop_i,
  output logic              room_o,

  // State of a slot, one cycle after look_i, held
  input  logic        look_i,
  input  logic [51:0] look_page_i,
  output logic        bad_o,

  // HBM
  output axi_addr_t aw_o,
  output logic      aw_valid_o,
  input  logic      aw_ready_i,
  output axi_w_t    w_o,
  output logic      w_valid_o,
  input  logic      w_ready_i,
  input  axi_b_t    b_i,
  input  logic      b_valid_i,
  output logic      b_ready_o,

  output logic error_o,
  output logic quiet_o
);

  localparam int unsigned MaxPending = 64;
  localparam int unsigned SlotW = idx_width(NumSlots);

  typedef struct packed {
    logic [51:0] page;
    logic [5:0]  len;
  } burst_t;

  typedef struct packed {
    logic         last;
    logic [6:0]   bytes;
    logic [511:0] data;
  } entry_t;

  logic [cnt_width(MaxPending)-1:0] pending_q, unused_bursts, unused_slots;
  logic [cnt_width(QueueBeats)-1:0] unused_beats;
  logic [5:0] index_q;  // of the beat in its packet
  logic ends, commit, drop, b_take, overflow, burst_room, slot_room, slot_valid;
  burst_t burst_in, burst;
  entry_t entry_in, entry;
  logic [SlotW-1:0] slot;
  logic mark_we, mark_bad, moved_q;
  logic [SlotW-1:0] mark_slot;

  assign ends   = valid_i && beat_i.last;
  assign commit = ends && !drop_i;
  assign drop   = ends && drop_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      pending_q <= '0;
      index_q   <= '0;
    end else begin
      pending_q <= pending_q + {6'd0, claim_i} - {6'd0, b_take} - {6'd0, drop};
      if (valid_i) index_q <= beat_i.last ? '0 : index_q + 6'd1;
    end
  end

  assign claim_room_o = pending_q != 7'(MaxPending);
  assign idle_o       = pending_q == '0;

  // ---- Payload -----------------------------------------------------------------------------------------------------------
  assign entry_in     = '{last: beat_i.last, bytes: beat_i.bytes, data: beat_i.data};

  prim_fifo_pkt #(
    .T    (entry_t),
    .Depth(QueueBeats)
  ) u_beats (
    .clk_i,
    .rst_i,
    .data_i    (entry_in),
    .valid_i,
    .commit_i  (commit),
    .rollback_i(drop),
    .room_o,
    .overflow_o(overflow),
    .data_o    (entry),
    .valid_o   (w_valid_o),
    .ready_i   (w_ready_i),
    .count_o   (unused_beats)
  );

  assign w_o = '{last: entry.last, strb: strobes(entry.bytes), data: entry.data};

  // ---- Bursts, and the slots whose response is to come ---------------------------------------------------------------------
  assign burst_in = '{page: page_i, len: index_q};

  prim_fifo #(
    .T    (burst_t),
    .Depth(MaxPending)
  ) u_bursts (
    .clk_i,
    .rst_i,
    .data_i (burst_in),
    .valid_i(commit),
    .ready_o(burst_room),
    .data_o (burst),
    .valid_o(aw_valid_o),
    .ready_i(aw_ready_i),
    .count_o(unused_bursts)
  );

  assign aw_o = '{id: '0, addr: {burst.page, 12'd0}, len: {2'd0, burst.len}};

  prim_fifo #(
    .T    (logic [SlotW-1:0]),
    .Depth(MaxPending)
  ) u_slots (
    .clk_i,
    .rst_i,
    .data_i (page_i[SlotW-1:0]),
    .valid_i(commit),
    .ready_o(slot_room),
    .data_o (slot),
    .valid_o(slot_valid),
    .ready_i(b_take),
    .count_o(unused_slots)
  );

  // ---- Responses; the mark of a slot has one write port, a packet that ends goes first --------------------------------------
  assign b_ready_o = !(ends && b_i.resp[1]);
  assign b_take    = b_valid_i && b_ready_o;
  assign error_o   = b_take && b_i.resp[1];

  assign mark_we   = ends || error_o;
  assign mark_slot = ends ? page_i[SlotW-1:0] : slot;
  assign mark_bad  = ends ? drop_i : 1'b1;

  prim_ram_1r1w #(
    .T    (logic),
    .Depth(NumSlots)
  ) u_marks (
    .clk_i,
    .re_i   (look_i),
    .raddr_i(look_page_i[SlotW-1:0]),
    .rdata_o(bad_o),
    .we_i   (mark_we),
    .waddr_i(mark_slot),
    .wdata_i(mark_bad)
  );

  // A slot that waits for its response is quiet, but for one cycle after the queue moved (see roce_tx_fetch).
  always_ff @(posedge clk_i) begin
    if (rst_i) moved_q <= 1'b0;
    else moved_q <= commit || b_take;
  end

  assign quiet_o = !moved_q && !claim_i && !valid_i && !aw_valid_o && !w_valid_o && !b_valid_i;

  `PRIM_ASSERT_STREAM(ring_aw, aw_valid_o, aw_ready_i, aw_o)
  `PRIM_ASSERT_STREAM(ring_w, w_valid_o, w_ready_i, w_o)
  `PRIM_ASSERT(ring_room, !overflow && !(commit && !(burst_room && slot_room)),
               "a ring write came without room; it is lost")
  `PRIM_ASSERT(ring_resp, !b_take || (slot_valid && pending_q != '0), "a write response came for no write")

endmodule
