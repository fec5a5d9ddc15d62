// SPDX-License-Identifier: Apache-2.0
// How fast the simulator is: one node by itself, the engine with more nodes and threads, and what skipping gains.
#pragma once

#include <array>
#include <cstdint>

#include "sim/cluster/scenario_config.hpp"

namespace caravan::sim {

/// What one measurement counted. Rates are over wall time.
struct EngineRate {
  std::uint64_t node_cycles = 0;  ///< simulated
  std::uint64_t evaluated = 0;    ///< of these, evaluated
  double seconds = 0;
  std::array<std::uint64_t, vl::kBlockCount> clocked{};  ///< per block: edges given; measure_bare_node only
  double node_seconds = 0;                               ///< of these, inside nodes, summed over the threads
  double simulated_per_second() const { return seconds > 0 ? static_cast<double>(node_cycles) / seconds : 0; }
  double evaluated_per_second() const { return seconds > 0 ? static_cast<double>(evaluated) / seconds : 0; }
};

enum class Load : std::uint8_t {
  kIdle,     ///< nothing happens
  kLatency,  ///< one 64-byte WRITE at a time between two nodes; the others idle
  kBusy,     ///< YCSB with updates only on every node: replication at full speed
};

/// Runs a cluster under `load` for about `seconds` of wall time; building is not counted.
EngineRate measure_cluster(unsigned nodes, unsigned threads, vl::Skip skip, Load load, double seconds);

/// Runs one node without any engine; with Skip::kOff every block in every cycle, with Skip::kOn as users run it: quiet
/// blocks rest. Busy: the client and the frames that node 0 of a busy
/// cluster of four met, replayed. The same cycles in the engine cost what measure_cluster says; the rest is the
/// harness.
EngineRate measure_bare_node(Load load, vl::Skip skip, double seconds);

}  // namespace caravan::sim
