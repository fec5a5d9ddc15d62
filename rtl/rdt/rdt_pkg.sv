// SPDX-License-Identifier: Apache-2.0
// Replicated data types: client port, operation record of an RPC, rows and registers.
package rdt_pkg;

  typedef enum logic [7:0] {
    CLIENT_GET       = 8'd0,
    CLIENT_PUT       = 8'd1,
    // Verbs of the client: qpn, laddr, raddr, rkey, len; atomics with value as swap or add, key as compare operand
    CLIENT_WRITE     = 8'd2,
    CLIENT_SEND      = 8'd3,
    CLIENT_READ      = 8'd4,
    CLIENT_CMP_SWAP  = 8'd5,
    CLIENT_FETCH_ADD = 8'd6
  } client_op_e;

  typedef enum logic [7:0] {
    ST_OK             = 8'd0,
    ST_NOT_FOUND      = 8'd1,  // GET of a key that was never written
    ST_BAD_KEY        = 8'd2,  // key outside the map
    ST_BAD_OP         = 8'd3,  // unknown operation, or a work request that the NIC refuses
    ST_QP_ERROR       = 8'd4,  // flushed
    ST_RETRY_EXCEEDED = 8'd5,
    ST_REMOTE_ACCESS  = 8'd6,
    ST_REMOTE_OP      = 8'd7,
    ST_REMOTE_INVALID = 8'd8,
    ST_RNR_EXCEEDED   = 8'd9   // the peer had no receive buffer for too long
  } client_status_e;

  typedef struct packed {
    logic [7:0]  op;     // client_op_e; any other value is answered ST_BAD_OP
    logic [31:0] tag;
    logic [63:0] key;
    logic [63:0] value;
    logic [23:0] qpn;
    logic [63:0] laddr;
    logic [63:0] raddr;
    logic [31:0] rkey;
    logic [31:0] len;
  } client_req_t;

  typedef struct packed {
    logic [31:0]    tag;
    client_status_e status;
    logic [63:0]    value;  // GET: the value; PUT: the Lamport timestamp given; atomics: the value before
  } client_rsp_t;

  // Operation record: the 64-byte payload of an RPC (protocols A-02). Little-endian, so that the record is the 512-bit
  // beat itself: byte 0 (kind) in the least significant bits.
  typedef struct packed {
    logic [7:0]   valid;     // byte 63: 1
    logic [183:0] rsv2;      // bytes 40..62
    logic [63:0]  ts;        // bytes 32..39: Lamport timestamp
    logic [63:0]  value;     // bytes 24..31
    logic [63:0]  key;       // bytes 16..23
    logic [15:0]  rsv;       // bytes 14..15
    logic [15:0]  len;       // bytes 12..13: bytes of parameters (24)
    logic [31:0]  proposal;  // bytes 8..11
    logic [31:0]  seq;       // bytes 4..7: counts this replica's updates
    logic [7:0]   src;       // byte 3: replica id
    logic [7:0]   group;     // byte 2
    logic [7:0]   opcode;    // byte 1
    logic [7:0]   kind;      // byte 0
  } op_record_t;

  localparam logic [7:0] KIND_KV = 8'd1;
  localparam logic [7:0] KV_PUT = 8'd1;

  // Row of the map.
  typedef struct packed {
    logic        valid;
    logic [7:0]  id;     // replica that wrote it
    logic [47:0] ts;
    logic [63:0] value;
  } kv_row_t;

  // Peer row: where an update goes.
  typedef struct packed {
    logic        valid;
    logic [23:0] qpn;
    logic [31:0] rkey;
  } rdt_peer_t;

  // One operation of the map's kernel.
  typedef enum logic [2:0] {
    KV_OP_GET    = 3'd0,
    KV_OP_PUT    = 3'd1,  // local update: the kernel gives the timestamp
    KV_OP_REMOTE = 3'd2,  // update of another replica: ts and id come with it
    KV_OP_STORE  = 3'd3,  // software stores `row` as it is
    KV_OP_LOAD   = 3'd4   // software reads a row
  } kv_op_e;

  typedef struct packed {
    kv_op_e      op;
    logic [31:0] key;
    logic [31:0] tag;  // GET, PUT: of the client
    kv_row_t     row;  // GET, LOAD: not used
  } kv_op_t;

  // What became of a local operation, one cycle after it was taken. The receiver always has room.
  typedef struct packed {
    logic [31:0] tag;
    logic [31:0] key;
    kv_row_t     row;  // GET, LOAD: as found; PUT: as written
  } kv_done_t;

  // Remote timestamps from here on are refused: a forged one must not bring the 48-bit Lamport clock near its wrap.
  localparam logic [63:0] KV_TS_LIMIT = 64'h0000_8000_0000_0000;

  // Work request identifiers of this block: the top bit tells an update from a client's WRITE.
  localparam int unsigned WR_UPDATE_BIT = 31;

  // Register offsets (addr[11:0]) of block 3. Updates go to remote VA {CLASS_RPC, 60'd0}.
  localparam logic [11:0] CSR_REPLICA = 12'h000;  // [7:0] own replica id
  localparam logic [11:0] CSR_PEER_QPN = 12'h010;
  localparam logic [11:0] CSR_PEER_RKEY = 12'h014;
  localparam logic [11:0] CSR_PEER_CMD = 12'h018;  // [31] valid, [7:0] index: stores the peer row
  // Load phase and inspection of the map: CMD 1 stores the staged row at KEY, CMD 2 loads the row of KEY into the stage.
  // A stored row also raises the Lamport clock to its timestamp.
  localparam logic [11:0] CSR_KV_KEY = 12'h020;
  localparam logic [11:0] CSR_KV_VALUE_LO = 12'h024;
  localparam logic [11:0] CSR_KV_VALUE_HI = 12'h028;
  localparam logic [11:0] CSR_KV_TS_LO = 12'h02C;
  localparam logic [11:0] CSR_KV_META = 12'h030;  // [31] valid, [23:16] id, [15:0] ts[47:32]
  localparam logic [11:0] CSR_KV_CMD = 12'h034;  // read: [0] busy

  typedef struct packed {
    logic get;
    logic put;
    logic remote_applied;  // remote updates that won
    logic remote_stale;    // remote updates that lost
    logic bad_rpc;         // RPCs dropped: length, kind, opcode, key or valid byte
    logic bad_req;         // client requests refused
    logic put_flushed;     // updates whose work request failed
  } rdt_stats_t;

endpackage
