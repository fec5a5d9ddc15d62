// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/scenario.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "models/base/errors.hpp"
#include "sim/cluster/addressing.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/cluster/end_checks.hpp"
#include "sim/cluster/host_programs.hpp"
#include "sim/cluster/incast.hpp"
#include "sim/cluster/node_builder.hpp"
#include "sim/cluster/trace_merge.hpp"
#include "verilator/wrap/node_setup.hpp"

namespace caravan::sim {
namespace {

using Clock = std::chrono::steady_clock;
using base::Time;

/// Simulated time between two looks at progress, interruption and traces.
constexpr Time kSlice = Time::us(20);

constexpr Time kQueueSample = Time::us(1);

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

ClusterConfig cluster_config(const ScenarioConfig& c) {
  auto config = ClusterConfig::from(c.calibration);
  config.engine.threads = c.threads;
  config.network.topology = c.direct ? Topology::kDirect : Topology::kSwitch;
  auto& s = config.network.switch_config;
  s.mode = c.store_and_forward ? timing::SwitchMode::kStoreAndForward : timing::SwitchMode::kCutThrough;
  s.ecn = c.ecn;
  s.pfc = c.pfc;
  if (c.kind == WorkloadKind::kIncast) s.sample_every = kQueueSample;
  s.seed = c.seed;
  s.faults = c.faults;
  for (unsigned node = 0; node < c.nodes; ++node) s.stations.push_back({mac_of(node), node});
  return config;
}

workloads::VerbPlan verb_plan(const ScenarioConfig& c) {
  workloads::VerbPlan plan;
  plan.op = c.verb.op;
  plan.sizes = c.verb.sizes;
  plan.repetitions = c.verb.repetitions;
  plan.outstanding = c.verb.outstanding;
  plan.qpns.push_back(qpn_to(1).value());
  for (unsigned k = 1; k < c.verb.qps; ++k) plan.qpns.push_back(extra_qpn(c.nodes, k).value());
  const std::uint64_t memory = c.verb.host_memory ? vl::kClassHost : vl::kClassHbm;
  plan.rkey = ((c.verb.host_memory ? kHostRegion : kHbmRegion) << 8) | kRegionKey;
  plan.local_base = memory | kSourceBase;
  plan.remote_base = memory | kTargetBase;
  plan.window = c.verb.window;
  if (c.verb.op == base::ClientOp::kSend) {
    const auto cycles = set_up_by(c, c.verb.qps) / c.calibration.clock.period();
    plan.start = base::Cycles(static_cast<std::uint64_t>(cycles));
  }
  return plan;
}

}  // namespace

struct Scenario::Impl {
  ScenarioConfig config;
  std::shared_ptr<const workloads::YcsbPlan> plan;
  std::vector<std::unique_ptr<workloads::YcsbClient>> ycsb;
  std::unique_ptr<workloads::VerbClient> verb;
  std::unique_ptr<HostPrograms> programs;
  std::unique_ptr<Incast> incast;
  std::vector<FrameObserver> observers;
  std::vector<vl::RtlNode*> nodes;
  std::unique_ptr<Cluster> cluster;  // after the clients: the nodes use them
  TraceMerge trace;
  ScenarioPerf perf;

  explicit Impl(const ScenarioConfig& c) : config(c) {
    const auto start = Clock::now();
    std::vector<std::unique_ptr<base::NodeModel>> models;
    for (unsigned i = 0; i < c.nodes; ++i) {
      auto node = make_node(c, i);
      if (i == 0) make_clients(node->kv_entries());
      program_node(*node, c, i);
      load(*node, i);
      nodes.push_back(node.get());
      models.push_back(std::move(node));
    }
    cluster = std::make_unique<Cluster>(cluster_config(c), std::move(models));
    if (incast) observe([this](const FrameObservation& o) { incast->observe(o); });
    perf.build_seconds = seconds_since(start);
  }

  void observe(FrameObserver observer) {
    observers.push_back(std::move(observer));
    cluster->set_observer([this](const FrameObservation& o) {
      for (const auto& each : observers) each(o);
    });
  }

