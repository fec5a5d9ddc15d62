// SPDX-License-Identifier: Apache-2.0
// What `caravan bench` measures: each adds its subcommand; its callback sets `status` to what the process returns.
#pragma once

#include <CLI/CLI.hpp>

namespace caravan::app {

void add_bench_verbs(CLI::App& bench, int& status);
void add_bench_incast(CLI::App& bench, int& status);

}  // namespace caravan::app
