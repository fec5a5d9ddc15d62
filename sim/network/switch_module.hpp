// SPDX-License-Identifier: Apache-2.0
// The switch core on TLM sockets, one pair a port. Arrivals of one instant are handled together, in order of port, so
// that the kernel's process order never shows.
//
// Temporally decoupled: what arrives in a quantum is here when the first of it is due (node ports send at its begin);
// the process then handles all of the quantum, instant by instant, ahead of the kernel's time.
#pragma once

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

  /// The first arrival or timer that has not been handled; never() when there is none.
  base::Time next_event() const;
  /// Called while the kernel is parked: it is about to run to the last picosecond before `until`.
  void begin_quantum(base::Time until);

 private:
  /// Frames on one port, in order of time, from `taken` on.
  struct Arrivals {
    std::vector<base::Frame> frames;
    std::size_t taken = 0;
  };
  void arrive(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void work();
  void wake_at(base::Time time);
  std::size_t first_port() const;
  base::Frame take(std::size_t port);

  timing::Switch core_;
  sc_core::sc_event due_;
  base::Time quantum_end_, planned_ = base::Time::never();
  std::vector<Arrivals> arrivals_;
  std::vector<base::Time> first_;  // time of each port's first arrival; never() without
  std::vector<timing::Departure> departures_;
  FrameTransaction transaction_;
};

}  // namespace caravan::sim
