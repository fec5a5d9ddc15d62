// SPDX-License-Identifier: Apache-2.0
#include "models/ref/roce_ref.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "models/base/errors.hpp"

namespace caravan::ref {
namespace {

using packet::ParseError;

constexpr packet::MacAddr kBroadcast = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
constexpr std::uint64_t kMaxWrite = 1ull << 31;
constexpr std::size_t kMaxPayload = 4096;

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

}  // namespace

std::string_view name(DropReason reason) {
  constexpr std::string_view kNames[] = {"not_roce",  "not_for_us", "network",   "icrc",     "tver",    "pkey",
                                         "length",    "opcode",     "qpn",       "state",    "peer",    "out_of_order",
                                         "duplicate", "stale_ack",  "ghost_ack", "syndrome", "response"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(DropReason::kCount));
  return kNames[static_cast<std::size_t>(reason)];
}

base::Time ack_timeout(std::uint32_t exponent) {
  return exponent == 0 ? base::Time::never() : base::Time::ns(4096) * (std::int64_t{1} << exponent);
}

void RoceRef::create_qp(const QpConfig& config) {
  constexpr std::uint32_t kPmtus[] = {256, 512, 1024, 2048, 4096};
  if (std::ranges::find(kPmtus, config.pmtu) == std::end(kPmtus)) {
    throw base::UserError(
        fmt::format("QP {:#x}: path MTU {} is not one of 256, 512, 1024, 2048, 4096", config.qpn.value(), config.pmtu));
  }
  if (config.window == 0 || config.window >= 1u << 23) {
    throw base::UserError(
        fmt::format("QP {:#x}: window {} is not in 1..8388607 packets", config.qpn.value(), config.window));
  }
  if (config.timeout_exponent > 31) {
    throw base::UserError(
        fmt::format("QP {:#x}: timeout exponent {} is not in 0..31", config.qpn.value(), config.timeout_exponent));
  }
  qps_[config.qpn] = {config, RoceResponder(config.first_psn_to_expect), RoceRequester(config.first_psn_to_send)};
}

void RoceRef::set_state(base::Qpn qpn, QpState state) {
  const auto found = qps_.find(qpn);
  BUG_IF(found == qps_.end(), fmt::format("no QP {:#x}", qpn.value()));
  if (state == QpState::kError)
    enter_error(found->second);
  else
    found->second.config.state = state;
}

std::optional<DropReason> RoceRef::refuse(const packet::ParsedPacket& p) const {
  if (!p.ok() && p.kind != packet::Kind::kRoce) return reason_of(p.error, p.kind);
  if (p.kind != packet::Kind::kRoce || !p.ipv4) return DropReason::kNotRoce;
  if ((p.eth->dst != mac_ && p.eth->dst != kBroadcast) || p.ipv4->dst != ip_) return DropReason::kNotForUs;
  // A bad ICRC before anything that it protects; a bad header before anything that the header selects.
  if (p.error == ParseError::kIcrc || !p.bth) return reason_of(p.error, p.kind);
  if (p.bth->tver != 0) return DropReason::kTver;
  if ((p.bth->pkey & 0x7FFF) != 0x7FFF) return DropReason::kPkey;
  if (!p.ok()) return reason_of(p.error, p.kind);
  if (p.op->service == packet::Service::kUc || p.op->service == packet::Service::kUd) return DropReason::kOpcode;
  if (p.payload.size() > kMaxPayload) return DropReason::kLength;
  const auto found = qps_.find(base::Qpn(p.bth->dest_qp));
  if (found == qps_.end()) return DropReason::kQpn;
  if (!receives(found->second.config.state)) return DropReason::kState;
  if (p.ipv4->src != found->second.config.peer_ip) return DropReason::kPeer;
  return std::nullopt;
}

RoceRef::Frames RoceRef::receive(packet::ByteSpan frame) {
  const packet::ParsedPacket p = packet::parse(frame);
  if (const auto reason = refuse(p)) {
    drop(*reason);
    return {};
  }
  Qp& q = qps_.at(base::Qpn(p.bth->dest_qp));
  if (p.op->service == packet::Service::kCnp) {
    ++cnps_;
    return {};
  }
  if (p.op->is_request) return respond(q, p);
  requester_receive(q, p);
  return {};
}

RoceRef::Frames RoceRef::respond(Qp& q, const packet::ParsedPacket& p) {
  const ResponderResult result = q.responder.receive(p, q.config, {regions_, memory_, rpcs_});
  if (result.drop) drop(*result.drop);
  if (result.duplicate) ++duplicates_;
  Frames out;
  if (result.reply) {
    packet::RoceFrame ack = headers(q.config, packet::Opcode::kAck, result.reply->psn);
    ack.ext.aeth = packet::Aeth{result.reply->syndrome, result.reply->msn};
    out.push_back(packet::build(ack));
  }
  if (result.fatal) enter_error(q);
  return out;
}

void RoceRef::requester_receive(Qp& q, const packet::ParsedPacket& p) {
  if (p.op->action != packet::Action::kAck) {
    drop(DropReason::kResponse);
    return;
  }
  if (const auto reason = q.requester.acknowledge(base::Psn(p.bth->psn), *p.ext.aeth, q.config, completions_))
    drop(*reason);
  if (q.requester.failed()) enter_error(q);
}

void RoceRef::enter_error(Qp& q) {
  q.config.state = QpState::kError;
  q.requester.flush(q.config.qpn, completions_);
}

void RoceRef::post_write(base::Qpn qpn, const WriteRequest& request) {
  const auto found = qps_.find(qpn);
  const auto local = address_class(request.local_va);
  if (found == qps_.end() || !local || local == AddressClass::kRpc || request.length > kMaxWrite) {
    completions_.push_back({qpn, request.wr_id, CompletionStatus::kBadRequest});
  } else if (found->second.config.state != QpState::kRts) {
    completions_.push_back({qpn, request.wr_id, CompletionStatus::kFlushed});
  } else {
    found->second.requester.post(request);
  }
}

RoceRef::Frames RoceRef::transmit(base::Qpn qpn, std::size_t limit) {
  const auto found = qps_.find(qpn);
  BUG_IF(found == qps_.end(), fmt::format("no QP {:#x}", qpn.value()));
  Qp& q = found->second;
  Frames out;
  if (q.config.state != QpState::kRts) return out;
  for (const RequestPacket& request : q.requester.transmit(q.config, memory_, limit)) {
    packet::RoceFrame frame = headers(q.config, request.opcode, request.psn);
    frame.bth.ack_req = request.ack_req;
    frame.ext.reth = request.reth;
    out.push_back(packet::build(frame, request.payload));
  }
  return out;
}

RoceRef::Frames RoceRef::transmit() {
  Frames out;
  for (const auto& [qpn, q] : qps_) {
    for (auto& frame : transmit(qpn)) out.push_back(std::move(frame));
  }
  return out;
}

void RoceRef::timeout(base::Qpn qpn) {
  const auto found = qps_.find(qpn);
  BUG_IF(found == qps_.end(), fmt::format("no QP {:#x}", qpn.value()));
  Qp& q = found->second;
  if (q.config.state != QpState::kRts) return;
  q.requester.timeout(q.config, completions_);
  if (q.requester.failed()) enter_error(q);
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

std::uint64_t RoceRef::dropped() const { return std::accumulate(drops_.begin(), drops_.end(), std::uint64_t{0}); }

const RoceRef::Qp& RoceRef::qp(base::Qpn qpn) const {
  const auto found = qps_.find(qpn);
  BUG_IF(found == qps_.end(), fmt::format("no QP {:#x}", qpn.value()));
  return found->second;
}

QpView RoceRef::view(base::Qpn qpn) const {
  const Qp& q = qp(qpn);
  return {.state = q.config.state,
          .epsn = q.responder.epsn(),
          .msn = q.responder.msn(),
          .nak_sent = q.responder.nak_sent(),
          .in_message = q.responder.in_message(),
          .next_psn = q.requester.next_psn(),
          .una = q.requester.una(),
          .outstanding = q.requester.outstanding(),
          .retries = q.requester.retries(),
          .posted = q.requester.posted()};
}

}  // namespace caravan::ref
