// SPDX-License-Identifier: Apache-2.0
// RDMA verbs of given sizes from one node to another: response time, goodput and rate per size.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/base/i_client.hpp"
#include "models/base/stats.hpp"
#include "models/base/units.hpp"

namespace caravan::workloads {

/// One kind of verb. Message i goes over queue pair i mod qpns, from local_base + offset to remote_base + offset;
/// offsets step through the window by the message size. A rerun of an offset carries the same bytes, so that after the
/// run the remote window equals the local one wherever it was written or read.
struct VerbPlan {
  base::ClientOp op = base::ClientOp::kWrite;  ///< WRITE, SEND, READ or FETCH_ADD (of 1; every size must be 8)
  std::vector<base::Bytes> sizes;
  std::uint64_t repetitions = 1;    ///< messages per size
  std::uint32_t outstanding = 1;    ///< messages in flight, all queue pairs together
  std::vector<std::uint32_t> qpns;  ///< local queue pairs
  std::uint32_t rkey = 0;
  std::uint64_t local_base = 0;
  std::uint64_t remote_base = 0;
  base::Bytes window;  ///< at least the largest size
  base::Cycles start;  ///< no message before it: a receiver of SENDs must have set up

  /// Where message `message` of one size lies in the window.
  std::uint64_t offset_of(base::Bytes size, std::uint64_t message) const;
};

/// What one size measured. Times are cycles of the sending node.
struct VerbResult {
  base::Bytes size;
  base::Samples latency;  ///< presented -> completion
  base::Cycles first_request;
  base::Cycles first_completion;
  base::Cycles last_completion;
  std::uint64_t after_first = 0;  ///< messages completed after the cycle of the first completion
  std::uint64_t failed = 0;

  /// Payload bits per second over the whole phase, from the first request to the last completion.
  double goodput_bps(base::Time period) const;
  /// The same without ramp-up: what completed after the first completion, over the time since then. 0 when everything
  /// completed in one cycle.
  double steady_bps(base::Time period) const;
  /// Messages per second, counted as in steady_bps, or as in goodput_bps when nothing was steady.
  double rate(base::Time period) const;
};

class VerbClient final : public base::Client {
 public:
  explicit VerbClient(VerbPlan plan);

  std::optional<base::ClientRequest> next_request(base::Cycles now) override;
  void accepted(const base::ClientRequest& request, base::Cycles now) override;
  void response(const base::ClientResponse& response, base::Cycles now) override;
  base::Cycles next_activity(base::Cycles now) const override;
  bool done() const override { return phase_ == plan_.sizes.size(); }

  const std::vector<VerbResult>& results() const { return results_; }
  /// The part of the window that was written, from its start.
  base::Bytes written() const { return written_; }

 private:
  bool may_issue() const;

  VerbPlan plan_;
  std::size_t phase_ = 0;
  std::uint64_t issued_ = 0;  ///< presented in this phase
  std::uint64_t completed_ = 0;
  bool presenting_ = false;
  base::ClientRequest request_;
  std::uint32_t tag_ = 0;
  std::uint32_t phase_tag_ = 0;  ///< tag of the phase's first message
  std::vector<base::Cycles> began_;
  std::vector<VerbResult> results_;
  base::Bytes written_;
};

/// Bytes on the wire, in the direction of the data, of one WRITE or SEND or of the responses to one READ of `size` over
/// RC at path MTU `pmtu`: preamble 8, Ethernet 14, IPv4 20, UDP 8, BTH 12, payload padded to 4, ICRC 4, FCS 4, gap 12;
/// WRITE: RETH 16 in the first packet; READ: AETH 4 in the first and the last; frames of at least 64 bytes.
base::Bytes wire_bytes(base::Bytes size, base::Bytes pmtu, base::ClientOp op = base::ClientOp::kWrite);
/// "RDMA WRITE", "RDMA READ", "SEND", "FETCH_ADD".
std::string_view verb_name(base::ClientOp op);
/// Packets of such a WRITE; a WRITE of 0 bytes is one packet.
std::uint64_t packets_of(base::Bytes size, base::Bytes pmtu);
/// The payload rate that the wire allows for back-to-back messages of `size`.
double ceiling_bps(base::Bytes size, base::Bytes pmtu, base::Rate line, base::ClientOp op = base::ClientOp::kWrite);

}  // namespace caravan::workloads
