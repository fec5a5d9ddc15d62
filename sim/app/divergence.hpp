// SPDX-License-Identifier: Apache-2.0
// The first divergence of two traces, for people.
#pragma once

#include <string>
#include <string_view>

#include "models/base/trace.hpp"
#include "models/base/units.hpp"

namespace caravan::app {

/// Time, cycle, node, port, both records, the fields that differ, and the records before. `period` is the clock's.
std::string divergence_text(const base::Divergence& divergence, base::Time period, std::string_view expected_name,
                            std::string_view actual_name);

}  // namespace caravan::app
