// SPDX-License-Identifier: Apache-2.0
// The network as SystemC modules: node ports, links, and a switch unless two nodes are wired back to back. Plain C++
// header: only the implementation knows SystemC.
#pragma once

#include <memory>

#include "models/timing/switch.hpp"
#include "sim/network/i_network.hpp"

namespace caravan::sim {

enum class Topology { kSwitch, kDirect };

struct NetworkConfig {
  Topology topology = Topology::kSwitch;
  unsigned nodes = 2;                    ///< kDirect: exactly 2
  base::Time wire = base::Time::ns(10);  ///< propagation of each link
  base::Rate line_rate = base::Rate::gbps(100);
  timing::SwitchConfig switch_config;  ///< ports are set from `nodes`, port_rate from `line_rate`
};

/// Elaborates the modules in a SystemC kernel of their own, so that a process may hold several networks, one after the
/// other or side by side, all used by one thread. Throws UserError when the topology does not fit the nodes or the
/// fault rules.
std::unique_ptr<Network> make_systemc_network(const NetworkConfig& config);

}  // namespace caravan::sim
