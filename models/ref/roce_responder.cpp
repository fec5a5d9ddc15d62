// SPDX-License-Identifier: Apache-2.0
#include "models/ref/roce_responder.hpp"

#include "models/base/errors.hpp"

namespace caravan::ref {
namespace {

using packet::Action;
using packet::Place;

/// FIRST and MIDDLE are full packets, LAST has 1..PMTU bytes, ONLY 0..PMTU.
bool right_length(Place place, std::uint64_t payload, std::uint64_t pmtu) {
  switch (place) {
    case Place::kFirst:
    case Place::kMiddle:
      return payload == pmtu;
    case Place::kLast:
      return payload >= 1 && payload <= pmtu;
    case Place::kOnly:
      return payload <= pmtu;
  }
  return false;
}

}  // namespace

ResponderResult RoceResponder::receive(const packet::ParsedPacket& request, const QpConfig& config,
                                       const ResponderTargets& targets) {
  const std::int32_t distance = base::Psn(request.bth->psn).distance_from(epsn_);
  if (distance > 0) return ahead();
  return distance < 0 ? duplicate(request, config, targets) : in_order(request, config, targets);
}

ResponderResult RoceResponder::ahead() {
  if (nak_sent_) return {.responses = {}, .drop = DropReason::kOutOfOrder, .fatal = false, .duplicate = false};
  nak_sent_ = true;
  return answer(epsn_, packet::kNakSequence);
}

ResponderResult RoceResponder::in_order(const packet::ParsedPacket& request, const QpConfig& config,
                                        const ResponderTargets& targets) {
  nak_sent_ = false;  // also when an RNR NAK follows: as Linux does
  const packet::OpcodeTraits& op = *request.op;
  if (op.has(packet::kExtIeth)) return fatal(packet::kNakInvalid);  // SEND with invalidate is not supported
  if (op.starts_message() == message_.has_value()) return fatal(packet::kNakInvalid);
  if (message_ && message_->send != (op.action == Action::kSend)) return fatal(packet::kNakInvalid);
  switch (op.action) {
    case Action::kSend:
      return send(request, config, targets);
    case Action::kWrite:
      return write(request, config, targets);
    case Action::kReadRequest:
      return read(request, config, targets);
    default:
      BUG_IF(op.action != Action::kAtomic, "a packet that is no request reached the responder");
      return atomic(request, config, targets);
  }
}

ResponderResult RoceResponder::send(const packet::ParsedPacket& request, const QpConfig& config,
                                    const ResponderTargets& targets) {
  Message now = message_.value_or(Message{.send = true});
  const std::uint64_t bytes = request.payload.size();
  if (!right_length(request.op->place, bytes, config.pmtu) || now.done + bytes > kMaxMessage)
    return fatal(packet::kNakInvalid);
  if (targets.receives.empty())
    return answer(epsn_, static_cast<std::uint8_t>(packet::kNakRnr | (config.min_rnr_timer & 0x1F)));
  const ReceiveRequest& buffer = targets.receives.head();
  if (now.done + bytes > buffer.length) {
    targets.receives.complete({.qpn = config.qpn, .status = CompletionStatus::kLocalLength}, targets.received);
    return fatal(packet::kNakOperational);
  }
  targets.memory.write(buffer.local_va + now.done, request.payload);
  now.done += bytes;
  return accept(request, now, config, targets);
}

ResponderResult RoceResponder::write(const packet::ParsedPacket& request, const QpConfig& config,
                                     const ResponderTargets& targets) {
  const packet::OpcodeTraits& op = *request.op;
  Message now = message_.value_or(Message{});
  if (op.starts_message()) {
    now.va = request.ext.reth->va;
    now.left = request.ext.reth->dma_length;
    now.rkey = request.ext.reth->rkey;
  }
  const std::uint64_t bytes = request.payload.size();
  // The message ends with LAST or ONLY exactly.
  const bool fits = op.ends_message() ? now.left == bytes : now.left > bytes;
  if (now.left > kMaxMessage || !fits || !right_length(op.place, bytes, config.pmtu)) return fatal(packet::kNakInvalid);

  const auto target = address_class(now.va);
  const bool call = bytes > 0 && target == AddressClass::kRpc;
  if (call && (op.place != Place::kOnly || bytes > kMaxRpcBytes)) return fatal(packet::kNakInvalid);

  if (!config.remote_write) return fatal(packet::kNakAccess);
  // A WRITE of no bytes needs no region. Each packet is checked, the first one for the whole message: a permission
  // taken away stops a message midway.
  if (bytes > 0 && (!target || !targets.regions.may_write(now.rkey, config.pd, now.va, now.left)))
    return fatal(packet::kNakAccess);

  if (op.has(packet::kExtImmDt) && targets.receives.empty())
    return answer(epsn_, static_cast<std::uint8_t>(packet::kNakRnr | (config.min_rnr_timer & 0x1F)));

  if (call) {
    targets.rpcs.push_back({config.qpn, now.va, {request.payload.begin(), request.payload.end()}});
  } else {
    targets.memory.write(now.va, request.payload);
  }
  now.va += bytes;
  now.left -= bytes;
  now.done += bytes;
  return accept(request, now, config, targets);
}

ResponderResult RoceResponder::accept(const packet::ParsedPacket& request, const Message& message,
                                      const QpConfig& config, const ResponderTargets& targets) {
  const packet::OpcodeTraits& op = *request.op;
  epsn_ = epsn_ + 1;
  message_.reset();
  if (op.ends_message()) {
    count_message();
    if (message.send || op.has(packet::kExtImmDt)) {
      targets.receives.complete({.qpn = config.qpn,
                                 .status = CompletionStatus::kOk,
                                 .is_write = !message.send,
                                 .solicited = request.bth->solicited,
                                 .has_imm = request.ext.imm.has_value(),
                                 .imm = request.ext.imm.value_or(packet::ImmDt{}).immediate,
                                 .length = static_cast<std::uint32_t>(message.done),
                                 .src_qpn = {},
                                 .src_ip = request.ipv4->src},
                                targets.received);
    }
  } else {
    message_ = message;
  }
  if (request.bth->ack_req) return answer(epsn_ - 1, packet::kSyndromeAck);
  return {};
}

}  // namespace caravan::ref
