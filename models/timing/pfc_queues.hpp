// SPDX-License-Identifier: Apache-2.0
// The queues of a switch with priority flow control: one per egress port and priority, served in turn frame by frame.
//
// A frame is chosen `latency` before its first bit leaves (that is the switch's lookahead): at max(arrival, end of the
// port's last frame and gap - latency); store and forward adds the frame's own time before that. A pause that comes
// later than the choice does not stop the frame, as in a switch whose egress pipeline is that deep. Every frame is
// charged to (ingress, priority) from its arrival until its last bit left. For lossless priorities that count decides
// on pausing the ingress port's station and on admission; others are admitted by the caller's threshold. Pause frames
// go before everything else of a port and are not queued behind data.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "models/base/frame.hpp"
#include "models/timing/pfc.hpp"

namespace caravan::timing {

struct PfcQueuesConfig {
  unsigned ports = 2;
  base::Rate rate;
  base::Time latency;
  bool store_and_forward = false;
  PfcConfig pfc;
};

/// A frame that has been given its time. Pause frames have egress == ingress.
struct PfcDeparture {
  unsigned egress = 0, ingress = 0;
  base::Frame frame;  ///< time: first preamble bit at the egress port
  base::Time end;     ///< last bit, from when its bytes are free
  base::Time waited;  ///< behind others, or paused
};

class PfcQueues {
 public:
  explicit PfcQueues(PfcQueuesConfig config);

  unsigned priority_of(const base::Frame& frame) const;
  bool lossless(unsigned priority) const { return (config_.pfc.lossless >> priority & 1) != 0; }
  /// Whether the headroom of (ingress, priority) takes `bytes` more; counts a drop when not.
  bool has_headroom(unsigned ingress, unsigned priority, std::uint64_t bytes);
  /// The frame arrives at `now` and may lead to departures and pause frames.
  void push(unsigned ingress, unsigned egress, unsigned priority, const base::Frame& frame, base::Time now,
            std::vector<PfcDeparture>& out);
  /// A pause frame from the port's station.
  void pause(unsigned port, const PauseFrame& pause, base::Time now);
  /// When run() has something to do; never(): nothing waits.
  base::Time next_timer() const;
  void run(base::Time now, std::vector<PfcDeparture>& out);

  const std::vector<PfcPortStats>& stats() const { return stats_; }
  std::uint64_t ingress_bytes(unsigned port, unsigned priority) const { return ports_[port].held[priority]; }

 private:
  struct Waiting {
    unsigned ingress;
    base::Frame frame;
    base::Time ready;  // earliest time of the first bit
  };
  struct Release {
    base::Time at;
    unsigned port, priority;
    std::uint64_t bytes;
    bool operator>(const Release& o) const { return at != o.at ? at > o.at : port > o.port; }
  };
  struct Port {
    base::Time free;
    std::deque<Waiting> queue[kPriorities];
    base::Time paused_until[kPriorities];
    base::Time idle_since[kPriorities];  // accounting of paused time
    unsigned turn = 0;
    std::uint64_t held[kPriorities] = {};
    bool stopped[kPriorities] = {};  // we have paused the station
    base::Time renew_at[kPriorities];
    std::uint64_t pauses = 0;
  };

  bool ready(const Port& port, unsigned priority, base::Time now) const;
  base::Time next_choice(const Port& port) const;
  void serve(unsigned egress, base::Time now, std::vector<PfcDeparture>& out);
  void tell(unsigned port, std::uint8_t priorities, std::uint16_t quanta, base::Time now,
            std::vector<PfcDeparture>& out);
  void account(Port& port, PfcPortStats& stats, unsigned priority, base::Time until) const;
  void release(base::Time now, std::vector<PfcDeparture>& out);
  base::Time renewal() const { return pause_time(config_.pfc.quanta / 2, config_.rate); }

  PfcQueuesConfig config_;
  std::vector<Port> ports_;
  std::vector<PfcPortStats> stats_;
  std::vector<Release> releases_;  // a heap, the earliest on top
};

}  // namespace caravan::timing
