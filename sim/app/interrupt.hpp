// SPDX-License-Identifier: Apache-2.0
// Ctrl-C: the run ends at the next slice of simulated time, traces are closed, partial results are written.
#pragma once

namespace caravan::app {

/// While one exists, SIGINT and SIGTERM set a flag; a second signal ends the process at once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  static bool interrupted();
};

}  // namespace caravan::app
