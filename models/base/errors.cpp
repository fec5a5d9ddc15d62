// SPDX-License-Identifier: Apache-2.0
#include "models/base/errors.hpp"

#include <cstdio>
#include <cstdlib>

namespace caravan::base {

void bug(const char* file, int line, const std::string& message) {
  std::fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, message.c_str());
  std::fflush(stderr);
  std::abort();
}

}  // namespace caravan::base
