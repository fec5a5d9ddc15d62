// SPDX-License-Identifier: Apache-2.0
// Frames for the benches of rtl/net, from the independent packet model, and what net_rx has to make of any frame.
#pragma once

#include <functional>
#include <string>

#include "models/packet/headers.hpp"
#include "models/packet/packet.hpp"
#include "testbenches/support/beats.hpp"

namespace caravan::support {

inline constexpr packet::MacAddr kOwnMac = {0x52, 0x54, 0x00, 0x00, 0x00, 0x01};
inline constexpr packet::MacAddr kPeerMac = {0x52, 0x54, 0x00, 0x00, 0x00, 0x02};
inline constexpr packet::MacAddr kBroadcast = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
inline constexpr packet::Ipv4Addr kOwnIp = 0x0A000001, kPeerIp = 0x0A000002;

/// net_kind_e
inline constexpr unsigned kKindOther = 0, kKindRoce = 1, kKindArp = 2, kKindIcmp = 3;

/// Writes net_cfg_t {mac[48], ip[32]} with the own addresses.
template <class Wide>
void put_own_cfg(Wide& wide) {
  set_bits(wide, 0, 32, kOwnIp);
  set_bits(wide, 32, 48, packet::get_be(kOwnMac.data(), 6));
}

inline Bytes pattern(std::size_t count, unsigned seed = 1) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(seed * 37 + i * 11 + (i >> 8));
  return bytes;
}

/// Headers of a frame to this node; a test changes what it wants to be wrong. Lengths are filled in before `change`
/// and the IP checksum after it, unless `keep_ip_checksum`.
struct NetFrame {
  packet::Eth eth{.dst = kOwnMac, .src = kPeerMac};
  packet::Ipv4 ip{.src = kPeerIp, .dst = kOwnIp};
  packet::Udp udp{};
  packet::Icmp icmp{};
  bool keep_ip_checksum = false;
};
using Change = std::function<void(NetFrame&)>;

template <class Header>
void append_header(Bytes& out, const Header& header) {
  out.resize(out.size() + Header::kBytes);
  header.encode(out.data() + out.size() - Header::kBytes);
}

/// A UDP frame to port 4791; with `checksum` its UDP checksum is right, else 0.
inline Bytes udp_frame(const Bytes& data, bool checksum = false, const Change& change = {}) {
  NetFrame f;
  f.udp.length = static_cast<std::uint16_t>(8 + data.size());
  f.ip.total_length = static_cast<std::uint16_t>(20 + f.udp.length);
  if (checksum) {
    Bytes udp;
    append_header(udp, f.udp);
    udp.insert(udp.end(), data.begin(), data.end());
    f.udp.checksum = packet::udp_checksum(f.ip.src, f.ip.dst, udp);
  }
  if (change) change(f);
  if (!f.keep_ip_checksum) f.ip.checksum = f.ip.right_checksum();
  Bytes out;
  append_header(out, f.eth);
  append_header(out, f.ip);
  append_header(out, f.udp);
  out.insert(out.end(), data.begin(), data.end());
  return out;
}

/// An ICMP echo request.
inline Bytes icmp_frame(const Bytes& data, const Change& change = {}) {
  NetFrame f;
  f.ip.protocol = packet::kProtocolIcmp;
  f.ip.ttl = 17;
  f.icmp.id = 0xBEEF;
  f.icmp.sequence = 3;
  f.ip.total_length = static_cast<std::uint16_t>(28 + data.size());
  Bytes message;
  append_header(message, f.icmp);
  message.insert(message.end(), data.begin(), data.end());
  f.icmp.checksum = static_cast<std::uint16_t>(~packet::internet_sum(message));
  if (change) change(f);
  if (!f.keep_ip_checksum) f.ip.checksum = f.ip.right_checksum();
  Bytes out;
  append_header(out, f.eth);
  append_header(out, f.ip);
  append_header(out, f.icmp);
  out.insert(out.end(), data.begin(), data.end());
  return out;
}

