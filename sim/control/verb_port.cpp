// SPDX-License-Identifier: Apache-2.0
#include "sim/control/verb_port.hpp"

#include <array>

namespace caravan::sim {

std::string_view status_text(VerbStatus status) {
  constexpr std::array<std::string_view, 10> kTexts = {"success",
                                                       "Work Request Flushed Error",
                                                       "local QP operation error",
                                                       "transport retry counter exceeded",
                                                       "remote access error",
                                                       "remote operation error",
                                                       "remote invalid request error",
                                                       "RNR retry counter exceeded",
                                                       "local length error",
                                                       "local protection error"};
  const auto index = static_cast<std::size_t>(status);
  return index < kTexts.size() ? kTexts[index] : "general error";
}

unsigned wc_opcode_of(VerbKind kind) {
  constexpr std::array<unsigned, 5> kOpcodes = {1, 0, 2, 3, 4};
  return kOpcodes[static_cast<std::size_t>(kind)];
}

}  // namespace caravan::sim
