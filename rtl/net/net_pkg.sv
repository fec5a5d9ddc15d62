// SPDX-License-Identifier: Apache-2.0
// Ethernet, ARP, IPv4, ICMP and UDP: header structs in wire order, constants, and the types between net and its users.
package net_pkg;

  localparam logic [15:0] ETHERTYPE_IPV4 = 16'h0800;
  localparam logic [15:0] ETHERTYPE_ARP = 16'h0806;
  localparam logic [7:0] IP_PROTO_ICMP = 8'd1;
  localparam logic [7:0] IP_PROTO_UDP = 8'd17;
  localparam logic [15:0] UDP_PORT_ROCE = 16'd4791;
  localparam logic [47:0] MAC_BROADCAST = 48'hFFFF_FFFF_FFFF;

  localparam int unsigned ETH_BYTES = 14;
  localparam int unsigned IPV4_BYTES = 20;
  localparam int unsigned UDP_BYTES = 8;
  localparam int unsigned L4_BYTES = ETH_BYTES + IPV4_BYTES + UDP_BYTES;  // 42: what precedes the BTH

  typedef struct packed {
    logic [47:0] dst;
    logic [47:0] src;
    logic [15:0] ethertype;
  } eth_hdr_t;

  typedef struct packed {
    logic [3:0]  version;
    logic [3:0]  ihl;
    logic [7:0]  tos;
    logic [15:0] total_len;
    logic [15:0] id;
    logic [2:0]  flags;     // reserved, DF, MF
    logic [12:0] frag_ofs;
    logic [7:0]  ttl;
    logic [7:0]  proto;
    logic [15:0] csum;
    logic [31:0] src;
    logic [31:0] dst;
  } ipv4_hdr_t;

  typedef struct packed {
    logic [15:0] sport;
    logic [15:0] dport;
    logic [15:0] len;
    logic [15:0] csum;
  } udp_hdr_t;

  // Ethernet + IPv4 + UDP: the first 42 bytes of a RoCEv2 frame.
  typedef struct packed {
    eth_hdr_t  eth;
    ipv4_hdr_t ip;
    udp_hdr_t  udp;
  } l4_hdr_t;

  // ARP for Ethernet and IPv4 (28 bytes after the Ethernet header).
  typedef struct packed {
    logic [15:0] htype;
    logic [15:0] ptype;
    logic [7:0]  hlen;
    logic [7:0]  plen;
    logic [15:0] oper;
    logic [47:0] sha;
    logic [31:0] spa;
    logic [47:0] tha;
    logic [31:0] tpa;
  } arp_hdr_t;

  // What a received frame is. KIND_OTHER is dropped by everyone.
  typedef enum logic [1:0] {
    KIND_OTHER = 2'd0,
    KIND_ROCE  = 2'd1,
    KIND_ARP   = 2'd2,
    KIND_ICMP  = 2'd3
  } net_kind_e;

  // One beat of a received frame after net_rx, no back-pressure. The first byte on the wire is data[7:0]; the frame starts
  // with its Ethernet header in the sop beat. bytes: how many of this beat belong to the packet (Ethernet header included,
  // MAC padding and anything behind the IP packet excluded); 0 in trailing beats that hold only padding. Bytes from
  // `bytes` on are zero. kind is valid in every beat. bad is valid with eop: drop the frame, nothing of it takes effect.
  typedef struct packed {
    logic         bad;
    logic         eop;
    logic         sop;
    net_kind_e    kind;
    logic [6:0]   bytes;
    logic [511:0] data;
  } net_rx_beat_t;

  // This node's addresses: registers of net_csr.
  typedef struct packed {
    logic [47:0] mac;
    logic [31:0] ip;
  } net_cfg_t;

  // Static neighbour table row; a QP names its row.
  typedef struct packed {
    logic        valid;
    logic [47:0] mac;
    logic [31:0] ip;
  } net_neigh_t;

  // One-cycle event pulses; counting happens outside.
  typedef struct packed {
    logic rx_frames;      // frames that the MAC delivered
    logic rx_bad_fcs;     // dropped: damaged (MAC error flag)
    logic rx_drop_mac;    // dropped: not for this station, or unknown ethertype
    logic rx_drop_ip;     // dropped: IPv4 version, IHL, checksum, length, fragment or address
    logic rx_drop_udp;    // dropped: UDP length, checksum or port; IP protocol that nobody here speaks
    logic rx_arp;         // ARP requests for this node
    logic rx_icmp;        // ICMP echo requests for this node
    logic rx_drop_other;  // dropped: malformed ARP or ICMP, or the reply buffer is busy or too small
    logic tx_frames;      // frames handed to the MAC
  } net_stats_t;

  // Register offsets (addr[11:0]) of block 1. Writing NEIGH_CMD stores the staged row at its index.
  localparam logic [11:0] CSR_MAC_LO = 12'h000;  // mac[31:0]
  localparam logic [11:0] CSR_MAC_HI = 12'h004;  // mac[47:32]
  localparam logic [11:0] CSR_IP = 12'h008;
  localparam logic [11:0] CSR_NEIGH_MAC_LO = 12'h010;
  localparam logic [11:0] CSR_NEIGH_MAC_HI = 12'h014;
  localparam logic [11:0] CSR_NEIGH_IP = 12'h018;
  localparam logic [11:0] CSR_NEIGH_CMD = 12'h01C;  // [31] valid, [7:0] index

  // One's complement sum of two 16-bit words.
  function automatic logic [15:0] csum_add(input logic [15:0] a, input logic [15:0] b);
    logic [16:0] sum;
    sum = {1'b0, a} + {1'b0, b};
    return sum[15:0] + {15'd0, sum[16]};
  endfunction

  // One's complement sum of an IPv4 header, its checksum field included: 16'hFFFF when the header is good; over a header
  // with csum = 0 it is the complement of the checksum to send.
  function automatic logic [15:0] ipv4_sum(input ipv4_hdr_t h);
    logic [159:0] w;
    logic [ 19:0] sum;
    w   = h;
    sum = '0;
    for (int unsigned i = 0; i < 10; i++) sum = sum + {4'd0, w[16*i+:16]};
    sum = {4'd0, sum[15:0]} + {16'd0, sum[19:16]};
    return sum[15:0] + {12'd0, sum[19:16]};
  endfunction

endpackage
