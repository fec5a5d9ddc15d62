// SPDX-License-Identifier: Apache-2.0
// Host front end: register map, the layouts of queue entries in host memory, and the rows of its tables.
package hostif_pkg;

  // ---- Registers (addr[11:0] of the block) ---------------------------------------------------------------------------
  // DATA words are staged; a write to CMD takes them, as in roce_csr. A row that is written starts anew: indices 0, nothing
  // outstanding; entries and completions that are still on their way belong to the old row and are dropped.
  // QP row: W0 {valid[31] rq_log2[11:8] sq_log2[3:0]}, W1/W2 address of the send ring low/high, W3/W4 of the receive ring,
  // W5 {recv_cqn[31:16] send_cqn[15:0]}. CQ row: W0 {valid[31] log2[3:0]}, W1/W2 address of the ring.
  // Rings have 2^log2 entries and start at multiples of 4096.
  localparam logic [11:0] HIF_DATA0 = 12'h000;  // .. HIF_DATA0 + 4 * 5
  localparam logic [11:0] HIF_CMD = 12'h040;  // [31:30] 1 QP row, 2 CQ row; [23:0] index
  localparam logic [11:0] HIF_STATUS = 12'h044;  // [0] busy; [1] the last command was refused
  // Doorbells: indices are 16-bit counters that are never reduced to the size of the ring.
  localparam logic [11:0] HIF_SQ_DB = 12'h080;  // {qpn[31:16] producer[15:0]}: entries before `producer` are posted
  localparam logic [11:0] HIF_RQ_DB = 12'h084;  // the same for the receive ring
  localparam logic [11:0] HIF_CQ_DB = 12'h088;  // {cqn[31:16] consumer[15:0]}: entries before `consumer` are free again
  localparam logic [11:0] HIF_CQ_ARM = 12'h08C;  // {solicited_only[31] cqn[15:0]}: one event at the next entry
  localparam logic [11:0] HIF_SQ_PUSH = 12'h090;  // as SQ_DB, and the PUSH words hold the entry `producer` - 1
  localparam logic [11:0] HIF_OVERRUN = 12'h094;  // {seen[31] cqn[15:0]} of the last overrun; a write clears it
  localparam logic [11:0] HIF_PUSH0 = 12'h100;  // .. HIF_PUSH0 + 4 * 31: one send entry

  // ---- Entries in host memory, little-endian: byte 0 in bits 7:0 -------------------------------------------------------

  // First half of a send entry of 128 bytes. The second half: inline data, or {compare[127:64] swap_add[63:0]} of an atomic.
  typedef struct packed {
    logic [255:0] rsv;        // bytes 32..63
    logic [31:0]  imm;        // 28
    logic [31:0]  rkey;       // 24
    logic [63:0]  raddr;      // 16
    logic [63:0]  laddr;      // 8
    logic [31:0]  len;        // 4
    logic [15:0]  rsv_flags;  // 2
    logic [3:0]   rsv_flag;
    logic         inl;        // byte 1: flags
    logic         has_imm;
    logic         solicited;
    logic         signaled;
    logic [7:0]   op;         // 0: roce_pkg::verb_op_e
  } sqe_t;

  // A receive entry of 64 bytes.
  typedef struct packed {
    logic [383:0] rsv;   // bytes 16..63
    logic [31:0]  rsv0;  // 12
    logic [31:0]  len;   // 8
    logic [63:0]  addr;  // 0: with class bits 63:60
  } rqe_t;

  typedef enum logic [7:0] {
    CQE_SEND       = 8'd0,
    CQE_RECV       = 8'd1,
    CQE_RECV_WRITE = 8'd2   // WRITE with immediate: the buffer was not used
  } cqe_kind_e;

  // A completion entry of 64 bytes. It is written in one beat; `phase` is 1 in the first pass over the ring, 0 in the next.
  typedef struct packed {
    logic [6:0]   rsv_top;
    logic         phase;      // byte 63
    logic [183:0] rsv;        // 40
    logic [31:0]  src_ip;     // 36: UD
    logic [7:0]   rsv_src;
    logic [23:0]  src_qpn;    // 32: UD
    logic [63:0]  orig;       // 24: atomics
    logic [31:0]  imm;        // 20
    logic [31:0]  len;        // 16: receives
    logic [15:0]  rsv_flags;  // 14
    logic [5:0]   rsv_flag;
    logic         solicited;
    logic         has_imm;    // 13
    logic [7:0]   op;         // 12: sends: verb_op_e
    logic [7:0]   rsv_qpn;
    logic [23:0]  qpn;        // 8
    logic [15:0]  rsv_index;
    logic [15:0]  index;      // 4: of the entry that completes
    logic [15:0]  rsv_kind;
    logic [7:0]   kind;       // 1
    logic [7:0]   status;     // 0: cpl_status_e
  } cqe_t;

  // ---- Inside ------------------------------------------------------------------------------------------------------------

  typedef struct packed {
    logic        valid;
    logic [3:0]  log2;
    logic [51:0] page;   // address[63:12]
  } ring_cfg_t;

  typedef struct packed {
    ring_cfg_t   sq;
    ring_cfg_t   rq;
    logic [15:0] send_cqn;
    logic [15:0] recv_cqn;
  } qp_row_t;

  // One table write, broadcast; happens in all consumers at once, as roce_cfg_t.
  typedef struct packed {
    logic        is_cq;
    logic [23:0] index;
    qp_row_t     qp;
    ring_cfg_t   cq;
  } hostif_cfg_t;

  typedef struct packed {
    logic [15:0] number;  // QPN or CQN
    logic [15:0] index;
  } doorbell_t;

  typedef struct packed {
    logic        solicited_only;
    logic [15:0] cqn;
  } cq_arm_t;

  // wr_id of work that comes from here: the completion brings back all that the CQ needs. Bit 30 marks it as ours.
  typedef struct packed {
    logic        rsv31;
    logic        host;
    logic        signaled;
    logic        mem_err;   // the entry could not be read
    logic [3:0]  op;
    logic [3:0]  rsv;
    logic [3:0]  epoch;     // of the QP's row: work of an older row is dropped
    logic [15:0] index;
  } host_wr_id_t;

  // Which entry: leaves hostif_ring with its data.
  typedef struct packed {
    logic        err;    // host memory answered with an error; the data mean nothing
    logic [23:0] qpn;
    logic [3:0]  epoch;
    logic [15:0] index;
  } entry_t;

  typedef struct packed {logic [15:0] cqn;} cq_event_t;

  // One-cycle event pulses.
  typedef struct packed {
    logic doorbells;   // doorbells taken
    logic pushes;      // send entries taken from registers, without a fetch
    logic bad_db;      // doorbells without effect: number out of range, no such row, index beyond the ring
    logic bursts;      // reads of rings
    logic sq_entries;  // send entries handed over
    logic rq_entries;  // receive entries handed over
    logic cqes;        // completion entries written
    logic quiet_cpls;  // successful completions of unsignaled work: no entry
    logic stale;       // entries and completions of an older row, dropped
    logic cq_drop;     // completion entries dropped: queue full or without a row
    logic events;
    logic mem_err;     // errors from host memory
  } hostif_stats_t;

endpackage
