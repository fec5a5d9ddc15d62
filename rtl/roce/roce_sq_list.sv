// SPDX-License-Identifier: Apache-2.0
// Active list: the QPs that may have something to send, in order of arrival. A QP is `listed` at most once: it stands in
// the queue or the scheduler works on it.
//
// A kick lists a QP whose situation has changed; it is presented in the cycle of the change or later. When the scheduler
// gives up the same QP in the cycle of the kick, the kick wins: no wake-up is lost. Latency 1 from a kick to qpn_o.
// One QP enters a cycle. Order of preference: requester (never waits), retransmission, new work, then the scheduler's
// requeue: it must not requeue while busy_o, and stays on its QP instead.
`include "prim_assert.svh"
module roce_sq_list
  import prim_pkg::*;
#(
  parameter int unsigned NumQps = 256
) (
  input logic clk_i,
  input logic rst_i,

  // Kicks: requester, retransmission, new work
  input  logic [idx_width(NumQps)-1:0] req_qpn_i,
  input  logic                         req_valid_i,
  input  logic [idx_width(NumQps)-1:0] retry_qpn_i,
  input  logic                         retry_valid_i,
  output logic                         retry_ready_o,
  input  logic [idx_width(NumQps)-1:0] new_qpn_i,
  input  logic                         new_valid_i,
  output logic                         new_ready_o,

  // To the scheduler
  output logic [idx_width(NumQps)-1:0] qpn_o,
  output logic                         valid_o,
  input  logic                         ready_i,

  // From the scheduler: its QP goes to the end of the list, or off it
  input  logic [idx_width(NumQps)-1:0] cur_qpn_i,
  input  logic                         requeue_i,
  input  logic                         delist_i,
  output logic                         busy_o
);

  localparam int unsigned QpW = idx_width(NumQps);
  typedef logic [QpW-1:0] qpn_t;

  logic [NumQps-1:0] listed_q;
  logic want_req, want_retry, want_new, push, fifo_ready;
  qpn_t push_qpn;
  logic [cnt_width(NumQps)-1:0] unused_count;

  assign want_req = req_valid_i && (!listed_q[req_qpn_i] || (delist_i && cur_qpn_i == req_qpn_i));
  assign want_retry = retry_valid_i && (!listed_q[retry_qpn_i] || (delist_i && cur_qpn_i == retry_qpn_i));
  assign want_new = new_valid_i && (!listed_q[new_qpn_i] || (delist_i && cur_qpn_i == new_qpn_i));

  assign busy_o = (req_valid_i && !listed_q[req_qpn_i]) || (retry_valid_i && !listed_q[retry_qpn_i]) ||
                  (new_valid_i && !listed_q[new_qpn_i]);
  assign retry_ready_o = !(want_retry && want_req);
  assign new_ready_o = !(want_new && (want_req || want_retry));

  assign push = want_req || want_retry || want_new || requeue_i;
  assign push_qpn = want_req ? req_qpn_i : want_retry ? retry_qpn_i : want_new ? new_qpn_i : cur_qpn_i;

  prim_fifo #(
    .T    (qpn_t),
    .Depth(NumQps)
  ) u_fifo (
    .clk_i,
    .rst_i,
    .data_i (push_qpn),
    .valid_i(push),
    .ready_o(fifo_ready),
    .data_o (qpn_o),
    .valid_o,
    .ready_i,
    .count_o(unused_count)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      listed_q <= '0;
    end else begin
      if (delist_i) listed_q[cur_qpn_i] <= 1'b0;
      if (push) listed_q[push_qpn] <= 1'b1;
    end
  end

  `PRIM_ASSERT(list_room, !(push && !fifo_ready), "a QP was listed twice: the list overflows")
  `PRIM_ASSERT(list_requeue, !(requeue_i && (want_req || want_retry || want_new)),
               "requeue while busy: a kick or the QP is lost")

endmodule
