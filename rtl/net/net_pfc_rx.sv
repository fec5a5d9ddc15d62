// SPDX-License-Identifier: Apache-2.0
// Obeys pause frames: watches the MAC's receive stream beside net_rx (which drops them as frames of no known ethertype).
// paused_o[p] is 1 from 2 cycles after the frame's beat until the pause's time has passed, counted from that beat: a time of n
// quanta is ceil(n * quantum) cycles. A new frame replaces the times of the priorities that it enables; time 0 ends a pause.
// Bad input: anything but a good one-beat frame to 01:80:C2:00:00:01 with ethertype 0x8808 and opcode 0x0101 is ignored, and so
// are priorities that rx_en does not name. No back-pressure: one frame a cycle. wake_at_o: the last cycle of the
// next pause to end; quiet_o while merely waiting for it.
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
  logic [7:0] enabled_q, paused_q;
  logic [7:0][31:0] cycles_q;
  logic [63:0] arrival_q, next, first_end_q;  // first_end_q: of the pauses that last
  logic ends;  // this is a pause's last cycle
  logic [7:0][63:0] until_q;

  assign next = now_i + 64'd1;
  assign ends = next >= first_end_q;
  assign wake_at_o = (first_end_q == TIME_NEVER) ? TIME_NEVER : first_end_q - 64'd1;
  assign paused_o = paused_q;
  assign pause_o = hit_q;
  assign quiet_o = !mac_rx_valid_i && !hit_q && !ends;

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
    end else begin
      if (mac_rx_valid_i) in_frame_q <= !mac_rx_i.last;
      hit_q <= mac_rx_valid_i && !in_frame_q && is_pause(mac_rx_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (mac_rx_valid_i && !in_frame_q && is_pause(mac_rx_i)) begin
      automatic logic [7:0][15:0] quanta = quanta_of(mac_rx_i);
      enabled_q <= enabled_of(mac_rx_i);
      for (int i = 0; i < 8; i++) cycles_q[i] <= pfc_cycles(quanta[7-i], cfg_i.quantum);
      arrival_q <= now_i;
    end
  end

  function automatic logic [63:0] earliest(input logic [7:0][63:0] t);
    return time_min(time_min(time_min(t[0], t[1]), time_min(t[2], t[3])),
                    time_min(time_min(t[4], t[5]), time_min(t[6], t[7])));
  endfunction

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      paused_q    <= '0;
      first_end_q <= TIME_NEVER;
    end else if (hit_q || ends) begin
      automatic logic [7:0] paused = paused_q;
      automatic logic [7:0][63:0] lasting = '1;
      for (int i = 0; i < 8; i++) begin
        automatic logic [63:0] until_d = until_q[i];
        if (hit_q && enabled_q[i] && cfg_i.rx_en[i]) begin
          until_d   = arrival_q + 64'(cycles_q[i]);
          paused[i] = 1'b1;
        end
        if (next >= until_d) paused[i] = 1'b0;
        if (paused[i]) lasting[i] = until_d;
        until_q[i] <= until_d;
      end
      paused_q    <= paused;
      first_end_q <= earliest(lasting);
    end
  end

endmodule
