// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/app/report.hpp"

namespace caravan::app {
namespace {

using Json = nlohmann::ordered_json;

Json latency_json(const base::Samples& s) {
  return {{"unit", "cycles"},        {"count", s.count()},          {"mean", s.mean()},
          {"min", s.min()},          {"p50", s.percentile(50)},     {"p90", s.percentile(90)},
          {"p99", s.percentile(99)}, {"p99.9", s.percentile(99.9)}, {"max", s.max()}};
}

/// As the configuration has it.
std::string skip_text(const Configured& configured) {
  for (const auto& value : configured.resolved) {
    if (value.key == "model.skip") return value.text.substr(1, value.text.size() - 2);
  }
  return "";
}

Json replica_json(const sim::ReplicaResult& r, std::size_t index) {
  Json latency = Json::object();
  for (std::size_t k = 0; k < workloads::kOpKinds; ++k) {
    if (!r.latency[k].empty()) {
      latency[std::string(workloads::op_kind_name(static_cast<workloads::OpKind>(k)))] = latency_json(r.latency[k]);
    }
  }
  return {{"replica", index},
          {"operations", r.operations},
          {"not_found", r.not_found},
          {"failed", r.failed},
          {"busy_ps", r.busy.in_ps()},
          {"operations_per_second", r.busy.in_ps() > 0 ? static_cast<double>(r.operations) / r.busy.in_s() : 0.0},
          {"latency", latency}};
}

Json verb_json(const workloads::VerbResult& v, const sim::ScenarioConfig& c) {
  const auto period = c.calibration.clock.period();
  return {{"size_bytes", v.size.count()},
          {"messages", v.latency.count()},
          {"failed", v.failed},
          {"latency", latency_json(v.latency)},
          {"goodput_bps", v.goodput_bps(period)},
          {"steady_goodput_bps", v.steady_bps(period)},
          {"ceiling_bps", workloads::ceiling_bps(v.size, c.pmtu, c.calibration.line_rate, c.verb.op)},
          {"messages_per_second", v.rate(period)},
          {"packets_per_message", workloads::packets_of(v.size, c.pmtu)}};
}

Json host_json(const sim::ScenarioResult& result) {
  Json latencies = Json::array(), rates = Json::array();
  for (const auto& v : result.host_latencies) {
    Json latency = latency_json(v.latency);
    latency["unit"] = "ps";
    latencies.push_back({{"verb", workloads::host_verb_name(v.verb)},
                         {"size_bytes", v.size.count()},
                         {"failed", v.failed},
                         {"latency", latency}});
  }
  for (const auto& r : result.host_rates) {
    rates.push_back({{"verb", workloads::host_verb_name(r.verb)},
                     {"size_bytes", r.size.count()},
                     {"messages", r.messages},
                     {"failed", r.failed},
                     {"took_ps", r.took.in_ps()},
                     {"messages_per_second", r.per_second()}});
  }
  return {{"latencies", latencies}, {"rates", rates}};
}

Json incast_json(const workloads::IncastTable& t) {
  const std::size_t half = t.intervals() / 2, end = t.intervals();
  return {{"flows", t.flows()},
          {"interval_ps", t.interval().in_ps()},
          {"second_half",
           {{"fairness", t.fairness(half, end)},
            {"gbps", t.mean_gbps(half, end)},
            {"longest_queue_bytes", t.longest_queue(half, end)},
            {"drops", t.drops(half, end)}}},
          {"first_half_drops", t.drops(0, half)}};
}

}  // namespace

Json results_json(const Configured& configured, const sim::ScenarioResult& result) {
  const auto& c = configured.scenario;
  Json out;
  out["schema"] = "caravan-results-1";
  out["name"] = configured.name;
  out["outcome"] = sim::outcome_name(result.outcome);
  out["partial"] = result.outcome != sim::Outcome::kCompleted;
  out["passed"] = result.passed();
  out["seed"] = c.seed;
  out["configuration"] = base::to_json(configured.resolved, sim::is_where);
  if (c.kind == sim::WorkloadKind::kYcsb) {
    Json properties = Json::object();
    for (const auto& [name, property] : c.ycsb.properties.all()) properties[name] = property.value;
    out["properties"] = properties;
  }
  out["clock_period_ps"] = c.calibration.clock.period().in_ps();
  out["simulated_ps"] = result.end.in_ps();
  out["replicas"] = Json::array();
  for (std::size_t i = 0; i < result.replicas.size(); ++i)
    out["replicas"].push_back(replica_json(result.replicas[i], i));
  out["writes"] = Json::array();
  for (const auto& v : result.verbs) out["writes"].push_back(verb_json(v, c));
  if (c.kind == sim::WorkloadKind::kHost) out["host"] = host_json(result);
  if (!result.incast.empty()) out["incast"] = incast_json(result.incast);
  out["checks"] = Json::array();
  for (const auto& check : result.checks) {
    out["checks"].push_back(Json{{"name", check.name}, {"passed", check.passed}, {"detail", check.detail}});
  }
  out["stats"] = Json::object();
  for (const auto& stat : result.stats)
    out["stats"][stat.path] = Json{{"value", stat.value}, {"unit", base::unit_name(stat.unit)}};
  out["fingerprint"] = fingerprint_text(result.fingerprint);
  return out;
}

Json perf_json(const Configured& configured, const sim::ScenarioPerf& perf) {
  const auto& c = configured.scenario;
  return {{"schema", "caravan-perf-1"},
          {"threads", c.threads},
          {"skip", skip_text(configured)},
          {"build_seconds", perf.build_seconds},
          {"wall_seconds", perf.wall_seconds},
          {"node_cycles", perf.node_cycles},
          {"evaluated_cycles", perf.evaluated_cycles},
          {"node_cycles_per_second", perf.node_cycles_per_second()},
          {"skipped_fraction", perf.skipped_fraction()},
          {"node_seconds", perf.node_seconds},
          {"wait_fraction", perf.wait_fraction}};
}

}  // namespace caravan::app
