// SPDX-License-Identifier: Apache-2.0
// One RTL node as a configuration describes it, and what its driver writes into its registers.
#pragma once

#include <memory>

#include "sim/cluster/scenario_config.hpp"
#include "verilator/wrap/rtl_node.hpp"

namespace caravan::sim {

std::unique_ptr<vl::RtlNode> make_node(const ScenarioConfig& config, unsigned index);

/// Addresses, neighbours, one queue pair per peer (with further ones between nodes 0 and 1 for WRITEs), regions, peers
/// of the replicated map.
void program_node(vl::RtlNode& node, const ScenarioConfig& config, unsigned index);

}  // namespace caravan::sim
