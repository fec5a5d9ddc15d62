// SPDX-License-Identifier: Apache-2.0
// Rows of the requester, one a QP, read asynchronously (LUT RAM and flag registers): una, retry counts, READs and atomics
// done, what the message under way fails with, and flags. Only roce_requester writes (set and clear: set wins), and table
// writes.
//   rts    ready to send                        err    failed, until created anew
//   sqd    drains: begins no work request       rnr    waits for the RNR timer
//   naked  went back for a NAK and has made no progress since
// A table write that takes a QP out of RTS and SQD also sets err: flush_o, in the cycle of cfg_go_i; one that brings it from
// SQD to RTS: resume_o.
module roce_req_rows
  import prim_pkg::*;
  import roce_pkg::*;
  import roce_req_pkg::*;
#(
  parameter int unsigned NumQps = 256
) (
  input logic clk_i,
  input logic rst_i,

  input  roce_cfg_t cfg_i,
  input  logic      cfg_go_i,
  output logic      flush_o,
  output logic      resume_o,

  // The requester's QP
  input  logic       [idx_width(NumQps)-1:0] qpn_i,
  output req_row_t                           row_o,
  input  req_write_t                         write_i,

  // The scheduler's QP
  input  logic        [idx_width(NumQps)-1:0] sched_qpn_i,
  output logic        [                 23:0] sched_una_o,
  output cpl_status_e                         sched_fail_o,
  output logic                                sched_dead_o,
  output logic                                sched_rnr_o,
  output logic                                sched_drain_o,
  output rd_count_t                           sched_rd_done_o,

  // The QP in retransmission
  input  logic [idx_width(NumQps)-1:0] retry_qpn_i,
  output logic [                 23:0] retry_una_o,
  output logic                         retry_dead_o
);

  localparam int unsigned QpW = idx_width(NumQps);

  logic [23:0] una_mem[NumQps];
  logic [2:0] retries_mem[NumQps];
  logic [2:0] rnr_retries_mem[NumQps];
  rd_count_t rd_done_mem[NumQps];
  cpl_status_e fail_mem[NumQps];
  logic [NumQps-1:0] rts_q, sqd_q, err_q, rnr_q, naked_q;
  logic [QpW-1:0] cfg_qpn;
  logic write, init;

  assign cfg_qpn = cfg_i.index[QpW-1:0];
  assign write = cfg_go_i && is_qp_row(cfg_i, NumQps);
  assign init = write && cfg_i.init;
  assign flush_o = write && !cfg_i.init && (rts_q[cfg_qpn] || sqd_q[cfg_qpn]) && !err_q[cfg_qpn] &&
      !(cfg_i.qpc.state inside {QP_RTS, QP_SQD});
  assign resume_o = write && !cfg_i.init && sqd_q[cfg_qpn] && !err_q[cfg_qpn] && cfg_i.qpc.state == QP_RTS;

  assign row_o = '{
          una: una_mem[qpn_i],
          retries: retries_mem[qpn_i],
          rnr_retries: rnr_retries_mem[qpn_i],
          live: (rts_q[qpn_i] || sqd_q[qpn_i]) && !err_q[qpn_i],
          err: err_q[qpn_i],
          rnr: rnr_q[qpn_i],
          naked: naked_q[qpn_i]
      };

  assign sched_una_o = una_mem[sched_qpn_i];
  assign sched_fail_o = fail_mem[sched_qpn_i];
  assign sched_dead_o = !(rts_q[sched_qpn_i] || sqd_q[sched_qpn_i]) || err_q[sched_qpn_i];
  assign sched_rnr_o = rnr_q[sched_qpn_i];
  assign sched_drain_o = sqd_q[sched_qpn_i];
  assign sched_rd_done_o = rd_done_mem[sched_qpn_i];
  assign retry_una_o = una_mem[retry_qpn_i];
  assign retry_dead_o = !(rts_q[retry_qpn_i] || sqd_q[retry_qpn_i]) || err_q[retry_qpn_i];

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      rts_q   <= '0;
      sqd_q   <= '0;
      err_q   <= '0;
      rnr_q   <= '0;
      naked_q <= '0;
    end else begin
      if (write_i.set_err) err_q[qpn_i] <= 1'b1;
      if (write_i.set_rnr) rnr_q[qpn_i] <= 1'b1;
      else if (write_i.clear_rnr) rnr_q[qpn_i] <= 1'b0;
      if (write_i.set_naked) naked_q[qpn_i] <= 1'b1;
      else if (write_i.clear_naked) naked_q[qpn_i] <= 1'b0;
      if (write) rts_q[cfg_qpn] <= cfg_i.qpc.state == QP_RTS;
      if (write) sqd_q[cfg_qpn] <= cfg_i.qpc.state == QP_SQD;
      if (flush_o) err_q[cfg_qpn] <= 1'b1;
      if (init) begin
        err_q[cfg_qpn]   <= 1'b0;
        rnr_q[cfg_qpn]   <= 1'b0;
        naked_q[cfg_qpn] <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (init) una_mem[cfg_qpn] <= cfg_i.sq_psn;
    else if (write_i.una_we) una_mem[qpn_i] <= write_i.una;
    if (init) retries_mem[cfg_qpn] <= '0;
    else if (write_i.retries_we) retries_mem[qpn_i] <= write_i.retries;
    if (init) rnr_retries_mem[cfg_qpn] <= '0;
    else if (write_i.rnr_retries_we) rnr_retries_mem[qpn_i] <= write_i.rnr_retries;
    if (init) rd_done_mem[cfg_qpn] <= '0;
    else if (write_i.rd_done) rd_done_mem[qpn_i] <= rd_done_mem[qpn_i] + 1'b1;
    if (init || flush_o) fail_mem[cfg_qpn] <= CPL_FLUSHED;
    else if (write_i.fail_we) fail_mem[qpn_i] <= write_i.fail;
  end

endmodule
