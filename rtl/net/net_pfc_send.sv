// SPDX-License-Identifier: Apache-2.0
// Flow control in front of net_tx: RoCE's frames stop while their priority is paused, and pause frames for the peer join the
// ARP replies, in turn. Wiring of net_pfc_gate, net_pfc_tx and an arbiter; no latency is added.
// quiet_o: no edge is needed before wake_at_o or an input turns valid; a frame that the gate holds needs none.
module net_pfc_send
  import axis_pkg::*;
  import net_pfc_pkg::*;
  import net_pkg::*;
  import prim_pkg::*;
(
  input logic clk_i,
  input logic rst_i,

  input logic         [63:0] now_i,
  input net_cfg_t            net_cfg_i,
  input net_pfc_cfg_t        cfg_i,

  // From net_pfc_rx, and the receive FIFO's level in beats
  input logic [ 7:0] paused_i,
  input logic [15:0] level_i,

  // From roce_tx and net_arp
  input  axis_beat_t roce_i,
  input  logic       roce_valid_i,
  output logic       roce_ready_o,
  input  axis_beat_t arp_i,
  input  logic       arp_valid_i,
  output logic       arp_ready_o,

  // To net_tx
  output axis_beat_t roce_o,
  output logic       roce_valid_o,
  input  logic       roce_ready_i,
  output axis_beat_t arp_o,
  output logic       arp_valid_o,
  input  logic       arp_ready_i,

  // tx_pause and tx_resume of net_pfc_stats_t
  output logic pause_o,
  output logic resume_o,

  output logic        quiet_o,
  output logic [63:0] wake_at_o
);

  axis_beat_t pause;
  logic pause_valid, pause_ready, gate_quiet, tx_quiet, stopped;

  assign stopped = paused_i[cfg_i.tx_prio];
  assign quiet_o = gate_quiet && tx_quiet && !arp_valid_o;

  net_pfc_gate u_gate (
    .clk_i,
    .rst_i,
    .paused_i     (stopped),
    .frame_i      (roce_i),
    .frame_valid_i(roce_valid_i),
    .frame_ready_o(roce_ready_o),
    .frame_o      (roce_o),
    .frame_valid_o(roce_valid_o),
    .frame_ready_i(roce_ready_i),
    .quiet_o      (gate_quiet)
  );

  net_pfc_tx u_tx (
    .clk_i,
    .rst_i,
    .now_i,
    .net_cfg_i,
    .cfg_i,
    .level_i,
    .frame_o      (pause),
    .frame_valid_o(pause_valid),
    .frame_ready_i(pause_ready),
    .pause_o,
    .resume_o,
    .quiet_o      (tx_quiet),
    .wake_at_o
  );

  prim_arb_rr #(
    .T       (axis_beat_t),
    .N       (2),
    .LastLock(1'b1)
  ) u_arb (
    .clk_i,
    .rst_i,
    .data_i ({pause, arp_i}),
    .last_i ({pause.last, arp_i.last}),
    .valid_i({pause_valid, arp_valid_i}),
    .ready_o({pause_ready, arp_ready_o}),
    .data_o (arp_o),
    .valid_o(arp_valid_o),
    .index_o(),
    .ready_i(arp_ready_i)
  );

endmodule
