// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include "Vtb_axis_pkg.h"
#include "testbenches/support/beats.hpp"

using namespace caravan::support;

TEST_CASE("axis_pkg turns beats around and cuts them byte by byte", "[unit][axis]") {
  VerilatedContext context;
  Vtb_axis_pkg top(&context, "top");
  std::array<std::uint8_t, 64> data;
  for (unsigned i = 0; i < 64; ++i) data[i] = static_cast<std::uint8_t>(i * 3 + 1);
  put_data(top.data_i, data);
  for (unsigned n = 0; n <= 64; ++n) {
    top.n_i = static_cast<std::uint8_t>(n);
    top.eval();
    const auto reversed = get_data(top.wire_o), first = get_data(top.first_o);
    for (unsigned i = 0; i < 64; ++i) {
      REQUIRE(reversed[i] == data[63 - i]);
      REQUIRE(first[i] == (i < n ? data[i] : 0));
      REQUIRE((top.strobes_o >> i & 1) == (i < n ? 1u : 0u));
    }
  }
}
