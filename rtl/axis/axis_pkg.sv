// SPDX-License-Identifier: Apache-2.0
// The node's streams and memory buses: 512-bit frame beats, AXI4 and AXI4-Lite as packed structs.
package axis_pkg;

  localparam int unsigned BEAT_BYTES = 64;
  localparam int unsigned BEAT_BITS = 512;

  // One beat of a byte stream. Byte 0 of the beat (the first on the wire) is data[7:0]. bytes = 64 but for the last beat
  // (1..64; 0 only where a stream's contract says so). Bytes at and above `bytes` are zero.
  typedef struct packed {
    logic         err;    // with last only: the frame is damaged (FCS), drop it
    logic         last;
    logic [6:0]   bytes;
    logic [511:0] data;
  } axis_beat_t;

  // AXI4, 512-bit data, INCR bursts of full-width beats (size 6), addresses aligned to 64, at most 64 beats, never across
  // a 4 KiB boundary. One packed struct a direction; valid and ready of each channel are members, as they travel together.
  typedef struct packed {
    logic [3:0]  id;
    logic [63:0] addr;
    logic [7:0]  len;   // beats - 1
  } axi_addr_t;

  typedef struct packed {
    logic         last;
    logic [63:0]  strb;
    logic [511:0] data;
  } axi_w_t;

  typedef struct packed {
    logic [3:0] id;
    logic [1:0] resp;
  } axi_b_t;

  typedef struct packed {
    logic [3:0]   id;
    logic [1:0]   resp;
    logic         last;
    logic [511:0] data;
  } axi_r_t;

  typedef struct packed {
    axi_addr_t aw;
    logic      aw_valid;
    axi_w_t    w;
    logic      w_valid;
    logic      b_ready;
    axi_addr_t ar;
    logic      ar_valid;
    logic      r_ready;
  } axi_req_t;

  typedef struct packed {
    logic   aw_ready;
    logic   w_ready;
    axi_b_t b;
    logic   b_valid;
    logic   ar_ready;
    axi_r_t r;
    logic   r_valid;
  } axi_rsp_t;

  // AXI4-Lite, 32-bit data, 16-bit addresses.
  typedef struct packed {
    logic [15:0] awaddr;
    logic        awvalid;
    logic [31:0] wdata;
    logic        wvalid;
    logic        bready;
    logic [15:0] araddr;
    logic        arvalid;
    logic        rready;
  } axil_req_t;

  typedef struct packed {
    logic        awready;
    logic        wready;
    logic [1:0]  bresp;
    logic        bvalid;
    logic        arready;
    logic [31:0] rdata;
    logic [1:0]  rresp;
    logic        rvalid;
  } axil_rsp_t;

  // A 64-bit atomic on a memory: addr is a byte address inside it, 8-byte aligned; the word is little-endian. Compare and
  // swap writes `operand` when the word equals `compare`, else the operand is added. epoch: differs from that of the requester's
  // atomic before when it has written to memory by other ways in between: then this one must see memory.
  typedef struct packed {
    logic [31:0] epoch;
    logic        host;     // host memory, else HBM
    logic [63:0] addr;
    logic        cas;
    logic [63:0] operand;
    logic [63:0] compare;
  } atomic_req_t;

  typedef struct packed {
    logic        err;       // memory answered with an error: not done, or not known
    logic [63:0] original;  // before the operation
  } atomic_rsp_t;

  // The first n bytes of a beat in wire order: byte 0 becomes the most significant byte, as header structs need it.
  // Written word by word: the simulator runs a streaming operator bit by bit.
  function automatic logic [511:0] wire_order(input logic [511:0] data);
    logic [511:0] swapped;
    for (int unsigned i = 0; i < 16; i++) begin
      swapped[32*(15-i)+:32] = {data[32*i+:8], data[32*i+8+:8], data[32*i+16+:8], data[32*i+24+:8]};
    end
    return swapped;
  endfunction

  // The beat with only its first n bytes (0..64), the others zero. The mask is picked out of a constant, which costs the
  // simulator less than a shift.
  function automatic logic [511:0] first_bytes(input logic [511:0] data, input logic [6:0] n);
    localparam logic [1023:0] Steps = {512'd0, {512{1'b1}}};
    return (n >= 7'd64) ? data : data & Steps[{(7'd64-n), 3'b000}+:512];
  endfunction

  // Ones in the lowest n bits: the strobes of n bytes (0..64).
  function automatic logic [63:0] strobes(input logic [6:0] n);
    return (n >= 7'd64) ? '1 : (64'd1 << n) - 64'd1;
  endfunction

endpackage
