// SPDX-License-Identifier: Apache-2.0
// A cluster: nodes, the network between them, and the engine that runs both. The only place that composes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/base/i_node_model.hpp"
#include "models/base/stats.hpp"
#include "models/timing/calibration.hpp"
#include "sim/cluster/window_engine.hpp"
#include "sim/network/network_systemc.hpp"

namespace caravan::sim {

struct ClusterConfig {
  NetworkConfig network;  ///< `nodes` is set from the list of nodes
  EngineConfig engine;

  /// Delays, rates and lookaheads from the calibration table; topology, faults and threads as by default.
  static ClusterConfig from(const timing::Calibration& calibration);
};

class Cluster {
 public:
  /// Node i is on port i. UserError for a topology that does not fit.
  Cluster(const ClusterConfig& config, std::vector<std::unique_ptr<base::NodeModel>> nodes);

  void run_until(base::Time end) { engine_.run_until(end); }
  /// True when nothing is left to happen; false at `limit`.
  bool run_until_idle(base::Time limit) { return engine_.run_until_idle(limit); }
  /// The earliest time at which anything can happen; never() when idle.
  base::Time next_activity() { return engine_.next_activity(); }
  /// See Network::set_faults.
  void set_faults(std::vector<timing::FaultRule> rules) { network_->set_faults(std::move(rules)); }
  base::Time now() const { return engine_.now(); }
  base::Time window() const { return engine_.window(); }

  std::size_t size() const { return nodes_.size(); }
  base::NodeModel& node(std::size_t i) { return *nodes_.at(i); }
  const base::NodeModel& node(std::size_t i) const { return *nodes_.at(i); }

  /// Over the nodes' fingerprints in order of index and the network's counters.
  std::uint64_t fingerprint() const;
  EngineStats engine_stats() const { return engine_.stats(); }
  /// Of the switch, by port and by fault rule.
  std::vector<base::StatValue> network_stats() const { return network_->statistics(); }

  /// See Network::queue_samples.
  std::vector<timing::QueueSample> queue_samples() const { return network_->queue_samples(); }

  /// See WindowEngine. Set before the first run.
  void set_observer(FrameObserver observer) { engine_.set_observer(std::move(observer)); }
  void flush_observations() { engine_.flush_observations(); }

 private:
  std::vector<std::unique_ptr<base::NodeModel>> nodes_;
  std::unique_ptr<Network> network_;
  WindowEngine engine_;
};

}  // namespace caravan::sim
