// SPDX-License-Identifier: Apache-2.0
// Asks for atomics ahead of their turn. Events for roce_rd pass through; of an atomic that is not a repeated one the request goes to the
// atomic unit as soon as the payload commands before it are in memory, and the event waits for its turn in a queue of Depth.
// Order: requests leave in the order of events. A READ, or a repeated request, stays in front until every atomic before it has been
// answered, and nothing behind it is asked for before it has been handed over: a READ sees the atomics before it, none behind it.
// Contract of evt_o: as that of evt_i. An atomic with dup = 0 has been asked for, its answer must be taken; one of a QP that was gone
// or silent before it was asked for comes as dup, to be given up.
// An atomic that was asked for is done, even when one of its QP before it turns out to have failed: its requester learns that it was
// flushed, as that of a WRITE behind it does.
// Latency 0 for what passes; an atomic's request leaves 1 cycle after its event, its event 1 cycle after that at the earliest.
`include "prim_assert.svh"
module roce_rd_ahead
  import axis_pkg::*;
  import roce_pkg::*;
#(
  parameter int unsigned Depth = 16
) (
  input logic clk_i,
  input logic rst_i,

  // Configuration rows
  input roce_cfg_t cfg_i,
  input logic      cfg_valid_i,
  input logic      cfg_go_i,

  // From the responder; its QP is silent
  input  rd_evt_t evt_i,
  input  logic    evt_silent_i,
  input  logic    evt_valid_i,
  output logic    evt_ready_o,
  input  wr_no_t  wr_done_i,

  // Atomic unit
  output atomic_req_t atomic_o,
  output logic        atomic_valid_o,
  input  logic        atomic_ready_i,

  // In their turn
  output rd_evt_t evt_o,
  output logic    evt_valid_o,
  input  logic    evt_ready_i,

  output logic quiet_o
);

  rd_evt_t asked, next;
  logic fresh, lost, reached, take, pass, room, next_valid, next_quiet, atomic_valid_q;
  atomic_req_t atomic_q;
  wr_no_t ahead;

  assign fresh = evt_i.op != RD_READ && !evt_i.dup;
  assign lost = evt_i.gone || evt_silent_i;
  assign ahead = wr_done_i - evt_i.tag;
  assign reached = !ahead[31];
  assign take = evt_valid_i && fresh && room && (lost || (reached && (!atomic_valid_q || atomic_ready_i)));
  assign pass = evt_valid_i && !fresh && !next_valid;

  always_comb begin
    asked     = evt_i;
    asked.dup = lost;
  end

  roce_rd_queue #(
    .Depth(Depth)
  ) u_next (
    .clk_i,
    .rst_i,
    .cfg_i,
    .cfg_valid_i,
    .cfg_go_i,
    .evt_i      (asked),
    .evt_valid_i(take),
    .evt_ready_o(room),
    .evt_o      (next),
    .evt_valid_o(next_valid),
    .evt_ready_i(evt_ready_i),
    .quiet_o    (next_quiet)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) atomic_valid_q <= 1'b0;
    else if (take && !lost) atomic_valid_q <= 1'b1;
    else if (atomic_ready_i) atomic_valid_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (take && !lost) begin
      atomic_q <= '{
          epoch: evt_i.tag,
          host: evt_i.va[63:60] == CLASS_HOST,
          addr: {4'd0, evt_i.va[59:0]},
          cas: evt_i.op == RD_CMP_SWAP,
          operand: evt_i.swap_add,
          compare: evt_i.compare
      };
    end
  end

  assign atomic_o       = atomic_q;
  assign atomic_valid_o = atomic_valid_q;
  assign evt_o          = next_valid ? next : evt_i;
  assign evt_valid_o    = next_valid || pass;
  assign evt_ready_o    = take || (pass && evt_ready_i);
  assign quiet_o        = next_quiet && !(atomic_valid_q && atomic_ready_i);

  `PRIM_ASSERT_STREAM(rd_atomic, atomic_valid_o, atomic_ready_i, atomic_o)

endmodule
