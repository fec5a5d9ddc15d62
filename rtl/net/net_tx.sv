// SPDX-License-Identifier: Apache-2.0
// Puts the frames of three senders on the MAC's stream, whole frame after whole frame, in turn. Latency 1 (registered),
// one beat a cycle, no bubble between frames. Beats of a frame are passed as they come: a sender must not pause inside a
// frame for longer than the MAC can wait. Back-pressure of the MAC never loses a beat.
module net_tx
  import axis_pkg::*;
  import prim_pkg::*;
(
  input logic clk_i,
  input logic rst_i,

  // From roce_tx
  input  axis_beat_t roce_i,
  input  logic       roce_valid_i,
  output logic       roce_ready_o,

  // From net_arp
  input  axis_beat_t arp_i,
  input  logic       arp_valid_i,
  output logic       arp_ready_o,

  // From net_icmp
  input  axis_beat_t icmp_i,
  input  logic       icmp_valid_i,
  output logic       icmp_ready_o,

  // To the MAC
  output axis_beat_t mac_tx_o,
  output logic       mac_tx_valid_o,
  input  logic       mac_tx_ready_i,

  // tx_frames of net_stats_t
  output logic frame_o,
  output logic quiet_o
);

  axis_beat_t picked;
  logic picked_valid, picked_ready;

  prim_arb_rr #(
    .T       (axis_beat_t),
    .N       (3),
    .LastLock(1'b1)
  ) u_arb (
    .clk_i,
    .rst_i,
    .data_i ({icmp_i, arp_i, roce_i}),
    .last_i ({icmp_i.last, arp_i.last, roce_i.last}),
    .valid_i({icmp_valid_i, arp_valid_i, roce_valid_i}),
    .ready_o({icmp_ready_o, arp_ready_o, roce_ready_o}),
    .data_o (picked),
    .valid_o(picked_valid),
    .index_o(),
    .ready_i(picked_ready)
  );

  prim_skid #(
    .T(axis_beat_t)
  ) u_skid (
    .clk_i,
    .rst_i,
    .data_i (picked),
    .valid_i(picked_valid),
    .ready_o(picked_ready),
    .data_o (mac_tx_o),
    .valid_o(mac_tx_valid_o),
    .ready_i(mac_tx_ready_i)
  );

  assign frame_o = mac_tx_valid_o && mac_tx_ready_i && mac_tx_o.last;
  assign quiet_o = !roce_valid_i && !arp_valid_i && !icmp_valid_i && !mac_tx_valid_o;

endmodule
