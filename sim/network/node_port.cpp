// SPDX-License-Identifier: Apache-2.0
#include "sim/network/node_port.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <tuple>

#include "models/base/errors.hpp"

namespace caravan::sim {

NodePort::NodePort(const sc_core::sc_module_name& name, unsigned port)
    : sc_module(name), tx("tx"), rx("rx"), port_(port), due_("due") {
  rx.register_b_transport(this, &NodePort::receive);
  SC_METHOD(send);
  sensitive << due_;
  dont_initialize();
}

void NodePort::inject(const base::Frame& frame) {
  const base::Time now = to_time(sc_core::sc_time_stamp());
  BUG_IF(frame.time < now || (!to_send_.empty() && frame.time < to_send_.back().time),
         fmt::format("{} ps, {}: a frame of {} ps is injected in the past", now.in_ps(), name(), frame.time.in_ps()));
  to_send_.push_back(frame);
  if (to_send_.size() == 1) due_.notify(to_sc(frame.time - now));
}

void NodePort::send() {
  const base::Time now = to_time(sc_core::sc_time_stamp());
  while (!to_send_.empty() && to_send_.front().time <= now) {
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    tx->b_transport(transaction_.load(to_send_.front(), port_), delay);
    to_send_.pop_front();
  }
  if (!to_send_.empty()) due_.notify(to_sc(to_send_.front().time - now));
}

void NodePort::receive(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const FrameExtension& extension = frame_of(payload);
  received_.push_back({extension.frame, extension.sender});
  received_.back().frame.time = to_time(sc_core::sc_time_stamp() + delay);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void NodePort::collect(base::FrameInbox& to) {
  const auto key = [](const Received& r) { return std::make_tuple(r.frame.time, r.sender, r.frame.sequence); };
  std::stable_sort(received_.begin(), received_.end(),
                   [&](const Received& a, const Received& b) { return key(a) < key(b); });
  for (Received& received : received_) to.push_back(std::move(received.frame));
  received_.clear();
}

}  // namespace caravan::sim
