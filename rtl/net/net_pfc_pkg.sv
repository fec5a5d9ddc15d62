// SPDX-License-Identifier: Apache-2.0
// Priority flow control (IEEE 802.1Qbb): frame layout, registers.
package net_pfc_pkg;
  import net_pkg::*;

  localparam logic [47:0] MAC_PAUSE = 48'h0180_C200_0001;
  localparam logic [15:0] ETHERTYPE_MAC_CONTROL = 16'h8808;
  localparam logic [15:0] OPCODE_PFC = 16'h0101;
  localparam logic [6:0] PFC_BYTES = 7'd34;  // header to the last time
  localparam logic [6:0] PFC_FRAME_BYTES = 7'd60;

  // The one beat of a pause frame in wire order. quanta: in units of 512 bit times, priority 0 first, that is quanta[7].
  typedef struct packed {
    eth_hdr_t         eth;
    logic [15:0]      opcode;
    logic [7:0]       rsv;
    logic [7:0]       enabled;  // bit p: the time of priority p counts
    logic [7:0][15:0] quanta;
    logic [239:0]     pad;
  } pfc_beat_t;

  // Registers of net_pfc_csr.
  typedef struct packed {
    logic [7:0]  rx_en;    // priorities whose pauses are obeyed
    logic [7:0]  tx_en;    // priorities that are paused when the receive FIFO fills
    logic [2:0]  tx_prio;  // priority of what RoCE sends
    logic [15:0] xoff;     // FIFO level in beats from which on senders are paused; 0: never
    logic [15:0] xon;      // level at which they go on, below xoff
    logic [15:0] quanta;   // of a pause; renewed at half of it
    logic [23:0] quantum;  // cycles of 512 bit times, 8.16
  } net_pfc_cfg_t;

  // Cycles of 512 bit times on the line, rounded up.
  function automatic logic [23:0] pfc_quantum(input int unsigned cycles_per_us, input int unsigned line_gbps);
    return 24'((64'd512 * 64'(cycles_per_us) * 64'd65536 + 64'(line_gbps) * 64'd1000 - 64'd1) /
               (64'(line_gbps) * 64'd1000));
  endfunction

  // Cycles of a time in quanta, rounded up.
  function automatic logic [31:0] pfc_cycles(input logic [15:0] quanta, input logic [23:0] quantum);
    logic [39:0] product;
    product = 40'(quanta) * 40'(quantum) + 40'h00_0000_FFFF;
    return {8'd0, product[39:16]};
  endfunction

  // One-cycle event pulses.
  typedef struct packed {
    logic rx_pause;   // pause frames received
    logic tx_pause;   // pause frames sent
    logic tx_resume;  // pause frames of time 0 sent
  } net_pfc_stats_t;

  // Register offsets (addr[11:0]) in block 1, behind those of net_pkg.
  localparam logic [11:0] CSR_PFC_CTRL = 12'h040;  // {tx_prio[18:16] tx_en[15:8] rx_en[7:0]}, reset value 0
  localparam logic [11:0] CSR_PFC_LEVEL = 12'h044;  // {xon[31:16] xoff[15:0]}
  localparam logic [11:0] CSR_PFC_QUANTA = 12'h048;  // reset value 0xFFFF
  localparam logic [11:0] CSR_PFC_QUANTUM = 12'h04C;  // reset value: 512 bit times at the MAC's rate

endpackage
