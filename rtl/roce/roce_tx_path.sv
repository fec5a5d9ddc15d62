// SPDX-License-Identifier: Apache-2.0
// Data path of the RoCE send side: acknowledge events and packet jobs in, frames for the MAC out. Wiring only.
//
//   ack_evt -> roce_ack_queue ---------------------------+
//   retry_job ------------------------> roce_tx_prio -> roce_tx_dma -> roce_tx_prio -> roce_tx_build -> roce_tx_icrc -> frame
//   new_job, rsp_job -> prim_arb_rr ------^
//
// Priority, packet by packet: acknowledges, then retransmissions, then new packets and responses in turn. An acknowledge does not pass through
// the DMA, so it waits for at most one frame and never for a memory. Jobs of one port leave in the order they came.
// Frames: Ethernet header to ICRC, no FCS, no padding to 64 bytes; no gap inside a frame while frame_ready_i.
// stats_o: rsp, cnps, pkts, retrans, acks (first beat handed to the ICRC stage), ack_merged, drop_neigh, bad_verb (a job with an
// opcode or length that has no frame: dropped), mem_err, rd_lost (answers that became a NAK); the other members are 0.
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

  // From roce_rd: responses. rsp_sent_o: the last packet of an answer leaves; rsp_gone_i: an answer without packet ended
  input  tx_job_t rsp_job_i,
  input  logic    rsp_job_valid_i,
  output logic    rsp_job_ready_o,
  output logic    rsp_sent_o,
  input  logic    rsp_gone_i,
  input  logic [23:0] rsp_gone_qpn_i,

  // QPs that answer nothing any more, and memory errors; see roce_tx_fail
  output logic      [NumQps-1:0] silent_o,
  output mem_fail_t              fail_o,
  output logic                   fail_valid_o,
  input  logic                   fail_ready_i,

  // Neighbour table: neigh_i is the row one cycle after neigh_re_o, held until the next neigh_re_o
  output logic             neigh_re_o,
  output logic       [7:0] neigh_idx_o,
  input  net_neigh_t       neigh_i,

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

  tx_pkt_t ack_pkt, dma_pkt, pkt;
  logic ack_pkt_valid, ack_pkt_ready, dma_pkt_valid, dma_pkt_ready, pkt_valid, pkt_ready, unused_hi;
  tx_job_t job, first_job;
  logic first_job_valid, first_job_ready, take_rsp, unused_data;
  logic job_retry, job_valid, job_ready;
  axis_beat_t pay, beat;
  logic pay_valid, pay_ready, beat_first, beat_split, beat_valid, beat_ready;
  logic sent_new, sent_rsp, sent_cnp, sent_retry, sent_ack, merged, drop_neigh, bad_job, mem_err, nak;
  logic ack_quiet, dma_quiet, build_quiet, icrc_quiet;

  roce_ack_queue #(
    .NumQps(NumQps)
  ) u_ack_queue (
    .clk_i,
    .rst_i,
    .cfg_i,
    .cfg_valid_i,
    .cfg_go_i,
    .cfg_ready_o,
    .evt_i      (ack_evt_i),
    .evt_valid_i(ack_evt_valid_i),
    .evt_ready_o(ack_evt_ready_o),
    .done_i     (rsp_sent_o || rsp_gone_i),
    .done_qpn_i (rsp_gone_i ? rsp_gone_qpn_i : dma_pkt.hdr.qpn),
    .silent_i   (silent_o),
    .pkt_o      (ack_pkt),
    .pkt_valid_o(ack_pkt_valid),
    .pkt_ready_i(ack_pkt_ready),
    .merged_o   (merged),
    .quiet_o    (ack_quiet)
  );

  assign rsp_sent_o = dma_pkt_valid && dma_pkt_ready && dma_pkt.hdr.rsp_last;

  // Only the choice passes through the arbiter: the simulator would pay for packing both jobs in each cycle.
  prim_arb_rr #(
    .T(logic),
    .N(2)
  ) u_job_arb (
    .clk_i,
    .rst_i,
    .data_i (2'b00),
    .last_i (2'b11),
    .valid_i({rsp_job_valid_i, new_job_valid_i}),
    .ready_o({rsp_job_ready_o, new_job_ready_o}),
    .data_o (unused_data),
    .valid_o(first_job_valid),
    .index_o(take_rsp),
    .ready_i(first_job_ready)
  );

  assign first_job = take_rsp ? rsp_job_i : new_job_i;

  roce_tx_prio #(
    .T(tx_job_t)
  ) u_job_prio (
    .clk_i,
    .rst_i,
    .hi_i       (retry_job_i),
    .hi_valid_i (retry_job_valid_i),
    .hi_ready_o (retry_job_ready_o),
    .lo_i       (first_job),
    .lo_valid_i (first_job_valid),
    .lo_ready_o (first_job_ready),
    .out_o      (job),
    .out_valid_o(job_valid),
    .hi_o       (job_retry),
    .out_ready_i(job_ready)
  );

  roce_tx_dma #(
    .NumQps  (NumQps),
    .NumSlots(NumQps * Window)
  ) u_dma (
    .clk_i,
    .rst_i,
    .cfg_i,
    .cfg_go_i,
    .job_i      (job),
    .job_retry_i(job_retry),
    .job_valid_i(job_valid),
    .job_ready_o(job_ready),
    .hbm_ar_o,
    .hbm_ar_valid_o,
    .hbm_ar_ready_i,
    .hbm_r_i,
    .hbm_r_valid_i,
    .hbm_r_ready_o,
    .hbm_aw_o,
    .hbm_aw_valid_o,
    .hbm_aw_ready_i,
    .hbm_w_o,
    .hbm_w_valid_o,
    .hbm_w_ready_i,
    .hbm_b_i,
    .hbm_b_valid_i,
    .hbm_b_ready_o,
    .host_ar_o,
    .host_ar_valid_o,
    .host_ar_ready_i,
    .host_r_i,
    .host_r_valid_i,
    .host_r_ready_o,
    .pkt_o      (dma_pkt),
    .pkt_valid_o(dma_pkt_valid),
    .pkt_ready_i(dma_pkt_ready),
    .pay_o      (pay),
    .pay_valid_o(pay_valid),
    .pay_ready_i(pay_ready),
    .silent_o,
    .fail_o,
    .fail_valid_o,
    .fail_ready_i,
    .bad_job_o  (bad_job),
    .nak_o      (nak),
    .mem_err_o  (mem_err),
    .quiet_o    (dma_quiet)
  );

  roce_tx_prio #(
    .T(tx_pkt_t)
  ) u_pkt_prio (
    .clk_i,
    .rst_i,
    .hi_i       (ack_pkt),
    .hi_valid_i (ack_pkt_valid),
    .hi_ready_o (ack_pkt_ready),
    .lo_i       (dma_pkt),
    .lo_valid_i (dma_pkt_valid),
    .lo_ready_o (dma_pkt_ready),
    .out_o      (pkt),
    .out_valid_o(pkt_valid),
    .hi_o       (unused_hi),
    .out_ready_i(pkt_ready)
  );

  roce_tx_build u_build (
    .clk_i,
    .rst_i,
    .net_cfg_i,
    .pkt_i       (pkt),
    .pkt_valid_i (pkt_valid),
    .pkt_ready_o (pkt_ready),
    .pay_i       (pay),
    .pay_valid_i (pay_valid),
    .pay_ready_o (pay_ready),
    .neigh_re_o,
    .neigh_idx_o,
    .neigh_i,
    .out_o       (beat),
    .out_first_o (beat_first),
    .out_split_o (beat_split),
    .out_valid_o (beat_valid),
    .out_ready_i (beat_ready),
    .sent_new_o  (sent_new),
    .sent_rsp_o  (sent_rsp),
    .sent_cnp_o  (sent_cnp),
    .sent_retry_o(sent_retry),
    .sent_ack_o  (sent_ack),
    .drop_neigh_o(drop_neigh),
    .quiet_o     (build_quiet)
  );

  roce_tx_icrc u_icrc (
    .clk_i,
    .rst_i,
    .in_i       (beat),
    .in_first_i (beat_first),
    .in_split_i (beat_split),
    .in_valid_i (beat_valid),
    .in_ready_o (beat_ready),
    .out_o      (frame_o),
    .out_valid_o(frame_valid_o),
    .out_ready_i(frame_ready_i),
    .quiet_o    (icrc_quiet)
  );

  always_comb begin
    stats_o            = '0;
    stats_o.cnps       = sent_cnp;
    stats_o.rsp        = sent_rsp;
    stats_o.pkts       = sent_new;
    stats_o.retrans    = sent_retry;
    stats_o.acks       = sent_ack;
    stats_o.ack_merged = merged;
    stats_o.drop_neigh = drop_neigh;
    stats_o.bad_verb   = bad_job;
    stats_o.mem_err    = mem_err;
    stats_o.rd_lost    = nak;
  end

  assign quiet_o = ack_quiet && dma_quiet && build_quiet && icrc_quiet;

endmodule
