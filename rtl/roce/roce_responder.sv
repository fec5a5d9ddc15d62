// SPDX-License-Identifier: Apache-2.0
// Responder: decides on every received request, in order of arrival, and writes the QP's row in that same place.
// Latency 3 from a descriptor at desc_i to the command at cmd_o (4 for MIDDLE and LAST, 5 for what takes a receive buffer);
// one packet a cycle, also back-to-back on one QP. Stages: read QPC and region - check (stage 1), read the row - decide,
// write the row (stage 2). A MIDDLE or LAST needs the message state that the packet before it may be about to write, a
// SEND, a datagram and a WRITE with immediate the receive buffer: they wait until the stages are empty and read those
// first, alone.
// Contract: one command for every packet with payload; peek and pop see roce_rq, which has answered a peek three cycles later.
// READs and atomics are numbered over all QPs (rd_no_t); an acknowledge event names the newest of its QP.
// Back-pressure on any output stops the pipeline; nothing is lost but congestion marks and CNPs while theirs is full.
// Configuration is taken (cfg_ready_o) when no packet is between its reads and its decision; it goes before packets.
// Bad input: every packet ends in a verdict (roce_responder_rules), dropped and counted at the least.
`include "prim_assert.svh"
module roce_responder
  import prim_pkg::*;
  import roce_pkg::*;
  import roce_rx_pkg::*;
  import roce_wire_pkg::*;
#(
  parameter int unsigned NumQps     = 256,
  parameter int unsigned NumRegions = 64
) (
  input logic clk_i,
  input logic rst_i,

  // Configuration rows
  input  roce_cfg_t cfg_i,
  input  logic      cfg_valid_i,
  input  logic      cfg_go_i,
  output logic      cfg_ready_o,

  // Received packets
  input  rx_desc_t desc_i,
  input  logic     desc_valid_i,
  output logic     desc_ready_o,

  // What to do with the payload
  output rx_cmd_t cmd_o,
  output logic    cmd_valid_o,
  input  logic    cmd_ready_i,

  // READs and atomics to be answered; rd_o.gone may turn 1 while the event waits
  output rd_evt_t rd_o,
  output logic    rd_valid_o,
  input  logic    rd_ready_i,

  // Receive buffers: look at the head, use it up; completions, each behind the commands given so far
  output logic             peek_o,
  output logic      [23:0] peek_qpn_o,
  input  rq_entry_t        entry_i,
  input  logic             entry_ok_i,
  output logic             pop_o,
  output rq_done_t         rq_done_o,
  output logic             rq_done_valid_o,
  input  logic             rq_done_ready_i,

  // This QP's receive buffers are to be flushed: it failed
  output logic        fail_o,
  output logic [23:0] fail_qpn_o,

  // Congestion: packets with payload that a switch has marked; CNPs. One-cycle events by QPN
  output logic        ce_o,
  output logic        cnp_o,
  output logic [23:0] event_qpn_o,

  // To be acknowledged
  output ack_evt_t ack_evt_o,
  output logic     ack_evt_valid_o,
  input  logic     ack_evt_ready_i,

  // QPs that failed here, and at the requester
  output qp_err_t qp_err_o,
  output logic    qp_err_valid_o,
  input  logic    qp_err_ready_i,
  input  qp_err_t qp_err_i,
  input  logic    qp_err_valid_i,
  output logic    qp_err_ready_o,

  output roce_rx_stats_t stats_o,
  output logic           quiet_o
);

  localparam int unsigned QpW = idx_width(NumQps);
  localparam int unsigned RegW = idx_width(NumRegions);
  localparam int unsigned CmdDepth = 8;
  localparam int unsigned EvtDepth = 4;

  logic cfg_take, cfg_qp, cfg_init, cfg_region;
  logic s1_valid_q, s2_valid_q, s1_ready, s2_done, issue;

  assign cfg_ready_o = !s1_valid_q && !s2_valid_q;
  assign cfg_take    = cfg_valid_i && cfg_go_i;
  assign cfg_qp      = cfg_take && !cfg_i.is_region;
  assign cfg_init    = cfg_qp && cfg_i.init;
  assign cfg_region  = cfg_take && cfg_i.is_region;

  // ---- Stage 0: reads. MIDDLE and LAST first read the message state, alone in the pipeline --------------------------

  req_op_t op;
  logic cont, buffer, msg_read, msg_known_q, entry_known_q;
  logic [31:0] rkey;
  reth_t reth;
  resp_msg_t msg;

  assign reth = ext_reth(desc_i.ext);
  assign op = req_op(desc_i.bth.opcode);
  assign cont = !op.first;
  assign buffer = takes_buffer(op);
  assign msg_read = desc_valid_i && (cont || buffer) && !msg_known_q && !s1_valid_q && !s2_valid_q && !cfg_valid_i;
  assign issue = desc_valid_i && s1_ready && !cfg_valid_i && (!cont || msg_known_q) && (!buffer || entry_known_q);
  assign desc_ready_o = issue;
  assign rkey = cont ? msg.rkey : reth.rkey;  // an AtomicETH has it in the same place
  assign peek_o = msg_read && buffer;
  assign peek_qpn_o = desc_i.bth.dest_qpn;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      msg_known_q   <= 1'b0;
      entry_known_q <= 1'b0;
    end else begin
      if (msg_read) msg_known_q <= 1'b1;
      else if (issue || cfg_take) msg_known_q <= 1'b0;
      entry_known_q <= msg_known_q && !issue && !cfg_take;
    end
  end

  // ---- Stage 1: checks ------------------------------------------------------------------------------------------------

  rx_desc_t s1_desc_q;
  logic s1_qpn_ok_q, s1_region_ok_q;
  qpc_t s1_qpc;
  region_t s1_region;
  resp_pkt_t s1_pkt, s2_pkt_q;

  assign s1_ready = !s1_valid_q || !s2_valid_q || s2_done;

  prim_ram_1r1w #(
    .T    (qpc_t),
    .Depth(NumQps)
  ) u_qpc (
    .clk_i,
    .re_i   (issue),
    .raddr_i(desc_i.bth.dest_qpn[QpW-1:0]),
    .rdata_o(s1_qpc),
    .we_i   (cfg_qp),
    .waddr_i(cfg_i.index[QpW-1:0]),
    .wdata_i(cfg_i.qpc)
  );

  prim_ram_1r1w #(
    .T    (region_t),
    .Depth(NumRegions)
  ) u_region (
    .clk_i,
    .re_i   (issue),
    .raddr_i(rkey[8+:RegW]),
    .rdata_o(s1_region),
    .we_i   (cfg_region),
    .waddr_i(cfg_i.index[RegW-1:0]),
    .wdata_i(cfg_i.region)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      s1_valid_q <= 1'b0;
      s2_valid_q <= 1'b0;
    end else begin
      if (s1_ready) s1_valid_q <= issue;
      if (s2_done || !s2_valid_q) s2_valid_q <= s1_valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (issue) begin
      s1_desc_q      <= desc_i;
      s1_qpn_ok_q    <= 32'(desc_i.bth.dest_qpn) < NumQps;
      s1_region_ok_q <= 32'(rkey[31:8]) < NumRegions;
    end
    if (s1_valid_q && s1_ready) s2_pkt_q <= s1_pkt;
  end

  roce_responder_check u_check (
    .valid_i    (s1_valid_q),
    .desc_i     (s1_desc_q),
    .qpn_ok_i   (s1_qpn_ok_q),
    .qpc_i      (s1_qpc),
    .region_ok_i(s1_region_ok_q),
    .region_i   (s1_region),
    .msg_i      (msg),
    .entry_i,
    .entry_ok_i,
    .pkt_o      (s1_pkt)
  );

  // ---- Stage 2: decision and write ---------------------------------------------------------------------------------------

  resp_row_t s2_row;
  resp_verdict_t verdict;
  logic [NumQps-1:0] failed_q;
  logic [QpW-1:0] s2_qp;
  logic cmd_room, evt_room, err_room, rd_room, cmd_push, s2_go;
  rd_no_t rd_no_q;  // of the next READ or atomic
  wr_no_t cmd_no_q;  // commands given so far

  assign s2_qp = s2_pkt_q.qpn[QpW-1:0];
  assign s2_go = s2_valid_q && (cmd_room || s2_pkt_q.len == '0) && (evt_room || !verdict.ack) &&
      (err_room || !verdict.fail) && (rd_room || !verdict.rd);
  assign s2_done = s2_go && (rq_done_ready_i || !verdict.rq_pop);
  assign cmd_push = s2_done && s2_pkt_q.len != '0;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      rd_no_q  <= 56'd1;
      cmd_no_q <= '0;
    end else begin
      if (s2_done && verdict.rd) rd_no_q <= rd_no_q + 56'd1;
      if (cmd_push) cmd_no_q <= cmd_no_q + 32'd1;
    end
  end

  roce_responder_rules u_rules (
    .valid_i  (s2_valid_q),
    .pkt_i    (s2_pkt_q),
    .row_i    (s2_row),
    .failed_i (failed_q[s2_qp]),
    .rd_no_i  (rd_no_q),
    .verdict_o(verdict)
  );

  // Configuration writes only while the pipeline is empty, so the write ports never collide.
  prim_ram_row #(
    .T    (resp_row_t),
    .Depth(NumQps)
  ) u_row (
    .clk_i,
    .re_i   (s1_valid_q && s1_ready),
    .raddr_i(s1_desc_q.bth.dest_qpn[QpW-1:0]),
    .rdata_o(s2_row),
    .we_i   (cfg_init || (s2_done && verdict.row_we)),
    .waddr_i(cfg_init ? cfg_i.index[QpW-1:0] : s2_qp),
    .wdata_i(cfg_init ? '{epsn: cfg_i.rq_psn, default: '0} : verdict.row)
  );

  prim_ram_1r1w #(
    .T    (resp_msg_t),
    .Depth(NumQps)
  ) u_msg (
    .clk_i,
    .re_i   (msg_read),
    .raddr_i(desc_i.bth.dest_qpn[QpW-1:0]),
    .rdata_o(msg),
    .we_i   (s2_done && verdict.msg_we),
    .waddr_i(s2_qp),
    .wdata_i(s2_pkt_q.msg_next)
  );

  // One bit a QP, apart from the row: the requester's failures come at any time. The receive buffers are told of one
  // failure a cycle.
  assign qp_err_ready_o = !(s2_done && verdict.fail);
  assign fail_o = (s2_done && verdict.fail) || (qp_err_valid_i && 32'(qp_err_i.qpn) < NumQps);
  assign fail_qpn_o = (s2_done && verdict.fail) ? s2_pkt_q.qpn : qp_err_i.qpn;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      failed_q <= '0;
    end else begin
      if (qp_err_valid_i && qp_err_ready_o && 32'(qp_err_i.qpn) < NumQps) failed_q[qp_err_i.qpn[QpW-1:0]] <= 1'b1;
      if (s2_done && verdict.fail) failed_q[s2_qp] <= 1'b1;
      if (cfg_init) failed_q[cfg_i.index[QpW-1:0]] <= 1'b0;
    end
  end

  // ---- Outputs ---------------------------------------------------------------------------------------------------------

  logic [cnt_width(CmdDepth)-1:0] cmd_count;
  logic [cnt_width(EvtDepth)-1:0] evt_count, err_count;
  logic rd_quiet;
  rd_evt_t rd_evt;
  rq_cpl_t rq_cpl;

  always_comb begin
    rd_evt     = s2_pkt_q.rd;
    rd_evt.dup = verdict.rd_dup;
    rd_evt.msn = verdict.ack_msn;
    rd_evt.tag = cmd_no_q;
  end

  roce_rd_queue u_rd (
    .clk_i,
    .rst_i,
    .cfg_i,
    .cfg_valid_i,
    .cfg_go_i,
    .evt_i      (rd_evt),
    .evt_valid_i(s2_done && verdict.rd),
    .evt_ready_o(rd_room),
    .evt_o      (rd_o),
    .evt_valid_o(rd_valid_o),
    .evt_ready_i(rd_ready_i),
    .quiet_o    (rd_quiet)
  );

  // Only what is known of a receive that went well is told.
  always_comb begin
    rq_cpl = s2_pkt_q.cpl;
    if (verdict.rq_status != CPL_OK) begin
      rq_cpl        = '0;
      rq_cpl.qpn    = s2_pkt_q.qpn;
      rq_cpl.wr_id  = s2_pkt_q.cpl.wr_id;
      rq_cpl.status = verdict.rq_status;
    end
  end

  assign pop_o = s2_done && verdict.rq_pop;
  assign rq_done_o = '{tag: cmd_no_q + 32'(s2_pkt_q.len != '0), cpl: rq_cpl};
  assign rq_done_valid_o = s2_go && verdict.rq_pop;

  // A packet that means something to its QP, marked on the way.
  assign ce_o = s2_done && s2_pkt_q.ce && s2_pkt_q.len != '0 &&
      !(verdict.stats.drop_op || verdict.stats.drop_qp || verdict.stats.drop_peer);
  assign cnp_o = s2_done && verdict.stats.cnp;
  assign event_qpn_o = s2_pkt_q.qpn;

  prim_fifo #(
    .T    (rx_cmd_t),
    .Depth(CmdDepth)
  ) u_cmd (
    .clk_i,
    .rst_i,
    .data_i ('{inl: 1'b0, data: '0, target: verdict.target, qpn: s2_pkt_q.qpn, addr: s2_pkt_q.addr, len: s2_pkt_q.len}),
    .valid_i(cmd_push),
    .ready_o(cmd_room),
    .data_o (cmd_o),
    .valid_o(cmd_valid_o),
    .ready_i(cmd_ready_i),
    .count_o(cmd_count)
  );

  ack_evt_t ack_evt;
  assign ack_evt = '{
          after: verdict.row.rd_no,
          qpn: s2_pkt_q.qpn,
          psn: verdict.ack_psn,
          syndrome: verdict.ack_syndrome,
          msn: verdict.ack_msn
      };

  prim_fifo #(
    .T    (ack_evt_t),
    .Depth(EvtDepth)
  ) u_evt (
    .clk_i,
    .rst_i,
    .data_i (ack_evt),
    .valid_i(s2_done && verdict.ack),
    .ready_o(evt_room),
    .data_o (ack_evt_o),
    .valid_o(ack_evt_valid_o),
    .ready_i(ack_evt_ready_i),
    .count_o(evt_count)
  );

  prim_fifo #(
    .T    (qp_err_t),
    .Depth(EvtDepth)
  ) u_err (
    .clk_i,
    .rst_i,
    .data_i ('{qpn: s2_pkt_q.qpn}),
    .valid_i(s2_done && verdict.fail),
    .ready_o(err_room),
    .data_o (qp_err_o),
    .valid_o(qp_err_valid_o),
    .ready_i(qp_err_ready_i),
    .count_o(err_count)
  );

  assign stats_o = s2_done ? verdict.stats : '0;
  assign quiet_o = !desc_valid_i && !cfg_valid_i && !qp_err_valid_i && !s1_valid_q && !s2_valid_q &&
      cmd_count == '0 && evt_count == '0 && err_count == '0 && rd_quiet;

  // What a packet can come to; a gap is one verdict, whether it is told or not.
  logic [13:0] verdicts;
  assign verdicts = {
    verdict.stats.drop_op,
    verdict.stats.drop_qp,
    verdict.stats.drop_peer,
    verdict.stats.dup,
    verdict.fail,
    verdict.stats.write_pkts,
    verdict.stats.sends,
    verdict.stats.reads,
    verdict.stats.atomics,
    verdict.stats.rnr,
    verdict.stats.ud,
    verdict.stats.drop_rq,
    verdict.stats.cnp,
    verdict.ack_syndrome == SYN_NAK_SEQ
  };

  `PRIM_ASSERT(cfg_alone, cfg_take -> !s1_valid_q && !s2_valid_q,
               "a table row changes between the reads of a packet and its decision")
  `PRIM_ASSERT(verdict_once, s2_done -> $onehot(verdicts), "a packet got no verdict, or two")

endmodule
