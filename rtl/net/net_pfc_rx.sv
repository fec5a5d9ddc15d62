// SPDX-License-Identifier: Apache-2.0
// Obeys pause frames: watches the MAC's receive stream beside net_rx (which drops them as frames of no known ethertype).
// paused_o[p] is 1 from 2 cycles after the frame's beat until the pause's time has passed, counted from that beat: a time of n
// quanta is ceil(n * quantum) cycles. A new frame replaces the times of the priorities that it enables; time 0 ends a pause.
// Bad input: anything but a good one-beat frame to 01:80:C2:00:00:01 with ethertype 0x8808 and opcode 0x0101 is ignored, and so
// are priorities that rx_en does not name. No back-pressure: one frame a cycle. wake_at_o: the next pause's end; quiet_o
// while merely waiting for it.
module net_pfc_rx
  import axis_pkg::*;
  import net_pfc_pkg::*;
  import prim_pkg::*;
(
  input logic clk_i,
  input logic rst_i,

  input logic         [63:0] now_i,
  input net_pfc_cfg_t        cfg_i,

  // From the MAC, watched
  input axis_beat_t mac_rx_i,
  input logic       mac_rx_valid_i,

  output logic [7:0] paused_o,
  // rx_pause of net_pfc_stats_t
  output logic       pause_o,

  output logic        quiet_o,
  output logic [63:0] wake_at_o
);

  logic in_frame_q, hit_q;
  logic [7:0] enabled_q, active_q, expired;
  logic [7:0][15:0] quanta_q;
  logic [63:0] arrival_q;
  logic [7:0][63:0] until_q;

  always_comb begin
    expired   = '0;
    wake_at_o = TIME_NEVER;
    if (active_q != '0) begin
      for (int i = 0; i < 8; i++) begin
        if (active_q[i]) begin
          expired[i] = now_i >= until_q[i];
          wake_at_o  = time_min(wake_at_o, until_q[i]);
        end
      end
    end
  end

  assign paused_o = active_q & ~expired;
  assign pause_o  = hit_q;
  assign quiet_o  = !mac_rx_valid_i && !hit_q && expired == '0;

  function automatic logic is_pause(input axis_beat_t beat);
    pfc_beat_t b;
    b = wire_order(beat.data);
    return beat.last && !beat.err && beat.bytes >= PFC_BYTES && b.eth.dst == MAC_PAUSE &&
           b.eth.ethertype == ETHERTYPE_MAC_CONTROL && b.opcode == OPCODE_PFC;
  endfunction

  function automatic logic [7:0] enabled_of(input axis_beat_t beat);
    pfc_beat_t b;
    b = wire_order(beat.data);
    return b.enabled;
  endfunction

  function automatic logic [7:0][15:0] quanta_of(input axis_beat_t beat);
    pfc_beat_t b;
    b = wire_order(beat.data);
    return b.quanta;
  endfunction

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      in_frame_q <= 1'b0;
      hit_q      <= 1'b0;
      active_q   <= '0;
    end else begin
      if (mac_rx_valid_i) in_frame_q <= !mac_rx_i.last;
      hit_q <= mac_rx_valid_i && !in_frame_q && is_pause(mac_rx_i);
      active_q <= (active_q & ~expired) | ((hit_q ? enabled_q : '0) & cfg_i.rx_en);
    end
  end

  always_ff @(posedge clk_i) begin
    if (mac_rx_valid_i && !in_frame_q && mac_rx_i.last) begin
      enabled_q <= enabled_of(mac_rx_i);
      quanta_q  <= quanta_of(mac_rx_i);
      arrival_q <= now_i;
    end
    if (hit_q) begin
      for (int i = 0; i < 8; i++) begin
        if (enabled_q[i]) until_q[i] <= arrival_q + 64'(pfc_cycles(quanta_q[7-i], cfg_i.quantum));
      end
    end
  end

endmodule
