// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/node_builder.hpp"

#include <fmt/format.h>

#include "sim/cluster/addressing.hpp"
#include "verilator/wrap/node_congestion.hpp"
#include "verilator/wrap/node_setup.hpp"

namespace caravan::sim {
namespace {

std::uint32_t rkey_of(unsigned region) { return (region << 8) | kRegionKey; }

void add_qp(vl::RtlNode& node, const ScenarioConfig& config, unsigned self, unsigned peer, unsigned k) {
  vl::QpConfig qp;
  qp.qpn = k == 0 ? qpn_to(peer) : extra_qpn(config.nodes, k);
  qp.dest_qpn = k == 0 ? qpn_to(self) : extra_qpn(config.nodes, k);
  qp.pmtu = config.pmtu;
  qp.timeout = config.timeout_exponent;
  qp.retry_limit = config.retry_limit;
  qp.read_en = qp.atomic_en = true;
  qp.neighbour = peer;
  qp.peer_ip = ip_of(peer);
  qp.sport = sport_of(self, peer, k);
  qp.congestion = static_cast<unsigned>(config.congestion.control);
  qp.sq_psn = first_psn(self, peer, k);
  qp.rq_psn = first_psn(peer, self, k);
  vl::create_qp(node, qp);
}

void add_region(vl::RtlNode& node, unsigned index, std::uint64_t first, std::uint64_t bytes) {
  vl::RegionConfig region;
  region.index = index;
  region.key = kRegionKey;
  region.first = first;
  region.last = first + bytes - 1;
  region.read_en = region.atomic_en = index != kRpcRegion;
  vl::set_region(node, region);
}

}  // namespace

std::unique_ptr<vl::RtlNode> make_node(const ScenarioConfig& config, unsigned index) {
  const auto& c = config.calibration;
  vl::RtlNodeConfig node;
  node.id = index;
  node.instance = fmt::format("node{}", index);
  node.clock_period = c.clock.period();
  node.skip = config.skip;
  node.mac = timing::MacConfig::from(c);
  node.hbm_read = c.hbm_read;
  node.hbm_write = c.hbm_write;
  node.hbm_rate = c.hbm_rate;
  node.host_read = c.pcie_read;
  node.host_write = c.pcie_write;
  node.host_accept = c.pcie_accept;
  node.host_rate = c.pcie_rate;
  node.host_outstanding = static_cast<unsigned>(c.pcie_outstanding);
  return std::make_unique<vl::RtlNode>(node);
}

void program_node(vl::RtlNode& node, const ScenarioConfig& config, unsigned index) {
  vl::set_address(node, mac_of(index), ip_of(index));
  vl::set_ring_base(node, kRingBase);
  vl::set_replica(node, static_cast<std::uint8_t>(index));
  if (config.congestion.control != vl::Congestion::kNone) {
    auto registers = config.congestion.registers;
    registers.line_rate = config.calibration.line_rate;
    vl::set_congestion(node, registers);
  }
  if (config.pfc.enabled) {
    vl::set_flow_control(node,
                         {.obey = config.pfc.lossless, .pause = config.pfc.lossless, .quanta = config.pfc.quanta});
  }
  add_region(node, kRpcRegion, vl::kClassRpc, 64);
  add_region(node, kHbmRegion, vl::kClassHbm | kTargetBase, kRegionBytes);
  add_region(node, kHostRegion, vl::kClassHost | kTargetBase, kRegionBytes);
  unsigned row = 0;
  for (unsigned peer = 0; peer < config.nodes; ++peer) {
    if (peer == index) continue;
    vl::set_neighbour(node, peer, mac_of(peer), ip_of(peer));
    add_qp(node, config, index, peer, 0);
    vl::set_peer(node, row++, qpn_to(peer), rkey_of(kRpcRegion));
  }
  if (config.kind == WorkloadKind::kVerb && index < 2) {
    for (unsigned k = 1; k < config.verb.qps; ++k) add_qp(node, config, index, 1 - index, k);
  }
}

}  // namespace caravan::sim
