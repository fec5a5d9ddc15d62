// SPDX-License-Identifier: Apache-2.0
// The counters of one node: its event bits (node_pkg::node_stats_t, bit 0 first), then those of its MAC and memories.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "models/base/stats.hpp"

namespace caravan::vl {

inline constexpr std::size_t kEventCount = 74;
/// All declarations; the first kEventCount belong to the bits of the node's stats_o.
std::span<const base::StatInfo> node_stat_infos();

}  // namespace caravan::vl
