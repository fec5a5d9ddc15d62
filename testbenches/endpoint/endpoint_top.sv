// SPDX-License-Identifier: Apache-2.0
// The endpoint of node_core by itself: network, receive half, send half, atomics and memories, one clock, tables and verbs
// on pins. Wiring only. For tests that post verbs and receive buffers directly and at full speed.
module endpoint_top
  import axis_pkg::*;
  import net_pkg::*;
  import roce_cc_pkg::*;
  import roce_pkg::*;
#(
  parameter int unsigned NumQps      = 256,
  parameter int unsigned NumRegions  = 64,
  parameter int unsigned NumNeigh    = 16,
  parameter int unsigned Window      = 16,
  parameter int unsigned SqDepth     = 16,
  parameter int unsigned RqDepth     = 16,
  parameter int unsigned RdAtomic    = 16,
  parameter int unsigned RxFifoBeats = 1024,
  parameter int unsigned CyclesPerUs = 250
) (
  input logic clk_i,
  input logic rst_i,

  // Tables and registers; a row is held until cfg_ready_o
  input  roce_glb_t        glb_i,
  input  roce_cfg_t        cfg_i,
  input  logic             cfg_valid_i,
  output logic             cfg_ready_o,
  input  net_cfg_t         net_cfg_i,
  input  logic             neigh_we_i,
  input  logic       [7:0] neigh_index_i,
  input  net_neigh_t       neigh_i,

  // MAC
  input  logic [511:0] rx_data_i,
  input  logic [  6:0] rx_bytes_i,
  input  logic         rx_last_i,
  input  logic         rx_err_i,
  input  logic         rx_valid_i,
  output logic [511:0] tx_data_o,
  output logic [  6:0] tx_bytes_o,
  output logic         tx_last_o,
  output logic         tx_err_o,
  output logic         tx_valid_o,
  input  logic         tx_ready_i,

  // HBM, host memory
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

  // Work requests, receive buffers, completions
  input  verb_t   verb_i,
  input  logic    verb_valid_i,
  output logic    verb_ready_o,
  output cpl_t    cpl_o,
  output logic    cpl_valid_o,
  input  logic    cpl_ready_i,
  input  rq_wr_t  rq_post_i,
  input  logic    rq_post_valid_i,
  output logic    rq_post_ready_o,
  output rq_cpl_t rq_cpl_o,
  output logic    rq_cpl_valid_o,
  input  logic    rq_cpl_ready_i,

  // An RPC passes by
  output logic rpc_o,

  // Beats of request payload that wait in the receive FIFO
  output logic [15:0] rx_level_o,

  // Time, and one-cycle event pulses
  input  logic           [63:0] now_i,
  output logic                  quiet_o,
  output logic           [63:0] wake_at_o,
  output net_stats_t            net_stats_o,
  output roce_rx_stats_t        rx_stats_o,
  output roce_tx_stats_t        tx_stats_o
);

  axis_beat_t rx_beat, tx_beat;
  axi_req_t hbm_req, host_req;
  axi_rsp_t hbm_rsp, host_rsp;
  roce_rpc_t unused_rpc;
  logic cfg_go, cfg_rx_ready, cfg_tx_ready, neigh_re;
  logic [7:0] neigh_rindex;
  net_neigh_t neigh_rrow;
  net_rx_beat_t net_rx_beat;
  logic net_rx_valid;
  axis_beat_t roce_frame, arp_frame, icmp_frame;
  logic roce_frame_valid, roce_frame_ready, arp_frame_valid, arp_frame_ready, icmp_frame_valid, icmp_frame_ready;
  net_stats_t net_rx_stats;
  roce_rx_stats_t rx_stats;
  roce_tx_stats_t tx_stats;
  roce_cc_stats_t unused_cc_stats;
  logic arp_drop, icmp_drop, tx_frame;

  // Between the halves of the endpoint
  rx_rsp_t  rx_rsp;
  ack_evt_t ack_evt;
  rd_evt_t  rd;
  logic rd_valid, rd_ready;
  wr_no_t wr_done;
  atomic_req_t atomic;
  atomic_rsp_t [1:0] atomic_rsp;
  logic atomic_valid, atomic_ready;
  logic [1:0] atomic_rsp_valid, atomic_rsp_ready;
  logic [23:0] ce_qpn, cnp_qpn;
  logic ce_valid, ce_ready, cnp_valid, cnp_ready;
  qp_err_t rx_qp_err, tx_qp_err;
  logic rx_rsp_valid, rx_rsp_ready, ack_evt_valid, ack_evt_ready;
  rx_cmd_t rsp_cmd;
  logic rsp_cmd_valid, rsp_cmd_ready;
  rsp_done_t rsp_done;
  logic rx_qp_err_valid, rx_qp_err_ready, tx_qp_err_valid, tx_qp_err_ready;

  // Memory writes: 0 payload of requests, 1 of responses, 2 (HBM) retransmission ring
  axi_addr_t [2:0] hbm_aw;
  axi_w_t [2:0] hbm_w;
  axi_b_t [2:0] hbm_b;
  logic [2:0] hbm_aw_valid, hbm_aw_ready, hbm_w_valid, hbm_w_ready, hbm_b_valid, hbm_b_ready;
  axi_addr_t [1:0] host_aw;
  axi_w_t [1:0] host_w;
  axi_b_t [1:0] host_b;
  logic [1:0] host_aw_valid, host_aw_ready, host_w_valid, host_w_ready, host_b_valid, host_b_ready;
  axi_addr_t hbm_ar, host_ar;
  axi_r_t hbm_r, host_r;
  logic hbm_ar_valid, hbm_ar_ready, hbm_r_valid, hbm_r_ready, host_ar_valid, host_ar_ready, host_r_valid, host_r_ready;

  logic net_rx_quiet, arp_quiet, icmp_quiet, roce_rx_quiet, roce_tx_quiet, net_tx_quiet, neigh_quiet;
  logic mem_quiet, host_mem_quiet, wr_quiet, rq_quiet, path_quiet, cc_quiet;

  // A table write happens in all consumers at once.
  assign cfg_ready_o = cfg_rx_ready && cfg_tx_ready;
  assign cfg_go = cfg_valid_i && cfg_ready_o;

  // ---- Receive -----------------------------------------------------------------------------------------------------
  net_rx u_net_rx (
    .clk_i,
    .rst_i,
    .cfg_i         (net_cfg_i),
    .mac_rx_i      (rx_beat),
    .mac_rx_valid_i(rx_valid_i),
    .rx_o          (net_rx_beat),
    .rx_valid_o    (net_rx_valid),
    .stats_o       (net_rx_stats),
    .quiet_o       (net_rx_quiet)
  );

  net_arp u_arp (
    .clk_i,
    .rst_i,
    .cfg_i     (net_cfg_i),
    .rx_i      (net_rx_beat),
    .rx_valid_i(net_rx_valid),
    .tx_o      (arp_frame),
    .tx_valid_o(arp_frame_valid),
    .tx_ready_i(arp_frame_ready),
    .drop_o    (arp_drop),
    .quiet_o   (arp_quiet)
  );

  net_icmp u_icmp (
    .clk_i,
    .rst_i,
    .cfg_i     (net_cfg_i),
    .rx_i      (net_rx_beat),
    .rx_valid_i(net_rx_valid),
    .tx_o      (icmp_frame),
    .tx_valid_o(icmp_frame_valid),
    .tx_ready_i(icmp_frame_ready),
    .drop_o    (icmp_drop),
    .quiet_o   (icmp_quiet)
  );

  roce_rx #(
    .NumQps     (NumQps),
    .NumRegions (NumRegions),
    .RxFifoBeats(RxFifoBeats),
    .RqDepth    (RqDepth)
  ) u_roce_rx (
    .clk_i,
    .clk_wr_i       (clk_i),
    .clk_rq_i       (clk_i),
    .rst_i,
    .glb_i,
    .cfg_i,
    .cfg_valid_i,
    .cfg_go_i       (cfg_go),
    .cfg_ready_o    (cfg_rx_ready),
    .net_i          (net_rx_beat),
    .net_valid_i    (net_rx_valid),
    .rx_rsp_o       (rx_rsp),
    .rx_rsp_valid_o (rx_rsp_valid),
    .rx_rsp_ready_i (rx_rsp_ready),
    .rsp_cmd_i      (rsp_cmd),
    .rsp_cmd_valid_i(rsp_cmd_valid),
    .rsp_cmd_ready_o(rsp_cmd_ready),
    .rsp_done_o     (rsp_done),
    .rq_post_i,
    .rq_post_valid_i,
    .rq_post_ready_o,
    .rq_cpl_o,
    .rq_cpl_valid_o,
    .rq_cpl_ready_i,
    .rd_o           (rd),
    .rd_valid_o     (rd_valid),
    .rd_ready_i     (rd_ready),
    .wr_done_o      (wr_done),
    .ce_o           (ce_qpn),
    .ce_valid_o     (ce_valid),
    .ce_ready_i     (ce_ready),
    .cnp_o          (cnp_qpn),
    .cnp_valid_o    (cnp_valid),
    .cnp_ready_i    (cnp_ready),
    .ack_evt_o      (ack_evt),
    .ack_evt_valid_o(ack_evt_valid),
    .ack_evt_ready_i(ack_evt_ready),
    .rpc_o          (unused_rpc),
    .rpc_valid_o    (rpc_o),
    .rpc_ready_i    (1'b1),
    .hbm_aw_o       (hbm_aw[1:0]),
    .hbm_aw_valid_o (hbm_aw_valid[1:0]),
    .hbm_aw_ready_i (hbm_aw_ready[1:0]),
    .hbm_w_o        (hbm_w[1:0]),
    .hbm_w_valid_o  (hbm_w_valid[1:0]),
    .hbm_w_ready_i  (hbm_w_ready[1:0]),
    .hbm_b_i        (hbm_b[1:0]),
    .hbm_b_valid_i  (hbm_b_valid[1:0]),
    .hbm_b_ready_o  (hbm_b_ready[1:0]),
    .host_aw_o      (host_aw),
    .host_aw_valid_o(host_aw_valid),
    .host_aw_ready_i(host_aw_ready),
    .host_w_o       (host_w),
    .host_w_valid_o (host_w_valid),
    .host_w_ready_i (host_w_ready),
    .host_b_i       (host_b),
    .host_b_valid_i (host_b_valid),
    .host_b_ready_o (host_b_ready),
    .qp_err_o       (rx_qp_err),
    .qp_err_valid_o (rx_qp_err_valid),
    .qp_err_ready_i (rx_qp_err_ready),
    .qp_err_i       (tx_qp_err),
    .qp_err_valid_i (tx_qp_err_valid),
    .qp_err_ready_o (tx_qp_err_ready),
    .level_o        (rx_level_o),
    .stats_o        (rx_stats),
    .quiet_o        (roce_rx_quiet),
    .wr_quiet_o     (wr_quiet),
    .rq_quiet_o     (rq_quiet)
  );

  // ---- Send --------------------------------------------------------------------------------------------------------
  roce_tx #(
    .NumQps     (NumQps),
    .Window     (Window),
    .SqDepth    (SqDepth),
    .RdAtomic   (RdAtomic),
    .CyclesPerUs(CyclesPerUs)
  ) u_roce_tx (
    .clk_i,
    .clk_path_i     (clk_i),
    .clk_cc_i       (clk_i),
    .rst_i,
    .now_i,
    .glb_i,
    .cfg_i,
    .cfg_valid_i,
    .cfg_go_i       (cfg_go),
    .cfg_ready_o    (cfg_tx_ready),
    .net_cfg_i,
    .cc_i           (cc_defaults(CyclesPerUs, 100)),
    .ce_qpn_i       (ce_qpn),
    .ce_valid_i     (ce_valid),
    .ce_ready_o     (ce_ready),
    .cnp_qpn_i      (cnp_qpn),
    .cnp_valid_i    (cnp_valid),
    .cnp_ready_o    (cnp_ready),
    .verb_i,
    .verb_valid_i,
    .verb_ready_o,
    .cpl_o,
    .cpl_valid_o,
    .cpl_ready_i,
    .rx_rsp_i       (rx_rsp),
    .rx_rsp_valid_i (rx_rsp_valid),
    .rx_rsp_ready_o (rx_rsp_ready),
    .rsp_cmd_o      (rsp_cmd),
    .rsp_cmd_valid_o(rsp_cmd_valid),
    .rsp_cmd_ready_i(rsp_cmd_ready),
    .rsp_done_i     (rsp_done),
    .ack_evt_i      (ack_evt),
    .ack_evt_valid_i(ack_evt_valid),
    .ack_evt_ready_o(ack_evt_ready),
    .rd_i           (rd),
    .rd_valid_i     (rd_valid),
    .rd_ready_o     (rd_ready),
    .wr_done_i      (wr_done),
    .atomic_o       (atomic),
    .atomic_valid_o (atomic_valid),
    .atomic_ready_i (atomic_ready),
    .atomic_i       (atomic_rsp),
    .atomic_valid_i (atomic_rsp_valid),
    .atomic_ready_o (atomic_rsp_ready),
    .qp_err_i       (rx_qp_err),
    .qp_err_valid_i (rx_qp_err_valid),
    .qp_err_ready_o (rx_qp_err_ready),
    .qp_err_o       (tx_qp_err),
    .qp_err_valid_o (tx_qp_err_valid),
    .qp_err_ready_i (tx_qp_err_ready),
    .neigh_re_o     (neigh_re),
    .neigh_idx_o    (neigh_rindex),
    .neigh_i        (neigh_rrow),
    .hbm_ar_o       (hbm_ar),
    .hbm_ar_valid_o (hbm_ar_valid),
    .hbm_ar_ready_i (hbm_ar_ready),
    .hbm_r_i        (hbm_r),
    .hbm_r_valid_i  (hbm_r_valid),
    .hbm_r_ready_o  (hbm_r_ready),
    .hbm_aw_o       (hbm_aw[2]),
    .hbm_aw_valid_o (hbm_aw_valid[2]),
    .hbm_aw_ready_i (hbm_aw_ready[2]),
    .hbm_w_o        (hbm_w[2]),
    .hbm_w_valid_o  (hbm_w_valid[2]),
    .hbm_w_ready_i  (hbm_w_ready[2]),
    .hbm_b_i        (hbm_b[2]),
    .hbm_b_valid_i  (hbm_b_valid[2]),
    .hbm_b_ready_o  (hbm_b_ready[2]),
    .host_ar_o      (host_ar),
    .host_ar_valid_o(host_ar_valid),
    .host_ar_ready_i(host_ar_ready),
    .host_r_i       (host_r),
    .host_r_valid_i (host_r_valid),
    .host_r_ready_o (host_r_ready),
    .frame_o        (roce_frame),
    .frame_valid_o  (roce_frame_valid),
    .frame_ready_i  (roce_frame_ready),
    .stats_o        (tx_stats),
    .cc_stats_o     (unused_cc_stats),
    .quiet_o        (roce_tx_quiet),
    .path_quiet_o   (path_quiet),
    .cc_quiet_o     (cc_quiet),
    .wake_at_o
  );

  net_neigh #(
    .NumNeigh(NumNeigh)
  ) u_neigh (
    .clk_i,
    .rst_i,
    .we_i    (neigh_we_i),
    .windex_i(neigh_index_i),
    .wrow_i  (neigh_i),
    .re_i    (neigh_re),
    .rindex_i(neigh_rindex),
    .row_o   (neigh_rrow),
    .quiet_o (neigh_quiet)
  );

  net_tx u_net_tx (
    .clk_i,
    .rst_i,
    .roce_i        (roce_frame),
    .roce_valid_i  (roce_frame_valid),
    .roce_ready_o  (roce_frame_ready),
    .arp_i         (arp_frame),
    .arp_valid_i   (arp_frame_valid),
    .arp_ready_o   (arp_frame_ready),
    .icmp_i        (icmp_frame),
    .icmp_valid_i  (icmp_frame_valid),
    .icmp_ready_o  (icmp_frame_ready),
    .mac_tx_o      (tx_beat),
    .mac_tx_valid_o(tx_valid_o),
    .mac_tx_ready_i(tx_ready_i),
    .frame_o       (tx_frame),
    .quiet_o       (net_tx_quiet)
  );

  // ---- Memories: atomics, writes, reads ------------------------------------------------------------------------------
  node_mem #(
    .HbmWriters (3),
    .HbmReaders (1),
    .HostWriters(2),
    .HostReaders(1)
  ) u_mem (
    .clk_i,
    .clk_host_i     (clk_i),
    .rst_i,
    .atomic_i       (atomic),
    .atomic_valid_i (atomic_valid),
    .atomic_ready_o (atomic_ready),
    .atomic_o       (atomic_rsp),
    .atomic_valid_o (atomic_rsp_valid),
    .atomic_ready_i (atomic_rsp_ready),
    .hbm_aw_i       (hbm_aw),
    .hbm_aw_valid_i (hbm_aw_valid),
    .hbm_aw_ready_o (hbm_aw_ready),
    .hbm_w_i        (hbm_w),
    .hbm_w_valid_i  (hbm_w_valid),
    .hbm_w_ready_o  (hbm_w_ready),
    .hbm_b_o        (hbm_b),
    .hbm_b_valid_o  (hbm_b_valid),
    .hbm_b_ready_i  (hbm_b_ready),
    .hbm_ar_i       (hbm_ar),
    .hbm_ar_valid_i (hbm_ar_valid),
    .hbm_ar_ready_o (hbm_ar_ready),
    .hbm_r_o        (hbm_r),
    .hbm_r_valid_o  (hbm_r_valid),
    .hbm_r_ready_i  (hbm_r_ready),
    .host_aw_i      (host_aw),
    .host_aw_valid_i(host_aw_valid),
    .host_aw_ready_o(host_aw_ready),
    .host_w_i       (host_w),
    .host_w_valid_i (host_w_valid),
    .host_w_ready_o (host_w_ready),
    .host_b_o       (host_b),
    .host_b_valid_o (host_b_valid),
    .host_b_ready_i (host_b_ready),
    .host_ar_i      (host_ar),
    .host_ar_valid_i(host_ar_valid),
    .host_ar_ready_o(host_ar_ready),
    .host_r_o       (host_r),
    .host_r_valid_o (host_r_valid),
    .host_r_ready_i (host_r_ready),
    .hbm_o          (hbm_req),
    .hbm_i          (hbm_rsp),
    .host_o         (host_req),
    .host_i         (host_rsp),
    .quiet_o        (mem_quiet),
    .host_quiet_o   (host_mem_quiet)
  );


  // ---- Pins ---------------------------------------------------------------------------------------------------------
  assign quiet_o = net_rx_quiet && arp_quiet && icmp_quiet && roce_rx_quiet && roce_tx_quiet && net_tx_quiet && neigh_quiet && mem_quiet &&
                   host_mem_quiet && wr_quiet && rq_quiet && path_quiet && cc_quiet;

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

  always_comb begin
    net_stats_o = net_rx_stats;
    net_stats_o.rx_drop_other = arp_drop || icmp_drop;
    net_stats_o.tx_frames = tx_frame;
  end
  assign rx_stats_o = rx_stats;
  assign tx_stats_o = tx_stats;

endmodule
