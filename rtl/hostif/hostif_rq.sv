// SPDX-License-Identifier: Apache-2.0
// Receive entries become posted receive buffers. One register, latency 1, one a cycle.
// Bad input: an entry that could not be read is posted as a buffer of no bytes, so that nothing is written anywhere; its
// completion becomes a local memory error (hostif_cq).
`include "prim_assert.svh"
module hostif_rq
  import hostif_pkg::*;
  import roce_pkg::*;
(
  input logic clk_i,
  input logic rst_i,

  input  entry_t         entry_i,
  input  logic   [511:0] entry_data_i,
  input  logic           entry_valid_i,
  output logic           entry_ready_o,

  output rq_wr_t post_o,
  output logic   post_valid_o,
  input  logic   post_ready_i,

  output logic quiet_o
);

  rq_wr_t post_q;
  logic valid_q, room;
  rqe_t rqe;
  host_wr_id_t wr_id;

  assign room          = !valid_q || post_ready_i;
  assign entry_ready_o = room;
  assign post_o        = post_q;
  assign post_valid_o  = valid_q;
  assign quiet_o       = !valid_q && !entry_valid_i;
  assign rqe           = rqe_t'(entry_data_i);
  always_comb begin
    wr_id = '{
        rsv31: 1'b0,
        host: 1'b1,
        signaled: 1'b1,
        mem_err: entry_i.err,
        op: '0,
        rsv: '0,
        epoch: entry_i.epoch,
        index: entry_i.index
    };
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) valid_q <= 1'b0;
    else if (room) valid_q <= entry_valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (room && entry_valid_i) begin
      post_q <= '{
          qpn: entry_i.qpn,
          wr_id: wr_id,
          addr: entry_i.err ? {CLASS_HBM, 60'd0} : rqe.addr,
          len: entry_i.err ? '0 : rqe.len
      };
    end
  end

  `PRIM_ASSERT_STREAM(post, post_valid_o, post_ready_i, post_o)

endmodule
