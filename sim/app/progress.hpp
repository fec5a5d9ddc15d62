// SPDX-License-Identifier: Apache-2.0
// How far a run is: a bar on a terminal, a line per ten seconds of wall time elsewhere. On standard error.
#pragma once

#include <chrono>

#include "sim/cluster/scenario.hpp"

namespace caravan::app {

class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  void update(const sim::ScenarioProgress& progress);

 private:
  using Clock = std::chrono::steady_clock;
  bool quiet_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point start_;
  Clock::time_point next_;
};

}  // namespace caravan::app
