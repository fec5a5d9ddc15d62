// SPDX-License-Identifier: Apache-2.0
// Frames as listeners see them (pcapng, traces): one deterministic order, whatever order the engine learns of them in.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "models/base/frame.hpp"

namespace caravan::sim {

enum class FrameDirection : std::uint8_t { kTransmit, kReceive };

/// frame.time: first preamble bit at the node's MAC.
struct FrameObservation {
  unsigned node = 0;
  FrameDirection direction = FrameDirection::kTransmit;
  base::Frame frame;
};
using FrameObserver = std::function<void(const FrameObservation&)>;

/// Keeps observations until no earlier one can come.
class Observations {
 public:
  void set(FrameObserver observer) { observer_ = std::move(observer); }
  void add(unsigned node, FrameDirection direction, const base::Frame& frame) {
    if (observer_) waiting_.push({node, direction, frame});
  }
  /// Shows everything with time < `before`, in order of (time, node, direction, sequence).
  void release(base::Time before) {
    while (!waiting_.empty() && waiting_.top().frame.time < before) {
      observer_(waiting_.top());
      waiting_.pop();
    }
  }

 private:
  struct Later {
    bool operator()(const FrameObservation& a, const FrameObservation& b) const {
      if (a.frame.time != b.frame.time) return a.frame.time > b.frame.time;
      if (a.node != b.node) return a.node > b.node;
      if (a.direction != b.direction) return a.direction > b.direction;
      return a.frame.sequence > b.frame.sequence;
    }
  };
  FrameObserver observer_;
  std::priority_queue<FrameObservation, std::vector<FrameObservation>, Later> waiting_;
};

}  // namespace caravan::sim
