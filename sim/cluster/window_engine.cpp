// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/window_engine.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "models/base/errors.hpp"

namespace caravan::sim {

using base::Time;

WindowEngine::WindowEngine(EngineConfig config, const std::vector<base::NodeModel*>& nodes, Network& network)
    : config_(config),
      network_(network),
      window_(config.tx_lookahead + network.lookahead() + config.rx_lookahead),
      pool_(std::max(1u, config.threads), static_cast<unsigned>(nodes.size())),
      run_one_([this](unsigned i) { run_node(slots_[i], run_end_); }) {
  if (window_ <= Time::ns(1)) {
    throw base::UserError(
        fmt::format("the delays between nodes ({} ps) leave no window to run nodes alone; at least 1 ns is needed",
                    window_.in_ps()));
  }
  BUG_IF(nodes.size() != network.ports(), "engine: the network has another number of ports than there are nodes");
  for (base::NodeModel* node : nodes) {
    Slot slot;
    slot.node = node;
    slots_.push_back(std::move(slot));
  }
}

void WindowEngine::run_until(Time end) { advance(end, false); }
bool WindowEngine::run_until_idle(Time limit) { return advance(limit, true); }

Time WindowEngine::next_activity() {
  for (Slot& slot : slots_) slot.next = slot.node->next_activity();
  return earliest();
}

bool WindowEngine::advance(Time end, bool stop_when_idle) {
  bool idle = false;
  for (Slot& slot : slots_) slot.next = slot.node->next_activity();  // who set up a node may have given it work
  while (now_ < end) {
    const Time first = earliest();
    if (stop_when_idle && first.is_never()) {
      idle = true;
      break;
    }
    const Time start = std::min(std::max(now_, first), end);
    if (start > now_) {
      ++stats_.jumps;
      stats_.jumped += start - now_;
      now_ = start;
      if (now_ == end) break;
    }
    collect(now_ + config_.tx_lookahead);
    const Time window_end = std::min(now_ + window_, end);
    run_window(window_end);
    exchange();
    now_ = window_end;
  }
  bring_all_to(now_);
  observations_.release(now_);
  return idle || earliest().is_never();
}

// Nothing happens anywhere before this.
Time WindowEngine::earliest() const {
  Time first = network_.next_event();
  for (const Slot& slot : slots_) {
    first = std::min(first, slot.next);
    if (slot.taken < slot.known.size()) first = std::min(first, slot.known[slot.taken].time);
  }
  return first;
}

// Every frame with time < `until` has been injected, so the network can go on to there.
void WindowEngine::collect(Time until) {
  if (network_.next_event() < until) {
    network_.advance(until);
    for (unsigned i = 0; i < slots_.size(); ++i) {
      Slot& slot = slots_[i];
      const std::size_t before = slot.known.size();
      network_.collect(i, slot.known);
      const std::size_t after = slot.known.size();
      stats_.frames_received += after - before;
      for (std::size_t k = before; k < after; ++k) observations_.add(i, FrameDirection::kReceive, slot.known[k]);
    }
  } else {
    network_.advance(until);
  }
  observations_.release(until);
}

void WindowEngine::run_window(Time end) {
  active_.clear();
  // Later frames are not needed yet, and earlier ones than those might still turn up.
  const Time due = end - config_.rx_lookahead;
  for (unsigned i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    slot.inbox.clear();
    while (slot.taken < slot.known.size() && slot.known[slot.taken].time < due) {
      slot.inbox.push_back(std::move(slot.known[slot.taken++]));
    }
    if (2 * slot.taken >= slot.known.size()) {  // under load it may never be empty
      slot.known.erase(slot.known.begin(), slot.known.begin() + static_cast<std::ptrdiff_t>(slot.taken));
      slot.taken = 0;
    }
    if (!slot.inbox.empty() || slot.next < end) active_.push_back(i);
  }
  stats_.node_runs += active_.size();
  stats_.node_rests += slots_.size() - active_.size();
  if (active_.empty()) return;
  ++stats_.windows;
  run_end_ = end;
  pool_.run(active_, run_one_);
}

void WindowEngine::run_node(Slot& slot, Time end) {
  slot.node->run_until(end, slot.inbox, slot.outbox);
  slot.reached = end;
  slot.next = slot.node->next_activity();
}

// Network and observers put the frames of all nodes in one order, by time.
void WindowEngine::exchange() {
  for (const unsigned i : active_) {
    base::FrameOutbox& outbox = slots_[i].outbox;
    stats_.frames_sent += outbox.size();
    for (base::Frame& frame : outbox) {
      observations_.add(i, FrameDirection::kTransmit, frame);
      network_.inject(i, std::move(frame));
    }
    outbox.clear();
  }
}

// Nodes that rested catch up; nothing can happen at them on the way.
void WindowEngine::bring_all_to(Time end) {
  active_.clear();
  for (unsigned i = 0; i < slots_.size(); ++i) {
    slots_[i].inbox.clear();
    if (slots_[i].reached < end) active_.push_back(i);
  }
  run_end_ = end;
  pool_.run(active_, run_one_);
  exchange();
}

EngineStats WindowEngine::stats() const {
  EngineStats stats = stats_;
  stats.workers = pool_.times();
  return stats;
}

}  // namespace caravan::sim
