// SPDX-License-Identifier: Apache-2.0
// The other end of SENDs: a host program that keeps receive buffers posted, where the sender's plan says that each
// message belongs.
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/units.hpp"
#include "sim/host/context.hpp"
#include "workloads/verb_latency/verbs.hpp"

namespace caravan::workloads {

/// One queue pair of the receiver.
struct ReceiverQp {
  std::uint32_t qpn = 0;
  std::uint32_t first_psn = 0;  ///< of what the receiver sends
  host::PeerAddress peer;
};

struct ReceiverPlan {
  VerbPlan verbs;               ///< the sender's; buffers are posted from its remote_base on
  std::vector<ReceiverQp> qps;  ///< in the order of verbs.qpns
  host::RetryOptions retry;
  base::Bytes mtu{4096};
};

class VerbReceiver {
 public:
  explicit VerbReceiver(ReceiverPlan plan);

  /// Ends when every message has come. VerbError for a receive that fails or has the wrong length.
  host::Task<> program(host::Context& ctx);
  std::uint64_t received() const { return received_; }

 private:
  /// Where a queue pair is in its sequence of messages.
  struct Cursor {
    std::size_t phase = 0;
    std::uint64_t message = 0;
  };
  std::vector<host::LocalBuffer> next_buffers(std::size_t qp, std::uint64_t most);

  ReceiverPlan plan_;
  std::vector<Cursor> cursors_;
  std::uint64_t received_ = 0;
};

}  // namespace caravan::workloads
