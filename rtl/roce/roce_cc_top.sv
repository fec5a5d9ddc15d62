// SPDX-License-Identifier: Apache-2.0
// Congestion control of the endpoint. Wiring, and the ranges of QPNs that come from the wire.
//
//   ce (marked packets) -> roce_cnp -> roce_cnp_job -> job: CNPs to send
//   cnp (received) -----------------> roce_cc -> cost -> roce_pacer -> held, kick
//   sent, ack, back -> roce_rtt ------^   ^--- sent --------^   ^--- park
//
// held_o (must wait) and limited_o (below line rate) are combinational from sched_qpn_i and now_i. Everything else is events, one of a kind a cycle, never refused.
// A packet is charged with what it takes on the wire: preamble, headers, payload, pad, ICRC, FCS and gap.
// quiet_o: no edge is needed before now_i reaches wake_at_o or an input turns valid.
module roce_cc_top
  import prim_pkg::*;
  import roce_cc_pkg::*;
  import roce_pkg::*;
#(
  parameter int unsigned NumQps = 256
) (
  input logic clk_i,
  input logic rst_i,

  input logic         [63:0] now_i,
  input roce_cc_cfg_t        cc_i,

  // Table writes, broadcast; see roce_cfg_t
  input  roce_cfg_t cfg_i,
  input  logic      cfg_valid_i,
  input  logic      cfg_go_i,
  output logic      cfg_ready_o,

  // From the receive half, by local QPN: marked packets, CNPs; always taken
  input  logic [23:0] ce_qpn_i,
  input  logic        ce_valid_i,
  output logic        ce_ready_o,
  input  logic [23:0] cnp_qpn_i,
  input  logic        cnp_valid_i,
  output logic        cnp_ready_o,

  // From the send half: a packet left for the first time; a positive acknowledge; the QP goes back to send again
  input cc_sent_t                         sent_i,
  input logic                             sent_valid_i,
  input logic     [                 23:0] ack_qpn_i,
  input logic     [                 23:0] ack_psn_i,
  input logic                             ack_valid_i,
  input logic     [idx_width(NumQps)-1:0] back_qpn_i,
  input logic                             back_valid_i,

  // Scheduler
  input  logic [idx_width(NumQps)-1:0] sched_qpn_i,
  output logic                         held_o,
  output logic                         limited_o,
  input  logic                         park_i,
  input  logic [idx_width(NumQps)-1:0] park_qpn_i,
  output logic [idx_width(NumQps)-1:0] kick_qpn_o,
  output logic                         kick_valid_o,
  input  logic                         kick_ready_i,

  // CNPs to send
  output tx_job_t job_o,
  output logic    job_valid_o,
  input  logic    job_ready_i,

  output roce_cc_stats_t        stats_o,
  output logic                  quiet_o,
  output logic           [63:0] wake_at_o
);

  localparam int unsigned QpW = idx_width(NumQps);
  // Preamble 8, Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4, gap 12.
  localparam logic [13:0] WireBytes = 14'd82;
  localparam logic [13:0] MinWireBytes = 14'd84;
  typedef logic [QpW-1:0] qpn_t;

  logic cfg_qp, init, rtt_valid, rate_valid, cnp_out_valid, cnp_out_ready, sent, cc_cfg_ready;
  qpn_t cfg_qpn, sent_qpn, rtt_qpn, rate_qpn, cnp_out_qpn;
  logic [23:0] rtt;
  logic [13:0] length, bytes;
  cc_cost_t rate_cost;
  logic cnp_quiet, job_quiet, rtt_quiet, cc_quiet, pacer_quiet;
  logic [63:0] cc_wake_at, pacer_wake_at;
  roce_rx_pkg::op_shape_t shape;

  assign cfg_qp      = cfg_go_i && is_qp_row(cfg_i, NumQps);
  assign cfg_qpn     = cfg_i.index[QpW-1:0];
  assign init        = cfg_qp && cfg_i.init;
  assign cfg_ready_o = cc_cfg_ready;
  assign ce_ready_o  = 1'b1;
  assign cnp_ready_o = 1'b1;

  assign sent        = sent_valid_i && sent_i.qpn < 24'(NumQps);
  assign sent_qpn    = sent_i.qpn[QpW-1:0];
  assign shape       = roce_rx_pkg::op_shape(sent_i.opcode);
  assign length      = WireBytes + 14'(shape.ext_bytes) + 14'({sent_i.len[12:2] + 11'(|sent_i.len[1:0]), 2'b00});
  assign bytes       = (length < MinWireBytes) ? MinWireBytes : length;

  roce_cnp #(
    .NumQps(NumQps)
  ) u_cnp (
    .clk_i,
    .rst_i,
    .now_i,
    .cnp_cycles_i(cc_i.cnp_cycles),
    .init_i      (init),
    .init_qpn_i  (cfg_qpn),
    .mark_i      (ce_valid_i && ce_qpn_i < 24'(NumQps)),
    .mark_qpn_i  (ce_qpn_i[QpW-1:0]),
    .cnp_qpn_o   (cnp_out_qpn),
    .cnp_valid_o (cnp_out_valid),
    .cnp_ready_i (cnp_out_ready),
    .quiet_o     (cnp_quiet)
  );

  roce_cnp_job #(
    .NumQps(NumQps)
  ) u_job (
    .clk_i,
    .rst_i,
    .cfg_i,
    .cfg_go_i,
    .cnp_qpn_i  (cnp_out_qpn),
    .cnp_valid_i(cnp_out_valid),
    .cnp_ready_o(cnp_out_ready),
    .job_o,
    .job_valid_o,
    .job_ready_i,
    .quiet_o    (job_quiet)
  );

  roce_rtt #(
    .NumQps(NumQps)
  ) u_rtt (
    .clk_i,
    .rst_i,
    .now_i,
    .send_i      (sent && sent_i.timed),
    .send_qpn_i  (sent_qpn),
    .send_psn_i  (sent_i.psn),
    .ack_i       (ack_valid_i && ack_qpn_i < 24'(NumQps)),
    .ack_qpn_i   (ack_qpn_i[QpW-1:0]),
    .ack_psn_i,
    .cancel_i    (init || back_valid_i),
    .cancel_qpn_i(init ? cfg_qpn : back_qpn_i),
    .rtt_qpn_o   (rtt_qpn),
    .rtt_o       (rtt),
    .rtt_valid_o (rtt_valid),
    .quiet_o     (rtt_quiet)
  );

  roce_cc #(
    .NumQps(NumQps)
  ) u_cc (
    .clk_i,
    .rst_i,
    .now_i,
    .cc_i,
    .cfg_i       (cfg_qp),
    .cfg_wait_i  (cfg_valid_i),
    .cfg_qpn_i   (cfg_qpn),
    .cfg_init_i  (cfg_i.init),
    .cfg_cc_i    (cfg_i.qpc.cc),
    .cfg_ready_o (cc_cfg_ready),
    .cnp_i       (cnp_valid_i && cnp_qpn_i < 24'(NumQps)),
    .cnp_qpn_i   (cnp_qpn_i[QpW-1:0]),
    .rtt_i       (rtt_valid),
    .rtt_qpn_i   (rtt_qpn),
    .rtt_cycles_i(rtt),
    .sent_i      (sent),
    .sent_qpn_i  (sent_qpn),
    .sent_bytes_i(bytes),
    .rate_valid_o(rate_valid),
    .rate_qpn_o  (rate_qpn),
    .rate_cost_o (rate_cost),
    .stats_o,
    .quiet_o     (cc_quiet),
    .wake_at_o   (cc_wake_at)
  );

  roce_pacer #(
    .NumQps(NumQps)
  ) u_pacer (
    .clk_i,
    .rst_i,
    .now_i,
    .rate_valid_i   (rate_valid),
    .rate_qpn_i     (rate_qpn),
    .rate_cost_i    (rate_cost),
    .send_i         (sent),
    .send_qpn_i     (sent_qpn),
    .send_bytes_i   (bytes),
    .sched_qpn_i,
    .sched_held_o   (held_o),
    .sched_limited_o(limited_o),
    .park_i,
    .park_qpn_i,
    .kick_qpn_o,
    .kick_valid_o,
    .kick_ready_i,
    .quiet_o        (pacer_quiet),
    .wake_at_o      (pacer_wake_at)
  );

  assign quiet_o   = cnp_quiet && job_quiet && rtt_quiet && cc_quiet && pacer_quiet && !cfg_valid_i;
  assign wake_at_o = time_min(cc_wake_at, pacer_wake_at);

endmodule
