// SPDX-License-Identifier: Apache-2.0
// Conservative parallel simulation of nodes joined by a network.
//
// A window is W = transmit lookahead + network lookahead + receive lookahead long. Nothing that a node does in a window
// can be due at another node within it, so every node runs a window alone, on any thread; then frames are exchanged,
// and the network handles them by (time, port, sequence). Stretches in which nothing can happen anywhere are jumped
// over. Results depend on neither the number of threads nor where windows begin.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "models/base/i_node_model.hpp"
#include "models/base/units.hpp"
#include "sim/cluster/frame_observer.hpp"
#include "sim/cluster/worker_pool.hpp"
#include "sim/network/i_network.hpp"

namespace caravan::sim {

struct EngineConfig {
  base::Time tx_lookahead;  ///< a frame's time is at least this after the clock edge that completed it (MAC latency)
  base::Time rx_lookahead;  ///< a frame may be handed to its node this long after its time (MacRx::lookahead)
  unsigned threads = 1;     ///< the caller's included
};

struct EngineStats {
  std::uint64_t windows = 0;     ///< windows in which at least one node ran
  std::uint64_t jumps = 0;       ///< stretches in which nothing could happen, passed in one step
  base::Time jumped;             ///< their total length
  std::uint64_t node_runs = 0;   ///< node windows run
  std::uint64_t node_rests = 0;  ///< node windows left out: nothing could happen at that node
  std::uint64_t frames_sent = 0, frames_received = 0;
  std::vector<WorkerTime> workers;
};

class WindowEngine {
 public:
  /// Nodes and network outlive the engine. UserError when the lookaheads leave no window.
  WindowEngine(EngineConfig config, const std::vector<base::NodeModel*>& nodes, Network& network);

  /// Advances every node to `end`, exclusive.
  void run_until(base::Time end);
  /// Advances until no node can do anything by itself and no frame is under way, or to `limit`. True when idle.
  bool run_until_idle(base::Time limit);

  /// The earliest time at which anything can happen; never() when idle. Asks every node anew.
  base::Time next_activity();

  base::Time now() const { return now_; }
  base::Time window() const { return window_; }
  EngineStats stats() const;

  /// Sees every frame in order of (time, node, direction, sequence), as soon as no earlier one can appear.
  void set_observer(FrameObserver observer) { observations_.set(std::move(observer)); }
  /// Shows the observer what is still kept back, in order; at the end of a run.
  void flush_observations() { observations_.release(base::Time::never()); }

 private:
  struct Slot {
    base::NodeModel* node;
    base::Time reached;                     // the node's own time
    base::Time next = base::Time::never();  // its next_activity()
    base::FrameInbox known;                 // frames that will reach it, sorted; from `taken` on
    std::size_t taken = 0;
    base::FrameInbox inbox;
    base::FrameOutbox outbox;
  };

  bool advance(base::Time end, bool stop_when_idle);
  base::Time earliest() const;
  void collect(base::Time until);
  void run_window(base::Time end);
  void run_node(Slot& slot, base::Time end);
  void exchange();
  void bring_all_to(base::Time end);

  EngineConfig config_;
  Network& network_;
  std::vector<Slot> slots_;
  base::Time window_, now_;
  WorkerPool pool_;
  std::vector<unsigned> active_;
  base::Time run_end_;
  std::function<void(unsigned)> run_one_;
  Observations observations_;
  EngineStats stats_;
};

}  // namespace caravan::sim
