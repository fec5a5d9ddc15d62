// SPDX-License-Identifier: Apache-2.0
// The script of a capture: what both guests were told to do, and what they answered.
#pragma once

#include <nlohmann/json.hpp>

#include "testbenches/support/capture.hpp"

namespace caravan::support {

/// Adds posts, memory and results of the script to a capture whose frames and queue pairs are known.
void read_script(Capture& capture, const nlohmann::json& script);

}  // namespace caravan::support
