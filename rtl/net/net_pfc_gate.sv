// SPDX-License-Identifier: Apache-2.0
// Stops a stream of frames while it is paused, between frames only: a frame that has begun is finished. Latency 0; passes
// one beat a cycle; back-pressure goes through. A first beat that has been offered once is not withdrawn.
// quiet_o: no edge is needed, because nothing is offered or what is offered is held.
`include "prim_assert.svh"
module net_pfc_gate
  import axis_pkg::*;
(
  input logic clk_i,
  input logic rst_i,

  input logic paused_i,

  input  axis_beat_t frame_i,
  input  logic       frame_valid_i,
  output logic       frame_ready_o,

  output axis_beat_t frame_o,
  output logic       frame_valid_o,
  input  logic       frame_ready_i,

  output logic quiet_o
);

  // offered_q: a beat has been offered and not taken.
  logic in_frame_q, offered_q, pass;

  assign pass          = in_frame_q || offered_q || !paused_i;
  assign frame_o       = frame_i;
  assign frame_valid_o = frame_valid_i && pass;
  assign frame_ready_o = frame_ready_i && pass;
  assign quiet_o       = !frame_valid_o;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      in_frame_q <= 1'b0;
      offered_q  <= 1'b0;
    end else if (frame_valid_o) begin
      offered_q <= !frame_ready_i;
      if (frame_ready_i) in_frame_q <= !frame_i.last;
    end
  end

  `PRIM_ASSERT_STREAM(gate_out, frame_valid_o, frame_ready_i, frame_o)

endmodule
