// SPDX-License-Identifier: Apache-2.0
// caravan bench incast: eight senders to one receiver under each control, rates over time and a comparison.
#include <array>
#include <chrono>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"
#include "sim/app/benches.hpp"
#include "sim/app/configured.hpp"
#include "sim/app/interrupt.hpp"
#include "sim/app/output_folder.hpp"
#include "sim/app/progress.hpp"
#include "sim/app/report.hpp"
#include "sim/app/text_table.hpp"
#include "sim/app/verbs.hpp"

namespace caravan::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::array kControls = {"none", "dcqcn", "timely", "pfc"};

struct IncastArguments {
  std::string folder = "sim/configs";
  std::vector<std::string> sets;
  std::string out = "out/bench_incast";
  std::string json;
  bool force = false;
  bool quiet = false;
};

struct IncastRow {
  std::string control;
  Configured configured;
  sim::ScenarioResult result;

  /// Counters of that name, over all nodes and ports.
  std::uint64_t sum(std::string_view name) const {
    std::uint64_t total = 0;
    for (const auto& s : result.stats) {
      if (s.path.ends_with("." + std::string(name))) total += s.value;
    }
    return total;
  }
};

IncastRow run_one(const IncastArguments& a, const std::string& control) {
  IncastRow row;
  row.control = control;
  ConfigArguments config;
  config.file = (fs::path(a.folder) / ("incast8_" + control + ".toml")).string();
  config.sets = a.sets;
  row.configured = configure(config);
  if (row.configured.scenario.kind != sim::WorkloadKind::kIncast)
    throw base::UserError(config.file + ": workload.kind is not \"incast\"");
  fmt::print("{}: {}\n\n", control, summary(row.configured.scenario));
  std::fflush(stdout);
  const fs::path folder = fs::path(a.out) / control;
  write_resolved(row.configured, folder);
  sim::Scenario scenario(row.configured.scenario);
  {
    Progress progress(a.quiet);
    row.result = scenario.run([&](const sim::ScenarioProgress& now) {
      progress.update(now);
      return !InterruptGuard::interrupted();
    });
  }
  write_file(folder / "results.json", results_json(row.configured, row.result).dump(2) + "\n");
  write_file(folder / "incast.csv", row.result.incast.to_csv());
  fmt::print("{}\n", incast_table(row.result.incast));
  return row;
}

/// What the halves of a run say: the flows must have converged by its middle.
Json row_json(const IncastRow& row) {
  const auto& t = row.result.incast;
  const std::size_t half = t.intervals() / 2, end = t.intervals();
  return {{"control", row.control},
          {"duration_ps", row.configured.scenario.incast.duration.in_ps()},
          {"gbps", t.mean_gbps(half, end)},
          {"fairness", t.fairness(half, end)},
          {"longest_queue_bytes", t.longest_queue(half, end)},
          {"drops", t.drops(half, end)},
          {"first_half_drops", t.drops(0, half)},
          {"retransmitted", row.sum("roce_tx.retrans")},
          {"pauses", row.sum("pause_sent")},
          {"passed", row.result.passed()},
          {"fingerprint", fingerprint_text(row.result.fingerprint)}};
}

std::string comparison(const std::vector<Json>& rows) {
  std::vector<Cells> cells = {{"control", "duration us", "Gb/s", "fairness", "longest queue kB", "dropped",
                               "dropped in the first half", "retransmitted", "pauses"}};
  for (const auto& r : rows) {
    cells.push_back({r["control"].get<std::string>(), fmt::format("{:.0f}", r["duration_ps"].get<double>() / 1e6),
                     fmt::format("{:.2f}", r["gbps"].get<double>()), fmt::format("{:.4f}", r["fairness"].get<double>()),
                     fmt::format("{:.1f}", r["longest_queue_bytes"].get<double>() / 1e3), r["drops"].dump(),
                     r["first_half_drops"].dump(), r["retransmitted"].dump(), r["pauses"].dump()});
  }
  return aligned(cells, "<") +
         "Gb/s on the wire, fairness (Jain), queue and drops at the receiver: of the second half, after convergence; "
         "the last two columns: of the whole run\n";
}

int bench_incast(const IncastArguments& a) {
  const InterruptGuard guard;
  for (const std::string control : kControls) prepare_output(fs::path(a.out) / control, a.force);
  if (!a.json.empty()) write_file(a.json, "");  // what can't be written shows before the measuring
  const auto start = std::chrono::steady_clock::now();
  std::vector<Json> rows;
  bool good = true;
  for (const std::string control : kControls) {
    const IncastRow row = run_one(a, control);
    rows.push_back(row_json(row));
    for (const auto& check : row.result.checks) {
      if (!check.passed) fmt::print("FAILED  {}: {}: {}\n", control, check.name, check.detail);
    }
    good = good && row.result.passed();
    if (InterruptGuard::interrupted()) break;
  }
  const bool partial = InterruptGuard::interrupted();
  if (!a.json.empty()) {
    const Json out = {{"schema", "caravan-bench-incast-1"}, {"partial", partial}, {"runs", rows}};
    write_file(a.json, out.dump(2) + "\n");
  }
  if (partial) fmt::print("PARTIAL RESULTS: interrupted\n");
  fmt::print("{}", comparison(rows));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("rates over time: {}/*/incast.csv; took {:.0f} s\n", a.out, seconds);
  return good ? kGood : kCheckFailed;
}

}  // namespace

void add_bench_incast(CLI::App& bench, int& status) {
  auto* verb = bench.add_subcommand("incast", "Eight senders to one receiver under each congestion control, compared");
  auto a = std::make_shared<IncastArguments>();
  verb->add_option("--folder", a->folder, "Folder of the configurations incast8_*.toml")->capture_default_str();
  verb->add_option("--set", a->sets, "Replace one value in all of them: --set workload.incast.duration=1ms")
      ->allow_extra_args(false);
  verb->add_option("-o,--out", a->out, "Folder for the results, one folder a run")->capture_default_str();
  verb->add_option("--json", a->json, "Write the comparison to this file too");
  verb->add_flag("--force", a->force, "Replace results that are there already");
  verb->add_flag("-q,--quiet", a->quiet, "No progress");
  verb->callback([a, &status] { status = bench_incast(*a); });
}

}  // namespace caravan::app
