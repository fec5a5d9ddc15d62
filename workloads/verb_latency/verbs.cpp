// SPDX-License-Identifier: Apache-2.0
#include "workloads/verb_latency/verbs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/errors.hpp"

namespace caravan::workloads {

using base::Bytes;
using base::Cycles;

namespace {
double rate_bps(Bytes size, std::uint64_t messages, Cycles time, base::Time period) {
  const double seconds = time.at(period).in_s();
  return seconds <= 0 ? 0 : static_cast<double>(size.count() * messages) * 8 / seconds;
}
}  // namespace

double VerbResult::goodput_bps(base::Time period) const {
  return rate_bps(size, latency.count(), last_completion - first_request, period);
}
double VerbResult::steady_bps(base::Time period) const {
  return rate_bps(size, after_first, last_completion - first_completion, period);
}

double VerbResult::rate(base::Time period) const {
  const bool steady = after_first > 0;
  const auto time = last_completion - (steady ? first_completion : first_request);
  const double seconds = time.at(period).in_s();
  return seconds <= 0 ? 0 : static_cast<double>(steady ? after_first : latency.count()) / seconds;
}

VerbClient::VerbClient(VerbPlan plan) : plan_(std::move(plan)) {
  BUG_IF(plan_.sizes.empty() || plan_.qpns.empty() || plan_.repetitions == 0 || plan_.outstanding == 0,
         "empty verb plan");
  for (const auto size : plan_.sizes) {
    BUG_IF(size > plan_.window, "the window is smaller than a message");
    BUG_IF(plan_.op == base::ClientOp::kFetchAdd && size != Bytes(8), "an atomic has 8 bytes");
  }
  began_.reserve(plan_.repetitions);
}

bool VerbClient::may_issue() const {
  return !done() && issued_ < plan_.repetitions && issued_ - completed_ < plan_.outstanding;
}

std::uint64_t VerbPlan::offset_of(Bytes size, std::uint64_t message) const {
  const std::uint64_t step = std::max<std::uint64_t>(size.count(), 1);
  return message % (window.count() / step) * step;
}

std::optional<base::ClientRequest> VerbClient::next_request(Cycles now) {
  if (presenting_) return request_;
  if (now < plan_.start || !may_issue()) return std::nullopt;
  const Bytes size = plan_.sizes[phase_];
  if (issued_ == 0) {
    results_.push_back({});
    results_.back().size = size;
    results_.back().first_request = now;
    phase_tag_ = tag_;
    began_.clear();
  }
  const std::uint64_t offset = plan_.offset_of(size, issued_);
  request_ = base::ClientRequest{};
  request_.op = plan_.op;
  if (plan_.op == base::ClientOp::kFetchAdd) request_.value = 1;
  request_.tag = tag_++;
  request_.qpn = plan_.qpns[issued_ % plan_.qpns.size()];
  request_.laddr = plan_.local_base + offset;
  request_.raddr = plan_.remote_base + offset;
  request_.rkey = plan_.rkey;
  request_.length = static_cast<std::uint32_t>(size.count());
  written_ = std::max(written_, Bytes(offset) + size);
  began_.push_back(now);
  ++issued_;
  presenting_ = true;
  return request_;
}

void VerbClient::accepted(const base::ClientRequest&, Cycles) {
  BUG_IF(!presenting_, "a request was accepted that was not presented");
  presenting_ = false;
}

void VerbClient::response(const base::ClientResponse& response, Cycles now) {
  const std::uint32_t message = response.tag - phase_tag_;
  BUG_IF(done() || message >= began_.size() || began_[message].is_never(),
         fmt::format("response with tag {} in cycle {}, none was waited for", response.tag, now.count()));
  auto& result = results_.back();
  result.latency.add((now - began_[message]).count());
  began_[message] = Cycles::never();
  result.failed += response.status != base::ClientStatus::kOk;
  if (completed_ == 0) result.first_completion = now;
  result.after_first += now > result.first_completion;
  result.last_completion = now;
  if (++completed_ == plan_.repetitions) {
    ++phase_;
    issued_ = completed_ = 0;
  }
}

Cycles VerbClient::next_activity(Cycles now) const {
  return presenting_ || may_issue() ? std::max(now, plan_.start) : Cycles::never();
}

std::string_view verb_name(base::ClientOp op) {
  switch (op) {
    case base::ClientOp::kRead:
      return "RDMA READ";
    case base::ClientOp::kSend:
      return "SEND";
    case base::ClientOp::kFetchAdd:
      return "FETCH_ADD";
    default:
      return "RDMA WRITE";
  }
}

std::uint64_t packets_of(Bytes size, Bytes pmtu) {
  return std::max<std::uint64_t>(1, (size.count() + pmtu.count() - 1) / pmtu.count());
}

Bytes wire_bytes(Bytes size, Bytes pmtu, base::ClientOp op) {
  constexpr std::uint64_t kHeaders = 14 + 20 + 8 + 12 + 4;  // Ethernet, IPv4, UDP, BTH, ICRC
  constexpr std::uint64_t kReth = 16;
  constexpr std::uint64_t kAeth = 4;
  constexpr std::uint64_t kMinFrame = 60;        // without FCS
  constexpr std::uint64_t kAround = 8 + 4 + 12;  // preamble, FCS, gap
  std::uint64_t total = 0;
  std::uint64_t left = size.count();
  for (std::uint64_t packet = 0, packets = packets_of(size, pmtu); packet < packets; ++packet) {
    const std::uint64_t payload = std::min(left, pmtu.count());
    left -= payload;
    const bool ends = packet == 0 || packet + 1 == packets;
    const std::uint64_t reth = op != base::ClientOp::kSend && packet == 0 ? kReth : 0;
    const std::uint64_t extra = op == base::ClientOp::kRead ? (ends ? kAeth : 0) : reth;
    const std::uint64_t frame = kHeaders + extra + (payload + 3) / 4 * 4;
    total += std::max(frame, kMinFrame) + kAround;
  }
  return Bytes(total);
}

double ceiling_bps(Bytes size, Bytes pmtu, base::Rate line, base::ClientOp op) {
  return static_cast<double>(line.in_bps()) * static_cast<double>(size.count()) /
         static_cast<double>(wire_bytes(size, pmtu, op).count());
}

}  // namespace caravan::workloads
