// SPDX-License-Identifier: Apache-2.0
// Answers ARP requests for this node. One reply buffer; the reply is offered in the cycle after the request's last beat.
// Replies are one beat of 60 bytes (zero padded to the Ethernet minimum).
// Bad input: damaged requests are ignored (net_rx has counted them); a request that starts while the last reply still
// waits is dropped, with drop_o in the cycle of its last beat.
`include "prim_assert.svh"
module net_arp
  import axis_pkg::*;
  import net_frame_pkg::*;
  import net_pkg::*;
(
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

  logic [511:0] reply_q;
  logic valid_q, caught_q;
  logic beat, caught, good_end;

  assign beat     = rx_valid_i && (rx_i.kind == KIND_ARP);
  assign caught   = rx_i.sop ? !valid_q : caught_q;
  assign good_end = beat && rx_i.eop && !rx_i.bad;
  assign drop_o   = good_end && !caught;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q  <= 1'b0;
      caught_q <= 1'b0;
    end else begin
      if (tx_valid_o && tx_ready_i) valid_q <= 1'b0;
      if (beat) caught_q <= caught && !rx_i.eop;
      if (good_end && caught) valid_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (beat && rx_i.sop && caught) reply_q <= arp_reply(rx_i.data, cfg_i);
  end

  assign tx_o       = '{err: 1'b0, last: 1'b1, bytes: MIN_FRAME_BYTES, data: reply_q};
  assign tx_valid_o = valid_q;
  assign quiet_o    = !beat && !valid_q;

  `PRIM_ASSERT_STREAM(arp_tx, tx_valid_o, tx_ready_i, tx_o)

endmodule
