// SPDX-License-Identifier: Apache-2.0
// The node's one configuration struct, block numbers of the register bus, quiet flags and statistics.
package node_pkg;

  typedef struct packed {
    int unsigned NumQps;       // queue pairs, a power of two
    int unsigned NumRegions;   // memory regions
    int unsigned NumNeigh;     // neighbour rows, at most 256
    int unsigned Window;       // packets in flight per QP, a power of two
    int unsigned SqDepth;      // work requests queued per QP, a power of two
    int unsigned RqDepth;      // receive buffers posted per QP, a power of two
    int unsigned RdAtomic;     // READs and atomics that may be outstanding towards a QP, a power of two
    int unsigned RxFifoBeats;  // 64-byte beats of received payload
    int unsigned NumCqs;       // completion queues of host programs
    int unsigned KvEntries;    // rows of the key-value map, a power of two
    int unsigned MaxPeers;     // replicas besides this one
    int unsigned CyclesPerUs;  // clock frequency in MHz, for the retry timers
  } node_cfg_t;

  localparam node_cfg_t NODE_CFG_DEFAULT = '{
      NumQps: 512,
      NumRegions: 64,
      NumNeigh: 64,
      Window: 16,
      SqDepth: 16,
      RqDepth: 16,
      RdAtomic: 16,
      RxFifoBeats: 1024,
      NumCqs: 64,
      KvEntries: 131072,
      MaxPeers: 31,
      CyclesPerUs: 250
  };

  // addr[15:12] of the register bus.
  localparam logic [3:0] BLOCK_NODE = 4'd0;  // 0x000 magic "CRVN", 0x004 version, 0x008 NumQps, 0x00C KvEntries,
                                             // 0x010 clock in MHz; read only
  localparam logic [3:0] BLOCK_NET = 4'd1;
  localparam logic [3:0] BLOCK_ROCE = 4'd2;
  localparam logic [3:0] BLOCK_RDT = 4'd3;
  localparam logic [3:0] BLOCK_CC = 4'd4;  // congestion control
  localparam logic [3:0] BLOCK_HOST = 4'd5;

  localparam logic [11:0] CSR_MAGIC = 12'h000;
  localparam logic [11:0] CSR_VERSION = 12'h004;
  localparam logic [11:0] CSR_NUM_QPS = 12'h008;
  localparam logic [11:0] CSR_KV_ENTRIES = 12'h00C;
  localparam logic [11:0] CSR_CLOCK = 12'h010;
  localparam logic [31:0] NODE_MAGIC = 32'h4352_564E;  // "CRVN"
  localparam logic [31:0] NODE_VERSION = 32'h0000_0001;

  // One flag per block clock: no edge is needed, the state would not change.
  typedef struct packed {
    logic rx;    // net_rx, ARP, ICMP, packet check, responder
    logic wr;    // received payload into memory
    logic rq;    // receive queues
    logic tx;    // send queue, requester, retries, READ responder
    logic cc;    // congestion control
    logic path;  // packets and frames to the MAC
    logic mem;   // HBM's multiplexers, atomics
    logic pcie;  // host memory's multiplexers
    logic rdt;   // replicated data types
    logic host;  // host front end
    logic csr;   // registers
  } node_quiet_t;

  typedef struct packed {
    hostif_pkg::hostif_stats_t   hostif;
    net_pfc_pkg::net_pfc_stats_t pfc;
    roce_cc_pkg::roce_cc_stats_t cc;
    net_pkg::net_stats_t         net;
    roce_pkg::roce_rx_stats_t    roce_rx;
    roce_pkg::roce_tx_stats_t    roce_tx;
    rdt_pkg::rdt_stats_t         rdt;
  } node_stats_t;

endpackage
