// SPDX-License-Identifier: Apache-2.0
// Rate enforcement. Each QP has a cost in cycles a byte (roce_cc_pkg; 0: not paced) and a time before which it must not send:
// a packet of n bytes on the wire moves that time to max(time, now - Slack) + n * cost. Slack lets a QP that was woken late,
// because of the wheel's granularity or of others, catch up, so that the rate is exact in the long run; a QP that was idle
// may be ahead of its rate by Slack cycles and never more.
//
// sched_limited_o (combinational): the QP has a cost. sched_held_o: it must wait. Also while a packet of it is being charged, 2 cycles after send_i. A
// scheduler that gives up a held QP parks it: it stands on a timing wheel of NumSlots slots of 2^SlotLog2 cycles (16 cycles,
// 65.5 us at 250 MHz) and is kicked at the first slot edge at or after its time; a QP whose time lies beyond the wheel is
// kicked at its end, is still held then and is parked again. A parked QP stays parked when it is parked again.
// A kick may be early, never lost: at an edge QPs are kicked one a cycle, newest first, a slot's first 2 cycles after the edge.
// Each QP may be kicked while it has nothing to send: harmless.
//
// send_i, park_i and rate writes: one each a cycle, never refused. wake_at_o is the next occupied slot's edge; quiet_o while
// merely waiting for it. A QP out of range must not come here.
`include "prim_assert.svh"
module roce_pacer
  import prim_pkg::*;
  import roce_cc_pkg::*;
#(
  parameter int unsigned NumQps   = 256,
  parameter int unsigned NumSlots = 1024,
  parameter int unsigned SlotLog2 = 4,
  parameter int unsigned Slack    = 64
) (
  input logic clk_i,
  input logic rst_i,

  input logic [63:0] now_i,

  // Rates; cost 0 also forgets what the QP has sent
  input logic                             rate_valid_i,
  input logic     [idx_width(NumQps)-1:0] rate_qpn_i,
  input cc_cost_t                         rate_cost_i,

  // First transmission of a packet; bytes on the wire, preamble, FCS and gap included
  input logic                         send_i,
  input logic [idx_width(NumQps)-1:0] send_qpn_i,
  input logic [                 13:0] send_bytes_i,

  // Scheduler: may this QP send now?
  input  logic [idx_width(NumQps)-1:0] sched_qpn_i,
  output logic                         sched_held_o,
  output logic                         sched_limited_o,

  // Scheduler gave up a held QP
  input logic                         park_i,
  input logic [idx_width(NumQps)-1:0] park_qpn_i,

  // Wake-ups
  output logic [idx_width(NumQps)-1:0] kick_qpn_o,
  output logic                         kick_valid_o,
  input  logic                         kick_ready_i,

  output logic        quiet_o,
  output logic [63:0] wake_at_o
);

  typedef logic [idx_width(NumQps)-1:0] qpn_t;
  // Cycles with a fraction; the fraction is that of the cost.
  typedef struct packed {
    logic [63:0]          cycle;
    logic [COST_FRAC-1:0] frac;
  } next_t;

  // Read asynchronously (LUT RAM). next_mem means nothing without its flag.
  cc_cost_t cost_mem[NumQps];
  next_t    next_mem[NumQps];
  logic [NumQps-1:0] timed_q, paced_q;

  // Charging: s1 has the cost, s2 the product.
  logic s1_valid_q, s2_valid_q;
  qpn_t s1_qpn_q, s2_qpn_q;
  cc_cost_t s1_cost_q;
  logic [13:0] s1_bytes_q;
  logic [41:0] s2_cost_q;
  next_t s2_next, s2_base, sched_next;
  logic [63:0] behind;
  logic forget, charging;

  // Parking: two cycles later the QP's time has been charged.
  logic p1_valid_q, p2_valid_q, wheel_quiet;
  qpn_t p1_qpn_q, p2_qpn_q;
  next_t park_next;
  logic [63:0] park_due;

  assign forget = rate_valid_i && rate_cost_i == '0;

  assign behind = (now_i > 64'(Slack)) ? now_i - 64'(Slack) : '0;
  assign s2_base = (timed_q[s2_qpn_q] && next_mem[s2_qpn_q].cycle >= behind) ? next_mem[s2_qpn_q]
                                                                            : next_t'({behind, COST_FRAC'(0)});
  assign s2_next = s2_base + (64 + COST_FRAC)'(s2_cost_q);

  assign sched_next = next_mem[sched_qpn_i];
  assign charging = (s1_valid_q && s1_qpn_q == sched_qpn_i) || (s2_valid_q && s2_qpn_q == sched_qpn_i);
  assign sched_held_o = paced_q[sched_qpn_i] &&
                        (charging || (timed_q[sched_qpn_i] &&
                                      (sched_next.cycle > now_i ||
                                       (sched_next.cycle == now_i && sched_next.frac != '0))));

  assign sched_limited_o = paced_q[sched_qpn_i];

  assign park_next = next_mem[p2_qpn_q];
  assign park_due = (timed_q[p2_qpn_q] && paced_q[p2_qpn_q]) ? park_next.cycle + 64'(park_next.frac != '0) : '0;

  assign quiet_o = !rate_valid_i && !send_i && !park_i && !s1_valid_q && !s2_valid_q && !p1_valid_q && !p2_valid_q &&
                   wheel_quiet;

  roce_pacer_wheel #(
    .NumQps  (NumQps),
    .NumSlots(NumSlots),
    .SlotLog2(SlotLog2)
  ) u_wheel (
    .clk_i,
    .rst_i,
    .now_i,
    .put_i    (p2_valid_q),
    .put_qpn_i(p2_qpn_q),
    .put_due_i(park_due),
    .kick_qpn_o,
    .kick_valid_o,
    .kick_ready_i,
    .quiet_o  (wheel_quiet),
    .wake_at_o
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      timed_q    <= '0;
      paced_q    <= '0;
      s1_valid_q <= 1'b0;
      s2_valid_q <= 1'b0;
      p1_valid_q <= 1'b0;
      p2_valid_q <= 1'b0;
    end else begin
      s1_valid_q <= send_i && paced_q[send_qpn_i] && !(forget && rate_qpn_i == send_qpn_i);
      s2_valid_q <= s1_valid_q && !(forget && rate_qpn_i == s1_qpn_q);
      p1_valid_q <= park_i;
      p2_valid_q <= p1_valid_q;
      if (s2_valid_q) timed_q[s2_qpn_q] <= 1'b1;
      if (rate_valid_i) paced_q[rate_qpn_i] <= !forget;
      if (forget) timed_q[rate_qpn_i] <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rate_valid_i) cost_mem[rate_qpn_i] <= rate_cost_i;
    if (send_i) begin
      s1_qpn_q   <= send_qpn_i;
      s1_bytes_q <= send_bytes_i;
      s1_cost_q  <= cost_mem[send_qpn_i];
    end
    if (s1_valid_q) begin
      s2_qpn_q  <= s1_qpn_q;
      s2_cost_q <= 42'(s1_bytes_q) * 42'(s1_cost_q);
    end
    if (s2_valid_q) next_mem[s2_qpn_q] <= s2_next;
    if (park_i) p1_qpn_q <= park_qpn_i;
    if (p1_valid_q) p2_qpn_q <= p1_qpn_q;
  end

endmodule
