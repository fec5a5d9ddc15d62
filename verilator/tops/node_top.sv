// SPDX-License-Identifier: Apache-2.0
// node_core behind flat, named ports, as C++ drives them. Wiring only; see node_core for what the ports mean.
module node_top
  import axis_pkg::*;
  import hostif_pkg::*;
  import node_pkg::*;
  import rdt_pkg::*;
(
  input logic clk_rx_i,
  input logic clk_wr_i,
  input logic clk_rq_i,
  input logic clk_tx_i,
  input logic clk_cc_i,
  input logic clk_path_i,
  input logic clk_mem_i,
  input logic clk_pcie_i,
  input logic clk_rdt_i,
  input logic clk_host_i,
  input logic clk_csr_i,
  input logic rst_i,

  input logic [511:0] rx_data_i,
  input logic [  6:0] rx_bytes_i,
  input logic         rx_last_i,
  input logic         rx_err_i,
  input logic         rx_valid_i,

  output logic [511:0] tx_data_o,
  output logic [  6:0] tx_bytes_o,
  output logic         tx_last_o,
  output logic         tx_err_o,
  output logic         tx_valid_o,
  input  logic         tx_ready_i,

  output logic [  3:0] hbm_aw_id_o,
  output logic [ 63:0] hbm_aw_addr_o,
  output logic [  7:0] hbm_aw_len_o,
  output logic         hbm_aw_valid_o,
  input  logic         hbm_aw_ready_i,
  output logic [511:0] hbm_w_data_o,
  output logic [ 63:0] hbm_w_strb_o,
  output logic         hbm_w_last_o,
  output logic         hbm_w_valid_o,
  input  logic         hbm_w_ready_i,
  input  logic [  3:0] hbm_b_id_i,
  input  logic [  1:0] hbm_b_resp_i,
  input  logic         hbm_b_valid_i,
  output logic         hbm_b_ready_o,
  output logic [  3:0] hbm_ar_id_o,
  output logic [ 63:0] hbm_ar_addr_o,
  output logic [  7:0] hbm_ar_len_o,
  output logic         hbm_ar_valid_o,
  input  logic         hbm_ar_ready_i,
  input  logic [511:0] hbm_r_data_i,
  input  logic [  3:0] hbm_r_id_i,
  input  logic [  1:0] hbm_r_resp_i,
  input  logic         hbm_r_last_i,
  input  logic         hbm_r_valid_i,
  output logic         hbm_r_ready_o,

  output logic [  3:0] host_aw_id_o,
  output logic [ 63:0] host_aw_addr_o,
  output logic [  7:0] host_aw_len_o,
  output logic         host_aw_valid_o,
  input  logic         host_aw_ready_i,
  output logic [511:0] host_w_data_o,
  output logic [ 63:0] host_w_strb_o,
  output logic         host_w_last_o,
  output logic         host_w_valid_o,
  input  logic         host_w_ready_i,
  input  logic [  3:0] host_b_id_i,
  input  logic [  1:0] host_b_resp_i,
  input  logic         host_b_valid_i,
  output logic         host_b_ready_o,
  output logic [  3:0] host_ar_id_o,
  output logic [ 63:0] host_ar_addr_o,
  output logic [  7:0] host_ar_len_o,
  output logic         host_ar_valid_o,
  input  logic         host_ar_ready_i,
  input  logic [511:0] host_r_data_i,
  input  logic [  3:0] host_r_id_i,
  input  logic [  1:0] host_r_resp_i,
  input  logic         host_r_last_i,
  input  logic         host_r_valid_i,
  output logic         host_r_ready_o,

  input  logic [15:0] csr_awaddr_i,
  input  logic        csr_awvalid_i,
  output logic        csr_awready_o,
  input  logic [31:0] csr_wdata_i,
  input  logic        csr_wvalid_i,
  output logic        csr_wready_o,
  output logic [ 1:0] csr_bresp_o,
  output logic        csr_bvalid_o,
  input  logic        csr_bready_i,
  input  logic [15:0] csr_araddr_i,
  input  logic        csr_arvalid_i,
  output logic        csr_arready_o,
  output logic [31:0] csr_rdata_o,
  output logic [ 1:0] csr_rresp_o,
  output logic        csr_rvalid_o,
  input  logic        csr_rready_i,

  input  logic [ 7:0] req_op_i,
  input  logic [31:0] req_tag_i,
  input  logic [63:0] req_key_i,
  input  logic [63:0] req_value_i,
  input  logic [23:0] req_qpn_i,
  input  logic [63:0] req_laddr_i,
  input  logic [63:0] req_raddr_i,
  input  logic [31:0] req_rkey_i,
  input  logic [31:0] req_len_i,
  input  logic        req_valid_i,
  output logic        req_ready_o,
  output logic [31:0] rsp_tag_o,
  output logic [ 7:0] rsp_status_o,
  output logic [63:0] rsp_value_o,
  output logic        rsp_valid_o,
  input  logic        rsp_ready_i,

  output logic [15:0] host_event_cqn_o,
  output logic        host_event_valid_o,

  input logic [63:0] now_i,
  // Records for the trace are wanted
  input logic trace_i,
  // status_o is wanted; otherwise it is 0 and costs nothing, which is so after each edge
  input logic look_i,

  // {node_quiet_t, wake_at in 191:128, node_stats_t from bit 0 on}: one wide port, because Verilator evaluates a narrow
  // one whether look_i is set or not
  output logic [223:0] status_o
);

  axis_beat_t rx_beat, tx_beat;
  axi_req_t hbm_req, host_req;
  axi_rsp_t hbm_rsp, host_rsp;
  axil_req_t csr_req;
  axil_rsp_t csr_rsp;
  client_req_t client_req;
  client_rsp_t client_rsp;
  node_stats_t stats;
  node_quiet_t quiet;
  logic [63:0] wake_at;
  cq_event_t host_event;

  node_core #(
    .Cfg(NODE_CFG_DEFAULT)
  ) u_core (
    .clk_rx_i,
    .clk_wr_i,
    .clk_rq_i,
    .clk_tx_i,
    .clk_cc_i,
    .clk_path_i,
    .clk_mem_i,
    .clk_pcie_i,
    .clk_rdt_i,
    .clk_host_i,
    .clk_csr_i,
    .rst_i,
    .rx_i              (rx_beat),
    .rx_valid_i,
    .tx_o              (tx_beat),
    .tx_valid_o,
    .tx_ready_i,
    .hbm_o             (hbm_req),
    .hbm_i             (hbm_rsp),
    .host_o            (host_req),
    .host_i            (host_rsp),
    .csr_i             (csr_req),
    .csr_o             (csr_rsp),
    .client_req_i      (client_req),
    .client_req_valid_i(req_valid_i),
    .client_req_ready_o(req_ready_o),
    .client_rsp_o      (client_rsp),
    .client_rsp_valid_o(rsp_valid_o),
    .client_rsp_ready_i(rsp_ready_i),
    .host_event_o      (host_event),
    .host_event_valid_o,
    .now_i,
    .quiet_o           (quiet),
    .wake_at_o         (wake_at),
    .stats_o           (stats)
  );

  assign rx_beat = '{err: rx_err_i, last: rx_last_i, bytes: rx_bytes_i, data: rx_data_i};
  assign tx_data_o = tx_beat.data;
  assign tx_bytes_o = tx_beat.bytes;
  assign tx_last_o = tx_beat.last;
  assign tx_err_o = tx_beat.err;

  assign hbm_aw_id_o = hbm_req.aw.id;
  assign hbm_aw_addr_o = hbm_req.aw.addr;
  assign hbm_aw_len_o = hbm_req.aw.len;
  assign hbm_aw_valid_o = hbm_req.aw_valid;
  assign hbm_w_data_o = hbm_req.w.data;
  assign hbm_w_strb_o = hbm_req.w.strb;
  assign hbm_w_last_o = hbm_req.w.last;
  assign hbm_w_valid_o = hbm_req.w_valid;
  assign hbm_b_ready_o = hbm_req.b_ready;
  assign hbm_ar_id_o = hbm_req.ar.id;
  assign hbm_ar_addr_o = hbm_req.ar.addr;
  assign hbm_ar_len_o = hbm_req.ar.len;
  assign hbm_ar_valid_o = hbm_req.ar_valid;
  assign hbm_r_ready_o = hbm_req.r_ready;
  assign hbm_rsp = '{
          aw_ready: hbm_aw_ready_i,
          w_ready: hbm_w_ready_i,
          b: '{id: hbm_b_id_i, resp: hbm_b_resp_i},
          b_valid: hbm_b_valid_i,
          ar_ready: hbm_ar_ready_i,
          r: '{id: hbm_r_id_i, resp: hbm_r_resp_i, last: hbm_r_last_i, data: hbm_r_data_i},
          r_valid: hbm_r_valid_i
      };

  assign host_aw_id_o = host_req.aw.id;
  assign host_aw_addr_o = host_req.aw.addr;
  assign host_aw_len_o = host_req.aw.len;
  assign host_aw_valid_o = host_req.aw_valid;
  assign host_w_data_o = host_req.w.data;
  assign host_w_strb_o = host_req.w.strb;
  assign host_w_last_o = host_req.w.last;
  assign host_w_valid_o = host_req.w_valid;
  assign host_b_ready_o = host_req.b_ready;
  assign host_ar_id_o = host_req.ar.id;
  assign host_ar_addr_o = host_req.ar.addr;
  assign host_ar_len_o = host_req.ar.len;
  assign host_ar_valid_o = host_req.ar_valid;
  assign host_r_ready_o = host_req.r_ready;
  assign host_rsp = '{
          aw_ready: host_aw_ready_i,
          w_ready: host_w_ready_i,
          b: '{id: host_b_id_i, resp: host_b_resp_i},
          b_valid: host_b_valid_i,
          ar_ready: host_ar_ready_i,
          r: '{id: host_r_id_i, resp: host_r_resp_i, last: host_r_last_i, data: host_r_data_i},
          r_valid: host_r_valid_i
      };

  assign csr_req = '{
          awaddr: csr_awaddr_i,
          awvalid: csr_awvalid_i,
          wdata: csr_wdata_i,
          wvalid: csr_wvalid_i,
          bready: csr_bready_i,
          araddr: csr_araddr_i,
          arvalid: csr_arvalid_i,
          rready: csr_rready_i
      };
  assign csr_awready_o = csr_rsp.awready;
  assign csr_wready_o = csr_rsp.wready;
  assign csr_bresp_o = csr_rsp.bresp;
  assign csr_bvalid_o = csr_rsp.bvalid;
  assign csr_arready_o = csr_rsp.arready;
  assign csr_rdata_o = csr_rsp.rdata;
  assign csr_rresp_o = csr_rsp.rresp;
  assign csr_rvalid_o = csr_rsp.rvalid;

  assign client_req = '{
          op: req_op_i,
          tag: req_tag_i,
          key: req_key_i,
          value: req_value_i,
          qpn: req_qpn_i,
          laddr: req_laddr_i,
          raddr: req_raddr_i,
          rkey: req_rkey_i,
          len: req_len_i
      };
  assign rsp_tag_o = client_rsp.tag;
  assign rsp_status_o = client_rsp.status;
  assign rsp_value_o = client_rsp.value;
  always_comb begin
    status_o = '0;
    if (look_i) status_o = {32'(quiet), wake_at, 128'(stats)};
  end

  assign host_event_cqn_o = host_event.cqn;

endmodule
