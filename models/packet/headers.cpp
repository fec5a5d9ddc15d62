// SPDX-License-Identifier: Apache-2.0
#include "models/packet/headers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace caravan::packet {
namespace {

template <std::size_t N>
std::array<std::uint8_t, N> get_array(const std::uint8_t* p) {
  std::array<std::uint8_t, N> a;
  std::copy_n(p, N, a.begin());
  return a;
}

std::uint16_t bits16(unsigned v) { return static_cast<std::uint16_t>(v); }
std::uint8_t bits8(unsigned v) { return static_cast<std::uint8_t>(v); }

std::uint16_t finish_udp(std::uint32_t sum) {
  const std::uint16_t checksum = bits16(~sum & 0xFFFF);
  return checksum == 0 ? 0xFFFF : checksum;
}

}  // namespace

Eth Eth::decode(const std::uint8_t* p) { return {get_array<6>(p), get_array<6>(p + 6), get_be16(p + 12)}; }
void Eth::encode(std::uint8_t* p) const {
  std::ranges::copy(dst, p);
  std::ranges::copy(src, p + 6);
  put_be(p + 12, 2, ether_type);
}

Arp Arp::decode(const std::uint8_t* p) {
  return {get_be16(p),          get_be16(p + 2), p[4], p[5], get_be16(p + 6), get_array<6>(p + 8), get_be32(p + 14),
          get_array<6>(p + 18), get_be32(p + 24)};
}
void Arp::encode(std::uint8_t* p) const {
  put_be(p, 2, hardware);
  put_be(p + 2, 2, protocol);
  p[4] = hardware_bytes;
  p[5] = protocol_bytes;
  put_be(p + 6, 2, operation);
  std::ranges::copy(sender_mac, p + 8);
  put_be(p + 14, 4, sender_ip);
  std::ranges::copy(target_mac, p + 18);
  put_be(p + 24, 4, target_ip);
}

Ipv4 Ipv4::decode(const std::uint8_t* p) {
  const std::uint16_t fragment = get_be16(p + 6);
  return {bits8(p[0] >> 4),
          bits8(p[0] & 0xF),
          p[1],
          get_be16(p + 2),
          get_be16(p + 4),
          bits8(fragment >> 13),
          bits16(fragment & 0x1FFF),
          p[8],
          p[9],
          get_be16(p + 10),
          get_be32(p + 12),
          get_be32(p + 16)};
}
void Ipv4::encode(std::uint8_t* p) const {
  p[0] = bits8(version << 4 | ihl);
  p[1] = tos;
  put_be(p + 2, 2, total_length);
  put_be(p + 4, 2, id);
  put_be(p + 6, 2, static_cast<std::uint64_t>(flags) << 13 | fragment_offset);
  p[8] = ttl;
  p[9] = protocol;
  put_be(p + 10, 2, checksum);
  put_be(p + 12, 4, src);
  put_be(p + 16, 4, dst);
}
std::uint16_t Ipv4::right_checksum() const {
  std::array<std::uint8_t, kBytes> bytes;
  Ipv4 zeroed = *this;
  zeroed.checksum = 0;
  zeroed.encode(bytes.data());
  return bits16(~internet_sum(bytes) & 0xFFFF);
}

Ipv6 Ipv6::decode(const std::uint8_t* p) {
  const std::uint32_t first = get_be32(p);
  return {bits8(first >> 28),   bits8(first >> 20 & 0xFF), first & 0xFFFFF, get_be16(p + 4), p[6], p[7],
          get_array<16>(p + 8), get_array<16>(p + 24)};
}
void Ipv6::encode(std::uint8_t* p) const {
  put_be(p, 4,
         static_cast<std::uint32_t>(version) << 28 | static_cast<std::uint32_t>(traffic_class) << 20 | flow_label);
  put_be(p + 4, 2, payload_length);
  p[6] = next_header;
  p[7] = hop_limit;
  std::ranges::copy(src, p + 8);
  std::ranges::copy(dst, p + 24);
}

Udp Udp::decode(const std::uint8_t* p) { return {get_be16(p), get_be16(p + 2), get_be16(p + 4), get_be16(p + 6)}; }
void Udp::encode(std::uint8_t* p) const {
  put_be(p, 2, src_port);
  put_be(p + 2, 2, dst_port);
  put_be(p + 4, 2, length);
  put_be(p + 6, 2, checksum);
}

Icmp Icmp::decode(const std::uint8_t* p) { return {p[0], p[1], get_be16(p + 2), get_be16(p + 4), get_be16(p + 6)}; }
void Icmp::encode(std::uint8_t* p) const {
  p[0] = type;
  p[1] = code;
  put_be(p + 2, 2, checksum);
  put_be(p + 4, 2, id);
  put_be(p + 6, 2, sequence);
}

