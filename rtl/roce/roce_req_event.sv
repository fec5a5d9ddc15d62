// SPDX-License-Identifier: Apache-2.0
// Takes the next event for the requester and holds it, with the QP's context: a flush or resumption that software asked for,
// a failure told by the responder, a memory error, an expired timer, or a response, in this order of preference.
//
// idle_i: nothing is in work. last_i: the event in work ends this cycle; then a response may be taken, but only when
// nothing else waits: so responses at wire rate starve nobody, and no timer event is taken in the cycle in which a timer
// is set. While a table write waits, only the first three are taken: nothing of a QP's old life is left when it happens.
// Latency 1 from the handshake to event_o and qpc_o, which hold until the next event.
module roce_req_event
  import prim_pkg::*;
  import roce_pkg::*;
  import roce_req_pkg::*;
#(
  parameter int unsigned NumQps = 256
) (
  input logic clk_i,
  input logic rst_i,

  input  roce_cfg_t cfg_i,
  input  logic      cfg_valid_i,
  input  logic      cfg_go_i,
  output logic      cfg_ready_o,

  // The table write of this cycle takes its QP out of service, or back from SQD to RTS
  input logic flush_i,
  input logic resume_i,

  input  qp_err_t                           qp_err_i,
  input  logic                              qp_err_valid_i,
  output logic                              qp_err_ready_o,
  input  mem_fail_t                         fail_i,
  input  logic                              fail_valid_i,
  output logic                              fail_ready_o,
  input  logic      [idx_width(NumQps)-1:0] timer_qpn_i,
  input  logic                              timer_valid_i,
  output logic                              timer_ready_o,
  input  rx_rsp_t                           rx_rsp_i,
  input  logic                              rx_rsp_valid_i,
  output logic                              rx_rsp_ready_o,

  input  logic                               idle_i,
  input  logic                               last_i,
  output logic                               take_o,
  output req_event_t                         event_o,
  output logic       [idx_width(NumQps)-1:0] qpn_o,
  output req_qpc_t                           qpc_o,

  output logic quiet_o
);

  localparam int unsigned QpW = idx_width(NumQps);

  logic flush_q, resume_q;  // resume_q: the flush is a resumption
  logic [QpW-1:0] flush_qpn_q, qpn_q, qpn, cfg_qpn;
  req_event_t event_q;
  logic cfg_qp, pause, take_flush, take_err, take_fail, take_timer, take_rsp;
  req_qpc_t cfg_qpc;

  assign cfg_qp = is_qp_row(cfg_i, NumQps);
  assign cfg_qpn = cfg_i.index[QpW-1:0];
  assign cfg_qpc = '{
          peer_ip: cfg_i.qpc.peer_ip,
          timeout: cfg_i.qpc.timeout,
          retry_limit: cfg_i.qpc.retry_limit,
          rnr_retry: cfg_i.qpc.rnr_retry
      };
  assign pause = cfg_valid_i && !cfg_i.is_region;

  assign cfg_ready_o = cfg_i.is_region || (idle_i && !flush_q && !qp_err_valid_i && !fail_valid_i);

  assign take_flush = idle_i && flush_q;
  assign take_err = idle_i && !flush_q && qp_err_valid_i;
  assign take_fail = idle_i && !flush_q && !qp_err_valid_i && fail_valid_i;
  assign take_timer = idle_i && !flush_q && !qp_err_valid_i && !fail_valid_i && !pause && timer_valid_i;
  assign take_rsp = (idle_i || last_i) && !flush_q && !qp_err_valid_i && !fail_valid_i && !timer_valid_i && !pause &&
      rx_rsp_valid_i;
  assign qpn        = take_flush ? flush_qpn_q : take_err ? qp_err_i.qpn[QpW-1:0] : take_fail ? fail_i.qpn[QpW-1:0] :
                      take_timer ? timer_qpn_i : rx_rsp_i.qpn[QpW-1:0];

  assign take_o = take_flush || take_err || take_fail || take_timer || take_rsp;
  assign qp_err_ready_o = take_err;
  assign fail_ready_o = take_fail;
  assign timer_ready_o = take_timer;
  assign rx_rsp_ready_o = take_rsp;
  assign event_o = event_q;
  assign qpn_o = qpn_q;
  assign quiet_o = idle_i && !flush_q && !qp_err_valid_i && !fail_valid_i && !timer_valid_i && !rx_rsp_valid_i;

  prim_ram_1r1w #(
    .T    (req_qpc_t),
    .Depth(NumQps)
  ) u_qpc (
    .clk_i,
    .re_i   (take_o),
    .raddr_i(qpn),
    .rdata_o(qpc_o),
    .we_i   (cfg_go_i && cfg_qp),
    .waddr_i(cfg_qpn),
    .wdata_i(cfg_qpc)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      flush_q <= 1'b0;
    end else begin
      if (take_flush) flush_q <= 1'b0;
      if (flush_i || resume_i) flush_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (flush_i || resume_i) begin
      flush_qpn_q <= cfg_qpn;
      resume_q    <= resume_i;
    end
    if (take_o) begin
      qpn_q <= qpn;
      event_q <= '{
          kind:
          take_flush
          ?
          (resume_q ? EvResume : EvFlush)
          :
          take_err
          ?
          EvError
          :
          take_fail
          ?
          EvMemory
          :
          take_timer
          ?
          EvTimer
          :
          EvResponse,
          own: fail_i.own,
          in_range: take_err ? qp_err_i.qpn < 24'(NumQps) : !take_rsp || rx_rsp_i.qpn < 24'(NumQps),
          src_ip: rx_rsp_i.src_ip,
          psn: take_fail ? fail_i.psn : rx_rsp_i.psn,
          opcode: rx_rsp_i.opcode,
          syndrome: rx_rsp_i.syndrome,
          orig: rx_rsp_i.orig,
          len: rx_rsp_i.len
      };
    end
  end

endmodule
