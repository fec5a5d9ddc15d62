// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "models/base/errors.hpp"
#include "models/packet/icrc.hpp"
#include "models/packet/packet.hpp"

namespace caravan::packet {
namespace {

template <class Header>
void append(Buffer& out, const Header& header) {
  out.resize(out.size() + Header::kBytes);
  header.encode(out.data() + out.size() - Header::kBytes);
}

void append_extensions(Buffer& out, const OpcodeTraits& op, const ExtHeaders& ext) {
  if (op.has(kExtDeth)) append(out, ext.deth.value_or(Deth{}));
  if (op.has(kExtReth)) append(out, ext.reth.value_or(Reth{}));
  if (op.has(kExtAtomicEth)) append(out, ext.atomic.value_or(AtomicEth{}));
  if (op.has(kExtAeth)) append(out, ext.aeth.value_or(Aeth{.syndrome = 0}));
  if (op.has(kExtAtomicAckEth)) append(out, ext.atomic_ack.value_or(AtomicAckEth{}));
  if (op.has(kExtImmDt)) append(out, ext.imm.value_or(ImmDt{}));
  if (op.has(kExtIeth)) append(out, ext.ieth.value_or(Ieth{}));
}

}  // namespace

Buffer build(const RoceFrame& frame, ByteSpan payload) {
  const OpcodeTraits* op = find_opcode(frame.bth.opcode);
  BUG_IF(op == nullptr, fmt::format("no frame can be built for opcode {:#04x}", frame.bth.opcode));
  BUG_IF(payload.size() > 9216, fmt::format("a payload of {} bytes does not fit a frame", payload.size()));
  const std::size_t pad = -payload.size() & 3;
  const std::size_t udp_bytes = Udp::kBytes + Bth::kBytes + op->ext_bytes() + payload.size() + pad + kIcrcBytes;

  Buffer out;
  out.reserve(Eth::kBytes + Ipv6::kBytes + udp_bytes);
  Eth eth = frame.eth;
  if (const auto* v4 = std::get_if<Ipv4>(&frame.ip)) {
    Ipv4 ip = *v4;
    eth.ether_type = kEtherTypeIpv4;
    ip.total_length = static_cast<std::uint16_t>(Ipv4::kBytes + udp_bytes);
    ip.checksum = ip.right_checksum();
    append(out, eth);
    append(out, ip);
  } else {
    Ipv6 ip = std::get<Ipv6>(frame.ip);
    eth.ether_type = kEtherTypeIpv6;
    ip.payload_length = static_cast<std::uint16_t>(udp_bytes);
    append(out, eth);
    append(out, ip);
  }
  Udp udp = frame.udp;
  udp.length = static_cast<std::uint16_t>(udp_bytes);
  append(out, udp);
  Bth bth = frame.bth;
  bth.pad_count = static_cast<std::uint8_t>(pad);
  append(out, bth);
  append_extensions(out, *op, frame.ext);
  out.insert(out.end(), payload.begin(), payload.end());
  out.insert(out.end(), pad, std::uint8_t{0});
  append_icrc(out);
  return out;
}

RoceFrame to_frame(const ParsedPacket& packet) {
  BUG_IF(!packet.is_roce(), "fields asked of a frame that is not well-formed RoCE");
  RoceFrame frame{.eth = *packet.eth, .ip = Ipv4{}, .udp = *packet.udp, .bth = *packet.bth, .ext = packet.ext};
  if (packet.ipv4)
    frame.ip = *packet.ipv4;
  else
    frame.ip = *packet.ipv6;
  return frame;
}

}  // namespace caravan::packet
