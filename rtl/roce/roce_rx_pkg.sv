// SPDX-License-Identifier: Apache-2.0
// Types between the modules of the receive half: what an opcode means, table rows, and the stages of the responder.
package roce_rx_pkg;
  import roce_pkg::*;
  import roce_wire_pkg::*;

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

  // What a packet is for the responder.
  typedef enum logic [2:0] {
    REQ_NONE   = 3'd0,  // nothing: opcodes without meaning here
    REQ_WRITE  = 3'd1,
    REQ_SEND   = 3'd2,
    REQ_READ   = 3'd3,
    REQ_ATOMIC = 3'd4,
    REQ_UD     = 3'd5,  // datagram
    REQ_CNP    = 3'd6
  } req_kind_e;

  typedef struct packed {
    req_kind_e kind;
    logic      first;    // begins a message
    logic      last;     // ends one
    logic      imm;      // with immediate data
    logic      refused;  // legal, not served: SEND with invalidate
  } req_op_t;

  function automatic req_op_t req_op(input logic [7:0] opcode);
    req_op_t op;
    op = '0;
    op.first = !(opcode inside {OP_SEND_MIDDLE, OP_SEND_LAST, OP_SEND_LAST_IMM, OP_SEND_LAST_INV, OP_WRITE_MIDDLE,
                                OP_WRITE_LAST, OP_WRITE_LAST_IMM});
    op.last = !(opcode inside {OP_SEND_FIRST, OP_SEND_MIDDLE, OP_WRITE_FIRST, OP_WRITE_MIDDLE});
    op.imm = opcode inside {OP_SEND_LAST_IMM, OP_SEND_ONLY_IMM, OP_WRITE_LAST_IMM, OP_WRITE_ONLY_IMM,
                            OP_UD_SEND_ONLY_IMM};
    op.refused = opcode inside {OP_SEND_LAST_INV, OP_SEND_ONLY_INV};
    unique case (opcode)
      OP_WRITE_FIRST, OP_WRITE_MIDDLE, OP_WRITE_LAST, OP_WRITE_LAST_IMM, OP_WRITE_ONLY, OP_WRITE_ONLY_IMM:
      op.kind = REQ_WRITE;
      OP_SEND_FIRST, OP_SEND_MIDDLE, OP_SEND_LAST, OP_SEND_LAST_IMM, OP_SEND_ONLY, OP_SEND_ONLY_IMM,
      OP_SEND_LAST_INV, OP_SEND_ONLY_INV:
      op.kind = REQ_SEND;
      OP_READ_REQUEST: op.kind = REQ_READ;
      OP_CMP_SWAP, OP_FETCH_ADD: op.kind = REQ_ATOMIC;
      OP_UD_SEND_ONLY, OP_UD_SEND_ONLY_IMM: op.kind = REQ_UD;
      OP_CNP: op.kind = REQ_CNP;
      default: op.kind = REQ_NONE;
    endcase
    return op;
  endfunction

  // Does the packet need a receive buffer?
  function automatic logic takes_buffer(input req_op_t op);
    return op.kind == REQ_SEND || op.kind == REQ_UD || (op.kind == REQ_WRITE && op.imm);
  endfunction

  // Room for the GRH in front of a datagram; it is not written.
  localparam int unsigned GRH_BYTES = 40;

  // Responder's state of a QP. Read, decided on and written back-to-back (prim_ram_row).
  typedef struct packed {
    logic [23:0] epsn;      // expected PSN
    logic [23:0] msn;       // messages completed
    logic        nak_sent;  // a sequence NAK is out: silence until an in-order packet comes
    logic        active;    // between FIRST and LAST of a message
    logic        send;      // which is a SEND, else a WRITE
    rd_no_t      rd_no;     // newest READ or atomic; 0: none
  } resp_row_t;

  // The message that is in progress; valid while `active`.
  typedef struct packed {
    logic [31:0] rkey;  // WRITE
    logic [63:0] va;    // WRITE: of the next byte
    logic [31:0] left;  // WRITE: bytes still to come
    logic [31:0] done;  // bytes so far
  } resp_msg_t;

  // A posted receive buffer, in the queue of its QP.
  typedef struct packed {
    logic [31:0] wr_id;
    logic [63:0] addr;
    logic [31:0] len;
  } rq_entry_t;

  // Completion of a receive, to be told when the payload writer has done what it was given before.
  typedef struct packed {
    wr_no_t  tag;
    rq_cpl_t cpl;
  } rq_done_t;

  // A packet after everything that does not depend on the responder row was checked.
  typedef struct packed {
    req_op_t     op;
    logic [23:0] qpn;
    logic [23:0] psn;
    logic        ackreq;
    logic        ce;
    logic [12:0] len;
    logic        qp_ok;      // QPN in range, the QP receives in its state
    logic        peer_ok;    // source address is the QP's peer; datagrams: from anywhere
    logic        svc_ok;     // opcode of the QP's service
    logic        qkey_ok;    // datagrams
    logic        shape_ok;   // lengths fit opcode, path MTU, message and address class
    logic        access_ok;  // rkey, bounds, flags, protection domain, class
    logic        rq_ok;      // there is a receive buffer
    logic        rq_fits;    // and the packet fits in
    logic [4:0]  min_rnr;
    rx_target_e  target;
    logic [63:0] addr;       // class bits cleared
    resp_msg_t   msg_next;   // message state after this packet
    logic [23:0] packets;    // PSNs that it takes
    rq_cpl_t     cpl;        // completion of the receive, if it ends well here
    rd_evt_t     rd;         // READ, atomic; dup, msn and tag are still to be set
  } resp_pkt_t;

  // What happens to a packet.
  typedef struct packed {
    resp_row_t      row;
    logic           row_we;
    logic           msg_we;
    logic           fail;          // the QP's responder fails
    rx_target_e     target;
    logic           rd;            // READ or atomic to be answered
    logic           rd_dup;
    logic           rq_pop;        // the receive buffer at the head is used up, and completed with:
    cpl_status_e    rq_status;
    logic           ack;           // an acknowledge event with:
    logic [23:0]    ack_psn;
    logic [7:0]     ack_syndrome;
    logic [23:0]    ack_msn;
    roce_rx_stats_t stats;
  } resp_verdict_t;

endpackage
