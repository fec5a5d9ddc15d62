// SPDX-License-Identifier: Apache-2.0
// One node: network, RoCE endpoint, replicated data types, registers. Wiring only.
//
//   mac rx -> net_rx -+-> roce_rx -+-> hbm, host (payload)     verb -> roce_tx -> net_tx -> mac tx
//                     +-> net_arp  +-> rpc -> rdt_top -> verb          ^  |        ^
//                     +-> net_icmp +-> acks, READs, atomics, responses +  +-> hbm, host, axis_atomic
//                            +---------- replies --------------------------------+
//
// Clocks: one clock, one copy per block group. A copy may be held low while its quiet_o flag is 1: then no state of the group
// would change. Every valid input makes a flag 0 in the same cycle; wake_at_o is the earliest cycle at which a flag turns 0 by
// itself. now_i counts cycles outside.
module node_core
  import axis_pkg::*;
  import hostif_pkg::*;
  import net_pfc_pkg::*;
  import net_pkg::*;
  import node_pkg::*;
  import prim_pkg::*;
  import rdt_pkg::*;
  import roce_cc_pkg::*;
  import roce_pkg::*;
#(
  parameter node_cfg_t Cfg = NODE_CFG_DEFAULT
) (
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

  // MAC receive: no ready, a MAC never waits
  input axis_beat_t rx_i,
  input logic       rx_valid_i,

  // MAC transmit
  output axis_beat_t tx_o,
  output logic       tx_valid_o,
  input  logic       tx_ready_i,

  // HBM
  output axi_req_t hbm_o,
  input  axi_rsp_t hbm_i,

  // Host memory over PCIe
  output axi_req_t host_o,
  input  axi_rsp_t host_i,

  // Host control
  input  axil_req_t csr_i,
  output axil_rsp_t csr_o,

  // Client operations
  input  client_req_t client_req_i,
  input  logic        client_req_valid_i,
  output logic        client_req_ready_o,
  output client_rsp_t client_rsp_o,
  output logic        client_rsp_valid_o,
  input  logic        client_rsp_ready_i,

  // Host completion queues: one-cycle event pulses
  output cq_event_t host_event_o,
  output logic      host_event_valid_o,

  // Time
  input  logic        [63:0] now_i,
  output node_quiet_t        quiet_o,
  output logic        [63:0] wake_at_o,

  // One-cycle event pulses
  output node_stats_t stats_o
);

  // Registers and tables
  csr_req_t csr;
  logic [31:0] rdt_rdata, hostif_rdata;
  net_cfg_t net_cfg;
  roce_glb_t glb;
  roce_cc_cfg_t cc_cfg;
  net_pfc_cfg_t pfc_cfg;
  roce_cfg_t cfg;
  logic cfg_valid, cfg_go, cfg_rx_ready, cfg_tx_ready;
  logic neigh_we, neigh_re;
  logic [7:0] neigh_windex, neigh_rindex;
  net_neigh_t neigh_wrow, neigh_rrow;

  // Congestion and flow control
  logic [23:0] ce_qpn, cnp_qpn;
  logic ce_valid, ce_ready, cnp_valid, cnp_ready;
  logic [15:0] rx_level;
  logic [63:0] tx_wake_at, net_wake_at;

  // Network
  net_rx_beat_t net_rx_beat;
  logic net_rx_valid;
  axis_beat_t roce_frame;
  logic roce_frame_valid, roce_frame_ready;

  // Between the halves of the endpoint, and to rdt
  rx_rsp_t   rx_rsp;
  ack_evt_t  ack_evt;
  roce_rpc_t rpc;
  verb_t verb, rdt_verb, host_verb;
  rq_wr_t  rq_post;
  rq_cpl_t rq_cpl;
  logic host_verb_valid, host_verb_ready, host_cpl_valid, host_cpl_ready;
  logic rq_post_valid, rq_post_ready, rq_cpl_valid, rq_cpl_ready;
  cpl_t cpl, rdt_cpl, host_cpl;
  logic rdt_verb_valid, rdt_verb_ready, rdt_cpl_valid, rdt_cpl_ready;
  rd_evt_t rd;
  logic rd_valid, rd_ready, atomic_valid, atomic_ready;
  wr_no_t wr_done;
  atomic_req_t atomic;
  atomic_rsp_t [1:0] atomic_rsp;
  logic [1:0] atomic_rsp_valid, atomic_rsp_ready;
  qp_err_t rx_qp_err, tx_qp_err;
  logic rx_rsp_valid, rx_rsp_ready, ack_evt_valid, ack_evt_ready, rpc_valid, rpc_ready, verb_valid, verb_ready;
  rx_cmd_t rsp_cmd;
  logic rsp_cmd_valid, rsp_cmd_ready;
  rsp_done_t rsp_done;
  logic cpl_valid, cpl_ready, rx_qp_err_valid, rx_qp_err_ready, tx_qp_err_valid, tx_qp_err_ready;

  // Masters of the memories. Writers: 0 payload of requests, 1 of responses, 2 (HBM) retransmission ring. Readers: 0 payload to
  // send
  axi_addr_t [2:0] hbm_aw;
  axi_w_t [2:0] hbm_w;
  axi_b_t [2:0] hbm_b;
  logic [2:0] hbm_aw_valid, hbm_aw_ready, hbm_w_valid, hbm_w_ready, hbm_b_valid, hbm_b_ready;
  axi_addr_t [2:0] host_aw;
  axi_w_t [2:0] host_w;
  axi_b_t [2:0] host_b;
  logic [2:0] host_aw_valid, host_aw_ready, host_w_valid, host_w_ready, host_b_valid, host_b_ready;
  axi_addr_t hbm_ar;
  axi_r_t hbm_r;
  axi_addr_t [1:0] host_ar;
  axi_r_t host_r;
  logic hbm_ar_valid, hbm_ar_ready, hbm_r_valid, hbm_r_ready;
  logic [1:0] host_ar_valid, host_ar_ready, host_r_valid, host_r_ready;

  logic csr_quiet, net_rx_quiet, roce_rx_quiet, wr_quiet, rq_quiet;
  logic tx_quiet, cc_quiet, path_quiet, net_path_quiet, mem_quiet, pcie_quiet, rdt_quiet, hostif_quiet;

  // ---- Registers ---------------------------------------------------------------------------------------------------
  node_csr #(
    .Cfg(Cfg)
  ) u_csr (
    .clk_i         (clk_csr_i),
    .rst_i,
    .axil_i        (csr_i),
    .axil_o        (csr_o),
    .csr_o         (csr),
    .rdata_i       (rdt_rdata | hostif_rdata),
    .net_cfg_o     (net_cfg),
    .neigh_we_o    (neigh_we),
    .neigh_index_o (neigh_windex),
    .neigh_row_o   (neigh_wrow),
    .pfc_cfg_o     (pfc_cfg),
    .cc_cfg_o      (cc_cfg),
    .glb_o         (glb),
    .cfg_o         (cfg),
    .cfg_valid_o   (cfg_valid),
    .cfg_go_o      (cfg_go),
    .cfg_rx_ready_i(cfg_rx_ready),
    .cfg_tx_ready_i(cfg_tx_ready),
    .quiet_o       (csr_quiet)
  );

  // ---- Receive -----------------------------------------------------------------------------------------------------
  node_net #(
    .NumNeigh(Cfg.NumNeigh)
  ) u_net (
    .clk_rx_i,
    .clk_path_i,
    .rst_i,
    .now_i,
    .net_cfg_i     (net_cfg),
    .pfc_cfg_i     (pfc_cfg),
    .neigh_we_i    (neigh_we),
    .neigh_windex_i(neigh_windex),
    .neigh_wrow_i  (neigh_wrow),
    .neigh_re_i    (neigh_re),
    .neigh_rindex_i(neigh_rindex),
    .neigh_row_o   (neigh_rrow),
    .rx_i,
    .rx_valid_i,
    .tx_o,
    .tx_valid_o,
    .tx_ready_i,
    .net_rx_o      (net_rx_beat),
    .net_rx_valid_o(net_rx_valid),
    .rx_level_i    (rx_level),
    .roce_i        (roce_frame),
    .roce_valid_i  (roce_frame_valid),
    .roce_ready_o  (roce_frame_ready),
    .net_stats_o   (stats_o.net),
    .pfc_stats_o   (stats_o.pfc),
    .rx_quiet_o    (net_rx_quiet),
    .path_quiet_o  (net_path_quiet),
    .wake_at_o     (net_wake_at)
  );

  roce_rx #(
    .NumQps     (Cfg.NumQps),
    .NumRegions (Cfg.NumRegions),
    .RxFifoBeats(Cfg.RxFifoBeats),
    .RqDepth    (Cfg.RqDepth)
  ) u_roce_rx (
    .clk_i          (clk_rx_i),
    .clk_wr_i,
    .clk_rq_i,
    .rst_i,
    .glb_i          (glb),
    .cfg_i          (cfg),
    .cfg_valid_i    (cfg_valid),
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
    .rq_post_i      (rq_post),
    .rq_post_valid_i(rq_post_valid),
    .rq_post_ready_o(rq_post_ready),
    .rq_cpl_o       (rq_cpl),
    .rq_cpl_valid_o (rq_cpl_valid),
    .rq_cpl_ready_i (rq_cpl_ready),
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
    .rpc_o          (rpc),
    .rpc_valid_o    (rpc_valid),
    .rpc_ready_i    (rpc_ready),
    .hbm_aw_o       (hbm_aw[1:0]),
    .hbm_aw_valid_o (hbm_aw_valid[1:0]),
    .hbm_aw_ready_i (hbm_aw_ready[1:0]),
    .hbm_w_o        (hbm_w[1:0]),
    .hbm_w_valid_o  (hbm_w_valid[1:0]),
    .hbm_w_ready_i  (hbm_w_ready[1:0]),
    .hbm_b_i        (hbm_b[1:0]),
    .hbm_b_valid_i  (hbm_b_valid[1:0]),
    .hbm_b_ready_o  (hbm_b_ready[1:0]),
    .host_aw_o      (host_aw[1:0]),
    .host_aw_valid_o(host_aw_valid[1:0]),
    .host_aw_ready_i(host_aw_ready[1:0]),
    .host_w_o       (host_w[1:0]),
    .host_w_valid_o (host_w_valid[1:0]),
    .host_w_ready_i (host_w_ready[1:0]),
    .host_b_i       (host_b[1:0]),
    .host_b_valid_i (host_b_valid[1:0]),
    .host_b_ready_o (host_b_ready[1:0]),
    .qp_err_o       (rx_qp_err),
    .qp_err_valid_o (rx_qp_err_valid),
    .qp_err_ready_i (rx_qp_err_ready),
    .qp_err_i       (tx_qp_err),
    .qp_err_valid_i (tx_qp_err_valid),
    .qp_err_ready_o (tx_qp_err_ready),
    .level_o        (rx_level),
    .stats_o        (stats_o.roce_rx),
    .quiet_o        (roce_rx_quiet),
    .wr_quiet_o     (wr_quiet),
    .rq_quiet_o     (rq_quiet)
  );

  // ---- Replicated data types ---------------------------------------------------------------------------------------
  rdt_top #(
    .Entries (Cfg.KvEntries),
    .MaxPeers(Cfg.MaxPeers)
  ) u_rdt (
    .clk_i       (clk_rdt_i),
    .rst_i,
    .csr_i       (csr),
    .csr_rdata_o (rdt_rdata),
    .client_req_i,
    .client_req_valid_i,
    .client_req_ready_o,
    .client_rsp_o,
    .client_rsp_valid_o,
    .client_rsp_ready_i,
    .rpc_i       (rpc),
    .rpc_valid_i (rpc_valid),
    .rpc_ready_o (rpc_ready),
    .verb_o      (rdt_verb),
    .verb_valid_o(rdt_verb_valid),
    .verb_ready_i(rdt_verb_ready),
    .cpl_i       (rdt_cpl),
    .cpl_valid_i (rdt_cpl_valid),
    .cpl_ready_o (rdt_cpl_ready),
    .stats_o     (stats_o.rdt),
    .quiet_o     (rdt_quiet)
  );

  // ---- Work requests of the chip and of the host --------------------------------------------------------------------
  node_verbs u_verbs (
    .clk_i            (clk_tx_i),
    .rst_i,
    .rdt_verb_i       (rdt_verb),
    .rdt_verb_valid_i (rdt_verb_valid),
    .rdt_verb_ready_o (rdt_verb_ready),
    .rdt_cpl_o        (rdt_cpl),
    .rdt_cpl_valid_o  (rdt_cpl_valid),
    .rdt_cpl_ready_i  (rdt_cpl_ready),
    .host_verb_i      (host_verb),
    .host_verb_valid_i(host_verb_valid),
    .host_verb_ready_o(host_verb_ready),
    .host_cpl_o       (host_cpl),
    .host_cpl_valid_o (host_cpl_valid),
    .host_cpl_ready_i (host_cpl_ready),
    .verb_o           (verb),
    .verb_valid_o     (verb_valid),
    .verb_ready_i     (verb_ready),
    .cpl_i            (cpl),
    .cpl_valid_i      (cpl_valid),
    .cpl_ready_o      (cpl_ready)
  );

  // ---- Host ----------------------------------------------------------------------------------------------------------
  hostif_top #(
    .Block    (BLOCK_HOST),
    .NumQps   (Cfg.NumQps),
    .NumCqs   (Cfg.NumCqs),
    .SqCredits(Cfg.SqDepth),
    .RqCredits(Cfg.RqDepth)
  ) u_hostif (
    .clk_i          (clk_host_i),
    .rst_i,
    .csr_i          (csr),
    .rdata_o        (hostif_rdata),
    .verb_o         (host_verb),
    .verb_valid_o   (host_verb_valid),
    .verb_ready_i   (host_verb_ready),
    .cpl_i          (host_cpl),
    .cpl_valid_i    (host_cpl_valid),
    .cpl_ready_o    (host_cpl_ready),
    .rq_post_o      (rq_post),
    .rq_post_valid_o(rq_post_valid),
    .rq_post_ready_i(rq_post_ready),
    .rq_cpl_i       (rq_cpl),
    .rq_cpl_valid_i (rq_cpl_valid),
    .rq_cpl_ready_o (rq_cpl_ready),
    .ar_o           (host_ar[1]),
    .ar_valid_o     (host_ar_valid[1]),
    .ar_ready_i     (host_ar_ready[1]),
    .r_i            (host_r),
    .r_valid_i      (host_r_valid[1]),
    .r_ready_o      (host_r_ready[1]),
    .aw_o           (host_aw[2]),
    .aw_valid_o     (host_aw_valid[2]),
    .aw_ready_i     (host_aw_ready[2]),
    .w_o            (host_w[2]),
    .w_valid_o      (host_w_valid[2]),
    .w_ready_i      (host_w_ready[2]),
    .b_i            (host_b[2]),
    .b_valid_i      (host_b_valid[2]),
    .b_ready_o      (host_b_ready[2]),
    .event_o        (host_event_o),
    .event_valid_o  (host_event_valid_o),
    .stats_o        (stats_o.hostif),
    .quiet_o        (hostif_quiet)
  );

  // ---- Send --------------------------------------------------------------------------------------------------------
  roce_tx #(
    .NumQps     (Cfg.NumQps),
    .Window     (Cfg.Window),
    .SqDepth    (Cfg.SqDepth),
    .RdAtomic   (Cfg.RdAtomic),
    .CyclesPerUs(Cfg.CyclesPerUs)
  ) u_roce_tx (
    .clk_i          (clk_tx_i),
    .clk_path_i,
    .clk_cc_i,
    .rst_i,
    .now_i,
    .glb_i          (glb),
    .cfg_i          (cfg),
    .cfg_valid_i    (cfg_valid),
    .cfg_go_i       (cfg_go),
    .cfg_ready_o    (cfg_tx_ready),
    .net_cfg_i      (net_cfg),
    .cc_i           (cc_cfg),
    .ce_qpn_i       (ce_qpn),
    .ce_valid_i     (ce_valid),
    .ce_ready_o     (ce_ready),
    .cnp_qpn_i      (cnp_qpn),
    .cnp_valid_i    (cnp_valid),
    .cnp_ready_o    (cnp_ready),
    .verb_i         (verb),
    .verb_valid_i   (verb_valid),
    .verb_ready_o   (verb_ready),
    .cpl_o          (cpl),
    .cpl_valid_o    (cpl_valid),
    .cpl_ready_i    (cpl_ready),
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
    .host_ar_o      (host_ar[0]),
    .host_ar_valid_o(host_ar_valid[0]),
    .host_ar_ready_i(host_ar_ready[0]),
    .host_r_i       (host_r),
    .host_r_valid_i (host_r_valid[0]),
    .host_r_ready_o (host_r_ready[0]),
    .frame_o        (roce_frame),
    .frame_valid_o  (roce_frame_valid),
    .frame_ready_i  (roce_frame_ready),
    .stats_o        (stats_o.roce_tx),
    .cc_stats_o     (stats_o.cc),
    .quiet_o        (tx_quiet),
    .path_quiet_o   (path_quiet),
    .cc_quiet_o     (cc_quiet),
    .wake_at_o      (tx_wake_at)
  );

  // ---- Memories ------------------------------------------------------------------------------------------------------
  node_mem #(
    .HostWriters(3),
    .HostReaders(2)
  ) u_mem (
    .clk_i          (clk_mem_i),
    .clk_host_i     (clk_pcie_i),
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
    .hbm_o,
    .hbm_i,
    .host_o,
    .host_i,
    .quiet_o        (mem_quiet),
    .host_quiet_o   (pcie_quiet)
  );

  // ---- Quiet flags and statistics ----------------------------------------------------------------------------------
  assign quiet_o = '{
          rx: net_rx_quiet && roce_rx_quiet,
          wr: wr_quiet,
          rq: rq_quiet,
          tx: tx_quiet,
          cc: cc_quiet,
          path: net_path_quiet && path_quiet,
          mem: mem_quiet,
          pcie: pcie_quiet,
          rdt: rdt_quiet,
          host: hostif_quiet,
          csr: csr_quiet
      };

  assign wake_at_o = time_min(tx_wake_at, net_wake_at);

endmodule
