// SPDX-License-Identifier: Apache-2.0
// The incast workload in a cluster: a client on every node but node 0, and what their frames and the switch say over
// time.
#pragma once

#include <memory>
#include <vector>

#include "models/timing/switch.hpp"
#include "sim/cluster/frame_observer.hpp"
#include "sim/cluster/scenario_config.hpp"
#include "workloads/incast/client.hpp"
#include "workloads/incast/table.hpp"

namespace caravan::sim {

class Incast {
 public:
  explicit Incast(const ScenarioConfig& config);

  /// Of node 1 and up.
  workloads::IncastClient& client(unsigned node) { return *clients_[node - 1]; }
  bool done() const;
  std::uint64_t completed() const;
  std::uint64_t issued() const;
  std::uint64_t failed() const;

  /// Every frame of the run, in order of time.
  void observe(const FrameObservation& frame);
  /// The table, with the switch's samples.
  workloads::IncastTable table(const std::vector<timing::QueueSample>& samples) const;

 private:
  std::vector<std::unique_ptr<workloads::IncastClient>> clients_;
  workloads::IncastTable table_;
  base::Time duration_;
};

}  // namespace caravan::sim
