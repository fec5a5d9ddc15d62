// SPDX-License-Identifier: Apache-2.0
// Send queues: work requests in, packets (tx_job_t) out. Wiring only.
//
//   verb -> roce_sq_in -> ring RAM -> roce_sq_sched -> job   (roce_sq_cut inside)
//               |            ^             |
//               +-> roce_sq_list ----------+     kicks from requester, retransmission and pacer enter too
//
// Latency from the verb's handshake to job_valid_o: 4 cycles when idle. See the modules for contract and bad input.
module roce_sq
  import prim_pkg::*;
  import roce_cc_pkg::*;
  import roce_pkg::*;
  import roce_req_pkg::*;
#(
  parameter int unsigned NumQps  = 256,
  parameter int unsigned Window  = 16,
  parameter int unsigned SqDepth = 16
) (
  input logic clk_i,
  input logic rst_i,

  input roce_glb_t glb_i,
  input roce_cfg_t cfg_i,
  input logic      cfg_valid_i,
  input logic      cfg_go_i,

  // Work requests
  input  verb_t verb_i,
  input  logic  verb_valid_i,
  output logic  verb_ready_o,

  // Kicks (see roce_sq_list)
  input  logic [idx_width(NumQps)-1:0] req_kick_qpn_i,
  input  logic                         req_kick_i,
  input  logic [idx_width(NumQps)-1:0] retry_kick_qpn_i,
  input  logic                         retry_kick_i,
  output logic                         retry_kick_ready_o,
  input  logic [idx_width(NumQps)-1:0] pace_kick_qpn_i,
  input  logic                         pace_kick_i,
  output logic                         pace_kick_ready_o,

  // State of the scheduler's QP, from the requester
  output logic        [idx_width(NumQps)-1:0] cur_qpn_o,
  input  logic        [                 23:0] una_i,
  input  cpl_status_e                         fail_i,
  input  logic                                dead_i,
  input  logic                                held_i,
  input  logic                                drain_i,
  input  rd_count_t                           rd_done_i,

  // Pacing of the scheduler's QP; a packet leaves for the first time
  input  logic     paced_i,
  input  logic     limited_i,
  output logic     park_o,
  output cc_sent_t sent_o,
  output logic     sent_valid_o,

  // Next PSN of a QP
  input  logic [idx_width(NumQps)-1:0] req_qpn_i,
  output logic [                 23:0] req_next_o,
  input  logic [idx_width(NumQps)-1:0] retry_qpn_i,
  output logic [                 23:0] retry_next_o,

  // A packet is sent for the first time
  output logic                                       send_o,
  output logic      [         idx_width(NumQps)-1:0] send_qpn_o,
  output logic      [                           4:0] send_timeout_o,
  output logic      [idx_width(NumQps * Window)-1:0] send_slot_o,
  output meta_cpl_t                                  send_cpl_o,
  output meta_pkt_t                                  send_pkt_o,

  // Packets
  output tx_job_t job_o,
  output logic    job_valid_o,
  input  logic    job_ready_i,

  // Refused requests; flushed ones and datagrams that were sent
  output cpl_t in_cpl_o,
  output logic in_cpl_valid_o,
  input  logic in_cpl_ready_i,
  output cpl_t flush_cpl_o,
  output logic flush_cpl_valid_o,
  input  logic flush_cpl_ready_i,

  output logic bad_verb_o,
  output logic quiet_o
);

  localparam int unsigned QpW = idx_width(NumQps);
  localparam int unsigned RingW = idx_width(NumQps * SqDepth);
  localparam int unsigned PtrW = $clog2(SqDepth) + 1;

  sq_wr_t wr_in, wr;
  logic push, wr_re, kick, kick_ready;
  logic [RingW-1:0] push_addr, wr_addr;
  logic [QpW-1:0] kick_qpn, head_qpn, list_qpn;
  logic [PtrW-1:0] head, tail;
  logic wake, wake_ready;
  logic [QpW-1:0] wake_qpn;
  logic list_valid, list_ready, list_busy, requeue, delist, in_quiet, sched_quiet;

  assign quiet_o = in_quiet && sched_quiet && !pace_kick_i;

  roce_sq_in #(
    .NumQps (NumQps),
    .SqDepth(SqDepth)
  ) u_in (
    .clk_i,
    .rst_i,
    .cfg_i,
    .cfg_valid_i,
    .cfg_go_i,
    .verb_i,
    .verb_valid_i,
    .verb_ready_o,
    .wr_o        (wr_in),
    .push_o      (push),
    .push_addr_o (push_addr),
    .kick_valid_o(kick),
    .kick_qpn_o  (kick_qpn),
    .kick_ready_i(kick_ready),
    .head_qpn_o  (head_qpn),
    .head_i      (head),
    .tail_qpn_i  (cur_qpn_o),
    .tail_o      (tail),
    .cpl_o       (in_cpl_o),
    .cpl_valid_o (in_cpl_valid_o),
    .cpl_ready_i (in_cpl_ready_i),
    .bad_verb_o,
    .quiet_o     (in_quiet)
  );

  prim_ram_1r1w #(
    .T    (sq_wr_t),
    .Depth(NumQps * SqDepth)
  ) u_ring (
    .clk_i,
    .re_i   (wr_re),
    .raddr_i(wr_addr),
    .rdata_o(wr),
    .we_i   (push),
    .waddr_i(push_addr),
    .wdata_i(wr_in)
  );

  // A retransmission that has ended and a pacer's wake-up enter the list by one door. A retransmission may take its kick back.
  assign wake = retry_kick_i || pace_kick_i;
  assign wake_qpn = retry_kick_i ? retry_kick_qpn_i : pace_kick_qpn_i;
  assign retry_kick_ready_o = wake_ready;
  assign pace_kick_ready_o = wake_ready && !retry_kick_i;

  roce_sq_list #(
    .NumQps(NumQps)
  ) u_list (
    .clk_i,
    .rst_i,
    .req_qpn_i    (req_kick_qpn_i),
    .req_valid_i  (req_kick_i),
    .retry_qpn_i  (wake_qpn),
    .retry_valid_i(wake),
    .retry_ready_o(wake_ready),
    .new_qpn_i    (kick_qpn),
    .new_valid_i  (kick),
    .new_ready_o  (kick_ready),
    .qpn_o        (list_qpn),
    .valid_o      (list_valid),
    .ready_i      (list_ready),
    .cur_qpn_i    (cur_qpn_o),
    .requeue_i    (requeue),
    .delist_i     (delist),
    .busy_o       (list_busy)
  );

  roce_sq_sched #(
    .NumQps (NumQps),
    .Window (Window),
    .SqDepth(SqDepth)
  ) u_sched (
    .clk_i,
    .rst_i,
    .glb_i,
    .cfg_i,
    .cfg_valid_i,
    .cfg_go_i,
    .list_qpn_i  (list_qpn),
    .list_valid_i(list_valid),
    .list_ready_o(list_ready),
    .list_busy_i (list_busy),
    .cur_qpn_o,
    .requeue_o   (requeue),
    .delist_o    (delist),
    .wr_re_o     (wr_re),
    .wr_addr_o   (wr_addr),
    .wr_i        (wr),
    .push_i      (push),
    .push_addr_i (push_addr),
    .head_qpn_i  (head_qpn),
    .head_o      (head),
    .tail_i      (tail),
    .una_i,
    .fail_i,
    .dead_i,
    .held_i,
    .drain_i,
    .rd_done_i,
    .paced_i,
    .limited_i,
    .park_o,
    .sent_o,
    .sent_valid_o,
    .req_qpn_i,
    .req_next_o,
    .retry_qpn_i,
    .retry_next_o,
    .send_o,
    .send_qpn_o,
    .send_timeout_o,
    .send_slot_o,
    .send_cpl_o,
    .send_pkt_o,
    .job_o,
    .job_valid_o,
    .job_ready_i,
    .cpl_o       (flush_cpl_o),
    .cpl_valid_o (flush_cpl_valid_o),
    .cpl_ready_i (flush_cpl_ready_i),
    .quiet_o     (sched_quiet)
  );

endmodule
