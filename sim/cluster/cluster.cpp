// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/cluster.hpp"

#include "models/base/fingerprint.hpp"
#include "models/timing/mac.hpp"

namespace caravan::sim {
namespace {

NetworkConfig sized(NetworkConfig config, std::size_t nodes) {
  config.nodes = static_cast<unsigned>(nodes);
  return config;
}

std::vector<base::NodeModel*> pointers(const std::vector<std::unique_ptr<base::NodeModel>>& nodes) {
  std::vector<base::NodeModel*> list;
  list.reserve(nodes.size());
  for (const auto& node : nodes) list.push_back(node.get());
  return list;
}

}  // namespace

ClusterConfig ClusterConfig::from(const timing::Calibration& calibration) {
  ClusterConfig config;
  config.network.wire = calibration.wire;
  config.network.line_rate = calibration.line_rate;
  config.network.switch_config = timing::SwitchConfig::from(calibration);
  const timing::MacConfig mac = timing::MacConfig::from(calibration);
  config.engine.tx_lookahead = mac.tx_latency;
  config.engine.rx_lookahead = timing::MacRx(mac).lookahead();
  return config;
}

Cluster::Cluster(const ClusterConfig& config, std::vector<std::unique_ptr<base::NodeModel>> nodes)
    : nodes_(std::move(nodes)),
      network_(make_systemc_network(sized(config.network, nodes_.size()))),
      engine_(config.engine, pointers(nodes_), *network_) {}

std::uint64_t Cluster::fingerprint() const {
  base::Fingerprint hash;
  for (const auto& node : nodes_) hash.word(node->fingerprint());
  network_->hash_into(hash);
  return hash.value();
}

}  // namespace caravan::sim
