// SPDX-License-Identifier: Apache-2.0
// caravan bench: the simulator's own speed (engine, here), and the NIC's (verbs, incast).
#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "sim/app/benches.hpp"
#include "sim/app/verbs.hpp"
#include "sim/cluster/bench_engine.hpp"

namespace caravan::app {
namespace {

using sim::Load;

/// Below this share of a processor other programs decide the rates.
constexpr double kFairShare = 0.9;

std::string k(double per_second) { return fmt::format("{:.0f}", per_second / 1e3); }

void bench_engine(double seconds, unsigned max_nodes) {
  fmt::print("each line: {} s of wall time; rates in thousand node-cycles per second; {} processors\n\n", seconds,
             std::thread::hardware_concurrency());
  const auto wall_start = std::chrono::steady_clock::now();
  const auto cpu_start = std::clock();
  const auto idle = sim::measure_bare_node(Load::kIdle, vl::Skip::kOff, seconds);
  const auto busy = sim::measure_bare_node(Load::kBusy, vl::Skip::kOff, seconds);
  const auto gated = sim::measure_bare_node(Load::kBusy, vl::Skip::kOn, seconds);
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_start).count();
  const double share = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC / wall;
  if (share < kFairShare) {
    fmt::print("NOT REPRESENTATIVE: this machine is busy, one thread got {:.0f} % of a processor\n\n", share * 100);
  }
  fmt::print("one node alone, every block clocked in every cycle:  idle {}   busy {}\n", k(idle.evaluated_per_second()),
             k(busy.evaluated_per_second()));
  fmt::print("one node alone, quiet blocks rest:  busy {}\n  share of the cycles in which a block is clocked:",
             k(gated.evaluated_per_second()));
  for (std::size_t i = 0; i < vl::kBlockCount; ++i) {
    fmt::print("  {} {:.0f} %", vl::kBlockNames[i],
               100.0 * static_cast<double>(gated.clocked[i]) /
                   static_cast<double>(std::max<std::uint64_t>(1, gated.evaluated)));
  }
  fmt::print("\n\n");

  fmt::print(
      "engine, every cycle evaluated, all nodes busy (with one node there is no replication); the harness is all that "
      "is not\n"
      "inside a node: windows, exchange of frames, switch:\n");
  fmt::print("{:>7} {:>10} {:>10} {:>9} {:>28}\n", "nodes", "1 thread", "2 threads", "speed-up",
             "harness, share of 1 thread");
  for (unsigned nodes = 1; nodes <= max_nodes; nodes *= 2) {
    const auto one = sim::measure_cluster(nodes, 1, vl::Skip::kOff, Load::kBusy, seconds);
    const auto two = nodes == 1 ? one : sim::measure_cluster(nodes, 2, vl::Skip::kOff, Load::kBusy, seconds);
    fmt::print("{:>7} {:>10} {:>10} {:>8.2f}x {:>26.1f} %\n", nodes, k(one.evaluated_per_second()),
               k(two.evaluated_per_second()), two.evaluated_per_second() / one.evaluated_per_second(),
               100 * (1 - one.node_seconds / one.seconds));
    std::fflush(stdout);
  }

  fmt::print("\nskipping, 8 nodes, 1 thread:\n");
  fmt::print("{:>14} {:>12} {:>12} {:>9} {:>10}\n", "load", "off", "on", "factor", "skipped");
  for (const auto& [name, load] :
       {std::pair{"idle", Load::kIdle}, {"latency-bound", Load::kLatency}, {"busy", Load::kBusy}}) {
    const auto off = sim::measure_cluster(8, 1, vl::Skip::kOff, load, seconds);
    const auto on = sim::measure_cluster(8, 1, vl::Skip::kOn, load, seconds);
    fmt::print("{:>14} {:>12} {:>12} {:>8.1f}x {:>8.1f} %\n", name, k(off.simulated_per_second()),
               k(on.simulated_per_second()), on.simulated_per_second() / off.simulated_per_second(),
               100.0 - 100.0 * static_cast<double>(on.evaluated) /
                           static_cast<double>(std::max<std::uint64_t>(1, on.node_cycles)));
    std::fflush(stdout);
  }
}

}  // namespace

void add_bench(CLI::App& app, int& status) {
  auto* verb = app.add_subcommand("bench", "Measure the simulator, or the NIC that it simulates");
  verb->require_subcommand(1);
  auto* engine =
      verb->add_subcommand("engine", "Rates of one node, of the engine by nodes and threads, and of skipping");
  auto seconds = std::make_shared<double>(1.0);
  auto max_nodes = std::make_shared<unsigned>(16);
  engine->add_option("--seconds", *seconds, "Wall time of each measurement")
      ->check(CLI::Range(0.05, 60.0))
      ->capture_default_str();
  engine->add_option("--max-nodes", *max_nodes, "Largest cluster")->check(CLI::Range(1u, 32u))->capture_default_str();
  engine->callback([seconds, max_nodes] { bench_engine(*seconds, *max_nodes); });
  add_bench_verbs(*verb, status);
  add_bench_incast(*verb, status);
}

}  // namespace caravan::app
