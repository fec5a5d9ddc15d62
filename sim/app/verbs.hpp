// SPDX-License-Identifier: Apache-2.0
// The verbs of the program: each adds its subcommand; its callback sets `status` to what the process returns.
#pragma once

#include <CLI/CLI.hpp>

namespace caravan::app {

inline constexpr int kGood = 0;
inline constexpr int kCheckFailed = 1;
inline constexpr int kUserError = 2;

void add_run(CLI::App& app, int& status);
void add_check(CLI::App& app, int& status);
void add_golden(CLI::App& app, int& status);
void add_trace(CLI::App& app, int& status);
void add_params(CLI::App& app, int& status);
void add_stats(CLI::App& app, int& status);
void add_bridge(CLI::App& app, int& status);
void add_bench(CLI::App& app, int& status);

}  // namespace caravan::app
