// SPDX-License-Identifier: Apache-2.0
// Packet jobs in, headers and payload out, in the order of the jobs; payload from the job, HBM or host memory at any byte
// alignment; first transmissions are also stored in the retransmission ring. Wiring only:
//
//   job -> roce_tx_fetch -> roce_tx_align -> roce_tx_fail -> roce_tx_store -> pkt, pay
//              | AR             ^ R   |           v fail
//              v                |     +----> roce_tx_ring -> AW, W
//
// Latency from a job to its packet: 2 cycles without memory. A packet whose payload could not be read: see roce_tx_fail;
// mem_err_o counts it, nak_o those that became a NAK. mem_err_o also pulses for a failed ring write.
module roce_tx_dma
  import axis_pkg::*;
  import roce_pkg::*;
#(
  parameter int unsigned NumQps   = 256,
  parameter int unsigned NumSlots = 4096,
  parameter int unsigned BufBeats = 512
) (
  input logic clk_i,
  input logic rst_i,

  // Table writes, broadcast
  input roce_cfg_t cfg_i,
  input logic      cfg_go_i,

  // Jobs; job_retry_i: counted as a retransmission
  input  tx_job_t job_i,
  input  logic    job_retry_i,
  input  logic    job_valid_i,
  output logic    job_ready_o,

  // HBM
  output axi_addr_t hbm_ar_o,
  output logic      hbm_ar_valid_o,
  input  logic      hbm_ar_ready_i,
  input  axi_r_t    hbm_r_i,
  input  logic      hbm_r_valid_i,
  output logic      hbm_r_ready_o,
  output axi_addr_t hbm_aw_o,
  output logic      hbm_aw_valid_o,
  input  logic      hbm_aw_ready_i,
  output axi_w_t    hbm_w_o,
  output logic      hbm_w_valid_o,
  input  logic      hbm_w_ready_i,
  input  axi_b_t    hbm_b_i,
  input  logic      hbm_b_valid_i,
  output logic      hbm_b_ready_o,

  // Host memory
  output axi_addr_t host_ar_o,
  output logic      host_ar_valid_o,
  input  logic      host_ar_ready_i,
  input  axi_r_t    host_r_i,
  input  logic      host_r_valid_i,
  output logic      host_r_ready_o,

  // To roce_tx_build
  output tx_pkt_t    pkt_o,
  output logic       pkt_valid_o,
  input  logic       pkt_ready_i,
  output axis_beat_t pay_o,
  output logic       pay_valid_o,
  input  logic       pay_ready_i,

  // QPs that failed, and why
  output logic      [NumQps-1:0] silent_o,
  output mem_fail_t              fail_o,
  output logic                   fail_valid_o,
  input  logic                   fail_ready_i,

  output logic bad_job_o,
  output logic nak_o,
  output logic mem_err_o,
  output logic quiet_o
);

  tx_desc_t desc;
  logic desc_valid, desc_ready;
  logic [6:0] freed;
  logic ring_claim, ring_claim_room, ring_idle;
  axis_beat_t beat, ring_beat;
  logic beat_valid, inl, done, drop, pkt_room, store_ready;
  logic job_life, push, whole, cut, fail_quiet;
  logic [6:0] cut_beats;
  tx_pkt_t pkt, store_pkt;
  logic [511:0] inl_data;
  logic ring_valid, ring_drop, ring_room, ring_look, ring_bad, ring_error;
  logic [51:0] ring_page, ring_look_page;
  logic fetch_quiet, align_quiet, store_quiet, ring_quiet;

  roce_tx_fetch #(
    .BufBeats(BufBeats)
  ) u_fetch (
    .clk_i,
    .rst_i,
    .job_i,
    .job_retry_i,
    .job_life_i  (job_life),
    .job_valid_i,
    .job_ready_o,
    .hbm_ar_o,
    .hbm_ar_valid_o,
    .hbm_ar_ready_i,
    .host_ar_o,
    .host_ar_valid_o,
    .host_ar_ready_i,
    .desc_o      (desc),
    .desc_valid_o(desc_valid),
    .desc_ready_i(desc_ready),
    .freed_i     (freed),
    .ring_claim_o(ring_claim),
    .ring_room_i (ring_claim_room),
    .ring_idle_i (ring_idle),
    .bad_o       (bad_job_o),
    .quiet_o     (fetch_quiet)
  );

  roce_tx_align u_align (
    .clk_i,
    .rst_i,
    .desc_i          (desc),
    .desc_valid_i    (desc_valid),
    .desc_ready_o    (desc_ready),
    .hbm_r_i,
    .hbm_r_valid_i,
    .hbm_r_ready_o,
    .host_r_i,
    .host_r_valid_i,
    .host_r_ready_o,
    .beat_o          (beat),
    .beat_valid_o    (beat_valid),
    .pkt_o           (pkt),
    .inl_o           (inl),
    .inl_data_o      (inl_data),
    .done_o          (done),
    .drop_o          (drop),
    .pkt_ready_i     (pkt_room),
    .ring_beat_o     (ring_beat),
    .ring_valid_o    (ring_valid),
    .ring_page_o     (ring_page),
    .ring_drop_o     (ring_drop),
    .ring_room_i     (ring_room),
    .ring_look_o     (ring_look),
    .ring_look_page_o(ring_look_page),
    .ring_bad_i      (ring_bad),
    .quiet_o         (align_quiet)
  );

  roce_tx_fail #(
    .NumQps(NumQps)
  ) u_fail (
    .clk_i,
    .rst_i,
    .cfg_i,
    .cfg_go_i,
    .job_qpn_i  (job_i.hdr.qpn),
    .job_life_o (job_life),
    .pkt_i      (pkt),
    .done_i     (done),
    .drop_i     (drop),
    .ready_o    (pkt_room),
    .pkt_o      (store_pkt),
    .push_o     (push),
    .whole_o    (whole),
    .cut_o      (cut),
    .cut_beats_o(cut_beats),
    .ready_i    (store_ready),
    .silent_o,
    .fail_o,
    .fail_valid_o,
    .fail_ready_i,
    .nak_o,
    .quiet_o    (fail_quiet)
  );

  roce_tx_store #(
    .BufBeats(BufBeats)
  ) u_store (
    .clk_i,
    .rst_i,
    .beat_i      (beat),
    .beat_valid_i(beat_valid),
    .inl_i       (inl),
    .inl_data_i  (inl_data),
    .pkt_i       (store_pkt),
    .push_i      (push),
    .whole_i     (whole),
    .cut_i       (cut),
    .cut_beats_i (cut_beats),
    .ready_o     (store_ready),
    .pkt_o,
    .pkt_valid_o,
    .pkt_ready_i,
    .pay_o,
    .pay_valid_o,
    .pay_ready_i,
    .freed_o     (freed),
    .quiet_o     (store_quiet)
  );

  roce_tx_ring #(
    .NumSlots(NumSlots)
  ) u_ring (
    .clk_i,
    .rst_i,
    .claim_i     (ring_claim),
    .claim_room_o(ring_claim_room),
    .idle_o      (ring_idle),
    .beat_i      (ring_beat),
    .valid_i     (ring_valid),
    .page_i      (ring_page),
    .drop_i      (ring_drop),
    .room_o      (ring_room),
    .look_i      (ring_look),
    .look_page_i (ring_look_page),
    .bad_o       (ring_bad),
    .aw_o        (hbm_aw_o),
    .aw_valid_o  (hbm_aw_valid_o),
    .aw_ready_i  (hbm_aw_ready_i),
    .w_o         (hbm_w_o),
    .w_valid_o   (hbm_w_valid_o),
    .w_ready_i   (hbm_w_ready_i),
    .b_i         (hbm_b_i),
    .b_valid_i   (hbm_b_valid_i),
    .b_ready_o   (hbm_b_ready_o),
    .error_o     (ring_error),
    .quiet_o     (ring_quiet)
  );

  assign mem_err_o = drop || ring_error;
  assign quiet_o   = fetch_quiet && align_quiet && fail_quiet && store_quiet && ring_quiet;

endmodule
