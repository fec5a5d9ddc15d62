// SPDX-License-Identifier: Apache-2.0
// The node's memories: every master of HBM and of host memory onto one AXI4 port each, and the atomic unit, which is one more
// master of both. Wiring only; latencies are those of axis_axi_wmux, axis_axi_rmux and axis_atomic.
// Read data of a memory go to all its readers, the valid says to whom. Contract: of each kind the atomic unit has the last number behind the masters given here.
module node_mem
  import axis_pkg::*;
#(
  parameter int unsigned HbmWriters  = 3,
  parameter int unsigned HbmReaders  = 1,
  parameter int unsigned HostWriters = 2,
  parameter int unsigned HostReaders = 1,
  parameter int unsigned Atomics     = 1,   // requesters of atomics
  parameter int unsigned HbmAtomics  = 16,  // at work at a time
  parameter int unsigned HostAtomics = 8
) (
  input logic clk_i,       // HBM and atomics
  input logic clk_host_i,  // host memory
  input logic rst_i,

  // Atomics
  input  atomic_req_t [Atomics-1:0]      atomic_i,
  input  logic        [Atomics-1:0]      atomic_valid_i,
  output logic        [Atomics-1:0]      atomic_ready_o,
  output atomic_rsp_t [        1:0]      atomic_o,
  output logic        [Atomics-1:0][1:0] atomic_valid_o,
  input  logic        [Atomics-1:0][1:0] atomic_ready_i,

  // HBM: the node's masters, then the memory
  input axi_addr_t [HbmWriters-1:0] hbm_aw_i,
  input logic [HbmWriters-1:0] hbm_aw_valid_i,
  output logic [HbmWriters-1:0] hbm_aw_ready_o,
  input axi_w_t [HbmWriters-1:0] hbm_w_i,
  input logic [HbmWriters-1:0] hbm_w_valid_i,
  output logic [HbmWriters-1:0] hbm_w_ready_o,
  output axi_b_t [HbmWriters-1:0] hbm_b_o,
  output logic [HbmWriters-1:0] hbm_b_valid_o,
  input logic [HbmWriters-1:0] hbm_b_ready_i,
  input axi_addr_t [HbmReaders-1:0] hbm_ar_i,
  input logic [HbmReaders-1:0] hbm_ar_valid_i,
  output logic [HbmReaders-1:0] hbm_ar_ready_o,
  output axi_r_t hbm_r_o,
  output logic [HbmReaders-1:0] hbm_r_valid_o,
  input logic [HbmReaders-1:0] hbm_r_ready_i,
  output axi_req_t hbm_o,
  input axi_rsp_t hbm_i,

  // Host memory: the node's masters, then the memory
  input axi_addr_t [HostWriters-1:0] host_aw_i,
  input logic [HostWriters-1:0] host_aw_valid_i,
  output logic [HostWriters-1:0] host_aw_ready_o,
  input axi_w_t [HostWriters-1:0] host_w_i,
  input logic [HostWriters-1:0] host_w_valid_i,
  output logic [HostWriters-1:0] host_w_ready_o,
  output axi_b_t [HostWriters-1:0] host_b_o,
  output logic [HostWriters-1:0] host_b_valid_o,
  input logic [HostWriters-1:0] host_b_ready_i,
  input axi_addr_t [HostReaders-1:0] host_ar_i,
  input logic [HostReaders-1:0] host_ar_valid_i,
  output logic [HostReaders-1:0] host_ar_ready_o,
  output axi_r_t host_r_o,
  output logic [HostReaders-1:0] host_r_valid_o,
  input logic [HostReaders-1:0] host_r_ready_i,
  output axi_req_t host_o,
  input axi_rsp_t host_i,

  output logic quiet_o,
  output logic host_quiet_o
);

  // The atomic unit's ports: 0 HBM, 1 host memory.
  axi_addr_t [1:0] aw, ar;
  axi_w_t [1:0] w;
  axi_b_t [1:0] b;
  logic [1:0] aw_valid, aw_ready, w_valid, w_ready, b_valid, b_ready, ar_valid, ar_ready, r_valid, r_ready;
  logic [1:0] wmux_quiet, rmux_quiet;
  logic atomic_quiet;

  axis_atomic #(
    .N        (Atomics),
    .HbmSlots (HbmAtomics),
    .HostSlots(HostAtomics)
  ) u_atomic (
    .clk_i,
    .rst_i,
    .req_i      (atomic_i),
    .req_valid_i(atomic_valid_i),
    .req_ready_o(atomic_ready_o),
    .rsp_o      (atomic_o),
    .rsp_valid_o(atomic_valid_o),
    .rsp_ready_i(atomic_ready_i),
    .ar_o       (ar),
    .ar_valid_o (ar_valid),
    .ar_ready_i (ar_ready),
    .r_i        ({host_r_o, hbm_r_o}),
    .r_valid_i  (r_valid),
    .r_ready_o  (r_ready),
    .aw_o       (aw),
    .aw_valid_o (aw_valid),
    .aw_ready_i (aw_ready),
    .w_o        (w),
    .w_valid_o  (w_valid),
    .w_ready_i  (w_ready),
    .b_i        (b),
    .b_valid_i  (b_valid),
    .b_ready_o  (b_ready),
    .quiet_o    (atomic_quiet)
  );

  axis_axi_wmux #(
    .N(HbmWriters + 1)
  ) u_hbm_wmux (
    .clk_i,
    .rst_i,
    .aw_i      ({aw[0], hbm_aw_i}),
    .aw_valid_i({aw_valid[0], hbm_aw_valid_i}),
    .aw_ready_o({aw_ready[0], hbm_aw_ready_o}),
    .w_i       ({w[0], hbm_w_i}),
    .w_valid_i ({w_valid[0], hbm_w_valid_i}),
    .w_ready_o ({w_ready[0], hbm_w_ready_o}),
    .b_o       ({b[0], hbm_b_o}),
    .b_valid_o ({b_valid[0], hbm_b_valid_o}),
    .b_ready_i ({b_ready[0], hbm_b_ready_i}),
    .aw_o      (hbm_o.aw),
    .aw_valid_o(hbm_o.aw_valid),
    .aw_ready_i(hbm_i.aw_ready),
    .w_o       (hbm_o.w),
    .w_valid_o (hbm_o.w_valid),
    .w_ready_i (hbm_i.w_ready),
    .b_i       (hbm_i.b),
    .b_valid_i (hbm_i.b_valid),
    .b_ready_o (hbm_o.b_ready),
    .quiet_o   (wmux_quiet[0])
  );

  axis_axi_rmux #(
    .N(HbmReaders + 1)
  ) u_hbm_rmux (
    .clk_i,
    .rst_i,
    .ar_i      ({ar[0], hbm_ar_i}),
    .ar_valid_i({ar_valid[0], hbm_ar_valid_i}),
    .ar_ready_o({ar_ready[0], hbm_ar_ready_o}),
    .r_o       (hbm_r_o),
    .r_valid_o ({r_valid[0], hbm_r_valid_o}),
    .r_ready_i ({r_ready[0], hbm_r_ready_i}),
    .ar_o      (hbm_o.ar),
    .ar_valid_o(hbm_o.ar_valid),
    .ar_ready_i(hbm_i.ar_ready),
    .r_i       (hbm_i.r),
    .r_valid_i (hbm_i.r_valid),
    .r_ready_o (hbm_o.r_ready),
    .quiet_o   (rmux_quiet[0])
  );

  axis_axi_wmux #(
    .N(HostWriters + 1)
  ) u_host_wmux (
    .clk_i     (clk_host_i),
    .rst_i,
    .aw_i      ({aw[1], host_aw_i}),
    .aw_valid_i({aw_valid[1], host_aw_valid_i}),
    .aw_ready_o({aw_ready[1], host_aw_ready_o}),
    .w_i       ({w[1], host_w_i}),
    .w_valid_i ({w_valid[1], host_w_valid_i}),
    .w_ready_o ({w_ready[1], host_w_ready_o}),
    .b_o       ({b[1], host_b_o}),
    .b_valid_o ({b_valid[1], host_b_valid_o}),
    .b_ready_i ({b_ready[1], host_b_ready_i}),
    .aw_o      (host_o.aw),
    .aw_valid_o(host_o.aw_valid),
    .aw_ready_i(host_i.aw_ready),
    .w_o       (host_o.w),
    .w_valid_o (host_o.w_valid),
    .w_ready_i (host_i.w_ready),
    .b_i       (host_i.b),
    .b_valid_i (host_i.b_valid),
    .b_ready_o (host_o.b_ready),
    .quiet_o   (wmux_quiet[1])
  );

  axis_axi_rmux #(
    .N(HostReaders + 1)
  ) u_host_rmux (
    .clk_i     (clk_host_i),
    .rst_i,
    .ar_i      ({ar[1], host_ar_i}),
    .ar_valid_i({ar_valid[1], host_ar_valid_i}),
    .ar_ready_o({ar_ready[1], host_ar_ready_o}),
    .r_o       (host_r_o),
    .r_valid_o ({r_valid[1], host_r_valid_o}),
    .r_ready_i ({r_ready[1], host_r_ready_i}),
    .ar_o      (host_o.ar),
    .ar_valid_o(host_o.ar_valid),
    .ar_ready_i(host_i.ar_ready),
    .r_i       (host_i.r),
    .r_valid_i (host_i.r_valid),
    .r_ready_o (host_o.r_ready),
    .quiet_o   (rmux_quiet[1])
  );

  assign quiet_o      = atomic_quiet && wmux_quiet[0] && rmux_quiet[0];
  assign host_quiet_o = wmux_quiet[1] && rmux_quiet[1];

endmodule
