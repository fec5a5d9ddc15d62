// SPDX-License-Identifier: Apache-2.0
// Cost of the engine itself, with nodes that cost almost nothing or a set amount. Hidden: run with the tag [bench].
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "sim/cluster/cluster.hpp"
#include "testbenches/support/fake_node.hpp"

using namespace caravan;
using base::Time;

namespace {

/// Evaluates every cycle with `spin` loop turns each, and never says that it is idle.
class BusyNode final : public base::NodeModel {
 public:
  explicit BusyNode(unsigned spin) : spin_(spin) {}
  void run_until(Time end, base::FrameInbox&, base::FrameOutbox&) override {
    for (; time_ < end; time_ += Time::ns(4)) {
      for (unsigned i = 0; i < spin_; ++i) asm volatile("" ::: "memory");
    }
  }
  Time next_activity() const override { return time_; }
  void serialize(std::ostream&) const override {}
  void deserialize(std::istream&) override {}
  std::uint64_t fingerprint() const override { return 0; }

 private:
  unsigned spin_;
  Time time_;
};

struct Cost {
  double seconds = 0, cpu = 0;
  sim::EngineStats stats;
};

Cost measure(sim::ClusterConfig config, std::vector<std::unique_ptr<base::NodeModel>> nodes, Time end) {
  for (unsigned i = 0; i < nodes.size(); ++i)
    config.network.switch_config.stations.push_back({support::station_mac(i), i});
  sim::Cluster cluster(config, std::move(nodes));
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  cluster.run_until(end);
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC, cluster.engine_stats()};
}

}  // namespace

TEST_CASE("bench: cost of a window", "[.][bench]") {
  for (const unsigned spin : {0u, 1'000u}) {
    for (const unsigned count : {1u, 2u, 4u, 8u, 16u}) {
      for (const unsigned threads : {1u, 2u}) {
        auto config = sim::ClusterConfig::from(timing::Calibration());
        config.engine.threads = threads;
        std::vector<std::unique_ptr<base::NodeModel>> nodes;
        for (unsigned i = 0; i < count; ++i) nodes.push_back(std::make_unique<BusyNode>(spin));
        const Time end = spin == 0 ? Time::ms(20) : Time::us(300);
        const Cost cost = measure(config, std::move(nodes), end);
        std::printf(
            "spin %4u nodes %2u threads %u: %8.0f ns/window, CPU %8.0f, %7.2f M node-cycles/s, wait of worker 0 %4.1f "
            "%%\n",
            spin, count, threads, cost.seconds * 1e9 / static_cast<double>(cost.stats.windows),
            cost.cpu * 1e9 / static_cast<double>(cost.stats.windows),
            static_cast<double>(end.in_ps() / 4000 * count) / cost.seconds / 1e6,
            100 * cost.stats.workers[0].wait_s / cost.seconds);
      }
    }
  }
}

TEST_CASE("bench: cost of a frame", "[.][bench]") {
  for (const unsigned threads : {1u, 2u}) {
    auto config = sim::ClusterConfig::from(timing::Calibration());
    config.engine.threads = threads;
    std::vector<std::unique_ptr<base::NodeModel>> nodes;
    for (unsigned i = 0; i < 8; ++i) {
      support::FakeNodeConfig node;
      node.index = i;
      node.nodes = 8;
      node.first_frames = 8;
      node.hops = 1'000'000;
      node.think = 5;
      nodes.push_back(std::make_unique<support::FakeNode>(node));
    }
    const Cost cost = measure(config, std::move(nodes), Time::ms(2));
    std::printf("8 nodes threads %u: %.0f ns/frame CPU, %llu frames, %.1f frames/window\n", threads,
                cost.cpu * 1e9 / static_cast<double>(cost.stats.frames_received),
                static_cast<unsigned long long>(cost.stats.frames_received),
                static_cast<double>(cost.stats.frames_received) / static_cast<double>(cost.stats.windows));
  }
}
