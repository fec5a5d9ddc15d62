// SPDX-License-Identifier: Apache-2.0
// Asks for pauses: when the receive FIFO's level reaches xoff a pause frame for the priorities of tx_en is sent, again each half
// of its time while the level stays above xon, and one of time 0 when it has fallen to xon or flow control is turned off.
// Latency 1 from the level to frame_valid_o; the frame is one beat, held until ready. While it waits the level is not judged.
// Bad input: xon >= xoff counts as xoff - 1; xoff 0 or a time that is too short to be renewed (under 2 cycles) turn sending off.
// wake_at_o: the next renewal; quiet_o while merely waiting for it.
`include "prim_assert.svh"
module net_pfc_tx
  import axis_pkg::*;
  import net_pfc_pkg::*;
  import net_pkg::*;
  import prim_pkg::*;
(
  input logic clk_i,
  input logic rst_i,

  input logic         [63:0] now_i,
  input net_cfg_t            net_cfg_i,
  input net_pfc_cfg_t        cfg_i,

  // Receive FIFO's level, in beats
  input logic [15:0] level_i,

  // To net_tx
  output axis_beat_t frame_o,
  output logic       frame_valid_o,
  input  logic       frame_ready_i,

  // tx_pause and tx_resume of net_pfc_stats_t
  output logic pause_o,
  output logic resume_o,

  output logic        quiet_o,
  output logic [63:0] wake_at_o
);

  logic stopped_q, valid_q, resume_q, on, high, low, stop, renew, resume;
  logic [ 7:0] enabled_q;
  logic [15:0] quanta_q;
  logic [63:0] renew_at_q;
  logic [31:0] half;

  assign half = pfc_cycles(cfg_i.quanta, cfg_i.quantum) >> 1;
  assign on = cfg_i.tx_en != '0 && cfg_i.xoff != '0 && half != '0;
  assign high = on && level_i >= cfg_i.xoff;
  assign low = !on || (level_i <= cfg_i.xon && level_i < cfg_i.xoff);
  assign stop = !valid_q && !stopped_q && high;
  assign resume = !valid_q && stopped_q && low;
  assign renew = !valid_q && stopped_q && !low && now_i >= renew_at_q;

  function automatic axis_beat_t pause_frame(input logic [47:0] mac, input logic [7:0] enabled,
                                             input logic [15:0] quanta);
    pfc_beat_t b;
    b = '0;
    b.eth = '{dst: MAC_PAUSE, src: mac, ethertype: ETHERTYPE_MAC_CONTROL};
    b.opcode = OPCODE_PFC;
    b.enabled = enabled;
    for (int i = 0; i < 8; i++) b.quanta[7-i] = enabled[i] ? quanta : 16'd0;
    return '{err: 1'b0, last: 1'b1, bytes: PFC_FRAME_BYTES, data: wire_order(b)};
  endfunction

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stopped_q <= 1'b0;
      valid_q   <= 1'b0;
    end else begin
      if (stop) stopped_q <= 1'b1;
      if (resume) stopped_q <= 1'b0;
      if (stop || resume || renew) valid_q <= 1'b1;
      else if (frame_ready_i) valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (stop) enabled_q <= cfg_i.tx_en;
    if (stop || renew) renew_at_q <= now_i + 64'(half);
    if (stop || renew || resume) begin
      resume_q <= resume;
      quanta_q <= resume ? '0 : cfg_i.quanta;
    end
  end

  assign frame_o       = valid_q ? pause_frame(net_cfg_i.mac, enabled_q, quanta_q) : '0;
  assign frame_valid_o = valid_q;
  assign pause_o       = valid_q && frame_ready_i && !resume_q;
  assign resume_o      = valid_q && frame_ready_i && resume_q;
  assign quiet_o       = !valid_q && !stop && !resume && !renew;
  assign wake_at_o     = stopped_q ? renew_at_q : TIME_NEVER;

  `PRIM_ASSERT_STREAM(pause_out, frame_valid_o, frame_ready_i, frame_o)

endmodule
