// SPDX-License-Identifier: Apache-2.0
// The rules of a responder for one packet: what happens to the payload, the QP's row and the peer.
// Combinational; stage 2 of roce_responder. Order: QP, peer and service (dropped), PSN, opcode sequence and lengths
// (NAK 0x61), permission (NAK 0x62), receive buffer (RNR NAK, NAK 0x63). A refused packet changes nothing but the two error
// marks: nak_sent after a gap, `fail` for good. An RNR NAK ends the silence after a gap, as Linux does.
module roce_responder_rules
  import roce_pkg::*;
  import roce_rx_pkg::*;
  import roce_wire_pkg::*;
(
  input logic      valid_i,
  input resp_pkt_t pkt_i,
  input resp_row_t row_i,
  input logic      failed_i,  // this QP failed before, here or at the requester
  input rd_no_t    rd_no_i,   // of the next READ or atomic

  output resp_verdict_t verdict_o
);

  logic signed [23:0] ahead;
  logic write, send, query, in_sequence, invalid, needs_buffer;

  assign ahead        = psn_diff(pkt_i.psn, row_i.epsn);
  assign write        = pkt_i.op.kind == REQ_WRITE;
  assign send         = pkt_i.op.kind == REQ_SEND;
  assign query        = pkt_i.op.kind == REQ_READ || pkt_i.op.kind == REQ_ATOMIC;
  assign in_sequence  = pkt_i.op.first != row_i.active && (pkt_i.op.first || row_i.send == send);
  assign invalid      = !in_sequence || !pkt_i.shape_ok;
  assign needs_buffer = send || (write && pkt_i.op.imm);

  always_comb begin
    verdict_o           = '0;
    verdict_o.row       = row_i;
    verdict_o.target    = RX_DROP;
    verdict_o.ack_msn   = row_i.msn;
    verdict_o.rq_status = CPL_OK;
    if (!valid_i) begin
      verdict_o = '0;
    end else if (pkt_i.op.kind == REQ_NONE) begin
      verdict_o.stats.drop_op = 1'b1;
    end else if (!pkt_i.qp_ok || failed_i) begin
      verdict_o.stats.drop_qp = 1'b1;
    end else if (!pkt_i.peer_ok) begin
      verdict_o.stats.drop_peer = 1'b1;
    end else if (!pkt_i.svc_ok) begin
      verdict_o.stats.drop_op = 1'b1;
    end else if (pkt_i.op.kind == REQ_CNP) begin
      verdict_o.stats.cnp = 1'b1;
    end else if (pkt_i.op.kind == REQ_UD) begin
      if (!pkt_i.qkey_ok) begin
        verdict_o.stats.drop_peer = 1'b1;
      end else if (!pkt_i.shape_ok || !pkt_i.rq_ok || !pkt_i.rq_fits) begin
        verdict_o.stats.drop_rq = 1'b1;
      end else begin
        verdict_o.target   = pkt_i.target;
        verdict_o.rq_pop   = 1'b1;
        verdict_o.stats.ud = 1'b1;
      end
    end else if (ahead > 0) begin
      // Lost packets: ask once for the first of them.
      verdict_o.ack           = !row_i.nak_sent;
      verdict_o.ack_psn       = row_i.epsn;
      verdict_o.ack_syndrome  = SYN_NAK_SEQ;
      verdict_o.row.nak_sent  = 1'b1;
      verdict_o.row_we        = !row_i.nak_sent;
      verdict_o.stats.nak_seq = !row_i.nak_sent;
    end else if (ahead < 0) begin
      // The answer may have been lost: give it again. roce_rd knows what it was to a READ or an atomic; whether a READ is
      // permitted now is known here.
      verdict_o.rd           = query && (pkt_i.op.kind == REQ_ATOMIC || pkt_i.access_ok);
      verdict_o.rd_dup       = 1'b1;
      verdict_o.row_we       = verdict_o.rd;
      verdict_o.ack          = !query;
      verdict_o.ack_psn      = row_i.epsn - 24'd1;
      verdict_o.ack_syndrome = SYN_ACK;
      verdict_o.stats.dup    = 1'b1;
    end else if (invalid || !pkt_i.access_ok) begin
      verdict_o.fail              = 1'b1;
      verdict_o.ack               = 1'b1;
      verdict_o.ack_psn           = pkt_i.psn;
      verdict_o.ack_syndrome      = invalid ? SYN_NAK_INVALID : SYN_NAK_ACCESS;
      verdict_o.stats.nak_access  = !invalid;
      verdict_o.stats.nak_invalid = invalid;
    end else if (needs_buffer && !pkt_i.rq_ok) begin
      verdict_o.row.nak_sent = 1'b0;
      verdict_o.row_we       = 1'b1;
      verdict_o.ack          = 1'b1;
      verdict_o.ack_psn      = pkt_i.psn;
      verdict_o.ack_syndrome = {SYN_RNR, pkt_i.min_rnr};
      verdict_o.stats.rnr    = 1'b1;
    end else if (send && !pkt_i.rq_fits) begin
      verdict_o.fail         = 1'b1;
      verdict_o.rq_pop       = 1'b1;
      verdict_o.rq_status    = CPL_LOCAL_LEN;
      verdict_o.ack          = 1'b1;
      verdict_o.ack_psn      = pkt_i.psn;
      verdict_o.ack_syndrome = SYN_NAK_OP;
      verdict_o.stats.nak_op = 1'b1;
    end else begin
      verdict_o.row.epsn         = row_i.epsn + pkt_i.packets;
      verdict_o.row.msn          = row_i.msn + 24'(pkt_i.op.last);
      verdict_o.row.nak_sent     = 1'b0;
      verdict_o.row.active       = !pkt_i.op.last;
      verdict_o.row.send         = send;
      verdict_o.row_we           = 1'b1;
      verdict_o.msg_we           = !pkt_i.op.last;
      verdict_o.target           = query ? RX_DROP : pkt_i.target;
      verdict_o.rd               = query;
      verdict_o.rq_pop           = needs_buffer && pkt_i.op.last;
      verdict_o.ack              = pkt_i.ackreq && !query;
      verdict_o.ack_psn          = pkt_i.psn;
      verdict_o.ack_syndrome     = SYN_ACK;
      verdict_o.ack_msn          = verdict_o.row.msn;
      verdict_o.stats.write_pkts = write;
      verdict_o.stats.sends      = send;
      verdict_o.stats.reads      = pkt_i.op.kind == REQ_READ;
      verdict_o.stats.atomics    = pkt_i.op.kind == REQ_ATOMIC;
      verdict_o.stats.msgs       = pkt_i.op.last;
    end
    if (verdict_o.rd) verdict_o.row.rd_no = rd_no_i;
  end

endmodule
