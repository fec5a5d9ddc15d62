// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/frame_fuzzer.hpp"

#include "models/packet/icrc.hpp"

namespace caravan::support {
namespace {

constexpr std::size_t kIpAt = packet::Eth::kBytes;
constexpr std::size_t kUdpAt = kIpAt + packet::Ipv4::kBytes;
constexpr std::size_t kBthAt = kUdpAt + packet::Udp::kBytes;

/// Sets the ICRC anew after a change that it covers, so that the change itself decides.
void reseal(packet::Buffer& frame) {
  const bool ipv4 = frame[kIpAt] == 0x45;
  if (!ipv4 || frame.size() < kBthAt + packet::Bth::kBytes + packet::kIcrcBytes) return;
  frame.resize(frame.size() - packet::kIcrcBytes);
  packet::append_icrc(frame);
}

void fix_ip_checksum(packet::Buffer& frame) {
  auto ip = packet::Ipv4::decode(frame.data() + kIpAt);
  ip.checksum = ip.right_checksum();
  ip.encode(frame.data() + kIpAt);
}

}  // namespace

FuzzTarget default_fuzz_target() {
  FuzzTarget target;
  constexpr ref::QpState kStates[] = {ref::QpState::kReset, ref::QpState::kInit, ref::QpState::kRtr,
                                      ref::QpState::kRts,   ref::QpState::kRts,  ref::QpState::kError};
  constexpr std::uint32_t kPmtus[] = {1024, 256, 512, 4096, 256, 2048};
  for (std::uint32_t i = 0; i < 6; ++i) {
    ref::QpConfig qp;
    qp.qpn = base::Qpn(i + 1);
    qp.dest_qpn = base::Qpn(0x100 + i);
    qp.peer_mac = target.peer_mac;
    qp.peer_ip = target.peer_ip;
    qp.pmtu = kPmtus[i];
    qp.state = kStates[i];
    qp.first_psn_to_expect = base::Psn(0xFFFFF0u + 3 * i);
    qp.first_psn_to_send = base::Psn(0x1000 * i);
    qp.timeout_exponent = 0;
    target.qps.push_back(qp);
  }
  return target;
}

std::size_t FrameFuzzer::payload_bytes(const ref::QpConfig& qp, std::uint8_t opcode) {
  const auto* op = packet::find_opcode(opcode);
  if (op != nullptr && !op->has_payload) return rng_.chance(0.9) ? 0 : rng_.below(80);
  switch (rng_.below(8)) {
    case 0:
      return 0;
    case 1:
      return 1 + rng_.below(4);
    case 2:
      return 60 + rng_.below(9);
    case 3:
      return qp.pmtu - 1 + rng_.below(3);
    case 4:
      return 1 + rng_.below(qp.pmtu);
    case 5:
      return rng_.chance(0.2) ? 4090 + rng_.below(80) : 64;
    default:
      return qp.pmtu;
  }
}

packet::RoceFrame FrameFuzzer::sound_frame(const ref::QpConfig& qp, const ref::QpView& view, std::uint8_t opcode) {
  packet::RoceFrame f;
  f.eth.dst = target_.mac;
  f.eth.src = target_.peer_mac;
  packet::Ipv4 ip;
  ip.src = target_.peer_ip;
  ip.dst = target_.ip;
  ip.id = static_cast<std::uint16_t>(rng_.next());
  f.ip = ip;
  f.bth.opcode = opcode;
  f.bth.dest_qp = qp.qpn.value();
  f.bth.ack_req = rng_.chance(0.5);
  f.bth.mig_req = rng_.chance(0.5);
  f.bth.solicited = rng_.chance(0.1);
  f.bth.psn = view.epsn.value();
  switch (rng_.below(10)) {
    case 0:
      f.bth.psn = (view.epsn - static_cast<std::uint32_t>(1 + rng_.below(20))).value();
      break;
    case 1:
      f.bth.psn = (view.epsn + static_cast<std::uint32_t>(1 + rng_.below(20))).value();
      break;
    case 2:
      f.bth.psn = static_cast<std::uint32_t>(rng_.next()) & base::Psn::kMask;
      break;
    default:
      break;
  }
  packet::Reth reth;
  const bool rpc = rng_.chance(0.15);
  reth.rkey = rpc ? target_.rpc_rkey : target_.rkey;
  reth.va = (rpc ? target_.rpc_region.base : target_.region.base) + rng_.below(rpc ? 64 : 0x7000);
  reth.dma_length = 64;
  f.ext.reth = reth;
  packet::Aeth aeth;
  aeth.syndrome = rng_.chance(0.7) ? packet::kSyndromeAck : static_cast<std::uint8_t>(rng_.next());
  aeth.msn = static_cast<std::uint32_t>(rng_.next()) & 0xFFFFFF;
  f.ext.aeth = aeth;
  if (opcode == static_cast<std::uint8_t>(packet::Opcode::kAck)) {
    f.bth.psn = (view.next_psn + static_cast<std::uint32_t>(rng_.below(8)) - 4).value();
  }
  return f;
}

packet::Buffer FrameFuzzer::next(const ref::RoceRef& state) {
  const std::uint64_t i = count_++;
  // A third of the frames are WRITEs, which is where state moves; the rest walks through all opcodes.
  const auto walk = static_cast<std::uint8_t>(i);
  const std::uint8_t opcode = rng_.chance(0.33) ? static_cast<std::uint8_t>(6 + rng_.below(5)) : walk;
  const auto& qp = target_.qps[(i / 256 + rng_.below(2)) % target_.qps.size()];
  note_ = {opcode, qp.qpn.value(), "none"};
  const auto view = state.view(qp.qpn);
  if (view.in_message && left_[qp.qpn.value()] > 0 && rng_.chance(0.7)) return next_of_message(qp, view);
  packet::RoceFrame f = sound_frame(qp, view, opcode);
  packet::Buffer payload(payload_bytes(qp, opcode));
  for (auto& byte : payload) byte = static_cast<std::uint8_t>(rng_.next());
  if (f.ext.reth && rng_.chance(0.8)) {
    // Mostly the length that the packet needs; a FIRST announces two to four packets.
    const bool first = opcode == static_cast<std::uint8_t>(packet::Opcode::kWriteFirst);
    f.ext.reth->dma_length = static_cast<std::uint32_t>(first ? qp.pmtu + 1 + rng_.below(3 * qp.pmtu) : payload.size());
  } else {
    f.ext.reth->dma_length = static_cast<std::uint32_t>(rng_.next() >> rng_.below(32));
  }
  if (rng_.chance(0.06)) {
    note_.change = "reth";
    switch (rng_.below(4)) {
      case 0:
        f.ext.reth->rkey ^= 1u << rng_.below(32);
        break;
      case 1:
        f.ext.reth->va = target_.region.base + target_.region.length - rng_.below(70);
        break;
      case 2:
        f.ext.reth->va = rng_.next();
        break;
      default:
        f.ext.reth->va = ~0ull - rng_.below(128);
        break;
    }
  }
  packet::Buffer frame;
  if (packet::find_opcode(opcode) != nullptr) {
    frame = packet::build(f, payload);
  } else {
    // An unknown opcode has no layout: build an ACK-like packet around it and put the opcode in.
    f.bth.opcode = static_cast<std::uint8_t>(packet::Opcode::kSendOnly);
    frame = packet::build(f, payload);
    frame[kBthAt] = opcode;
    reseal(frame);
  }
  if (opcode == static_cast<std::uint8_t>(packet::Opcode::kWriteFirst))
    left_[qp.qpn.value()] = f.ext.reth->dma_length - qp.pmtu;
  return finish(std::move(frame));
}

packet::Buffer FrameFuzzer::next_of_message(const ref::QpConfig& qp, const ref::QpView& view) {
  std::uint32_t& left = left_[qp.qpn.value()];
  const bool last = left <= qp.pmtu;
  note_.opcode = static_cast<std::uint8_t>(last ? packet::Opcode::kWriteLast : packet::Opcode::kWriteMiddle);
  packet::RoceFrame f = sound_frame(qp, view, note_.opcode);
  packet::Buffer payload(last ? left : qp.pmtu);
  for (auto& byte : payload) byte = static_cast<std::uint8_t>(rng_.next());
  if (f.bth.psn == view.epsn.value()) left -= static_cast<std::uint32_t>(payload.size());
  return finish(packet::build(f, payload));
}

packet::Buffer FrameFuzzer::finish(packet::Buffer frame) {
  if (rng_.chance(0.25)) damage(frame);
  while (frame.size() < 60) frame.push_back(0);  // Ethernet padding
  return frame;
}

void FrameFuzzer::damage(packet::Buffer& frame) {
  const auto any = [&](std::size_t from, std::size_t count) { return from + rng_.below(count); };
  switch (rng_.below(14)) {
    case 0:
      note_.change = "icrc";
      frame.back() ^= static_cast<std::uint8_t>(1 + rng_.below(255));
      break;
    case 1:
      note_.change = "any byte";
      frame[any(0, frame.size())] ^= static_cast<std::uint8_t>(1 + rng_.below(255));
      break;
    case 2:
      note_.change = "truncated";
      frame.resize(1 + rng_.below(frame.size()));
      break;
    case 3:
      note_.change = "trailing bytes";
      frame.resize(frame.size() + 1 + rng_.below(150), 0xEE);
      break;
    case 4:
      note_.change = "tver";
      frame[kBthAt + 1] ^= static_cast<std::uint8_t>(1 + rng_.below(15));
      reseal(frame);
      break;
    case 5:
      note_.change = "pad";
      frame[kBthAt + 1] ^= static_cast<std::uint8_t>(0x10 * (1 + rng_.below(3)));
      reseal(frame);
      break;
    case 6:
      note_.change = "pkey";
      frame[kBthAt + 2 + rng_.below(2)] ^= static_cast<std::uint8_t>(1u << rng_.below(8));
      reseal(frame);
      break;
    case 7:
      note_.change = "qpn";
      frame[kBthAt + 5 + rng_.below(3)] ^= static_cast<std::uint8_t>(1u << rng_.below(8));
      reseal(frame);
      break;
    case 8:
      note_.change = "source address";
      frame[kIpAt + 15] ^= 4;
      fix_ip_checksum(frame);
      reseal(frame);
      break;
    case 9:
      note_.change = "ip length";
      frame[kIpAt + 3] ^= static_cast<std::uint8_t>(1u << rng_.below(8));
      fix_ip_checksum(frame);
      break;
    case 10:
      note_.change = "ip header";
      frame[any(kIpAt, 20)] ^= static_cast<std::uint8_t>(1u << rng_.below(8));
      break;
    case 11:
      note_.change = "ip header resealed";
      frame[any(kIpAt, 10)] ^= static_cast<std::uint8_t>(1u << rng_.below(8));
      fix_ip_checksum(frame);
      reseal(frame);
      break;
    case 12:
      note_.change = "udp header";
      frame[any(kUdpAt, 8)] ^= static_cast<std::uint8_t>(1u << rng_.below(8));
      reseal(frame);
      break;
    default:
      note_.change = "masked bits";  // none of these may matter
      frame[kIpAt + 1] ^= static_cast<std::uint8_t>(rng_.below(4));
      fix_ip_checksum(frame);
      frame[kBthAt + 4] ^= static_cast<std::uint8_t>(rng_.next());
      break;
  }
}

}  // namespace caravan::support
