// SPDX-License-Identifier: Apache-2.0
// Where a node meets the kernel: sends the node's frames at their exact times, keeps what arrives for it.
//
// Temporally decoupled: all frames of a quantum (the time that the kernel is about to pass) are sent at its begin, each
// with the rest of its time annotated. A quantum costs one activation, not one a frame.
#pragma once

#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>

#include "models/base/frame.hpp"
#include "sim/network/frame_transaction.hpp"

namespace caravan::sim {

class NodePort : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(NodePort);
  tlm_utils::simple_initiator_socket<NodePort> tx;
  tlm_utils::simple_target_socket<NodePort> rx;

  NodePort(const sc_core::sc_module_name& name, unsigned port);

  /// Called while the kernel is parked. frame.time is not before the kernel's time, and in order.
  void inject(base::Frame frame);
  /// When the first frame leaves that has not been sent; never() when there is none.
  base::Time next_event() const { return to_send_.empty() ? base::Time::never() : to_send_.front().time; }
  /// Called while the kernel is parked: it is about to run to the last picosecond before `until`.
  void begin_quantum(base::Time until);
  /// Appends the frames received since the last call. One cable brings them, so they are in order of time.
  void collect(base::FrameInbox& to);

 private:
  void send();
  void receive(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  unsigned port_;
  sc_core::sc_event due_;
  base::Time quantum_end_;
  std::vector<base::Frame> to_send_, received_;
  FrameTransaction transaction_;
};

}  // namespace caravan::sim
