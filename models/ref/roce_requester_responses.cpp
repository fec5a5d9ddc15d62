// SPDX-License-Identifier: Apache-2.0
// What comes back, the retry timer, and the end of requests.
#include <algorithm>
#include <utility>

#include "models/ref/roce_requester.hpp"

namespace caravan::ref {

using packet::Action;

std::optional<DropReason> RoceRequester::receive(const ReceivedResponse& response, const QpConfig& config,
                                                 SparseMemory& memory, std::vector<Completion>& done) {
  const std::int32_t distance = response.psn.distance_from(una());  // 0: the oldest packet in flight
  const packet::Aeth aeth{response.syndrome, 0};
  if (distance < 0 || distance >= static_cast<std::int64_t>(in_flight_.size())) {
    if (response.action != Action::kAck && aeth.is_ack()) return DropReason::kResponse;
    return distance < 0 ? DropReason::kStaleAck : DropReason::kGhostAck;
  }
  if (!aeth.is_ack() && !aeth.is_rnr() &&
      (response.syndrome < packet::kNakSequence || response.syndrome > packet::kNakOperational))
    return DropReason::kSyndrome;
  const auto index = static_cast<std::size_t>(distance);
  // The PSN proves that everything before it was executed. A READ or atomic there of which no response has come has
  // lost it: an implied NAK, whatever else the packet says.
  if (const auto lost = first_unanswered(index)) return go_back(release(*lost, config.qpn, done), config, done);
  if (aeth.is_ack()) return acknowledged(index, response, config, memory, done);
  return refused(index, response.syndrome, config, done);
}

std::optional<std::size_t> RoceRequester::first_unanswered(std::size_t index) const {
  for (std::size_t i = 0; i < index; ++i) {
    if (in_flight_[i].awaits != Action::kAck) return i;
  }
  return std::nullopt;
}

std::optional<DropReason> RoceRequester::acknowledged(std::size_t index, const ReceivedResponse& response,
                                                      const QpConfig& config, SparseMemory& memory,
                                                      std::vector<Completion>& done) {
  const bool progress = release(index, config.qpn, done);
  const Row& row = in_flight_.front();  // the one that the response names
  std::optional<DropReason> nothing;
  if (response.action == Action::kAck) {
    // An ACK can name the PSN of a READ or atomic that was executed; its own response is still needed.
    if (row.awaits == Action::kAck)
      release(1, config.qpn, done);
    else if (!progress)
      nothing = DropReason::kStaleAck;
  } else if (row.awaits != response.action ||
             (row.awaits == Action::kReadResponse && response.payload.size() != row.bytes)) {
    nothing = DropReason::kResponse;
  } else {
    const WorkRequest& request = requests_.front().request;
    const bool read = row.awaits == Action::kReadResponse;
    if ((read || !request.inl) && memory.write_fails(read ? row.local_va : request.local_va, read ? row.bytes : 8)) {
      fail(CompletionStatus::kLocalMemory, config.qpn, done);
      return nothing;
    }
    if (read) {
      memory.write(row.local_va, response.payload);
    } else {
      original_ = response.original;
      if (!request.inl) memory.write_u64(request.local_va, response.original);
    }
    release(1, config.qpn, done);
  }
  if (in_flight_.empty()) rnr_wait_ = false;
  return nothing;
}

std::optional<DropReason> RoceRequester::refused(std::size_t index, std::uint8_t syndrome, const QpConfig& config,
                                                 std::vector<Completion>& done) {
  const bool progress = release(index, config.qpn, done);
  const packet::Aeth aeth{syndrome, 0};
  if (aeth.is_rnr()) return not_ready(progress, syndrome & 0x1F, config, done);
  if (syndrome == packet::kNakSequence) return go_back(progress, config, done);
  fail(syndrome == packet::kNakInvalid  ? CompletionStatus::kRemoteInvalid
       : syndrome == packet::kNakAccess ? CompletionStatus::kRemoteAccess
                                        : CompletionStatus::kRemoteOperation,
       config.qpn, done);
  return std::nullopt;
}

std::optional<DropReason> RoceRequester::not_ready(bool progress, std::uint8_t timer, const QpConfig& config,
                                                   std::vector<Completion>& done) {
  if (rnr_wait_ && !progress) return DropReason::kStaleAck;
  if (!progress && config.rnr_retry != kEndlessRnrRetry) {
    if (rnr_retries_ == config.rnr_retry) {
      fail(CompletionStatus::kRnrExceeded, config.qpn, done);
      return std::nullopt;
    }
    ++rnr_retries_;
  }
  rnr_wait_ = true;
  rnr_timer_ = timer;
  resend_at_ = 0;
  return std::nullopt;
}

std::optional<DropReason> RoceRequester::go_back(bool progress, const QpConfig& config, std::vector<Completion>& done) {
  // A responder sends one NAK for a gap: a second one without progress is a copy, and nothing is gained by a third
  // round. Behind an RNR NAK comes one for the packets that followed it: the wait goes on.
  if (!progress && (naked_ || rnr_wait_)) return DropReason::kStaleAck;
  if (!progress) spend_retry(config, done);
  naked_ = true;
  rnr_wait_ = false;
  resend_at_ = 0;
  return std::nullopt;
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

bool RoceRequester::release(std::size_t count, base::Qpn qpn, std::vector<Completion>& done) {
  for (std::size_t i = 0; i < count; ++i) {
    const bool ends = in_flight_.front().ends_request;
    if (in_flight_.front().awaits != Action::kAck && in_flight_.front().covers == 1) --queries_;
    in_flight_.pop_front();
    if (resend_at_ > 0) --resend_at_;
    if (ends) complete_front(CompletionStatus::kOk, qpn, done);
  }
  if (count > 0) {
    retries_ = rnr_retries_ = 0;
    naked_ = false;
  }
  return count > 0;
}

void RoceRequester::complete_front(CompletionStatus status, base::Qpn qpn, std::vector<Completion>& done) {
  const WorkRequest& request = requests_.front().request;
  if (request.signaled || status != CompletionStatus::kOk) {
    const bool result = status == CompletionStatus::kOk && is_atomic(request.op);
    done.push_back({qpn, request.wr_id, status, result ? original_ : 0});
  }
  requests_.pop_front();
}

void RoceRequester::fail(CompletionStatus status, base::Qpn qpn, std::vector<Completion>& done) {
  failed_ = true;
  complete_front(status, qpn, done);
}

void RoceRequester::flush(base::Qpn qpn, std::vector<Completion>& done) {
  while (!requests_.empty()) complete_front(CompletionStatus::kFlushed, qpn, done);
  in_flight_.clear();
  resend_at_ = queries_ = 0;
  rnr_wait_ = false;
}

}  // namespace caravan::ref
