// SPDX-License-Identifier: Apache-2.0
// Host front end: send and receive rings and completion queues in host memory, doorbells in registers. Wiring only.
//
//   registers -> hostif_csr -+-> hostif_ring (send, 128 B)   -> hostif_fetch -> verb        cpl ----+
//                            +-> hostif_ring (receive, 64 B) -> hostif_rq    -> rq_post  rq_cpl --+ |
//                            +-> hostif_cq <------------------------------------------------------+-+
//                                   +-> credits to the rings, completion entries to host memory, events
//
// Contract: a request's wr_id is a host_wr_id_t (bit 30 set); every verb must complete exactly once on cpl_i, every posted
// buffer exactly once on rq_cpl_i, with its wr_id. At most SqCredits requests and RqCredits buffers of a queue pair are out.
// Read data are taken at once, write responses too. Ids of reads: 0 send ring, 1 receive ring.
module hostif_top
  import axis_pkg::*;
  import prim_pkg::*;
  import hostif_pkg::*;
  import roce_pkg::*;
#(
  parameter logic        [3:0] Block     = 4'd5,
  parameter int unsigned       NumQps    = 256,
  parameter int unsigned       NumCqs    = 64,
  parameter int unsigned       SqCredits = 16,
  parameter int unsigned       RqCredits = 16
) (
  input logic clk_i,
  input logic rst_i,

  // Register bus
  input  csr_req_t    csr_i,
  output logic [31:0] rdata_o,

  // Work requests and their completions
  output verb_t verb_o,
  output logic  verb_valid_o,
  input  logic  verb_ready_i,
  input  cpl_t  cpl_i,
  input  logic  cpl_valid_i,
  output logic  cpl_ready_o,

  // Receive buffers and their completions
  output rq_wr_t  rq_post_o,
  output logic    rq_post_valid_o,
  input  logic    rq_post_ready_i,
  input  rq_cpl_t rq_cpl_i,
  input  logic    rq_cpl_valid_i,
  output logic    rq_cpl_ready_o,

  // Host memory: reads
  output axi_addr_t ar_o,
  output logic      ar_valid_o,
  input  logic      ar_ready_i,
  input  axi_r_t    r_i,
  input  logic      r_valid_i,
  output logic      r_ready_o,

  // Host memory: writes
  output axi_addr_t aw_o,
  output logic      aw_valid_o,
  input  logic      aw_ready_i,
  output axi_w_t    w_o,
  output logic      w_valid_o,
  input  logic      w_ready_i,
  input  axi_b_t    b_i,
  input  logic      b_valid_i,
  output logic      b_ready_o,

  // Events: one-cycle pulses
  output cq_event_t event_o,
  output logic      event_valid_o,

  output hostif_stats_t stats_o,
  output logic          quiet_o
);

  localparam int unsigned QpW = idx_width(NumQps);
  localparam logic [3:0] ID_SQ = 4'd0;
  localparam logic [3:0] ID_RQ = 4'd1;

  hostif_cfg_t cfg;
  logic cfg_valid, cfg_go, sq_cfg_ready, rq_cfg_ready, cq_cfg_ready;
  doorbell_t db;
  cq_arm_t   arm;
  logic sq_db_valid, sq_push, rq_db_valid, cq_db_valid, arm_valid;
  logic [1023:0] push_data;
  logic push_room, push_take;
  entry_t push_entry, sq_entry, rq_entry;
  logic [1023:0] sq_entry_data;
  logic [ 511:0] rq_entry_data;
  logic sq_entry_valid, sq_entry_ready, rq_entry_valid, rq_entry_ready;
  logic [QpW-1:0] sq_done_qpn, rq_done_qpn;
  logic sq_done_valid, sq_done_ready, rq_done_valid, rq_done_ready;
  axi_addr_t sq_ar, rq_ar;
  logic sq_ar_valid, sq_ar_ready, rq_ar_valid, rq_ar_ready;
  logic overrun, sq_bad_db, rq_bad_db, cq_bad_db, sq_stale, rq_stale, cq_stale, sq_mem_err, rq_mem_err, cq_mem_err;
  logic sq_burst, rq_burst, cqe, quiet_cpl;
  logic [15:0] overrun_cqn;
  logic csr_quiet, sq_quiet, rq_quiet, fetch_quiet, post_quiet, cq_quiet;

  // A table write happens in all consumers at once.
  assign cfg_go    = cfg_valid && sq_cfg_ready && rq_cfg_ready && cq_cfg_ready;
  assign r_ready_o = 1'b1;

  hostif_csr #(
    .Block (Block),
    .NumQps(NumQps),
    .NumCqs(NumCqs)
  ) u_csr (
    .clk_i,
    .rst_i,
    .csr_i,
    .rdata_o,
    .cfg_o        (cfg),
    .cfg_valid_o  (cfg_valid),
    .cfg_go_i     (cfg_go),
    .db_o         (db),
    .sq_db_valid_o(sq_db_valid),
    .sq_push_o    (sq_push),
    .rq_db_valid_o(rq_db_valid),
    .cq_db_valid_o(cq_db_valid),
    .arm_o        (arm),
    .arm_valid_o  (arm_valid),
    .push_data_o  (push_data),
    .overrun_i    (overrun),
    .overrun_cqn_i(overrun_cqn),
    .quiet_o      (csr_quiet)
  );

  hostif_ring #(
    .NumQps (NumQps),
    .Beats  (2),
    .Credits(SqCredits),
    .AxiId  (ID_SQ)
  ) u_sq (
    .clk_i,
    .rst_i,
    .cfg_i        (cfg),
    .row_i        (cfg.qp.sq),
    .cfg_valid_i  (cfg_valid),
    .cfg_go_i     (cfg_go),
    .cfg_ready_o  (sq_cfg_ready),
    .db_i         (db),
    .db_valid_i   (sq_db_valid),
    .db_push_i    (sq_push),
    .push_room_i  (push_room),
    .push_take_o  (push_take),
    .push_entry_o (push_entry),
    .done_qpn_i   (sq_done_qpn),
    .done_valid_i (sq_done_valid),
    .done_ready_o (sq_done_ready),
    .ar_o         (sq_ar),
    .ar_valid_o   (sq_ar_valid),
    .ar_ready_i   (sq_ar_ready),
    .r_i,
    .r_valid_i    (r_valid_i && r_i.id == ID_SQ),
    .entry_o      (sq_entry),
    .entry_data_o (sq_entry_data),
    .entry_valid_o(sq_entry_valid),
    .entry_ready_i(sq_entry_ready),
    .bad_db_o     (sq_bad_db),
    .burst_o      (sq_burst),
    .stale_o      (sq_stale),
    .mem_err_o    (sq_mem_err),
    .quiet_o      (sq_quiet)
  );

  hostif_ring #(
    .NumQps (NumQps),
    .Beats  (1),
    .Credits(RqCredits),
    .AxiId  (ID_RQ)
  ) u_rq (
    .clk_i,
    .rst_i,
    .cfg_i        (cfg),
    .row_i        (cfg.qp.rq),
    .cfg_valid_i  (cfg_valid),
    .cfg_go_i     (cfg_go),
    .cfg_ready_o  (rq_cfg_ready),
    .db_i         (db),
    .db_valid_i   (rq_db_valid),
    .db_push_i    (1'b0),
    .push_room_i  (1'b0),
    .push_take_o  (),
    .push_entry_o (),
    .done_qpn_i   (rq_done_qpn),
    .done_valid_i (rq_done_valid),
    .done_ready_o (rq_done_ready),
    .ar_o         (rq_ar),
    .ar_valid_o   (rq_ar_valid),
    .ar_ready_i   (rq_ar_ready),
    .r_i,
    .r_valid_i    (r_valid_i && r_i.id == ID_RQ),
    .entry_o      (rq_entry),
    .entry_data_o (rq_entry_data),
    .entry_valid_o(rq_entry_valid),
    .entry_ready_i(rq_entry_ready),
    .bad_db_o     (rq_bad_db),
    .burst_o      (rq_burst),
    .stale_o      (rq_stale),
    .mem_err_o    (rq_mem_err),
    .quiet_o      (rq_quiet)
  );

  prim_arb_rr #(
    .T(axi_addr_t),
    .N(2)
  ) u_ar (
    .clk_i,
    .rst_i,
    .data_i ({rq_ar, sq_ar}),
    .last_i (2'b11),
    .valid_i({rq_ar_valid, sq_ar_valid}),
    .ready_o({rq_ar_ready, sq_ar_ready}),
    .data_o (ar_o),
    .valid_o(ar_valid_o),
    .index_o(),
    .ready_i(ar_ready_i)
  );

  hostif_fetch u_fetch (
    .clk_i,
    .rst_i,
    .entry_i      (sq_entry),
    .entry_data_i (sq_entry_data),
    .entry_valid_i(sq_entry_valid),
    .entry_ready_o(sq_entry_ready),
    .push_entry_i (push_entry),
    .push_data_i  (push_data),
    .push_take_i  (push_take),
    .push_room_o  (push_room),
    .verb_o,
    .verb_valid_o,
    .verb_ready_i,
    .quiet_o      (fetch_quiet)
  );

  hostif_rq u_rq_post (
    .clk_i,
    .rst_i,
    .entry_i      (rq_entry),
    .entry_data_i (rq_entry_data),
    .entry_valid_i(rq_entry_valid),
    .entry_ready_o(rq_entry_ready),
    .post_o       (rq_post_o),
    .post_valid_o (rq_post_valid_o),
    .post_ready_i (rq_post_ready_i),
    .quiet_o      (post_quiet)
  );

  hostif_cq #(
    .NumQps(NumQps),
    .NumCqs(NumCqs)
  ) u_cq (
    .clk_i,
    .rst_i,
    .cfg_i          (cfg),
    .cfg_valid_i    (cfg_valid),
    .cfg_go_i       (cfg_go),
    .cfg_ready_o    (cq_cfg_ready),
    .db_i           (db),
    .db_valid_i     (cq_db_valid),
    .arm_i          (arm),
    .arm_valid_i    (arm_valid),
    .cpl_i,
    .cpl_valid_i,
    .cpl_ready_o,
    .rq_cpl_i,
    .rq_cpl_valid_i,
    .rq_cpl_ready_o,
    .sq_done_qpn_o  (sq_done_qpn),
    .sq_done_valid_o(sq_done_valid),
    .sq_done_ready_i(sq_done_ready),
    .rq_done_qpn_o  (rq_done_qpn),
    .rq_done_valid_o(rq_done_valid),
    .rq_done_ready_i(rq_done_ready),
    .aw_o,
    .aw_valid_o,
    .aw_ready_i,
    .w_o,
    .w_valid_o,
    .w_ready_i,
    .b_i,
    .b_valid_i,
    .b_ready_o,
    .event_o,
    .event_valid_o,
    .overrun_o      (overrun),
    .overrun_cqn_o  (overrun_cqn),
    .bad_db_o       (cq_bad_db),
    .cqe_o          (cqe),
    .quiet_cpl_o    (quiet_cpl),
    .stale_o        (cq_stale),
    .mem_err_o      (cq_mem_err),
    .quiet_o        (cq_quiet)
  );

  assign quiet_o = csr_quiet && sq_quiet && rq_quiet && fetch_quiet && post_quiet && cq_quiet;

  assign stats_o = '{
          doorbells: sq_db_valid || rq_db_valid || cq_db_valid,
          pushes: push_take,
          bad_db: sq_bad_db || rq_bad_db || cq_bad_db,
          bursts: sq_burst || rq_burst,
          sq_entries: verb_valid_o && verb_ready_i,
          rq_entries: rq_post_valid_o && rq_post_ready_i,
          cqes: cqe,
          quiet_cpls: quiet_cpl,
          stale: sq_stale || rq_stale || cq_stale,
          cq_drop: overrun,
          events: event_valid_o,
          mem_err: sq_mem_err || rq_mem_err || cq_mem_err
      };

endmodule
