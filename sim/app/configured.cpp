// SPDX-License-Identifier: Apache-2.0
#include "sim/app/configured.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "sim/app/output_folder.hpp"

namespace caravan::app {

void ConfigArguments::add_to(CLI::App& verb) {
  verb.add_option("config", file, "Configuration (TOML); `caravan params` lists every key")->required();
  verb.add_option("--set", sets, "Replace one value: --set cluster.nodes=8 (may be repeated)")->allow_extra_args(false);
  verb.add_option("-p", properties, "Replace one YCSB property: -p operationcount=100000 (may be repeated)")
      ->allow_extra_args(false);
}

Configured configure(const ConfigArguments& arguments, unsigned more_ports) {
  auto config = base::Config::from_file(arguments.file);
  for (const auto& assignment : arguments.sets) config.set(assignment);
  base::Params params(config);
  Configured configured;
  configured.name = std::filesystem::path(arguments.file).stem().string();
  configured.scenario = sim::read_scenario(params, arguments.properties, more_ports);
  configured.resolved = params.resolved();
  return configured;
}

void write_resolved(const Configured& configured, const std::filesystem::path& folder) {
  auto values = configured.resolved;
  const bool ycsb = configured.scenario.kind == sim::WorkloadKind::kYcsb;
  for (auto& value : values) {
    if (ycsb && value.key == "workload.ycsb.file") value.text = base::quote("workload.properties");
    if (value.key == "workload.ycsb.set") value.text = "[]";
  }
  write_file(folder / "resolved.toml", base::to_toml(values));
  if (ycsb) write_file(folder / "workload.properties", configured.scenario.ycsb.properties.to_text());
}

std::string summary(const sim::ScenarioConfig& c) {
  std::string network = c.direct              ? "one cable"
                        : c.store_and_forward ? "store-and-forward switch"
                                              : "cut-through switch";
  if (!c.faults.empty())
    network += fmt::format(" with {} fault rule{}", c.faults.size(), c.faults.size() == 1 ? "" : "s");
  std::string workload = "no workload";
  if (c.kind == sim::WorkloadKind::kYcsb) {
    workload = fmt::format("YCSB {}: {} records, {} operations", std::filesystem::path(c.ycsb.file).stem().string(),
                           c.ycsb.workload.record_count, c.ycsb.workload.operation_count);
  } else if (c.kind == sim::WorkloadKind::kVerb) {
    workload = fmt::format("{} from node 0 to node 1: {} size{}, {} messages each, {} outstanding, {} queue pair{}",
                           workloads::verb_name(c.verb.op), c.verb.sizes.size(), c.verb.sizes.size() == 1 ? "" : "s",
                           c.verb.repetitions, c.verb.outstanding, c.verb.qps, c.verb.qps == 1 ? "" : "s");
  } else if (c.kind == sim::WorkloadKind::kHost) {
    workload =
        fmt::format("host verbs from node 0 to node 1: {} size{}, {} of each, then {} at a time on {} queue pair{}",
                    c.host.sizes.size(), c.host.sizes.size() == 1 ? "" : "s", c.host.repetitions, c.host.batch,
                    c.host.qps, c.host.qps == 1 ? "" : "s");
  } else if (c.kind == sim::WorkloadKind::kIncast) {
    constexpr const char* kControl[] = {"no congestion control", "DCQCN", "TIMELY"};
    workload = fmt::format("RDMA WRITE of {} from {} nodes to node 0 for {}, {}{}", base::to_text(c.incast.size),
                           c.nodes - 1, base::to_text(c.incast.duration),
                           kControl[static_cast<int>(c.congestion.control)], c.pfc.enabled ? ", lossless by PFC" : "");
  }
  return fmt::format("{} nodes at {}, {} at {}; {}", c.nodes, base::to_text(c.calibration.clock), network,
                     base::to_text(c.calibration.line_rate), workload);
}

}  // namespace caravan::app
