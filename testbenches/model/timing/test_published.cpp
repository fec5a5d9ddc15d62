// SPDX-License-Identifier: Apache-2.0
// docs/figures.md states every published figure as the table in models/timing has it.
#include <catch2/catch_test_macros.hpp>

#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "models/timing/published.hpp"

using namespace caravan::timing;

TEST_CASE("docs/figures.md lists every published figure with conditions and source", "[model][timing]") {
  std::ifstream in(std::string(CARAVAN_SOURCE_DIR) + "/docs/figures.md");
  REQUIRE(in);
  std::stringstream document;
  document << in.rdbuf();
  std::size_t number = 0;
  for (const auto& f : published_figures()) {
    const auto line = fmt::format("| [{}] | {} | {} | {} | {} | {} | {} |\n", ++number, f.device, f.value,
                                  evidence_name(f.evidence), f.conditions, f.source, f.caveat);
    INFO("docs/figures.md should have the line\n" << line);
    CHECK(document.str().find(line) != std::string::npos);
    CHECK_FALSE(f.source.empty());
    CHECK_FALSE(f.conditions.empty());
  }
}

TEST_CASE("a published figure stands beside the rows that it names and no other", "[model][timing]") {
  PublishedFigure f{};
  CHECK_FALSE(f.stands_beside(""));
  f.beside = {"latency READ host switch"};
  CHECK(f.stands_beside("latency READ host switch"));
  CHECK_FALSE(f.stands_beside("latency READ host cable"));
  CHECK_FALSE(f.stands_beside(""));
}
