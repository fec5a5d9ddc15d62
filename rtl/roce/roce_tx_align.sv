// SPDX-License-Identifier: Apache-2.0
// Receives the payload of packets, in order, and rotates it so that each packet's first byte is byte 0 of a beat.
//
// One source beat in, one payload beat out a cycle; the last beat of one packet and the first of the next overlap.
// Latency 2 from the R beat that completes a payload beat. Inline payload and packets without payload pass in the cycle
// in which their descriptor arrives, once everything before has left.
// Contract: beat_o / beat_valid_o are payload beats from memory, last marks the end of the packet; with it comes either
// done_o (the packet is whole) or drop_o (a read failed, or its ring slot holds no good copy). Packets that are inline or
// empty come as done_o without a beat, payload in inl_data_o.
// beat_ready_i: the payload stage may move: room in the ring's write queue (for ring_we packets).
// pkt_ready_i: one more packet can be queued.
`include "prim_assert.svh"
module roce_tx_align
  import axis_pkg::*;
  import roce_pkg::*;
(
  input logic clk_i,
  input logic rst_i,

  // From roce_tx_fetch
  input  tx_desc_t desc_i,
  input  logic     desc_valid_i,
  output logic     desc_ready_o,

  // Read data
  input  axi_r_t hbm_r_i,
  input  logic   hbm_r_valid_i,
  output logic   hbm_r_ready_o,
  input  axi_r_t host_r_i,
  input  logic   host_r_valid_i,
  output logic   host_r_ready_o,

  // Payload beats to the payload buffer
  output axis_beat_t beat_o,
  output logic       beat_valid_o,

  // Packets to the packet queue; inline payload with them
  output tx_pkt_t         pkt_o,
  output logic            inl_o,
  output logic    [511:0] inl_data_o,
  output logic            done_o,
  output logic            drop_o,
  input  logic            pkt_ready_i,

  // Ring: the same beats, to be stored; look-up of the slot's state (answer one cycle later, held)
  output axis_beat_t        ring_beat_o,
  output logic              ring_valid_o,
  output logic       [51:0] ring_page_o,
  output logic              ring_drop_o,
  input  logic              ring_room_i,
  output logic              ring_look_o,
  output logic       [51:0] ring_look_page_o,
  input  logic              ring_bad_i,

  output logic quiet_o
);

  // The packet whose beats are being received.
  logic ctx_valid_q, ctx_host_q, ctx_we_q, ctx_rd_q, err_q;
  logic [5:0] ctx_offset_q;
  logic [51:0] ctx_page_q;
  tx_pkt_t ctx_pkt_q;
  logic [6:0] in_left_q, out_left_q;  // source beats to come; payload beats to emit (at least 1)
  logic [511:0] cur_q;  // the newest source beat

  // The payload stage.
  logic al_valid_q, al_we_q, al_drop_q, moved_q;
  axis_beat_t al_q;
  tx_pkt_t al_pkt_q;
  logic [51:0] al_page_q;

  logic head_mem, direct, take_direct;
  logic [12:0] head_span;
  logic [6:0] head_in, head_out;
  logic al_take, al_ready;
  logic can_cont, flush, can_start, start, cont, emit, finish, use_host, r_valid, r_take, bad_now;
  axi_r_t r;
  logic [6:0] last_bytes, emit_bytes;

  // ---- The head of the queue ---------------------------------------------------------------------------------------------
  assign head_mem         = desc_i.src inside {SRC_HBM, SRC_HOST};
  assign head_span        = desc_i.pkt.hdr.len + {7'd0, desc_i.offset};
  assign head_in          = head_span[12:6] + {6'd0, head_span[5:0] != '0};
  assign head_out         = desc_i.pkt.hdr.len[12:6] + {6'd0, desc_i.pkt.hdr.len[5:0] != '0};

  assign direct           = desc_valid_i && !head_mem && !ctx_valid_q && !al_valid_q;
  assign take_direct      = direct && pkt_ready_i && (!desc_i.ring_we || ring_room_i);
  assign desc_ready_o     = take_direct || start;

  // ---- Receive: continue the packet, emit its last beat from what is here, or start the next packet -------------------------
  assign al_take          = al_valid_q && (!al_we_q || ring_room_i) && (!al_q.last || pkt_ready_i);
  assign al_ready         = !al_valid_q || al_take;
  assign flush            = ctx_valid_q && (in_left_q == '0) && al_ready;
  assign can_cont         = ctx_valid_q && (in_left_q != '0) && al_ready;
  assign can_start        = (!ctx_valid_q || flush) && desc_valid_i && head_mem;

  assign use_host         = can_start ? (desc_i.src == SRC_HOST) : ctx_host_q;
  assign r_valid          = use_host ? host_r_valid_i : hbm_r_valid_i;
  assign r                = use_host ? host_r_i : hbm_r_i;
  assign r_take           = (can_cont || can_start) && r_valid;
  assign cont             = can_cont && r_valid;
  assign start            = can_start && r_valid;
  assign emit             = flush || cont;
  assign finish           = emit && (out_left_q == 7'd1);
  assign bad_now          = err_q || (cont && r.resp[1]) || (ctx_rd_q && ring_bad_i);

  assign hbm_r_ready_o    = (can_cont || can_start) && !use_host;
  assign host_r_ready_o   = (can_cont || can_start) && use_host;

  assign ring_look_o      = start;
  assign ring_look_page_o = desc_i.ring_page;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ctx_valid_q <= 1'b0;
      al_valid_q  <= 1'b0;
    end else begin
      if (start) ctx_valid_q <= 1'b1;
      else if (finish) ctx_valid_q <= 1'b0;
      if (al_ready) al_valid_q <= emit;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      ctx_pkt_q    <= desc_i.pkt;
      ctx_host_q   <= desc_i.src == SRC_HOST;
      ctx_offset_q <= desc_i.offset;
      ctx_we_q     <= desc_i.ring_we;
      ctx_rd_q     <= desc_i.ring_rd;
      ctx_page_q   <= desc_i.ring_page;
      in_left_q    <= head_in - 7'd1;
      out_left_q   <= head_out;
      err_q        <= r.resp[1];
    end else begin
      if (cont) begin
        in_left_q <= in_left_q - 7'd1;
        err_q     <= err_q || r.resp[1];
      end
      if (emit) out_left_q <= out_left_q - 7'd1;
    end
    if (r_take) cur_q <= r.data;
  end

  // ---- Rotate ------------------------------------------------------------------------------------------------------------
  assign last_bytes = (ctx_pkt_q.hdr.len[5:0] == '0) ? 7'd64 : {1'b0, ctx_pkt_q.hdr.len[5:0]};
  assign emit_bytes = finish ? last_bytes : 7'd64;

  always_ff @(posedge clk_i) begin
    if (emit) begin
      logic [1023:0] pair;
      logic [ 511:0] data;
      pair = {flush ? 512'd0 : r.data, cur_q};
      data = pair[{1'b0, ctx_offset_q, 3'd0}+:512];
      if (finish) data = first_bytes(data, last_bytes);
      al_q    <= '{err: 1'b0, last: finish, bytes: emit_bytes, data: data};
      al_we_q <= ctx_we_q;
    end
    if (finish) begin
      al_pkt_q  <= ctx_pkt_q;
      al_page_q <= ctx_page_q;
      al_drop_q <= bad_now;
    end
  end

  // ---- Hand over -----------------------------------------------------------------------------------------------------------
  assign beat_o = al_q;
  assign beat_valid_o = al_take;
  assign done_o = take_direct || (al_take && al_q.last && !al_drop_q);
  assign drop_o = al_take && al_q.last && al_drop_q;
  assign pkt_o = al_valid_q ? al_pkt_q : desc_i.pkt;
  assign inl_o = !al_valid_q;
  assign inl_data_o = desc_i.data;

  assign ring_valid_o = (al_take && al_we_q) || (take_direct && desc_i.ring_we);
  assign ring_beat_o = al_valid_q ? al_q : '{
          err: 1'b0,
          last: 1'b1,
          bytes: desc_i.pkt.hdr.len[6:0],
          data: desc_i.data
      };
  assign ring_page_o = al_valid_q ? al_page_q : desc_i.ring_page;
  assign ring_drop_o = al_valid_q && al_drop_q;

  // Nothing moves without read data: waiting for it is quiet, but not in the cycle after a beat was stored (a write of a
  // memory settles in the simulator's state one evaluation later).
  always_ff @(posedge clk_i) begin
    if (rst_i) moved_q <= 1'b0;
    else moved_q <= al_take;
  end

  assign quiet_o = !moved_q && !al_valid_q && !direct && !hbm_r_valid_i && !host_r_valid_i &&
                   !(ctx_valid_q && in_left_q == '0);

  `PRIM_ASSERT(align_last, !(cont && in_left_q == 7'd1) || r.last, "the last beat of a read is not marked last")

endmodule
