// SPDX-License-Identifier: Apache-2.0
// CRC-32 (reflected polynomial 0xEDB88320) over whole 512-bit beats as XOR masks, and the constants of the RoCEv2 ICRC.
//
// Only whole beats are ever run through the CRC; bytes that do not count are handled with constants:
// - before the packet: the 14 Ethernet bytes are run as zeros, from a start value that is the ICRC seed run backwards;
// - after the packet (receive): a good packet leaves the seed as residue, so with k zero bytes behind it the register is
//   the seed advanced over k zero bytes: a table of 64 values;
// - after the packet (transmit): crc_unwind takes the zero bytes back out of the register.
package prim_crc_pkg;

  localparam logic [31:0] CRC_POLY = 32'hEDB8_8320;
  // Register after the eight 0xFF bytes that stand for the LRH; also the residue over a packet with its right ICRC.
  localparam logic [31:0] ICRC_SEED = 32'hDEBB_20E3;
  localparam int unsigned ICRC_SKIP_BYTES = 14;

  typedef logic [31:0][511:0] crc_masks_t;
  typedef logic [31:0][31:0] crc_matrix_t;  // [j]: what bit j of the register contributes
  typedef logic [63:0][31:0] crc_table_t;
  typedef logic [255:0][31:0] crc_slice_t;

  // One zero bit forwards and backwards.
  function automatic logic [31:0] crc_step(input logic [31:0] s);
    return {1'b0, s[31:1]} ^ (s[0] ? CRC_POLY : 32'd0);
  endfunction

  function automatic logic [31:0] crc_step_back(input logic [31:0] s);
    return s[31] ? {s[30:0] ^ CRC_POLY[30:0], 1'b1} : {s[30:0], 1'b0};
  endfunction

  // Row i: which bits of a beat reach bit i of the register. (Row by row: cheaper to elaborate than one large array.)
  function automatic logic [511:0] make_mask(input logic [4:0] i);
    logic [511:0] row;
    logic [ 31:0] col;
    col = CRC_POLY;
    for (int j = 511; j >= 0; j--) begin
      row[j] = col[i];
      col = crc_step(col);
    end
    return row;
  endfunction

  function automatic crc_masks_t make_masks();
    crc_masks_t masks;
    for (int i = 0; i < 32; i++) masks[i] = make_mask(5'(i));
    return masks;
  endfunction

  function automatic logic [31:0] make_start();
    logic [31:0] s;
    s = ICRC_SEED;
    for (int i = 0; i < 8 * ICRC_SKIP_BYTES; i++) s = crc_step_back(s);
    return s;
  endfunction

  function automatic crc_table_t make_residues();
    crc_table_t t;
    logic [31:0] s;
    s = ICRC_SEED;
    for (int k = 0; k < 64; k++) begin
      t[k] = s;
      for (int i = 0; i < 8; i++) s = crc_step(s);
    end
    return t;
  endfunction

  // Back over `bytes` zero bytes.
  function automatic crc_matrix_t make_unwind(input int bytes);
    crc_matrix_t m;
    logic [31:0] s;
    for (int j = 0; j < 32; j++) begin
      s = 32'd1 << j;
      for (int i = 0; i < 8 * bytes; i++) s = crc_step_back(s);
      m[j] = s;
    end
    return m;
  endfunction

  localparam crc_masks_t CRC_MASKS = make_masks();
  // Start value of a frame whose bytes 0..13 are run as zeros.
  localparam logic [31:0] ICRC_START = make_start();
  // [k]: register after a good packet and k zero bytes.
  localparam crc_table_t ICRC_RESIDUES = make_residues();
  localparam crc_matrix_t UNWIND_1 = make_unwind(1);
  localparam crc_matrix_t UNWIND_2 = make_unwind(2);
  localparam crc_matrix_t UNWIND_4 = make_unwind(4);
  localparam crc_matrix_t UNWIND_8 = make_unwind(8);
  localparam crc_matrix_t UNWIND_16 = make_unwind(16);
  localparam crc_matrix_t UNWIND_32 = make_unwind(32);

  // Register after the 64 bytes of `data`; data[7:0] is the first byte. As hardware has it: 32 trees of XORs.
  function automatic logic [31:0] crc512_rows(input logic [31:0] state, input logic [511:0] data);
    logic [511:0] d;
    logic [ 31:0] next;
    d = data ^ {480'd0, state};
    for (int i = 0; i < 32; i++) next[i] = ^(d & CRC_MASKS[i]);
    return next;
  endfunction

`ifdef SYNTHESIS
  function automatic logic [31:0] crc512(input logic [31:0] state, input logic [511:0] data);
    return crc512_rows(state, data);
  endfunction
`else
  // The same as a processor has it: eight bytes at a time, a table for each. A quarter of the instructions.
  // make_slice(k)[b]: register after byte b and k zero bytes.
  function automatic crc_slice_t make_slice(input int k);
    crc_slice_t t;
    logic [31:0] s;
    for (int b = 0; b < 256; b++) begin
      s = 32'(b);
      for (int i = 0; i < 8 * (k + 1); i++) s = crc_step(s);
      t[b] = s;
    end
    return t;
  endfunction

  localparam crc_slice_t SLICE_0 = make_slice(0);
  localparam crc_slice_t SLICE_1 = make_slice(1);
  localparam crc_slice_t SLICE_2 = make_slice(2);
  localparam crc_slice_t SLICE_3 = make_slice(3);
  localparam crc_slice_t SLICE_4 = make_slice(4);
  localparam crc_slice_t SLICE_5 = make_slice(5);
  localparam crc_slice_t SLICE_6 = make_slice(6);
  localparam crc_slice_t SLICE_7 = make_slice(7);

  function automatic logic [31:0] crc512(input logic [31:0] state, input logic [511:0] data);
    logic [31:0] s, lo, hi;
    s = state;
    for (int i = 0; i < 8; i++) begin
      lo = data[64*i+:32] ^ s;
      hi = data[64*i+32+:32];
      s = SLICE_7[lo[7:0]] ^ SLICE_6[lo[15:8]] ^ SLICE_5[lo[23:16]] ^ SLICE_4[lo[31:24]] ^
          SLICE_3[hi[7:0]] ^ SLICE_2[hi[15:8]] ^ SLICE_1[hi[23:16]] ^ SLICE_0[hi[31:24]];
    end
    return s;
  endfunction
`endif

  function automatic logic [31:0] crc_apply(input crc_matrix_t m, input logic [31:0] state);
    logic [31:0] r;
    r = '0;
    for (int j = 0; j < 32; j++) r = r ^ (state[j] ? m[j] : 32'd0);
    return r;
  endfunction

  // Register as it was k zero bytes (0..63) earlier: six constant matrices in a row. In two halves, for a register
  // between them: crc_unwind = crc_unwind_hi(crc_unwind_lo(state, k[2:0]), k[5:3]).
  function automatic logic [31:0] crc_unwind_lo(input logic [31:0] state, input logic [2:0] k);
    logic [31:0] s;
    s = state;
    if (k[0]) s = crc_apply(UNWIND_1, s);
    if (k[1]) s = crc_apply(UNWIND_2, s);
    if (k[2]) s = crc_apply(UNWIND_4, s);
    return s;
  endfunction

  function automatic logic [31:0] crc_unwind_hi(input logic [31:0] state, input logic [2:0] k);
    logic [31:0] s;
    s = state;
    if (k[0]) s = crc_apply(UNWIND_8, s);
    if (k[1]) s = crc_apply(UNWIND_16, s);
    if (k[2]) s = crc_apply(UNWIND_32, s);
    return s;
  endfunction

  function automatic logic [31:0] crc_unwind(input logic [31:0] state, input logic [5:0] k);
    return crc_unwind_hi(crc_unwind_lo(state, k[2:0]), k[5:3]);
  endfunction

  // First beat of an IPv4 RoCEv2 frame as the ICRC sees it: Ethernet header zero (see ICRC_START); ones in TOS, TTL, IPv4
  // checksum, UDP checksum and byte 4 of the BTH. Later beats count as they are.
  function automatic logic [511:0] icrc_first_beat(input logic [511:0] data);
    logic [511:0] d;
    d = data;
    d[8*14-1:0] = '0;
    d[8*15+:8] = 8'hFF;
    d[8*22+:8] = 8'hFF;
    d[8*24+:16] = 16'hFFFF;
    d[8*40+:16] = 16'hFFFF;
    d[8*46+:8] = 8'hFF;
    return d;
  endfunction

endpackage
