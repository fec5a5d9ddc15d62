// SPDX-License-Identifier: Apache-2.0
// caravan check: is this configuration valid? Nothing is run.
#include <memory>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "sim/app/configured.hpp"
#include "sim/app/verbs.hpp"

namespace caravan::app {

void add_check(CLI::App& app, int&) {
  auto* verb = app.add_subcommand("check", "Validate a configuration; run nothing");
  auto arguments = std::make_shared<ConfigArguments>();
  arguments->add_to(*verb);
  verb->callback([arguments] {
    const auto configured = configure(*arguments);
    for (const auto& note : configured.scenario.ycsb.workload.notes) fmt::print("note: {}\n", note);
    fmt::print("{}: good: {}\n", arguments->file, summary(configured.scenario));
  });
}

}  // namespace caravan::app
