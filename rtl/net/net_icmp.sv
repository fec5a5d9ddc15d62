// SPDX-License-Identifier: Apache-2.0
// Answers ICMP echo requests: addresses swapped, type 0, TTL 64, both checksums right, data as it came.
// Requests wait in a queue of MaxBytes; the first beat of a reply is offered 3 cycles after the last beat of its request
// when nothing is before it, then one beat a cycle. Replies are padded with zeros to 60 bytes.
// Bad input: damaged requests are taken back (net_rx has counted them); a request that the queue has no room for, as a
// whole larger than MaxBytes or behind others, is dropped with drop_o in the cycle of its last beat.
`include "prim_assert.svh"
module net_icmp
  import axis_pkg::*;
  import net_frame_pkg::*;
  import net_pkg::*;
  import prim_pkg::*;
#(
  parameter int unsigned MaxBytes = 2048  // a multiple of 64
) (
  input logic clk_i,
  input logic rst_i,

  input net_cfg_t cfg_i,

  // From net_rx
  input net_rx_beat_t rx_i,
  input logic         rx_valid_i,

  // To net_tx
  output axis_beat_t tx_o,
  output logic       tx_valid_o,
  input  logic       tx_ready_i,

  output logic drop_o,
  output logic quiet_o
);

  logic beat, store, overflow, overflowed_q, good_end, commit;
  logic fifo_valid, fifo_ready;
  logic [511:0] fifo_data;
  logic [cnt_width(MaxBytes / BEAT_BYTES + 1)-1:0] waiting;
  logic [16:0] left_q;
  logic in_reply_q, out_valid_q;
  axis_beat_t out_q;

  assign beat     = rx_valid_i && (rx_i.kind == KIND_ICMP);
  assign store    = beat && (rx_i.bytes != '0) && !overflowed_q;
  assign good_end = beat && rx_i.eop && !rx_i.bad;
  assign commit   = good_end && !overflowed_q && !overflow;
  assign drop_o   = good_end && !commit;

  // Lengths are not stored: the IP header in a request's first beat has them.
  prim_fifo_pkt #(
    .T    (logic [511:0]),
    .Depth(MaxBytes / BEAT_BYTES)
  ) u_queue (
    .clk_i,
    .rst_i,
    .data_i    (rx_i.data),
    .valid_i   (store),
    .commit_i  (commit),
    .rollback_i(beat && rx_i.eop && !commit),
    .room_o    (),
    .overflow_o(overflow),
    .data_o    (fifo_data),
    .valid_o   (fifo_valid),
    .ready_i   (fifo_ready),
    .count_o   (waiting)
  );

  assign fifo_ready = !out_valid_q || tx_ready_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      overflowed_q <= 1'b0;
      in_reply_q   <= 1'b0;
      out_valid_q  <= 1'b0;
    end else begin
      if (beat) overflowed_q <= !rx_i.eop && (overflowed_q || overflow);
      if (fifo_ready) out_valid_q <= fifo_valid;
      if (fifo_ready && fifo_valid) in_reply_q <= (in_reply_q ? left_q : ip_frame_bytes(fifo_data)) > 17'd64;
    end
  end

  always_ff @(posedge clk_i) begin
    if (fifo_ready && fifo_valid) begin
      automatic logic [16:0] left = in_reply_q ? left_q : ip_frame_bytes(fifo_data);
      left_q     <= left - 17'd64;
      out_q.err  <= 1'b0;
      out_q.last <= left <= 17'd64;
      if (left > 17'd64) out_q.bytes <= 7'd64;
      else if (!in_reply_q && left < 17'(MIN_FRAME_BYTES)) out_q.bytes <= MIN_FRAME_BYTES;
      else out_q.bytes <= left[6:0];
      out_q.data <= in_reply_q ? fifo_data : icmp_reply(fifo_data, cfg_i);
    end
  end

  assign tx_o       = out_q;
  assign tx_valid_o = out_valid_q;
  assign quiet_o    = !beat && (waiting == '0) && !out_valid_q;

  `PRIM_ASSERT_STREAM(icmp_tx, tx_valid_o, tx_ready_i, tx_o)

endmodule
