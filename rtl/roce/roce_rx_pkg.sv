// SPDX-License-Identifier: Apache-2.0
// Types between the modules of the receive half: what an opcode means, table rows, and the stages of the responder.
package roce_rx_pkg;
  import roce_pkg::*;

  // What the parser must know of an opcode. Those of other transports and reserved ones are not `known`. A CNP has 16 zero
  // bytes, which count as an extension header.
  typedef struct packed {
    logic       known;
    logic       payload;    // payload may follow
    logic [4:0] ext_bytes;  // extension headers
  } op_shape_t;

  function automatic op_shape_t op_shape(input logic [7:0] opcode);
    unique case (opcode)
      OP_SEND_FIRST, OP_SEND_MIDDLE, OP_SEND_LAST, OP_SEND_ONLY, OP_WRITE_MIDDLE, OP_WRITE_LAST, OP_READ_RESP_MIDDLE:
      return '{known: 1'b1, payload: 1'b1, ext_bytes: 5'd0};
      OP_SEND_LAST_IMM, OP_SEND_ONLY_IMM, OP_SEND_LAST_INV, OP_SEND_ONLY_INV, OP_WRITE_LAST_IMM,
      OP_READ_RESP_FIRST, OP_READ_RESP_LAST, OP_READ_RESP_ONLY:
      return '{known: 1'b1, payload: 1'b1, ext_bytes: 5'd4};
      OP_WRITE_FIRST, OP_WRITE_ONLY: return '{known: 1'b1, payload: 1'b1, ext_bytes: 5'd16};
      OP_WRITE_ONLY_IMM: return '{known: 1'b1, payload: 1'b1, ext_bytes: 5'd20};
      OP_READ_REQUEST: return '{known: 1'b1, payload: 1'b0, ext_bytes: 5'd16};
      OP_ACK: return '{known: 1'b1, payload: 1'b0, ext_bytes: 5'd4};
      OP_ATOMIC_ACK: return '{known: 1'b1, payload: 1'b0, ext_bytes: 5'd12};
      OP_CMP_SWAP, OP_FETCH_ADD: return '{known: 1'b1, payload: 1'b0, ext_bytes: 5'd28};
      OP_UD_SEND_ONLY: return '{known: 1'b1, payload: 1'b1, ext_bytes: 5'd8};
      OP_UD_SEND_ONLY_IMM: return '{known: 1'b1, payload: 1'b1, ext_bytes: 5'd12};
      OP_CNP: return '{known: 1'b1, payload: 1'b0, ext_bytes: 5'd16};
      default: return '{known: 1'b0, payload: 1'b0, ext_bytes: 5'd0};
    endcase
  endfunction

  // What a request is for the responder.
  typedef enum logic [2:0] {
    REQ_NONE   = 3'd0,  // no request: responses, ACKs, opcodes without meaning here
    REQ_FIRST  = 3'd1,  // WRITE, by place in the message
    REQ_MIDDLE = 3'd2,
    REQ_LAST   = 3'd3,
    REQ_ONLY   = 3'd4,
    REQ_DATA   = 3'd5,  // SEND, WRITE with immediate: legal, not served by this endpoint; acknowledged when repeated
    REQ_QUERY  = 3'd6   // READ, atomic: legal, not served by this endpoint; dropped when repeated
  } req_kind_e;

  function automatic req_kind_e req_kind(input logic [7:0] opcode);
    unique case (opcode)
      OP_WRITE_FIRST: return REQ_FIRST;
      OP_WRITE_MIDDLE: return REQ_MIDDLE;
      OP_WRITE_LAST: return REQ_LAST;
      OP_WRITE_ONLY: return REQ_ONLY;
      OP_SEND_FIRST, OP_SEND_MIDDLE, OP_SEND_LAST, OP_SEND_LAST_IMM, OP_SEND_ONLY, OP_SEND_ONLY_IMM,
      OP_SEND_LAST_INV, OP_SEND_ONLY_INV, OP_WRITE_LAST_IMM, OP_WRITE_ONLY_IMM:
      return REQ_DATA;
      OP_READ_REQUEST, OP_CMP_SWAP, OP_FETCH_ADD: return REQ_QUERY;
      default: return REQ_NONE;
    endcase
  endfunction

  // Responder's state of a QP. Read, decided on and written back-to-back (prim_ram_row).
  typedef struct packed {
    logic [23:0] epsn;      // expected PSN
    logic [23:0] msn;       // messages completed
    logic        nak_sent;  // a sequence NAK is out: silence until an in-order packet comes
    logic        active;    // between FIRST and LAST of a WRITE
  } resp_row_t;

  // Rest of the WRITE that is in progress; valid while `active`.
  typedef struct packed {
    logic [31:0] rkey;
    logic [63:0] va;    // of the next byte
    logic [31:0] left;  // bytes still to come
  } resp_msg_t;

  // A packet after everything that does not depend on the responder row was checked.
  typedef struct packed {
    req_kind_e   kind;
    logic [23:0] qpn;
    logic [23:0] psn;
    logic        ackreq;
    logic [12:0] len;
    logic        qp_ok;      // QPN in range, the QP receives in its state
    logic        peer_ok;    // source address is the QP's peer
    logic        shape_ok;   // lengths fit opcode, path MTU, message and address class
    logic        access_ok;  // rkey, bounds, flags, protection domain, class; or a zero-length WRITE
    rx_target_e  target;
    logic [63:0] addr;       // class bits cleared
    resp_msg_t   msg_next;   // message state after this packet
  } resp_pkt_t;

  // What happens to a packet.
  typedef struct packed {
    resp_row_t      row;
    logic           row_we;
    logic           msg_we;
    logic           fail;          // the QP's responder fails
    rx_target_e     target;
    logic           ack;           // an acknowledge event with:
    logic [23:0]    ack_psn;
    logic [7:0]     ack_syndrome;
    logic [23:0]    ack_msn;
    roce_rx_stats_t stats;
  } resp_verdict_t;

endpackage
