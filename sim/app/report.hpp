// SPDX-License-Identifier: Apache-2.0
// What a run says at its end: a table for people, results.json (deterministic) and perf.json (not) for programs.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "sim/app/configured.hpp"
#include "sim/cluster/scenario.hpp"

namespace caravan::app {

/// Result table, checks, speed line; the fingerprint is the last line.
std::string result_table(const Configured& configured, const sim::ScenarioResult& result,
                         const sim::ScenarioPerf& perf);

/// Rates and queue over time, some twenty rows of them, and what the second half says.
std::string incast_table(const workloads::IncastTable& table);

/// Schema caravan-results-1. The same for any number of threads, skip mode and tracing.
nlohmann::ordered_json results_json(const Configured& configured, const sim::ScenarioResult& result);
/// Schema caravan-perf-1.
nlohmann::ordered_json perf_json(const Configured& configured, const sim::ScenarioPerf& perf);

/// "0123456789abcdef"
std::string fingerprint_text(std::uint64_t fingerprint);

}  // namespace caravan::app
