// SPDX-License-Identifier: Apache-2.0
// First stage of net_rx: judges the headers in the first beat of a frame, cuts every beat at the end of the packet, and
// forms eight partial sums of the bytes that a UDP or ICMP checksum covers. Latency 1, one beat a cycle, no back-pressure.
// The verdict of the frame is repeated with each of its beats. A frame that ends early fails on the bytes that it has:
// what is missing reads as zero, and `short_ip` comes with its last beat.
`include "prim_assert.svh"
module net_rx_parse
  import axis_pkg::*;
  import net_frame_pkg::*;
  import net_pkg::*;
(
  input logic clk_i,
  input logic rst_i,

  input net_cfg_t cfg_i,

  // From the MAC: the frame starts at byte 0 of a beat
  input axis_beat_t rx_i,
  input logic       rx_valid_i,

  // To net_rx_emit
  output net_parsed_t part_o,
  output logic        part_valid_o,

  output logic quiet_o
);

  net_parsed_t  part_q;
  net_verdict_t frame_q;
  logic part_valid_q, in_frame_q;
  logic [16:0] left_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      part_valid_q <= 1'b0;
      in_frame_q   <= 1'b0;
    end else begin
      part_valid_q <= rx_valid_i;
      if (rx_valid_i) in_frame_q <= !rx_i.last;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rx_valid_i) begin
      automatic net_verdict_t verdict = in_frame_q ? frame_q : net_judge(rx_i.data, rx_i.bytes, cfg_i);
      automatic logic [16:0] left = in_frame_q ? left_q : verdict.packet_bytes;
      automatic logic [6:0] keep = (left < 17'(rx_i.bytes)) ? left[6:0] : rx_i.bytes;
      automatic logic [511:0] data = first_bytes(rx_i.data, keep);
      frame_q         <= verdict;
      left_q          <= (left < 17'd64) ? '0 : left - 17'd64;
      part_q.verdict  <= verdict;
      part_q.sop      <= !in_frame_q;
      part_q.eop      <= rx_i.last;
      part_q.err      <= rx_i.last && rx_i.err;
      part_q.short_ip <= left > 17'(rx_i.bytes);
      part_q.bytes    <= keep;
      part_q.data     <= data;
      if (verdict.sum) part_q.sums <= net_partial_sums(data, !in_frame_q, verdict.kind == KIND_ROCE);
    end
  end

  assign part_o       = part_q;
  assign part_valid_o = part_valid_q;
  assign quiet_o      = !rx_valid_i && !part_valid_q;

  `PRIM_ASSERT(full_beats, !(rx_valid_i && !rx_i.last && rx_i.bytes != 7'd64),
               "only the last beat of a frame may be partly filled")

endmodule
