// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <tuple>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "models/base/errors.hpp"
#include "sim/cluster/window_engine.hpp"
#include "testbenches/support/fake_network.hpp"
#include "testbenches/support/fake_node.hpp"

using namespace caravan;
using base::Time;
using sim::EngineConfig;
using sim::WindowEngine;
using support::FakeNetwork;
using support::FakeNode;
using support::FakeNodeConfig;

namespace {

EngineConfig engine_config(unsigned threads) {
  EngineConfig config;
  config.tx_lookahead = timing::MacConfig{}.tx_latency;
  config.rx_lookahead = timing::MacRx(timing::MacConfig{}).lookahead();
  config.threads = threads;
  return config;
}

struct Rig {
  Rig(unsigned count, unsigned threads, Time delay, const std::function<void(FakeNodeConfig&)>& adjust = {})
      : network(count, delay) {
    std::vector<base::NodeModel*> pointers;
    for (unsigned i = 0; i < count; ++i) {
      FakeNodeConfig config;
      config.index = i;
      config.nodes = count;
      if (adjust) adjust(config);
      nodes.push_back(std::make_unique<FakeNode>(config));
      pointers.push_back(nodes.back().get());
    }
    engine.emplace(engine_config(threads), pointers, network);
  }
  std::vector<std::uint64_t> prints() const {
    std::vector<std::uint64_t> list;
    for (const auto& node : nodes) list.push_back(node->fingerprint());
    return list;
  }
  FakeNetwork network;
  std::vector<std::unique_ptr<FakeNode>> nodes;
  std::optional<WindowEngine> engine;
};

void traffic(FakeNodeConfig& c) {
  c.first_frames = 3;
  c.hops = 60;
  c.think = 1;
  c.think_spread = 300;
  c.size = 60;
  c.size_spread = 1'000;
}

using Observation = std::tuple<std::int64_t, unsigned, bool, std::uint64_t>;

std::vector<Observation> observe(Rig& rig) {
  std::vector<Observation> list;
  rig.engine->set_observer([&list](const sim::FrameObservation& o) {
    list.emplace_back(o.frame.time.in_ps(), o.node, o.direction == sim::FrameDirection::kReceive, o.frame.sequence);
  });
  rig.engine->run_until_idle(Time::ms(10));
  rig.engine->flush_observations();
  return list;
}

}  // namespace

TEST_CASE("engine: the window is the sum of the lookaheads", "[engine]") {
  Rig rig(2, 1, Time::ns(300));
  CHECK(rig.engine->window() == Time::ps(78'000 + 300'000 + 85'000 + 72 * 80 - 4'000));
  FakeNetwork network(1, Time::ps(0));
  FakeNode node({.nodes = 1});
  CHECK_THROWS_AS(WindowEngine(EngineConfig{}, {&node}, network), base::UserError);
}

TEST_CASE("engine: a frame arrives at the exact cycle, wherever it lies in the window", "[engine]") {
  for (std::uint64_t start = 0; start < 120; ++start) {  // every offset in a window of about 116 cycles
    Rig rig(2, 1, Time::ns(300));
    rig.nodes[0]->plan_to(1, start, 60);
    CHECK(rig.engine->run_until_idle(Time::us(100)));
    // One beat at `start`, MAC 78 ns, network 300 ns, 72 bytes at 80 ps, MAC 85 ns: 468.76 ns are 118 cycles.
    CHECK(rig.nodes[1]->arrivals() == std::vector<std::uint64_t>{start + 118});
  }
}

TEST_CASE("engine: results are the same for any number of threads", "[engine]") {
  const auto run = [](unsigned threads) {
    Rig rig(7, threads, Time::ns(310), traffic);
    auto seen = observe(rig);
    const auto stats = rig.engine->stats();
    return std::tuple(rig.prints(), seen, rig.engine->now(), stats.windows, stats.frames_sent, stats.node_runs);
  };
  const auto one = run(1);
  CHECK(run(2) == one);
  CHECK(run(3) == one);
  CHECK(std::get<4>(one) == 7 * 3 * 61);
  CHECK(std::get<1>(one).size() == 2 * std::get<4>(one));
}

TEST_CASE("engine: results do not depend on where windows begin", "[engine]") {
  const auto run = [](std::vector<std::int64_t> stops_ps, bool evaluate_all) {
    Rig rig(4, 2, Time::ns(310), [&](FakeNodeConfig& c) {
      traffic(c);
      c.evaluate_all = evaluate_all;
    });
    for (const std::int64_t stop : stops_ps) rig.engine->run_until(Time::ps(stop));
    rig.engine->run_until(Time::us(100));
    return rig.prints();
  };
  const auto whole = run({}, false);
  CHECK(run({1, 4'000, 4'001, 399'999, 2'000'000, 2'000'001, 55'000'123}, false) == whole);
  std::vector<std::int64_t> many;
  for (std::int64_t t = 7'777; t < 100'000'000; t += 37'777) many.push_back(t);
  CHECK(run(many, false) == whole);
  CHECK(run({}, true) == whole);
  CHECK(run(many, true) == whole);
}

TEST_CASE("engine: listeners see frames in order of time, node, direction", "[engine]") {
  Rig rig(5, 2, Time::ns(310), traffic);
  const auto seen = observe(rig);
  REQUIRE(seen.size() == 2 * 5 * 3 * 61);
  CHECK(std::is_sorted(seen.begin(), seen.end()));
}

TEST_CASE("engine: an idle cluster is jumped over, every node ends at the same time", "[engine]") {
  Rig rig(3, 2, Time::ns(300));
  rig.nodes[0]->plan_to(2, 1'000'000'000, 60);  // after 4 s
  rig.engine->run_until(Time::ms(4'100));
  const auto stats = rig.engine->stats();
  CHECK(stats.windows <= 6);
  CHECK(stats.jumped > Time::ms(4'099));
  CHECK(rig.nodes[2]->arrivals() == std::vector<std::uint64_t>{1'000'000'118});
  for (const auto& node : rig.nodes) CHECK(node->cycle() == 1'025'000'000);
  CHECK(rig.nodes[1]->evaluated() == 0);
}

TEST_CASE("engine: run_until_idle tells idle from the limit", "[engine]") {
  Rig rig(2, 1, Time::ns(300));
  rig.nodes[0]->plan_to(1, 1'000, 60);
  CHECK_FALSE(rig.engine->run_until_idle(Time::us(4)));  // the frame is still on its way
  CHECK(rig.engine->now() == Time::us(4));
  CHECK(rig.engine->run_until_idle(Time::us(100)));
  CHECK(rig.engine->now() < Time::us(6));
  CHECK(rig.nodes[1]->received() == 1);
}

TEST_CASE("engine: what a node throws reaches the caller", "[engine]") {
  class Thrower final : public base::NodeModel {
   public:
    void run_until(Time, base::FrameInbox&, base::FrameOutbox&) override {
      throw base::UserError("client: key not found");
    }
    Time next_activity() const override { return Time::ns(8); }
    void serialize(std::ostream&) const override {}
    void deserialize(std::istream&) override {}
    std::uint64_t fingerprint() const override { return 0; }
  } a, b;
  FakeNetwork network(2, Time::ns(300));
  WindowEngine engine(engine_config(2), {&a, &b}, network);
  CHECK_THROWS_AS(engine.run_until(Time::us(1)), base::UserError);
}
