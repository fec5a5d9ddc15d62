// SPDX-License-Identifier: Apache-2.0
// The network around the RoCE endpoint: MAC receive to packets, ARP and ICMP replies, flow control, frames to the MAC. Wiring only.
//
//   mac rx -+-> net_rx -+-> rx (RoCE beats)       roce -> net_pfc_send -> net_tx -> mac tx
//           |           +-> net_arp, net_icmp -----------------^------------^
//           +-> net_pfc_rx -- paused ------------------------->|
//
// Clocks and quiet flags: the groups rx and path of node_core.
module node_net
  import axis_pkg::*;
  import net_pfc_pkg::*;
  import net_pkg::*;
  import prim_pkg::*;
#(
  parameter int unsigned NumNeigh = 64
) (
  input logic clk_rx_i,
  input logic clk_path_i,
  input logic rst_i,

  input logic         [63:0] now_i,
  input net_cfg_t            net_cfg_i,
  input net_pfc_cfg_t        pfc_cfg_i,

  // Neighbour table: written by software, read by the endpoint
  input  logic             neigh_we_i,
  input  logic       [7:0] neigh_windex_i,
  input  net_neigh_t       neigh_wrow_i,
  input  logic             neigh_re_i,
  input  logic       [7:0] neigh_rindex_i,
  output net_neigh_t       neigh_row_o,

  // MAC
  input  axis_beat_t rx_i,
  input  logic       rx_valid_i,
  output axis_beat_t tx_o,
  output logic       tx_valid_o,
  input  logic       tx_ready_i,

  // Received packets; fill level of the endpoint's payload queue, in beats
  output net_rx_beat_t        net_rx_o,
  output logic                net_rx_valid_o,
  input  logic         [15:0] rx_level_i,

  // Frames of the endpoint
  input  axis_beat_t roce_i,
  input  logic       roce_valid_i,
  output logic       roce_ready_o,

  output net_stats_t            net_stats_o,
  output net_pfc_stats_t        pfc_stats_o,
  output logic                  rx_quiet_o,
  output logic                  path_quiet_o,
  output logic           [63:0] wake_at_o
);

  axis_beat_t arp_frame, icmp_frame, roce_gated, arp_pause;
  logic arp_frame_valid, arp_frame_ready, icmp_frame_valid, icmp_frame_ready;
  logic roce_gated_valid, roce_gated_ready, arp_pause_valid, arp_pause_ready;
  logic [7:0] paused;
  net_stats_t net_rx_stats;
  logic arp_drop, icmp_drop, tx_frame;
  logic [63:0] pfc_rx_wake_at, pfc_tx_wake_at;
  logic net_rx_quiet, pfc_rx_quiet, arp_quiet, icmp_quiet, neigh_quiet, pfc_send_quiet, net_tx_quiet;

  net_rx u_net_rx (
    .clk_i         (clk_rx_i),
    .rst_i,
    .cfg_i         (net_cfg_i),
    .mac_rx_i      (rx_i),
    .mac_rx_valid_i(rx_valid_i),
    .rx_o          (net_rx_o),
    .rx_valid_o    (net_rx_valid_o),
    .stats_o       (net_rx_stats),
    .quiet_o       (net_rx_quiet)
  );

  net_pfc_rx u_pfc_rx (
    .clk_i         (clk_rx_i),
    .rst_i,
    .now_i,
    .cfg_i         (pfc_cfg_i),
    .mac_rx_i      (rx_i),
    .mac_rx_valid_i(rx_valid_i),
    .paused_o      (paused),
    .pause_o       (pfc_stats_o.rx_pause),
    .quiet_o       (pfc_rx_quiet),
    .wake_at_o     (pfc_rx_wake_at)
  );

  net_arp u_arp (
    .clk_i     (clk_rx_i),
    .rst_i,
    .cfg_i     (net_cfg_i),
    .rx_i      (net_rx_o),
    .rx_valid_i(net_rx_valid_o),
    .tx_o      (arp_frame),
    .tx_valid_o(arp_frame_valid),
    .tx_ready_i(arp_frame_ready),
    .drop_o    (arp_drop),
    .quiet_o   (arp_quiet)
  );

  net_icmp u_icmp (
    .clk_i     (clk_rx_i),
    .rst_i,
    .cfg_i     (net_cfg_i),
    .rx_i      (net_rx_o),
    .rx_valid_i(net_rx_valid_o),
    .tx_o      (icmp_frame),
    .tx_valid_o(icmp_frame_valid),
    .tx_ready_i(icmp_frame_ready),
    .drop_o    (icmp_drop),
    .quiet_o   (icmp_quiet)
  );

  net_neigh #(
    .NumNeigh(NumNeigh)
  ) u_neigh (
    .clk_i   (clk_path_i),
    .rst_i,
    .we_i    (neigh_we_i),
    .windex_i(neigh_windex_i),
    .wrow_i  (neigh_wrow_i),
    .re_i    (neigh_re_i),
    .rindex_i(neigh_rindex_i),
    .row_o   (neigh_row_o),
    .quiet_o (neigh_quiet)
  );

  net_pfc_send u_pfc_send (
    .clk_i       (clk_path_i),
    .rst_i,
    .now_i,
    .net_cfg_i   (net_cfg_i),
    .cfg_i       (pfc_cfg_i),
    .paused_i    (paused),
    .level_i     (rx_level_i),
    .roce_i      (roce_i),
    .roce_valid_i(roce_valid_i),
    .roce_ready_o(roce_ready_o),
    .arp_i       (arp_frame),
    .arp_valid_i (arp_frame_valid),
    .arp_ready_o (arp_frame_ready),
    .roce_o      (roce_gated),
    .roce_valid_o(roce_gated_valid),
    .roce_ready_i(roce_gated_ready),
    .arp_o       (arp_pause),
    .arp_valid_o (arp_pause_valid),
    .arp_ready_i (arp_pause_ready),
    .pause_o     (pfc_stats_o.tx_pause),
    .resume_o    (pfc_stats_o.tx_resume),
    .quiet_o     (pfc_send_quiet),
    .wake_at_o   (pfc_tx_wake_at)
  );

  net_tx u_net_tx (
    .clk_i         (clk_path_i),
    .rst_i,
    .roce_i        (roce_gated),
    .roce_valid_i  (roce_gated_valid),
    .roce_ready_o  (roce_gated_ready),
    .arp_i         (arp_pause),
    .arp_valid_i   (arp_pause_valid),
    .arp_ready_o   (arp_pause_ready),
    .icmp_i        (icmp_frame),
    .icmp_valid_i  (icmp_frame_valid),
    .icmp_ready_o  (icmp_frame_ready),
    .mac_tx_o      (tx_o),
    .mac_tx_valid_o(tx_valid_o),
    .mac_tx_ready_i(tx_ready_i),
    .frame_o       (tx_frame),
    .quiet_o       (net_tx_quiet)
  );

  assign rx_quiet_o = pfc_rx_quiet && net_rx_quiet && arp_quiet && icmp_quiet;
  assign path_quiet_o = pfc_send_quiet && net_tx_quiet && neigh_quiet;
  assign wake_at_o = time_min(pfc_rx_wake_at, pfc_tx_wake_at);

  assign net_stats_o = '{
          rx_frames: net_rx_stats.rx_frames,
          rx_bad_fcs: net_rx_stats.rx_bad_fcs,
          rx_drop_mac: net_rx_stats.rx_drop_mac,
          rx_drop_ip: net_rx_stats.rx_drop_ip,
          rx_drop_udp: net_rx_stats.rx_drop_udp,
          rx_arp: net_rx_stats.rx_arp,
          rx_icmp: net_rx_stats.rx_icmp,
          rx_drop_other: net_rx_stats.rx_drop_other || arp_drop || icmp_drop,
          tx_frames: tx_frame
      };

endmodule
