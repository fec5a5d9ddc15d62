// SPDX-License-Identifier: Apache-2.0
// Receive half of the RoCE endpoint: parser -> payload and descriptor FIFO -> responder -> writer. Only wiring.
// Latency, all ready: 8 cycles from a frame's last beat at net_i to AW or RPC valid, 7 to ack_evt_valid_o, 4 to rx_ack_valid_o.
// No back-pressure at net_i: whole frames are dropped and counted when a FIFO is full. Store and forward: nothing of a
// frame takes effect before its ICRC is known to be good. ACK packets do not wait behind writes and RPCs.
module roce_rx
  import prim_pkg::*;
  import net_pkg::*;
  import axis_pkg::*;
  import roce_pkg::*;
#(
  parameter int unsigned NumQps      = 256,
  parameter int unsigned NumRegions  = 64,
  parameter int unsigned RxFifoBeats = 1024
) (
  input logic clk_i,
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

  // Acknowledge packets, to the requester
  output rx_ack_t rx_ack_o,
  output logic    rx_ack_valid_o,
  input  logic    rx_ack_ready_i,

  // To be acknowledged
  output ack_evt_t ack_evt_o,
  output logic     ack_evt_valid_o,
  input  logic     ack_evt_ready_i,

  // To the dispatcher
  output roce_rpc_t rpc_o,
  output logic      rpc_valid_o,
  input  logic      rpc_ready_i,

  // HBM write port
  output axi_addr_t hbm_aw_o,
  output logic      hbm_aw_valid_o,
  input  logic      hbm_aw_ready_i,
  output axi_w_t    hbm_w_o,
  output logic      hbm_w_valid_o,
  input  logic      hbm_w_ready_i,
  input  axi_b_t    hbm_b_i,
  input  logic      hbm_b_valid_i,
  output logic      hbm_b_ready_o,

  // Host memory write port
  output axi_addr_t host_aw_o,
  output logic      host_aw_valid_o,
  input  logic      host_aw_ready_i,
  output axi_w_t    host_w_o,
  output logic      host_w_valid_o,
  input  logic      host_w_ready_i,
  input  axi_b_t    host_b_i,
  input  logic      host_b_valid_i,
  output logic      host_b_ready_o,

  // QPs whose responder failed; QPs whose requester failed
  output qp_err_t qp_err_o,
  output logic    qp_err_valid_o,
  input  logic    qp_err_ready_i,
  input  qp_err_t qp_err_i,
  input  logic    qp_err_valid_i,
  output logic    qp_err_ready_o,

  output roce_rx_stats_t stats_o,
  output logic           quiet_o
);

  // A descriptor for every eight payload beats; ACKs are small and leave at once.
  localparam int unsigned DescDepth = (RxFifoBeats / 8 > 16) ? RxFifoBeats / 8 : 16;
  localparam int unsigned AckDepth = 16;

  logic [511:0] parse_pay, pay;
  logic parse_pay_valid, pay_overflow, pay_valid, pay_ready, commit, rollback;
  rx_desc_t parse_desc, desc;
  logic to_desc, desc_room, desc_valid, desc_ready, to_ack, ack_room;
  rx_cmd_t cmd;
  logic cmd_valid, cmd_ready;
  roce_rx_stats_t parse_stats, responder_stats, writer_stats;
  logic parse_quiet, responder_quiet, writer_quiet;
  logic [cnt_width(RxFifoBeats)-1:0] pay_count;
  logic [cnt_width(DescDepth)-1:0] desc_count;
  logic [cnt_width(AckDepth)-1:0] ack_count;
  logic pay_room;

  roce_rx_parse u_parse (
    .clk_i,
    .rst_i,
    .icrc_check_i  (glb_i.icrc_check),
    .net_i,
    .net_valid_i,
    .pay_o         (parse_pay),
    .pay_valid_o   (parse_pay_valid),
    .pay_overflow_i(pay_overflow),
    .commit_o      (commit),
    .rollback_o    (rollback),
    .desc_o        (parse_desc),
    .to_desc_o     (to_desc),
    .desc_room_i   (desc_room),
    .to_ack_o      (to_ack),
    .ack_room_i    (ack_room),
    .stats_o       (parse_stats),
    .quiet_o       (parse_quiet)
  );

  prim_fifo_pkt #(
    .T    (logic [511:0]),
    .Depth(RxFifoBeats)
  ) u_pay (
    .clk_i,
    .rst_i,
    .data_i    (parse_pay),
    .valid_i   (parse_pay_valid),
    .commit_i  (commit),
    .rollback_i(rollback),
    .room_o    (pay_room),
    .overflow_o(pay_overflow),
    .data_o    (pay),
    .valid_o   (pay_valid),
    .ready_i   (pay_ready),
    .count_o   (pay_count)
  );

  prim_fifo #(
    .T    (rx_desc_t),
    .Depth(DescDepth)
  ) u_desc (
    .clk_i,
    .rst_i,
    .data_i (parse_desc),
    .valid_i(to_desc),
    .ready_o(desc_room),
    .data_o (desc),
    .valid_o(desc_valid),
    .ready_i(desc_ready),
    .count_o(desc_count)
  );

  prim_fifo #(
    .T    (rx_ack_t),
    .Depth(AckDepth)
  ) u_ack (
    .clk_i,
    .rst_i,
    .data_i(
    '{
        qpn: parse_desc.bth.dest_qpn,
        src_ip: parse_desc.src_ip,
        psn: parse_desc.bth.psn,
        syndrome: parse_desc.aeth.syndrome,
        msn: parse_desc.aeth.msn
    }
    ),
    .valid_i(to_ack),
    .ready_o(ack_room),
    .data_o(rx_ack_o),
    .valid_o(rx_ack_valid_o),
    .ready_i(rx_ack_ready_i),
    .count_o(ack_count)
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
    .cfg_ready_o,
    .desc_i      (desc),
    .desc_valid_i(desc_valid),
    .desc_ready_o(desc_ready),
    .cmd_o       (cmd),
    .cmd_valid_o (cmd_valid),
    .cmd_ready_i (cmd_ready),
    .ack_evt_o,
    .ack_evt_valid_o,
    .ack_evt_ready_i,
    .qp_err_o,
    .qp_err_valid_o,
    .qp_err_ready_i,
    .qp_err_i,
    .qp_err_valid_i,
    .qp_err_ready_o,
    .stats_o     (responder_stats),
    .quiet_o     (responder_quiet)
  );

  roce_rx_writer u_writer (
    .clk_i,
    .rst_i,
    .cmd_i      (cmd),
    .cmd_valid_i(cmd_valid),
    .cmd_ready_o(cmd_ready),
    .pay_i      (pay),
    .pay_valid_i(pay_valid),
    .pay_ready_o(pay_ready),
    .rpc_o,
    .rpc_valid_o,
    .rpc_ready_i,
    .hbm_aw_o,
    .hbm_aw_valid_o,
    .hbm_aw_ready_i,
    .hbm_w_o,
    .hbm_w_valid_o,
    .hbm_w_ready_i,
    .hbm_b_i,
    .hbm_b_valid_i,
    .hbm_b_ready_o,
    .host_aw_o,
    .host_aw_valid_o,
    .host_aw_ready_i,
    .host_w_o,
    .host_w_valid_o,
    .host_w_ready_i,
    .host_b_i,
    .host_b_valid_i,
    .host_b_ready_o,
    .stats_o    (writer_stats),
    .quiet_o    (writer_quiet)
  );

  // The three modules count different things.
  assign stats_o = parse_stats | responder_stats | writer_stats;
  assign quiet_o = parse_quiet && responder_quiet && writer_quiet && pay_count == '0 && desc_count == '0 &&
      ack_count == '0;

endmodule
