// SPDX-License-Identifier: Apache-2.0
// Data path of the RoCE send side: acknowledge events and packet jobs in, frames for the MAC out. Wiring only.
//
//   ack_evt -> roce_ack_queue ---------------------------+
//   retry_job, new_job -> roce_tx_prio -> roce_tx_dma -> roce_tx_prio -> roce_tx_build -> roce_tx_icrc -> frame
//
// Priority, packet by packet: acknowledges, then retransmissions, then new packets. An acknowledge does not pass through
// the DMA, so it waits for at most one frame and never for a memory. Jobs of one port leave in the order they came.
// Frames: Ethernet header to ICRC, no FCS, no padding to 64 bytes; no gap inside a frame while frame_ready_i.
// stats_o: pkts, retrans, acks (first beat handed to the ICRC stage), ack_merged, drop_neigh, bad_verb (a job with an
// opcode or length that has no frame: dropped), mem_err; the other members are 0.
module roce_tx_path
  import axis_pkg::*;
  import net_pkg::*;
  import roce_pkg::*;
#(
  parameter int unsigned NumQps = 256,
  parameter int unsigned Window = 16
) (
  input logic clk_i,
  input logic rst_i,

  // Table writes, broadcast; see roce_cfg_t
  input  roce_cfg_t cfg_i,
  input  logic      cfg_valid_i,
  input  logic      cfg_go_i,
  output logic      cfg_ready_o,
  input  net_cfg_t  net_cfg_i,

  // From the responder: what to acknowledge
  input  ack_evt_t ack_evt_i,
  input  logic     ack_evt_valid_i,
  output logic     ack_evt_ready_o,

  // From the requester: packets sent for the first time, and again
  input  tx_job_t new_job_i,
  input  logic    new_job_valid_i,
  output logic    new_job_ready_o,
  input  tx_job_t retry_job_i,
  input  logic    retry_job_valid_i,
  output logic    retry_job_ready_o,

  // Neighbour table: neigh_i is the row one cycle after neigh_re_o, held until the next neigh_re_o
  output logic       neigh_re_o,
  output logic [7:0] neigh_idx_o,
  input  net_neigh_t neigh_i,

  // HBM reads: payload and retransmission ring
  output axi_addr_t hbm_ar_o,
  output logic      hbm_ar_valid_o,
  input  logic      hbm_ar_ready_i,
  input  axi_r_t    hbm_r_i,
  input  logic      hbm_r_valid_i,
  output logic      hbm_r_ready_o,

  // HBM writes: retransmission ring
  output axi_addr_t hbm_aw_o,
  output logic      hbm_aw_valid_o,
  input  logic      hbm_aw_ready_i,
  output axi_w_t    hbm_w_o,
  output logic      hbm_w_valid_o,
  input  logic      hbm_w_ready_i,
  input  axi_b_t    hbm_b_i,
  input  logic      hbm_b_valid_i,
  output logic      hbm_b_ready_o,

  // Host memory reads: payload
  output axi_addr_t host_ar_o,
  output logic      host_ar_valid_o,
  input  logic      host_ar_ready_i,
  input  axi_r_t    host_r_i,
  input  logic      host_r_valid_i,
  output logic      host_r_ready_o,

  // Frames
  output axis_beat_t frame_o,
  output logic       frame_valid_o,
  input  logic       frame_ready_i,

  output roce_tx_stats_t stats_o,
  output logic           quiet_o
);

endmodule
