// SPDX-License-Identifier: Apache-2.0
#include "sim/network/switch_module.hpp"

#include <algorithm>

namespace caravan::sim {

SwitchModule::SwitchModule(const sc_core::sc_module_name& name, const timing::SwitchConfig& config)
    : sc_module(name), in("in", config.ports), out("out", config.ports), core_(config), due_("due") {
  for (unsigned i = 0; i < config.ports; ++i)
    in[i].register_b_transport(this, &SwitchModule::arrive, static_cast<int>(i));
  SC_METHOD(work);
  sensitive << due_;
  dont_initialize();
}

void SwitchModule::arrive(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  base::Frame frame = frame_of(payload).frame;
  frame.time = to_time(sc_core::sc_time_stamp() + delay);
  arriving_.emplace(std::make_tuple(frame.time, static_cast<unsigned>(port), order_++), std::move(frame));
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  wake_for_next();
}

// Links have a propagation delay, so everything that arrives at an instant is here before it; with none, work() still
// runs one delta cycle after the arrivals.
void SwitchModule::wake_for_next() {
  base::Time next = core_.next_timer();
  if (!arriving_.empty()) next = std::min(next, std::get<0>(arriving_.begin()->first));
  if (next.is_never()) return;
  const base::Time now = to_time(sc_core::sc_time_stamp());
  due_.cancel();
  due_.notify(next > now ? to_sc(next - now) : sc_core::SC_ZERO_TIME);
}

void SwitchModule::work() {
  const base::Time now = to_time(sc_core::sc_time_stamp());
  departures_.clear();
  core_.run_timers(now, departures_);
  while (!arriving_.empty() && std::get<0>(arriving_.begin()->first) <= now) {
    const auto node = arriving_.extract(arriving_.begin());
    core_.arrive(std::get<1>(node.key()), node.mapped(), departures_);
  }
  for (const timing::Departure& departure : departures_) {
    sc_core::sc_time delay = to_sc(departure.frame.time - now);
    out[departure.egress]->b_transport(transaction_.load(departure.frame, departure.ingress), delay);
  }
  wake_for_next();
}

}  // namespace caravan::sim
