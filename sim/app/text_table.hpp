// SPDX-License-Identifier: Apache-2.0
// Tables for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace caravan::app {

using Cells = std::vector<std::string>;

/// Columns, two blanks between them. `alignment` has '<' or '>' a column; columns beyond its end are right-aligned.
std::string aligned(const std::vector<Cells>& rows, std::string_view alignment = "");

}  // namespace caravan::app
