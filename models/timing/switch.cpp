// SPDX-License-Identifier: Apache-2.0
#include "models/timing/switch.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "models/base/errors.hpp"
#include "models/timing/mac.hpp"
#include "models/timing/roce_peek.hpp"

namespace caravan::timing {

SwitchConfig SwitchConfig::from(const Calibration& calibration) {
  SwitchConfig config;
  config.port_rate = calibration.line_rate;
  config.latency = calibration.switch_latency;
  config.buffer = calibration.switch_buffer;
  config.alpha = calibration.switch_alpha;
  config.ecn_kmin = calibration.ecn_kmin;
  config.ecn_kmax = calibration.ecn_kmax;
  config.ecn_pmax = calibration.ecn_pmax;
  return config;
}

Switch::Switch(SwitchConfig config)
    : config_(std::move(config)),
      faults_(config_.faults, config_.seed),
      ports_(config_.ports),
      stats_(config_.ports),
      next_leaving_(config_.ports, base::Time::never()) {
  BUG_IF(config_.ports == 0 || config_.port_rate.in_bps() == 0, "switch: bad configuration");
  for (unsigned i = 0; i < config_.ports; ++i) ports_[i].rng = base::Rng(config_.seed, 0x5EED0000u + i);
  for (const auto& station : config_.stations) {
    BUG_IF(station.port >= config_.ports, "switch: a station on a port that does not exist");
    table_[station.mac] = {station.port, true};
  }
  if (config_.pfc.enabled) {
    queues_.emplace(PfcQueuesConfig{config_.ports, config_.port_rate, config_.latency,
                                    config_.mode == SwitchMode::kStoreAndForward, config_.pfc});
  }
}

void Switch::arrive(unsigned ingress, base::Frame frame, std::vector<Departure>& out) {
  SwitchPortStats& stats = stats_[ingress];
  ++stats.rx_frames;
  stats.rx_bytes += frame.bytes->size();
  if (frame.bad_fcs && config_.mode == SwitchMode::kStoreAndForward) {
    ++stats.drop_bad_fcs;
    return;
  }
  if (frame.bytes->size() < 14) {
    ++stats.drop_filtered;
    return;
  }
  constexpr std::uint64_t kGroupBit = 1ull << 40, kMacControl = 0x0180'C200'0001;
  const FrameMacs view = peek_macs(*frame.bytes);
  const base::Time now = frame.time;
  if (view.dst_mac == kMacControl) {  // never forwarded
    const auto pause = queues_ && !frame.bad_fcs ? parse_pause(*frame.bytes) : std::nullopt;
    if (pause) {
      queues_->pause(ingress, *pause, now);
    } else {
      ++stats.drop_filtered;
    }
    return;
  }
  if ((view.src_mac & kGroupBit) == 0 && !frame.bad_fcs) {
    const auto [it, fresh] = table_.try_emplace(view.src_mac, Where{ingress, false});
    if (!fresh && !it->second.fixed) it->second.port = ingress;
  }
  const auto known = table_.find(view.dst_mac);
  if ((view.dst_mac & kGroupBit) == 0 && known != table_.end()) {
    if (known->second.port == ingress) {
      ++stats.drop_filtered;
    } else {
      forward(ingress, known->second.port, std::move(frame), now, out);
    }
    return;
  }
  ++stats.flooded;
  for (unsigned egress = 0; egress < config_.ports; ++egress) {
    if (egress != ingress) forward(ingress, egress, base::Frame(frame), now, out);
  }
}

void Switch::forward(unsigned ingress, unsigned egress, base::Frame&& frame, base::Time now,
                     std::vector<Departure>& out) {
  if (faults_.empty()) {
    enqueue(ingress, egress, std::move(frame), now, out);
    return;
  }
  const FaultDecision decision = faults_.decide(ingress, egress, frame);
  if (decision.drop) {
    ++stats_[egress].drop_fault;
    return;
  }
  const base::Frame damaged = apply_damage(frame, decision);
  const bool held = decision.overtaken_by > 0 || decision.delay > base::Time();
  for (unsigned copy = 0; copy <= decision.copies; ++copy) {
    if (held && copy == 0) {
      const base::Time until = now + (decision.overtaken_by > 0 ? decision.hold + decision.delay : decision.delay);
      held_.push_back({until, held_order_++, ingress, egress, damaged, decision.overtaken_by});
    } else {
      enqueue_and_release(ingress, egress, base::Frame(damaged), now, out);
    }
  }
}

// A frame that passes counts for the frames that wait to be overtaken at the same port; those follow right behind it.
void Switch::enqueue_and_release(unsigned ingress, unsigned egress, base::Frame&& frame, base::Time now,
                                 std::vector<Departure>& out) {
  enqueue(ingress, egress, std::move(frame), now, out);
  std::vector<Held> released;
  for (auto it = held_.begin(); it != held_.end();) {
    if (it->egress == egress && it->overtaken_by > 0 && --it->overtaken_by == 0) {
      released.push_back(std::move(*it));
      it = held_.erase(it);
    } else {
      ++it;
    }
  }
  for (Held& held : released) enqueue(held.ingress, held.egress, std::move(held.frame), now, out);
}

void Switch::set_faults(std::vector<FaultRule> rules) {
  config_.faults = rules;
  faults_ = FaultInjector(std::move(rules), config_.seed);
}

base::Time Switch::next_timer() const {
  base::Time next = queues_ ? queues_->next_timer() : base::Time::never();
  for (const Held& held : held_) next = std::min(next, held.until);
  return next;
}

std::vector<Switch::Held>::iterator Switch::first_held() {
  return std::min_element(held_.begin(), held_.end(), [](const Held& a, const Held& b) {
    return a.until != b.until ? a.until < b.until : a.order < b.order;
  });
}

void Switch::run_timers(base::Time now, std::vector<Departure>& out) {
  std::vector<PfcDeparture> departures;
  for (;;) {
    const auto first = first_held();
    const base::Time held_until = first == held_.end() ? base::Time::never() : first->until;
    const base::Time served = queues_ ? queues_->next_timer() : base::Time::never();
    if (std::min(held_until, served) > now) return;
    if (served <= held_until) {
      retire(served);
      queues_->run(served, departures);
      depart(departures, out);
      continue;
    }
    Held held = std::move(*first);
    held_.erase(first);
    enqueue_and_release(held.ingress, held.egress, std::move(held.frame), held.until, out);
  }
}

bool Switch::wants_mark(Port& port, const base::Frame& frame) {
  if (!config_.ecn || port.queued <= config_.ecn_kmin.count() || !ecn_capable(*frame.bytes)) return false;
  if (port.queued >= config_.ecn_kmax.count()) return true;
  const double span = static_cast<double>((config_.ecn_kmax - config_.ecn_kmin).count());
  return port.rng.chance(config_.ecn_pmax * static_cast<double>(port.queued - config_.ecn_kmin.count()) / span);
}

bool Switch::admit(unsigned ingress, unsigned egress, unsigned priority, std::uint64_t size) {
  const std::uint64_t room = config_.buffer.count() - buffered_;
  bool fits = size <= room;
  if (queues_ && queues_->lossless(priority)) {
    fits = fits && queues_->has_headroom(ingress, priority, size);
  } else {
    fits = fits && static_cast<double>(ports_[egress].queued + size) <= config_.alpha * static_cast<double>(room);
  }
  if (!fits) ++stats_[egress].drop_buffer;
  return fits;
}

void Switch::mark(unsigned egress, base::Frame& frame) {
  if (!wants_mark(ports_[egress], frame)) return;
  auto bytes = *frame.bytes;
  mark_ce(bytes, true);
  ++stats_[egress].ecn_marked;
  frame.bytes = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
}

void Switch::enqueue(unsigned ingress, unsigned egress, base::Frame&& frame, base::Time now,
                     std::vector<Departure>& out) {
  retire(now);
  Port& port = ports_[egress];
  SwitchPortStats& stats = stats_[egress];
  const std::uint64_t size = frame.bytes->size();
  const unsigned priority = queues_ ? queues_->priority_of(frame) : 0;
  if (!admit(ingress, egress, priority, size)) return;
  mark(egress, frame);
  port.queued += size;
  buffered_ += size;
  stats.max_queue_bytes = std::max(stats.max_queue_bytes, port.queued);
  ++stats.tx_frames;
  stats.tx_bytes += size;
  if (queues_) {
    std::vector<PfcDeparture> departures;
    queues_->push(ingress, egress, priority, frame, now, departures);
    depart(departures, out);
    return;
  }
  const base::Time on_wire = config_.port_rate.time_for(wire_bytes(base::Bytes(size)));
  const base::Time ready =
      now + config_.latency + (config_.mode == SwitchMode::kStoreAndForward ? on_wire : base::Time());
  const base::Time start = std::max(ready, port.free);
  stats.queue_wait_ps += static_cast<std::uint64_t>((start - ready).in_ps());
  port.free = start + config_.port_rate.time_for(wire_slot_bytes(base::Bytes(size)));
  hold_bytes_until(start + on_wire, egress, size);
  frame.time = start;
  out.push_back({egress, ingress, std::move(frame)});
}

// Frames that flow control has given their time, and its own pause frames, which no queue holds.
void Switch::depart(std::vector<PfcDeparture>& departures, std::vector<Departure>& out) {
  for (PfcDeparture& departure : departures) {
    if (departure.egress != departure.ingress) {
      hold_bytes_until(departure.end, departure.egress, departure.frame.bytes->size());
      stats_[departure.egress].queue_wait_ps += static_cast<std::uint64_t>(departure.waited.in_ps());
    }
    out.push_back({departure.egress, departure.ingress, std::move(departure.frame)});
  }
  departures.clear();
}

void Switch::retire(base::Time now) {
  while (config_.sample_every > base::Time() && next_sample_ <= now) {
    retire_to(next_sample_);
    QueueSample sample{next_sample_, {}, {}};
    for (const Port& port : ports_) sample.bytes.push_back(port.queued);
    for (const SwitchPortStats& port : stats_) sample.drops.push_back(port.drop_buffer);
    samples_.push_back(std::move(sample));
    next_sample_ += config_.sample_every;
  }
  retire_to(now);
}

void Switch::hold_bytes_until(base::Time end, unsigned egress, std::uint64_t bytes) {
  std::deque<Leaving>& leaving = ports_[egress].leaving;
  BUG_IF(!leaving.empty() && end < leaving.back().end,
         fmt::format("switch: a frame leaves port {} at {} ps, before the one in front of it", egress, end.in_ps()));
  if (leaving.empty()) next_leaving_[egress] = end;
  leaving.push_back({end, bytes});
}

void Switch::retire_to(base::Time now) {
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    if (next_leaving_[i] > now) continue;
    Port& port = ports_[i];
    for (; !port.leaving.empty() && port.leaving.front().end <= now; port.leaving.pop_front()) {
      port.queued -= port.leaving.front().bytes;
      buffered_ -= port.leaving.front().bytes;
    }
    next_leaving_[i] = port.leaving.empty() ? base::Time::never() : port.leaving.front().end;
  }
}

std::vector<PfcPortStats> Switch::pfc_stats() const { return queues_ ? queues_->stats() : std::vector<PfcPortStats>(); }

std::uint64_t Switch::queue_bytes(unsigned port, base::Time now) {
  retire(now);
  return ports_[port].queued;
}

std::uint64_t Switch::buffer_bytes(base::Time now) {
  retire(now);
  return buffered_;
}

void Switch::hash_into(base::Fingerprint& hash) const {
  for (const auto& port : stats_) {
    for (const std::uint64_t v : port.values()) hash.word(v);
  }
  for (const auto& port : pfc_stats()) {
    for (const std::uint64_t v : port.values()) hash.word(v);
  }
  for (const auto& count : faults_.counts()) {
    hash.word(count.matched);
    hash.word(count.struck);
  }
}

}  // namespace caravan::timing
