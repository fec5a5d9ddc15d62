// SPDX-License-Identifier: Apache-2.0
// The rules of an RC responder for one packet: what happens to the payload, the QP's row and the peer.
// Combinational; stage 2 of roce_responder. Order: QP and peer (dropped), PSN, opcode sequence and lengths (NAK 0x61),
// permission (NAK 0x62). A refused packet changes nothing but the two error marks: nak_sent after a gap, `fail` for good.
module roce_responder_rules
  import roce_pkg::*;
  import roce_rx_pkg::*;
(
  input resp_pkt_t pkt_i,
  input resp_row_t row_i,
  input logic      failed_i, // this QP failed before, here or at the requester

  output resp_verdict_t verdict_o
);

  logic signed [23:0] ahead;
  logic starts, ends, write, in_sequence;

  assign ahead       = psn_diff(pkt_i.psn, row_i.epsn);
  assign starts      = pkt_i.kind == REQ_FIRST || pkt_i.kind == REQ_ONLY;
  assign ends        = pkt_i.kind == REQ_LAST || pkt_i.kind == REQ_ONLY;
  assign write       = starts || ends || pkt_i.kind == REQ_MIDDLE;
  assign in_sequence = write && starts != row_i.active;

  always_comb begin
    verdict_o         = '0;
    verdict_o.row     = row_i;
    verdict_o.target  = RX_DROP;
    verdict_o.ack_msn = row_i.msn;
    if (pkt_i.kind == REQ_NONE) begin
      verdict_o.stats.drop_op = 1'b1;
    end else if (!pkt_i.qp_ok || failed_i) begin
      verdict_o.stats.drop_qp = 1'b1;
    end else if (!pkt_i.peer_ok) begin
      verdict_o.stats.drop_peer = 1'b1;
    end else if (ahead > 0) begin
      // Lost packets: ask once for the first of them.
      verdict_o.ack           = !row_i.nak_sent;
      verdict_o.ack_psn       = row_i.epsn;
      verdict_o.ack_syndrome  = SYN_NAK_SEQ;
      verdict_o.row.nak_sent  = 1'b1;
      verdict_o.row_we        = !row_i.nak_sent;
      verdict_o.stats.nak_seq = !row_i.nak_sent;
    end else if (ahead < 0) begin
      // The ACK may have been lost: say again how far we are.
      verdict_o.ack          = pkt_i.kind != REQ_QUERY;
      verdict_o.ack_psn      = row_i.epsn - 24'd1;
      verdict_o.ack_syndrome = SYN_ACK;
      verdict_o.stats.dup    = 1'b1;
    end else if (!in_sequence || !pkt_i.shape_ok || !pkt_i.access_ok) begin
      verdict_o.fail              = 1'b1;
      verdict_o.ack               = 1'b1;
      verdict_o.ack_psn           = pkt_i.psn;
      verdict_o.ack_syndrome      = (in_sequence && pkt_i.shape_ok) ? SYN_NAK_ACCESS : SYN_NAK_INVALID;
      verdict_o.stats.nak_access  = in_sequence && pkt_i.shape_ok;
      verdict_o.stats.nak_invalid = !(in_sequence && pkt_i.shape_ok);
    end else begin
      verdict_o.row.epsn         = row_i.epsn + 24'd1;
      verdict_o.row.msn          = row_i.msn + 24'(ends);
      verdict_o.row.nak_sent     = 1'b0;
      verdict_o.row.active       = !ends;
      verdict_o.row_we           = 1'b1;
      verdict_o.msg_we           = !ends;
      verdict_o.target           = pkt_i.target;
      verdict_o.ack              = pkt_i.ackreq;
      verdict_o.ack_psn          = pkt_i.psn;
      verdict_o.ack_syndrome     = SYN_ACK;
      verdict_o.ack_msn          = verdict_o.row.msn;
      verdict_o.stats.write_pkts = 1'b1;
      verdict_o.stats.msgs       = ends;
    end
  end

endmodule
