// SPDX-License-Identifier: Apache-2.0
// Sends each local update to every valid peer: one inline RPC verb a peer, one a cycle while the send queue takes them,
// lowest row first. The client's answer is given when the send queue has taken the last one. The first verb is offered 2
// cycles after the kernel's outcome; with no peer the answer is. Peer rows are read when a verb is made, so a row may change
// at any time. room_o: one more PUT may enter the kernel.
`include "prim_assert.svh"
module rdt_replicate
  import prim_pkg::*;
  import rdt_pkg::*;
  import roce_pkg::*;
#(
  parameter int unsigned MaxPeers = 31
) (
  input logic clk_i,
  input logic rst_i,

  // Registers: own id, and a write of a peer row
  input logic      [7:0] replica_i,
  input logic            peer_we_i,
  input logic      [7:0] peer_index_i,
  input rdt_peer_t       peer_i,

  // Outcome of a PUT in the kernel; always taken
  input  kv_done_t put_i,
  input  logic     put_valid_i,
  output logic     room_o,

  // Verbs
  output verb_t verb_o,
  output logic  verb_valid_o,
  input  logic  verb_ready_i,

  // Answer to the client
  output client_rsp_t rsp_o,
  output logic        rsp_valid_o,
  input  logic        rsp_ready_i,

  output logic quiet_o
);

  localparam int unsigned Depth = 4;
  localparam int unsigned PeerW = idx_width(MaxPeers);

  // active_q: the update at the head of the queue is being sent to the peers of todo_q; done: nothing is left of it.
  rdt_peer_t peers[MaxPeers];
  logic [MaxPeers-1:0] peer_valid_q, todo_q, todo, rest;
  logic active_q, head_valid, pop, take, out_valid_q, out_room, put_ready, rsp_valid_q, all_out;
  logic [PeerW-1:0] pick;
  kv_done_t head;
  rdt_peer_t peer, out_peer_q;
  op_record_t out_record_q;
  client_rsp_t rsp_q;
  logic [31:0] seq_q;
  logic [cnt_width(Depth)-1:0] count;

  prim_fifo #(
    .T    (kv_done_t),
    .Depth(Depth)
  ) u_puts (
    .clk_i,
    .rst_i,
    .data_i (put_i),
    .valid_i(put_valid_i),
    .ready_o(put_ready),
    .data_o (head),
    .valid_o(head_valid),
    .ready_i(pop),
    .count_o(count)
  );

  // A PUT taken now may follow one that is in the kernel: two places.
  assign room_o   = count <= ($bits(count))'(Depth - 2);

  assign todo     = active_q ? todo_q : peer_valid_q;
  assign out_room = !out_valid_q || verb_ready_i;
  assign take     = head_valid && todo != '0 && out_room;
  // The answer waits until the last verb is out, or leaves with it.
  assign all_out  = head_valid && todo == '0 && out_room;
  assign pop      = all_out && (!rsp_valid_q || rsp_ready_i);
  assign rest     = todo & (todo - 1'b1);
  assign peer     = peers[pick];

  always_comb begin
    pick = '0;
    for (int i = MaxPeers - 1; i >= 0; i--) if (todo[i]) pick = PeerW'(unsigned'(i));
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      active_q     <= 1'b0;
      todo_q       <= '0;
      out_valid_q  <= 1'b0;
      rsp_valid_q  <= 1'b0;
      seq_q        <= '0;
      peer_valid_q <= '0;
    end else begin
      if (peer_we_i) peer_valid_q[peer_index_i[PeerW-1:0]] <= peer_i.valid;
      if (pop) begin
        active_q <= 1'b0;
        seq_q    <= seq_q + 32'd1;
      end else if (take) begin
        active_q <= 1'b1;
      end
      if (take) todo_q <= rest;
      if (out_room) out_valid_q <= take;
      if (pop) rsp_valid_q <= 1'b1;
      else if (rsp_ready_i) rsp_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (peer_we_i) peers[peer_index_i[PeerW-1:0]] <= peer_i;
    if (pop) rsp_q <= '{tag: head.tag, status: ST_OK, value: 64'(head.row.ts)};
    if (take) begin
      out_peer_q <= peer;
      out_record_q <= '{
          valid: 8'd1,
          rsv2: '0,
          ts: 64'(head.row.ts),
          value: head.row.value,
          key: 64'(head.key),
          rsv: '0,
          len: 16'd24,
          proposal: '0,
          seq: seq_q,
          src: replica_i,
          group: 8'd0,
          opcode: KV_PUT,
          kind: KIND_KV
      };
    end
  end

  assign verb_valid_o = out_valid_q;
  assign rsp_valid_o = rsp_valid_q;
  assign rsp_o = rsp_q;
  assign verb_o = '{
          op: VERB_WRITE,
          qpn: out_peer_q.qpn,
          signaled: 1'b0,
          solicited: 1'b0,
          has_imm: 1'b0,
          imm: '0,
          wr_id: 32'd1 << WR_UPDATE_BIT,
          inl: 1'b1,
          len: 32'd64,
          laddr: '0,
          raddr: {CLASS_RPC, 60'd0},
          rkey: out_peer_q.rkey,
          data: out_record_q
      };
  assign quiet_o = !put_valid_i && !head_valid && !out_valid_q && !rsp_valid_q && !peer_we_i;

  `PRIM_ASSERT_STREAM(replicate_verb, verb_valid_o, verb_ready_i, verb_o)
  `PRIM_ASSERT_STREAM(replicate_rsp, rsp_valid_o, rsp_ready_i, rsp_o)
  `PRIM_ASSERT(replicate_room, !put_valid_i || put_ready, "the outcome of a PUT found no room")
  `PRIM_ASSERT(replicate_peer, !peer_we_i || peer_index_i < 8'(MaxPeers), "a peer row outside the table was written")

endmodule
