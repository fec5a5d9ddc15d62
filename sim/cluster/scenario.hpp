// SPDX-License-Identifier: Apache-2.0
// One run: builds the cluster that a configuration describes, loads it, runs it to its end, and checks what is left.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/frame.hpp"
#include "models/base/stats.hpp"
#include "models/base/trace.hpp"
#include "sim/cluster/scenario_config.hpp"
#include "workloads/host_latency/host_latency.hpp"
#include "workloads/incast/table.hpp"
#include "workloads/ycsb/client.hpp"

namespace caravan::sim {

/// How a run ended.
enum class Outcome : std::uint8_t { kCompleted, kInterrupted, kTimeLimit };
std::string_view outcome_name(Outcome outcome);

/// What one node's client measured. Latencies in cycles.
struct ReplicaResult {
  std::uint64_t operations = 0;
  std::uint64_t not_found = 0;
  std::uint64_t failed = 0;
  base::Time busy;  ///< from the first request to the last response
  std::array<base::Samples, workloads::kOpKinds> latency;
};

/// One comparison at the end of a run.
struct CheckResult {
  std::string name;  ///< a clause such as "all replicas equal"
  bool passed = false;
  std::string detail;  ///< first difference, or what was compared
};

/// Independent of threads, skipping and tracing.
struct ScenarioResult {
  Outcome outcome = Outcome::kCompleted;
  base::Time end;
  std::uint64_t fingerprint = 0;
  std::vector<ReplicaResult> replicas;       ///< YCSB
  std::vector<workloads::VerbResult> verbs;  ///< WRITEs
  std::vector<workloads::HostVerbResult> host_latencies;
  std::vector<workloads::HostRateResult> host_rates;
  workloads::IncastTable incast;  ///< empty for other workloads
  std::vector<base::StatValue> stats;
  std::vector<CheckResult> checks;

  bool passed() const;
  /// Sum of the counters of one component ("node3") whose name contains `word`.
  std::uint64_t sum(std::string_view component, std::string_view word) const;
};

/// Depends on machine and mode.
struct ScenarioPerf {
  double build_seconds = 0;
  double wall_seconds = 0;
  std::uint64_t node_cycles = 0;       ///< simulated, all nodes
  std::uint64_t evaluated_cycles = 0;  ///< of these, evaluated
  double node_seconds = 0;             ///< spent inside nodes, summed over the workers
  double wait_fraction = 0;            ///< of the workers' time: waiting for the slowest node of a window
  double node_cycles_per_second() const {
    return wall_seconds > 0 ? static_cast<double>(node_cycles) / wall_seconds : 0;
  }
  double skipped_fraction() const {
    return node_cycles == 0 ? 0 : 1.0 - static_cast<double>(evaluated_cycles) / static_cast<double>(node_cycles);
  }
};

struct ScenarioProgress {
  base::Time time;
  std::uint64_t operations = 0;
  std::uint64_t total_operations = 0;
  std::uint64_t node_cycles = 0;
};

/// Called with every frame that enters or leaves a node, in order of time.
using FrameSink = std::function<void(unsigned node, bool outbound, const base::Frame& frame)>;

class Scenario {
 public:
  /// Builds and loads. Throws base::UserError for what shows only now (a workload that does not fit in the map).
  explicit Scenario(const ScenarioConfig& config);
  ~Scenario();

  /// Before run(). Listeners outlive the scenario; they get every record in order, then end().
  void listen(base::TraceListener& listener);
  void capture(FrameSink sink);

  /// Runs until every client is done and nothing is in flight. `go_on` is asked between slices of simulated time and
  /// may end the run early.
  ScenarioResult run(const std::function<bool(const ScenarioProgress&)>& go_on);
  /// For benchmarks: passes simulated time for about `seconds` of wall time although nothing may be left to happen.
  void run_for(double seconds);
  const ScenarioPerf& perf() const;

  /// Every counter that a run can report.
  static std::vector<base::StatGroup> stat_groups();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace caravan::sim
