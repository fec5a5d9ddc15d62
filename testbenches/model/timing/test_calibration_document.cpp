// SPDX-License-Identifier: Apache-2.0
// docs/calibration.md states every constant as the table in models/timing has it.
#include <catch2/catch_test_macros.hpp>

#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "models/timing/calibration.hpp"

using caravan::timing::Calibration;

TEST_CASE("docs/calibration.md lists every timing constant with value, source and uncertainty", "[model][timing]") {
  std::ifstream in(std::string(CARAVAN_SOURCE_DIR) + "/docs/calibration.md");
  REQUIRE(in);
  std::stringstream document;
  document << in.rdbuf();
  for (const auto& row : caravan::timing::calibration_rows(Calibration{})) {
    const auto line =
        fmt::format("| `{}` | {} | {} | {} | {} |\n", row.name, row.value, row.sentence, row.source, row.uncertainty);
    INFO("docs/calibration.md should have the line\n" << line);
    CHECK(document.str().find(line) != std::string::npos);
  }
}
