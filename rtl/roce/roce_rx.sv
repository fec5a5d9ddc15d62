// SPDX-License-Identifier: Apache-2.0
// Receive half of the RoCE endpoint: parser -> payload and descriptor FIFOs -> responder -> writer; responses go to the
// requester on a way of their own, and nothing of it waits for requests. Beside the responder the receive queues and their
// completions. Only wiring.
// Latency, all ready: 8 cycles from a frame's last beat at net_i to AW or RPC valid, 7 to ack_evt_valid_o, 4 to rx_rsp_valid_o.
// No back-pressure at net_i: whole frames are dropped and counted when a FIFO is full. Store and forward: nothing of a
// frame takes effect before its ICRC is known to be good.
module roce_rx
  import axis_pkg::*;
  import net_pkg::*;
  import prim_pkg::*;
  import roce_pkg::*;
  import roce_rx_pkg::*;
  import roce_wire_pkg::*;
#(
  parameter int unsigned NumQps       = 256,
  parameter int unsigned NumRegions   = 64,
  parameter int unsigned RxFifoBeats  = 1024,
  parameter int unsigned RspFifoBeats = 1024,
  parameter int unsigned RqDepth      = 16     // posted receive buffers a QP
) (
  // One clock; each copy may be held while its flag below is 1
  input logic clk_i,
  input logic clk_wr_i,
  input logic clk_rq_i,
  input logic rst_i,

  // Registers and configuration rows
  input  roce_glb_t glb_i,
  input  roce_cfg_t cfg_i,
  input  logic      cfg_valid_i,
  input  logic      cfg_go_i,
  output logic      cfg_ready_o,

  // From net_rx
  input net_rx_beat_t net_i,
  input logic         net_valid_i,

  // Responses, to the requester, which says where their payload goes; rsp_done_o: how many of its commands are in memory,
  // modulo 256, and which of them failed
  output rx_rsp_t   rx_rsp_o,
  output logic      rx_rsp_valid_o,
  input  logic      rx_rsp_ready_i,
  input  rx_cmd_t   rsp_cmd_i,
  input  logic      rsp_cmd_valid_i,
  output logic      rsp_cmd_ready_o,
  output rsp_done_t rsp_done_o,

  // Posted receive buffers, completions of receives
  input  rq_wr_t  rq_post_i,
  input  logic    rq_post_valid_i,
  output logic    rq_post_ready_o,
  output rq_cpl_t rq_cpl_o,
  output logic    rq_cpl_valid_o,
  input  logic    rq_cpl_ready_i,

  // READs and atomics to be answered (gone may turn 1 while one waits); payload commands in memory, modulo 2^32
  output rd_evt_t rd_o,
  output logic    rd_valid_o,
  input  logic    rd_ready_i,
  output wr_no_t  wr_done_o,

  // Congestion, by local QPN: packets with payload that a switch has marked, CNPs. Events that find their queue full are lost
  output logic [23:0] ce_o,
  output logic        ce_valid_o,
  input  logic        ce_ready_i,
  output logic [23:0] cnp_o,
  output logic        cnp_valid_o,
  input  logic        cnp_ready_i,

  // To be acknowledged
  output ack_evt_t ack_evt_o,
  output logic     ack_evt_valid_o,
  input  logic     ack_evt_ready_i,

  // To the dispatcher
  output roce_rpc_t rpc_o,
  output logic      rpc_valid_o,
  input  logic      rpc_ready_i,

  // HBM write ports: 0 payload of requests, 1 of responses
  output axi_addr_t [1:0] hbm_aw_o,
  output logic      [1:0] hbm_aw_valid_o,
  input  logic      [1:0] hbm_aw_ready_i,
  output axi_w_t    [1:0] hbm_w_o,
  output logic      [1:0] hbm_w_valid_o,
  input  logic      [1:0] hbm_w_ready_i,
  input  axi_b_t    [1:0] hbm_b_i,
  input  logic      [1:0] hbm_b_valid_i,
  output logic      [1:0] hbm_b_ready_o,

  // Host memory write ports: 0 payload of requests, 1 of responses
  output axi_addr_t [1:0] host_aw_o,
  output logic      [1:0] host_aw_valid_o,
  input  logic      [1:0] host_aw_ready_i,
  output axi_w_t    [1:0] host_w_o,
  output logic      [1:0] host_w_valid_o,
  input  logic      [1:0] host_w_ready_i,
  input  axi_b_t    [1:0] host_b_i,
  input  logic      [1:0] host_b_valid_i,
  output logic      [1:0] host_b_ready_o,

  // QPs whose responder failed; QPs whose requester failed
  output qp_err_t qp_err_o,
  output logic    qp_err_valid_o,
  input  logic    qp_err_ready_i,
  input  qp_err_t qp_err_i,
  input  logic    qp_err_valid_i,
  output logic    qp_err_ready_o,

  // Beats of request payload that wait, for flow control
  output logic [15:0] level_o,

  output roce_rx_stats_t stats_o,
  output logic           quiet_o,
  output logic           wr_quiet_o,
  output logic           rq_quiet_o
);

  // A descriptor for every eight payload beats, and for two READ requests of every QP, which may all come at once; the requester takes responses as fast as they come.
  localparam int unsigned DescDepth = (RxFifoBeats / 8 > 2 * NumQps) ? RxFifoBeats / 8 : 2 * NumQps;
  localparam int unsigned RspDepth = 64;
  localparam int unsigned RspCmdDepth = 8;

  function automatic rx_rsp_t rsp_of(input rx_desc_t d);
    aeth_t aeth;
    aeth = ext_aeth(d.ext);
    return
    '{
        qpn: d.bth.dest_qpn,
        src_ip: d.src_ip,
        psn: d.bth.psn,
        opcode: d.bth.opcode,
        syndrome: aeth.syndrome,
        msn: aeth.msn,
        orig: ext_original(d.ext),
        len: d.len
    }
    ;
  endfunction

  logic [511:0] parse_pay, req_pay, rsp_pay;
  logic parse_pay_valid, pay_rsp, req_overflow, rsp_overflow, commit, rollback, end_rsp;
  logic req_pay_valid, req_pay_ready, rsp_pay_valid, rsp_pay_ready;
  rx_desc_t parse_desc, desc;
  logic to_req, desc_room, desc_valid, desc_ready, to_rsp, rsp_room;
  rx_cmd_t cmd, rsp_cmd;
  logic cmd_valid, cmd_ready, rsp_cmd_valid, rsp_cmd_ready;
  logic [cnt_width(RspCmdDepth)-1:0] rsp_cmd_count;
  rq_entry_t entry;
  logic entry_ok, peek, pop, fail, ce, cnp, ce_rsp, marks_quiet, rq_cfg_ready, responder_cfg_ready;
  logic [23:0] peek_qpn, fail_qpn, event_qpn;
  rq_done_t rq_done;
  rq_cpl_t  rq_own;
  logic rq_done_valid, rq_done_ready, rq_own_valid, rq_own_ready, rq_quiet, rq_cpl_quiet;
  roce_rx_stats_t parse_stats, responder_stats, writer_stats, rsp_writer_stats;
  logic parse_quiet, responder_quiet, writer_quiet, rsp_writer_quiet;
  logic [cnt_width(RxFifoBeats + 1)-1:0] req_pay_count;
  logic [cnt_width(RspFifoBeats + 1)-1:0] rsp_pay_count;
  logic [cnt_width(DescDepth)-1:0] desc_count;
  logic [cnt_width(RspDepth)-1:0] rsp_count;
  logic unused_req_room, unused_rsp_room;
  roce_rpc_t unused_rpc;
  logic unused_rpc_valid, unused_bad;
  logic [23:0] unused_bad_qpn;

  roce_rx_parse u_parse (
    .clk_i,
    .rst_i,
    .icrc_check_i  (glb_i.icrc_check),
    .net_i,
    .net_valid_i,
    .pay_o         (parse_pay),
    .pay_rsp_o     (pay_rsp),
    .pay_valid_o   (parse_pay_valid),
    .pay_overflow_i(req_overflow || rsp_overflow),
    .commit_o      (commit),
    .rollback_o    (rollback),
    .end_rsp_o     (end_rsp),
    .desc_o        (parse_desc),
    .to_req_o      (to_req),
    .req_room_i    (desc_room),
    .to_rsp_o      (to_rsp),
    .rsp_room_i    (rsp_room),
    .stats_o       (parse_stats),
    .quiet_o       (parse_quiet)
  );

  prim_fifo_pkt #(
    .T    (logic [511:0]),
    .Depth(RxFifoBeats)
  ) u_req_pay (
    .clk_i,
    .rst_i,
    .data_i    (parse_pay),
    .valid_i   (parse_pay_valid && !pay_rsp),
    .commit_i  (commit && !end_rsp),
    .rollback_i(rollback && !end_rsp),
    .room_o    (unused_req_room),
    .overflow_o(req_overflow),
    .data_o    (req_pay),
    .valid_o   (req_pay_valid),
    .ready_i   (req_pay_ready),
    .count_o   (req_pay_count)
  );

  prim_fifo_pkt #(
    .T    (logic [511:0]),
    .Depth(RspFifoBeats)
  ) u_rsp_pay (
    .clk_i,
    .rst_i,
    .data_i    (parse_pay),
    .valid_i   (parse_pay_valid && pay_rsp),
    .commit_i  (commit && end_rsp),
    .rollback_i(rollback && end_rsp),
    .room_o    (unused_rsp_room),
    .overflow_o(rsp_overflow),
    .data_o    (rsp_pay),
    .valid_o   (rsp_pay_valid),
    .ready_i   (rsp_pay_ready),
    .count_o   (rsp_pay_count)
  );

  prim_fifo #(
    .T    (rx_desc_t),
    .Depth(DescDepth)
  ) u_desc (
    .clk_i,
    .rst_i,
    .data_i (parse_desc),
    .valid_i(to_req),
    .ready_o(desc_room),
    .data_o (desc),
    .valid_o(desc_valid),
    .ready_i(desc_ready),
    .count_o(desc_count)
  );

  prim_fifo #(
    .T    (rx_rsp_t),
    .Depth(RspDepth)
  ) u_rsp (
    .clk_i,
    .rst_i,
    .data_i (rsp_of(parse_desc)),
    .valid_i(to_rsp),
    .ready_o(rsp_room),
    .data_o (rx_rsp_o),
    .valid_o(rx_rsp_valid_o),
    .ready_i(rx_rsp_ready_i),
    .count_o(rsp_count)
  );

  roce_responder #(
    .NumQps    (NumQps),
    .NumRegions(NumRegions)
  ) u_responder (
    .clk_i,
    .rst_i,
    .cfg_i,
    .cfg_valid_i,
    .cfg_go_i,
    .cfg_ready_o    (responder_cfg_ready),
    .desc_i         (desc),
    .desc_valid_i   (desc_valid),
    .desc_ready_o   (desc_ready),
    .cmd_o          (cmd),
    .cmd_valid_o    (cmd_valid),
    .cmd_ready_i    (cmd_ready),
    .rd_o,
    .rd_valid_o,
    .rd_ready_i,
    .peek_o         (peek),
    .peek_qpn_o     (peek_qpn),
    .entry_i        (entry),
    .entry_ok_i     (entry_ok),
    .pop_o          (pop),
    .rq_done_o      (rq_done),
    .rq_done_valid_o(rq_done_valid),
    .rq_done_ready_i(rq_done_ready),
    .fail_o         (fail),
    .fail_qpn_o     (fail_qpn),
    .ce_o           (ce),
    .cnp_o          (cnp),
    .event_qpn_o    (event_qpn),
    .ack_evt_o,
    .ack_evt_valid_o,
    .ack_evt_ready_i,
    .qp_err_o,
    .qp_err_valid_o,
    .qp_err_ready_i,
    .qp_err_i,
    .qp_err_valid_i,
    .qp_err_ready_o,
    .stats_o        (responder_stats),
    .quiet_o        (responder_quiet)
  );

  assign cfg_ready_o = responder_cfg_ready && rq_cfg_ready;

  roce_rq #(
    .NumQps (NumQps),
    .RqDepth(RqDepth)
  ) u_rq (
    .clk_i       (clk_rq_i),
    .rst_i,
    .cfg_i,
    .cfg_valid_i,
    .cfg_go_i,
    .cfg_ready_o (rq_cfg_ready),
    .post_i      (rq_post_i),
    .post_valid_i(rq_post_valid_i),
    .post_ready_o(rq_post_ready_o),
    .peek_i      (peek),
    .peek_qpn_i  (peek_qpn),
    .entry_o     (entry),
    .entry_ok_o  (entry_ok),
    .pop_i       (pop),
    .pop_qpn_i   (event_qpn),
    .fail_i      (fail),
    .fail_qpn_i  (fail_qpn),
    .cpl_o       (rq_own),
    .cpl_valid_o (rq_own_valid),
    .cpl_ready_i (rq_own_ready),
    .quiet_o     (rq_quiet)
  );

  roce_rq_cpl u_rq_cpl (
    .clk_i       (clk_rq_i),
    .rst_i,
    .done_i      (rq_done),
    .done_valid_i(rq_done_valid),
    .done_ready_o(rq_done_ready),
    .own_i       (rq_own),
    .own_valid_i (rq_own_valid),
    .own_ready_o (rq_own_ready),
    .wr_done_i   (wr_done_o),
    .cpl_o       (rq_cpl_o),
    .cpl_valid_o (rq_cpl_valid_o),
    .cpl_ready_i (rq_cpl_ready_i),
    .quiet_o     (rq_cpl_quiet)
  );

  assign ce_rsp = to_rsp && parse_desc.ce && parse_desc.len != '0;

  roce_rx_marks u_marks (
    .clk_i,
    .rst_i,
    .ce_i     (ce),
    .cnp_i    (cnp),
    .qpn_i    (event_qpn),
    .ce_rsp_i (ce_rsp),
    .rsp_qpn_i(parse_desc.bth.dest_qpn),
    .ce_o,
    .ce_valid_o,
    .ce_ready_i,
    .cnp_o,
    .cnp_valid_o,
    .cnp_ready_i,
    .quiet_o  (marks_quiet)
  );

  roce_rx_writer #(
    .DoneBits($bits(wr_no_t))
  ) u_req_writer (
    .clk_i          (clk_wr_i),
    .rst_i,
    .cmd_i          (cmd),
    .cmd_valid_i    (cmd_valid),
    .cmd_ready_o    (cmd_ready),
    .pay_i          (req_pay),
    .pay_valid_i    (req_pay_valid),
    .pay_ready_o    (req_pay_ready),
    .rpc_o,
    .rpc_valid_o,
    .rpc_ready_i,
    .hbm_aw_o       (hbm_aw_o[0]),
    .hbm_aw_valid_o (hbm_aw_valid_o[0]),
    .hbm_aw_ready_i (hbm_aw_ready_i[0]),
    .hbm_w_o        (hbm_w_o[0]),
    .hbm_w_valid_o  (hbm_w_valid_o[0]),
    .hbm_w_ready_i  (hbm_w_ready_i[0]),
    .hbm_b_i        (hbm_b_i[0]),
    .hbm_b_valid_i  (hbm_b_valid_i[0]),
    .hbm_b_ready_o  (hbm_b_ready_o[0]),
    .host_aw_o      (host_aw_o[0]),
    .host_aw_valid_o(host_aw_valid_o[0]),
    .host_aw_ready_i(host_aw_ready_i[0]),
    .host_w_o       (host_w_o[0]),
    .host_w_valid_o (host_w_valid_o[0]),
    .host_w_ready_i (host_w_ready_i[0]),
    .host_b_i       (host_b_i[0]),
    .host_b_valid_i (host_b_valid_i[0]),
    .host_b_ready_o (host_b_ready_o[0]),
    .done_o         (wr_done_o),
    .bad_o          (unused_bad),
    .bad_qpn_o      (unused_bad_qpn),
    .stats_o        (writer_stats),
    .quiet_o        (writer_quiet)
  );

  // The requester goes on while a payload is being written.
  prim_fifo #(
    .T    (rx_cmd_t),
    .Depth(RspCmdDepth)
  ) u_rsp_cmd (
    .clk_i,
    .rst_i,
    .data_i (rsp_cmd_i),
    .valid_i(rsp_cmd_valid_i),
    .ready_o(rsp_cmd_ready_o),
    .data_o (rsp_cmd),
    .valid_o(rsp_cmd_valid),
    .ready_i(rsp_cmd_ready),
    .count_o(rsp_cmd_count)
  );

  roce_rx_writer u_rsp_writer (
    .clk_i          (clk_wr_i),
    .rst_i,
    .cmd_i          (rsp_cmd),
    .cmd_valid_i    (rsp_cmd_valid),
    .cmd_ready_o    (rsp_cmd_ready),
    .pay_i          (rsp_pay),
    .pay_valid_i    (rsp_pay_valid),
    .pay_ready_o    (rsp_pay_ready),
    .rpc_o          (unused_rpc),
    .rpc_valid_o    (unused_rpc_valid),
    .rpc_ready_i    (1'b1),
    .hbm_aw_o       (hbm_aw_o[1]),
    .hbm_aw_valid_o (hbm_aw_valid_o[1]),
    .hbm_aw_ready_i (hbm_aw_ready_i[1]),
    .hbm_w_o        (hbm_w_o[1]),
    .hbm_w_valid_o  (hbm_w_valid_o[1]),
    .hbm_w_ready_i  (hbm_w_ready_i[1]),
    .hbm_b_i        (hbm_b_i[1]),
    .hbm_b_valid_i  (hbm_b_valid_i[1]),
    .hbm_b_ready_o  (hbm_b_ready_o[1]),
    .host_aw_o      (host_aw_o[1]),
    .host_aw_valid_o(host_aw_valid_o[1]),
    .host_aw_ready_i(host_aw_ready_i[1]),
    .host_w_o       (host_w_o[1]),
    .host_w_valid_o (host_w_valid_o[1]),
    .host_w_ready_i (host_w_ready_i[1]),
    .host_b_i       (host_b_i[1]),
    .host_b_valid_i (host_b_valid_i[1]),
    .host_b_ready_o (host_b_ready_o[1]),
    .done_o         (rsp_done_o.count),
    .bad_o          (rsp_done_o.bad),
    .bad_qpn_o      (rsp_done_o.qpn),
    .stats_o        (rsp_writer_stats),
    .quiet_o        (rsp_writer_quiet)
  );

  // The modules count different things, but for memory errors: of two in one cycle one is counted.
  assign stats_o = parse_stats | responder_stats | writer_stats | rsp_writer_stats;
  assign level_o = 16'(req_pay_count);
  assign quiet_o = parse_quiet && responder_quiet && marks_quiet && req_pay_count == '0 && rsp_pay_count == '0 &&
      desc_count == '0 && rsp_count == '0 && rsp_cmd_count == '0 && !rsp_cmd_valid_i;
  assign wr_quiet_o = writer_quiet && rsp_writer_quiet;
  assign rq_quiet_o = rq_quiet && rq_cpl_quiet;

endmodule