Bth Bth::decode(const std::uint8_t* p) {
  return {p[0],
          (p[1] & 0x80) != 0,
          (p[1] & 0x40) != 0,
          bits8(p[1] >> 4 & 3),
          bits8(p[1] & 0xF),
          get_be16(p + 2),
          (p[4] & 0x80) != 0,
          (p[4] & 0x40) != 0,
          bits8(p[4] & 0x3F),
          get_be24(p + 5),
          (p[8] & 0x80) != 0,
          bits8(p[8] & 0x7F),
          get_be24(p + 9)};
}
void Bth::encode(std::uint8_t* p) const {
  p[0] = opcode;
  p[1] = bits8(unsigned{solicited} << 7 | unsigned{mig_req} << 6 | unsigned{pad_count} << 4 | tver);
  put_be(p + 2, 2, pkey);
  p[4] = bits8(unsigned{fecn} << 7 | unsigned{becn} << 6 | reserved6);
  put_be(p + 5, 3, dest_qp);
  p[8] = bits8(unsigned{ack_req} << 7 | reserved7);
  put_be(p + 9, 3, psn);
}

Deth Deth::decode(const std::uint8_t* p) { return {get_be32(p), p[4], get_be24(p + 5)}; }
void Deth::encode(std::uint8_t* p) const {
  put_be(p, 4, qkey);
  p[4] = reserved;
  put_be(p + 5, 3, src_qp);
}

Reth Reth::decode(const std::uint8_t* p) { return {get_be64(p), get_be32(p + 8), get_be32(p + 12)}; }
void Reth::encode(std::uint8_t* p) const {
  put_be(p, 8, va);
  put_be(p + 8, 4, rkey);
  put_be(p + 12, 4, dma_length);
}

AtomicEth AtomicEth::decode(const std::uint8_t* p) {
  return {get_be64(p), get_be32(p + 8), get_be64(p + 12), get_be64(p + 20)};
}
void AtomicEth::encode(std::uint8_t* p) const {
  put_be(p, 8, va);
  put_be(p + 8, 4, rkey);
  put_be(p + 12, 8, swap_add);
  put_be(p + 20, 8, compare);
}

Aeth Aeth::decode(const std::uint8_t* p) { return {p[0], get_be24(p + 1)}; }
void Aeth::encode(std::uint8_t* p) const {
  p[0] = syndrome;
  put_be(p + 1, 3, msn);
}

AtomicAckEth AtomicAckEth::decode(const std::uint8_t* p) { return {get_be64(p)}; }
void AtomicAckEth::encode(std::uint8_t* p) const { put_be(p, 8, original); }

ImmDt ImmDt::decode(const std::uint8_t* p) { return {get_be32(p)}; }
void ImmDt::encode(std::uint8_t* p) const { put_be(p, 4, immediate); }

Ieth Ieth::decode(const std::uint8_t* p) { return {get_be32(p)}; }
void Ieth::encode(std::uint8_t* p) const { put_be(p, 4, rkey); }

std::uint32_t internet_sum(ByteSpan data, std::uint32_t sum) {
  std::uint64_t wide = sum;
  for (std::size_t i = 0; i + 1 < data.size(); i += 2) wide += get_be16(data.data() + i);
  if (data.size() % 2 != 0) wide += std::uint64_t{data.back()} << 8;
  while (wide >> 16 != 0) wide = (wide & 0xFFFF) + (wide >> 16);
  return static_cast<std::uint32_t>(wide);
}

std::uint16_t udp_checksum(Ipv4Addr src, Ipv4Addr dst, ByteSpan udp) {
  std::array<std::uint8_t, 12> pseudo{};
  put_be(pseudo.data(), 4, src);
  put_be(pseudo.data() + 4, 4, dst);
  pseudo[9] = kProtocolUdp;
  put_be(pseudo.data() + 10, 2, udp.size());
  return finish_udp(internet_sum(udp, internet_sum(pseudo)));
}

std::uint16_t udp_checksum(const Ipv6Addr& src, const Ipv6Addr& dst, ByteSpan udp) {
  std::array<std::uint8_t, 40> pseudo{};
  std::ranges::copy(src, pseudo.begin());
  std::ranges::copy(dst, pseudo.begin() + 16);
  put_be(pseudo.data() + 32, 4, udp.size());
  pseudo[39] = kProtocolUdp;
  return finish_udp(internet_sum(udp, internet_sum(pseudo)));
}

std::string to_text(const MacAddr& mac) {
  return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
}

std::string to_text(Ipv4Addr ip) {
  return fmt::format("{}.{}.{}.{}", ip >> 24, ip >> 16 & 0xFF, ip >> 8 & 0xFF, ip & 0xFF);
}

std::string to_text(const Ipv6Addr& ip) {
  std::string text;
  for (std::size_t i = 0; i < 16; i += 2) text += fmt::format("{}{:02x}{:02x}", i == 0 ? "" : ":", ip[i], ip[i + 1]);
  return text;
}

std::optional<Ipv4Addr> parse_ipv4(const std::string& text) {
  Ipv4Addr ip = 0;
  const char* p = text.data();
  const char* const end = p + text.size();
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && (p == end || *p++ != '.')) return std::nullopt;
    unsigned value = 0;
    const auto [next, failure] = std::from_chars(p, end, value);
    if (failure != std::errc() || value > 255) return std::nullopt;
    ip = ip << 8 | value;
    p = next;
  }
  return p == end ? std::optional(ip) : std::nullopt;
}

}  // namespace caravan::packet
