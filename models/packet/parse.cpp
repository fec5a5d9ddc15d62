// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "models/packet/icrc.hpp"
#include "models/packet/packet.hpp"

namespace caravan::packet {
namespace {

using enum ParseError;

struct ErrorText {
  std::string_view name, sentence;
};

// In the order of ParseError.
constexpr std::array kErrorTexts = {
    ErrorText{"none", "The frame is well formed."},
    ErrorText{"eth_truncated", "The frame is shorter than an Ethernet header."},
    ErrorText{"ether_type", "The EtherType is neither IPv4, IPv6 nor ARP."},
    ErrorText{"arp_format", "The ARP message is cut short or not for IPv4 over Ethernet."},
    ErrorText{"ip_truncated", "The frame ends inside the IP header."},
    ErrorText{"ip_version", "The IP version disagrees with the EtherType."},
    ErrorText{"ip_options", "The IPv4 header is not 20 bytes long."},
    ErrorText{"ip_length", "The IP length is smaller than its headers or reaches past the end of the frame."},
    ErrorText{"ip_checksum", "The IPv4 header checksum is wrong."},
    ErrorText{"ip_fragment", "The packet is an IPv4 fragment."},
    ErrorText{"ip_protocol", "The IP protocol is neither UDP nor ICMP."},
    ErrorText{"icmp_truncated", "The packet ends inside the ICMP header."},
    ErrorText{"icmp_checksum", "The ICMP checksum is wrong."},
    ErrorText{"udp_truncated", "The packet ends inside the UDP header."},
    ErrorText{"udp_length", "The UDP length is not the length of the IP payload."},
    ErrorText{"udp_checksum", "The UDP checksum is neither zero nor right."},
    ErrorText{"bth_truncated", "There is no room for a BTH and an ICRC."},
    ErrorText{"icrc", "The ICRC is wrong."},
    ErrorText{"opcode", "The BTH opcode is reserved or belongs to a service that is not decoded."},
    ErrorText{"ext_truncated", "There is no room for the extension headers of the opcode."},
    ErrorText{"padding", "The pad count exceeds the payload, or payload and pad are not a multiple of 4 bytes."},
    ErrorText{"payload", "The opcode carries no payload but there is one, or a CNP lacks its 16 reserved bytes."},
};
static_assert(kErrorTexts.size() == static_cast<std::size_t>(kPayload) + 1);

/// Takes one header off the front of `rest`; the caller has checked the length.
template <class Header>
Header take(ByteSpan& rest) {
  const Header header = Header::decode(rest.data());
  rest = rest.subspan(Header::kBytes);
  return header;
}

ParseError parse_roce(ParsedPacket& p, ByteSpan rest, ByteSpan frame) {
  p.kind = Kind::kRoce;
  if (rest.size() < Bth::kBytes + kIcrcBytes) return kBthTruncated;
  p.bth = take<Bth>(rest);
  const ByteSpan icrc = rest.last(kIcrcBytes);
  p.icrc = std::uint32_t{icrc[0]} | std::uint32_t{icrc[1]} << 8 | std::uint32_t{icrc[2]} << 16 |
           std::uint32_t{icrc[3]} << 24;
  rest = rest.first(rest.size() - kIcrcBytes);
  p.op = find_opcode(p.bth->opcode);
  const ParseError integrity = check_icrc(frame) ? kNone : kIcrc;
  if (p.op == nullptr) return integrity != kNone ? integrity : kOpcode;
  if (rest.size() < p.op->ext_bytes()) return integrity != kNone ? integrity : kExtTruncated;
  if (p.op->has(kExtDeth)) p.ext.deth = take<Deth>(rest);
  if (p.op->has(kExtReth)) p.ext.reth = take<Reth>(rest);
  if (p.op->has(kExtAtomicEth)) p.ext.atomic = take<AtomicEth>(rest);
  if (p.op->has(kExtAeth)) p.ext.aeth = take<Aeth>(rest);
  if (p.op->has(kExtAtomicAckEth)) p.ext.atomic_ack = take<AtomicAckEth>(rest);
  if (p.op->has(kExtImmDt)) p.ext.imm = take<ImmDt>(rest);
  if (p.op->has(kExtIeth)) p.ext.ieth = take<Ieth>(rest);
  const bool pad_fits = p.bth->pad_count <= rest.size();
  p.payload = pad_fits ? rest.first(rest.size() - p.bth->pad_count) : rest;
  if (integrity != kNone) return integrity;
  if (!pad_fits || rest.size() % 4 != 0) return kPadding;
  if (!p.op->has_payload && !rest.empty()) return kPayload;
  if (p.op->action == Action::kCnp && p.payload.size() != 16) return kPayload;
  return kNone;
}

ParseError parse_udp(ParsedPacket& p, ByteSpan rest, ByteSpan frame) {
  p.kind = Kind::kUdp;
  if (rest.size() < Udp::kBytes) return kUdpTruncated;
  const ByteSpan whole = rest;
  p.udp = take<Udp>(rest);
  p.payload = rest;
  if (p.udp->dst_port == kRoceUdpPort) p.kind = Kind::kRoce;
  if (p.udp->length != whole.size()) return kUdpLength;
  if (p.udp->checksum != 0) {
    Buffer zeroed(whole.begin(), whole.end());
    zeroed[6] = zeroed[7] = 0;
    const std::uint16_t right =
        p.ipv4 ? udp_checksum(p.ipv4->src, p.ipv4->dst, zeroed) : udp_checksum(p.ipv6->src, p.ipv6->dst, zeroed);
    if (p.udp->checksum != right) return kUdpChecksum;
  }
  return p.kind == Kind::kRoce ? parse_roce(p, rest, frame) : kNone;
}

ParseError parse_icmp(ParsedPacket& p, ByteSpan rest) {
  p.kind = Kind::kIcmp;
  if (rest.size() < Icmp::kBytes) return kIcmpTruncated;
  const bool good = internet_sum(rest) == 0xFFFF;
  p.icmp = take<Icmp>(rest);
  p.payload = rest;
  return good ? kNone : kIcmpChecksum;
}

/// Cuts `rest` to the `length` bytes that IP claims.
bool cut(ParsedPacket& p, ByteSpan& rest, std::size_t length) {
  if (length > rest.size()) return false;
  p.trailing = rest.size() - length;
  rest = rest.first(length);
  return true;
}

ParseError parse_ipv4(ParsedPacket& p, ByteSpan rest, ByteSpan frame) {
  if (rest.size() < Ipv4::kBytes) return kIpTruncated;
  p.ipv4 = take<Ipv4>(rest);
  if (p.ipv4->version != 4) return kIpVersion;
  if (p.ipv4->ihl != 5) return kIpOptions;
  if (p.ipv4->total_length < Ipv4::kBytes || !cut(p, rest, p.ipv4->total_length - Ipv4::kBytes)) return kIpLength;
  if (p.ipv4->checksum != p.ipv4->right_checksum()) return kIpChecksum;
  if ((p.ipv4->flags & 1) != 0 || p.ipv4->fragment_offset != 0) return kIpFragment;
  if (p.ipv4->protocol == kProtocolUdp) return parse_udp(p, rest, frame);
  if (p.ipv4->protocol == kProtocolIcmp) return parse_icmp(p, rest);
  return kIpProtocol;
}

ParseError parse_ipv6(ParsedPacket& p, ByteSpan rest, ByteSpan frame) {
  if (rest.size() < Ipv6::kBytes) return kIpTruncated;
  p.ipv6 = take<Ipv6>(rest);
  if (p.ipv6->version != 6) return kIpVersion;
  if (!cut(p, rest, p.ipv6->payload_length)) return kIpLength;
  return p.ipv6->next_header == kProtocolUdp ? parse_udp(p, rest, frame) : kIpProtocol;
}

ParseError parse_arp(ParsedPacket& p, ByteSpan rest) {
  p.kind = Kind::kArp;
  if (rest.size() < Arp::kBytes) return kArpFormat;
  p.arp = take<Arp>(rest);
  p.trailing = rest.size();
  const bool good = p.arp->hardware == 1 && p.arp->protocol == kEtherTypeIpv4 && p.arp->hardware_bytes == 6 &&
                    p.arp->protocol_bytes == 4;
  return good ? kNone : kArpFormat;
}

ParseError parse_eth(ParsedPacket& p, ByteSpan frame) {
  if (frame.size() < Eth::kBytes) return kEthTruncated;
  ByteSpan rest = frame;
  p.eth = take<Eth>(rest);
  switch (p.eth->ether_type) {
    case kEtherTypeIpv4:
      return parse_ipv4(p, rest, frame);
    case kEtherTypeIpv6:
      return parse_ipv6(p, rest, frame);
    case kEtherTypeArp:
      return parse_arp(p, rest);
    default:
      return kEtherType;
  }
}

}  // namespace

std::string_view name(ParseError error) { return kErrorTexts[static_cast<std::size_t>(error)].name; }
std::string_view explain(ParseError error) { return kErrorTexts[static_cast<std::size_t>(error)].sentence; }

ParsedPacket parse(ByteSpan frame) {
  ParsedPacket packet;
  packet.error = parse_eth(packet, frame);
  return packet;
}

}  // namespace caravan::packet
