// SPDX-License-Identifier: Apache-2.0
// A peer outside of the simulation as one more node of the cluster: what it sends enters the network at the end of the
// window in which it is taken from the socket, at line rate; what the network delivers goes to the socket. When that is
// in wall time is not repeatable, so runs with a peer have no fingerprint.
#pragma once

#include "models/base/i_node_model.hpp"
#include "sim/control/frame_socket.hpp"

namespace caravan::sim {

struct PeerPortConfig {
  base::Rate line_rate = base::Rate::gbps(100);
  base::Time tx_lookahead;  ///< the engine's: a frame's time is at least this after the window's end
};

class PeerPort final : public base::NodeModel {
 public:
  /// The socket outlives the port.
  PeerPort(PeerPortConfig config, FrameSocket& socket) : config_(config), socket_(socket) {}

  void run_until(base::Time end, base::FrameInbox& inbox, base::FrameOutbox& outbox) override;
  /// At once while a frame of the peer waits. A frame that comes later is seen when the engine is asked to run again.
  base::Time next_activity() const override;
  /// A peer can't be saved: UserError.
  void serialize(std::ostream& out) const override;
  void deserialize(std::istream& in) override;
  std::uint64_t fingerprint() const override { return 0; }

 private:
  PeerPortConfig config_;
  FrameSocket& socket_;
  base::Time reached_;    // end of the last window
  base::Time line_free_;  // end of the gap after the last frame sent into the network
  std::uint64_t sequence_ = 0;
};

}  // namespace caravan::sim
