// SPDX-License-Identifier: Apache-2.0
// Table rows of the RoCEv2 endpoint and the streams between its modules. Headers and opcodes: roce_wire_pkg.
package roce_pkg;

  import roce_wire_pkg::*;

  // ---- Addresses: VA bits 63:60 select the target (protocols A-01) ------------------------------------------------

  localparam logic [3:0] CLASS_HBM = 4'd0;
  localparam logic [3:0] CLASS_RPC = 4'd3;
  localparam logic [3:0] CLASS_HOST = 4'd8;

  // ---- Configuration rows, written by software through roce_csr ---------------------------------------------------

  typedef enum logic [2:0] {
    QP_RESET = 3'd0,
    QP_INIT  = 3'd1,
    QP_RTR   = 3'd2,  // receives
    QP_RTS   = 3'd3,  // receives and sends
    QP_SQD   = 3'd4,
    QP_ERR   = 3'd5
  } qp_state_e;

  // Path MTU code: 256 << code bytes, code 0..4 (256..4096).
  typedef logic [2:0] pmtu_t;

  function automatic logic [12:0] pmtu_bytes(input pmtu_t code);
    return 13'd256 << code;
  endfunction

  typedef enum logic {
    SVC_RC = 1'b0,
    SVC_UD = 1'b1
  } qp_service_e;

  // Congestion control of a queue pair.
  typedef enum logic [1:0] {
    CC_NONE   = 2'd0,
    CC_DCQCN  = 2'd1,
    CC_TIMELY = 2'd2
  } cc_mode_e;

  // Queue pair context. Written by software only; every module that needs it keeps its own copy. An error condition that
  // the hardware finds is a bit of the responder's and of the requester's own row.
  typedef struct packed {
    qp_state_e   state;
    pmtu_t       pmtu;
    logic [4:0]  timeout;      // local ACK timeout 4.096 us * 2^n, 0 = off
    logic [2:0]  retry_limit;
    logic [2:0]  rnr_retry;    // RNR NAKs without progress before the QP fails; 7 = endless
    logic [4:0]  min_rnr;      // timer code of the RNR NAKs that this QP sends
    qp_service_e svc;
    cc_mode_e    cc;
    logic        write_en;     // remote WRITE allowed
    logic        read_en;      // remote READ allowed
    logic        atomic_en;    // remote atomics allowed
    logic [23:0] dest_qpn;
    logic [7:0]  neigh;        // row of the neighbour table: where this QP sends to
    logic [31:0] peer_ip;      // packets from any other source address are dropped
    logic [15:0] sport;        // UDP source port of what this QP sends
    logic [15:0] pd;           // protection domain
    logic [31:0] qkey;         // UD: what a datagram must carry
  } qpc_t;

  // Memory region; index = rkey[31:8], key = rkey[7:0].
  typedef struct packed {
    logic        valid;
    logic        write_en;
    logic        read_en;
    logic        atomic_en;
    logic [7:0]  key;
    logic [15:0] pd;
    logic [63:0] first;      // VA of the first byte
    logic [63:0] last;       // VA of the last byte, >= first (a region may end at 2^64 - 1)
  } region_t;

  // One table write, broadcast by roce_csr. It is held until every consumer is ready in the same cycle; in that cycle
  // (`go`) it happens everywhere at once. `init` (QP only): the QP is created anew: all dynamic state is set from sq_psn
  // and rq_psn, pending work of the QP is dropped, stale packets do not match any more.
  typedef struct packed {
    logic        is_region;  // else a QP
    logic        init;
    logic [23:0] index;      // QPN or region number
    qpc_t        qpc;
    logic [23:0] sq_psn;     // first PSN to send
    logic [23:0] rq_psn;     // first PSN to expect
    region_t     region;
  } roce_cfg_t;

  // The row of a QP that an endpoint with this many has.
  function automatic logic is_qp_row(input roce_cfg_t cfg, input int unsigned num_qps);
    return !cfg.is_region && 32'(cfg.index) < num_qps;
  endfunction

  // The same, and the QP begins a new life.
  function automatic logic is_new_qp(input roce_cfg_t cfg, input int unsigned num_qps);
    return is_qp_row(cfg, num_qps) && cfg.init;
  endfunction

  // Global registers.
  typedef struct packed {
    logic [63:0] ring_base;     // HBM byte address of the retransmission rings; slot of (qpn, psn):
                                // ring_base + ((qpn * Window + psn % Window) << 12)
    logic [7:0]  ackreq_every;  // AckReq also on every n-th packet of a QP (1..255; 0: on last packets only)
    logic        icrc_check;    // 0: received ICRCs are not checked
  } roce_glb_t;

  // Register offsets (addr[11:0]) of block 2. DATA words are staged; a write to CMD takes them.
  // QP: W0 {cc[27:26] svc[25] min_rnr[24:20] rnr_retry[19:17] atomic_en[16] read_en[15] write_en[14] retry_limit[13:11] timeout[10:6] pmtu[5:3] state[2:0]},
  // W1 {neigh[31:24] dest_qpn[23:0]}, W2 {pd[31:16] sport[15:0]}, W3 peer_ip, W4 sq_psn, W5 rq_psn, W6 qkey.
  // Region: W0 {pd[31:16] key[15:8] atomic_en[3] read_en[2] write_en[1] valid[0]}, W1/W2 first low/high, W3/W4 last low/high.
  localparam logic [11:0] CSR_DATA0 = 12'h000;  // .. CSR_DATA0 + 4 * 6
  localparam logic [11:0] CSR_CMD = 12'h040;  // [31:30] 1 QP modify, 2 QP init, 3 region; [23:0] index
  localparam logic [11:0] CSR_STATUS = 12'h044;  // [0] busy: command not yet taken; [1] last command's index out of range
  localparam logic [11:0] CSR_RING_LO = 12'h048;
  localparam logic [11:0] CSR_RING_HI = 12'h04C;
  localparam logic [11:0] CSR_ACKREQ = 12'h050;  // ackreq_every, reset value 8
  localparam logic [11:0] CSR_CTRL = 12'h054;  // [0] icrc_check, reset value 1

  // ---- Receive path ------------------------------------------------------------------------------------------------

  // One received RoCE packet whose ICRC, lengths, P_Key and TVer are good, in order of arrival. Its payload (len bytes,
  // pad already taken off) stands in the payload FIFO, byte 0 aligned, ceil(len / 64) beats (none when len is 0).
  typedef struct packed {
    bth_t        bth;
    ext_t        ext;     // what of it the opcode has; the rest is undefined
    logic [31:0] src_ip;
    logic        ce;      // IP ECN field says "congestion experienced"
    logic [12:0] len;     // payload bytes, 0..4096
  } rx_desc_t;

  typedef enum logic [1:0] {
    RX_DROP = 2'd0,  // pop the beats, no effect
    RX_HBM  = 2'd1,
    RX_HOST = 2'd2,
    RX_RPC  = 2'd3   // one message of at most 64 bytes, to the dispatcher
  } rx_target_e;

  // What to do with the payload at the head of the payload FIFO: one command for every packet with len > 0, in order.
  // Inline commands (the value that an atomic brings back) stand between them and carry their 8 bytes themselves.
  typedef struct packed {
    logic        inl;     // HBM or HOST only: the payload is `data`, len 8; nothing is popped
    logic [63:0] data;    // first byte in memory in data[7:0]
    rx_target_e  target;
    logic [23:0] qpn;     // local QP
    logic [63:0] addr;    // byte address inside the target memory (class bits cleared)
    logic [12:0] len;     // bytes, 1..4096
  } rx_cmd_t;

  // A remote procedure call: RDMA WRITE_ONLY of class RPC.
  typedef struct packed {
    logic [23:0]  qpn;   // local QP on which it came
    logic [6:0]   len;   // bytes, 1..64
    logic [511:0] data;  // byte 0 in data[7:0]; bytes from len on are zero
  } roce_rpc_t;

  // Number of a READ or atomic that the responder has accepted, in order over all QPs, from 1 on. Never wraps in practice.
  typedef logic [55:0] rd_no_t;

  // Commands that the responder has given to the payload writer, modulo 2^32.
  typedef logic [31:0] wr_no_t;

  // The responder wants this acknowledged. Merged per QP while it waits (roce_ack_queue).
  typedef struct packed {
    rd_no_t      after;     // not before the answer to this READ or atomic, the newest of the QP, has left; 0: none
    logic [23:0] qpn;       // local QP
    logic [23:0] psn;
    logic [7:0]  syndrome;
    logic [23:0] msn;
  } ack_evt_t;

  // A response that arrived for the requester: ACK, READ response or atomic acknowledge. The payload of a READ response
  // stands in the payload FIFO of responses; the requester must give one rx_cmd_t for it.
  typedef struct packed {
    logic [23:0] qpn;       // local QP (BTH destination)
    logic [31:0] src_ip;
    logic [23:0] psn;
    logic [7:0]  opcode;
    logic [7:0]  syndrome;  // undefined for READ_RESP_MIDDLE
    logic [23:0] msn;
    logic [63:0] orig;      // ATOMIC_ACK: value before the atomic
    logic [12:0] len;       // payload bytes, 0..4096
  } rx_rsp_t;

  // A READ or atomic, in order, or a repeated one, for roce_rd.
  typedef enum logic [1:0] {
    RD_READ      = 2'd0,
    RD_CMP_SWAP  = 2'd1,
    RD_FETCH_ADD = 2'd2
  } rd_op_e;

  typedef struct packed {
    rd_op_e      op;
    logic        gone;      // its QP was made anew meanwhile: not answered
    logic        dup;       // seen before: answered from what is remembered, or not at all
    logic [23:0] qpn;       // local QP
    logic [23:0] psn;
    logic [23:0] msn;       // for the AETH
    logic [63:0] va;        // class HBM or host; READ of no bytes: any
    logic [31:0] rkey;
    logic [31:0] len;       // READ: bytes, 0..2^31
    pmtu_t       pmtu;
    logic [63:0] swap_add;
    logic [63:0] compare;
    wr_no_t      tag;       // these commands of the payload writer come before
  } rd_evt_t;

  // ---- Receive queues --------------------------------------------------------------------------------------------

  // A posted receive buffer.
  typedef struct packed {
    logic [23:0] qpn;
    logic [31:0] wr_id;
    logic [63:0] addr;   // class bits 63:60 HBM or HOST
    logic [31:0] len;
  } rq_wr_t;

  // ---- Send path -----------------------------------------------------------------------------------------------------

  typedef enum logic [3:0] {
    VERB_WRITE     = 4'd0,
    VERB_SEND      = 4'd1,
    VERB_READ      = 4'd2,
    VERB_CMP_SWAP  = 4'd3,
    VERB_FETCH_ADD = 4'd4
  } verb_op_e;

  // Work request. Atomics: len 8, data[63:0] swap or add operand, data[127:64] compare operand; the original value goes to
  // laddr and into the completion, with `inl` into the completion only. UD SEND: raddr = {neigh[39:32], dest_qpn[23:0]},
  // rkey = QKey.
  typedef struct packed {
    verb_op_e     op;
    logic [23:0]  qpn;
    logic         signaled;   // a completion is wanted; errors complete in any case
    logic         solicited;  // SEND and WRITE with immediate: the peer's completion raises an event
    logic         has_imm;    // SEND, WRITE: with immediate data
    logic [31:0]  imm;
    logic [31:0]  wr_id;      // returned in the completion
    logic         inl;        // payload is `data` (len <= 64), else it is read from laddr
    logic [31:0]  len;        // bytes, 0..2^31
    logic [63:0]  laddr;      // class bits 63:60 HBM or HOST
    logic [63:0]  raddr;
    logic [31:0]  rkey;
    logic [511:0] data;       // byte 0 in data[7:0]; bytes from len on are zero
  } verb_t;

  typedef enum logic [3:0] {
    CPL_OK             = 4'd0,
    CPL_FLUSHED        = 4'd1,  // the QP is or went in error, or is not RTS
    CPL_BAD_REQUEST    = 4'd2,  // malformed work request: QPN, opcode, length or address class
    CPL_RETRY_EXCEEDED = 4'd3,
    CPL_REMOTE_ACCESS  = 4'd4,
    CPL_REMOTE_OP      = 4'd5,
    CPL_REMOTE_INVALID = 4'd6,
    CPL_RNR_EXCEEDED   = 4'd7,
    CPL_LOCAL_LEN      = 4'd8,  // a message longer than the receive buffer
    CPL_LOCAL_MEM      = 4'd9   // local memory answered with an error
  } cpl_status_e;

  typedef struct packed {
    logic [23:0] qpn;
    logic [31:0] wr_id;
    cpl_status_e status;
    logic [63:0] orig;    // atomics: value before the operation
  } cpl_t;

  // Completion of a receive.
  typedef struct packed {
    logic [23:0] qpn;
    logic [31:0] wr_id;
    cpl_status_e status;
    logic        is_write;   // WRITE with immediate: the buffer was not used
    logic        solicited;
    logic        has_imm;
    logic [31:0] imm;
    logic [31:0] len;        // bytes of the message
    logic [23:0] src_qpn;    // UD: the sender
    logic [31:0] src_ip;
  } rq_cpl_t;

  // Where the payload of a packet comes from.
  typedef enum logic [1:0] {
    SRC_NONE   = 2'd0,  // no payload (ACK, zero length)
    SRC_INLINE = 2'd1,
    SRC_HBM    = 2'd2,
    SRC_HOST   = 2'd3
  } tx_src_e;

  // Headers of one packet to send. Ethernet, IP and UDP are built from the neighbour row and the length.
  typedef struct packed {
    logic [7:0]  opcode;    // decides how much of `ext` is sent
    logic        se;        // solicited event
    logic        ackreq;
    logic [23:0] dest_qpn;
    logic [23:0] psn;
    logic [7:0]  neigh;
    logic [15:0] sport;
    ext_t        ext;       // extension headers, first byte on top
    logic [12:0] len;       // payload bytes, 0..4096
    logic        rsp_last;  // the last packet that answers a READ or an atomic of local QP qpn
    logic [23:0] qpn;
  } tx_hdr_t;

  // One packet to send: headers, where the payload is, and where to keep it for retransmission.
  typedef struct packed {
    tx_hdr_t      hdr;
    tx_src_e      src;
    logic [63:0]  addr;       // byte address of the payload in HBM or host memory (class bits cleared)
    logic         ring_we;    // first transmission: also store the payload in HBM at ring_addr
    logic         ring_rd;    // retransmission: the payload is read from the ring, after pending ring writes
    logic [63:0]  ring_addr;  // 4 KiB aligned
    logic [511:0] data;       // SRC_INLINE: byte 0 in data[7:0]; bytes from len on are zero
  } tx_job_t;

  // Inside the send data path: a packet ready for the frame builder; its payload (len bytes) stands in the payload stream.
  typedef struct packed {
    logic    life;   // of its QP when its job was taken (roce_tx_fail)
    logic    gone;   // not to be sent: keeps its place in the order only
    logic    retry;  // sent again
    tx_hdr_t hdr;
  } tx_pkt_t;

  // Inside roce_tx_dma: a packet whose payload has been asked for. SRC_NONE here means no payload at all.
  typedef struct packed {
    tx_pkt_t      pkt;
    tx_src_e      src;
    logic [5:0]   offset;     // of the payload in the first beat read
    logic         ring_we;
    logic         ring_rd;
    logic [51:0]  ring_page;  // ring_addr[63:12]
    logic [511:0] data;       // SRC_INLINE
  } tx_desc_t;

  // A QP has failed on one side; the other side must follow.
  typedef struct packed {logic [23:0] qpn;} qp_err_t;

  // Memory brought a QP to error. own: it could not deliver the payload of the request packet psn; else a READ or atomic of
  // the peer failed, or a response could not be written.
  typedef struct packed {
    logic        own;
    logic [23:0] qpn;
    logic [23:0] psn;
  } mem_fail_t;

  // Progress of the payload writer of responses. bad: in this cycle the newest of the commands counted, one of QP qpn, was found
  // to have failed.
  typedef struct packed {
    logic        bad;
    logic [23:0] qpn;
    logic [7:0]  count;  // commands done, modulo 256
  } rsp_done_t;

  // ---- Statistics: one-cycle event pulses ---------------------------------------------------------------------------

  typedef struct packed {
    logic drop_rq;      // datagrams dropped: no receive buffer, too small, or longer than the path MTU
    logic cnp;          // CNPs received
    logic ud;           // datagrams accepted
    logic atomics;      // atomics accepted
    logic reads;        // READ requests accepted
    logic rnr;          // RNR NAKs asked for
    logic nak_op;       // NAKs asked for: message longer than its receive buffer
    logic sends;        // SEND packets accepted
    logic pkts;         // RoCE packets received and stored
    logic drop_fifo;    // dropped: receive FIFO full
    logic drop_icrc;    // dropped: ICRC wrong
    logic drop_hdr;     // dropped: TVer, P_Key, pad, or length against opcode
    logic drop_qp;      // dropped: QPN out of range, QP not ready to receive, or in error
    logic drop_peer;    // dropped: source address is not the QP's peer, or QKey not the QP's
    logic drop_op;      // dropped: opcode without meaning for this endpoint
    logic dup;          // duplicate requests
    logic nak_seq;      // NAKs asked for, by kind
    logic nak_invalid;
    logic nak_access;
    logic write_pkts;   // WRITE packets accepted
    logic msgs;         // messages completed
    logic rpc;          // RPCs handed to the dispatcher
    logic mem_err;      // write responses with an error
  } roce_rx_stats_t;

  typedef struct packed {
    logic rd_lost;     // READs and atomics without result: repeated, not remembered (no answer); memory error (NAK)
    logic cnps;  // CNPs sent
    logic rsp;  // READ responses and atomic acknowledges sent
    logic pkts;  // request packets sent for the first time
    logic retrans;  // request packets sent again
    logic acks;  // ACKs and NAKs sent
    logic ack_merged;  // acknowledge events merged into a waiting one
    logic rx_ack;  // responses received that moved the window
    logic rx_nak;  // NAKs received and acted on
    logic rx_stale;  // ACKs and NAKs received without effect
    logic timeout;  // retry timer expiries
    logic qp_err;  // QPs that went to error
    logic drop_neigh;  // packets not sent: neighbour row invalid
    logic bad_verb;  // work requests refused
    logic mem_err;  // memory responses with an error
  } roce_tx_stats_t;

endpackage
