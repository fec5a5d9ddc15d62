// SPDX-License-Identifier: Apache-2.0
// Header and payload into the beats of a frame, with four zero bytes where the ICRC will stand.
//
// Ethernet (destination from the neighbour row), IPv4 (TOS 2: ECT(0), so that a switch may mark; CNPs have a TOS of their
// own; id 0, DF, TTL 64), UDP (checksum 0), BTH (MigReq 1, P_Key FFFF) and as much of the extension headers as the opcode
// has. Headers are 54 to 82 bytes, up to 64 in one beat, else in two; the payload is moved behind them by a constant
// shift that the header length selects. A CNP is a header only: its 16 zero bytes are the extension.
// Latency 3 from pkt_i to the first beat. Back to back: no cycle is lost between frames, one-beat frames included.
// Contract: a frame starts only when its payload's first beat waits, and payload then comes a beat a cycle, so there is
// no gap inside a frame. A packet marked gone is taken without a frame. Invalid neighbour row: the packet is dropped, its payload taken, drop_neigh_o pulses.
// neigh_i: the row one cycle after neigh_re_o, held until the next.
// out_split_o: the last two bytes of this beat are the first two of the ICRC (frame lengths are 2 modulo 4).
`include "prim_assert.svh"
module roce_tx_build
  import axis_pkg::*;
  import net_pkg::*;
  import roce_pkg::*;
  import roce_wire_pkg::*;
#(
  parameter logic [7:0] CnpTos = 8'hC2  // DSCP 48, ECT(0)
) (
  input logic clk_i,
  input logic rst_i,

  // This node's addresses
  input net_cfg_t net_cfg_i,

  // Packets and their payload
  input  tx_pkt_t    pkt_i,
  input  logic       pkt_valid_i,
  output logic       pkt_ready_o,
  input  axis_beat_t pay_i,
  input  logic       pay_valid_i,
  output logic       pay_ready_o,

  // Neighbour table
  output logic             neigh_re_o,
  output logic       [7:0] neigh_idx_o,
  input  net_neigh_t       neigh_i,

  // Frame beats
  output axis_beat_t out_o,
  output logic       out_first_o,
  output logic       out_split_o,
  output logic       out_valid_o,
  input  logic       out_ready_i,

  // Event pulses: a frame begins (by kind), a packet is dropped
  output logic sent_new_o,
  output logic sent_rsp_o,
  output logic sent_cnp_o,
  output logic sent_retry_o,
  output logic sent_ack_o,
  output logic drop_neigh_o,
  output logic quiet_o
);

  localparam logic [7:0] IP_TOS = 8'h02;
  localparam logic [7:0] IP_TTL = 8'd64;

  localparam int unsigned HDR_BYTES = L4_BYTES + BTH_BYTES;  // 54
  localparam int unsigned TAIL_BYTES = HDR_BYTES + ATOMIC_ETH_BYTES - 64;  // 18

  // Header lengths: 54 and the extension headers. From 66 on the header is one beat alone and a tail.
  typedef enum logic [2:0] {
    Hdr54 = 3'd0,  // nothing
    Hdr58 = 3'd1,  // AETH, or ImmDt
    Hdr62 = 3'd2,  // DETH
    Hdr66 = 3'd4,  // DETH and ImmDt, or AETH and AtomicAckETH
    Hdr70 = 3'd5,  // RETH, or a CNP's zeros
    Hdr74 = 3'd6,  // RETH and ImmDt
    Hdr82 = 3'd7   // AtomicETH
  } hdr_class_e;

  function automatic hdr_class_e class_of(input logic [7:0] opcode);
    unique case (opcode)
      OP_SEND_LAST_IMM, OP_SEND_ONLY_IMM, OP_WRITE_LAST_IMM, OP_READ_RESP_FIRST, OP_READ_RESP_LAST, OP_READ_RESP_ONLY,
      OP_ACK:
      return Hdr58;
      OP_UD_SEND_ONLY: return Hdr62;
      OP_UD_SEND_ONLY_IMM, OP_ATOMIC_ACK: return Hdr66;
      OP_WRITE_FIRST, OP_WRITE_ONLY, OP_READ_REQUEST, OP_CNP: return Hdr70;
      OP_WRITE_ONLY_IMM: return Hdr74;
      OP_CMP_SWAP, OP_FETCH_ADD: return Hdr82;
      default: return Hdr54;
    endcase
  endfunction

  function automatic logic [12:0] header_bytes(input hdr_class_e cls);
    unique case (cls)
      Hdr58:   return 13'(HDR_BYTES + 4);
      Hdr62:   return 13'(HDR_BYTES + 8);
      Hdr66:   return 13'(HDR_BYTES + 12);
      Hdr70:   return 13'(HDR_BYTES + 16);
      Hdr74:   return 13'(HDR_BYTES + 20);
      Hdr82:   return 13'(HDR_BYTES + 28);
      default: return 13'(HDR_BYTES);
    endcase
  endfunction

  // The beat that begins in `prev` where the payload of `next` would be cut off by the header.
  function automatic logic [511:0] place(input hdr_class_e cls, input logic [511:0] next, input logic [511:0] prev);
    unique case (cls)
      Hdr58:   return {next[8*6-1:0], prev[511:8*6]};
      Hdr62:   return {next[8*2-1:0], prev[511:8*2]};
      Hdr66:   return {next[8*62-1:0], prev[511:8*62]};
      Hdr70:   return {next[8*58-1:0], prev[511:8*58]};
      Hdr74:   return {next[8*54-1:0], prev[511:8*54]};
      Hdr82:   return {next[8*46-1:0], prev[511:8*46]};
      default: return {next[8*10-1:0], prev[511:8*10]};
    endcase
  endfunction

  // The bytes of the header behind the 64th at the end of a beat.
  function automatic logic [511:0] at_end(input hdr_class_e cls, input logic [8*TAIL_BYTES-1:0] tail);
    unique case (cls)
      Hdr66:   return {tail[15:0], 496'd0};
      Hdr70:   return {tail[47:0], 464'd0};
      Hdr74:   return {tail[79:0], 432'd0};
      default: return {tail, 368'd0};
    endcase
  endfunction

  // ---- First stage: the neighbour row is being read --------------------------------------------------------------------
  tx_pkt_t look_q;
  logic look_valid_q, look_move;

  // ---- Second stage: headers assembled, beats leave ----------------------------------------------------------------------
  typedef struct packed {
    hdr_class_e cls;
    logic drop;
    logic retry;
    logic ack;
    logic rsp;
    logic cnp;
    logic gone;
    logic [511:0] head;  // the first 64 bytes of a long header; a short one in the last bytes of a beat
    logic [8*TAIL_BYTES-1:0] tail;  // header bytes 64..81, the first lowest
    logic [5:0] last_bytes;
  } frame_t;

  frame_t frame_new, frame_q;
  logic [6:0] beats_new, pay_new;  // of the frame, of its payload
  logic frame_valid_q, first_q, done;
  logic [6:0] beats_left_q, pay_left_q;
  logic [511:0] prev_q;
  logic out_free, step, needs_pay, head_alone, last, begins;
  axis_beat_t out_q;
  logic out_first_q, out_split_q, out_valid_q;

  assign pkt_ready_o = !look_valid_q || look_move;
  assign neigh_re_o  = pkt_valid_i && pkt_ready_o;
  assign neigh_idx_o = pkt_i.hdr.neigh;
  assign look_move   = look_valid_q && (!frame_valid_q || done);

  always_ff @(posedge clk_i) begin
    if (rst_i) look_valid_q <= 1'b0;
    else if (pkt_ready_o) look_valid_q <= pkt_valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (neigh_re_o) look_q <= pkt_i;
  end

  // ---- Assembly ------------------------------------------------------------------------------------------------------------
  always_comb begin
    hdr_class_e cls;
    logic [12:0] len, padded, total;
    l4_hdr_t l4;
    bth_t bth;
    logic cnp;
    logic [511:0] hdr;  // the first 64 bytes
    cnp = look_q.hdr.opcode == OP_CNP;
    cls = class_of(look_q.hdr.opcode);
    len = look_q.hdr.len;
    padded = {len[12:2] + {10'd0, len[1:0] != '0}, 2'd0};
    total = header_bytes(cls) + padded + 13'(ICRC_BYTES);

    l4 = '0;
    l4.eth = '{dst: neigh_i.mac, src: net_cfg_i.mac, ethertype: ETHERTYPE_IPV4};
    l4.ip = '{
        version: 4'd4,
        ihl: 4'd5,
        tos: cnp ? CnpTos : IP_TOS,
        total_len: {3'd0, total - 13'(ETH_BYTES)},
        id: '0,
        flags: 3'b010,
        frag_ofs: '0,
        ttl: IP_TTL,
        proto: IP_PROTO_UDP,
        csum: '0,
        src: net_cfg_i.ip,
        dst: neigh_i.ip
    };
    l4.ip.csum = ~ipv4_sum(l4.ip);
    l4.udp = '{
        sport: look_q.hdr.sport,
        dport: UDP_PORT_ROCE,
        len: {3'd0, total - 13'(ETH_BYTES + IPV4_BYTES)},
        csum: '0
    };
    bth = '{
        opcode: look_q.hdr.opcode,
        se: look_q.hdr.se,
        migreq: 1'b1,
        padcnt: 2'd0 - len[1:0],
        tver: '0,
        pkey: 16'hFFFF,
        fecn: 1'b0,
        becn: cnp,
        rsv6: '0,
        dest_qpn: look_q.hdr.dest_qpn,
        ackreq: look_q.hdr.ackreq,
        rsv7: '0,
        psn: look_q.hdr.psn
    };

    frame_new = '0;
    frame_new.cls = cls;
    frame_new.drop = look_q.gone || !neigh_i.valid;
    frame_new.gone = look_q.gone;
    frame_new.retry = look_q.retry;
    frame_new.ack = look_q.hdr.opcode == OP_ACK;
    frame_new.rsp = is_response(look_q.hdr.opcode) && !frame_new.ack;
    frame_new.cnp = cnp;
    beats_new = total[12:6] + 7'd1;  // total is never a multiple of 64
    pay_new = len[12:6] + {6'd0, len[5:0] != '0};
    frame_new.last_bytes = total[5:0];
    hdr = {l4, bth, look_q.hdr.ext[223-:80]};
    unique case (cls)
      Hdr54:   frame_new.head = wire_order({80'd0, hdr[511-:432]});
      Hdr58:   frame_new.head = wire_order({48'd0, hdr[511-:464]});
      Hdr62:   frame_new.head = wire_order({16'd0, hdr[511-:496]});
      default: frame_new.head = wire_order(hdr);
    endcase
    for (int unsigned i = 0; i < TAIL_BYTES; i++) frame_new.tail[8*i+:8] = look_q.hdr.ext[8*(TAIL_BYTES-1-i)+:8];
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      frame_valid_q <= 1'b0;
      first_q       <= 1'b1;
    end else begin
      if (look_move) frame_valid_q <= 1'b1;
      else if (done) frame_valid_q <= 1'b0;
      if (look_move) first_q <= 1'b1;
      else if (step) first_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (look_move) begin
      frame_q      <= frame_new;
      beats_left_q <= beats_new;
      pay_left_q   <= pay_new;
    end else if (step) begin
      beats_left_q <= beats_left_q - 7'd1;
      if (needs_pay) pay_left_q <= pay_left_q - 7'd1;
    end
  end

  // ---- Beats -----------------------------------------------------------------------------------------------------------------
  assign out_free    = frame_q.drop || !out_valid_q || out_ready_i;
  assign head_alone  = first_q && frame_q.cls[2] && !frame_q.drop;
  assign needs_pay   = (pay_left_q != '0) && !head_alone;
  assign step        = frame_valid_q && out_free && (pay_left_q == '0 || pay_valid_i);
  assign last        = beats_left_q == 7'd1;
  assign done        = step && (frame_q.drop ? pay_left_q <= 7'd1 : last);

  assign pay_ready_o = frame_valid_q && out_free && needs_pay;

  always_ff @(posedge clk_i) begin
    if (rst_i) out_valid_q <= 1'b0;
    else if (step && !frame_q.drop) out_valid_q <= 1'b1;
    else if (out_ready_i) out_valid_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (step && !frame_q.drop) begin
      logic [511:0] next, data;
      next = needs_pay ? pay_i.data : 512'd0;
      if (head_alone) begin
        data = frame_q.head;
        prev_q <= at_end(frame_q.cls, frame_q.tail);
      end else begin
        data = place(frame_q.cls, next, first_q ? frame_q.head : prev_q);
        prev_q <= next;
      end
      out_q       <= '{err: 1'b0, last: last, bytes: last ? {1'b0, frame_q.last_bytes} : 7'd64, data: data};
      out_first_q <= first_q;
      out_split_q <= (beats_left_q == 7'd2) && (frame_q.last_bytes == 6'd2);
    end
  end

  assign out_o        = out_q;
  assign out_first_o  = out_first_q;
  assign out_split_o  = out_split_q;
  assign out_valid_o  = out_valid_q;

  assign begins       = step && first_q && !frame_q.drop;
  assign sent_new_o   = begins && !frame_q.retry && !frame_q.ack && !frame_q.rsp && !frame_q.cnp;
  assign sent_rsp_o   = begins && !frame_q.retry && frame_q.rsp;
  assign sent_cnp_o   = begins && !frame_q.retry && frame_q.cnp;
  assign sent_retry_o = begins && frame_q.retry;
  assign sent_ack_o   = begins && !frame_q.retry && frame_q.ack;
  assign drop_neigh_o = done && frame_q.drop && !frame_q.gone;
  assign quiet_o      = !pkt_valid_i && !pay_valid_i && !look_valid_q && !frame_valid_q && !out_valid_q;

  `PRIM_ASSERT_STREAM(build_out, out_valid_o, out_ready_i, out_o)
  `PRIM_ASSERT(build_gap, !(frame_valid_q && !first_q && pay_left_q != '0) || pay_valid_i,
               "payload is missing inside a frame; the MAC would underrun")

endmodule
