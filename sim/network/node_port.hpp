// SPDX-License-Identifier: Apache-2.0
// Where a node meets the kernel: sends the node's frames at their exact times, keeps what arrives for it.
#pragma once

#include <deque>

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
  void inject(const base::Frame& frame);
  /// Appends the frames received since the last call, sorted by (time, sender's port, sequence).
  void collect(base::FrameInbox& to);

 private:
  struct Received {
    base::Frame frame;
    unsigned sender;
  };
  void send();
  void receive(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  unsigned port_;
  sc_core::sc_event due_;
  std::deque<base::Frame> to_send_;
  std::vector<Received> received_;
  FrameTransaction transaction_;
};

}  // namespace caravan::sim
