// SPDX-License-Identifier: Apache-2.0
// Receive side of Ethernet, IPv4, UDP, ICMP and ARP: MAC beats in, beats with a kind and a verdict out. Wires only.
// Latency 2 from a MAC beat to the same beat on rx_o, always; one beat a cycle, frames back to back without a gap.
// No back-pressure: the MAC never waits, and whoever takes rx_o must not either.
// Bad input: see net_judge (headers) and net_rx_emit (end of frame). A dropped frame comes out with kind OTHER, or with
// bad at its end, and is counted by exactly one drop pulse of stats_o in the cycle of its eop beat.
module net_rx
  import axis_pkg::*;
  import net_frame_pkg::*;
  import net_pkg::*;
(
  input logic clk_i,
  input logic rst_i,

  input net_cfg_t cfg_i,

  // From the MAC
  input axis_beat_t mac_rx_i,
  input logic       mac_rx_valid_i,

  // To roce_rx, net_arp and net_icmp
  output net_rx_beat_t rx_o,
  output logic         rx_valid_o,

  // rx_drop_other is of net_rx only: OR the drop pulses of net_arp and net_icmp to it, they never coincide
  output net_stats_t stats_o,
  output logic       quiet_o
);

  net_parsed_t part;
  logic part_valid, parse_quiet, emit_quiet;

  net_rx_parse u_parse (
    .clk_i,
    .rst_i,
    .cfg_i,
    .rx_i        (mac_rx_i),
    .rx_valid_i  (mac_rx_valid_i),
    .part_o      (part),
    .part_valid_o(part_valid),
    .quiet_o     (parse_quiet)
  );

  net_rx_emit u_emit (
    .clk_i,
    .rst_i,
    .part_i      (part),
    .part_valid_i(part_valid),
    .rx_o,
    .rx_valid_o,
    .stats_o,
    .quiet_o     (emit_quiet)
  );

  assign quiet_o = parse_quiet && emit_quiet;

endmodule
