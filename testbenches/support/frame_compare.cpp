// SPDX-License-Identifier: Apache-2.0
#include "testbenches/support/frame_compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "models/packet/packet.hpp"

namespace caravan::support {
namespace {

struct Field {
  std::string name, value;
};

void add(std::vector<Field>& fields, const char* name, std::uint64_t value) {
  fields.push_back({name, fmt::format("{:#x}", value)});
}

void add_extensions(std::vector<Field>& fields, const packet::ExtHeaders& ext) {
  if (ext.deth) {
    add(fields, "deth.qkey", ext.deth->qkey);
    add(fields, "deth.src_qp", ext.deth->src_qp);
  }
  if (ext.reth) {
    add(fields, "reth.va", ext.reth->va);
    add(fields, "reth.rkey", ext.reth->rkey);
    add(fields, "reth.dma_length", ext.reth->dma_length);
  }
  if (ext.atomic) {
    add(fields, "atomic.va", ext.atomic->va);
    add(fields, "atomic.rkey", ext.atomic->rkey);
    add(fields, "atomic.swap_add", ext.atomic->swap_add);
    add(fields, "atomic.compare", ext.atomic->compare);
  }
  if (ext.aeth) {
    add(fields, "aeth.syndrome", ext.aeth->syndrome);
    add(fields, "aeth.msn", ext.aeth->msn);
  }
  if (ext.atomic_ack) add(fields, "atomic_ack.original", ext.atomic_ack->original);
  if (ext.imm) add(fields, "imm", ext.imm->immediate);
  if (ext.ieth) add(fields, "ieth.rkey", ext.ieth->rkey);
}

/// The compared fields of a frame in wire order.
std::vector<Field> fields_of(const packet::ParsedPacket& p, const FrameMask& mask) {
  std::vector<Field> fields;
  fields.push_back({"eth.dst", packet::to_text(p.eth->dst)});
  fields.push_back({"eth.src", packet::to_text(p.eth->src)});
  add(fields, "eth.type", p.eth->ether_type);
  if (p.ipv4) {
    if (!mask.tos_ttl) add(fields, "ip.tos", p.ipv4->tos);
    add(fields, "ip.total_length", p.ipv4->total_length);
    add(fields, "ip.flags", p.ipv4->flags);
    if (!mask.tos_ttl) add(fields, "ip.ttl", p.ipv4->ttl);
    add(fields, "ip.protocol", p.ipv4->protocol);
    fields.push_back({"ip.src", packet::to_text(p.ipv4->src)});
    fields.push_back({"ip.dst", packet::to_text(p.ipv4->dst)});
  } else if (p.ipv6) {
    if (!mask.tos_ttl) add(fields, "ipv6.traffic_class", p.ipv6->traffic_class);
    add(fields, "ipv6.payload_length", p.ipv6->payload_length);
    if (!mask.tos_ttl) add(fields, "ipv6.hop_limit", p.ipv6->hop_limit);
    fields.push_back({"ipv6.src", packet::to_text(p.ipv6->src)});
    fields.push_back({"ipv6.dst", packet::to_text(p.ipv6->dst)});
  }
  if (p.udp) {
    if (!mask.udp_src_port) add(fields, "udp.src_port", p.udp->src_port);
    add(fields, "udp.dst_port", p.udp->dst_port);
    add(fields, "udp.length", p.udp->length);
    add(fields, "udp.checksum", p.udp->checksum);
  }
  if (p.bth) {
    add(fields, "bth.opcode", p.bth->opcode);
    add(fields, "bth.solicited", p.bth->solicited);
    if (!mask.mig_req) add(fields, "bth.mig_req", p.bth->mig_req);
    add(fields, "bth.pad_count", p.bth->pad_count);
    add(fields, "bth.tver", p.bth->tver);
    add(fields, "bth.pkey", p.bth->pkey);
    add(fields, "bth.fecn", p.bth->fecn);
    add(fields, "bth.becn", p.bth->becn);
    add(fields, "bth.reserved6", p.bth->reserved6);
    add(fields, "bth.dest_qp", p.bth->dest_qp);
    if (!mask.ack_req) add(fields, "bth.ack_req", p.bth->ack_req);
    add(fields, "bth.reserved7", p.bth->reserved7);
    add(fields, "bth.psn", p.bth->psn);
  }
  add_extensions(fields, p.ext);
  add(fields, "payload.bytes", p.payload.size());
  return fields;
}

std::optional<std::string> first_difference(const packet::ParsedPacket& expected, const packet::ParsedPacket& actual,
                                            const FrameMask& mask) {
  const auto want = fields_of(expected, mask), got = fields_of(actual, mask);
  for (std::size_t i = 0; i < std::min(want.size(), got.size()); ++i) {
    if (want[i].name != got[i].name) return fmt::format("expected field {}, got {}", want[i].name, got[i].name);
    if (want[i].value != got[i].value)
      return fmt::format("{}: expected {}, got {}", want[i].name, want[i].value, got[i].value);
  }
  if (want.size() != got.size()) return std::string("one frame has more headers than the other");
  const auto at = std::ranges::mismatch(expected.payload, actual.payload).in1;
  if (at == expected.payload.end()) return std::nullopt;
  const auto index = static_cast<std::size_t>(at - expected.payload.begin());
  return fmt::format("payload byte {}: expected {:#04x}, got {:#04x}", index, expected.payload[index],
                     actual.payload[index]);
}

}  // namespace

std::string compare_frames(packet::ByteSpan expected, packet::ByteSpan actual, const FrameMask& mask) {
  const packet::ParsedPacket want = packet::parse(expected), got = packet::parse(actual);
  std::optional<std::string> difference;
  if (!want.ok())
    difference = fmt::format("the expected frame is malformed: {}", packet::explain(want.error));
  else if (!got.ok())
    difference = fmt::format("the frame is malformed: {}", packet::explain(got.error));
  else
    difference = first_difference(want, got, mask);
  if (!difference) return {};
  return fmt::format("{}\n  expected: {}\n  actual:   {}", *difference, packet::describe(expected),
                     packet::describe(actual));
}

}  // namespace caravan::support
