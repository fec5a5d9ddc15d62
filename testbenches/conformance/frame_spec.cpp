// SPDX-License-Identifier: Apache-2.0
#include "testbenches/conformance/frame_spec.hpp"

#include <fmt/format.h>

#include "models/packet/icrc.hpp"

namespace caravan::conformance {
namespace {

using packet::Opcode;

constexpr std::size_t kIpAt = 14, kBthAt = 42;

FrameSpec spec_of(Opcode opcode, std::int64_t psn, packet::Buffer payload = {}) {
  FrameSpec s;
  s.frame.bth.opcode = static_cast<std::uint8_t>(opcode);
  s.psn = psn;
  s.payload = std::move(payload);
  return s;
}

FrameSpec with_reth(FrameSpec s, std::uint64_t at, std::uint32_t length) {
  s.frame.ext.reth = packet::Reth{kVa + at, kRkey, length};
  return s;
}

FrameSpec with_aeth(FrameSpec s, std::uint8_t syndrome, std::uint32_t msn) {
  s.frame.ext.aeth = packet::Aeth{syndrome, msn};
  return s;
}

FrameSpec with_atomic(FrameSpec s, std::uint64_t at, std::uint64_t swap_add, std::uint64_t compare) {
  s.frame.ext.atomic = packet::AtomicEth{kVa + at, kRkey, swap_add, compare};
  return s;
}

}  // namespace

packet::Buffer data(std::uint32_t seed, std::uint64_t from, std::size_t bytes) {
  packet::Buffer out(bytes);
  for (std::size_t i = 0; i < bytes; ++i) out[i] = data_byte(seed, from + i);
  return out;
}

FrameSpec FrameSpec::ack_req() const {
  FrameSpec s = *this;
  s.frame.bth.ack_req = true;
  return s;
}
FrameSpec FrameSpec::solicited() const {
  FrameSpec s = *this;
  s.frame.bth.solicited = true;
  return s;
}
FrameSpec FrameSpec::imm(std::uint32_t value) const {
  FrameSpec s = *this;
  s.frame.ext.imm = packet::ImmDt{value};
  switch (opcode()) {
    case Opcode::kSendLast:
      return s.as(Opcode::kSendLastImm);
    case Opcode::kSendOnly:
      return s.as(Opcode::kSendOnlyImm);
    case Opcode::kWriteLast:
      return s.as(Opcode::kWriteLastImm);
    case Opcode::kUdSendOnly:
      return s.as(Opcode::kUdSendOnlyImm);
    default:
      return s.as(Opcode::kWriteOnlyImm);
  }
}
FrameSpec FrameSpec::on(std::uint32_t own_qpn) const {
  FrameSpec s = *this;
  s.qpn = own_qpn;
  return s;
}
FrameSpec FrameSpec::rkey(std::uint32_t value) const {
  FrameSpec s = *this;
  if (s.frame.ext.reth) s.frame.ext.reth->rkey = value;
  if (s.frame.ext.atomic) s.frame.ext.atomic->rkey = value;
  return s;
}
FrameSpec FrameSpec::va(std::uint64_t value) const {
  FrameSpec s = *this;
  if (s.frame.ext.reth) s.frame.ext.reth->va = value;
  if (s.frame.ext.atomic) s.frame.ext.atomic->va = value;
  return s;
}
FrameSpec FrameSpec::dma_length(std::uint32_t value) const {
  FrameSpec s = *this;
  s.frame.ext.reth->dma_length = value;
  return s;
}
FrameSpec FrameSpec::seed(std::uint32_t value) const {
  FrameSpec s = *this;
  s.payload = data(value, 0, payload.size());
  return s;
}
FrameSpec FrameSpec::as(Opcode other) const {
  FrameSpec s = *this;
  s.frame.bth.opcode = static_cast<std::uint8_t>(other);
  return s;
}
FrameSpec FrameSpec::header(const std::string& name, const std::function<void(packet::RoceFrame&)>& edit) const {
  FrameSpec s = *this;
  s.change += (s.change.empty() ? "" : ", ") + name;
  edit(s.frame);
  return s;
}
FrameSpec FrameSpec::bytes(const std::string& name, const std::function<void(packet::Buffer&)>& edit) const {
  FrameSpec s = *this;
  s.change += (s.change.empty() ? "" : ", ") + name;
  s.damage.push_back(edit);
  return s;
}

FrameSpec write_only(std::int64_t psn, std::uint32_t bytes, std::uint64_t at) {
  return with_reth(spec_of(Opcode::kWriteOnly, psn, data(1, 0, bytes)), at, bytes);
}
FrameSpec write_first(std::int64_t psn, std::uint32_t total, std::uint32_t pmtu, std::uint64_t at) {
  return with_reth(spec_of(Opcode::kWriteFirst, psn, data(1, 0, pmtu)), at, total);
}
FrameSpec write_middle(std::int64_t psn, std::uint64_t from, std::uint32_t bytes) {
  return spec_of(Opcode::kWriteMiddle, psn, data(1, from, bytes));
}
FrameSpec write_last(std::int64_t psn, std::uint64_t from, std::uint32_t bytes) {
  return spec_of(Opcode::kWriteLast, psn, data(1, from, bytes));
}
FrameSpec send_only(std::int64_t psn, std::uint32_t bytes) {
  return spec_of(Opcode::kSendOnly, psn, data(1, 0, bytes));
}
FrameSpec send_first(std::int64_t psn, std::uint32_t bytes) {
  return spec_of(Opcode::kSendFirst, psn, data(1, 0, bytes));
}
FrameSpec send_middle(std::int64_t psn, std::uint64_t from, std::uint32_t bytes) {
  return spec_of(Opcode::kSendMiddle, psn, data(1, from, bytes));
}
FrameSpec send_last(std::int64_t psn, std::uint64_t from, std::uint32_t bytes) {
  return spec_of(Opcode::kSendLast, psn, data(1, from, bytes));
}
FrameSpec read_request(std::int64_t psn, std::uint32_t bytes, std::uint64_t at) {
  return with_reth(spec_of(Opcode::kReadRequest, psn), at, bytes).ack_req();
}
FrameSpec fetch_add(std::int64_t psn, std::uint64_t add, std::uint64_t at) {
  return with_atomic(spec_of(Opcode::kFetchAdd, psn), at, add, 0).ack_req();
}
FrameSpec compare_swap(std::int64_t psn, std::uint64_t compare, std::uint64_t swap, std::uint64_t at) {
  return with_atomic(spec_of(Opcode::kCompareSwap, psn), at, swap, compare).ack_req();
}
FrameSpec datagram(std::uint32_t qkey, std::uint32_t bytes) {
  FrameSpec s = spec_of(Opcode::kUdSendOnly, 0, data(1, 0, bytes));
  s.frame.ext.deth = packet::Deth{.qkey = qkey, .reserved = 0, .src_qp = 0x77};
  return s;
}
FrameSpec cnp() {
  FrameSpec s = spec_of(Opcode::kCnp, 0, packet::Buffer(16));
  s.raw_psn = true;
  s.frame.bth.becn = true;
  return s;
}
FrameSpec ack(std::int64_t psn, std::uint32_t msn) { return nak(psn, packet::kSyndromeAck, msn); }
FrameSpec nak(std::int64_t psn, std::uint8_t syndrome, std::uint32_t msn) {
  return with_aeth(spec_of(Opcode::kAck, psn), syndrome, msn);
}
FrameSpec rnr(std::int64_t psn, std::uint8_t timer, std::uint32_t msn) {
  return nak(psn, static_cast<std::uint8_t>(packet::kNakRnr | timer), msn);
}
FrameSpec read_response(Opcode opcode, std::int64_t psn, std::uint32_t msn, std::uint64_t from, std::uint32_t bytes,
                        std::uint32_t seed) {
  return with_aeth(spec_of(opcode, psn, data(seed, from, bytes)), packet::kSyndromeAck, msn);
}
FrameSpec atomic_ack(std::int64_t psn, std::uint32_t msn, std::uint64_t original) {
  FrameSpec s = with_aeth(spec_of(Opcode::kAtomicAck, psn), packet::kSyndromeAck, msn);
  s.frame.ext.atomic_ack = packet::AtomicAckEth{original};
  return s;
}

void reseal(packet::Buffer& frame) {
  packet::Ipv4 ip = packet::Ipv4::decode(frame.data() + kIpAt);
  ip.checksum = ip.right_checksum();
  ip.encode(frame.data() + kIpAt);
  frame.resize(frame.size() - packet::kIcrcBytes);
  packet::append_icrc(frame);
}

FrameSpec bad_icrc(const FrameSpec& spec) {
  return spec.bytes("wrong ICRC", [](packet::Buffer& f) { f.back() ^= 0x40; });
}
FrameSpec pad_count(const FrameSpec& spec, unsigned pad) {
  return spec.bytes(fmt::format("pad count {}", pad), [pad](packet::Buffer& f) {
    f[kBthAt + 1] = static_cast<std::uint8_t>((f[kBthAt + 1] & ~0x30u) | pad << 4);
    reseal(f);
  });
}
FrameSpec truncated(const FrameSpec& spec, std::size_t bytes_less) {
  return spec.bytes(fmt::format("{} bytes cut off", bytes_less),
                    [bytes_less](packet::Buffer& f) { f.resize(f.size() - bytes_less); });
}
FrameSpec trailing(const FrameSpec& spec, std::size_t bytes_more) {
  return spec.bytes(fmt::format("{} bytes behind the ICRC", bytes_more),
                    [bytes_more](packet::Buffer& f) { f.resize(f.size() + bytes_more, 0xEE); });
}
FrameSpec vlan_tagged(const FrameSpec& spec) {
  return spec.bytes("VLAN tag", [](packet::Buffer& f) {
    constexpr std::uint8_t tag[] = {0x81, 0x00, 0x00, 0x05};
    f.insert(f.begin() + 12, std::begin(tag), std::end(tag));
  });
}
FrameSpec with_ip_option(const FrameSpec& spec) {
  return spec.bytes("IPv4 option", [](packet::Buffer& f) {
    f.insert(f.begin() + kIpAt + packet::Ipv4::kBytes, {1, 1, 1, 1});  // four NOPs
    f[kIpAt] = 0x46;
    const auto length = packet::get_be16(f.data() + kIpAt + 2) + 4u;
    packet::put_be(f.data() + kIpAt + 2, 2, length);
    packet::put_be(f.data() + kIpAt + 10, 2, 0);
    const std::uint32_t sum = packet::internet_sum({f.data() + kIpAt, 24});
    packet::put_be(f.data() + kIpAt + 10, 2, ~sum & 0xFFFF);
  });
}
FrameSpec raw_opcode(const FrameSpec& spec, std::uint8_t opcode) {
  return spec.bytes(fmt::format("opcode {:#04x}", opcode), [opcode](packet::Buffer& f) {
    f[kBthAt] = opcode;
    reseal(f);
  });
}

packet::Buffer make_frame(const FrameSpec& spec, const Psns& psns, bool inbound) {
  packet::RoceFrame frame = spec.frame;
  const std::uint32_t peer_qpn = 0x10 + spec.qpn;
  // A frame that a change gave an address keeps it.
  if (frame.eth.dst == packet::MacAddr{}) frame.eth.dst = inbound ? kOwnMac : kPeerMac;
  if (frame.eth.src == packet::MacAddr{}) frame.eth.src = inbound ? kPeerMac : kOwnMac;
  auto& ip = std::get<packet::Ipv4>(frame.ip);
  if (ip.src == 0) ip.src = inbound ? kPeerIp : kOwnIp;
  if (ip.dst == 0) ip.dst = inbound ? kOwnIp : kPeerIp;
  if (frame.bth.dest_qp == 0) frame.bth.dest_qp = inbound ? spec.qpn : peer_qpn;
  // Requests count from the sender's first PSN; a response has the PSN of the request that it answers.
  const std::uint32_t base = spec.is_request() == inbound ? psns.expect : psns.send;
  const std::int64_t psn = spec.raw_psn ? spec.psn : base + spec.psn;
  frame.bth.psn = static_cast<std::uint32_t>(psn) & base::Psn::kMask;
  packet::Buffer bytes = packet::build(frame, spec.payload);
  for (const auto& change : spec.damage) change(bytes);
  return bytes;
}

}  // namespace caravan::conformance
