// SPDX-License-Identifier: Apache-2.0
// What carries frames between nodes, as the window engine sees it. No SystemC here.
#pragma once

#include <vector>

#include "models/base/fingerprint.hpp"
#include "models/base/frame.hpp"
#include "models/base/stats.hpp"
#include "models/base/units.hpp"
#include "models/timing/faults.hpp"
#include "models/timing/switch.hpp"

namespace caravan::sim {

/// Port i belongs to node i. All calls come from one thread.
class Network {
 public:
  virtual ~Network() = default;
  virtual unsigned ports() const = 0;

  /// A frame leaves node `port` at frame.time, which is not before any `until` of advance(). Calls of one port come in
  /// order of time, those of several ports in any order.
  virtual void inject(unsigned port, base::Frame frame) = 0;

  /// Every frame with time < `until` has been injected: moves on to `until` (exclusive). Afterwards every frame that
  /// reaches a node before `until` + lookahead() can be collected.
  virtual void advance(base::Time until) = 0;
  virtual base::Time lookahead() const = 0;

  /// Appends the frames for node `port` that are known and not yet collected, in order of (time, sender's port,
  /// sequence).
  virtual void collect(unsigned port, base::FrameInbox& to) = 0;

  /// The fault rules from now on, in place of those before; their counters, and the first PSNs that they count from,
  /// start anew. UserError in a network without a switch.
  virtual void set_faults(std::vector<timing::FaultRule> rules) = 0;

  /// No frame can become collectable by advancing to an earlier time; never() when no frame is under way.
  virtual base::Time next_event() const = 0;

  /// Counters so far, under full paths, and their hash.
  virtual std::vector<base::StatValue> statistics() const = 0;
  virtual void hash_into(base::Fingerprint& hash) const = 0;
  /// Lengths of the switch's queues, one sample a period of its configuration; none without a switch.
  virtual std::vector<timing::QueueSample> queue_samples() const { return {}; }
};

}  // namespace caravan::sim
