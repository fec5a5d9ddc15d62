// SPDX-License-Identifier: Apache-2.0
// Posts verbs at a node's client port and keeps what completed.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "models/base/i_client.hpp"

namespace caravan::sim {

/// What a work request does. The words, numbers and texts that go with it are rows of one table (verb_port.cpp).
enum class VerbKind : std::uint8_t { kWrite };

struct VerbTraits {
  VerbKind kind;
  std::string_view word;  ///< of the control channel
  base::ClientOp op;
  unsigned wc_opcode;  ///< number of the completion's opcode in libibverbs
};
const VerbTraits& traits_of(VerbKind kind);

/// A work request; fields that its kind does not use are ignored.
struct VerbRequest {
  VerbKind kind = VerbKind::kWrite;
  std::uint32_t qpn = 0;
  std::uint64_t laddr = 0;
  std::uint64_t raddr = 0;
  std::uint32_t rkey = 0;
  std::uint32_t length = 0;  ///< bytes
  bool signaled = true;      ///< a success is reported too
};

struct VerbCompletion {
  std::uint32_t wr = 0;  ///< as returned by post()
  std::uint32_t qpn = 0;
  base::ClientStatus status = base::ClientStatus::kOk;
  unsigned wc_opcode = 0;
  std::uint32_t length = 0;
};
/// The words of libibverbs: "success", "remote access error".
std::string_view completion_text(base::ClientStatus status);

/// Requests are presented in the order of posting. Used between the node's runs and by the node itself.
class VerbPort final : public base::Client {
 public:
  /// Returns the number of the work request, from 1.
  std::uint32_t post(const VerbRequest& request);
  std::size_t completed() const { return completions_.size(); }
  /// The oldest completions, `most` at most.
  std::vector<VerbCompletion> take(std::size_t most);
  std::size_t outstanding() const { return waiting_.size() + posted_.size(); }
  /// Whether a work request on this queue pair has failed since clear_failure().
  bool failed(std::uint32_t qpn) const { return failed_.contains(qpn) && failed_.at(qpn); }
  void clear_failure(std::uint32_t qpn) { failed_[qpn] = false; }

  std::optional<base::ClientRequest> next_request(base::Cycles now) override;
  void accepted(const base::ClientRequest& request, base::Cycles now) override;
  void response(const base::ClientResponse& response, base::Cycles now) override;
  base::Cycles next_activity(base::Cycles now) const override;
  bool done() const override { return outstanding() == 0; }

 private:
  struct Posted {
    std::uint32_t wr;
    VerbRequest request;
  };
  std::uint32_t next_wr_ = 1;
  std::deque<Posted> posted_;
  std::map<std::uint32_t, VerbRequest> waiting_;  // by work request, accepted and not complete
  std::deque<VerbCompletion> completions_;
  std::map<std::uint32_t, bool> failed_;
};

}  // namespace caravan::sim
