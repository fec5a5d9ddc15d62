// SPDX-License-Identifier: Apache-2.0
// The wire's side of the reference endpoint: which frames are for which QP, and what goes out.
#include "models/ref/roce_ref.hpp"

namespace caravan::ref {
namespace {

using packet::Opcode;
using packet::ParseError;
using packet::Service;

constexpr packet::MacAddr kBroadcast = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
constexpr std::size_t kMaxPayload = 4096;
constexpr std::uint8_t kEcnMarked = 3;
constexpr std::uint8_t kCnpTos = 48 << 2 | 2;  // DSCP 48, ECT(0)
constexpr std::size_t kCnpBytes = 16;

DropReason reason_of(ParseError error, packet::Kind kind) {
  if (kind != packet::Kind::kRoce && error <= ParseError::kEtherType) return DropReason::kNotRoce;
  switch (error) {
    case ParseError::kIcrc:
      return DropReason::kIcrc;
    case ParseError::kOpcode:
      return DropReason::kOpcode;
    case ParseError::kExtTruncated:
    case ParseError::kPadding:
    case ParseError::kPayload:
      return DropReason::kLength;
    default:
      return DropReason::kNetwork;
  }
}

bool receives(QpState state) { return state == QpState::kRtr || state == QpState::kRts || state == QpState::kSqd; }

/// CNPs concern a QP of any service.
bool serves(QpService service, Service packet) {
  return packet == Service::kCnp || packet == (service == QpService::kUd ? Service::kUd : Service::kRc);
}

}  // namespace

std::optional<DropReason> RoceRef::refuse(const packet::ParsedPacket& p) const {
  if (!p.ok() && p.kind != packet::Kind::kRoce) return reason_of(p.error, p.kind);
  if (p.kind != packet::Kind::kRoce || !p.ipv4) return DropReason::kNotRoce;
  if ((p.eth->dst != mac_ && p.eth->dst != kBroadcast) || p.ipv4->dst != ip_) return DropReason::kNotForUs;
  // A bad ICRC before anything that it protects; a bad header before anything that the header selects.
  if (p.error == ParseError::kIcrc || !p.bth) return reason_of(p.error, p.kind);
  if (p.bth->tver != 0) return DropReason::kTver;
  if ((p.bth->pkey & 0x7FFF) != 0x7FFF) return DropReason::kPkey;
  if (!p.ok()) return reason_of(p.error, p.kind);
  if (p.op->service == Service::kUc) return DropReason::kOpcode;
  if (p.payload.size() > kMaxPayload) return DropReason::kLength;
  const auto found = qps_.find(base::Qpn(p.bth->dest_qp));
  if (found == qps_.end()) return DropReason::kQpn;
  const QpConfig& config = found->second.config;
  if (!receives(config.state)) return DropReason::kState;
  if (p.op->service != Service::kUd && p.ipv4->src != config.peer_ip) return DropReason::kPeer;
  if (!serves(config.service, p.op->service)) return DropReason::kOpcode;
  return std::nullopt;
}

RoceRef::Frames RoceRef::receive(packet::ByteSpan frame) {
  const packet::ParsedPacket p = packet::parse(frame);
  if (const auto reason = refuse(p)) {
    drop(*reason);
    return {};
  }
  Qp& q = qp(base::Qpn(p.bth->dest_qp));
  if (p.op->service == Service::kCnp) {
    ++cnps_;
    cnp_qpns_.push_back(q.config.qpn);
    return {};
  }
  if ((p.ipv4->tos & 3) == kEcnMarked && !p.payload.empty()) marked_.push_back(q.config.qpn);
  if (p.op->service == Service::kUd) {
    receive_datagram(q, p);
    return {};
  }
  if (p.op->is_request) return respond(q, p);
  requester_receive(q, p);
  return {};
}

RoceRef::Frames RoceRef::respond(Qp& q, const packet::ParsedPacket& p) {
  const ResponderResult result = q.responder.receive(p, q.config, {regions_, memory_, rpcs_, q.receives, received_});
  if (result.drop) drop(*result.drop);
  if (result.duplicate) ++duplicates_;
  Frames out;
  for (const Response& response : result.responses) {
    packet::RoceFrame frame = headers(q.config, response.opcode, response.psn);
    frame.ext.aeth = response.aeth;
    frame.ext.atomic_ack = packet::AtomicAckEth{response.original};
    out.push_back(packet::build(frame, response.payload));
  }
  if (result.fatal) fail(q);
  return out;
}

void RoceRef::receive_datagram(Qp& q, const packet::ParsedPacket& p) {
  if (p.ext.deth->qkey != q.config.qkey) return drop(DropReason::kQkey);
  if (p.payload.size() > q.config.pmtu) return drop(DropReason::kLength);
  if (q.receives.empty() || q.receives.head().length < kGrhBytes + p.payload.size())
    return drop(DropReason::kNoReceive);
  memory_.write(q.receives.head().local_va + kGrhBytes, p.payload);
  q.receives.complete({.qpn = q.config.qpn,
                       .status = CompletionStatus::kOk,
                       .is_write = false,
                       .solicited = p.bth->solicited,
                       .has_imm = p.ext.imm.has_value(),
                       .imm = p.ext.imm.value_or(packet::ImmDt{}).immediate,
                       .length = static_cast<std::uint32_t>(p.payload.size()),
                       .src_qpn = base::Qpn(p.ext.deth->src_qp),
                       .src_ip = p.ipv4->src},
                      received_);
}

void RoceRef::requester_receive(Qp& q, const packet::ParsedPacket& p) {
  const ReceivedResponse response{
      .psn = base::Psn(p.bth->psn),
      .action = p.op->action,
      .syndrome = p.ext.aeth ? p.ext.aeth->syndrome : packet::kSyndromeAck,
      .original = p.ext.atomic_ack ? p.ext.atomic_ack->original : 0,
      .payload = p.payload,
  };
  if (const auto reason = q.requester.receive(response, q.config, memory_, completions_)) drop(*reason);
  if (q.requester.failed()) fail(q);
}

RoceRef::Frames RoceRef::transmit(base::Qpn qpn, std::size_t limit) {
  Qp& q = qp(qpn);
  Frames out;
  if (q.config.state != QpState::kRts && q.config.state != QpState::kSqd) return out;
  for (const RequestPacket& request : q.requester.transmit(q.config, memory_, limit, completions_)) {
    if (auto frame = frame_of(q.config, request)) out.push_back(std::move(*frame));
  }
  if (q.requester.failed()) fail(q);
  return out;
}

RoceRef::Frames RoceRef::transmit() {
  Frames out;
  for (const auto& [qpn, q] : qps_) {
    for (auto& frame : transmit(qpn)) out.push_back(std::move(frame));
  }
  return out;
}

std::optional<packet::Buffer> RoceRef::frame_of(const QpConfig& config, const RequestPacket& request) {
  packet::RoceFrame frame = headers(config, request.opcode, request.psn);
  frame.bth.ack_req = request.ack_req;
  frame.bth.solicited = request.solicited;
  frame.ext = request.ext;
  if (config.service == QpService::kUd) {
    const auto to = neighbours_.find(static_cast<std::uint8_t>(request.datagram_to >> 32));
    if (to == neighbours_.end()) {
      ++unsent_;
      return std::nullopt;
    }
    frame.eth.dst = to->second.mac;
    frame.ip = packet::Ipv4{.src = ip_, .dst = to->second.ip};
    frame.bth.dest_qp = static_cast<std::uint32_t>(request.datagram_to) & base::Qpn::kMask;
  }
  return packet::build(frame, request.payload);
}

packet::Buffer RoceRef::make_cnp(base::Qpn qpn) const {
  packet::RoceFrame frame = headers(qp(qpn).config, Opcode::kCnp, base::Psn(0));
  std::get<packet::Ipv4>(frame.ip).tos = kCnpTos;
  frame.bth.becn = true;
  return packet::build(frame, packet::Buffer(kCnpBytes));
}

packet::RoceFrame RoceRef::headers(const QpConfig& config, packet::Opcode opcode, base::Psn psn) const {
  packet::RoceFrame frame;
  frame.eth = {config.peer_mac, mac_};
  frame.ip = packet::Ipv4{.src = ip_, .dst = config.peer_ip};
  frame.udp.src_port = config.udp_src_port;
  frame.bth.opcode = static_cast<std::uint8_t>(opcode);
  frame.bth.dest_qp = config.dest_qpn.value();
  frame.bth.psn = psn.value();
  return frame;
}

}  // namespace caravan::ref
