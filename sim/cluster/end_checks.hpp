// SPDX-License-Identifier: Apache-2.0
// What must hold when a run has ended: replicas equal, and equal to the reference; memory written as sent.
#pragma once

#include <vector>

#include "models/base/units.hpp"
#include "sim/cluster/scenario.hpp"
#include "verilator/wrap/rtl_node.hpp"

namespace caravan::sim {

/// Compares every row of every replica's map with the merge of the load phase and all answered PUTs.
std::vector<CheckResult> check_replicas(const std::vector<const vl::RtlNode*>& nodes, const workloads::YcsbPlan& plan,
                                        const std::vector<const workloads::YcsbClient*>& clients);

/// The 8-byte counters of the window at the target sum to `expected`.
CheckResult check_counted(vl::RtlNode& node, bool host_memory, base::Bytes window, std::uint64_t expected);
/// Compares the target window of node 1 with the source window of node 0, however the bytes got from one to the other.
CheckResult check_written(vl::RtlNode& sender, vl::RtlNode& receiver, bool host_memory, base::Bytes written);

/// The contents that the sender's memory is filled with before WRITEs.
std::vector<std::uint8_t> source_bytes(base::Bytes count, std::uint64_t seed);

}  // namespace caravan::sim
