// SPDX-License-Identifier: Apache-2.0
// One seed for all property checks, so that a run can be repeated; RC_PARAMS in the environment overrides it.
#pragma once

#include <rapidcheck.h>
#include <cstdlib>

namespace caravan::test {

template <class Property>
bool holds(const char* description, Property&& property) {
  setenv("RC_PARAMS", "seed=20260801 max_success=150", 0);
  return rc::check(description, std::forward<Property>(property));
}

}  // namespace caravan::test
