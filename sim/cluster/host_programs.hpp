// SPDX-License-Identifier: Apache-2.0
// Host programs of a run: what each node's CPU runs, and the constants that make its time.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "sim/cluster/scenario_config.hpp"
#include "sim/host/sim_host.hpp"
#include "workloads/host_latency/host_latency.hpp"
#include "workloads/verb_latency/receiver.hpp"

namespace caravan::sim {

host::HostTiming host_timing(const timing::Calibration& calibration);

/// When `qps` queue pairs have been set up for sure by programs that begin at 0.
base::Time set_up_by(const ScenarioConfig& config, unsigned qps);

/// Of workload "host": a client on node 0 and a server on node 1. Of workload "verb" with op = "send": a receiver on
/// node 1, whose sender is the on-chip client of node 0.
class HostPrograms {
 public:
  explicit HostPrograms(const ScenarioConfig& config);
  HostPrograms(const ScenarioConfig& config, const workloads::VerbPlan& sender);

  /// Null: no program on this node.
  host::SimHost* of(unsigned node) { return node < hosts_.size() ? hosts_[node].get() : nullptr; }
  /// Null for SENDs.
  const workloads::HostLatency* workload() const { return workload_.get(); }
  bool done() const;
  /// What a program threw; empty: nothing.
  std::string failure() const;

 private:
  std::unique_ptr<workloads::HostLatency> workload_;
  std::unique_ptr<workloads::VerbReceiver> receiver_;
  std::array<std::unique_ptr<host::SimHost>, 2> hosts_;  // after the workload: its coroutines use it
};

}  // namespace caravan::sim
