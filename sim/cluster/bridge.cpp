// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/bridge.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/packet/headers.hpp"
#include "sim/cluster/addressing.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/cluster/fault_config.hpp"
#include "sim/cluster/node_builder.hpp"
#include "sim/control/commands.hpp"
#include "sim/control/host_rings.hpp"
#include "sim/control/line_socket.hpp"
#include "sim/control/peer_port.hpp"

namespace caravan::sim {
namespace {

using base::Time;
using Clock = Commands::Clock;

/// Simulated time between two looks at the sockets.
constexpr Time kSlice = Time::us(2);
/// What is due sooner is work under way, not a timer: no wall time is waited for it.
constexpr Time kSoon = Time::us(10);
/// Where the nodes' work queues lie in host memory, above everything that regions may cover.
constexpr std::uint64_t kWorkQueues = 1ull << 32;
constexpr auto kLongestWait = std::chrono::milliseconds(100);

std::vector<Station> stations_of(unsigned count) {
  std::vector<Station> stations;
  for (unsigned i = 0; i < count; ++i) stations.push_back({mac_of(i), ip_of(i)});
  return stations;
}

ClusterConfig cluster_config(const ScenarioConfig& c) {
  auto config = ClusterConfig::from(c.calibration);
  config.engine.threads = c.threads;
  auto& s = config.network.switch_config;
  s.mode = c.store_and_forward ? timing::SwitchMode::kStoreAndForward : timing::SwitchMode::kCutThrough;
  s.ecn = c.ecn;
  s.seed = c.seed;
  s.faults = c.faults;
  for (unsigned i = 0; i < c.nodes; ++i) s.stations.push_back({mac_of(i), i});
  return config;
}

const BridgeConfig& checked(const BridgeConfig& config) {
  if (config.cluster.kind != WorkloadKind::kIdle)
    throw base::UserError(
        "a bridge runs no workload: the nodes belong to the control channel; workload.kind must be \"idle\"");
  if (config.cluster.direct)
    throw base::UserError("a bridge is one more port of the switch: cluster.topology must be \"switch\"");
  return config;
}

}  // namespace

struct Bridge::Impl {
  BridgeConfig config;
  Wakeup wakeup;
  FrameSocket peer;
  std::unique_ptr<LineSocket> control;
  std::vector<vl::RtlNode*> nodes;
  std::unique_ptr<Cluster> cluster;
  std::vector<std::unique_ptr<NodeSession>> sessions;
  std::unique_ptr<Commands> commands;
  std::uint64_t client = 0;  // whose command was executed last

  explicit Impl(const BridgeConfig& c) : config(checked(c)), peer(c.socket, stations_of(c.cluster.nodes), wakeup) {
    if (!c.control.empty()) control = std::make_unique<LineSocket>(c.control, wakeup);
    const unsigned n = c.cluster.nodes;
    std::vector<std::unique_ptr<base::NodeModel>> models;
    for (unsigned i = 0; i < n; ++i) {
      auto node = make_node(c.cluster, i);
      program_node(*node, c.cluster, i);
      vl::set_neighbour(*node, n, mac_of(n), ip_of(n));
      nodes.push_back(node.get());
      models.push_back(std::move(node));
    }
    const auto cluster_settings = cluster_config(c.cluster);
    models.push_back(std::make_unique<PeerPort>(
        PeerPortConfig{cluster_settings.network.line_rate, cluster_settings.engine.tx_lookahead}, peer));
    cluster = std::make_unique<Cluster>(cluster_settings, std::move(models));
    for (unsigned i = 0; i < n; ++i) {
      const SessionLimits limits{kHostRegion + 1, 2 + n, kWorkQueues, kSourceBase};
      sessions.push_back(std::make_unique<NodeSession>(*nodes[i], std::make_unique<HostRings>(*nodes[i], kWorkQueues),
                                                       Station{mac_of(i), ip_of(i)}, stations_of(n + 1), limits));
    }
    commands = std::make_unique<Commands>(
        session_pointers(),
        ClusterHooks{[this] { return statistics(); }, [this](const std::string& toml) { set_faults(toml); },
                     [this] { return cluster->now(); }});
  }

  std::vector<NodeSession*> session_pointers() const {
    std::vector<NodeSession*> list;
    for (const auto& session : sessions) list.push_back(session.get());
    return list;
  }

  void set_faults(const std::string& toml) {
    const auto text = base::Config::from_text(toml, "fault");
    base::Params params(text);
    auto rules = read_faults(params, config.cluster.nodes + 1);
    params.finish();
    cluster->set_faults(std::move(rules));
  }

  std::vector<base::StatValue> statistics() const {
    std::vector<base::StatValue> all;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto values = nodes[i]->stats();
      const auto infos = vl::RtlNode::stat_infos();
      for (std::size_t k = 0; k < infos.size(); ++k)
        all.push_back({fmt::format("node{}.{}", i, infos[k].name), infos[k].unit, values[k]});
    }
    const auto network = cluster->network_stats();
    all.insert(all.end(), network.begin(), network.end());
    const auto values = peer.stats().values();
    for (std::size_t k = 0; k < values.size(); ++k)
      all.push_back({fmt::format("peer.{}", kFrameSocketStats[k].name), kFrameSocketStats[k].unit, values[k]});
    return all;
  }

  void obey() {
    if (!control) return;
    if (auto answer = commands->tick(Clock::now())) control->reply(client, *answer);
    while (!commands->waiting() && !commands->quit()) {
      const auto line = control->take();
      if (!line) return;
      client = line->client;
      if (auto answer = commands->execute(line->text, Clock::now())) control->reply(client, *answer);
    }
  }

  /// Passes a stretch of simulated time, or of wall time.
  void advance() {
    const Time now = cluster->now();
    const Time next = cluster->next_activity();
    if (next < now + kSoon) {
      cluster->run_until_idle(now + kSlice);
      return;
    }
    Clock::duration limit = kLongestWait;
    if (!next.is_never())
      limit = std::min<Clock::duration>(limit, std::chrono::nanoseconds((next - now).in_ps() / 1000 + 1));
    limit = std::min<Clock::duration>(limit, std::max(commands->deadline() - Clock::now(), Clock::duration::zero()));
    const auto start = Clock::now();
    wakeup.wait(limit);
    if (next.is_never()) return;  // nothing happens while time stands still
    const auto waited = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start);
    cluster->run_until(std::min(next, now + Time::ns(waited.count())));
  }
};

Bridge::Bridge(const BridgeConfig& config) : impl_(std::make_unique<Impl>(config)) {}
Bridge::~Bridge() = default;

void Bridge::capture(FrameSink sink) {
  impl_->cluster->set_observer([sink = std::move(sink)](const FrameObservation& o) {
    sink(o.node, o.direction == FrameDirection::kTransmit, o.frame);
  });
}

void Bridge::run(const std::function<bool()>& go_on) {
  while (!impl_->commands->quit() && go_on()) {
    impl_->obey();
    if (!impl_->commands->quit()) impl_->advance();
  }
  impl_->cluster->flush_observations();
}

base::Time Bridge::now() const { return impl_->cluster->now(); }
std::vector<base::StatValue> Bridge::statistics() const { return impl_->statistics(); }

std::string Bridge::peer_address() const {
  const unsigned n = impl_->config.cluster.nodes;
  std::string mac;
  for (int shift = 40; shift >= 0; shift -= 8)
    mac += fmt::format("{}{:02x}", mac.empty() ? "" : ":", (mac_of(n) >> shift) & 0xFF);
  return fmt::format("{} {}", mac, packet::to_text(ip_of(n)));
}

}  // namespace caravan::sim
