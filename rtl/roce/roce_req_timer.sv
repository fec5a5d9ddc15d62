// SPDX-License-Identifier: Apache-2.0
// One deadline per QP, compared with now_i; nothing counts. Two RAMs, so that each has one writer: a first transmission
// starts the timer of a QP whose timer is off, the requester sets or clears it; `moved_q` says which RAM holds.
//
// earliest_q is a lower bound of all deadlines: lowered by each new one, never raised but by a sweep. When now_i reaches
// it, a sweep reads one QP a cycle, raises an event for each expired deadline and ends with the exact bound. A deadline D of
// QP q, alone in the table, shows its event in cycle D + q + 3. An event whose deadline is moved before it is taken is
// withdrawn: the requester must not set or clear a timer in the cycle in which it takes an event.
// wake_at_o is the bound (all ones: no timer). quiet_o while merely waiting.
module roce_req_timer
  import prim_pkg::*;
#(
  parameter int unsigned NumQps      = 256,
  parameter int unsigned CyclesPerUs = 250
) (
  input logic clk_i,
  input logic rst_i,

  input logic [63:0] now_i,

  // A packet is sent for the first time; timeout code 0: no timer
  input logic                         send_i,
  input logic [idx_width(NumQps)-1:0] send_qpn_i,
  input logic [                  4:0] send_timeout_i,

  // From the requester
  input logic                         set_i,
  input logic                         clear_i,
  input logic [idx_width(NumQps)-1:0] qpn_i,
  input logic [                 63:0] deadline_i,

  // Expired
  output logic [idx_width(NumQps)-1:0] event_qpn_o,
  output logic                         event_valid_o,
  input  logic                         event_ready_i,

  output logic        quiet_o,
  output logic [63:0] wake_at_o
);

  localparam int unsigned QpW = idx_width(NumQps);
  typedef logic [QpW-1:0] qpn_t;
  typedef logic [63:0] time_t;

  logic [NumQps-1:0] armed_q, moved_q;
  time_t earliest_q, first_deadline, moved_deadline, send_deadline, deadline, added, bound;
  // scan: idx_q is read this cycle; check: check_idx_q has been read and is looked at. A stalled check stalls the scan.
  logic scan_q, check_q, event_q, start, stall, expired, raise_event, finish, arm, touched, re;
  qpn_t idx_q, check_idx_q, event_qpn_q;

  assign arm           = send_i && send_timeout_i != '0 && !(set_i && qpn_i == send_qpn_i) &&
                         (!armed_q[send_qpn_i] || (clear_i && qpn_i == send_qpn_i));
  assign send_deadline = now_i + roce_req_pkg::ack_timeout(send_timeout_i, CyclesPerUs);

  assign start = !scan_q && !check_q && now_i >= earliest_q && earliest_q != TIME_NEVER;
  assign re = scan_q && !stall;
  assign deadline = moved_q[check_idx_q] ? moved_deadline : first_deadline;
  assign touched = (set_i || clear_i) && qpn_i == check_idx_q;
  assign expired = check_q && armed_q[check_idx_q] && deadline <= now_i && !touched;
  assign stall = expired && event_q && !event_ready_i;
  assign raise_event = expired && !stall;
  assign finish = check_q && !stall && !scan_q;

  assign event_qpn_o = event_qpn_q;
  assign event_valid_o = event_q;
  assign wake_at_o = earliest_q;
  assign quiet_o = !scan_q && !check_q && !event_q && !start;

  prim_ram_row #(
    .T    (time_t),
    .Depth(NumQps)
  ) u_first (
    .clk_i,
    .re_i   (re),
    .raddr_i(idx_q),
    .rdata_o(first_deadline),
    .we_i   (arm),
    .waddr_i(send_qpn_i),
    .wdata_i(send_deadline)
  );

  prim_ram_row #(
    .T    (time_t),
    .Depth(NumQps)
  ) u_moved (
    .clk_i,
    .re_i   (re),
    .raddr_i(idx_q),
    .rdata_o(moved_deadline),
    .we_i   (set_i),
    .waddr_i(qpn_i),
    .wdata_i(deadline_i)
  );

  // The bound takes in the deadlines written this cycle and, in a sweep, the one looked at. The bound of a sweep starts
  // afresh; an expired deadline does not count: its event is pending and whoever takes it sets or clears the timer.
  always_comb begin
    added = TIME_NEVER;
    if (arm) added = send_deadline;
    if (set_i) added = time_min(added, deadline_i);
    if (check_q && armed_q[check_idx_q] && !touched && deadline > now_i) added = time_min(added, deadline);
    bound = time_min(start ? TIME_NEVER : earliest_q, added);
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      armed_q    <= '0;
      moved_q    <= '0;
      earliest_q <= TIME_NEVER;
      scan_q     <= 1'b0;
      check_q    <= 1'b0;
      event_q    <= 1'b0;
      idx_q      <= '0;
    end else begin
      if (clear_i) armed_q[qpn_i] <= 1'b0;
      if (arm) begin
        armed_q[send_qpn_i] <= 1'b1;
        moved_q[send_qpn_i] <= 1'b0;
      end
      if (set_i) begin
        armed_q[qpn_i] <= 1'b1;
        moved_q[qpn_i] <= 1'b1;
      end

      earliest_q <= bound;
      if (start) begin
        scan_q <= 1'b1;
        idx_q  <= '0;
      end else if (re) begin
        idx_q <= idx_q + 1'b1;
        if (idx_q == qpn_t'(NumQps - 1)) scan_q <= 1'b0;
      end
      if (re) check_q <= 1'b1;
      else if (finish) check_q <= 1'b0;

      if (event_q && (event_ready_i || ((set_i || clear_i) && qpn_i == event_qpn_q))) event_q <= 1'b0;
      if (raise_event) event_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (re) check_idx_q <= idx_q;
    if (raise_event) event_qpn_q <= check_idx_q;
  end

endmodule
