// SPDX-License-Identifier: Apache-2.0
// Host programs of a run: what each node's CPU runs, and the constants that make its time.
#pragma once

#include <memory>
#include <vector>

#include "sim/cluster/scenario_config.hpp"
#include "sim/host/sim_host.hpp"
#include "workloads/host_latency/host_latency.hpp"

namespace caravan::sim {

host::HostTiming host_timing(const timing::Calibration& calibration);

/// The two programs of workload "host", on nodes 0 (client) and 1 (server).
class HostPrograms {
 public:
  explicit HostPrograms(const ScenarioConfig& config);

  host::SimHost& of(unsigned node) { return *hosts_.at(node); }
  const workloads::HostLatency& workload() const { return *workload_; }
  bool done() const;
  /// What a program threw; empty: nothing.
  std::string failure() const;

 private:
  std::unique_ptr<workloads::HostLatency> workload_;
  std::vector<std::unique_ptr<host::SimHost>> hosts_;  // after the workload: its coroutines use it
};

}  // namespace caravan::sim
