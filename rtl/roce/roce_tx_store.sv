// SPDX-License-Identifier: Apache-2.0
// Whole packets on their way to the frame builder: a queue of headers and a queue of payloads in the same order.
//
// Payload from memory is gathered here until its packet is complete (store and forward: a frame never waits for memory
// once it has begun); a dropped packet is taken back. Inline payload stands beside its header's entry and costs no RAM.
// Latency from done_i: header and inline payload 1 cycle, payload from memory 2 cycles; then a beat a cycle.
// roce_tx_fail decides what of a packet goes on.
// Contract: memory beats need no ready, room for them is reserved by roce_tx_fetch (freed_o gives it back);
// push_i only while ready_o.
`include "prim_assert.svh"
module roce_tx_store
  import axis_pkg::*;
  import prim_pkg::*;
  import roce_pkg::*;
#(
  parameter int unsigned BufBeats = 512
) (
  input logic clk_i,
  input logic rst_i,

  // From roce_tx_align: payload
  input axis_beat_t         beat_i,
  input logic               beat_valid_i,
  input logic               inl_i,
  input logic       [511:0] inl_data_i,

  // From roce_tx_fail: packets
  input  tx_pkt_t       pkt_i,
  input  logic          push_i,
  input  logic          whole_i,
  input  logic          cut_i,
  input  logic    [6:0] cut_beats_i,
  output logic          ready_o,

  // To roce_tx_build
  output tx_pkt_t    pkt_o,
  output logic       pkt_valid_o,
  input  logic       pkt_ready_i,
  output axis_beat_t pay_o,
  output logic       pay_valid_o,
  input  logic       pay_ready_i,

  output logic [6:0] freed_o,
  output logic       quiet_o
);

  localparam int unsigned Packets = 8;

  typedef struct packed {
    logic         inl;
    logic [6:0]   bytes;
    logic [511:0] data;
  } source_t;

  typedef struct packed {
    logic         last;
    logic [6:0]   bytes;
    logic [511:0] data;
  } mem_beat_t;

  logic pkt_room, source_room, source_valid, source_pop;
  logic mem_valid, mem_pop, unused_room, overflow, last_pop;
  source_t source_in, source;
  mem_beat_t mem_in, mem;
  logic [cnt_width(Packets)-1:0] unused_pkts, unused_sources;
  logic [cnt_width(BufBeats)-1:0] unused_beats;

  assign ready_o = pkt_room && source_room;
  assign source_in = '{inl: inl_i, bytes: pkt_i.hdr.len[6:0], data: inl_data_i};
  assign mem_in    = '{last: beat_i.last, bytes: beat_i.bytes, data: beat_i.data};

  prim_fifo #(
    .T    (tx_pkt_t),
    .Depth(Packets)
  ) u_pkts (
    .clk_i,
    .rst_i,
    .data_i (pkt_i),
    .valid_i(push_i),
    .ready_o(pkt_room),
    .data_o (pkt_o),
    .valid_o(pkt_valid_o),
    .ready_i(pkt_ready_i),
    .count_o(unused_pkts)
  );

  // Where the payload of the next packet with payload is.
  prim_fifo #(
    .T    (source_t),
    .Depth(Packets)
  ) u_sources (
    .clk_i,
    .rst_i,
    .data_i (source_in),
    .valid_i(whole_i && pkt_i.hdr.len != '0),
    .ready_o(source_room),
    .data_o (source),
    .valid_o(source_valid),
    .ready_i(source_pop),
    .count_o(unused_sources)
  );

  prim_fifo_pkt #(
    .T    (mem_beat_t),
    .Depth(BufBeats)
  ) u_beats (
    .clk_i,
    .rst_i,
    .data_i    (mem_in),
    .valid_i   (beat_valid_i),
    .commit_i  (whole_i && beat_valid_i),
    .rollback_i(cut_i),
    .room_o    (unused_room),
    .overflow_o(overflow),
    .data_o    (mem),
    .valid_o   (mem_valid),
    .ready_i   (mem_pop),
    .count_o   (unused_beats)
  );

  assign pay_o = source.inl ?
      '{err: 1'b0, last: 1'b1, bytes: source.bytes, data: source.data}
      : '{err: 1'b0, last: mem.last, bytes: mem.bytes, data: mem.data};
  assign pay_valid_o = source_valid && (source.inl || mem_valid);
  assign mem_pop = source_valid && !source.inl && pay_ready_i;
  assign last_pop = source.inl || (mem_valid && mem.last);
  assign source_pop = pay_ready_i && last_pop;

  assign freed_o = {6'd0, mem_pop && mem_valid} + (cut_i && !inl_i ? cut_beats_i : 7'd0);
  assign quiet_o = !pkt_valid_o && !source_valid && !mem_valid && !beat_valid_i && !push_i && !cut_i;

  `PRIM_ASSERT(store_room, !overflow, "payload came without room reserved for it; a beat is lost")
  `PRIM_ASSERT(store_pkt, !push_i || ready_o, "a packet came without room in the queue; it is lost")

endmodule