  void make_clients(std::uint32_t capacity) {
    if (config.kind == WorkloadKind::kYcsb) {
      plan = std::make_shared<workloads::YcsbPlan>(config.ycsb.workload, config.nodes, capacity, config.seed,
                                                   config.ycsb.file);
      for (unsigned i = 0; i < config.nodes; ++i) ycsb.push_back(std::make_unique<workloads::YcsbClient>(plan, i));
    } else if (config.kind == WorkloadKind::kVerb) {
      verb = std::make_unique<workloads::VerbClient>(verb_plan(config));
      if (config.verb.op == base::ClientOp::kSend) programs = std::make_unique<HostPrograms>(config, verb_plan(config));
    } else if (config.kind == WorkloadKind::kHost) {
      programs = std::make_unique<HostPrograms>(config);
    } else if (config.kind == WorkloadKind::kIncast) {
      incast = std::make_unique<Incast>(config);
    }
  }

  void load(vl::RtlNode& node, unsigned index) {
    if (plan) {
      for (const auto& row : plan->load()) node.store_kv(static_cast<std::uint32_t>(row.key), {true, 0, 0, row.value});
      node.set_client(ycsb[index].get());
    } else if (verb && index < 2) {
      auto& memory = config.verb.host_memory ? node.host() : node.hbm();
      const bool reads = config.verb.op == base::ClientOp::kRead;
      if (config.verb.op != base::ClientOp::kFetchAdd && reads == (index == 1))
        memory.write(reads ? kTargetBase : kSourceBase, source_bytes(config.verb.window, config.seed));
      if (index == 0) node.set_client(verb.get());
    } else if (incast && index > 0) {
      node.hbm().write(kSourceBase, source_bytes(config.incast.size, config.seed + index));
      node.set_client(&incast->client(index));
    }
    if (programs) node.set_host(programs->of(index));
  }

  bool clients_done() const {
    return std::all_of(ycsb.begin(), ycsb.end(), [](const auto& c) { return c->done(); }) && (!verb || verb->done()) &&
           (!programs || programs->done()) && (!incast || incast->done());
  }

  ScenarioProgress progress() const {
    ScenarioProgress p;
    p.time = cluster->now();
    for (const auto& client : ycsb) p.operations += client->completed();
    if (plan) p.total_operations = plan->workload().operation_count;
    if (verb) {
      for (const auto& result : verb->results()) p.operations += result.latency.count();
      p.total_operations = config.verb.repetitions * config.verb.sizes.size();
    }
    if (programs && programs->workload()) {
      p.operations = programs->workload()->completed();
      p.total_operations = programs->workload()->total();
    }
    if (incast) p.operations = incast->completed(), p.total_operations = incast->issued();
    for (const auto* node : nodes) p.node_cycles += node->perf().cycles;
    return p;
  }

  void pass_trace_on() {
    if (!trace.wanted()) return;
    for (auto* node : nodes) trace.add(node->take_trace());
    trace.release(cluster->now());
  }

  Outcome advance(const std::function<bool(const ScenarioProgress&)>& go_on) {
    for (;;) {
      const bool idle = cluster->run_until_idle(std::min(config.limit, cluster->now() + kSlice));
      pass_trace_on();
      if (idle) return Outcome::kCompleted;
      if (cluster->now() >= config.limit) return Outcome::kTimeLimit;
      if (!go_on(progress())) return Outcome::kInterrupted;
    }
  }

  void collect_clients(ScenarioResult& result) const {
    const Time period = config.calibration.clock.period();
    for (const auto& client : ycsb) {
      ReplicaResult r;
      r.operations = client->completed();
      r.not_found = client->not_found();
      r.failed = client->failed();
      if (r.operations > 0) r.busy = (client->last() - client->first()).at(period);
      for (std::size_t k = 0; k < workloads::kOpKinds; ++k)
        r.latency[k] = client->latency(static_cast<workloads::OpKind>(k));
      result.replicas.push_back(std::move(r));
    }
    if (verb) result.verbs = verb->results();
    if (programs && programs->workload()) {
      result.host_latencies = programs->workload()->latencies();
      result.host_rates = programs->workload()->rates();
    }
    if (incast) result.incast = incast->table(cluster->queue_samples());
  }

  void collect_stats(ScenarioResult& result) const {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto values = nodes[i]->stats();
      const auto infos = vl::RtlNode::stat_infos();
      BUG_IF(values.size() != infos.size(), "a node's counters and their declarations differ in number");
      for (std::size_t k = 0; k < infos.size(); ++k) {
        result.stats.push_back({fmt::format("node{}.{}", i, infos[k].name), infos[k].unit, values[k]});
      }
    }
    for (std::size_t i = 0; i < ycsb.size(); ++i) {
      const std::uint64_t values[] = {ycsb[i]->completed(), ycsb[i]->not_found(), ycsb[i]->failed()};
      static_assert(std::size(values) == std::size(workloads::kYcsbStats));
      for (std::size_t k = 0; k < std::size(values); ++k) {
        const auto& info = workloads::kYcsbStats[k];
        result.stats.push_back({fmt::format("client{}.{}", i, info.name), info.unit, values[k]});
      }
    }
    const auto network = cluster->network_stats();
    result.stats.insert(result.stats.end(), network.begin(), network.end());
  }

