// SPDX-License-Identifier: Apache-2.0
// Functional coverage of the requester: response x what its AETH says x length class x whether the QP sends x outcome, sampled
// for every response that was judged. Bound into roce_req_fsm in the coverage flavour only; tools/coverage prints the table.
module roce_requester_coverage
  import roce_pkg::*;
  import roce_req_pkg::*;
  import roce_wire_pkg::*;
(
  input logic clk_i,
  input req_event_t event_i,
  input logic live_i,
  input roce_tx_stats_t stats_i,
  input logic rnr_i
);

  typedef enum logic [2:0] {
    SAY_ACK,
    SAY_RNR,
    SAY_SEQ,
    SAY_INVALID,
    SAY_ACCESS,
    SAY_OP,
    SAY_RESERVED
  } says_e;

  typedef enum logic [1:0] {
    LEN_ZERO,
    LEN_BEAT,
    LEN_MORE
  } length_e;

  typedef enum logic [2:0] {
    OUT_ADVANCE,
    OUT_STALE,
    OUT_GO_BACK,
    OUT_WAIT,
    OUT_FAIL
  } outcome_e;

  // Registered: a covergroup's sample() in the edge of the judgement may run after its inputs have changed.
  logic sample_q, live_q;
  logic [7:0] opcode_q;
  says_e says_q;
  length_e length_q;
  outcome_e outcome_q;

  always_ff @(posedge clk_i) begin
    sample_q <= event_i.kind == EvResponse && (stats_i.rx_ack || stats_i.rx_nak || stats_i.rx_stale);
    live_q   <= live_i;
    opcode_q <= event_i.opcode;
    if (event_i.opcode == OP_READ_RESP_MIDDLE || event_i.syndrome[7:5] == 3'd0) says_q <= SAY_ACK;
    else if (event_i.syndrome[7:5] == SYN_RNR) says_q <= SAY_RNR;
    else if (event_i.syndrome == SYN_NAK_SEQ) says_q <= SAY_SEQ;
    else if (event_i.syndrome == SYN_NAK_INVALID) says_q <= SAY_INVALID;
    else if (event_i.syndrome == SYN_NAK_ACCESS) says_q <= SAY_ACCESS;
    else if (event_i.syndrome == SYN_NAK_OP) says_q <= SAY_OP;
    else says_q <= SAY_RESERVED;
    length_q <= event_i.len == '0 ? LEN_ZERO : event_i.len <= 13'd64 ? LEN_BEAT : LEN_MORE;
    if (stats_i.qp_err) outcome_q <= OUT_FAIL;
    else if (stats_i.rx_nak) outcome_q <= rnr_i ? OUT_WAIT : OUT_GO_BACK;
    else outcome_q <= stats_i.rx_ack ? OUT_ADVANCE : OUT_STALE;
    if (sample_q) cg.sample();
  end

  covergroup requester_cg;
    response: coverpoint opcode_q {
      bins READ_RESP_FIRST = {OP_READ_RESP_FIRST};
      bins READ_RESP_MIDDLE = {OP_READ_RESP_MIDDLE};
      bins READ_RESP_LAST = {OP_READ_RESP_LAST};
      bins READ_RESP_ONLY = {OP_READ_RESP_ONLY};
      bins ACK = {OP_ACK};
      bins ATOMIC_ACK = {OP_ATOMIC_ACK};
    }
    says: coverpoint says_q {
      bins ack = {SAY_ACK};
      bins rnr = {SAY_RNR};
      bins nak_seq = {SAY_SEQ};
      bins nak_invalid = {SAY_INVALID};
      bins nak_access = {SAY_ACCESS};
      bins nak_op = {SAY_OP};
      bins reserved = {SAY_RESERVED};
    }
    payload: coverpoint length_q {bins zero = {LEN_ZERO}; bins beat = {LEN_BEAT}; bins longer = {LEN_MORE};}
    sends: coverpoint live_q {bins live = {1'b1}; bins dead = {1'b0};}
    effect: coverpoint outcome_q {
      bins advance = {OUT_ADVANCE};
      bins stale = {OUT_STALE};
      bins go_back = {OUT_GO_BACK};
      bins rnr_wait = {OUT_WAIT};
      bins fail = {OUT_FAIL};
    }
    response_x_says_x_payload_x_sends_x_effect: cross response, says, payload, sends, effect;
  endgroup

  requester_cg cg = new;

endmodule

bind roce_req_fsm roce_requester_coverage u_coverage (
  .clk_i,
  .event_i,
  .live_i (live),
  .stats_i(stats_o),
  .rnr_i  (write_o.set_rnr)
);
