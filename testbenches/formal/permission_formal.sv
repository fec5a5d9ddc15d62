// SPDX-License-Identifier: Apache-2.0
// roce_responder as a pipeline: what stands between access_formal, which is about one judgement, and the memory.
// Proved, for any traffic, stalls and table writes:
//  - packets are decided in the order of arrival, each once, and nothing else is decided;
//  - a packet is decided by the judgement that roce_responder_check made of it (no other, no older one) on the QPC and the
//    region that software has written, the message state and the row that the decisions before have left, all as they
//    stand in the cycle of the decision; what needs a receive buffer is judged on the one that its own peek has shown;
//  - the queue of commands takes one command for every decided packet with payload and nothing else, roce_rd_queue one event
//    for every READ and atomic that the rules accept, both in the cycle of the decision, with the address and length of the
//    judgement and the target of the rules, and with room for it; cmd_o is the output of that queue.
// Cut, so that they take any value in every cycle: what roce_responder_check and roce_responder_rules say (access_formal is
// about that), and whether the queues have room (fifo_formal: what was pushed comes out, in order). Not covered:
// roce_rd_queue behind its input, roce_rq behind a peek, and what the payload writer does with a command.
// Assumed: a descriptor is held until it is taken; a table write happens only while the responder is ready, within the tables
// (roce_csr checks the index); the judgement names the packet's own QP (access_formal). Two QPs and two regions, any QPNs
// and keys.
module permission_formal
  import roce_pkg::*;
  import roce_rx_pkg::*;
  import roce_wire_pkg::*;
