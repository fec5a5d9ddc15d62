// SPDX-License-Identifier: Apache-2.0
// The whole responder side of a node, frames in, frames out: receive half, answers, send data path, atomics, memories. There
// is no requester: responses are dropped.
module responder_top
  import net_pkg::*;
  import axis_pkg::*;
  import roce_pkg::*;
#(
  parameter int unsigned NumQps      = 16,
  parameter int unsigned NumRegions  = 8,
  parameter int unsigned RxFifoBeats = 256
) (
  input logic clk_i,
  input logic rst_i,

  // Registers and configuration rows
  input  roce_glb_t glb_i,
  input  roce_cfg_t cfg_i,
  input  logic      cfg_valid_i,
  input  logic      cfg_go_i,
  output logic      cfg_ready_o,

  // This node, and where everything goes
  input net_cfg_t   net_cfg_i,
  input net_neigh_t neigh_i,

  // Frames
  input  net_rx_beat_t net_i,
  input  logic         net_valid_i,
  output axis_beat_t   frame_o,
  output logic         frame_valid_o,
  input  logic         frame_ready_i,

  // Receive buffers
  input  rq_wr_t  rq_post_i,
  input  logic    rq_post_valid_i,
  output logic    rq_post_ready_o,
  output rq_cpl_t rq_cpl_o,
  output logic    rq_cpl_valid_o,
  input  logic    rq_cpl_ready_i,

  // To the dispatcher
  output roce_rpc_t rpc_o,
  output logic      rpc_valid_o,
  input  logic      rpc_ready_i,

  // Memories
  output axi_addr_t hbm_aw_o,
  output logic      hbm_aw_valid_o,
  input  logic      hbm_aw_ready_i,
  output axi_w_t    hbm_w_o,
  output logic      hbm_w_valid_o,
  input  logic      hbm_w_ready_i,
  input  axi_b_t    hbm_b_i,
  input  logic      hbm_b_valid_i,
  output logic      hbm_b_ready_o,
  output axi_addr_t hbm_ar_o,
  output logic      hbm_ar_valid_o,
  input  logic      hbm_ar_ready_i,
  input  axi_r_t    hbm_r_i,
  input  logic      hbm_r_valid_i,
  output logic      hbm_r_ready_o,
  output axi_addr_t host_aw_o,
  output logic      host_aw_valid_o,
  input  logic      host_aw_ready_i,
  output axi_w_t    host_w_o,
  output logic      host_w_valid_o,
  input  logic      host_w_ready_i,
  input  axi_b_t    host_b_i,
  input  logic      host_b_valid_i,
  output logic      host_b_ready_o,
  output axi_addr_t host_ar_o,
  output logic      host_ar_valid_o,
  input  logic      host_ar_ready_i,
  input  axi_r_t    host_r_i,
  input  logic      host_r_valid_i,
  output logic      host_r_ready_o,

  // Failures, congestion
  output qp_err_t        qp_err_o,
  output logic           qp_err_valid_o,
  input  logic           qp_err_ready_i,
  input  qp_err_t        qp_err_i,
  input  logic           qp_err_valid_i,
  output logic           qp_err_ready_o,
  output logic    [23:0] ce_o,
  output logic           ce_valid_o,
  output logic    [23:0] cnp_o,
  output logic           cnp_valid_o,

  output roce_rx_stats_t stats_o,
  output logic           lost_o,
  output logic           quiet_o
);

  logic rx_cfg_ready, rd_cfg_ready, path_cfg_ready;
  rx_rsp_t rsp;
  rx_cmd_t rsp_cmd;
  logic rsp_valid, rsp_cmd_ready, rsp_room;
  ack_evt_t ack_evt;
  logic ack_evt_valid, ack_evt_ready;
  rd_evt_t rd;
  logic rd_valid, rd_ready;
  wr_no_t wr_done;
  atomic_req_t atomic;
  atomic_rsp_t [1:0] atomic_rsp;
  logic atomic_valid, atomic_ready;
  logic [1:0] atomic_rsp_valid, atomic_rsp_ready;
  tx_job_t job, no_job;
  logic job_valid, job_ready, rsp_sent, rsp_gone;
  logic [23:0] rsp_gone_qpn;
  logic [NumQps-1:0] silent;
  mem_fail_t fail;
  logic fail_valid, err_ready;
  qp_err_t err;
  roce_tx_stats_t unused_stats;
  logic rx_quiet, wr_quiet, rq_quiet, rd_quiet, path_quiet, atomic_quiet;
  logic [1:0] rmux_quiet, wmux_quiet;
  logic unused_neigh_re;
  logic [7:0] unused_neigh_idx;
  rsp_done_t unused_rsp_done;

  // Writes: 0 payload, 1 of responses, 2 atomics, 3 ring. Reads: 0 payload to send, 1 atomics. Memory: 0 HBM, 1 host.
  axi_addr_t [1:0][3:0] aw;
  axi_w_t [1:0][3:0] w;
  axi_b_t [1:0][3:0] b;
  logic [1:0][3:0] aw_valid, aw_ready, w_valid, w_ready, b_valid, b_ready;
  axi_addr_t [1:0][1:0] ar;
  axi_r_t [1:0] r;
  logic [1:0][1:0] ar_valid, ar_ready, r_valid, r_ready;

  assign cfg_ready_o = rx_cfg_ready && rd_cfg_ready && path_cfg_ready;
  assign rsp_cmd = '{inl: 1'b0, data: '0, target: RX_DROP, qpn: rsp.qpn, addr: '0, len: rsp.len};
  assign rsp_room = rsp.len == '0 || rsp_cmd_ready;
  assign no_job = '0;
  // A memory error fails the QP here, as the requester would have it done.
  assign err = fail_valid ? '{qpn: fail.qpn} : qp_err_i;
  assign qp_err_ready_o = err_ready && !fail_valid;
  assign aw[1][3] = '0;
  assign w[1][3] = '0;
  assign aw_valid[1][3] = 1'b0;
  assign w_valid[1][3] = 1'b0;
  assign b_ready[1][3] = 1'b1;

  roce_rx #(
    .NumQps      (NumQps),
    .NumRegions  (NumRegions),
    .RxFifoBeats (RxFifoBeats),
    .RspFifoBeats(RxFifoBeats)
  ) u_rx (
    .clk_i,
    .clk_wr_i       (clk_i),
    .clk_rq_i       (clk_i),
    .rst_i,
    .glb_i,
    .cfg_i,
    .cfg_valid_i,
    .cfg_go_i,
    .cfg_ready_o    (rx_cfg_ready),
    .net_i,
    .net_valid_i,
    .rx_rsp_o       (rsp),
    .rx_rsp_valid_o (rsp_valid),
    .rx_rsp_ready_i (rsp_room),
    .rsp_cmd_i      (rsp_cmd),
    .rsp_cmd_valid_i(rsp_valid && rsp.len != '0),
    .rsp_cmd_ready_o(rsp_cmd_ready),
    .rsp_done_o     (unused_rsp_done),
    .rq_post_i,
    .rq_post_valid_i,
    .rq_post_ready_o,
    .rq_cpl_o,
    .rq_cpl_valid_o,
    .rq_cpl_ready_i,
    .rd_o           (rd),
    .rd_valid_o     (rd_valid),
    .rd_ready_i     (rd_ready),
    .wr_done_o      (wr_done),
    .ce_o,
    .ce_valid_o,
    .ce_ready_i     (1'b1),
    .cnp_o,
    .cnp_valid_o,
    .cnp_ready_i    (1'b1),
    .ack_evt_o      (ack_evt),
    .ack_evt_valid_o(ack_evt_valid),
    .ack_evt_ready_i(ack_evt_ready),
    .rpc_o,
    .rpc_valid_o,
    .rpc_ready_i,
    .hbm_aw_o       (aw[0][1:0]),
    .hbm_aw_valid_o (aw_valid[0][1:0]),
    .hbm_aw_ready_i (aw_ready[0][1:0]),
    .hbm_w_o        (w[0][1:0]),
    .hbm_w_valid_o  (w_valid[0][1:0]),
    .hbm_w_ready_i  (w_ready[0][1:0]),
    .hbm_b_i        (b[0][1:0]),
    .hbm_b_valid_i  (b_valid[0][1:0]),
    .hbm_b_ready_o  (b_ready[0][1:0]),
    .host_aw_o      (aw[1][1:0]),
    .host_aw_valid_o(aw_valid[1][1:0]),
    .host_aw_ready_i(aw_ready[1][1:0]),
    .host_w_o       (w[1][1:0]),
    .host_w_valid_o (w_valid[1][1:0]),
    .host_w_ready_i (w_ready[1][1:0]),
    .host_b_i       (b[1][1:0]),
    .host_b_valid_i (b_valid[1][1:0]),
    .host_b_ready_o (b_ready[1][1:0]),
    .qp_err_o,
    .qp_err_valid_o,
    .qp_err_ready_i,
    .qp_err_i       (err),
    .qp_err_valid_i (fail_valid || qp_err_valid_i),
    .qp_err_ready_o (err_ready),
    .stats_o,
    .quiet_o        (rx_quiet),
    .wr_quiet_o     (wr_quiet),
    .rq_quiet_o     (rq_quiet)
  );

  roce_rd #(
    .NumQps(NumQps)
  ) u_rd (
    .clk_i,
    .rst_i,
    .cfg_i,
    .cfg_valid_i,
    .cfg_go_i,
    .cfg_ready_o   (rd_cfg_ready),
    .evt_i         (rd),
    .evt_valid_i   (rd_valid),
    .evt_ready_o   (rd_ready),
    .wr_done_i     (wr_done),
    .silent_i      (silent),
    .atomic_o      (atomic),
    .atomic_valid_o(atomic_valid),
    .atomic_ready_i(atomic_ready),
    .atomic_i      (atomic_rsp),
    .atomic_valid_i(atomic_rsp_valid),
    .atomic_ready_o(atomic_rsp_ready),
    .job_o         (job),
    .job_valid_o   (job_valid),
    .job_ready_i   (job_ready),
    .sent_i        (rsp_sent),
    .done_o        (rsp_gone),
    .done_qpn_o    (rsp_gone_qpn),
    .lost_o,
    .quiet_o       (rd_quiet)
  );

  axis_atomic u_atomic (
    .clk_i,
    .rst_i,
    .req_i      (atomic),
    .req_valid_i(atomic_valid),
    .req_ready_o(atomic_ready),
    .rsp_o      (atomic_rsp),
    .rsp_valid_o(atomic_rsp_valid),
    .rsp_ready_i(atomic_rsp_ready),
    .ar_o       ({ar[1][1], ar[0][1]}),
    .ar_valid_o ({ar_valid[1][1], ar_valid[0][1]}),
    .ar_ready_i ({ar_ready[1][1], ar_ready[0][1]}),
    .r_i        (r),
    .r_valid_i  ({r_valid[1][1], r_valid[0][1]}),
    .r_ready_o  ({r_ready[1][1], r_ready[0][1]}),
    .aw_o       ({aw[1][2], aw[0][2]}),
    .aw_valid_o ({aw_valid[1][2], aw_valid[0][2]}),
    .aw_ready_i ({aw_ready[1][2], aw_ready[0][2]}),
    .w_o        ({w[1][2], w[0][2]}),
    .w_valid_o  ({w_valid[1][2], w_valid[0][2]}),
    .w_ready_i  ({w_ready[1][2], w_ready[0][2]}),
    .b_i        ({b[1][2], b[0][2]}),
    .b_valid_i  ({b_valid[1][2], b_valid[0][2]}),
    .b_ready_o  ({b_ready[1][2], b_ready[0][2]}),
    .quiet_o    (atomic_quiet)
  );

  roce_tx_path #(
    .NumQps(NumQps)
  ) u_path (
    .clk_i,
    .rst_i,
    .cfg_i,
    .cfg_valid_i,
    .cfg_go_i,
    .cfg_ready_o      (path_cfg_ready),
    .net_cfg_i,
    .ack_evt_i        (ack_evt),
    .ack_evt_valid_i  (ack_evt_valid),
    .ack_evt_ready_o  (ack_evt_ready),
    .new_job_i        (no_job),
    .new_job_valid_i  (1'b0),
    .new_job_ready_o  (),
    .retry_job_i      (no_job),
    .retry_job_valid_i(1'b0),
    .retry_job_ready_o(),
    .rsp_job_i        (job),
    .rsp_job_valid_i  (job_valid),
    .rsp_job_ready_o  (job_ready),
    .rsp_sent_o       (rsp_sent),
    .rsp_gone_i       (rsp_gone),
    .rsp_gone_qpn_i   (rsp_gone_qpn),
    .silent_o         (silent),
    .fail_o           (fail),
    .fail_valid_o     (fail_valid),
    .fail_ready_i     (err_ready),
    .neigh_re_o       (unused_neigh_re),
    .neigh_idx_o      (unused_neigh_idx),
    .neigh_i,
    .hbm_ar_o         (ar[0][0]),
    .hbm_ar_valid_o   (ar_valid[0][0]),
    .hbm_ar_ready_i   (ar_ready[0][0]),
    .hbm_r_i          (r[0]),
    .hbm_r_valid_i    (r_valid[0][0]),
    .hbm_r_ready_o    (r_ready[0][0]),
    .hbm_aw_o         (aw[0][3]),
    .hbm_aw_valid_o   (aw_valid[0][3]),
    .hbm_aw_ready_i   (aw_ready[0][3]),
    .hbm_w_o          (w[0][3]),
    .hbm_w_valid_o    (w_valid[0][3]),
    .hbm_w_ready_i    (w_ready[0][3]),
    .hbm_b_i          (b[0][3]),
    .hbm_b_valid_i    (b_valid[0][3]),
    .hbm_b_ready_o    (b_ready[0][3]),
    .host_ar_o        (ar[1][0]),
    .host_ar_valid_o  (ar_valid[1][0]),
    .host_ar_ready_i  (ar_ready[1][0]),
    .host_r_i         (r[1]),
    .host_r_valid_i   (r_valid[1][0]),
    .host_r_ready_o   (r_ready[1][0]),
    .frame_o,
    .frame_valid_o,
    .frame_ready_i,
    .stats_o          (unused_stats),
    .quiet_o          (path_quiet)
  );

  // ---- Memories ------------------------------------------------------------------------------------------------------
  axi_addr_t [1:0] mem_aw, mem_ar;
  axi_w_t [1:0] mem_w;
  logic [1:0] mem_aw_valid, mem_w_valid, mem_b_ready, mem_ar_valid, mem_r_ready;
  axi_b_t [1:0] mem_b;
  axi_r_t [1:0] mem_r;
  logic [1:0] mem_aw_ready, mem_w_ready, mem_b_valid, mem_ar_ready, mem_r_valid;

  assign {host_aw_o, hbm_aw_o} = mem_aw;
  assign {host_aw_valid_o, hbm_aw_valid_o} = mem_aw_valid;
  assign mem_aw_ready = {host_aw_ready_i, hbm_aw_ready_i};
  assign {host_w_o, hbm_w_o} = mem_w;
  assign {host_w_valid_o, hbm_w_valid_o} = mem_w_valid;
  assign mem_w_ready = {host_w_ready_i, hbm_w_ready_i};
  assign mem_b = {host_b_i, hbm_b_i};
  assign mem_b_valid = {host_b_valid_i, hbm_b_valid_i};
  assign {host_b_ready_o, hbm_b_ready_o} = mem_b_ready;
  assign {host_ar_o, hbm_ar_o} = mem_ar;
  assign {host_ar_valid_o, hbm_ar_valid_o} = mem_ar_valid;
  assign mem_ar_ready = {host_ar_ready_i, hbm_ar_ready_i};
  assign mem_r = {host_r_i, hbm_r_i};
  assign mem_r_valid = {host_r_valid_i, hbm_r_valid_i};
  assign {host_r_ready_o, hbm_r_ready_o} = mem_r_ready;

  for (genvar m = 0; m < 2; m++) begin : gen_mem
    axis_axi_wmux #(
      .N(4)
    ) u_wmux (
      .clk_i,
      .rst_i,
      .aw_i      (aw[m]),
      .aw_valid_i(aw_valid[m]),
      .aw_ready_o(aw_ready[m]),
      .w_i       (w[m]),
      .w_valid_i (w_valid[m]),
      .w_ready_o (w_ready[m]),
      .b_o       (b[m]),
      .b_valid_o (b_valid[m]),
      .b_ready_i (b_ready[m]),
      .aw_o      (mem_aw[m]),
      .aw_valid_o(mem_aw_valid[m]),
      .aw_ready_i(mem_aw_ready[m]),
      .w_o       (mem_w[m]),
      .w_valid_o (mem_w_valid[m]),
      .w_ready_i (mem_w_ready[m]),
      .b_i       (mem_b[m]),
      .b_valid_i (mem_b_valid[m]),
      .b_ready_o (mem_b_ready[m]),
      .quiet_o   (wmux_quiet[m])
    );

    axis_axi_rmux #(
      .N(2)
    ) u_rmux (
      .clk_i,
      .rst_i,
      .ar_i      (ar[m]),
      .ar_valid_i(ar_valid[m]),
      .ar_ready_o(ar_ready[m]),
      .r_o       (r[m]),
      .r_valid_o (r_valid[m]),
      .r_ready_i (r_ready[m]),
      .ar_o      (mem_ar[m]),
      .ar_valid_o(mem_ar_valid[m]),
      .ar_ready_i(mem_ar_ready[m]),
      .r_i       (mem_r[m]),
      .r_valid_i (mem_r_valid[m]),
      .r_ready_o (mem_r_ready[m]),
      .quiet_o   (rmux_quiet[m])
    );
  end

  assign quiet_o = rx_quiet && wr_quiet && rq_quiet && rd_quiet && path_quiet && atomic_quiet && rmux_quiet == '1 && wmux_quiet == '1;

endmodule
