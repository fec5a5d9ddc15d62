// SPDX-License-Identifier: Apache-2.0
// Events of congestion control in the order of their time: CNPs, RTT samples, byte counters that ran out. Each carries the low
// 32 bits of the cycle in which it came, so that it takes effect as of then however long it waits here.
// Inputs are never refused: one of each kind a cycle; when its queue is full the event is dropped (lost_o); a byte counter
// event comes again with the QP's next packet. Latency 1. Events of one cycle leave as bytes, CNP, RTT.
// Counts the bytes that each QP sends. Only QPs that armed_i names have a byte counter: it has run out when `byte_counter_i`
// bytes (0: never) were sent since the mark that roce_cc wrote.
`include "prim_assert.svh"
module roce_cc_events
  import prim_pkg::*;
  import roce_cc_pkg::*;
#(
  parameter int unsigned NumQps = 256,
  parameter int unsigned Depth  = 64
) (
  input logic clk_i,
  input logic rst_i,

  input logic [63:0] now_i,
  input logic [31:0] byte_counter_i,

  input logic                         cnp_i,
  input logic [idx_width(NumQps)-1:0] cnp_qpn_i,
  input logic                         rtt_i,
  input logic [idx_width(NumQps)-1:0] rtt_qpn_i,
  input logic [                 23:0] rtt_cycles_i,
  input logic                         sent_i,
  input logic [idx_width(NumQps)-1:0] sent_qpn_i,
  input logic [                 13:0] sent_bytes_i,

  // Byte counters, from roce_cc
  input logic                         mark_i,
  input logic [idx_width(NumQps)-1:0] mark_qpn_i,
  input logic                         mark_armed_i,
  input logic [                 31:0] mark_sent_i,
  input logic                         disarm_i,
  input logic [idx_width(NumQps)-1:0] disarm_qpn_i,

  output cc_event_e                         kind_o,
  output logic      [idx_width(NumQps)-1:0] qpn_o,
  output cc_time_t                          at_o,
  output logic      [                 31:0] arg_o,
  output logic                              valid_o,
  input  logic                              ready_i,

  output logic lost_o,
  output logic quiet_o
);

  typedef logic [idx_width(NumQps)-1:0] qpn_t;
  typedef struct packed {
    qpn_t        qpn;
    cc_time_t    at;
    logic [31:0] arg;
  } event_t;

  // 0 bytes, 1 CNP, 2 RTT
  event_t [2:0] in, head;
  logic [2:0] in_valid, in_ready, valid, ready;
  logic [1:0] pick;

  // Bytes sent and the marks, each with one writer, read asynchronously (LUT RAM). A QP's count starts with its first CNP.
  logic [31:0] sent_mem[NumQps];
  logic [31:0] mark_mem[NumQps];
  logic [NumQps-1:0] armed_q;
  logic [31:0] sent_now, cnp_sent, spent;

  assign sent_now = sent_mem[sent_qpn_i] + 32'(sent_bytes_i);
  assign spent = sent_now - mark_mem[sent_qpn_i];
  // A packet of the same cycle is not counted yet.
  assign cnp_sent = sent_mem[cnp_qpn_i];

  assign in_valid = {
    rtt_i, cnp_i, sent_i && armed_q[sent_qpn_i] && byte_counter_i != '0 && !spent[31] && spent >= byte_counter_i
  };
  assign in = {
    event_t'{qpn: rtt_qpn_i, at: now_i[31:0], arg: 32'(rtt_cycles_i)},
    event_t'{qpn: cnp_qpn_i, at: now_i[31:0], arg: cnp_sent},
    event_t'{qpn: sent_qpn_i, at: now_i[31:0], arg: sent_now}
  };

  for (genvar i = 0; i < 3; i++) begin : gen_queue
    logic [cnt_width(Depth)-1:0] unused_count;
    prim_fifo #(
      .T    (event_t),
      .Depth(Depth)
    ) u_fifo (
      .clk_i,
      .rst_i,
      .data_i (in[i]),
      .valid_i(in_valid[i]),
      .ready_o(in_ready[i]),
      .data_o (head[i]),
      .valid_o(valid[i]),
      .ready_i(ready[i]),
      .count_o(unused_count)
    );
  end

  // The oldest; of equally old ones the first kind.
  function automatic logic [1:0] oldest(input logic [2:0] avail, input cc_time_t t0, input cc_time_t t1,
                                        input cc_time_t t2);
    logic [1:0] best;
    cc_time_t at;
    best = 2'd0;
    at   = t0;
    if (avail[1] && !(avail[0] && cc_reached(t0, t1))) begin
      best = 2'd1;
      at   = t1;
    end
    if (avail[2] && !(avail[1:0] != '0 && cc_reached(at, t2))) best = 2'd2;
    return best;
  endfunction

  event_t head0, head1, head2, picked;
  assign head0  = head[0];
  assign head1  = head[1];
  assign head2  = head[2];
  assign pick   = oldest(valid, head0.at, head1.at, head2.at);
  assign picked = (pick == 2'd0) ? head0 : (pick == 2'd1) ? head1 : head2;

  always_comb begin
    ready = '0;
    ready[pick] = ready_i;
  end

  assign kind_o  = (pick == 2'd0) ? CC_EV_BYTES : (pick == 2'd1) ? CC_EV_CNP : CC_EV_RTT;
  assign qpn_o   = picked.qpn;
  assign at_o    = picked.at;
  assign arg_o   = picked.arg;
  assign valid_o = valid != '0;
  assign lost_o  = (in_valid[2:1] & ~in_ready[2:1]) != '0;
  assign quiet_o = !cnp_i && !rtt_i && !sent_i && !mark_i && !disarm_i && !valid_o;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      armed_q <= '0;
    end else begin
      if (mark_i) armed_q[mark_qpn_i] <= mark_armed_i;
      if (disarm_i) armed_q[disarm_qpn_i] <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (sent_i) sent_mem[sent_qpn_i] <= sent_now;
    if (mark_i) mark_mem[mark_qpn_i] <= mark_sent_i;
  end

endmodule
