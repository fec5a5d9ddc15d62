// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/bench_engine.hpp"

#include <chrono>
#include <vector>

#include "sim/cluster/node_builder.hpp"
#include "sim/cluster/scenario.hpp"
#include "workloads/ycsb/client.hpp"

namespace caravan::sim {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kReplayNodes = 4;
constexpr base::Time kReplayLength = base::Time::us(400);

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

ScenarioConfig config_for(unsigned nodes, unsigned threads, vl::Skip skip, Load load) {
  const auto empty = base::Config::empty();
  base::Params params(empty);
  auto c = read_scenario(params);
  c.nodes = nodes;
  c.threads = threads;
  c.skip = skip;
  c.trace = c.frames = false;
  if (load == Load::kLatency) {
    c.kind = WorkloadKind::kVerb;
    c.verb.sizes = {base::Bytes(64)};
    c.verb.repetitions = 10'000'000;
  } else if (load == Load::kBusy) {
    c.kind = WorkloadKind::kYcsb;
    c.ycsb.file = "bench";
    c.ycsb.properties = workloads::Properties::from_text(
        "recordcount=1000\noperationcount=1000000000\nreadproportion=0\nupdateproportion=1\nrequestdistribution="
        "zipfian\n",
        "bench");
    c.ycsb.workload = workloads::read_core_workload(c.ycsb.properties);
  }
  return c;
}

EngineRate rate_of(const ScenarioPerf& perf) {
  EngineRate rate;
  rate.node_cycles = perf.node_cycles;
  rate.evaluated = perf.evaluated_cycles;
  rate.seconds = perf.wall_seconds;
  rate.node_seconds = perf.node_seconds;
  return rate;
}

/// What node 0 of a busy cluster receives, by time.
std::vector<base::Frame> frames_of_node_0(const ScenarioConfig& config) {
  std::vector<base::Frame> frames;
  Scenario scenario(config);
  scenario.capture([&](unsigned node, bool outbound, const base::Frame& frame) {
    if (node == 0 && !outbound) frames.push_back(frame);
  });
  scenario.run([](const ScenarioProgress& p) { return p.time < kReplayLength; });
  return frames;
}

}  // namespace

EngineRate measure_cluster(unsigned nodes, unsigned threads, vl::Skip skip, Load load, double seconds) {
  Scenario scenario(config_for(nodes, threads, skip, load));
  scenario.run_for(seconds);
  return rate_of(scenario.perf());
}

EngineRate measure_bare_node(Load load, vl::Skip skip, double seconds) {
  const auto config = config_for(kReplayNodes, 1, skip, load);
  std::vector<base::Frame> frames;
  if (load == Load::kBusy) frames = frames_of_node_0(config);
  EngineRate rate;
  // The replay is repeated on a new node until it has taken long enough; only running is timed.
  while (rate.seconds < seconds) {
    auto node = make_node(config, 0);
    program_node(*node, config, 0);
    std::unique_ptr<workloads::YcsbClient> client;
    if (load == Load::kBusy) {
      const auto plan = std::make_shared<workloads::YcsbPlan>(config.ycsb.workload, kReplayNodes, node->kv_entries(),
                                                              config.seed, config.ycsb.file);
      for (const auto& row : plan->load()) node->store_kv(static_cast<std::uint32_t>(row.key), {true, 0, 0, row.value});
      client = std::make_unique<workloads::YcsbClient>(plan, 0);
      node->set_client(client.get());
    }
    base::FrameInbox inbox;
    for (const auto& frame : frames) {
      if (frame.time < kReplayLength) inbox.push_back(frame);
    }
    base::FrameOutbox outbox;
    const auto before = node->perf();
    const auto start = Clock::now();
    node->run_until(kReplayLength, inbox, outbox);
    rate.seconds += seconds_since(start);
    rate.node_cycles += node->perf().cycles - before.cycles;
    rate.evaluated += node->perf().evaluated - before.evaluated;
    for (std::size_t i = 0; i < vl::kBlockCount; ++i) rate.clocked[i] += node->perf().clocked[i] - before.clocked[i];
    node->set_client(nullptr);
  }
  return rate;
}

}  // namespace caravan::sim
