// SPDX-License-Identifier: Apache-2.0
// Turns CNPs to send, by local QPN, into packets for the send data path: opcode 0x81, PSN 0, 16 zero bytes. Where they go is
// this module's own copy of the QP contexts. Latency 2; one every 2 cycles; back-pressure goes through.
// Bad input: a QPN out of range must not come here; of a QP that was never written the packet goes to neighbour 0.
`include "prim_assert.svh"
module roce_cnp_job
  import prim_pkg::*;
  import roce_pkg::*;
  import roce_wire_pkg::*;
#(
  parameter int unsigned NumQps = 256
) (
  input logic clk_i,
  input logic rst_i,

  // Table writes, broadcast; see roce_cfg_t
  input roce_cfg_t cfg_i,
  input logic      cfg_go_i,

  // From roce_cnp
  input  logic [idx_width(NumQps)-1:0] cnp_qpn_i,
  input  logic                         cnp_valid_i,
  output logic                         cnp_ready_o,

  // Packets
  output tx_job_t job_o,
  output logic    job_valid_o,
  input  logic    job_ready_i,

  output logic quiet_o
);

  typedef logic [idx_width(NumQps)-1:0] qpn_t;
  typedef struct packed {
    logic [23:0] dest_qpn;
    logic [7:0]  neigh;
    logic [15:0] sport;
  } peer_t;

  peer_t peer, cfg_peer;
  logic looked_q, cfg_qp;
  qpn_t qpn_q;

  assign cfg_qp   = cfg_go_i && is_qp_row(cfg_i, NumQps);
  assign cfg_peer = '{dest_qpn: cfg_i.qpc.dest_qpn, neigh: cfg_i.qpc.neigh, sport: cfg_i.qpc.sport};

  prim_ram_1r1w #(
    .T    (peer_t),
    .Depth(NumQps)
  ) u_peers (
    .clk_i,
    .re_i   (cnp_valid_i && cnp_ready_o),
    .raddr_i(cnp_qpn_i),
    .rdata_o(peer),
    .we_i   (cfg_qp),
    .waddr_i(cfg_i.index[idx_width(NumQps)-1:0]),
    .wdata_i(cfg_peer)
  );

  always_comb begin
    job_o              = '0;
    job_o.hdr.opcode   = OP_CNP;
    job_o.hdr.dest_qpn = peer.dest_qpn;
    job_o.hdr.neigh    = peer.neigh;
    job_o.hdr.sport    = peer.sport;
    job_o.hdr.qpn      = 24'(qpn_q);
    job_o.src          = SRC_NONE;
  end

  assign job_valid_o = looked_q;
  assign cnp_ready_o = !looked_q;
  assign quiet_o     = !cfg_go_i && !cnp_valid_i && !looked_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) looked_q <= 1'b0;
    else looked_q <= looked_q ? !job_ready_i : cnp_valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (cnp_valid_i && cnp_ready_o) qpn_q <= cnp_qpn_i;
  end

  `PRIM_ASSERT_STREAM(cnp_job, job_valid_o, job_ready_i, job_o)

endmodule
