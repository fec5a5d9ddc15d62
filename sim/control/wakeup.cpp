// SPDX-License-Identifier: Apache-2.0
#include "sim/control/wakeup.hpp"

namespace caravan::sim {

void Wakeup::ring() {
  {
    const std::lock_guard lock(mutex_);
    rung_ = true;
  }
  condition_.notify_one();
}

bool Wakeup::wait(std::chrono::nanoseconds limit) {
  std::unique_lock lock(mutex_);
  const bool rung = condition_.wait_for(lock, limit, [this] { return rung_; });
  rung_ = false;
  return rung;
}

}  // namespace caravan::sim
