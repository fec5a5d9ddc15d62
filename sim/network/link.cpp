// SPDX-License-Identifier: Apache-2.0
#include "sim/network/link.hpp"

#include <fmt/format.h>

#include "models/base/errors.hpp"
#include "models/timing/mac.hpp"
#include "sim/network/frame_transaction.hpp"

namespace caravan::sim {

Link::Link(const sc_core::sc_module_name& name, base::Time propagation, base::Rate rate)
    : sc_module(name), in("in"), out("out"), propagation_(to_sc(propagation)), rate_(rate) {
  in.register_b_transport(this, &Link::carry);
}

void Link::carry(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const base::Time start = to_time(sc_core::sc_time_stamp() + delay);
  BUG_IF(start < free_, fmt::format("{} ps, {}: a frame starts before the gap after the previous one ends at {} ps",
                                    start.in_ps(), name(), free_.in_ps()));
  free_ = start + rate_.time_for(timing::wire_slot_bytes(base::Bytes(payload.get_data_length())));
  delay += propagation_;
  out->b_transport(payload, delay);
}

}  // namespace caravan::sim
