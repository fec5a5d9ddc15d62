// SPDX-License-Identifier: Apache-2.0
// A closed loop without RTL: senders with the reference congestion control, the switch model, one receiver. What it
// shows is how the control laws behave in this network; nodes are as simple as can be: a window, a pacer, a line.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include "models/ref/cc_ref.hpp"
#include "models/timing/switch.hpp"

namespace caravan::model {

struct IncastSettings {
  unsigned senders = 8;
  ref::CcMode mode = ref::CcMode::kDcqcn;
  ref::CcConfig cc;
  timing::SwitchConfig net;
  unsigned window = 16;     ///< packets in flight
  unsigned ack_every = 8;   ///< packets
  unsigned frame = 4170;    ///< bytes, without FCS
  base::Time start_spread;  ///< sender i starts at i times this
  base::Time end = base::Time::ms(5), interval = base::Time::us(100);
};

struct IncastResult {
  std::vector<std::vector<double>> gbps;  ///< [interval][sender], frames that reached the receiver
  std::vector<std::uint64_t> queue;       ///< longest queue in each interval, bytes
  std::vector<std::uint64_t> drops;       ///< in each interval

  /// Jain's index of the rates summed over the intervals from `first` on.
  double fairness(std::size_t first) const;
  double total_gbps(std::size_t first) const;
  std::uint64_t longest_queue(std::size_t first) const;
};

IncastResult run_incast(const IncastSettings& settings);

}  // namespace caravan::model
