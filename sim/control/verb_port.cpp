// SPDX-License-Identifier: Apache-2.0
#include "sim/control/verb_port.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "models/base/errors.hpp"

namespace caravan::sim {
namespace {

constexpr std::array kVerbs = {
    VerbTraits{VerbKind::kWrite, "write", base::ClientOp::kWrite, 1},
};

}  // namespace

const VerbTraits& traits_of(VerbKind kind) { return kVerbs[static_cast<std::size_t>(kind)]; }

std::string_view completion_text(base::ClientStatus status) {
  switch (status) {
    case base::ClientStatus::kOk:
      return "success";
    case base::ClientStatus::kQpError:
      return "Work Request Flushed Error";
    case base::ClientStatus::kRetryExceeded:
      return "transport retry counter exceeded";
    case base::ClientStatus::kRemoteAccess:
      return "remote access error";
    case base::ClientStatus::kRemoteOp:
      return "remote operation error";
    case base::ClientStatus::kRemoteInvalid:
      return "remote invalid request error";
    default:
      return "local QP operation error";
  }
}

std::uint32_t VerbPort::post(const VerbRequest& request) {
  posted_.push_back({next_wr_, request});
  return next_wr_++;
}

std::vector<VerbCompletion> VerbPort::take(std::size_t most) {
  const auto end = completions_.begin() + static_cast<std::ptrdiff_t>(std::min(most, completions_.size()));
  std::vector<VerbCompletion> taken(completions_.begin(), end);
  completions_.erase(completions_.begin(), end);
  return taken;
}

std::optional<base::ClientRequest> VerbPort::next_request(base::Cycles) {
  if (posted_.empty()) return std::nullopt;
  const auto& [wr, verb] = posted_.front();
  base::ClientRequest request;
  request.op = traits_of(verb.kind).op;
  request.tag = wr;
  request.qpn = verb.qpn;
  request.laddr = verb.laddr;
  request.raddr = verb.raddr;
  request.rkey = verb.rkey;
  request.length = verb.length;
  return request;
}

void VerbPort::accepted(const base::ClientRequest& request, base::Cycles now) {
  BUG_IF(posted_.empty() || posted_.front().wr != request.tag,
         fmt::format("cycle {}: work request {} was accepted, which was not presented", now.count(), request.tag));
  waiting_.emplace(request.tag, posted_.front().request);
  posted_.pop_front();
}

void VerbPort::response(const base::ClientResponse& response, base::Cycles now) {
  const auto found = waiting_.find(response.tag);
  BUG_IF(found == waiting_.end(),
         fmt::format("cycle {}: completion of work request {}, which is not waited for", now.count(), response.tag));
  const VerbRequest verb = found->second;
  waiting_.erase(found);
  const bool good = response.status == base::ClientStatus::kOk;
  if (!good) failed_[verb.qpn] = true;
  if (good && !verb.signaled) return;
  completions_.push_back({response.tag, verb.qpn, response.status, traits_of(verb.kind).wc_opcode, verb.length});
}

base::Cycles VerbPort::next_activity(base::Cycles now) const { return posted_.empty() ? base::Cycles::never() : now; }

}  // namespace caravan::sim
