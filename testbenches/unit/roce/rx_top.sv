// SPDX-License-Identifier: Apache-2.0
// roce_rx with one memory each, as the benches have it: the port of requests. The payload of responses is dropped.
module rx_top
  import net_pkg::*;
  import axis_pkg::*;
  import roce_pkg::*;
#(
  parameter int unsigned NumQps      = 256,
  parameter int unsigned NumRegions  = 64,
  parameter int unsigned RxFifoBeats = 1024
) (
  input logic clk_i,
  input logic rst_i,

  // Registers and configuration rows
  input  roce_glb_t glb_i,
  input  roce_cfg_t cfg_i,
  input  logic      cfg_valid_i,
  input  logic      cfg_go_i,
  output logic      cfg_ready_o,

  // From net_rx
  input net_rx_beat_t net_i,
  input logic         net_valid_i,

  // Responses, to the requester
  output rx_rsp_t rx_rsp_o,
  output logic    rx_rsp_valid_o,
  input  logic    rx_rsp_ready_i,

  // Posted receive buffers, completions of receives
  input  rq_wr_t  rq_post_i,
  input  logic    rq_post_valid_i,
  output logic    rq_post_ready_o,
  output rq_cpl_t rq_cpl_o,
  output logic    rq_cpl_valid_o,
  input  logic    rq_cpl_ready_i,

  // READs and atomics; congestion events
  output rd_evt_t        rd_o,
  output logic           rd_valid_o,
  input  logic           rd_ready_i,
  output wr_no_t         wr_done_o,
  output logic    [23:0] ce_o,
  output logic           ce_valid_o,
  input  logic           ce_ready_i,
  output logic    [23:0] cnp_o,
  output logic           cnp_valid_o,
  input  logic           cnp_ready_i,

  // To be acknowledged
  output ack_evt_t ack_evt_o,
  output logic     ack_evt_valid_o,
  input  logic     ack_evt_ready_i,

  // To the dispatcher
  output roce_rpc_t rpc_o,
  output logic      rpc_valid_o,
  input  logic      rpc_ready_i,

  // HBM write ports: 0 payload of requests, 1 of responses
  output axi_addr_t hbm_aw_o,
  output logic      hbm_aw_valid_o,
  input  logic      hbm_aw_ready_i,
  output axi_w_t    hbm_w_o,
  output logic      hbm_w_valid_o,
  input  logic      hbm_w_ready_i,
  input  axi_b_t    hbm_b_i,
  input  logic      hbm_b_valid_i,
  output logic      hbm_b_ready_o,

  // Host memory write ports: 0 payload of requests, 1 of responses
  output axi_addr_t host_aw_o,
  output logic      host_aw_valid_o,
  input  logic      host_aw_ready_i,
  output axi_w_t    host_w_o,
  output logic      host_w_valid_o,
  input  logic      host_w_ready_i,
  input  axi_b_t    host_b_i,
  input  logic      host_b_valid_i,
  output logic      host_b_ready_o,

  // QPs whose responder failed; QPs whose requester failed
  output qp_err_t qp_err_o,
  output logic    qp_err_valid_o,
  input  logic    qp_err_ready_i,
  input  qp_err_t qp_err_i,
  input  logic    qp_err_valid_i,
  output logic    qp_err_ready_o,

  output roce_rx_stats_t stats_o,
  output logic           quiet_o
);

  rx_cmd_t cmd;
  logic cmd_ready, rsp_valid, room;
  assign cmd = '{inl: 1'b0, data: '0, target: RX_DROP, qpn: rx_rsp_o.qpn, addr: '0, len: rx_rsp_o.len};
  assign room = rx_rsp_o.len == '0 || cmd_ready;
  assign rx_rsp_valid_o = rsp_valid && room;

  axi_addr_t [1:0] hbm_aw;
  axi_w_t [1:0] hbm_w;
  logic [1:0] hbm_aw_valid, hbm_w_valid, hbm_b_ready;
  assign {hbm_aw_o, hbm_aw_valid_o} = {hbm_aw[0], hbm_aw_valid[0]};
  assign {hbm_w_o, hbm_w_valid_o} = {hbm_w[0], hbm_w_valid[0]};
  assign hbm_b_ready_o = hbm_b_ready[0];

  axi_addr_t [1:0] host_aw;
  axi_w_t [1:0] host_w;
  logic [1:0] host_aw_valid, host_w_valid, host_b_ready;
  assign {host_aw_o, host_aw_valid_o} = {host_aw[0], host_aw_valid[0]};
  assign {host_w_o, host_w_valid_o} = {host_w[0], host_w_valid[0]};
  assign host_b_ready_o = host_b_ready[0];

  logic rx_quiet, wr_quiet, rq_quiet;
  assign quiet_o = rx_quiet && wr_quiet && rq_quiet;

  roce_rx #(
    .NumQps      (NumQps),
    .NumRegions  (NumRegions),
    .RxFifoBeats (RxFifoBeats),
    .RspFifoBeats(RxFifoBeats)
  ) u_dut (
    .clk_i,
    .clk_wr_i       (clk_i),
    .clk_rq_i       (clk_i),
    .rst_i,
    .glb_i,
    .cfg_i,
    .cfg_valid_i,
    .cfg_go_i,
    .cfg_ready_o,
    .net_i,
    .net_valid_i,
    .rx_rsp_o,
    .rx_rsp_valid_o (rsp_valid),
    .rx_rsp_ready_i (rx_rsp_ready_i && room),
    .rq_post_i,
    .rq_post_valid_i,
    .rq_post_ready_o,
    .rq_cpl_o,
    .rq_cpl_valid_o,
    .rq_cpl_ready_i,
    .rd_o,
    .rd_valid_o,
    .rd_ready_i,
    .wr_done_o,
    .ce_o,
    .ce_valid_o,
    .ce_ready_i,
    .cnp_o,
    .cnp_valid_o,
    .cnp_ready_i,
    .ack_evt_o,
    .ack_evt_valid_o,
    .ack_evt_ready_i,
    .rpc_o,
    .rpc_valid_o,
    .rpc_ready_i,
    .hbm_aw_o       (hbm_aw),
    .hbm_aw_valid_o (hbm_aw_valid),
    .hbm_aw_ready_i ({1'b0, hbm_aw_ready_i}),
    .hbm_w_o        (hbm_w),
    .hbm_w_valid_o  (hbm_w_valid),
    .hbm_w_ready_i  ({1'b0, hbm_w_ready_i}),
    .hbm_b_i        ({2{hbm_b_i}}),
    .hbm_b_valid_i  ({1'b0, hbm_b_valid_i}),
    .hbm_b_ready_o  (hbm_b_ready),
    .host_aw_o      (host_aw),
    .host_aw_valid_o(host_aw_valid),
    .host_aw_ready_i({1'b0, host_aw_ready_i}),
    .host_w_o       (host_w),
    .host_w_valid_o (host_w_valid),
    .host_w_ready_i ({1'b0, host_w_ready_i}),
    .host_b_i       ({2{host_b_i}}),
    .host_b_valid_i ({1'b0, host_b_valid_i}),
    .host_b_ready_o (host_b_ready),
    .qp_err_o,
    .qp_err_valid_o,
    .qp_err_ready_i,
    .qp_err_i,
    .qp_err_valid_i,
    .qp_err_ready_o,
    .stats_o,
    .quiet_o        (rx_quiet),
    .wr_quiet_o     (wr_quiet),
    .rq_quiet_o     (rq_quiet),
    .rsp_cmd_i      (cmd),
    .rsp_cmd_valid_i(rx_rsp_valid_o && rx_rsp_ready_i && rx_rsp_o.len != '0),
    .rsp_cmd_ready_o(cmd_ready),
    .rsp_done_o     ()
  );

endmodule
