// SPDX-License-Identifier: Apache-2.0
// The SystemC network, and clusters of fake nodes on it.
#include <algorithm>
#include <memory>
#include <tuple>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "models/base/errors.hpp"
#include "sim/cluster/cluster.hpp"
#include "testbenches/support/death.hpp"
#include "testbenches/support/fake_node.hpp"

using namespace caravan;
using base::Time;
using sim::Cluster;
using sim::ClusterConfig;
using sim::NetworkConfig;
using sim::Topology;
using support::FakeNode;
using support::FakeNodeConfig;
using support::make_frame;

namespace {

NetworkConfig network_config(Topology topology, unsigned nodes) {
  NetworkConfig config;
  config.topology = topology;
  config.nodes = nodes;
  for (unsigned i = 0; i < nodes; ++i) config.switch_config.stations.push_back({support::station_mac(i), i});
  return config;
}

std::vector<std::int64_t> times(sim::Network& network, unsigned port) {
  base::FrameInbox box;
  network.collect(port, box);
  std::vector<std::int64_t> list;
  for (const auto& frame : box) list.push_back(frame.time.in_ps());
  return list;
}

struct Result {
  std::uint64_t fingerprint;
  std::vector<std::uint64_t> received;
  std::vector<base::StatValue> network;
  sim::EngineStats engine;
  std::vector<std::tuple<std::int64_t, unsigned, bool, std::uint64_t>> frames;
};

Result run(unsigned nodes, unsigned threads, const std::function<void(ClusterConfig&)>& adjust_cluster = {},
           const std::function<void(FakeNodeConfig&)>& adjust_node = {}, Time slice = Time::never()) {
  ClusterConfig config = ClusterConfig::from(timing::Calibration());
  for (unsigned i = 0; i < nodes; ++i) config.network.switch_config.stations.push_back({support::station_mac(i), i});
  config.engine.threads = threads;
  if (adjust_cluster) adjust_cluster(config);
  std::vector<std::unique_ptr<base::NodeModel>> models;
  for (unsigned i = 0; i < nodes; ++i) {
    FakeNodeConfig node;
    node.index = i;
    node.nodes = nodes;
    node.first_frames = 4;
    node.hops = 50;
    node.think = 1;
    node.think_spread = 100;
    node.size = 60;
    node.size_spread = 4'000;
    if (adjust_node) adjust_node(node);
    models.push_back(std::make_unique<FakeNode>(node));
  }
  Cluster cluster(config, std::move(models));
  Result result;
  cluster.set_observer([&](const sim::FrameObservation& o) {
    result.frames.emplace_back(o.frame.time.in_ps(), o.node, o.direction == sim::FrameDirection::kReceive,
                               o.frame.sequence);
  });
  if (!slice.is_never()) {
    for (Time t = slice; t < Time::us(60); t += slice) cluster.run_until(t);
  }
  REQUIRE(cluster.run_until_idle(Time::ms(50)));
  cluster.flush_observations();
  result.fingerprint = cluster.fingerprint();
  result.network = cluster.network_stats();
  result.engine = cluster.engine_stats();
  for (unsigned i = 0; i < nodes; ++i) result.received.push_back(dynamic_cast<FakeNode&>(cluster.node(i)).received());
  return result;
}

std::uint64_t stat(const Result& result, const std::string& path) {
  for (const auto& value : result.network) {
    if (value.path == path) return value.value;
  }
  FAIL("no statistic " + path);
  return 0;
}

}  // namespace

