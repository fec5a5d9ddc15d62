// SPDX-License-Identifier: Apache-2.0
// A cluster with one more switch port that leads out of the simulation, and a control channel to its nodes.
//
// Simulated time runs freely while anything is under way in the cluster. When only timers are left it passes no faster
// than wall time does, so that a retry timer does not expire before the peer, which lives in wall time, had its chance
// to answer; and when nothing is left the process sleeps until a frame or a command comes. What depends on the peer's
// speed is not repeatable.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/base/stats.hpp"
#include "sim/cluster/scenario.hpp"
#include "sim/cluster/scenario_config.hpp"

namespace caravan::sim {

struct BridgeConfig {
  ScenarioConfig cluster;  ///< workload idle, topology switch, and read with one port more (read_scenario)
  std::string socket;      ///< path: frames, as QEMU's stream netdev sends them
  std::string control;     ///< path: commands; empty: none
};

class Bridge {
 public:
  /// Builds the cluster and listens. The peer's address is that of the node behind the last (addressing.hpp): every
  /// node knows it as a neighbour. Throws base::UserError.
  explicit Bridge(const BridgeConfig& config);
  ~Bridge();

  /// Every frame that enters or leaves a node or the peer (node index = number of nodes), in order of time.
  void capture(FrameSink sink);
  /// Until the control client says quit, or `go_on` does not want to; it is asked at least every 100 ms.
  void run(const std::function<bool()>& go_on);

  base::Time now() const;
  /// Of the nodes, the switch and the peer's socket.
  std::vector<base::StatValue> statistics() const;
  /// One line for people: the peer's MAC and IP.
  std::string peer_address() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace caravan::sim