  void check(ScenarioResult& result) const {
    const auto p = progress();
    if (config.kind == WorkloadKind::kIdle) return;
    result.checks.push_back(
        {"every operation answered", clients_done(), fmt::format("{} of {}", p.operations, p.total_operations)});
    std::uint64_t failed = 0;
    for (const auto& r : result.replicas) failed += r.failed;
    for (const auto& v : result.verbs) failed += v.failed;
    for (const auto& v : result.host_latencies) failed += v.failed;
    for (const auto& v : result.host_rates) failed += v.failed;
    if (programs) {
      const std::string failure = programs->failure();
      result.checks.push_back({"host programs came to their end", programs->done() && failure.empty(), failure});
    }
    if (incast) failed += incast->failed();
    result.checks.push_back({"no operation failed", failed == 0, fmt::format("{} failed", failed)});
    if (result.outcome != Outcome::kCompleted) return;  // updates may still be under way
    if (plan) {
      std::vector<const workloads::YcsbClient*> clients;
      for (const auto& client : ycsb) clients.push_back(client.get());
      for (auto& c : check_replicas({nodes.begin(), nodes.end()}, *plan, clients))
        result.checks.push_back(std::move(c));
    }
    if (!verb) return;
    result.checks.push_back(
        config.verb.op == base::ClientOp::kFetchAdd
            ? check_counted(*nodes[1], config.verb.host_memory, config.verb.window, p.total_operations)
            : check_written(*nodes[0], *nodes[1], config.verb.host_memory, verb->written()));
  }

  void measure(Clock::time_point start) {
    perf.wall_seconds = seconds_since(start);
    double wait = 0;
    const auto engine = cluster->engine_stats();
    for (const auto& worker : engine.workers) {
      perf.node_seconds += worker.busy_s;
      wait += worker.wait_s;
    }
    if (perf.wall_seconds > 0)
      perf.wait_fraction = wait / (perf.wall_seconds * static_cast<double>(engine.workers.size()));
    for (const auto* node : nodes) {
      perf.node_cycles += node->perf().cycles;
      perf.evaluated_cycles += node->perf().evaluated;
    }
  }
};

Scenario::Scenario(const ScenarioConfig& config) : impl_(std::make_unique<Impl>(config)) {}
Scenario::~Scenario() = default;

void Scenario::listen(base::TraceListener& listener) {
  impl_->trace.listen(listener);
  for (auto* node : impl_->nodes) node->set_trace(true);
}

void Scenario::capture(FrameSink sink) {
  impl_->observe([sink = std::move(sink)](const FrameObservation& o) {
    sink(o.node, o.direction == FrameDirection::kTransmit, o.frame);
  });
}

ScenarioResult Scenario::run(const std::function<bool(const ScenarioProgress&)>& go_on) {
  const auto start = Clock::now();
  ScenarioResult result;
  result.outcome = impl_->advance(go_on);
  impl_->cluster->flush_observations();
  impl_->trace.finish();
  impl_->measure(start);
  result.end = impl_->cluster->now();
  result.fingerprint = impl_->cluster->fingerprint();
  impl_->collect_clients(result);
  impl_->collect_stats(result);
  impl_->check(result);
  return result;
}

void Scenario::run_for(double seconds) {
  const auto start = Clock::now();
  while (seconds_since(start) < seconds) impl_->cluster->run_until(impl_->cluster->now() + kSlice);
  impl_->measure(start);
}

const ScenarioPerf& Scenario::perf() const { return impl_->perf; }

std::vector<base::StatGroup> Scenario::stat_groups() {
  static constexpr base::StatInfo kFault[] = {
      {"matched", base::Unit::kFrames, "frames that agree with the rule's match"},
      {"struck", base::Unit::kFrames, "frames that the rule acted on"},
  };
  return {{"node<i>", vl::RtlNode::stat_infos()},
          {"client<i>", workloads::kYcsbStats},
          {"switch.port<i>", timing::kSwitchPortStats},
          {"switch.port<i>", timing::kPfcPortStats},
          {"switch.fault<i>", kFault}};
}

}  // namespace caravan::sim
