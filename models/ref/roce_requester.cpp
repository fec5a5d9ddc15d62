// SPDX-License-Identifier: Apache-2.0
#include "models/ref/roce_requester.hpp"

#include <algorithm>

namespace caravan::ref {

using packet::Opcode;

void RoceRequester::post(const WriteRequest& request) { requests_.push_back({.request = request}); }

std::vector<RequestPacket> RoceRequester::transmit(const QpConfig& config, const SparseMemory& memory, std::size_t limit) {
  std::vector<RequestPacket> out;
  for (; resend_at_ < in_flight_.size() && out.size() < limit; ++resend_at_) out.push_back(in_flight_[resend_at_].packet);
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
  ++since_ack_req_;
  InFlight made{.packet = {.opcode = first ? (last ? Opcode::kWriteOnly : Opcode::kWriteFirst) : (last ? Opcode::kWriteLast : Opcode::kWriteMiddle),
                           .psn = next_psn_,
                           .ack_req = last || since_ack_req_ == config.ack_every,
                           .reth = {},
                           .payload = memory.read(request.local_va + posted.cut, bytes)},
                .ends_request = last};
  if (first) made.packet.reth = packet::Reth{request.remote_va, request.rkey, static_cast<std::uint32_t>(request.length)};
  if (made.packet.ack_req) since_ack_req_ = 0;
  posted.cut += bytes;
  posted.complete_cut = last;
  next_psn_ = next_psn_ + 1;
  return made;
}

std::optional<DropReason> RoceRequester::acknowledge(base::Psn psn, const packet::Aeth& aeth, const QpConfig& config, std::vector<Completion>& done) {
  const std::int32_t newest = psn.distance_from(una());  // 0: the oldest packet in flight
  if (newest >= static_cast<std::int32_t>(in_flight_.size())) return DropReason::kGhostAck;
  if (newest < 0) return DropReason::kStaleAck;
  if (aeth.is_ack()) {
    release_before(psn + 1, config.qpn, done);
    return std::nullopt;
  }
  CompletionStatus status = CompletionStatus::kOk;
  switch (aeth.syndrome) {
    case packet::kNakSequence: break;
    case packet::kNakInvalid: status = CompletionStatus::kRemoteInvalid; break;
    case packet::kNakAccess: status = CompletionStatus::kRemoteAccess; break;
    case packet::kNakOperational: status = CompletionStatus::kRemoteOperation; break;
    default: return DropReason::kSyndrome;
  }
  release_before(psn, config.qpn, done);  // a NAK acknowledges everything before its PSN
  if (status == CompletionStatus::kOk) go_back(config, done);
  else fail(status, config.qpn, done);
  return std::nullopt;
}

void RoceRequester::timeout(const QpConfig& config, std::vector<Completion>& done) {
  if (!in_flight_.empty()) go_back(config, done);
}

void RoceRequester::go_back(const QpConfig& config, std::vector<Completion>& done) {
  if (resend_at_ == 0) return;  // already at the oldest packet: a repeated NAK changes nothing
  if (retries_ == config.retry_limit) {
    fail(CompletionStatus::kRetryExceeded, config.qpn, done);
    return;
  }
  ++retries_;
  resend_at_ = 0;
}

void RoceRequester::release_before(base::Psn psn, base::Qpn qpn, std::vector<Completion>& done) {
  for (std::int32_t count = psn.distance_from(una()); count > 0; --count) {
    const bool ends = in_flight_.front().ends_request;
    in_flight_.pop_front();
    if (resend_at_ > 0) --resend_at_;
    retries_ = 0;
    if (ends) complete_front(CompletionStatus::kOk, qpn, done);
  }
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
