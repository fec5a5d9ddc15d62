// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include "models/base/stats.hpp"

using namespace caravan::base;

TEST_CASE("percentiles are exact, by nearest rank", "[model][stats]") {
  Samples s;
  CHECK(s.percentile(50) == 0);
  CHECK(s.mean() == 0);
  for (std::uint64_t v = 100; v >= 1; --v) s.add(v);
  CHECK(s.percentile(0) == 1);
  CHECK(s.percentile(1) == 1);
  CHECK(s.percentile(50) == 50);
  CHECK(s.percentile(50.5) == 51);
  CHECK(s.percentile(99) == 99);
  CHECK(s.percentile(99.1) == 100);
  CHECK(s.percentile(100) == 100);
  CHECK(s.mean() == 50.5);
  s.add(1000);
  CHECK(s.max() == 1000);
  CHECK(s.percentile(50) == 51);
}

TEST_CASE("merged samples have the percentiles of all", "[model][stats]") {
  Samples a, b;
  for (std::uint64_t v = 0; v < 10; ++v) (v % 2 ? a : b).add(v);
  CHECK(a.percentile(50) == 5);
  a.add(b);
  CHECK(a.count() == 10);
  CHECK(a.min() == 0);
  CHECK(a.percentile(50) == 4);
}
