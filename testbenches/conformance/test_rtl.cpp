// SPDX-License-Identifier: Apache-2.0
// The conformance table against the RTL. CARAVAN_ROW restricts it to rows whose id begins so.
#include <fmt/format.h>
#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <string>

#include "testbenches/conformance/rows.hpp"
#include "testbenches/conformance/rtl_endpoint.hpp"

using namespace caravan::conformance;

TEST_CASE("Conformance table: the RTL passes every row", "[conformance]") {
  const char* only = std::getenv("CARAVAN_ROW");
  std::size_t passed = 0, skipped = 0;
  for (const Row& row : all_rows()) {
    if (only != nullptr && !row.id.starts_with(only)) continue;
    RtlEndpoint endpoint;
    if (const std::string reason = skip_reason(row, endpoint); !reason.empty()) {
      fmt::print("skipped {:<34} {}\n", row.id, reason);
      ++skipped;
      continue;
    }
    const std::string difference = run(row, endpoint);
    INFO(row.requirement);
    INFO(difference);
    CHECK(difference.empty());
    passed += difference.empty();
  }
  fmt::print("{} rows pass on the RTL, {} skipped\n", passed, skipped);
  CHECK(passed > 0);
}
