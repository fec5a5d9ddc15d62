// SPDX-License-Identifier: Apache-2.0
// One direction of a cable: adds the propagation delay, and holds that no two frames overlap on it.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>

#include "models/base/units.hpp"

namespace caravan::sim {

class Link : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Link> in;
  tlm_utils::simple_initiator_socket<Link> out;

  Link(const sc_core::sc_module_name& name, base::Time propagation, base::Rate rate);

 private:
  void carry(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  sc_core::sc_time propagation_;
  base::Rate rate_;
  base::Time free_;
};

}  // namespace caravan::sim
