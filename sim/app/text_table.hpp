// SPDX-License-Identifier: Apache-2.0
// Tables for people.
#pragma once

#include <string>
#include <vector>

namespace caravan::app {

using Cells = std::vector<std::string>;

/// Right-aligned columns, two blanks between them; the first `left` columns are left-aligned.
std::string aligned(const std::vector<Cells>& rows, std::size_t left = 0);

}  // namespace caravan::app
