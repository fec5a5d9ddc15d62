// SPDX-License-Identifier: Apache-2.0
// Round-trip times for TIMELY: one measurement a QP at a time. It starts with the first transmission of a packet that asks
// for an acknowledge, ends with the first acknowledge that covers its PSN, and is given up when the QP sends anything again
// (Karn: the acknowledge could belong to either copy) or is created anew.
// Latency 1 from an acknowledge to the sample, one a cycle, no back-pressure. A sample over 2^24 - 1 cycles reads as that.
// Of one QP in one cycle: giving up wins over all, an acknowledge does not see a packet sent in the same cycle.
module roce_rtt
  import prim_pkg::*;
#(
  parameter int unsigned NumQps = 256
) (
  input logic clk_i,
  input logic rst_i,

  input logic [63:0] now_i,

  // First transmission of a packet with AckReq
  input logic                         send_i,
  input logic [idx_width(NumQps)-1:0] send_qpn_i,
  input logic [                 23:0] send_psn_i,

  // Positive acknowledge up to and with a PSN
  input logic                         ack_i,
  input logic [idx_width(NumQps)-1:0] ack_qpn_i,
  input logic [                 23:0] ack_psn_i,

  // Retransmission, or the QP is created anew
  input logic                         cancel_i,
  input logic [idx_width(NumQps)-1:0] cancel_qpn_i,

  output logic [idx_width(NumQps)-1:0] rtt_qpn_o,
  output logic [                 23:0] rtt_o,
  output logic                         rtt_valid_o,

  output logic quiet_o
);

  typedef logic [idx_width(NumQps)-1:0] qpn_t;
  typedef struct packed {
    logic [23:0] psn;
    logic [31:0] start;
  } row_t;

  // Read asynchronously (LUT RAM); means nothing without its flag.
  row_t row_mem[NumQps];
  logic [NumQps-1:0] pending_q;
  row_t ack_row, send_row;
  logic start, hit, valid_q;
  qpn_t qpn_q;
  logic [31:0] elapsed;
  logic [23:0] rtt_q;

  assign ack_row = row_mem[ack_qpn_i];
  assign send_row = '{psn: send_psn_i, start: now_i[31:0]};
  assign hit = ack_i && pending_q[ack_qpn_i] && roce_wire_pkg::psn_diff(
      ack_psn_i, ack_row.psn
  ) >= 24'sd0 && !(cancel_i && cancel_qpn_i == ack_qpn_i);
  assign start = send_i && !pending_q[send_qpn_i] && !(cancel_i && cancel_qpn_i == send_qpn_i);
  assign elapsed = now_i[31:0] - ack_row.start;

  assign rtt_o = rtt_q;
  assign rtt_qpn_o = qpn_q;
  assign rtt_valid_o = valid_q;
  assign quiet_o = !send_i && !ack_i && !cancel_i && !valid_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      pending_q <= '0;
      valid_q   <= 1'b0;
    end else begin
      valid_q <= hit;
      if (start) pending_q[send_qpn_i] <= 1'b1;
      if (hit) pending_q[ack_qpn_i] <= 1'b0;
      if (cancel_i) pending_q[cancel_qpn_i] <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start) row_mem[send_qpn_i] <= send_row;
    if (hit) begin
      qpn_q <= ack_qpn_i;
      rtt_q <= (elapsed > 32'h00FF_FFFF) ? 24'hFF_FFFF : elapsed[23:0];
    end
  end

endmodule
