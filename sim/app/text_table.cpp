// SPDX-License-Identifier: Apache-2.0
#include "sim/app/text_table.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace caravan::app {

std::string aligned(const std::vector<Cells>& rows, std::string_view alignment) {
  std::vector<std::size_t> width;
  for (const auto& row : rows) {
    width.resize(std::max(width.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      const bool left = i < alignment.size() && alignment[i] == '<';
      line += left ? fmt::format("{:<{}}", row[i], width[i]) : fmt::format("{:>{}}", row[i], width[i]);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return out;
}

}  // namespace caravan::app
