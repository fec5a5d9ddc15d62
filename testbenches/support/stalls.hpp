// SPDX-License-Identifier: Apache-2.0
// GENERATE expressions for crossed stall patterns.
#pragma once

#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "testbenches/support/bench.hpp"

/// Every stall pattern in turn, as a Catch2 generator: two of them in one test make the full cross.
#define CARAVAN_EVERY_STALL()                                             \
  GENERATE(from_range(std::begin(::caravan::support::StallPattern::kAll), \
                      std::end(::caravan::support::StallPattern::kAll)))
