// SPDX-License-Identifier: Apache-2.0
#include "models/ref/roce_ref.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "models/base/errors.hpp"

namespace caravan::ref {
namespace {

void check(const QpConfig& config) {
  const auto fail = [&](const std::string& what) {
    throw base::UserError(fmt::format("QP {:#x}: {}", config.qpn.value(), what));
  };
  constexpr std::uint32_t kPmtus[] = {256, 512, 1024, 2048, 4096};
  if (std::ranges::find(kPmtus, config.pmtu) == std::end(kPmtus))
    fail(fmt::format("path MTU {} is not one of 256, 512, 1024, 2048, 4096", config.pmtu));
  if (config.window == 0 || config.window >= 1u << 23)
    fail(fmt::format("window {} is not in 1..8388607 packets", config.window));
  if (config.timeout_exponent > 31) fail(fmt::format("timeout exponent {} is not in 0..31", config.timeout_exponent));
  if (config.rnr_retry > kEndlessRnrRetry) fail(fmt::format("RNR retry limit {} is not in 0..7", config.rnr_retry));
  if (config.min_rnr_timer > 31) fail(fmt::format("RNR timer code {} is not in 0..31", config.min_rnr_timer));
  if (config.rd_atomic == 0) fail("at least one READ or atomic must be allowed to be outstanding, not 0");
}

}  // namespace

void RoceRef::create_qp(const QpConfig& config) {
  check(config);
  qps_[config.qpn] = {.config = config,
                      .responder = RoceResponder(config.first_psn_to_expect),
                      .requester = RoceRequester(config.first_psn_to_send),
                      .receives = {},
                      .failed = false};
}

void RoceRef::set_state(base::Qpn qpn, QpState state) {
  Qp& q = qp(qpn);
  if (q.failed && state != QpState::kReset) return;
  q.config.state = state;
  if (state == QpState::kError || state == QpState::kReset) flush(q);
}

void RoceRef::set_neighbour(std::uint8_t index, const packet::MacAddr& mac, packet::Ipv4Addr ip) {
  neighbours_[index] = {mac, ip};
}

std::optional<CompletionStatus> RoceRef::refuse(base::Qpn qpn, const WorkRequest& request) const {
  const auto found = qps_.find(qpn);
  if (found == qps_.end() || request.length > kMaxMessage) return CompletionStatus::kBadRequest;
  const QpConfig& config = found->second.config;
  const bool atomic = is_atomic(request.op), read = request.op == Operation::kRead;
  const bool bad_inline = request.inl && (read || (!atomic && request.length > kMaxInline));
  const bool bad_buffer = !request.inl && !is_memory(request.local_va);
  const bool bad_datagram =
      config.service == QpService::kUd && (request.op != Operation::kSend || request.length > config.pmtu);
  if (bad_inline || bad_buffer || bad_datagram || (atomic && request.length != 8) || request.op > Operation::kFetchAdd)
    return CompletionStatus::kBadRequest;
  if (config.state != QpState::kRts && config.state != QpState::kSqd) return CompletionStatus::kFlushed;
  return std::nullopt;
}

void RoceRef::post(base::Qpn qpn, const WorkRequest& request) {
  if (const auto status = refuse(qpn, request))
    completions_.push_back({qpn, request.wr_id, *status});
  else
    qp(qpn).requester.post(request);
}

void RoceRef::post_write(base::Qpn qpn, const WriteRequest& request) {
  post(qpn, {.op = Operation::kWrite,
             .wr_id = request.wr_id,
             .local_va = request.local_va,
             .remote_va = request.remote_va,
             .rkey = request.rkey,
             .length = request.length,
             .signaled = request.signaled});
}

void RoceRef::post_recv(base::Qpn qpn, const ReceiveRequest& request) {
  const auto found = qps_.find(qpn);
  if (found == qps_.end() || !is_memory(request.local_va)) {
    received_.push_back({.qpn = qpn, .wr_id = request.wr_id, .status = CompletionStatus::kBadRequest});
  } else if (const QpState state = found->second.config.state; state == QpState::kReset || state == QpState::kError) {
    received_.push_back({.qpn = qpn, .wr_id = request.wr_id, .status = CompletionStatus::kFlushed});
  } else {
    found->second.receives.post(request);
  }
}

void RoceRef::timeout(base::Qpn qpn) {
  Qp& q = qp(qpn);
  if (q.config.state != QpState::kRts && q.config.state != QpState::kSqd) return;
  q.requester.timeout(q.config, completions_);
  if (q.requester.failed()) fail(q);
}

void RoceRef::fail(Qp& q) {
  q.failed = true;
  q.config.state = QpState::kError;
  flush(q);
}

void RoceRef::flush(Qp& q) {
  q.requester.flush(q.config.qpn, completions_);
  q.receives.flush(q.config.qpn, received_);
}

std::uint64_t RoceRef::dropped() const { return std::accumulate(drops_.begin(), drops_.end(), std::uint64_t{0}); }

const RoceRef::Qp& RoceRef::qp(base::Qpn qpn) const {
  const auto found = qps_.find(qpn);
  BUG_IF(found == qps_.end(), fmt::format("no QP {:#x}", qpn.value()));
  return found->second;
}

RoceRef::Qp& RoceRef::qp(base::Qpn qpn) { return const_cast<Qp&>(std::as_const(*this).qp(qpn)); }

QpView RoceRef::view(base::Qpn qpn) const {
  const Qp& q = qp(qpn);
  return {.state = q.config.state,
          .epsn = q.responder.epsn(),
          .msn = q.responder.msn(),
          .nak_sent = q.responder.nak_sent(),
          .in_message = q.responder.in_message(),
          .receives = q.receives.size(),
          .next_psn = q.requester.next_psn(),
          .una = q.requester.una(),
          .outstanding = q.requester.outstanding(),
          .retries = q.requester.retries(),
          .posted = q.requester.posted(),
          .rnr_retries = q.requester.rnr_retries(),
          .rnr_wait = q.requester.rnr_waits(),
          .rnr_timer = q.requester.rnr_timer()};
}

}  // namespace caravan::ref