TEST_CASE("network: through the switch, at the exact picosecond", "[network]") {
  const auto network = sim::make_systemc_network(network_config(Topology::kSwitch, 3));
  CHECK(network->lookahead() == Time::ns(310));
  network->inject(0, make_frame({.from = 0, .to = 2, .size = 1'500}, Time::ps(1'000)));
  network->inject(1, make_frame({.from = 1, .to = 2, .size = 60}, Time::ps(1'000)));
  CHECK(network->next_event() == Time::ps(1'000));
  network->advance(Time::ps(11'000));
  CHECK(times(*network, 2).empty());  // both reach the switch at 11000
  network->advance(Time::ps(11'001));
  // Wire 10 ns, switch 300 ns, wire 10 ns; the second waits for 1524 bytes of the first.
  CHECK(times(*network, 2) == std::vector<std::int64_t>{321'000, 321'000 + 1524 * 80});
  CHECK(times(*network, 2).empty());
  CHECK(network->next_event().is_never());
}

TEST_CASE("network: two nodes back to back", "[network]") {
  auto config = network_config(Topology::kDirect, 2);
  const auto network = sim::make_systemc_network(config);
  CHECK(network->lookahead() == Time::ns(10));
  network->inject(1, make_frame({.from = 1, .to = 0}, Time::ps(0)));
  network->inject(1, make_frame({.from = 1, .to = 0}, Time::ps(162 * 80 + 960)));
  network->inject(0, make_frame({.from = 0, .to = 1}, Time::ps(7)));
  network->advance(Time::ps(8));
  CHECK(times(*network, 0) == std::vector<std::int64_t>{10'000});
  CHECK(times(*network, 1) == std::vector<std::int64_t>{10'007});
  network->advance(Time::us(1));
  CHECK(times(*network, 0) == std::vector<std::int64_t>{10'000 + 162 * 80 + 960});
  CHECK(network->statistics().empty());
}

TEST_CASE("network: order of arrival at the same instant is by port, not by order of injection", "[network]") {
  for (const bool swapped : {false, true}) {
    const auto network = sim::make_systemc_network(network_config(Topology::kSwitch, 4));
    for (unsigned k = 0; k < 3; ++k) {
      const unsigned from = swapped ? 2 - k : k;
      network->inject(from, make_frame({.from = from, .to = 3, .psn = from, .size = 60 + from}, Time::ns(5)));
      network->advance(Time::ps(4'000 + k));
    }
    network->advance(Time::us(1));
    base::FrameInbox box;
    network->collect(3, box);
    REQUIRE(box.size() == 3);
    for (unsigned k = 0; k < 3; ++k) CHECK(box[k].bytes->size() == 60 + k);
  }
}

TEST_CASE("network: store and forward has more lookahead", "[network]") {
  auto config = network_config(Topology::kSwitch, 2);
  config.switch_config.mode = timing::SwitchMode::kStoreAndForward;
  const auto network = sim::make_systemc_network(config);
  CHECK(network->lookahead() == Time::ps(310'000 + 72 * 80));
  network->inject(0, make_frame({.from = 0, .to = 1, .size = 60}, Time::ps(0)));
  network->advance(Time::ns(11));
  CHECK(times(*network, 1) == std::vector<std::int64_t>{320'000 + 72 * 80});
}

TEST_CASE("network: a delayed frame is an event at its time", "[network]") {
  auto config = network_config(Topology::kSwitch, 2);
  timing::FaultRule rule;
  rule.action = timing::FaultAction::kDelay;
  rule.delay = Time::us(3);
  config.switch_config.faults = {rule};
  const auto network = sim::make_systemc_network(config);
  network->inject(0, make_frame({.from = 0, .to = 1}, Time::ps(0)));
  network->advance(Time::us(2));
  CHECK(times(*network, 1).empty());
  CHECK(network->next_event() == Time::ns(3'010));
  network->advance(Time::ps(3'010'001));
  CHECK(times(*network, 1) == std::vector<std::int64_t>{3'320'000});
  CHECK(network->next_event().is_never());
}

TEST_CASE("network: how far the kernel goes at a time shows nowhere", "[network]") {
  using Delivered = std::vector<std::tuple<unsigned, std::int64_t, std::size_t>>;
  const auto run_by = [](Time step) {
    auto config = network_config(Topology::kSwitch, 4);
    config.switch_config.pfc.enabled = true;
    config.switch_config.pfc.xoff = base::Bytes(4'000);
    config.switch_config.pfc.xon = base::Bytes(2'000);
    timing::FaultRule rule;
    rule.probability = 0.2;
    for (const auto action :
         {timing::FaultAction::kDuplicate, timing::FaultAction::kDelay, timing::FaultAction::kReorder}) {
      rule.action = action;
      rule.delay = Time::ns(700);
      config.switch_config.faults.push_back(rule);
    }
    const auto network = sim::make_systemc_network(config);
    base::Rng rng(7);
    for (unsigned from = 0; from < 4; ++from) {
      Time at;
      for (unsigned k = 0; k < 60; ++k) {
        const std::size_t size = 60 + 240 * from + k;  // tells the frames apart
        const unsigned to = rng.chance(0.7) ? 3 - (from == 3) : (from + 1) % 4;
        at += Time::ps(static_cast<std::int64_t>(120 * size + rng.below(20'000)));
        network->inject(from, make_frame({.from = from, .to = to, .psn = k, .size = size}, at));
      }
    }
    Delivered delivered;
    for (Time now; !network->next_event().is_never(); now += step) {
      network->advance(now);
      for (unsigned port = 0; port < 4; ++port) {
        base::FrameInbox box;
        network->collect(port, box);
        CHECK(std::is_sorted(box.begin(), box.end(), [](auto& a, auto& b) { return a.time < b.time; }));
        for (const auto& frame : box) delivered.emplace_back(port, frame.time.in_ps(), frame.bytes->size());
      }
    }
    std::sort(delivered.begin(), delivered.end());
    base::Fingerprint hash;
    network->hash_into(hash);
    return std::make_tuple(delivered, hash.value());
  };
  const auto fine = run_by(Time::ps(7'001));
  CHECK(std::get<0>(fine).size() > 240);
  CHECK(run_by(Time::ns(475)) == fine);
  CHECK(run_by(Time::us(100)) == fine);
}

TEST_CASE("network: overlapping frames on a cable are a broken invariant", "[network]") {
  const auto words = support::dying_words([] {
    const auto network = sim::make_systemc_network(network_config(Topology::kSwitch, 2));
    network->inject(0, make_frame({.from = 0, .to = 1, .size = 60}, Time::ps(0)));
    network->inject(0, make_frame({.from = 0, .to = 1, .size = 60}, Time::ps(84 * 80 - 1)));
    network->advance(Time::us(1));
  });
  CHECK(words.find("up0: a frame starts before the gap") != std::string::npos);
}

TEST_CASE("network: what does not fit the topology is the user's mistake", "[network]") {
  using Catch::Matchers::ContainsSubstring;
  using Catch::Matchers::MessageMatches;
  CHECK_THROWS_MATCHES(sim::make_systemc_network(network_config(Topology::kDirect, 3)), base::UserError,
                       MessageMatches(ContainsSubstring("joins 2 nodes, not 3")));
  auto config = network_config(Topology::kDirect, 2);
  config.switch_config.faults.emplace_back();
  CHECK_THROWS_MATCHES(sim::make_systemc_network(config), base::UserError,
                       MessageMatches(ContainsSubstring("use \"switch\"")));
}

TEST_CASE("cluster: the same for any number of threads and any slicing, with faults", "[cluster]") {
  const auto faults = [](ClusterConfig& c) {
    timing::FaultRule rule;
    rule.probability = 0.02;
    for (const auto action :
         {timing::FaultAction::kDuplicate, timing::FaultAction::kDelay, timing::FaultAction::kReorder,
          timing::FaultAction::kDrop, timing::FaultAction::kMarkEcn}) {
      rule.action = action;
      c.network.switch_config.faults.push_back(rule);
    }
  };
  const auto one = run(6, 1, faults);
  for (const unsigned threads : {2u, 3u}) {
    const auto other = run(6, threads, faults);
    CHECK(other.fingerprint == one.fingerprint);
    CHECK(other.frames == one.frames);
  }
  const auto sliced = run(6, 2, faults, {}, Time::ps(777'777));
  CHECK(sliced.fingerprint == one.fingerprint);
  CHECK(sliced.frames == one.frames);
  const auto evaluated = run(6, 2, faults, [](FakeNodeConfig& c) { c.evaluate_all = true; });
  CHECK(evaluated.fingerprint == one.fingerprint);
  CHECK(std::is_sorted(one.frames.begin(), one.frames.end()));
  CHECK(stat(one, "switch.fault3.struck") > 0);
  const auto other_seed = run(6, 1, [&](ClusterConfig& c) {
    faults(c);
    c.network.switch_config.seed = 2;
  });
  CHECK(other_seed.fingerprint != one.fingerprint);
}

TEST_CASE("cluster: without faults every frame arrives", "[cluster]") {
  const auto result = run(5, 2);
  std::uint64_t received = 0, out = 0;
  for (unsigned i = 0; i < 5; ++i) {
    received += result.received[i];
    out += stat(result, "switch.port" + std::to_string(i) + ".tx_frames");
  }
  CHECK(received == 5 * 4 * 51);
  CHECK(out == received);
  CHECK(result.engine.frames_sent == received);
  CHECK(result.engine.frames_received == received);
}

TEST_CASE("cluster: one way between two nodes, direct and through the switch", "[cluster]") {
  for (const auto topology : {Topology::kDirect, Topology::kSwitch}) {
    ClusterConfig config = ClusterConfig::from(timing::Calibration());
    config.network.topology = topology;
    std::vector<std::unique_ptr<base::NodeModel>> nodes;
    for (unsigned i = 0; i < 2; ++i) {
      FakeNodeConfig node;
      node.index = i;
      nodes.push_back(std::make_unique<FakeNode>(node));
      config.network.switch_config.stations.push_back({support::station_mac(i), i});
    }
    dynamic_cast<FakeNode&>(*nodes[0]).plan_to(1, 100, 138);
    Cluster cluster(config, std::move(nodes));
    REQUIRE(cluster.run_until_idle(Time::us(10)));
    // Last beat at 102; MAC 78 ns, cable 10 ns, 150 bytes 12 ns, MAC 85 ns: 185 ns are 47 cycles. The switch adds 310
    // ns: 124 cycles, but then the last two beats would be due at one edge, so the last one is taken at the next.
    const std::uint64_t cycles = topology == Topology::kDirect ? 47 : 125;
    CHECK(dynamic_cast<FakeNode&>(cluster.node(1)).arrivals() == std::vector<std::uint64_t>{102 + cycles});
  }
}

TEST_CASE("network: two in one process, turn by turn, each with its own time", "[network]") {
  auto first = sim::make_systemc_network(network_config(Topology::kDirect, 2));
  const auto second = sim::make_systemc_network(network_config(Topology::kSwitch, 2));
  first->inject(0, make_frame({.from = 0, .to = 1}, Time::us(5)));
  second->inject(0, make_frame({.from = 0, .to = 1}, Time::us(1)));
  first->advance(Time::us(9));
  second->advance(Time::us(2));
  CHECK(times(*first, 1) == std::vector<std::int64_t>{5'010'000});
  first.reset();
  second->inject(0, make_frame({.from = 0, .to = 1}, Time::us(3)));
  second->advance(Time::us(4));
  CHECK(times(*second, 1) == std::vector<std::int64_t>{1'320'000, 3'320'000});
}

TEST_CASE("cluster: the same again in one process", "[cluster]") {
  const auto alone = run(3, 1);
  for (int i = 0; i < 3; ++i) CHECK(run(3, 2).fingerprint == alone.fingerprint);
}
