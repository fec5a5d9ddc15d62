// SPDX-License-Identifier: Apache-2.0
#include "workloads/ycsb/client.hpp"

#include <fmt/format.h>

#include "models/base/errors.hpp"

namespace caravan::workloads {

using base::ClientOp;
using base::ClientStatus;
using base::Cycles;

YcsbClient::YcsbClient(std::shared_ptr<const YcsbPlan> plan, std::uint32_t replica)
    : stream_(std::move(plan), replica), replica_(replica) {}

void YcsbClient::present(ClientOp op, std::uint64_t value) {
  request_ = base::ClientRequest{};
  request_.op = op;
  request_.tag = tag_++;
  request_.key = operation_.key;
  request_.value = value;
  step_ = Step::kPresenting;
}

std::optional<base::ClientRequest> YcsbClient::next_request(Cycles now) {
  if (step_ == Step::kIdle) {
    if (stream_.done()) return std::nullopt;
    operation_ = stream_.next();
    second_half_ = false;
    began_ = now;
    if (first_.is_never()) first_ = now;
    const bool reads = operation_.kind == OpKind::kRead || operation_.kind == OpKind::kReadModifyWrite;
    present(reads ? ClientOp::kGet : ClientOp::kPut, operation_.value);
  }
  return step_ == Step::kPresenting ? std::optional(request_) : std::nullopt;
}

void YcsbClient::accepted(const base::ClientRequest&, Cycles) {
  BUG_IF(step_ != Step::kPresenting, "a request was accepted that was not presented");
  step_ = Step::kWaiting;
}

void YcsbClient::response(const base::ClientResponse& response, Cycles now) {
  BUG_IF(step_ != Step::kWaiting || response.tag != request_.tag,
         fmt::format("replica {}: response with tag {} in cycle {}, none was waited for", replica_, response.tag,
                     now.count()));
  last_ = now;
  step_ = Step::kIdle;
  const bool found = response.status == ClientStatus::kOk;
  if (request_.op == ClientOp::kGet && response.status == ClientStatus::kNotFound) {
    ++not_found_;
  } else if (!found) {
    ++failed_;
  }
  if (request_.op == ClientOp::kPut && found) puts_.push_back({request_.key, request_.value, response.value, replica_});
  if (operation_.kind == OpKind::kReadModifyWrite && !second_half_) {
    second_half_ = true;
    present(ClientOp::kPut, (found ? response.value : 0) + 1);
    return;
  }
  ++completed_;
  latency_[static_cast<std::size_t>(operation_.kind)].add((now - began_).count());
}

Cycles YcsbClient::next_activity(Cycles now) const {
  const bool has_request = step_ == Step::kPresenting || (step_ == Step::kIdle && !stream_.done());
  return has_request ? now : Cycles::never();
}

base::Samples YcsbClient::all_latencies() const {
  base::Samples all;
  for (const auto& samples : latency_) all.add(samples);
  return all;
}

}  // namespace caravan::workloads
