// SPDX-License-Identifier: Apache-2.0
#include "sim/control/client_verbs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/errors.hpp"

namespace caravan::sim {
namespace {

constexpr const char* kWriteOnly = "the client port of this node does RDMA WRITE only";

VerbStatus status_of(base::ClientStatus status) {
  switch (status) {
    case base::ClientStatus::kOk:
      return VerbStatus::kOk;
    case base::ClientStatus::kQpError:
      return VerbStatus::kFlushed;
    case base::ClientStatus::kRetryExceeded:
      return VerbStatus::kRetryExceeded;
    case base::ClientStatus::kRemoteAccess:
      return VerbStatus::kRemoteAccess;
    case base::ClientStatus::kRemoteOp:
      return VerbStatus::kRemoteOperation;
    case base::ClientStatus::kRemoteInvalid:
      return VerbStatus::kRemoteInvalid;
    default:
      return VerbStatus::kBadRequest;
  }
}

}  // namespace

ClientVerbs::ClientVerbs(vl::RtlNode& node) : node_(node) { node_.set_client(this); }
ClientVerbs::~ClientVerbs() { node_.set_client(nullptr); }

std::uint64_t ClientVerbs::post(const VerbRequest& request) {
  if (request.kind != VerbKind::kWrite || request.immediate) throw base::UserError(kWriteOnly);
  posted_.push_back({++last_wr_, request});
  node_.set_client(this);  // so that it is asked again
  return last_wr_;
}

std::uint64_t ClientVerbs::post(const ReceiveRequest&) { throw base::UserError(kWriteOnly); }

std::vector<VerbCompletion> ClientVerbs::take(std::size_t most) {
  const auto end = completions_.begin() + static_cast<std::ptrdiff_t>(std::min(most, completions_.size()));
  std::vector<VerbCompletion> taken(completions_.begin(), end);
  completions_.erase(completions_.begin(), end);
  return taken;
}

std::optional<base::ClientRequest> ClientVerbs::next_request(base::Cycles) {
  if (posted_.empty()) return std::nullopt;
  const auto& [wr, verb] = posted_.front();
  base::ClientRequest request;
  request.op = base::ClientOp::kWrite;
  request.tag = wr;
  request.qpn = verb.qpn;
  request.laddr = verb.laddr;
  request.raddr = verb.raddr;
  request.rkey = verb.rkey;
  request.length = verb.length;
  return request;
}

void ClientVerbs::accepted(const base::ClientRequest& request, base::Cycles now) {
  BUG_IF(posted_.empty() || posted_.front().wr != request.tag,
         fmt::format("cycle {}: work request {} was accepted, which was not presented", now.count(), request.tag));
  waiting_.emplace(request.tag, posted_.front().request);
  posted_.pop_front();
}

void ClientVerbs::response(const base::ClientResponse& response, base::Cycles now) {
  const auto found = waiting_.find(response.tag);
  BUG_IF(found == waiting_.end(),
         fmt::format("cycle {}: completion of work request {}, which is not waited for", now.count(), response.tag));
  const VerbRequest verb = found->second;
  waiting_.erase(found);
  const bool good = response.status == base::ClientStatus::kOk;
  if (!good) failed_[verb.qpn] = true;
  if (good && !verb.signaled) return;
  completions_.push_back(
      {response.tag, verb.qpn, status_of(response.status), wc_opcode_of(verb.kind), verb.length, {}});
}

base::Cycles ClientVerbs::next_activity(base::Cycles now) const {
  return posted_.empty() ? base::Cycles::never() : now;
}

}  // namespace caravan::sim
