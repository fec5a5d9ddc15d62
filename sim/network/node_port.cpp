// SPDX-License-Identifier: Apache-2.0
#include "sim/network/node_port.hpp"

#include <fmt/format.h>
#include <utility>

#include "models/base/errors.hpp"

namespace caravan::sim {

NodePort::NodePort(const sc_core::sc_module_name& name, unsigned port)
    : sc_module(name), tx("tx"), rx("rx"), port_(port), due_("due") {
  rx.register_b_transport(this, &NodePort::receive);
  SC_METHOD(send);
  sensitive << due_;
  dont_initialize();
}

void NodePort::inject(base::Frame frame) {
  BUG_IF(frame.time < quantum_end_ || (!to_send_.empty() && frame.time < to_send_.back().time),
         fmt::format("{} ps, {}: a frame of {} ps is injected in the past", quantum_end_.in_ps(), name(),
                     frame.time.in_ps()));
  will_need_size(frame);
  to_send_.push_back(std::move(frame));
}

void NodePort::begin_quantum(base::Time until) {
  quantum_end_ = until;
  if (next_event() < until) due_.notify(sc_core::SC_ZERO_TIME);
}

void NodePort::send() {
  const base::Time now = to_time(sc_core::sc_time_stamp());
  auto next = to_send_.begin();
  for (; next != to_send_.end() && next->time < quantum_end_; ++next) {
    sc_core::sc_time delay = to_sc(next->time - now);
    tx->b_transport(transaction_.load(std::move(*next), port_), delay);
  }
  to_send_.erase(to_send_.begin(), next);
}

void NodePort::receive(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  received_.push_back(take_frame(payload));
  received_.back().time = to_time(sc_core::sc_time_stamp() + delay);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void NodePort::collect(base::FrameInbox& to) {
  for (base::Frame& frame : received_) to.push_back(std::move(frame));
  received_.clear();
}

}  // namespace caravan::sim