#(
  parameter bit Few = 0  // for broken copies: few values of wide fields, so that a counterexample is found soon
) (
  input logic      clk_i,
  input logic      rst_i,
  input roce_cfg_t cfg_i,
  input logic      cfg_valid_i,
  input logic      cfg_go_i,
  input rx_desc_t  desc_i,
  input logic      desc_valid_i,
  input rq_entry_t entry_i,
  input logic      entry_ok_i,
  input logic      cmd_ready_i,
  input logic      rq_done_ready_i,
  input qp_err_t   qp_err_i,
  input logic      qp_err_valid_i
);

  localparam int unsigned N = 2;  // QPs, regions

  logic cfg_ready, desc_ready, qp_err_ready, peek, pop;
  logic [23:0] peek_qpn;
  rx_cmd_t cmd;
  logic cmd_valid;

  roce_responder #(
    .NumQps    (N),
    .NumRegions(N)
  ) u_dut (
    .clk_i,
    .rst_i,
    .cfg_i,
    .cfg_valid_i,
    .cfg_go_i,
    .cfg_ready_o    (cfg_ready),
    .desc_i,
    .desc_valid_i,
    .desc_ready_o   (desc_ready),
    .cmd_o          (cmd),
    .cmd_valid_o    (cmd_valid),
    .cmd_ready_i,
    .rd_o           (),
    .rd_valid_o     (),
    .rd_ready_i     (1'b0),
    .peek_o         (peek),
    .peek_qpn_o     (peek_qpn),
    .entry_i,
    .entry_ok_i,
    .pop_o          (pop),
    .rq_done_o      (),
    .rq_done_valid_o(),
    .rq_done_ready_i,
    .fail_o         (),
    .fail_qpn_o     (),
    .ce_o           (),
    .cnp_o          (),
    .event_qpn_o    (),
    .ack_evt_o      (),
    .ack_evt_valid_o(),
    .ack_evt_ready_i(1'b0),
    .qp_err_o       (),
    .qp_err_valid_o (),
    .qp_err_ready_i (1'b0),
    .qp_err_i,
    .qp_err_valid_i,
    .qp_err_ready_o (qp_err_ready),
    .stats_o        (),
    .quiet_o        ()
  );

  // ---- The packets that are taken and not yet decided, the oldest first --------------------------------------------------
  rx_desc_t desc_q, new_q, old_q, s1;
  logic [1:0] count_q;
  logic started_q, first_q, waiting_q, take, decide, judge;
  req_op_t s1_op, s2_op, wait_op;
  resp_verdict_t verdict;

  assign take = desc_valid_i && desc_ready;
  assign judge = u_dut.s1_valid_q && u_dut.s1_ready;
  assign decide = u_dut.s2_done;
  assign verdict = u_dut.verdict;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    first_q   <= !started_q;
    desc_q    <= desc_i;
    waiting_q <= !rst_i && desc_valid_i && !desc_ready;
    count_q   <= rst_i ? 2'd0 : count_q + 2'(take) - 2'(decide);
    if (decide || count_q == 2'd0) old_q <= (count_q == 2'd2) ? new_q : desc_i;
    else if (count_q == 2'd1 && take) new_q <= desc_i;
    if (decide && count_q == 2'd2) new_q <= desc_i;
  end
  initial started_q = 1'b0;

  assign s1 = u_dut.s2_valid_q ? new_q : old_q;
  assign s1_op = req_op(s1.bth.opcode);
  assign s2_op = req_op(old_q.bth.opcode);
  assign wait_op = req_op(desc_q.bth.opcode);

  // ---- The tables as they stand; the proof begins with any content --------------------------------------------------------
  resp_pkt_t judged_q;
  qpc_t [N-1:0] qpc_q;
  region_t [N-1:0] region_q;
  resp_msg_t [N-1:0] msg_q;
  resp_row_t [N-1:0] row_q;
  logic [N-1:0] failed_q;
  logic cfg_qp, s1_qp, s2_qp;

  assign cfg_qp = cfg_valid_i && cfg_go_i && !cfg_i.is_region;
  assign s1_qp  = s1.bth.dest_qpn[0];
  assign s2_qp  = old_q.bth.dest_qpn[0];

  always_ff @(posedge clk_i) begin
    if (cfg_qp) qpc_q[cfg_i.index[0]] <= cfg_i.qpc;
    if (cfg_valid_i && cfg_go_i && cfg_i.is_region) region_q[cfg_i.index[0]] <= cfg_i.region;
    if (decide && verdict.msg_we) msg_q[s2_qp] <= judged_q.msg_next;
    if (decide && verdict.row_we) row_q[s2_qp] <= verdict.row;
    if (cfg_qp && cfg_i.init) row_q[cfg_i.index[0]] <= '{epsn: cfg_i.rq_psn, default: '0};

    if (qp_err_valid_i && qp_err_ready && qp_err_i.qpn < 24'(N)) failed_q[qp_err_i.qpn[0]] <= 1'b1;
    if (decide && verdict.fail) failed_q[s2_qp] <= 1'b1;
    if (cfg_qp && cfg_i.init) failed_q[cfg_i.index[0]] <= 1'b0;
    if (rst_i) failed_q <= '0;
  end

  // Those of the implementation.
  qpc_t [N-1:0] mem_qpc;
  region_t [N-1:0] mem_region;
  resp_msg_t [N-1:0] mem_msg;
  resp_row_t [N-1:0] mem_row;
  for (genvar i = 0; i < N; i++) begin : gen_tables
    assign mem_qpc[i]    = u_dut.u_qpc.mem[i];
    assign mem_region[i] = u_dut.u_region.mem[i];
    assign mem_msg[i]    = u_dut.u_msg.mem[i];
    assign mem_row[i]    = u_dut.u_row.u_ram.mem[i];
  end

  // ---- The judgement of the packet that is to be decided, and what it was made on ------------------------------------------
  qpc_t seen_qpc_q;
  region_t seen_region_q;
  resp_msg_t seen_msg_q;
  logic [31:0] s1_rkey, seen_rkey_q;
  reth_t s0_reth, s1_reth, s2_reth;

  assign s0_reth = ext_reth(desc_i.ext);
  assign s1_reth = ext_reth(s1.ext);
  assign s2_reth = ext_reth(old_q.ext);
  assign s1_rkey = s1_op.first ? s1_reth.rkey : msg_q[s1_qp].rkey;

  always_ff @(posedge clk_i) begin
    if (judge) begin
      judged_q      <= u_dut.s1_pkt;
      seen_rkey_q   <= s1_rkey;
      seen_qpc_q    <= u_dut.u_check.qpc_i;
      seen_region_q <= u_dut.u_check.region_i;
      seen_msg_q    <= u_dut.u_check.msg_i;
    end
  end

  // ---- The receive buffer that the last peek has shown: nobody's (0), after so many cycles (3 and more: known) --------------
  logic [ 1:0] age_q;
  logic [23:0] shown_q;

  always_ff @(posedge clk_i) begin
    if (peek) shown_q <= peek_qpn;
    if (rst_i || pop || (cfg_valid_i && cfg_go_i)) age_q <= 2'd0;
    else if (peek) age_q <= 2'd1;
    else if (age_q != 2'd0 && age_q != 2'd3) age_q <= age_q + 2'd1;
  end

  // ---- Commands so far ----------------------------------------------------------------------------------------------------
  wr_no_t commands_q;
  rx_cmd_t pushed;
  rd_evt_t rd;
  logic has_payload;

  assign has_payload = judged_q.len != '0;
  assign pushed = '{
          inl: 1'b0,
          data: '0,
          target: verdict.target,
          qpn: old_q.bth.dest_qpn,
          addr: judged_q.addr,
          len: judged_q.len
      };
  always_comb begin
    rd     = judged_q.rd;
    rd.dup = verdict.rd_dup;
    rd.msn = verdict.ack_msn;
    rd.tag = commands_q;
  end

  always_ff @(posedge clk_i) begin
    commands_q <= rst_i ? '0 : commands_q + 32'(decide && has_payload);
  end

  // ---- For broken copies: values of the wide inputs and cuts that differ in few bits only ------------------------------------
  rx_desc_t few_desc;
  roce_cfg_t few_cfg;
  resp_pkt_t few_pkt;
  resp_verdict_t few_verdict;
  always_comb begin
    few_desc = '0;
    few_desc.bth.opcode = desc_i.bth.opcode;
    few_desc.bth.dest_qpn[1:0] = desc_i.bth.dest_qpn[1:0];
    few_desc.ext[$bits(ext_t)-65-:32] = s0_reth.rkey;
    few_cfg = '0;
    few_cfg.is_region = cfg_i.is_region;
    few_cfg.init = cfg_i.init;
    few_cfg.index = cfg_i.index;
    few_cfg.qpc.write_en = cfg_i.qpc.write_en;
    few_cfg.region.valid = cfg_i.region.valid;
    few_pkt = '0;
    few_pkt.qpn = u_dut.s1_pkt.qpn;
    few_pkt.len[0] = u_dut.s1_pkt.len[0];
    few_pkt.access_ok = u_dut.s1_pkt.access_ok;
    few_pkt.target = u_dut.s1_pkt.target;
    few_verdict = '0;
    few_verdict.target = verdict.target;
    few_verdict.row_we = verdict.row_we;
    few_verdict.msg_we = verdict.msg_we;
    few_verdict.row.active = verdict.row.active;
    few_verdict.rd = verdict.rd;
    few_verdict.rq_pop = verdict.rq_pop;
  end

  always_comb begin
    if (!started_q) assume (rst_i);
    if (first_q) begin
      for (int unsigned i = 0; i < N; i++) begin
        assume (qpc_q[i] == mem_qpc[i] && region_q[i] == mem_region[i] && msg_q[i] == mem_msg[i] && row_q[i] == mem_row[i]);
      end
    end
    if (waiting_q) assume (desc_valid_i && desc_i == desc_q);
    if (cfg_go_i) assume (cfg_valid_i && cfg_ready && cfg_i.index < 24'(N));
    if (u_dut.s1_valid_q) assume (u_dut.s1_pkt.qpn == u_dut.s1_desc_q.bth.dest_qpn);
    if (Few) begin
      assume (desc_i == few_desc);
      assume (cfg_i == few_cfg);
      assume (u_dut.s1_pkt == few_pkt);
      assume (verdict == few_verdict);
      assume (entry_i == '0);
    end

    if (started_q) begin
      // Order of arrival.
      assert (count_q == 2'(u_dut.s1_valid_q) + 2'(u_dut.s2_valid_q));
      if (decide) assert (u_dut.s2_valid_q);

      // Whom the judge sees, and the tables as they stand: of the QP and of the key that the packet names, or its message.
      if (u_dut.s1_valid_q) begin
        assert (u_dut.u_check.valid_i && u_dut.u_check.desc_i == s1);
        assert (u_dut.u_check.qpn_ok_i == (s1.bth.dest_qpn < 24'(N)) && u_dut.u_check.qpc_i == qpc_q[s1_qp]);
        assert (u_dut.u_check.region_ok_i == (s1_rkey[31:8] < 24'(N)) && u_dut.u_check.region_i == region_q[s1_rkey[8]]);
        if (!s1_op.first) assert (u_dut.u_check.msg_i == msg_q[s1_qp] && !u_dut.s2_valid_q);
        if (takes_buffer(s1_op)) assert (age_q == 2'd3 && shown_q == s1.bth.dest_qpn && !u_dut.s2_valid_q);
        assert (u_dut.u_check.entry_i == entry_i && u_dut.u_check.entry_ok_i == entry_ok_i);
      end

      // They still stand so when the packet is decided, by that judgement, on its row.
      if (u_dut.s2_valid_q) begin
        assert (u_dut.u_rules.valid_i && u_dut.u_rules.pkt_i == judged_q && judged_q.qpn == old_q.bth.dest_qpn);
        assert (seen_qpc_q == qpc_q[s2_qp] && seen_region_q == region_q[seen_rkey_q[8]]);
        assert (seen_rkey_q == (s2_op.first ? s2_reth.rkey : msg_q[s2_qp].rkey));
        if (!s2_op.first) assert (seen_msg_q == msg_q[s2_qp]);
        if (takes_buffer(s2_op)) assert (age_q == 2'd3 && shown_q == old_q.bth.dest_qpn);
        assert (u_dut.u_rules.row_i == row_q[s2_qp] && u_dut.u_rules.failed_i == failed_q[s2_qp]);
      end

      // What leaves: with the decision, and then unchanged and in order, by the queues.
      assert (u_dut.u_cmd.valid_i == (decide && has_payload) && u_dut.u_rd.evt_valid_i == (decide && verdict.rd));
      if (decide && has_payload) assert (u_dut.cmd_room && u_dut.u_cmd.data_i == pushed);
      if (decide && verdict.rd) assert (u_dut.rd_room && u_dut.u_rd.evt_i == rd);
      assert (cmd == u_dut.u_cmd.data_o && cmd_valid == u_dut.u_cmd.valid_o && u_dut.u_cmd.ready_i == cmd_ready_i);
      assert (pop == (decide && verdict.rq_pop));

      // Invariants of the implementation.
      for (int unsigned i = 0; i < N; i++) begin
        assert (qpc_q[i] == mem_qpc[i] && region_q[i] == mem_region[i] && msg_q[i] == mem_msg[i] && row_q[i] == mem_row[i]);
      end
      assert (failed_q == u_dut.failed_q && commands_q == u_dut.cmd_no_q);
      if (u_dut.s2_valid_q) assert (u_dut.u_row.addr_q == s2_qp);
      if (u_dut.msg_known_q) begin
        assert (count_q == 2'd0 && waiting_q && u_dut.msg == msg_q[desc_q.bth.dest_qpn[0]]);
        if (takes_buffer(wait_op)) assert (age_q != 2'd0 && shown_q == desc_q.bth.dest_qpn);
      end
      if (u_dut.entry_known_q) assert (u_dut.msg_known_q && (age_q[1] || !takes_buffer(wait_op)));
    end
  end

endmodule
