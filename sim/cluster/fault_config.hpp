// SPDX-License-Identifier: Apache-2.0
// [[fault]]: rules of the switch, as the configuration has them.
#pragma once

#include <vector>

#include "models/base/config.hpp"
#include "models/timing/faults.hpp"

namespace caravan::sim {

/// Reads every [[fault]] table. Throws base::UserError; ports are checked against `nodes`.
std::vector<timing::FaultRule> read_faults(base::Params& params, unsigned nodes);

}  // namespace caravan::sim
