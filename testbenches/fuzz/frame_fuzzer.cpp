// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/frame_fuzzer.hpp"

#include <algorithm>

namespace caravan::support {
namespace {

using packet::Action;
using packet::Opcode;

constexpr std::size_t kBthAt = packet::Eth::kBytes + packet::Ipv4::kBytes + packet::Udp::kBytes;
constexpr std::size_t kRemembered = 20;  // of queries: more than a responder remembers

constexpr std::uint8_t code(Opcode opcode) { return static_cast<std::uint8_t>(opcode); }

bool is_query(std::uint8_t opcode) {
  return opcode == code(Opcode::kReadRequest) || opcode == code(Opcode::kCompareSwap) ||
         opcode == code(Opcode::kFetchAdd);
}

}  // namespace

FuzzTarget default_fuzz_target() {
  FuzzTarget target;
  using enum ref::QpState;
  constexpr ref::QpState kStates[] = {kReset, kInit, kRtr, kRts, kRts, kError, kSqd, kRts, kRtr};
  constexpr std::uint32_t kPmtus[] = {1024, 256, 512, 4096, 256, 2048, 256, 512, 1024};
  for (std::uint32_t i = 0; i < std::size(kStates); ++i) {
    ref::QpConfig qp;
    qp.qpn = base::Qpn(i + 1);
    qp.dest_qpn = base::Qpn(0x100 + i);
    qp.peer_mac = target.peer_mac;
    qp.peer_ip = target.peer_ip;
    qp.pmtu = kPmtus[i];
    qp.state = kStates[i];
    qp.first_psn_to_expect = base::Psn(0xFFFFF0u + 3 * i);
    qp.first_psn_to_send = base::Psn(0xFFFFF8u + 0x1000 * i);
    qp.timeout_exponent = 0;
    qp.rnr_retry = 3;
    if (i >= 7) qp.service = ref::QpService::kUd;
    qp.qkey = 0x1100 + i;
    target.qps.push_back(qp);
  }
  return target;
}

std::size_t FrameFuzzer::payload_bytes(const ref::QpConfig& qp, std::uint8_t opcode) {
  const auto* op = packet::find_opcode(opcode);
  if (op != nullptr && op->action == Action::kCnp) return rng_.chance(0.9) ? 16 : rng_.below(40);
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
  const auto* op = packet::find_opcode(opcode);
  const bool rpc = op != nullptr && op->action == Action::kWrite && rng_.chance(0.15);
  packet::Reth reth;
  reth.rkey = rpc ? target_.rpc_rkey : target_.rkey;
  reth.va = (rpc ? target_.rpc_region.base : target_.region.base) + rng_.below(rpc ? 64 : 0x7000);
  reth.dma_length = 64;
  f.ext.reth = reth;
  const std::uint64_t word = reth.va & ~7ull;
  f.ext.atomic = packet::AtomicEth{rng_.chance(0.95) ? word : reth.va, target_.rkey, rng_.next(), rng_.below(2)};
  f.ext.deth = packet::Deth{.qkey = rng_.chance(0.9) ? qp.qkey : qp.qkey ^ 1, .reserved = 0, .src_qp = 0x77};
  f.ext.imm = packet::ImmDt{static_cast<std::uint32_t>(rng_.next())};
  packet::Aeth aeth;
  aeth.syndrome = rng_.chance(0.8) ? packet::kSyndromeAck : static_cast<std::uint8_t>(rng_.next());
  aeth.msn = static_cast<std::uint32_t>(rng_.next()) & 0xFFFFFF;
  f.ext.aeth = aeth;
  f.ext.atomic_ack = packet::AtomicAckEth{rng_.next()};
  // Responses: mostly to what is in flight.
  if (op != nullptr && !op->is_request)
    f.bth.psn = (view.una + static_cast<std::uint32_t>(rng_.below(view.outstanding + 4)) - 2).value();
  return f;
}

std::uint8_t FrameFuzzer::pick_opcode(std::uint64_t index) {
  // A half of the frames are requests and responses that may be in place, which is where state moves; the rest walks
  // through all opcodes.
  switch (rng_.below(8)) {
    case 0:
      return static_cast<std::uint8_t>(rng_.below(6));  // SEND
    case 1:
      return static_cast<std::uint8_t>(6 + rng_.below(6));  // WRITE
    case 2:
      return rng_.chance(0.5) ? code(Opcode::kReadRequest) : static_cast<std::uint8_t>(0x13 + rng_.below(2));
    case 3:
      return static_cast<std::uint8_t>(0x0D + rng_.below(6));  // responses
    default:
      return static_cast<std::uint8_t>(index);
  }
}

packet::Buffer FrameFuzzer::next(const ref::RoceRef& state) {
  const std::uint64_t i = count_++;
  std::uint8_t opcode = pick_opcode(i);
  const auto& qp = target_.qps[(i / 256 + rng_.below(2)) % target_.qps.size()];
  if (qp.service == ref::QpService::kUd && rng_.chance(0.4)) opcode = static_cast<std::uint8_t>(0x64 + rng_.below(2));
  note_ = {opcode, qp.qpn.value(), "none"};
  const auto view = state.view(qp.qpn);
  if (view.in_message && open_[qp.qpn.value()].left > 0 && rng_.chance(0.7)) return next_of_message(qp, view);
  if (is_query(opcode) && rng_.chance(0.3)) {
    if (auto frame = repeated_query(qp)) return finish(std::move(*frame));
  }
  packet::RoceFrame f = sound_frame(qp, view, opcode);
  packet::Buffer payload(payload_bytes(qp, opcode));
  for (auto& byte : payload) byte = static_cast<std::uint8_t>(rng_.next());
  const bool first = opcode == code(Opcode::kWriteFirst) || opcode == code(Opcode::kSendFirst);
  const bool read = opcode == code(Opcode::kReadRequest);
  if (rng_.chance(0.8)) {
    // Mostly the length that the packet needs; a FIRST announces two to four packets, a READ asks for as many.
    f.ext.reth->dma_length = static_cast<std::uint32_t>(first  ? qp.pmtu + 1 + rng_.below(3 * qp.pmtu)
                                                        : read ? rng_.below(3 * qp.pmtu)
                                                               : payload.size());
  } else if (read) {
    f.ext.reth->dma_length = static_cast<std::uint32_t>(rng_.below(0x1000));  // what a region may hold
  } else {
    f.ext.reth->dma_length = static_cast<std::uint32_t>(rng_.next() >> rng_.below(32));
  }
  if (rng_.chance(0.06)) spoil_reth(f);
  packet::Buffer frame;
  if (packet::find_opcode(opcode) != nullptr) {
    frame = packet::build(f, payload);
  } else {
    // An unknown opcode has no layout: build a SEND around it and put the opcode in.
    f.bth.opcode = code(Opcode::kSendOnly);
    frame = packet::build(f, payload);
    frame[kBthAt] = opcode;
    reseal(frame);
  }
  if (first) open_[qp.qpn.value()] = {opcode == code(Opcode::kSendFirst), f.ext.reth->dma_length - qp.pmtu};
  if (is_query(opcode)) {
    auto& queries = queries_[qp.qpn.value()];
    queries.push_back({f});
    if (queries.size() > kRemembered) queries.pop_front();
  }
  return finish(std::move(frame));
}

void FrameFuzzer::spoil_reth(packet::RoceFrame& f) {
  note_.change = "reth";
  std::uint64_t va = f.ext.reth->va;
  std::uint32_t rkey = f.ext.reth->rkey;
  switch (rng_.below(4)) {
    case 0:
      rkey ^= 1u << rng_.below(32);
      break;
    case 1:
      va = target_.region.base + target_.region.length - rng_.below(70);
      break;
    case 2:
      va = rng_.next();
      break;
    default:
      va = ~0ull - rng_.below(128);
      break;
  }
  f.ext.reth->va = f.ext.atomic->va = va;
  f.ext.reth->rkey = f.ext.atomic->rkey = rkey;
}

packet::Buffer FrameFuzzer::next_of_message(const ref::QpConfig& qp, const ref::QpView& view) {
  Open& open = open_[qp.qpn.value()];
  const bool last = open.left <= qp.pmtu, imm = rng_.chance(0.3);
  const Opcode opcode = open.send ? (!last ? Opcode::kSendMiddle
                                     : imm ? Opcode::kSendLastImm
                                           : Opcode::kSendLast)
                                  : (!last ? Opcode::kWriteMiddle
                                     : imm ? Opcode::kWriteLastImm
                                           : Opcode::kWriteLast);
  note_.opcode = code(opcode);
  packet::RoceFrame f = sound_frame(qp, view, note_.opcode);
  packet::Buffer payload(last ? open.left : qp.pmtu);
  for (auto& byte : payload) byte = static_cast<std::uint8_t>(rng_.next());
  if (f.bth.psn == view.epsn.value()) open.left -= static_cast<std::uint32_t>(payload.size());
  return finish(packet::build(f, payload));
}

std::optional<packet::Buffer> FrameFuzzer::repeated_query(const ref::QpConfig& qp) {
  const auto& queries = queries_[qp.qpn.value()];
  if (queries.empty()) return std::nullopt;
  packet::RoceFrame f = queries[rng_.below(queries.size())].frame;
  note_.opcode = f.bth.opcode;
  note_.change = "repeated";
  const std::uint32_t length = f.ext.reth->dma_length;
  if (f.bth.opcode == code(Opcode::kReadRequest) && length > qp.pmtu && rng_.chance(0.5)) {
    // Resumed in the middle, as rxe does.
    const auto skip = static_cast<std::uint32_t>(1 + rng_.below((length - 1) / qp.pmtu));
    f.bth.psn = (f.bth.psn + skip) & base::Psn::kMask;
    f.ext.reth->va += std::uint64_t{skip} * qp.pmtu;
    f.ext.reth->dma_length -= skip * qp.pmtu;
  }
  return packet::build(f);
}

}  // namespace caravan::support
