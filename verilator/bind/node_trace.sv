// SPDX-License-Identifier: Apache-2.0
// Observes the streams of node_core and hands one record per event to C++. Bound from outside: rtl/ does not know of it.
// A record is made at the clock edge of the handshake. One always block a port, so that the order of a port's records does
// not depend on which block clocks run. Fields: see node_trace.cpp, which names them.
module node_trace
  import axis_pkg::*;
  import rdt_pkg::*;
  import roce_pkg::*;
(
  input logic clk_rx_i,
  input logic clk_wr_i,
  input logic clk_tx_i,
  input logic clk_path_i,
  input logic clk_rdt_i,
  input logic rst_i,
  input logic on_i,  // records are wanted

  input axis_beat_t rx_i,
  input logic       rx_valid_i,

  input axis_beat_t tx_i,
  input logic       tx_valid_i,
  input logic       tx_ready_i,

  input client_req_t client_req_i,
  input logic        client_req_valid_i,
  input logic        client_req_ready_i,
  input client_rsp_t client_rsp_i,
  input logic        client_rsp_valid_i,
  input logic        client_rsp_ready_i,

  input verb_t verb_i,
  input logic  verb_valid_i,
  input logic  verb_ready_i,
  input cpl_t  cpl_i,
  input logic  cpl_valid_i,
  input logic  cpl_ready_i,

  input roce_rpc_t rpc_i,
  input logic      rpc_valid_i,
  input logic      rpc_ready_i,

  input ack_evt_t ack_evt_i,
  input logic     ack_evt_valid_i,
  input logic     ack_evt_ready_i,

  input rx_rsp_t rx_rsp_i,
  input logic    rx_rsp_valid_i,
  input logic    rx_rsp_ready_i,

  input axi_addr_t hbm_aw_i,
  input logic      hbm_aw_valid_i,
  input logic      hbm_aw_ready_i,
  input axi_addr_t host_aw_i,
  input logic      host_aw_valid_i,
  input logic      host_aw_ready_i,

  input roce_rx_stats_t rx_stats_i,
  input roce_tx_stats_t tx_stats_i
);

  localparam int unsigned EV_RX_FRAME = 0;
  localparam int unsigned EV_TX_FRAME = 1;
  localparam int unsigned EV_REQUEST = 2;
  localparam int unsigned EV_RESPONSE = 3;
  localparam int unsigned EV_VERB = 4;
  localparam int unsigned EV_COMPLETION = 5;
  localparam int unsigned EV_RPC = 6;
  localparam int unsigned EV_ACK_EVENT = 7;
  localparam int unsigned EV_RX_ACK = 8;
  localparam int unsigned EV_HBM_WRITE = 11;
  localparam int unsigned EV_HOST_WRITE = 12;
  localparam int unsigned EV_TIMEOUT = 13;
  localparam int unsigned EV_QP_ERROR = 14;
  localparam int unsigned EV_DROP = 15;

  import "DPI-C" function void caravan_trace(
    input int unsigned     event_i,
    input longint unsigned a_i,
    input longint unsigned b_i,
    input longint unsigned c_i,
    input longint unsigned d_i,
    input longint unsigned e_i,
    input longint unsigned f_i
  );

  // The first bytes of a frame and its length so far; a mix of its bytes tells frames apart that differ in payload only.
  typedef struct packed {
    logic [63:0] kind;   // {ethertype (bytes 12..13), IP protocol (23), UDP port (36..37), BTH opcode (42), 16 zeros}
    logic [63:0] bth;    // BTH from byte 4 on (46..53)
    logic [31:0] ext;    // bytes 54..57: AETH, or the top of the RETH address
    logic [63:0] mix;
    logic [15:0] bytes;
  } frame_t;

  function automatic frame_t add_beat(input frame_t so_far, input logic first, input axis_beat_t beat);
    frame_t f;
    f = first ? '0 : so_far;
    if (first) begin
      f.kind = {
        beat.data[8*12+:8],
        beat.data[8*13+:8],
        beat.data[8*23+:8],
        beat.data[8*36+:8],
        beat.data[8*37+:8],
        beat.data[8*42+:8],
        16'd0
      };
      for (int unsigned i = 0; i < 8; i++) f.bth[8*(7-i)+:8] = beat.data[8*(46+i)+:8];
      for (int unsigned i = 0; i < 4; i++) f.ext[8*(3-i)+:8] = beat.data[8*(54+i)+:8];
    end
    f.mix = {f.mix[50:0], f.mix[63:51]};
    for (int unsigned i = 0; i < 8; i++) f.mix = f.mix ^ beat.data[64*i+:64];
    f.bytes = f.bytes + 16'(beat.bytes);
    return f;
  endfunction

  frame_t rx_q, tx_q;
  logic rx_inside_q, tx_inside_q;

  always_ff @(posedge clk_rx_i) begin
    if (rst_i) begin
      rx_inside_q <= 1'b0;
    end else if (on_i && rx_valid_i) begin
      automatic frame_t rx = add_beat(rx_q, !rx_inside_q, rx_i);
      rx_q <= rx;
      rx_inside_q <= !rx_i.last;
      if (rx_i.last) begin
        caravan_trace(EV_RX_FRAME, rx.kind, rx.bth, 64'(rx.ext), rx.mix, 64'(rx.bytes), 64'(rx_i.err));
      end
    end
  end

  always_ff @(posedge clk_path_i) begin
    if (rst_i) begin
      tx_inside_q <= 1'b0;
    end else if (on_i && tx_valid_i && tx_ready_i) begin
      automatic frame_t tx = add_beat(tx_q, !tx_inside_q, tx_i);
      tx_q <= tx;
      tx_inside_q <= !tx_i.last;
      if (tx_i.last) begin
        caravan_trace(EV_TX_FRAME, tx.kind, tx.bth, 64'(tx.ext), tx.mix, 64'(tx.bytes), 64'(tx_i.err));
      end
    end
  end

  // The client port and what belongs to it.
  always_ff @(posedge clk_rdt_i) begin
    if (on_i && !rst_i) begin
      if (client_req_valid_i && client_req_ready_i) begin
        if (client_req_i.op == CLIENT_WRITE) begin
          caravan_trace(EV_REQUEST, 64'(client_req_i.op), 64'(client_req_i.tag), {
                        8'd0, client_req_i.qpn, client_req_i.len}, client_req_i.laddr, client_req_i.raddr,
                        64'(client_req_i.rkey));
        end else begin
          caravan_trace(EV_REQUEST, 64'(client_req_i.op), 64'(client_req_i.tag), client_req_i.key, client_req_i.value,
                        0, 0);
        end
      end
      if (client_rsp_valid_i && client_rsp_ready_i) begin
        caravan_trace(EV_RESPONSE, 64'(client_rsp_i.tag), 64'(client_rsp_i.status), client_rsp_i.value, 0, 0, 0);
      end
      if (verb_valid_i && verb_ready_i) begin
        caravan_trace(EV_VERB, {40'd0, verb_i.qpn}, 64'(verb_i.wr_id), 64'(verb_i.len), verb_i.raddr, 64'(verb_i.rkey),
                      {62'd0, verb_i.inl, verb_i.signaled});
      end
      if (cpl_valid_i && cpl_ready_i) begin
        caravan_trace(EV_COMPLETION, 64'(cpl_i.qpn), 64'(cpl_i.wr_id), 64'(cpl_i.status), 0, 0, 0);
      end
      if (rpc_valid_i && rpc_ready_i) begin
        caravan_trace(EV_RPC, 64'(rpc_i.qpn), 64'(rpc_i.len), rpc_i.data[63:0], rpc_i.data[191:128],
                      rpc_i.data[255:192], rpc_i.data[319:256]);
      end
    end
  end

  // The responder.
  always_ff @(posedge clk_rx_i) begin
    if (on_i && !rst_i) begin
      if (ack_evt_valid_i && ack_evt_ready_i) begin
        caravan_trace(EV_ACK_EVENT, 64'(ack_evt_i.qpn), 64'(ack_evt_i.psn), 64'(ack_evt_i.syndrome), 64'(ack_evt_i.msn),
                      0, 0);
      end
      if ({rx_stats_i.drop_fifo, rx_stats_i.drop_icrc, rx_stats_i.drop_hdr, rx_stats_i.drop_qp, rx_stats_i.drop_peer,
           rx_stats_i.drop_op, rx_stats_i.dup} != '0) begin
        caravan_trace(EV_DROP, 64'({
                      rx_stats_i.drop_fifo,
                      rx_stats_i.drop_icrc,
                      rx_stats_i.drop_hdr,
                      rx_stats_i.drop_qp,
                      rx_stats_i.drop_peer,
                      rx_stats_i.drop_op,
                      rx_stats_i.dup
                      }), 0, 0, 0, 0, 0);
      end
    end
  end

  // What it writes.
  always_ff @(posedge clk_wr_i) begin
    if (on_i && !rst_i) begin
      if (hbm_aw_valid_i && hbm_aw_ready_i) caravan_trace(EV_HBM_WRITE, hbm_aw_i.addr, 64'(hbm_aw_i.len), 0, 0, 0, 0);
      if (host_aw_valid_i && host_aw_ready_i)
        caravan_trace(EV_HOST_WRITE, host_aw_i.addr, 64'(host_aw_i.len), 0, 0, 0, 0);
    end
  end

  // The requester.
  always_ff @(posedge clk_tx_i) begin
    if (on_i && !rst_i) begin
      if (rx_rsp_valid_i && rx_rsp_ready_i) begin
        caravan_trace(EV_RX_ACK, 64'(rx_rsp_i.qpn), 64'(rx_rsp_i.psn), 64'(rx_rsp_i.syndrome), 64'(rx_rsp_i.msn), 0, 0);
      end
      if (tx_stats_i.timeout) caravan_trace(EV_TIMEOUT, 0, 0, 0, 0, 0, 0);
      if (tx_stats_i.qp_err) caravan_trace(EV_QP_ERROR, 0, 0, 0, 0, 0, 0);
    end
  end

endmodule
