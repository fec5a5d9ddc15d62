// SPDX-License-Identifier: Apache-2.0
// How net judges a received frame and builds its answers. Inside net only; what others see is in net_pkg.
package net_frame_pkg;
  import axis_pkg::*;
  import net_pkg::*;

  localparam logic [6:0] MIN_FRAME_BYTES = 7'd60;  // Ethernet minimum without FCS
  localparam logic [15:0] ICMP_ECHO_REQUEST = 16'h0800;  // type 8, code 0
  localparam logic [15:0] ICMP_ECHO_REPLY = 16'h0000;
  localparam logic [15:0] ICMP_BYTES = 16'd8;
  localparam logic [6:0] ARP_FRAME_BYTES = 7'd42;

  typedef struct packed {
    logic [15:0] kind;  // type and code
    logic [15:0] csum;
    logic [15:0] id;
    logic [15:0] seq;
  } icmp_hdr_t;

  // The first beat of a frame, in wire order.
  typedef struct packed {
    l4_hdr_t      hdr;
    logic [175:0] rest;
  } udp_beat_t;

  typedef struct packed {
    eth_hdr_t     eth;
    ipv4_hdr_t    ip;
    icmp_hdr_t    icmp;
    logic [175:0] rest;
  } icmp_beat_t;

  typedef struct packed {
    eth_hdr_t     eth;
    arp_hdr_t     arp;
    logic [175:0] rest;
  } arp_beat_t;

  // The counter that a dropped frame belongs to.
  typedef enum logic [2:0] {
    DROP_NOT   = 3'd0,
    DROP_MAC   = 3'd1,
    DROP_IP    = 3'd2,
    DROP_UDP   = 3'd3,
    DROP_OTHER = 3'd4
  } net_drop_e;

  // What the first beat says about a frame. packet_bytes: Ethernet header and what it carries, without padding; 0 when
  // nothing of the frame matters. sum: the UDP or ICMP checksum must be right; its sum starts with sum_seed. Sums are over
  // words whose first byte is the low one: a one's complement sum only comes out with its bytes swapped.
  typedef struct packed {
    net_drop_e   drop;
    net_kind_e   kind;
    logic        sum;
    logic [15:0] sum_seed;
    logic [16:0] packet_bytes;
  } net_verdict_t;

  typedef struct packed {
    net_verdict_t verdict;
    logic         sop;
    logic         eop;
    logic         err;       // with eop: the MAC says that the frame is damaged
    logic         short_ip;  // with eop: the frame ends before its packet
    logic [143:0] sums;      // eight sums of four words, 18 bits each; only with verdict.sum
    logic [6:0]   bytes;
    logic [511:0] data;
  } net_parsed_t;

  function automatic logic [15:0] swap16(input logic [15:0] x);
    return {x[7:0], x[15:8]};
  endfunction

  // Version, no options, checksum, length, not a fragment, for us. An address of zero is not yet an address.
  function automatic logic ipv4_ok(input ipv4_hdr_t h, input net_cfg_t cfg);
    return h.version == 4'd4 && h.ihl == 4'd5 && ipv4_sum(h) == 16'hFFFF && h.total_len >= 16'(IPV4_BYTES) &&
        !h.flags[0] && h.frag_ofs == '0 && h.dst == cfg.ip && cfg.ip != '0;
  endfunction

  // A request for the hardware address of our IP address.
  function automatic logic arp_ok(input arp_hdr_t h, input net_cfg_t cfg);
    return h.htype == 16'd1 && h.ptype == ETHERTYPE_IPV4 && h.hlen == 8'd6 && h.plen == 8'd4 && h.oper == 16'd1 &&
           h.tpa == cfg.ip && cfg.ip != '0;
  endfunction

  function automatic net_verdict_t net_judge(input logic [511:0] data, input logic [6:0] bytes, input net_cfg_t cfg);
    udp_beat_t b;
    icmp_beat_t icmp;
    arp_beat_t arp;
    net_verdict_t v;
    logic to_us;
    b     = wire_order(data);
    icmp  = b;
    arp   = b;
    to_us = b.hdr.eth.dst == cfg.mac;
    v     = '{drop: DROP_MAC, kind: KIND_OTHER, sum: 1'b0, sum_seed: 16'd0, packet_bytes: 17'd0};
    if (bytes < 7'(ETH_BYTES)) begin
      v.drop = DROP_MAC;
    end else if (b.hdr.eth.ethertype == ETHERTYPE_ARP && (to_us || b.hdr.eth.dst == MAC_BROADCAST)) begin
      v.drop = DROP_OTHER;
      if (bytes >= ARP_FRAME_BYTES && arp_ok(arp.arp, cfg)) begin
        v.drop         = DROP_NOT;
        v.kind         = KIND_ARP;
        v.packet_bytes = 17'(ARP_FRAME_BYTES);
      end
    end else if (b.hdr.eth.ethertype == ETHERTYPE_IPV4 && to_us) begin
      v.drop = DROP_IP;
      if (ipv4_ok(b.hdr.ip, cfg)) begin
        v.packet_bytes = 17'(b.hdr.ip.total_len) + 17'(ETH_BYTES);
        v.drop         = (b.hdr.ip.proto == IP_PROTO_ICMP) ? DROP_OTHER : DROP_UDP;
        if (b.hdr.ip.proto == IP_PROTO_UDP && b.hdr.udp.len >= 16'(UDP_BYTES) &&
            b.hdr.udp.len == b.hdr.ip.total_len - 16'(IPV4_BYTES) && b.hdr.udp.dport == UDP_PORT_ROCE) begin
          v.drop     = DROP_NOT;
          v.kind     = KIND_ROCE;
          v.sum      = b.hdr.udp.csum != '0;
          v.sum_seed = swap16(csum_add({8'd0, IP_PROTO_UDP}, b.hdr.udp.len));
        end
        if (b.hdr.ip.proto == IP_PROTO_ICMP && icmp.icmp.kind == ICMP_ECHO_REQUEST &&
            b.hdr.ip.total_len >= 16'(IPV4_BYTES) + ICMP_BYTES) begin
          v.drop = DROP_NOT;
          v.kind = KIND_ICMP;
          v.sum  = 1'b1;
        end
      end
    end
    return v;
  endfunction

  // Sums of the words that the checksum covers. In the first beat these are the bytes after the IP header, for UDP also
  // the IP addresses (they belong to its pseudo header). Bytes behind the packet must be zero already.
  function automatic logic [143:0] net_partial_sums(input logic [511:0] data, input logic first, input logic addresses);
    localparam logic [511:0] WithAddresses = {{304{1'b1}}, 208'd0};  // from byte 26
    localparam logic [511:0] WithoutThem = {{240{1'b1}}, 272'd0};  // from byte 34
    logic [511:0] d;
    logic [143:0] sums;
    d = !first ? data : data & (addresses ? WithAddresses : WithoutThem);
    for (int unsigned i = 0; i < 8; i++) begin
      sums[18*i+:18] = 18'(d[64*i+:16]) + 18'(d[64*i+16+:16]) + 18'(d[64*i+32+:16]) + 18'(d[64*i+48+:16]);
    end
    return sums;
  endfunction

  // A sum so far and the partial sums of one more beat.
  function automatic logic [15:0] net_total_sum(input logic [143:0] sums, input logic [15:0] so_far);
    logic [21:0] total;
    total = 22'(so_far);
    for (int unsigned i = 0; i < 8; i++) total = total + 22'(sums[18*i+:18]);
    total = 22'(total[15:0]) + 22'(total[21:16]);
    return total[15:0] + 16'(total[16]);
  endfunction

  // The reply to an ARP request, whose first beat is `data`.
  function automatic logic [511:0] arp_reply(input logic [511:0] data, input net_cfg_t cfg);
    arp_beat_t request, reply;
    request = wire_order(data);
    reply.eth = '{dst: request.arp.sha, src: cfg.mac, ethertype: ETHERTYPE_ARP};
    reply.arp = '{
        htype: 16'd1,
        ptype: ETHERTYPE_IPV4,
        hlen: 8'd6,
        plen: 8'd4,
        oper: 16'd2,
        sha: cfg.mac,
        spa: cfg.ip,
        tha: request.arp.sha,
        tpa: request.arp.spa
    };
    reply.rest = '0;
    return wire_order(reply);
  endfunction

  // Frame bytes, Ethernet header included, of the IP packet whose first beat is `data`.
  function automatic logic [16:0] ip_frame_bytes(input logic [511:0] data);
    return 17'({data[8*16+:8], data[8*17+:8]}) + 17'(ETH_BYTES);
  endfunction

  // The first beat of the reply to an echo request, whose first beat is `data`. Only the type changes under the ICMP
  // checksum, so the complement of the sum grows by what the type loses.
  function automatic logic [511:0] icmp_reply(input logic [511:0] data, input net_cfg_t cfg);
    icmp_beat_t request, reply;
    request         = wire_order(data);
    reply           = request;
    reply.eth.dst   = request.eth.src;
    reply.eth.src   = cfg.mac;
    reply.ip.src    = cfg.ip;
    reply.ip.dst    = request.ip.src;
    reply.ip.ttl    = 8'd64;
    reply.ip.csum   = '0;
    reply.ip.csum   = ~ipv4_sum(reply.ip);
    reply.icmp.kind = ICMP_ECHO_REPLY;
    reply.icmp.csum = csum_add(request.icmp.csum, ICMP_ECHO_REQUEST);
    return wire_order(reply);
  endfunction

endpackage
