// SPDX-License-Identifier: Apache-2.0
// Takes RoCE frames apart: checks ICRC, P_Key, TVer and every length, shifts the payload to byte 0 and hands both on.
// Contract: payload beats of a frame come first; in the one cycle of commit_o (stored) or rollback_o (dropped and counted)
// the frame ends, and its last payload beat comes in that cycle or before. Requests and responses go two ways: pay_rsp_o
// and end_rsp_o say which; with commit_o, desc_o goes to the responder's queue (to_req_o) or to the requester's (to_rsp_o).
// Latency: commit 3 cycles after the last beat. One beat a cycle; no back-pressure: what does not fit is dropped whole.
// Bad input: exactly one drop counter per frame. Opcodes that are not RC go on without payload; the responder counts them.
`include "prim_assert.svh"
module roce_rx_parse
  import axis_pkg::*;
  import net_pkg::*;
  import roce_pkg::*;
  import roce_rx_pkg::*;
  import roce_wire_pkg::*;
(
  input logic clk_i,
  input logic rst_i,
  input logic icrc_check_i,

  // From net_rx
  input net_rx_beat_t net_i,
  input logic         net_valid_i,

  // Payload beats and descriptor
  output logic     [511:0] pay_o,
  output logic             pay_rsp_o,
  output logic             pay_valid_o,
  input  logic             pay_overflow_i,
  output logic             commit_o,
  output logic             rollback_o,
  output logic             end_rsp_o,
  output rx_desc_t         desc_o,
  output logic             to_req_o,
  input  logic             req_room_i,
  output logic             to_rsp_o,
  input  logic             rsp_room_i,

  output roce_rx_stats_t stats_o,
  output logic           quiet_o
);


  typedef struct packed {
    l4_hdr_t     l4;
    bth_t        bth;
    logic [79:0] ext;  // the ten bytes of extension header in the first beat
  } first_beat_t;

  // Payload starts at byte 54 + ext_bytes: the cases of opcodes that carry payload.
  typedef enum logic [2:0] {
    OFS_54 = 3'd0,
    OFS_58 = 3'd1,
    OFS_62 = 3'd2,
    OFS_66 = 3'd4,  // from here on the payload starts in the second beat
    OFS_70 = 3'd5,
    OFS_74 = 3'd6
  } ofs_e;

  function automatic logic [511:0] take(input logic [511:0] next, input logic [511:0] prev, input ofs_e ofs);
    unique case (ofs)
      OFS_54:  return {next[8*54-1:0], prev[511:8*54]};
      OFS_58:  return {next[8*58-1:0], prev[511:8*58]};
      OFS_62:  return {next[8*62-1:0], prev[511:8*62]};
      OFS_66:  return {next[8*2-1:0], prev[511:8*2]};
      OFS_70:  return {next[8*6-1:0], prev[511:8*6]};
      default: return {next[8*10-1:0], prev[511:8*10]};
    endcase
  endfunction

  // ---- Stage 1: the beat, its frame's headers, the CRC -------------------------------------------------------------

  logic take_in, v1_q, crc_good;
  net_rx_beat_t b1_q;
  logic [1:0] idx1_q;  // 0, 1, 2: beat number, 2 for all later ones
  first_beat_t hdr_q;
  logic [143:0] ext_tail_q;  // bytes 64..81

  assign take_in = net_valid_i && net_i.kind == KIND_ROCE;

  roce_rx_crc u_crc (
    .clk_i,
    .valid_i(take_in),
    .sop_i  (net_i.sop),
    .bytes_i(net_i.bytes),
    .data_i (net_i.data),
    .good_o (crc_good)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) v1_q <= 1'b0;
    else v1_q <= take_in;
  end

  always_ff @(posedge clk_i) begin
    if (take_in) begin
      b1_q <= net_i;
      if (net_i.sop) begin
        idx1_q <= 2'd0;
        hdr_q  <= wire_order(net_i.data);
      end else begin
        idx1_q <= idx1_q[1] ? idx1_q : idx1_q + 2'd1;
        if (idx1_q == 2'd0) begin
          for (int unsigned i = 0; i < 18; i++) ext_tail_q[8*(17-i)+:8] <= net_i.data[8*i+:8];
        end
      end
    end
  end

  // Lengths. total_len is checked against the bytes that came when the frame ends.
  op_shape_t shape;
  logic signed [16:0] rest;  // payload and pad
  logic [16:0] count1, count_q;
  logic [12:0] len;
  logic hdr_ok, len_ok, long_enough;
  ofs_e ofs;

  assign shape = op_shape(hdr_q.bth.opcode);
  assign rest = signed'({1'b0, hdr_q.l4.ip.total_len}) -
      signed'(17'(IPV4_BYTES + UDP_BYTES + BTH_BYTES + ICRC_BYTES) + 17'(shape.ext_bytes));
  assign len = rest[12:0] - 13'(hdr_q.bth.padcnt);
  always_comb begin
    unique case (shape.ext_bytes)
      5'd0: ofs = OFS_54;
      5'd4: ofs = OFS_58;
      5'd8: ofs = OFS_62;
      5'd12: ofs = OFS_66;
      5'd16: ofs = OFS_70;
      default: ofs = OFS_74;
    endcase
  end

  // Of a packet with an unknown opcode only BTH and ICRC can be checked.
  assign len_ok = !rest[16] && (!shape.known || (rest[1:0] == 2'd0 && rest >= signed'(17'(hdr_q.bth.padcnt)) &&
      rest <= 17'sd4096 && (shape.payload || rest == '0)));
  assign hdr_ok = hdr_q.bth.tver == '0 && hdr_q.bth.pkey[14:0] == 15'h7FFF && len_ok;

  assign count1 = (b1_q.sop ? '0 : count_q) + 17'(b1_q.bytes);
  assign long_enough = count1 >= 17'(L4_BYTES + BTH_BYTES + ICRC_BYTES);

  // ---- Payload: beats still to hand on; one beat of the old frame may follow its last beat ---------------------------

  logic [6:0] left_q, left_now, beats;
  logic emit, flush_q;
  ofs_e flush_ofs_q;
  logic [511:0] prev_q, pay_q;
  logic pay_valid_q, pay_rsp_q, flush_rsp_q;

  assign beats    = (hdr_ok && shape.known) ? 7'((len + 13'd63) >> 6) : '0;
  assign left_now = idx1_q == 2'd0 ? beats : left_q;
  assign emit     = v1_q && left_now != '0 && (ofs[2] ? idx1_q[1] : idx1_q != 2'd0);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      flush_q     <= 1'b0;
      pay_valid_q <= 1'b0;
    end else begin
      flush_q     <= v1_q && b1_q.eop && left_now != 7'(emit);
      pay_valid_q <= emit || flush_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (v1_q) begin
      left_q      <= left_now - 7'(emit);
      count_q     <= count1;
      prev_q      <= b1_q.data;
      flush_ofs_q <= ofs;
      flush_rsp_q <= is_response(hdr_q.bth.opcode);
    end
    pay_rsp_q <= flush_q ? flush_rsp_q : is_response(hdr_q.bth.opcode);
    if (emit) pay_q <= take(b1_q.data, prev_q, ofs);
    else if (flush_q) pay_q <= take('0, prev_q, flush_ofs_q);
  end

  assign pay_o       = pay_q;
  assign pay_rsp_o   = pay_rsp_q;
  assign pay_valid_o = pay_valid_q;

  // ---- End of frame: verdict two cycles after the last beat, when the last payload beat is written -----------------

  typedef struct packed {
    logic     silent;  // refused before, counted there
    logic     crc_ok;
    logic     hdr_ok;
    logic     runt;    // no room for BTH and ICRC
    logic     known;
    rx_desc_t desc;
  } end_t;

  logic e2_valid_q, e3_valid_q, overflow_q, fits, stored;
  end_t e2_q, e3_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      e2_valid_q <= 1'b0;
      e3_valid_q <= 1'b0;
      overflow_q <= 1'b0;
    end else begin
      e2_valid_q <= v1_q && b1_q.eop;
      e3_valid_q <= e2_valid_q;
      if (e3_valid_q) overflow_q <= 1'b0;
      else if (pay_overflow_i) overflow_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (v1_q && b1_q.eop) begin
      e2_q.silent      <= b1_q.bad;
      e2_q.crc_ok      <= crc_good || !icrc_check_i;
      e2_q.hdr_ok      <= hdr_ok && count1 == 17'(hdr_q.l4.ip.total_len) + 17'(ETH_BYTES);
      e2_q.runt        <= !long_enough;
      e2_q.known       <= shape.known;
      e2_q.desc.bth    <= hdr_q.bth;
      e2_q.desc.ext    <= {hdr_q.ext, ext_tail_q};
      e2_q.desc.ce     <= hdr_q.l4.ip.tos[1:0] == 2'b11;
      e2_q.desc.src_ip <= hdr_q.l4.ip.src;
      e2_q.desc.len    <= shape.known ? len : '0;
    end
    if (e2_valid_q) e3_q <= e2_q;
  end

  assign end_rsp_o  = is_response(e3_q.desc.bth.opcode);
  assign fits       = !overflow_q && !pay_overflow_i && (end_rsp_o ? rsp_room_i : req_room_i);
  assign stored     = e3_valid_q && !e3_q.silent && !e3_q.runt && e3_q.crc_ok && e3_q.hdr_ok && fits;

  assign commit_o   = stored;
  assign rollback_o = e3_valid_q && !stored;
  assign desc_o     = e3_q.desc;
  assign to_rsp_o   = stored && end_rsp_o;
  assign to_req_o   = stored && !end_rsp_o;

  always_comb begin
    stats_o = '0;
    stats_o.pkts = stored && e3_q.known;
    if (rollback_o && !e3_q.silent) begin
      if (e3_q.runt) stats_o.drop_hdr = 1'b1;
      else if (!e3_q.crc_ok) stats_o.drop_icrc = 1'b1;
      else if (!e3_q.hdr_ok) stats_o.drop_hdr = 1'b1;
      else stats_o.drop_fifo = 1'b1;
    end
  end

  assign quiet_o = !net_valid_i && !v1_q && !flush_q && !pay_valid_q && !e2_valid_q && !e3_valid_q;

  `PRIM_ASSERT(one_source, !(emit && flush_q), "two frames want to write payload in one cycle")
  `PRIM_ASSERT(frame_bounds, take_in && net_i.sop -> !v1_q || b1_q.eop, "a frame starts inside another one")

endmodule
