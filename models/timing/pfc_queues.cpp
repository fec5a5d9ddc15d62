// SPDX-License-Identifier: Apache-2.0
#include "models/timing/pfc_queues.hpp"

#include <algorithm>

#include "models/base/errors.hpp"
#include "models/timing/mac.hpp"

namespace caravan::timing {

using base::Time;

PfcQueues::PfcQueues(PfcQueuesConfig config) : config_(config), ports_(config_.ports), stats_(config_.ports) {
  BUG_IF(config_.pfc.quanta < 2, "pfc: a pause of less than two quanta can't be renewed");
  BUG_IF(config_.pfc.xon > config_.pfc.xoff, "pfc: xon lies above xoff");
}

unsigned PfcQueues::priority_of(const base::Frame& frame) const {
  return config_.pfc.priority_of[dscp_of(*frame.bytes)] % kPriorities;
}

bool PfcQueues::has_headroom(unsigned ingress, unsigned priority, std::uint64_t bytes) {
  const std::uint64_t most = config_.pfc.xoff.count() + config_.pfc.headroom.count();
  if (ports_[ingress].held[priority] + bytes <= most) return true;
  ++stats_[ingress].drop_headroom;
  return false;
}

void PfcQueues::push(unsigned ingress, unsigned egress, unsigned priority, const base::Frame& frame, Time now,
                     std::vector<PfcDeparture>& out) {
  const base::Bytes size(frame.bytes->size());
  const Time store = config_.store_and_forward ? config_.rate.time_for(wire_bytes(size)) : Time();
  Port& in = ports_[ingress];
  in.held[priority] += size.count();
  stats_[ingress].max_ingress_bytes = std::max(stats_[ingress].max_ingress_bytes, in.held[priority]);
  Port& port = ports_[egress];
  if (port.queue[priority].empty()) port.idle_since[priority] = now;
  port.queue[priority].push_back({ingress, frame, now + config_.latency + store});
  if (lossless(priority) && !in.stopped[priority] && in.held[priority] > config_.pfc.xoff.count()) {
    in.stopped[priority] = true;
    in.renew_at[priority] = now + renewal();
    tell(ingress, static_cast<std::uint8_t>(1u << priority), config_.pfc.quanta, now, out);
  }
  serve(egress, now, out);
}

void PfcQueues::pause(unsigned port_index, const PauseFrame& pause, Time now) {
  Port& port = ports_[port_index];
  ++stats_[port_index].pause_received;
  for (unsigned p = 0; p < kPriorities; ++p) {
    if ((pause.enabled >> p & 1) == 0) continue;
    account(port, stats_[port_index], p, now);
    port.paused_until[p] = now + pause_time(pause.quanta[p], config_.rate);
  }
}

// Adds up to `until` the time in which frames of the priority stood paused.
void PfcQueues::account(Port& port, PfcPortStats& stats, unsigned priority, Time until) const {
  const Time end = std::min(until, port.paused_until[priority]);
  if (!port.queue[priority].empty() && port.idle_since[priority] < end) {
    stats.paused += end - port.idle_since[priority];
  }
  port.idle_since[priority] = std::max(port.idle_since[priority], until);
}

bool PfcQueues::ready(const Port& port, unsigned priority, Time now) const {
  return !port.queue[priority].empty() && port.paused_until[priority] <= now &&
         port.queue[priority].front().ready <= now + config_.latency;
}

// When the port can choose its next frame.
Time PfcQueues::next_choice(const Port& port) const {
  Time next = Time::never();
  for (unsigned p = 0; p < kPriorities; ++p) {
    if (port.queue[p].empty()) continue;
    next = std::min(next, std::max({port.queue[p].front().ready - config_.latency, port.paused_until[p],
                                    port.free - config_.latency}));
  }
  return next;
}

void PfcQueues::serve(unsigned egress, Time now, std::vector<PfcDeparture>& out) {
  Port& port = ports_[egress];
  while (port.free - config_.latency <= now) {
    unsigned chosen = kPriorities;
    for (unsigned i = 0; i < kPriorities && chosen == kPriorities; ++i) {
      const unsigned p = (port.turn + i) % kPriorities;
      if (ready(port, p, now)) chosen = p;
    }
    if (chosen == kPriorities) return;
    account(port, stats_[egress], chosen, now);
    port.turn = (chosen + 1) % kPriorities;
    const Waiting waiting = std::move(port.queue[chosen].front());
    port.queue[chosen].pop_front();
    const base::Bytes size(waiting.frame.bytes->size());
    PfcDeparture departure{egress, waiting.ingress, waiting.frame, {}, {}};
    departure.frame.time = std::max(now + config_.latency, port.free);
    departure.end = departure.frame.time + config_.rate.time_for(wire_bytes(size));
    departure.waited = departure.frame.time - waiting.ready;
    port.free = departure.frame.time + config_.rate.time_for(wire_slot_bytes(size));
    releases_.push_back({departure.end, waiting.ingress, chosen, size.count()});
    std::push_heap(releases_.begin(), releases_.end(), std::greater<>());
    out.push_back(std::move(departure));
  }
}

void PfcQueues::tell(unsigned port_index, std::uint8_t priorities, std::uint16_t quanta, Time now,
                     std::vector<PfcDeparture>& out) {
  Port& port = ports_[port_index];
  PauseFrame pause;
  pause.enabled = priorities;
  for (unsigned p = 0; p < kPriorities; ++p) {
    if ((priorities >> p & 1) != 0) pause.quanta[p] = quanta;
  }
  ++(quanta != 0 ? stats_[port_index].pause_sent : stats_[port_index].resume_sent);
  base::Frame frame;
  frame.bytes = std::make_shared<const std::vector<std::uint8_t>>(make_pause(0x0200'00FF'0000ull + port_index, pause));
  frame.sequence = port.pauses++;
  frame.time = std::max(now + config_.latency, port.free);
  const base::Bytes size(frame.bytes->size());
  const Time end = frame.time + config_.rate.time_for(wire_bytes(size));
  port.free = frame.time + config_.rate.time_for(wire_slot_bytes(size));
  out.push_back({port_index, port_index, std::move(frame), end, {}});
}

// Frames whose last bit has left free their room at the ingress port; its station may go on.
void PfcQueues::release(Time now, std::vector<PfcDeparture>& out) {
  while (!releases_.empty() && releases_.front().at <= now) {
    std::pop_heap(releases_.begin(), releases_.end(), std::greater<>());
    const Release freed = releases_.back();
    releases_.pop_back();
    Port& port = ports_[freed.port];
    port.held[freed.priority] -= freed.bytes;
    if (port.stopped[freed.priority] && port.held[freed.priority] <= config_.pfc.xon.count()) {
      port.stopped[freed.priority] = false;
      tell(freed.port, static_cast<std::uint8_t>(1u << freed.priority), 0, freed.at, out);
    }
  }
}

Time PfcQueues::next_timer() const {
  Time next = releases_.empty() ? Time::never() : releases_.front().at;
  for (const Port& port : ports_) {
    next = std::min(next, next_choice(port));
    for (unsigned p = 0; p < kPriorities; ++p) {
      if (port.stopped[p]) next = std::min(next, port.renew_at[p]);
    }
  }
  return next;
}

void PfcQueues::run(Time now, std::vector<PfcDeparture>& out) {
  for (Time at = next_timer(); at <= now; at = next_timer()) {
    release(at, out);
    for (unsigned i = 0; i < config_.ports; ++i) {
      std::uint8_t renew = 0;
      for (unsigned p = 0; p < kPriorities; ++p) {
        if (!ports_[i].stopped[p] || ports_[i].renew_at[p] > at) continue;
        ports_[i].renew_at[p] = at + renewal();
        renew = static_cast<std::uint8_t>(renew | 1u << p);
      }
      if (renew != 0) tell(i, renew, config_.pfc.quanta, at, out);
      serve(i, at, out);
    }
  }
}

}  // namespace caravan::timing
