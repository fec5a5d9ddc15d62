// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "models/packet/packet.hpp"

namespace caravan::packet {
namespace {

/// Collects `key=value` fields separated by one space.
class Line {
 public:
  template <class... Args>
  void add(std::string_view key, fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), "{}{}=", text_.empty() ? "" : " ", key);
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string_view kind_name(Kind kind) {
  constexpr std::string_view kNames[] = {"other", "arp", "icmp", "udp", "roce"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view syndrome_name(const Aeth& aeth) {
  if (aeth.is_ack()) return "ack";
  if (aeth.is_rnr()) return "rnr";
  if (!aeth.is_nak()) return "reserved";
  constexpr std::string_view kNames[] = {"nak_sequence", "nak_invalid", "nak_access", "nak_operational", "nak_rd"};
  const std::size_t code = aeth.syndrome & 0x1F;
  return code < std::size(kNames) ? kNames[code] : "nak_reserved";
}

void add_bth(Line& line, const ParsedPacket& p) {
  const Bth& bth = *p.bth;
  if (p.op != nullptr)
    line.add("op", "{}", p.op->name);
  else
    line.add("op", "{:#04x}", bth.opcode);
  line.add("qpn", "{:#x}", bth.dest_qp);
  line.add("psn", "{:#08x}", bth.psn);
  line.add("ackreq", "{:d}", bth.ack_req);
  // The rest of the BTH is shown where it is unusual.
  if (bth.solicited) line.add("solicited", "1");
  if (bth.mig_req) line.add("migreq", "1");
  if (bth.tver != 0) line.add("tver", "{}", bth.tver);
  if (bth.pkey != kDefaultPkey) line.add("pkey", "{:#06x}", bth.pkey);
  if (bth.fecn) line.add("fecn", "1");
  if (bth.becn) line.add("becn", "1");
  if (bth.reserved6 != 0) line.add("reserved6", "{:#x}", bth.reserved6);
  if (bth.reserved7 != 0) line.add("reserved7", "{:#x}", bth.reserved7);
}

void add_extensions(Line& line, const ExtHeaders& ext) {
  if (ext.deth) {
    line.add("qkey", "{:#x}", ext.deth->qkey);
    line.add("srcqp", "{:#x}", ext.deth->src_qp);
  }
  if (ext.reth) {
    line.add("va", "{:#018x}", ext.reth->va);
    line.add("rkey", "{:#x}", ext.reth->rkey);
    line.add("len", "{}", ext.reth->dma_length);
  }
  if (ext.atomic) {
    line.add("va", "{:#018x}", ext.atomic->va);
    line.add("rkey", "{:#x}", ext.atomic->rkey);
    line.add("swap", "{:#x}", ext.atomic->swap_add);
    line.add("compare", "{:#x}", ext.atomic->compare);
  }
  if (ext.aeth) {
    line.add("syndrome", "{:#04x}", ext.aeth->syndrome);
    line.add("meaning", "{}", syndrome_name(*ext.aeth));
    line.add("msn", "{}", ext.aeth->msn);
  }
  if (ext.atomic_ack) line.add("original", "{:#x}", ext.atomic_ack->original);
  if (ext.imm) line.add("imm", "{:#x}", ext.imm->immediate);
  if (ext.ieth) line.add("inv_rkey", "{:#x}", ext.ieth->rkey);
}

void add_network(Line& line, const ParsedPacket& p) {
  if (p.ipv4) {
    line.add("src", "{}", to_text(p.ipv4->src));
    line.add("dst", "{}", to_text(p.ipv4->dst));
    if ((p.ipv4->tos & 3) != 0) line.add("ecn", "{}", p.ipv4->tos & 3);
    if (p.ipv4->tos >> 2 != 0) line.add("dscp", "{}", p.ipv4->tos >> 2);
  } else if (p.ipv6) {
    line.add("src", "{}", to_text(p.ipv6->src));
    line.add("dst", "{}", to_text(p.ipv6->dst));
    if ((p.ipv6->traffic_class & 3) != 0) line.add("ecn", "{}", p.ipv6->traffic_class & 3);
    if (p.ipv6->traffic_class >> 2 != 0) line.add("dscp", "{}", p.ipv6->traffic_class >> 2);
  } else if (p.eth) {
    line.add("src", "{}", to_text(p.eth->src));
    line.add("dst", "{}", to_text(p.eth->dst));
    line.add("type", "{:#06x}", p.eth->ether_type);
  }
  if (p.udp) line.add("sport", "{}", p.udp->src_port);
  if (p.udp && p.kind == Kind::kUdp) line.add("dport", "{}", p.udp->dst_port);
}

}  // namespace

std::uint64_t payload_hash(ByteSpan payload) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (const std::uint8_t byte : payload) hash = (hash ^ byte) * 0x100000001B3ull;
  return hash;
}

std::string describe(const ParsedPacket& p) {
  Line line;
  if (!p.ok()) line.add("error", "{}", name(p.error));
  line.add("kind", "{}", kind_name(p.kind));
  if (p.bth) add_bth(line, p);
  add_extensions(line, p.ext);
  if (p.arp) {
    line.add("arp", "{}", p.arp->operation == 1 ? "request" : p.arp->operation == 2 ? "reply" : "other");
    line.add("sender", "{}", to_text(p.arp->sender_ip));
    line.add("target", "{}", to_text(p.arp->target_ip));
  }
  if (p.icmp) {
    line.add("type", "{}", p.icmp->type);
    line.add("code", "{}", p.icmp->code);
    line.add("id", "{}", p.icmp->id);
    line.add("seq", "{}", p.icmp->sequence);
  }
  add_network(line, p);
  if (p.udp || p.icmp) {
    line.add("bytes", "{}", p.payload.size());
    if (!p.payload.empty()) line.add("hash", "{:016x}", payload_hash(p.payload));
  }
  if (p.trailing != 0) line.add("trailing", "{}", p.trailing);
  return line.take();
}

std::string describe(ByteSpan frame) {
  const ParsedPacket packet = parse(frame);
  std::string text = describe(packet);
  if (!packet.ok()) text += fmt::format(" frame_bytes={} frame_hash={:016x}", frame.size(), payload_hash(frame));
  return text;
}

}  // namespace caravan::packet
