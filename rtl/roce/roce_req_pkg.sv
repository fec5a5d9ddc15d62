// SPDX-License-Identifier: Apache-2.0
// Rows and helpers shared by the modules of the send side's control half (roce_sq*, roce_req*, roce_retry).
package roce_req_pkg;

  // A work request in its queue. laddr has the class bits cleared; src says where the payload is or, for READ and atomics,
  // where what comes back goes (none: nowhere).
  typedef struct packed {
    roce_pkg::verb_op_e op;
    roce_pkg::tx_src_e  src;
    logic               signaled;
    logic               solicited;
    logic               has_imm;
    logic [31:0]        imm;
    logic [31:0]        wr_id;
    logic [31:0]        len;
    logic [63:0]        laddr;
    logic [63:0]        raddr;
    logic [31:0]        rkey;
    logic [511:0]       data;
  } sq_wr_t;

  // What a packet needs from the context of its queue pair.
  typedef struct packed {
    roce_pkg::pmtu_t pmtu;
    logic [4:0]      timeout;
    logic [23:0]     dest_qpn;
    logic [7:0]      neigh;
    logic [15:0]     sport;
  } sq_qpc_t;

  // What a response or a timer needs from it.
  typedef struct packed {
    logic [31:0] peer_ip;
    logic [4:0]  timeout;
    logic [2:0]  retry_limit;
    logic [2:0]  rnr_retry;
  } req_qpc_t;

  localparam logic [2:0] RNR_ENDLESS = 3'd7;  // rnr_retry without a limit

  // READs and atomics of a QP that may be in flight: what a responder remembers for duplicates.
  localparam int unsigned RD_ATOMIC = 16;
  typedef logic [4:0] rd_count_t;  // of them since the QP was created, modulo 32

  // What the requester works on, and what of a response it judges.
  typedef enum logic [2:0] {
    EvResponse,
    EvTimer,
    EvError,
    EvFlush,     // software took the QP out of service
    EvResume,    // software brought it back from SQD
    EvMemory     // a memory error (mem_fail_t)
  } req_event_e;
  typedef struct packed {
    req_event_e  kind;
    logic        in_range;  // the QPN exists
    logic        own;       // EvMemory: of the payload of our packet psn
    logic [31:0] src_ip;
    logic [23:0] psn;
    logic [7:0]  opcode;
    logic [7:0]  syndrome;
    logic [63:0] orig;      // ATOMIC_ACK
    logic [12:0] len;       // payload bytes
  } req_event_t;

  // Row of a QP (see roce_req_rows) and the writes to it.
  typedef struct packed {
    logic [23:0] una;
    logic [2:0]  retries;
    logic [2:0]  rnr_retries;
    logic        live;
    logic        err;
    logic        rnr;
    logic        naked;
  } req_row_t;
  typedef struct packed {
    logic                  una_we;
    logic [23:0]           una;
    logic                  retries_we;
    logic [2:0]            retries;
    logic                  rnr_retries_we;
    logic [2:0]            rnr_retries;
    logic                  rd_done;         // one READ request or atomic is answered, or flushed
    logic                  fail_we;
    roce_pkg::cpl_status_e fail;
    logic                  set_err;
    logic                  set_rnr;
    logic                  clear_rnr;
    logic                  set_naked;
    logic                  clear_naked;
  } req_write_t;

  // What the PSN of a packet in flight waits for. Every response packet of a READ has a PSN and so a row of its own.
  typedef enum logic [1:0] {
    RowData,   // SEND, WRITE: an acknowledge of this PSN or a later one
    RowRead,   // its READ response
    RowAtomic  // its atomic acknowledge
  } row_kind_e;

  // Packets in flight, keyed by {qpn, psn % Window}: the part that completes work requests ...
  typedef struct packed {
    row_kind_e            kind;
    logic                 last;      // of its work request
    logic                 rd_end;    // of its READ request; atomics
    logic                 signaled;
    logic [31:0]          wr_id;
    roce_pkg::rx_target_e target;    // READ, atomics: where the data of this row goes
    logic [63:0]          addr;
    logic [12:0]          len;
  } meta_cpl_t;

  // ... and the part that builds the packet once more. A row of a READ asks for itself and the rest of its request.
  typedef struct packed {
    logic [7:0]          opcode;
    logic                se;
    logic                ackreq;
    roce_wire_pkg::ext_t ext;
    logic [12:0]         len;
    logic [7:0]          rows;    // that it covers: 1 but for READ
  } meta_pkt_t;

  // Local ACK timeout 4.096 us * 2^code in cycles (code 0 means off: do not call).
  function automatic logic [63:0] ack_timeout(input logic [4:0] code, input int unsigned cycles_per_us);
    return 64'((64'd4096 * 64'(cycles_per_us) + 64'd999) / 64'd1000) << code;
  endfunction

  // RNR timer of an RNR NAK's code, in units of 10 us: 1, 2, 3, 4, 6, 8, 12, ... 49152 for codes 1 to 31; code 0: 65536.
  function automatic logic [16:0] rnr_units(input logic [4:0] code);
    if (code == 5'd0) return 17'd65536;
    if (code == 5'd1) return 17'd1;
    return (code[0] ? 17'd3 : 17'd2) << ((code >> 1) - 5'd1);
  endfunction

  function automatic logic [63:0] rnr_timeout(input logic [4:0] code, input int unsigned cycles_per_us);
    return 64'(rnr_units(code)) * (64'd10 * 64'(cycles_per_us));
  endfunction

endpackage
