// SPDX-License-Identifier: Apache-2.0
// A sender of an incast: RDMA WRITEs over one queue pair, back to back, from a first to a last cycle.
#pragma once

#include <cstdint>

#include "models/base/i_client.hpp"

namespace caravan::workloads {

struct IncastPlan {
  std::uint32_t qpn = 0;  ///< local queue pair
  std::uint32_t rkey = 0;
  std::uint64_t local_base = 0, remote_base = 0;
  std::uint32_t size = 65536;     ///< bytes of a message
  std::uint32_t outstanding = 4;  ///< messages
  base::Cycles begin, end;        ///< messages are presented in [begin, end)
};

class IncastClient final : public base::Client {
 public:
  explicit IncastClient(const IncastPlan& plan) : plan_(plan) {}

  std::optional<base::ClientRequest> next_request(base::Cycles now) override;
  void accepted(const base::ClientRequest& request, base::Cycles now) override;
  void response(const base::ClientResponse& response, base::Cycles now) override;
  base::Cycles next_activity(base::Cycles now) const override;
  /// Nothing is outstanding, and time is up or a message failed.
  bool done() const override { return completed_ == issued_ && !presenting_ && (over_ || failed_ != 0); }

  std::uint64_t issued() const { return issued_; }
  std::uint64_t completed() const { return completed_; }
  std::uint64_t failed() const { return failed_; }

 private:
  bool may_issue(base::Cycles now) const;

  IncastPlan plan_;
  std::uint64_t issued_ = 0, completed_ = 0, failed_ = 0;
  bool presenting_ = false, over_ = false;
  base::ClientRequest request_;
};

}  // namespace caravan::workloads
