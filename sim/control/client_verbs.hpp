// SPDX-License-Identifier: Apache-2.0
// Verbs through the node's client port, which does RDMA WRITE only.
#pragma once

#include <deque>
#include <map>

#include "models/base/i_client.hpp"
#include "sim/control/verb_port.hpp"
#include "verilator/wrap/rtl_node.hpp"

namespace caravan::sim {

/// Requests are presented in the order of posting.
class ClientVerbs final : public VerbPort, private base::Client {
 public:
  /// Becomes the node's client; the node outlives this.
  explicit ClientVerbs(vl::RtlNode& node);
  ~ClientVerbs() override;
  ClientVerbs(const ClientVerbs&) = delete;
  ClientVerbs& operator=(const ClientVerbs&) = delete;

  void reset(std::uint32_t qpn) override { failed_[qpn] = false; }
  std::uint64_t post(const VerbRequest& request) override;
  std::uint64_t post(const ReceiveRequest& request) override;
  std::size_t completed() override { return completions_.size(); }
  std::vector<VerbCompletion> take(std::size_t most) override;
  bool failed(std::uint32_t qpn) const override { return failed_.contains(qpn) && failed_.at(qpn); }

 private:
  std::optional<base::ClientRequest> next_request(base::Cycles now) override;
  void accepted(const base::ClientRequest& request, base::Cycles now) override;
  void response(const base::ClientResponse& response, base::Cycles now) override;
  base::Cycles next_activity(base::Cycles now) const override;
  bool done() const override { return waiting_.empty() && posted_.empty(); }

  struct Posted {
    std::uint32_t wr;
    VerbRequest request;
  };
  vl::RtlNode& node_;
  std::uint32_t last_wr_ = 0;
  std::deque<Posted> posted_;
  std::map<std::uint32_t, VerbRequest> waiting_;  // by work request, accepted and not complete
  std::deque<VerbCompletion> completions_;
  std::map<std::uint32_t, bool> failed_;
};

}  // namespace caravan::sim
