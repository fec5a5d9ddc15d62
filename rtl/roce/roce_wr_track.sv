// SPDX-License-Identifier: Apache-2.0
// Counts the commands of a payload writer that have taken full effect: all their bursts, and those of every command
// before, are answered by their memory. Whoever must not act before that (a READ, a completion) compares its own count
// of commands with done_o, modulo 2^DoneBits. bad_o, one cycle: the newest of them failed, memory answered a burst of it with
// an error; it was of QP bad_qpn_o.
// One command and one response of each memory a cycle; a command counts 1 cycle after its last response at the earliest.
// Back-pressure: room_o is low while Depth commands wait. A response without a burst is ignored.
`include "prim_assert.svh"
module roce_wr_track
  import prim_pkg::*;
  import roce_pkg::*;
#(
  parameter int unsigned Depth    = 128,
  parameter int unsigned DoneBits = 8
) (
  input logic clk_i,
  input logic rst_i,

  // A command was carried out as far as the ports of the memory; bursts: of a memory target, 1 or 2
  input  logic              push_i,
  input  rx_target_e        target_i,
  input  logic       [ 1:0] bursts_i,
  input  logic       [23:0] qpn_i,
  output logic              room_o,

  // Responses of the memories, and whether they tell an error
  input logic hbm_b_i,
  input logic hbm_bad_i,
  input logic host_b_i,
  input logic host_bad_i,

  output logic [DoneBits-1:0] done_o,
  output logic                bad_o,
  output logic [        23:0] bad_qpn_o,
  output logic                quiet_o
);

  localparam int unsigned CountW = cnt_width(2 * Depth);
  localparam int unsigned NoW = $clog2(2 * Depth);

  typedef struct packed {
    rx_target_e  target;
    logic [1:0]  bursts;
    logic [23:0] qpn;
  } entry_t;

  entry_t head;
  logic head_valid, pop, hbm_enough, host_enough;
  logic [CountW-1:0] hbm_q, host_q;  // responses not yet given to a command
  logic [cnt_width(Depth)-1:0] unused_count;
  logic [DoneBits-1:0] done_q;
  // Responses by number, modulo 2 * Depth: the next one to come, the head's first, and those that told an error.
  logic [NoW-1:0] hbm_no_q, host_no_q, hbm_first, host_first;
  logic [2*Depth-1:0] hbm_bad_q, host_bad_q;
  logic head_bad, bad_q;
  logic [23:0] bad_qpn_q;

  assign hbm_enough  = hbm_q >= CountW'(head.bursts);
  assign host_enough = host_q >= CountW'(head.bursts);
  assign pop         = head_valid && (head.target == RX_HBM ? hbm_enough : head.target == RX_HOST ? host_enough : 1'b1);
  assign done_o      = done_q;
  assign bad_o       = bad_q;
  assign bad_qpn_o   = bad_qpn_q;
  assign hbm_first   = hbm_no_q - hbm_q[NoW-1:0];
  assign host_first  = host_no_q - host_q[NoW-1:0];

  always_comb begin
    head_bad = 1'b0;
    if (head.target == RX_HBM) head_bad = hbm_bad_q[hbm_first] || (head.bursts[1] && hbm_bad_q[hbm_first+1'b1]);
    else if (head.target == RX_HOST)
      head_bad = host_bad_q[host_first] || (head.bursts[1] && host_bad_q[host_first+1'b1]);
  end
  // A command that waits for its memory changes nothing.
  assign quiet_o = !push_i && !hbm_b_i && !host_b_i && !pop && !bad_q;

  prim_fifo #(
    .T    (entry_t),
    .Depth(Depth)
  ) u_queue (
    .clk_i,
    .rst_i,
    .data_i ('{target: target_i, bursts: bursts_i, qpn: qpn_i}),
    .valid_i(push_i),
    .ready_o(room_o),
    .data_o (head),
    .valid_o(head_valid),
    .ready_i(pop),
    .count_o(unused_count)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      hbm_q      <= '0;
      host_q     <= '0;
      done_q     <= '0;
      hbm_no_q   <= '0;
      host_no_q  <= '0;
      hbm_bad_q  <= '0;
      host_bad_q <= '0;
      bad_q      <= 1'b0;
    end else begin
      if (hbm_b_i) hbm_no_q <= hbm_no_q + 1'b1;
      if (host_b_i) host_no_q <= host_no_q + 1'b1;
      if (pop && head_bad) begin
        if (head.target == RX_HBM) begin
          hbm_bad_q[hbm_first] <= 1'b0;
          if (head.bursts[1]) hbm_bad_q[hbm_first+1'b1] <= 1'b0;
        end else begin
          host_bad_q[host_first] <= 1'b0;
          if (head.bursts[1]) host_bad_q[host_first+1'b1] <= 1'b0;
        end
      end
      if (hbm_b_i && hbm_bad_i) hbm_bad_q[hbm_no_q] <= 1'b1;
      if (host_b_i && host_bad_i) host_bad_q[host_no_q] <= 1'b1;
      bad_q  <= pop && head_bad;
      hbm_q  <= hbm_q + CountW'(hbm_b_i) - ((pop && head.target == RX_HBM) ? CountW'(head.bursts) : '0);
      host_q <= host_q + CountW'(host_b_i) - ((pop && head.target == RX_HOST) ? CountW'(head.bursts) : '0);
      if (pop) done_q <= done_q + DoneBits'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (pop && head_bad) bad_qpn_q <= head.qpn;
  end

  `PRIM_ASSERT(track_room, !(push_i && !room_o), "a command of the payload writer is not followed to its end")
  `PRIM_ASSERT(track_few, hbm_q <= CountW'(2 * Depth) && host_q <= CountW'(2 * Depth),
               "more responses than bursts of a payload writer")

endmodule
