// SPDX-License-Identifier: Apache-2.0
// A configuration file with what the command line adds to it.
#pragma once

#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "models/base/config.hpp"
#include "sim/cluster/scenario_config.hpp"

namespace caravan::app {

/// The arguments that every verb with a configuration takes.
struct ConfigArguments {
  std::string file;
  std::vector<std::string> sets;        ///< --set a.b=c
  std::vector<std::string> properties;  ///< -p name=value
  void add_to(CLI::App& verb);
};

/// A configuration, read and valid.
struct Configured {
  std::string name;  ///< file name without folder and extension
  sim::ScenarioConfig scenario;
  std::vector<base::ResolvedValue> resolved;
};

/// Throws base::UserError. `more_ports`: see sim::read_scenario.
Configured configure(const ConfigArguments& arguments, unsigned more_ports = 0);

/// Writes resolved.toml and, for YCSB, the properties it refers to: together they repeat the run.
void write_resolved(const Configured& configured, const std::filesystem::path& folder);

/// One line for people: nodes, network, workload.
std::string summary(const sim::ScenarioConfig& scenario);

}  // namespace caravan::app
