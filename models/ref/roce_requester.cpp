// SPDX-License-Identifier: Apache-2.0
#include "models/ref/roce_requester.hpp"

#include <algorithm>

namespace caravan::ref {

using packet::Opcode;

void RoceRequester::post(const WriteRequest& request) { requests_.push_back({.request = request}); }

std::vector<RequestPacket> RoceRequester::transmit(const QpConfig& config, const SparseMemory& memory,
                                                   std::size_t limit) {
  std::vector<RequestPacket> out;
  if (rnr_wait_) return out;
  for (; resend_at_ < in_flight_.size() && out.size() < limit; ++resend_at_) {
    out.push_back(in_flight_[resend_at_].packet);
    if (resend_at_ + 1 == in_flight_.size()) out.back().ack_req = true;
  }
  for (Posted& posted : requests_) {
    while (!posted.complete_cut && in_flight_.size() < config.window && out.size() < limit) {
      in_flight_.push_back(next_packet(posted, config, memory));
      resend_at_ = in_flight_.size();
      out.push_back(in_flight_.back().packet);
    }
  }
  return out;
}

RoceRequester::InFlight RoceRequester::next_packet(Posted& posted, const QpConfig& config, const SparseMemory& memory) {
  const WriteRequest& request = posted.request;
  const bool first = posted.cut == 0;
  const std::uint64_t bytes = std::min<std::uint64_t>(config.pmtu, request.length - posted.cut);
  const bool last = posted.cut + bytes == request.length;
  const bool fills_window = in_flight_.size() + 1 == config.window;  // nothing more can go until this is acknowledged
  ++since_ack_req_;
  InFlight made{.packet = {.opcode = first ? (last ? Opcode::kWriteOnly : Opcode::kWriteFirst)
                                           : (last ? Opcode::kWriteLast : Opcode::kWriteMiddle),
                           .psn = next_psn_,
                           .ack_req = last || fills_window || since_ack_req_ == config.ack_every,
                           .reth = {},
                           .payload = memory.read(request.local_va + posted.cut, bytes)},
                .ends_request = last};
  if (first)
    made.packet.reth = packet::Reth{request.remote_va, request.rkey, static_cast<std::uint32_t>(request.length)};
  if (made.packet.ack_req) since_ack_req_ = 0;
  posted.cut += bytes;
  posted.complete_cut = last;
  next_psn_ = next_psn_ + 1;
  return made;
}

std::optional<DropReason> RoceRequester::acknowledge(base::Psn psn, const packet::Aeth& aeth, const QpConfig& config,
                                                     std::vector<Completion>& done) {
  const std::int32_t newest = psn.distance_from(una());  // 0: the oldest packet in flight
  if (newest >= static_cast<std::int32_t>(in_flight_.size())) return DropReason::kGhostAck;
  if (newest < 0) return DropReason::kStaleAck;
  if (aeth.is_ack()) {
    release_before(psn + 1, config.qpn, done);
    if (in_flight_.empty()) rnr_wait_ = false;
    return std::nullopt;
  }
  // A NAK acknowledges everything before its PSN.
  if (aeth.is_rnr()) {
    const bool progress = release_before(psn, config.qpn, done);
    if (rnr_wait_ && !progress) return DropReason::kStaleAck;
    rnr_wait_ = true;
    resend_at_ = 0;
    return std::nullopt;
  }
  CompletionStatus status = CompletionStatus::kOk;
  switch (aeth.syndrome) {
    case packet::kNakSequence:
      return naked(release_before(psn, config.qpn, done), config, done) ? std::nullopt
                                                                        : std::optional(DropReason::kStaleAck);
    case packet::kNakInvalid:
      status = CompletionStatus::kRemoteInvalid;
      break;
    case packet::kNakAccess:
      status = CompletionStatus::kRemoteAccess;
      break;
    case packet::kNakOperational:
      status = CompletionStatus::kRemoteOperation;
      break;
    default:
      return DropReason::kSyndrome;
  }
  release_before(psn, config.qpn, done);
  fail(status, config.qpn, done);
  return std::nullopt;
}

bool RoceRequester::naked(bool progress, const QpConfig& config, std::vector<Completion>& done) {
  // A responder sends one NAK for a gap: a second one without progress is a copy, and nothing is gained by a third
  // round.
  if (!progress && naked_) return false;
  if (!progress) spend_retry(config, done);
  naked_ = true;
  rnr_wait_ = false;
  resend_at_ = 0;
  return true;
}

void RoceRequester::timeout(const QpConfig& config, std::vector<Completion>& done) {
  if (in_flight_.empty()) return;
  if (!rnr_wait_ && resend_at_ > 0) {  // at 0 the last repetition has not even left
    spend_retry(config, done);
    naked_ = false;
  }
  rnr_wait_ = false;
  resend_at_ = 0;
}

void RoceRequester::spend_retry(const QpConfig& config, std::vector<Completion>& done) {
  if (retries_ == config.retry_limit)
    fail(CompletionStatus::kRetryExceeded, config.qpn, done);
  else
    ++retries_;
}

bool RoceRequester::release_before(base::Psn psn, base::Qpn qpn, std::vector<Completion>& done) {
  const std::int32_t released = psn.distance_from(una());
  for (std::int32_t count = released; count > 0; --count) {
    const bool ends = in_flight_.front().ends_request;
    in_flight_.pop_front();
    if (resend_at_ > 0) --resend_at_;
    retries_ = 0;
    naked_ = false;
    if (ends) complete_front(CompletionStatus::kOk, qpn, done);
  }
  return released > 0;
}

void RoceRequester::complete_front(CompletionStatus status, base::Qpn qpn, std::vector<Completion>& done) {
  const WriteRequest& request = requests_.front().request;
  if (request.signaled || status != CompletionStatus::kOk) done.push_back({qpn, request.wr_id, status});
  requests_.pop_front();
}

void RoceRequester::fail(CompletionStatus status, base::Qpn qpn, std::vector<Completion>& done) {
  failed_ = true;
  complete_front(status, qpn, done);
}

void RoceRequester::flush(base::Qpn qpn, std::vector<Completion>& done) {
  while (!requests_.empty()) complete_front(CompletionStatus::kFlushed, qpn, done);
  in_flight_.clear();
  resend_at_ = 0;
}

}  // namespace caravan::ref
