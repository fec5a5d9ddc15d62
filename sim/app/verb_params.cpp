// SPDX-License-Identifier: Apache-2.0
// caravan params: every configuration key; caravan stats: every counter.
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "models/base/stats.hpp"
#include "models/timing/calibration.hpp"
#include "sim/app/verbs.hpp"
#include "sim/cluster/scenario.hpp"
#include "sim/cluster/scenario_config.hpp"

namespace caravan::app {
namespace {

void print_param(const base::ParamInfo& info, bool markdown) {
  if (markdown) {
    fmt::print("| `{}` | {} | `{}` | {} | {} |\n", info.key, info.type, info.default_text, info.allowed, info.sentence);
    return;
  }
  fmt::print("{} = {}\n    {}\n    {}{}{}\n", info.key, info.default_text, info.sentence, info.type,
             info.allowed.empty() ? "" : "; allowed: ", info.allowed);
}

void print_params(const std::string& prefix, bool markdown) {
  const auto config = base::Config::empty();
  base::Params params(config);
  const auto scenario = sim::read_scenario(params);
  if (markdown) fmt::print("| key | type | default | allowed | meaning |\n|---|---|---|---|---|\n");
  for (const auto& info : params.declared()) {
    if (!info.key.starts_with(prefix)) continue;
    print_param(info, markdown);
    if (markdown || !info.key.starts_with("timing.")) continue;
    for (const auto& row : timing::calibration_rows(scenario.calibration)) {
      if ("timing." + row.name == info.key)
        fmt::print("    source: {}\n    uncertainty: {}\n", row.source, row.uncertainty);
    }
  }
}

void print_stats(const std::string& word) {
  for (const auto& group : sim::Scenario::stat_groups()) {
    for (const auto& stat : group.stats) {
      const std::string path = fmt::format("{}.{}", group.path, stat.name);
      if (path.find(word) != std::string::npos)
        fmt::print("{} [{}]\n    {}\n", path, base::unit_name(stat.unit), stat.sentence);
    }
  }
}

}  // namespace

void add_params(CLI::App& app, int&) {
  auto* verb = app.add_subcommand("params", "List every configuration key with default, range and meaning");
  auto prefix = std::make_shared<std::string>();
  auto markdown = std::make_shared<bool>(false);
  verb->add_option("prefix", *prefix, "Only keys that begin so, such as timing");
  verb->add_flag("--markdown", *markdown, "As a Markdown table");
  verb->callback([prefix, markdown] { print_params(*prefix, *markdown); });
}

void add_stats(CLI::App& app, int&) {
  auto* verb = app.add_subcommand("stats", "List every counter with unit and meaning");
  auto word = std::make_shared<std::string>();
  verb->add_option("word", *word, "Only counters whose path contains this");
  verb->callback([word] { print_stats(*word); });
}

}  // namespace caravan::app
