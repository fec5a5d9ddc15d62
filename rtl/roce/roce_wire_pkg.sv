// SPDX-License-Identifier: Apache-2.0
// RoCEv2 on the wire: header structs in wire order (big-endian), opcodes, syndromes, PSN arithmetic. IBTA vol. 1,
// chapter 9 and annex A17 (RoCEv2).
package roce_wire_pkg;

  typedef struct packed {
    logic [7:0]  opcode;
    logic        se;
    logic        migreq;
    logic [1:0]  padcnt;
    logic [3:0]  tver;
    logic [15:0] pkey;
    logic        fecn;
    logic        becn;
    logic [5:0]  rsv6;
    logic [23:0] dest_qpn;
    logic        ackreq;
    logic [6:0]  rsv7;
    logic [23:0] psn;
  } bth_t;

  typedef struct packed {
    logic [63:0] va;
    logic [31:0] rkey;
    logic [31:0] len;
  } reth_t;

  typedef struct packed {
    logic [7:0]  syndrome;
    logic [23:0] msn;
  } aeth_t;

  typedef struct packed {
    logic [63:0] va;
    logic [31:0] rkey;
    logic [63:0] swap_add;
    logic [63:0] compare;
  } atomic_eth_t;

  typedef struct packed {
    logic [31:0] qkey;
    logic [7:0]  rsv8;
    logic [23:0] src_qpn;
  } deth_t;

  localparam int unsigned BTH_BYTES = 12;
  localparam int unsigned RETH_BYTES = 16;
  localparam int unsigned AETH_BYTES = 4;
  localparam int unsigned ATOMIC_ETH_BYTES = 28;
  localparam int unsigned ATOMIC_ACK_BYTES = 8;
  localparam int unsigned DETH_BYTES = 8;
  localparam int unsigned IMM_BYTES = 4;
  localparam int unsigned ICRC_BYTES = 4;

  // Extension headers of a packet as they stand behind the BTH, first byte on top; the longest is an AtomicETH.
  localparam int unsigned EXT_BITS = 8 * ATOMIC_ETH_BYTES;
  typedef logic [EXT_BITS-1:0] ext_t;

  localparam logic [7:0] OP_SEND_FIRST = 8'h00;
  localparam logic [7:0] OP_SEND_MIDDLE = 8'h01;
  localparam logic [7:0] OP_SEND_LAST = 8'h02;
  localparam logic [7:0] OP_SEND_LAST_IMM = 8'h03;
  localparam logic [7:0] OP_SEND_ONLY = 8'h04;
  localparam logic [7:0] OP_SEND_ONLY_IMM = 8'h05;
  localparam logic [7:0] OP_WRITE_FIRST = 8'h06;
  localparam logic [7:0] OP_WRITE_MIDDLE = 8'h07;
  localparam logic [7:0] OP_WRITE_LAST = 8'h08;
  localparam logic [7:0] OP_WRITE_LAST_IMM = 8'h09;
  localparam logic [7:0] OP_WRITE_ONLY = 8'h0A;
  localparam logic [7:0] OP_WRITE_ONLY_IMM = 8'h0B;
  localparam logic [7:0] OP_READ_REQUEST = 8'h0C;
  localparam logic [7:0] OP_READ_RESP_FIRST = 8'h0D;
  localparam logic [7:0] OP_READ_RESP_MIDDLE = 8'h0E;
  localparam logic [7:0] OP_READ_RESP_LAST = 8'h0F;
  localparam logic [7:0] OP_READ_RESP_ONLY = 8'h10;
  localparam logic [7:0] OP_ACK = 8'h11;
  localparam logic [7:0] OP_ATOMIC_ACK = 8'h12;
  localparam logic [7:0] OP_CMP_SWAP = 8'h13;
  localparam logic [7:0] OP_FETCH_ADD = 8'h14;
  localparam logic [7:0] OP_SEND_LAST_INV = 8'h16;
  localparam logic [7:0] OP_SEND_ONLY_INV = 8'h17;
  localparam logic [7:0] OP_UD_SEND_ONLY = 8'h64;
  localparam logic [7:0] OP_UD_SEND_ONLY_IMM = 8'h65;
  localparam logic [7:0] OP_CNP = 8'h81;

  localparam logic [7:0] SYN_ACK = 8'h1F;  // ACK, no credit information
  localparam logic [2:0] SYN_RNR = 3'b001;  // bits 7:5 of an RNR NAK; the timer code is in bits 4:0
  localparam logic [7:0] SYN_NAK_SEQ = 8'h60;  // PSN sequence error
  localparam logic [7:0] SYN_NAK_INVALID = 8'h61;  // invalid request
  localparam logic [7:0] SYN_NAK_ACCESS = 8'h62;  // remote access error
  localparam logic [7:0] SYN_NAK_OP = 8'h63;  // remote operational error

  // Signed distance a - b of two PSNs, modulo 2^24.
  function automatic logic signed [23:0] psn_diff(input logic [23:0] a, input logic [23:0] b);
    return signed'(a - b);
  endfunction

  function automatic reth_t ext_reth(input ext_t ext);
    return reth_t'(ext >> (EXT_BITS - 8 * RETH_BYTES));
  endfunction

  function automatic aeth_t ext_aeth(input ext_t ext);
    return aeth_t'(ext >> (EXT_BITS - 8 * AETH_BYTES));
  endfunction

  function automatic atomic_eth_t ext_atomic(input ext_t ext);
    return ext;
  endfunction

  function automatic deth_t ext_deth(input ext_t ext);
    return deth_t'(ext >> (EXT_BITS - 8 * DETH_BYTES));
  endfunction

  // Original value behind the AETH of an atomic acknowledge.
  function automatic logic [63:0] ext_original(input ext_t ext);
    return 64'(ext >> (EXT_BITS - 8 * (AETH_BYTES + ATOMIC_ACK_BYTES)));
  endfunction

  // Immediate data: behind the RETH, behind the DETH, or alone.
  function automatic logic [31:0] ext_imm(input logic [7:0] opcode, input ext_t ext);
    unique case (opcode)
      OP_WRITE_ONLY_IMM:   return 32'(ext >> (EXT_BITS - 8 * (RETH_BYTES + IMM_BYTES)));
      OP_UD_SEND_ONLY_IMM: return 32'(ext >> (EXT_BITS - 8 * (DETH_BYTES + IMM_BYTES)));
      default:             return 32'(ext >> (EXT_BITS - 8 * IMM_BYTES));
    endcase
  endfunction

  // What goes back to a requester: acknowledges, READ responses, atomic acknowledges.
  function automatic logic is_response(input logic [7:0] opcode);
    return opcode inside {[OP_READ_RESP_FIRST : OP_ATOMIC_ACK]};
  endfunction

endpackage
