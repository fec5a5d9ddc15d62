// SPDX-License-Identifier: Apache-2.0
// The switch core on TLM sockets, one pair a port. Arrivals of one instant are handled together, in order of port, so
// that the kernel's process order never shows.
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>

#include "models/timing/switch.hpp"
#include "sim/network/frame_transaction.hpp"

namespace caravan::sim {

class SwitchModule : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(SwitchModule);
  using In = tlm_utils::simple_target_socket_tagged<SwitchModule>;
  using Out = tlm_utils::simple_initiator_socket_tagged<SwitchModule>;
  sc_core::sc_vector<In> in;
  sc_core::sc_vector<Out> out;

  SwitchModule(const sc_core::sc_module_name& name, const timing::SwitchConfig& config);
  const timing::Switch& core() const { return core_; }
  void set_faults(std::vector<timing::FaultRule> rules) { core_.set_faults(std::move(rules)); }

 private:
  void arrive(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void work();
  void wake_for_next();

  timing::Switch core_;
  sc_core::sc_event due_;
  std::map<std::tuple<base::Time, unsigned, std::uint64_t>, base::Frame> arriving_;  // by time, port, order
  std::uint64_t order_ = 0;
  std::vector<timing::Departure> departures_;
  FrameTransaction transaction_;
};

}  // namespace caravan::sim
