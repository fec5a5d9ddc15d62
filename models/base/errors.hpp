// SPDX-License-Identifier: Apache-2.0
// Two kinds of failure, two voices: UserError blames the input, BUG_IF blames us.
#pragma once

#include <stdexcept>
#include <string>

namespace caravan::base {

/// The user's input is wrong. The text names the file (and line), the value, what is allowed and, where there
/// is one, the nearest valid name. The program prints it and exits with status 2.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Prints `file:line: broken invariant: message` and aborts.
[[noreturn]] void bug(const char* file, int line, const std::string& message);

}  // namespace caravan::base

/// Aborts when `cond_` holds; `msg_` says time, cycle and instance where they are known.
#define BUG_IF(cond_, msg_)                                      \
  do {                                                           \
    if (cond_) ::caravan::base::bug(__FILE__, __LINE__, (msg_)); \
  } while (false)
