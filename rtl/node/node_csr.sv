// SPDX-License-Identifier: Apache-2.0
// What software sees of the node: the register bus, the identification, and the blocks of registers that configure network, flow control,
// congestion control and endpoint. rdt_top and hostif_top keep their own on the same bus (csr_o, rdata_i). Only wiring.
// Latency: that of axis_axil_csr. Bad input: an address that no block has reads as zero.
module node_csr
  import axis_pkg::*;
  import net_pfc_pkg::*;
  import net_pkg::*;
  import node_pkg::*;
  import prim_pkg::*;
  import roce_cc_pkg::*;
  import roce_pkg::*;
#(
  parameter node_cfg_t Cfg = NODE_CFG_DEFAULT
) (
  input logic clk_i,
  input logic rst_i,

  // Host control
  input  axil_req_t axil_i,
  output axil_rsp_t axil_o,

  // Register bus, and what the other blocks of registers read (zero when not asked)
  output csr_req_t        csr_o,
  input  logic     [31:0] rdata_i,

  // Network and its neighbour table
  output net_cfg_t         net_cfg_o,
  output logic             neigh_we_o,
  output logic       [7:0] neigh_index_o,
  output net_neigh_t       neigh_row_o,

  // Flow control, congestion control, endpoint
  output net_pfc_cfg_t pfc_cfg_o,
  output roce_cc_cfg_t cc_cfg_o,
  output roce_glb_t    glb_o,

  // Table writes of the endpoint: each happens in both halves at once (go)
  output roce_cfg_t cfg_o,
  output logic      cfg_valid_o,
  output logic      cfg_go_o,
  input  logic      cfg_rx_ready_i,
  input  logic      cfg_tx_ready_i,

  output logic quiet_o
);

  logic [31:0] id_rdata, net_rdata, pfc_rdata, cc_rdata, roce_rdata;
  logic axil_quiet, id_quiet, net_quiet, pfc_quiet, cc_quiet, roce_quiet;

  axis_axil_csr u_axil (
    .clk_i,
    .rst_i,
    .axil_req_i(axil_i),
    .axil_rsp_o(axil_o),
    .csr_o,
    .rdata_i   (id_rdata | net_rdata | pfc_rdata | cc_rdata | roce_rdata | rdata_i),
    .quiet_o   (axil_quiet)
  );

  node_id_csr #(
    .Cfg(Cfg)
  ) u_id_csr (
    .clk_i,
    .rst_i,
    .csr_i  (csr_o),
    .rdata_o(id_rdata),
    .quiet_o(id_quiet)
  );

  net_csr #(
    .Block(BLOCK_NET)
  ) u_net_csr (
    .clk_i,
    .rst_i,
    .csr_i  (csr_o),
    .rdata_o(net_rdata),
    .cfg_o  (net_cfg_o),
    .neigh_we_o,
    .neigh_index_o,
    .neigh_row_o,
    .quiet_o(net_quiet)
  );

  net_pfc_csr #(
    .Block      (BLOCK_NET),
    .CyclesPerUs(Cfg.CyclesPerUs),
    .Xoff       (Cfg.RxFifoBeats / 4),
    .Xon        (Cfg.RxFifoBeats / 8)
  ) u_pfc_csr (
    .clk_i,
    .rst_i,
    .csr_i  (csr_o),
    .rdata_o(pfc_rdata),
    .cfg_o  (pfc_cfg_o),
    .quiet_o(pfc_quiet)
  );

  roce_cc_csr #(
    .Block      (BLOCK_CC),
    .CyclesPerUs(Cfg.CyclesPerUs)
  ) u_cc_csr (
    .clk_i,
    .rst_i,
    .csr_i  (csr_o),
    .rdata_o(cc_rdata),
    .cfg_o  (cc_cfg_o),
    .quiet_o(cc_quiet)
  );

  roce_csr #(
    .Block     (BLOCK_ROCE),
    .NumQps    (Cfg.NumQps),
    .NumRegions(Cfg.NumRegions)
  ) u_roce_csr (
    .clk_i,
    .rst_i,
    .csr_i   (csr_o),
    .rdata_o (roce_rdata),
    .cfg_o,
    .cfg_valid_o,
    .cfg_go_i(cfg_go_o),
    .glb_o,
    .quiet_o (roce_quiet)
  );

  assign cfg_go_o = cfg_valid_o && cfg_rx_ready_i && cfg_tx_ready_i;
  assign quiet_o  = axil_quiet && id_quiet && net_quiet && pfc_quiet && cc_quiet && roce_quiet;

endmodule
