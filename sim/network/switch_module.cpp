// SPDX-License-Identifier: Apache-2.0
#include "sim/network/switch_module.hpp"

#include <algorithm>
#include <utility>

namespace caravan::sim {

SwitchModule::SwitchModule(const sc_core::sc_module_name& name, const timing::SwitchConfig& config)
    : sc_module(name),
      in("in", config.ports),
      out("out", config.ports),
      core_(config),
      due_("due"),
      arrivals_(config.ports),
      first_(config.ports, base::Time::never()) {
  for (unsigned i = 0; i < config.ports; ++i)
    in[i].register_b_transport(this, &SwitchModule::arrive, static_cast<int>(i));
  SC_METHOD(work);
  sensitive << due_;
  dont_initialize();
}

void SwitchModule::arrive(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const auto index = static_cast<std::size_t>(port);
  base::Frame frame = take_frame(payload);
  frame.time = to_time(sc_core::sc_time_stamp() + delay);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (first_[index].is_never()) first_[index] = frame.time;
  wake_at(frame.time);
  will_need_header(frame);
  arrivals_[index].frames.push_back(std::move(frame));
}

// Node ports send in the first delta cycle of a quantum, and nothing arrives before that is over: with links without
// delay, too, work() runs in a delta cycle of its own.
void SwitchModule::wake_at(base::Time time) {
  if (time >= planned_ || time >= quantum_end_) return;
  planned_ = time;
  due_.notify(to_sc(time) - sc_core::sc_time_stamp());
}

void SwitchModule::begin_quantum(base::Time until) {
  quantum_end_ = until;
  wake_at(next_event());
}

std::size_t SwitchModule::first_port() const {
  return static_cast<std::size_t>(std::min_element(first_.begin(), first_.end()) - first_.begin());
}

base::Time SwitchModule::next_event() const { return std::min(core_.next_timer(), first_[first_port()]); }

base::Frame SwitchModule::take(std::size_t port) {
  Arrivals& arrivals = arrivals_[port];
  base::Frame frame = std::move(arrivals.frames[arrivals.taken++]);
  if (arrivals.taken == arrivals.frames.size()) {
    arrivals.frames.clear();
    arrivals.taken = 0;
    first_[port] = base::Time::never();
  } else {
    first_[port] = arrivals.frames[arrivals.taken].time;
  }
  return frame;
}

void SwitchModule::work() {
  planned_ = base::Time::never();
  const base::Time begin = to_time(sc_core::sc_time_stamp());
  std::size_t port = first_port();
  for (base::Time now = begin;;) {
    const base::Time timer = core_.next_timer(), next = std::min(timer, first_[port]);
    if (next >= quantum_end_) return;
    now = std::max(now, next);
    departures_.clear();
    if (timer <= now) core_.run_timers(now, departures_);
    for (; first_[port] <= now; port = first_port()) {
      core_.arrive(static_cast<unsigned>(port), take(port), departures_);
    }
    for (timing::Departure& departure : departures_) {
      sc_core::sc_time delay = to_sc(departure.frame.time - begin);
      out[departure.egress]->b_transport(transaction_.load(std::move(departure.frame), departure.ingress), delay);
    }
  }
}

}  // namespace caravan::sim
