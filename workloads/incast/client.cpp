// SPDX-License-Identifier: Apache-2.0
#include "workloads/incast/client.hpp"

#include <algorithm>

#include "models/base/errors.hpp"

namespace caravan::workloads {

bool IncastClient::may_issue(base::Cycles now) const {
  return now >= plan_.begin && now < plan_.end && failed_ == 0 && issued_ - completed_ < plan_.outstanding;
}

std::optional<base::ClientRequest> IncastClient::next_request(base::Cycles now) {
  if (presenting_) return request_;
  over_ = now >= plan_.end;
  if (!may_issue(now)) return std::nullopt;
  request_ = base::ClientRequest{};
  request_.op = base::ClientOp::kWrite;
  request_.tag = static_cast<std::uint32_t>(issued_++);
  request_.qpn = plan_.qpn;
  request_.laddr = plan_.local_base;
  request_.raddr = plan_.remote_base;
  request_.rkey = plan_.rkey;
  request_.length = plan_.size;
  presenting_ = true;
  return request_;
}

void IncastClient::accepted(const base::ClientRequest&, base::Cycles) {
  BUG_IF(!presenting_, "a request was accepted that was not presented");
  presenting_ = false;
}

void IncastClient::response(const base::ClientResponse& response, base::Cycles now) {
  BUG_IF(completed_ >= issued_, "a response although nothing is outstanding");
  ++completed_;
  failed_ += response.status != base::ClientStatus::kOk;
  over_ = over_ || now >= plan_.end;
}

base::Cycles IncastClient::next_activity(base::Cycles now) const {
  if (presenting_) return now;
  if (over_ || failed_ != 0) return base::Cycles::never();
  if (now >= plan_.end) return now;  // to see that time is up
  return issued_ - completed_ < plan_.outstanding ? std::max(now, plan_.begin) : plan_.end;
}

}  // namespace caravan::workloads
