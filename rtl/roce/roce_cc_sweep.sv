// SPDX-License-Identifier: Apache-2.0
// Finds the QPs whose congestion timers have expired. One deadline a QP, 32 bits of now_i, written by roce_cc; nothing counts.
// earliest_q is a lower bound of all deadlines. When now_i reaches it a sweep looks at one QP a cycle and stops at an expired
// one (hit_o) until it is taken (hit_ready_i); whoever takes it writes a new deadline or none. hit_o is a look, not a stream:
// a write of the QP's deadline may withdraw it. wake_at_o is the bound; quiet_o while merely waiting.
module roce_cc_sweep
  import prim_pkg::*;
  import roce_cc_pkg::*;
#(
  parameter int unsigned NumQps = 256
) (
  input logic clk_i,
  input logic rst_i,

  input logic [63:0] now_i,

  // New deadline of a QP, or none
  input logic                             set_i,
  input logic     [idx_width(NumQps)-1:0] set_qpn_i,
  input logic                             set_armed_i,
  input cc_time_t                         set_at_i,
  // A QP's deadline is given up
  input logic                             clear_i,
  input logic     [idx_width(NumQps)-1:0] clear_qpn_i,

  output logic [idx_width(NumQps)-1:0] hit_qpn_o,
  output logic                         hit_o,
  input  logic                         hit_ready_i,

  output logic        quiet_o,
  output logic [63:0] wake_at_o
);

  typedef logic [idx_width(NumQps)-1:0] qpn_t;

  cc_time_t at_mem[NumQps];  // read asynchronously (LUT RAM); means nothing without its flag
  logic [NumQps-1:0] armed_q;
  logic [63:0] earliest_q, bound;
  logic scan_q, start, step;
  qpn_t idx_q;

  // A deadline as 64 bits: it lies within 2^31 cycles of now.
  function automatic logic [63:0] absolute(input cc_time_t at, input logic [63:0] now);
    cc_time_t ahead;
    ahead = at - now[31:0];
    return now + {{32{ahead[31]}}, ahead};
  endfunction

  assign hit_o = scan_q && armed_q[idx_q] && cc_reached(at_mem[idx_q], now_i[31:0]);
  assign hit_qpn_o = idx_q;
  assign step = scan_q && (!hit_o || hit_ready_i);
  assign start = !scan_q && now_i >= earliest_q && earliest_q != TIME_NEVER;
  assign quiet_o = !scan_q && !start && !set_i && !clear_i;
  assign wake_at_o = earliest_q;

  always_comb begin
    bound = start ? TIME_NEVER : earliest_q;
    if (set_i && set_armed_i) bound = time_min(bound, absolute(set_at_i, now_i));
    if (scan_q && armed_q[idx_q] && !hit_o) bound = time_min(bound, absolute(at_mem[idx_q], now_i));
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      armed_q    <= '0;
      earliest_q <= TIME_NEVER;
      scan_q     <= 1'b0;
      idx_q      <= '0;
    end else begin
      earliest_q <= bound;
      if (set_i) armed_q[set_qpn_i] <= set_armed_i;
      if (clear_i) armed_q[clear_qpn_i] <= 1'b0;
      if (start) begin
        scan_q <= 1'b1;
        idx_q  <= '0;
      end else if (step) begin
        idx_q <= idx_q + 1'b1;
        if (idx_q == qpn_t'(NumQps - 1)) scan_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (set_i) at_mem[set_qpn_i] <= set_at_i;
  end

endmodule
