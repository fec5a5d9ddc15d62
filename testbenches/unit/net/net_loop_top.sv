// SPDX-License-Identifier: Apache-2.0
// net_rx, net_arp, net_icmp and net_tx as a node has them: MAC to MAC, statistics joined.
module net_loop_top
  import axis_pkg::*;
  import net_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_i,
  input  net_cfg_t   cfg_i,
  input  axis_beat_t mac_rx_i,
  input  logic       mac_rx_valid_i,
  output axis_beat_t mac_tx_o,
  output logic       mac_tx_valid_o,
  input  logic       mac_tx_ready_i,
  output net_stats_t stats_o,
  output logic       quiet_o
);

  net_rx_beat_t rx;
  axis_beat_t arp, icmp;
  net_stats_t rx_stats;
  logic rx_valid, arp_valid, arp_ready, icmp_valid, icmp_ready, arp_drop, icmp_drop, frame;
  logic [3:0] quiet;

  net_rx u_rx (
    .clk_i,
    .rst_i,
    .cfg_i,
    .mac_rx_i,
    .mac_rx_valid_i,
    .rx_o(rx),
    .rx_valid_o(rx_valid),
    .stats_o(rx_stats),
    .quiet_o(quiet[0])
  );
  net_arp u_arp (
    .clk_i,
    .rst_i,
    .cfg_i,
    .rx_i(rx),
    .rx_valid_i(rx_valid),
    .tx_o(arp),
    .tx_valid_o(arp_valid),
    .tx_ready_i(arp_ready),
    .drop_o(arp_drop),
    .quiet_o(quiet[1])
  );
  net_icmp u_icmp (
    .clk_i,
    .rst_i,
    .cfg_i,
    .rx_i(rx),
    .rx_valid_i(rx_valid),
    .tx_o(icmp),
    .tx_valid_o(icmp_valid),
    .tx_ready_i(icmp_ready),
    .drop_o(icmp_drop),
    .quiet_o(quiet[2])
  );
  net_tx u_tx (
    .clk_i,
    .rst_i,
    .roce_i('0),
    .roce_valid_i(1'b0),
    .roce_ready_o(),
    .arp_i(arp),
    .arp_valid_i(arp_valid),
    .arp_ready_o(arp_ready),
    .icmp_i(icmp),
    .icmp_valid_i(icmp_valid),
    .icmp_ready_o(icmp_ready),
    .mac_tx_o,
    .mac_tx_valid_o,
    .mac_tx_ready_i,
    .frame_o(frame),
    .quiet_o(quiet[3])
  );

  always_comb begin
    stats_o               = rx_stats;
    stats_o.rx_drop_other = rx_stats.rx_drop_other | arp_drop | icmp_drop;
    stats_o.tx_frames     = frame;
  end
  assign quiet_o = &quiet;

  always_ff @(posedge clk_i)
    if (!rst_i)
      assert ($countones({rx_stats.rx_drop_other, arp_drop, icmp_drop}) <= 1)
      else $error("%m: two drop pulses in one cycle; one frame is not counted");

endmodule
