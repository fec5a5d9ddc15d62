// SPDX-License-Identifier: Apache-2.0
// Functional coverage of the responder: opcode x length class x QP state x outcome, sampled for every verdict.
// Bound into roce_responder in the coverage flavour only; tools/coverage prints the table.
module roce_responder_coverage
  import roce_pkg::*;
  import roce_rx_pkg::*;
  import roce_wire_pkg::*;
(
  input logic clk_i,
  input logic s1_load_i,  // a packet moves from the checks to the decision
  input rx_desc_t s1_desc_i,
  input qpc_t s1_qpc_i,
  input logic s1_qpn_ok_i,
  input logic s2_done_i,
  input resp_verdict_t verdict_i
);

  typedef enum logic [3:0] {
    OUT_ACCEPTED,
    OUT_RNR,
    OUT_NAK_OP,
    OUT_DROP_RQ,
    OUT_RPC,
    OUT_DUPLICATE,
    OUT_NAK_SEQ,
    OUT_SILENT,
    OUT_NAK_INVALID,
    OUT_NAK_ACCESS,
    OUT_DROP_QP,
    OUT_DROP_PEER,
    OUT_DROP_OP
  } outcome_e;

  typedef enum logic [2:0] {
    LEN_ZERO,
    LEN_BEAT,
    LEN_SHORT,
    LEN_PMTU,
    LEN_OVER
  } length_e;

  logic [7:0] opcode_q;
  qp_state_e state_q;
  length_e length_q;
  logic known_q;
  outcome_e outcome;

  // The sample is taken a cycle after the verdict, from registers: a covergroup's sample() in the edge of the verdict may
  // run after the row that it was decided on has changed.
  logic sample_q;
  logic [7:0] sample_opcode_q;
  qp_state_e sample_state_q;
  length_e sample_length_q;
  outcome_e sample_outcome_q;

  always_ff @(posedge clk_i) begin
    if (s1_load_i) begin
      opcode_q <= s1_desc_i.bth.opcode;
      state_q  <= s1_qpc_i.state;
      known_q  <= s1_qpn_ok_i;
      if (s1_desc_i.len == '0) length_q <= LEN_ZERO;
      else if (s1_desc_i.len > pmtu_bytes(s1_qpc_i.pmtu)) length_q <= LEN_OVER;
      else if (s1_desc_i.len == pmtu_bytes(s1_qpc_i.pmtu)) length_q <= LEN_PMTU;
      else if (s1_desc_i.len <= 13'd64) length_q <= LEN_BEAT;
      else length_q <= LEN_SHORT;
    end
  end

  always_comb begin
    outcome = OUT_SILENT;
    if (verdict_i.stats.drop_op) outcome = OUT_DROP_OP;
    else if (verdict_i.stats.drop_qp) outcome = OUT_DROP_QP;
    else if (verdict_i.stats.drop_peer) outcome = OUT_DROP_PEER;
    else if (verdict_i.stats.dup) outcome = OUT_DUPLICATE;
    else if (verdict_i.stats.nak_seq) outcome = OUT_NAK_SEQ;
    else if (verdict_i.stats.nak_invalid) outcome = OUT_NAK_INVALID;
    else if (verdict_i.stats.nak_access) outcome = OUT_NAK_ACCESS;
    else if (verdict_i.stats.rnr) outcome = OUT_RNR;
    else if (verdict_i.stats.nak_op) outcome = OUT_NAK_OP;
    else if (verdict_i.stats.drop_rq) outcome = OUT_DROP_RQ;
    else if (verdict_i.stats.sends || verdict_i.stats.reads || verdict_i.stats.atomics || verdict_i.stats.ud || verdict_i.stats.cnp)
      outcome = OUT_ACCEPTED;
    else if (verdict_i.stats.write_pkts)
      outcome = (verdict_i.target == RX_RPC && length_q != LEN_ZERO) ? OUT_RPC : OUT_ACCEPTED;
  end

  covergroup responder_cg;
    opcode: coverpoint sample_opcode_q {
      bins SEND_FIRST = {OP_SEND_FIRST};
      bins SEND_MIDDLE = {OP_SEND_MIDDLE};
      bins SEND_LAST = {OP_SEND_LAST};
      bins SEND_LAST_IMM = {OP_SEND_LAST_IMM};
      bins SEND_ONLY = {OP_SEND_ONLY};
      bins SEND_ONLY_IMM = {OP_SEND_ONLY_IMM};
      bins WRITE_FIRST = {OP_WRITE_FIRST};
      bins WRITE_MIDDLE = {OP_WRITE_MIDDLE};
      bins WRITE_LAST = {OP_WRITE_LAST};
      bins WRITE_LAST_IMM = {OP_WRITE_LAST_IMM};
      bins WRITE_ONLY = {OP_WRITE_ONLY};
      bins WRITE_ONLY_IMM = {OP_WRITE_ONLY_IMM};
      bins READ_REQUEST = {OP_READ_REQUEST};
      bins CMP_SWAP = {OP_CMP_SWAP};
      bins FETCH_ADD = {OP_FETCH_ADD};
      bins SEND_LAST_INV = {OP_SEND_LAST_INV};
      bins SEND_ONLY_INV = {OP_SEND_ONLY_INV};
      bins UD_SEND_ONLY = {OP_UD_SEND_ONLY};
      bins UD_SEND_ONLY_IMM = {OP_UD_SEND_ONLY_IMM};
      bins CNP = {OP_CNP};
    }
    length: coverpoint sample_length_q {
      bins zero = {LEN_ZERO};
      bins beat = {LEN_BEAT};
      bins shorter = {LEN_SHORT};
      bins pmtu = {LEN_PMTU};
      bins over = {LEN_OVER};
    }
    state: coverpoint sample_state_q {
      bins RESET = {QP_RESET};
      bins INIT = {QP_INIT};
      bins RTR = {QP_RTR};
      bins RTS = {QP_RTS};
      bins SQD = {QP_SQD};
      bins ERR = {QP_ERR};
    }
    result: coverpoint sample_outcome_q {
      bins accepted = {OUT_ACCEPTED};
      bins rpc = {OUT_RPC};
      bins duplicate = {OUT_DUPLICATE};
      bins nak_seq = {OUT_NAK_SEQ};
      bins silent = {OUT_SILENT};
      bins nak_invalid = {OUT_NAK_INVALID};
      bins nak_access = {OUT_NAK_ACCESS};
      bins drop_qp = {OUT_DROP_QP};
      bins drop_peer = {OUT_DROP_PEER};
      bins rnr = {OUT_RNR};
      bins nak_op = {OUT_NAK_OP};
      bins drop_rq = {OUT_DROP_RQ};
      bins drop_op = {OUT_DROP_OP};
    }
    opcode_x_length_x_state_x_result: cross opcode, length, state, result;
  endgroup

  responder_cg cg = new;

  always_ff @(posedge clk_i) begin
    sample_q <= s2_done_i && known_q;
    if (s2_done_i) begin
      sample_opcode_q  <= opcode_q;
      sample_state_q   <= state_q;
      sample_length_q  <= length_q;
      sample_outcome_q <= outcome;
    end
    if (sample_q) cg.sample();
  end

endmodule

bind roce_responder roce_responder_coverage u_coverage (
  .clk_i,
  .s1_load_i  (s1_valid_q && s1_ready),
  .s1_desc_i  (s1_desc_q),
  .s1_qpc_i   (s1_qpc),
  .s1_qpn_ok_i(s1_qpn_ok_q),
  .s2_done_i  (s2_done),
  .verdict_i  (verdict)
);
