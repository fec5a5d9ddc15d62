// SPDX-License-Identifier: Apache-2.0
// How the sockets' threads tell the simulation that something waits for it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace caravan::sim {

/// Rings are not counted: one wait takes them all.
class Wakeup {
 public:
  /// From any thread.
  void ring();
  /// Until somebody rang since the last wait, or for `limit` of wall time. True when rung.
  bool wait(std::chrono::nanoseconds limit);

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  bool rung_ = false;
};

}  // namespace caravan::sim