/// An ARP request for this node, padded to 60 bytes.
inline Bytes arp_frame(const std::function<void(packet::Eth&, packet::Arp&)>& change = {}) {
  packet::Eth eth{.dst = kBroadcast, .src = kPeerMac, .ether_type = packet::kEtherTypeArp};
  packet::Arp arp{.sender_mac = kPeerMac, .sender_ip = kPeerIp, .target_ip = kOwnIp};
  if (change) change(eth, arp);
  Bytes out;
  append_header(out, eth);
  append_header(out, arp);
  out.resize(60);
  return out;
}

/// The same frame with `count` more bytes behind it, as Ethernet padding.
inline Bytes padded(Bytes frame, std::size_t count, std::uint8_t value = 0xEE) {
  frame.insert(frame.end(), count, value);
  return frame;
}

/// The beats that net_rx makes of a frame.
inline std::vector<Beat> received(const Bytes& frame, unsigned kind, std::size_t packet_bytes, bool bad = false) {
  std::vector<Beat> beats = to_beats(frame);
  for (std::size_t i = 0; i < beats.size(); ++i) {
    const std::size_t left = packet_bytes > 64 * i ? packet_bytes - 64 * i : 0;
    beats[i].bytes = static_cast<unsigned>(std::min<std::size_t>(left, beats[i].bytes));
    for (unsigned k = beats[i].bytes; k < 64; ++k) beats[i].data[k] = 0;
    beats[i].kind = kind;
    beats[i].sop = i == 0;
    beats[i].bad = bad && beats[i].last;
  }
  return beats;
}

/// Events of net_stats_t, by bit number.
enum NetEvent : unsigned {
  kTxFrames = 0,
  kRxDropOther = 1,
  kRxIcmp = 2,
  kRxArp = 3,
  kRxDropUdp = 4,
  kRxDropIp = 5,
  kRxDropMac = 6,
  kRxBadFcs = 7,
  kRxFrames = 8,
  kNoEvent = 31
};

/// What a frame must count as besides rx_frames; kNoEvent for good RoCE.
inline NetEvent expected_event(const Bytes& frame, bool err) {
  using packet::ParseError;
  if (err) return kRxBadFcs;
  const packet::ParsedPacket p = packet::parse(frame);
  if (!p.eth || p.error == ParseError::kEthTruncated) return kRxDropMac;
  const bool to_us = p.eth->dst == kOwnMac;
  if (p.eth->ether_type == packet::kEtherTypeArp) {
    if (!to_us && p.eth->dst != kBroadcast) return kRxDropMac;
    const bool wanted = p.ok() && p.arp && p.arp->operation == 1 && p.arp->target_ip == kOwnIp;
    return wanted ? kRxArp : kRxDropOther;
  }
  if (p.eth->ether_type != packet::kEtherTypeIpv4 || !to_us) return kRxDropMac;
  switch (p.error) {
    case ParseError::kIpTruncated:
    case ParseError::kIpVersion:
    case ParseError::kIpOptions:
    case ParseError::kIpLength:
    case ParseError::kIpChecksum:
    case ParseError::kIpFragment:
      return kRxDropIp;
    default:
      break;
  }
  if (p.ipv4->dst != kOwnIp) return kRxDropIp;
  if (p.ipv4->protocol == packet::kProtocolIcmp) {
    return p.ok() && p.icmp->type == 8 && p.icmp->code == 0 ? kRxIcmp : kRxDropOther;
  }
  if (p.ipv4->protocol != packet::kProtocolUdp) return kRxDropUdp;
  switch (p.error) {
    case ParseError::kUdpTruncated:
    case ParseError::kUdpLength:
    case ParseError::kUdpChecksum:
      return kRxDropUdp;
    default:
      return p.udp->dst_port == packet::kRoceUdpPort ? kNoEvent : kRxDropUdp;
  }
}

}  // namespace caravan::support
