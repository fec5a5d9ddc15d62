// SPDX-License-Identifier: Apache-2.0
// The node's one configuration struct, block numbers of the register bus, quiet flags and statistics.
package node_pkg;

  typedef struct packed {
    int unsigned NumQps;       // queue pairs, a power of two
    int unsigned NumRegions;   // memory regions
    int unsigned NumNeigh;     // neighbour rows, at most 256
    int unsigned Window;       // packets in flight per QP, a power of two
    int unsigned SqDepth;      // work requests queued per QP, a power of two
    int unsigned RxFifoBeats;  // 64-byte beats of received payload
    int unsigned KvEntries;    // rows of the key-value map, a power of two
    int unsigned MaxPeers;     // replicas besides this one
  } node_cfg_t;

  localparam node_cfg_t NODE_CFG_DEFAULT = '{
      NumQps: 256,
      NumRegions: 64,
      NumNeigh: 64,
      Window: 16,
      SqDepth: 16,
      RxFifoBeats: 1024,
      KvEntries: 131072,
      MaxPeers: 31
  };

  // addr[15:12] of the register bus.
  localparam logic [3:0] BLOCK_NODE = 4'd0;  // 0x000 magic "CRVN", 0x004 version, 0x008 NumQps, 0x00C KvEntries
  localparam logic [3:0] BLOCK_NET = 4'd1;
  localparam logic [3:0] BLOCK_ROCE = 4'd2;
  localparam logic [3:0] BLOCK_RDT = 4'd3;

  // One flag per block clock: no edge is needed, the state would not change.
  typedef struct packed {
    logic rx;
    logic tx;
    logic mem;
    logic rdt;
    logic csr;
  } node_quiet_t;

  typedef struct packed {
    net_pkg::net_stats_t      net;
    roce_pkg::roce_rx_stats_t roce_rx;
    roce_pkg::roce_tx_stats_t roce_tx;
    rdt_pkg::rdt_stats_t      rdt;
  } node_stats_t;

endpackage
