// SPDX-License-Identifier: Apache-2.0
#include "models/ref/roce_responder.hpp"

namespace caravan::ref {
namespace {

using packet::Action;
using packet::Place;

constexpr std::uint64_t kMaxMessage = 1ull << 31;

/// WRITE without immediate data: what this responder executes.
bool is_supported(const packet::OpcodeTraits& op) { return op.action == Action::kWrite && !op.has(packet::kExtImmDt); }

/// FIRST and MIDDLE are full packets, LAST has 1..PMTU bytes, ONLY 0..PMTU; the message ends with LAST or ONLY exactly.
bool right_length(Place place, std::uint64_t payload, std::uint64_t left, std::uint64_t pmtu) {
  switch (place) {
    case Place::kFirst:
    case Place::kMiddle:
      return payload == pmtu && left > payload;
    case Place::kLast:
      return payload >= 1 && payload <= pmtu && left == payload;
    case Place::kOnly:
      return payload <= pmtu && left == payload;
  }
  return false;
}

}  // namespace

ResponderResult RoceResponder::receive(const packet::ParsedPacket& request, const QpConfig& config,
                                       const ResponderTargets& targets) {
  const std::int32_t distance = base::Psn(request.bth->psn).distance_from(epsn_);
  return distance == 0 ? in_order(request, config, targets) : out_of_order(request, distance);
}

ResponderResult RoceResponder::out_of_order(const packet::ParsedPacket& request, std::int32_t distance) {
  ResponderResult result;
  if (distance > 0) {
    if (nak_sent_) {
      result.drop = DropReason::kOutOfOrder;
    } else {
      nak_sent_ = true;
      result.reply = {epsn_, packet::kNakSequence, msn_};
    }
  } else if (request.op->action == Action::kWrite || request.op->action == Action::kSend) {
    result.duplicate = true;
    result.reply = acknowledge();
  } else {
    result.drop = DropReason::kDuplicate;
  }
  return result;
}

ResponderResult RoceResponder::in_order(const packet::ParsedPacket& request, const QpConfig& config,
                                        const ResponderTargets& targets) {
  nak_sent_ = false;
  const packet::OpcodeTraits& op = *request.op;
  if (!is_supported(op)) return fatal(packet::kNakInvalid);
  if (op.starts_message() == message_.has_value()) return fatal(packet::kNakInvalid);

  const Message now = op.starts_message()
                          ? Message{request.ext.reth->va, request.ext.reth->dma_length, request.ext.reth->rkey}
                          : *message_;
  const std::uint64_t bytes = request.payload.size();
  if (now.left > kMaxMessage || !right_length(op.place, bytes, now.left, config.pmtu))
    return fatal(packet::kNakInvalid);

  const auto target = address_class(now.va);
  const bool call = bytes > 0 && target == AddressClass::kRpc;
  if (call && (op.place != Place::kOnly || bytes > kMaxRpcBytes)) return fatal(packet::kNakInvalid);

  if (!config.remote_write) return fatal(packet::kNakAccess);
  if (bytes > 0) {  // a WRITE of no bytes needs no region
    // Each packet is checked, the first one for the whole message: a permission taken away stops a message midway.
    if (!target || !targets.regions.may_write(now.rkey, config.pd, now.va, now.left)) return fatal(packet::kNakAccess);
    if (call) {
      targets.rpcs.push_back({config.qpn, now.va, {request.payload.begin(), request.payload.end()}});
    } else {
      targets.memory.write(now.va, request.payload);
    }
  }

  epsn_ = epsn_ + 1;
  message_.reset();
  if (op.ends_message())
    msn_ = (msn_ + 1) & base::Psn::kMask;
  else
    message_ = Message{now.va + bytes, now.left - bytes, now.rkey};
  ResponderResult result;
  if (request.bth->ack_req) result.reply = acknowledge();
  return result;
}

ResponderResult RoceResponder::fatal(std::uint8_t syndrome) const {
  return {.reply = ResponderResult::Reply{epsn_, syndrome, msn_}, .drop = {}, .fatal = true, .duplicate = false};
}

}  // namespace caravan::ref
