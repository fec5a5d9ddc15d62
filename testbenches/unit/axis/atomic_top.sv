// SPDX-License-Identifier: Apache-2.0
// axis_atomic with three requesters, 16 slots for HBM and 4 for the host; its reads share each memory with one more reader (axis_axi_rmux, masters 0 the reader,
// 1 the atomics).
module atomic_top
  import axis_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_i,
  input  logic [2:0][225:0] req_i,        // atomic_req_t
  input  logic [2:0]        req_valid_i,
  output logic [2:0]        req_ready_o,
  output logic [1:0][ 64:0] rsp_o,        // atomic_rsp_t of each memory
  output logic [2:0][  1:0] rsp_valid_o,
  input  logic [2:0][  1:0] rsp_ready_i,

  // The other reader of HBM
  input  axi_addr_t read_ar_i,
  input  logic      read_ar_valid_i,
  output logic      read_ar_ready_o,
  output axi_r_t    read_r_o,
  output logic      read_r_valid_o,
  input  logic      read_r_ready_i,

  // Memories
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
  output axi_addr_t host_ar_o,
  output logic      host_ar_valid_o,
  input  logic      host_ar_ready_i,
  input  axi_r_t    host_r_i,
  input  logic      host_r_valid_i,
  output logic      host_r_ready_o,
  output axi_addr_t host_aw_o,
  output logic      host_aw_valid_o,
  input  logic      host_aw_ready_i,
  output axi_w_t    host_w_o,
  output logic      host_w_valid_o,
  input  logic      host_w_ready_i,
  input  axi_b_t    host_b_i,
  input  logic      host_b_valid_i,
  output logic      host_b_ready_o,

  output logic quiet_o
);

  axi_addr_t hbm_ar;
  logic hbm_ar_valid, hbm_ar_ready, hbm_r_valid, hbm_r_ready, atomic_quiet, rmux_quiet;

  axis_atomic #(
    .N        (3),
    .HostSlots(4)
  ) u_atomic (
    .clk_i,
    .rst_i,
    .req_i,
    .req_valid_i,
    .req_ready_o,
    .rsp_o,
    .rsp_valid_o,
    .rsp_ready_i,
    .ar_o      ({host_ar_o, hbm_ar}),
    .ar_valid_o({host_ar_valid_o, hbm_ar_valid}),
    .ar_ready_i({host_ar_ready_i, hbm_ar_ready}),
    .r_i       ({host_r_i, read_r_o}),
    .r_valid_i ({host_r_valid_i, hbm_r_valid}),
    .r_ready_o ({host_r_ready_o, hbm_r_ready}),
    .aw_o      ({host_aw_o, hbm_aw_o}),
    .aw_valid_o({host_aw_valid_o, hbm_aw_valid_o}),
    .aw_ready_i({host_aw_ready_i, hbm_aw_ready_i}),
    .w_o       ({host_w_o, hbm_w_o}),
    .w_valid_o ({host_w_valid_o, hbm_w_valid_o}),
    .w_ready_i ({host_w_ready_i, hbm_w_ready_i}),
    .b_i       ({host_b_i, hbm_b_i}),
    .b_valid_i ({host_b_valid_i, hbm_b_valid_i}),
    .b_ready_o ({host_b_ready_o, hbm_b_ready_o}),
    .quiet_o   (atomic_quiet)
  );

  axis_axi_rmux #(
    .N        (2),
    .MaxBursts(16)
  ) u_rmux (
    .clk_i,
    .rst_i,
    .ar_i      ({hbm_ar, read_ar_i}),
    .ar_valid_i({hbm_ar_valid, read_ar_valid_i}),
    .ar_ready_o({hbm_ar_ready, read_ar_ready_o}),
    .r_o       (read_r_o),
    .r_valid_o ({hbm_r_valid, read_r_valid_o}),
    .r_ready_i ({hbm_r_ready, read_r_ready_i}),
    .ar_o      (hbm_ar_o),
    .ar_valid_o(hbm_ar_valid_o),
    .ar_ready_i(hbm_ar_ready_i),
    .r_i       (hbm_r_i),
    .r_valid_i (hbm_r_valid_i),
    .r_ready_o (hbm_r_ready_o),
    .quiet_o   (rmux_quiet)
  );

  assign quiet_o = atomic_quiet && rmux_quiet;

endmodule
