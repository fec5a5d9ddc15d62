// SPDX-License-Identifier: Apache-2.0
// What becomes of a packet whose payload memory could not deliver, between roce_tx_align and roce_tx_store. Combinational.
//   answer to a READ   instead of it a NAK 0x63 (remote operational error) with its PSN leaves, in its place among the answers; the QP
//                      is silent from there on: of later answers, also to atomics, only the end of each (rsp_last) goes on as a header
//                      marked gone, and roce_ack_queue sends no acknowledge of it
//   NAK of an atomic   (from roce_rd, an OP_ACK with 0x63) likewise
//   request of ours    dropped; the requester is told which
//   datagram           dropped: its work request has been completed
// Each failure is told once (fail_o), so that both halves of the QP follow. A QP is silent until it is created anew (cfg init).
// life: changes with each init of a QP. What a job of an older life runs into ends with that job: nobody is told, no NAK.
// Back-pressure: one failure may wait; while it does, packets wait (ready_o).
`include "prim_assert.svh"
module roce_tx_fail
  import prim_pkg::*;
  import roce_pkg::*;
  import roce_wire_pkg::*;
#(
  parameter int unsigned NumQps = 256
) (
  input logic clk_i,
  input logic rst_i,

  // Table writes, broadcast
  input roce_cfg_t cfg_i,
  input logic      cfg_go_i,

  // The job being taken: life of its QP
  input  logic [23:0] job_qpn_i,
  output logic        job_life_o,

  // From roce_tx_align; drop_i: its payload could not be read
  input  tx_pkt_t pkt_i,
  input  logic    done_i,
  input  logic    drop_i,
  output logic    ready_o,

  // To roce_tx_store: a packet, with its payload if whole_o; cut_o: that many beats of payload are taken back
  output tx_pkt_t       pkt_o,
  output logic          push_o,
  output logic          whole_o,
  output logic          cut_o,
  output logic    [6:0] cut_beats_o,
  input  logic          ready_i,

  output logic      [NumQps-1:0] silent_o,
  output mem_fail_t              fail_o,
  output logic                   fail_valid_o,
  input  logic                   fail_ready_i,

  output logic nak_o,
  output logic quiet_o
);

  localparam int unsigned QpW = idx_width(NumQps);

  logic [NumQps-1:0] silent_q, life_q;
  logic [QpW-1:0] qpn, cfg_qpn;
  logic init, current, answer, nak_job, refuse, mute, lose, fail_valid_q;
  mem_fail_t fail_q;
  aeth_t aeth;

  assign cfg_qpn = cfg_i.index[QpW-1:0];
  assign init = cfg_go_i && is_new_qp(cfg_i, NumQps);
  assign qpn = pkt_i.hdr.qpn[QpW-1:0];

  assign job_life_o = life_q[job_qpn_i[QpW-1:0]];
  assign current = pkt_i.life == life_q[qpn] && !(init && cfg_qpn == qpn);
  assign nak_job = pkt_i.hdr.opcode == OP_ACK && aeth.syndrome == SYN_NAK_OP;
  assign answer = is_response(pkt_i.hdr.opcode) && pkt_i.hdr.opcode != OP_ACK;
  // The QP is refused now; it has been refused before, or a NAK has lost its meaning; a packet of our own is lost.
  assign refuse = current && !silent_q[qpn] && ((drop_i && answer) || (done_i && nak_job));
  assign mute = (done_i || drop_i) && (nak_job ? !refuse : answer && current && silent_q[qpn]);
  assign lose = drop_i && current && !answer && !(pkt_i.hdr.opcode inside {OP_UD_SEND_ONLY, OP_UD_SEND_ONLY_IMM});

  assign aeth = ext_aeth(pkt_i.hdr.ext);

  assign ready_o = ready_i && (!fail_valid_q || fail_ready_i);
  assign whole_o = done_i && !mute && !refuse;
  assign cut_o = drop_i || (done_i && mute);
  assign cut_beats_o = pkt_i.hdr.len[12:6] + {6'd0, pkt_i.hdr.len[5:0] != '0};
  assign push_o = whole_o || refuse || (cut_o && pkt_i.hdr.rsp_last);
  assign nak_o = refuse;
  assign silent_o = silent_q;

  always_comb begin
    pkt_o = pkt_i;
    if (refuse || cut_o) begin
      pkt_o.gone    = !refuse;
      pkt_o.hdr.len = '0;
    end
    if (refuse) begin
      pkt_o.hdr.opcode = OP_ACK;
      pkt_o.hdr.ext    = {SYN_NAK_OP, aeth.msn, 192'd0};
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      silent_q     <= '0;
      life_q       <= '0;
      fail_valid_q <= 1'b0;
    end else begin
      if (refuse || lose) fail_valid_q <= 1'b1;
      else if (fail_ready_i) fail_valid_q <= 1'b0;
      if (refuse) silent_q[qpn] <= 1'b1;
      if (init) begin
        silent_q[cfg_qpn] <= 1'b0;
        life_q[cfg_qpn]   <= !life_q[cfg_qpn];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (refuse || lose) fail_q <= '{own: lose, qpn: pkt_i.hdr.qpn, psn: pkt_i.hdr.psn};
  end

  assign fail_o       = fail_q;
  assign fail_valid_o = fail_valid_q;
  assign quiet_o      = !fail_valid_q;

  `PRIM_ASSERT_STREAM(tx_fail, fail_valid_o, fail_ready_i, fail_o)
  `PRIM_ASSERT(tx_fail_room, (done_i || drop_i) -> ready_o, "a packet came without room; its failure is lost")

endmodule
