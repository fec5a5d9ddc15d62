// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/cluster/scenario.hpp"

namespace caravan::sim {

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kCompleted:
      return "completed";
    case Outcome::kInterrupted:
      return "interrupted";
    case Outcome::kTimeLimit:
      return "at the time limit (run.limit)";
  }
  return "";
}

bool ScenarioResult::passed() const {
  return outcome == Outcome::kCompleted &&
         std::all_of(checks.begin(), checks.end(), [](const auto& c) { return c.passed; });
}

std::uint64_t ScenarioResult::sum(std::string_view component, std::string_view word) const {
  std::uint64_t total = 0;
  const std::string head = std::string(component) + ".";
  for (const auto& s : stats) {
    if (s.path.starts_with(head) && s.path.find(word, head.size()) != std::string::npos) total += s.value;
  }
  return total;
}

}  // namespace caravan::sim
