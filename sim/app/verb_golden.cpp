// SPDX-License-Identifier: Apache-2.0
// caravan golden check | update | list: has anything moved since the last accepted trace?
#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "models/base/errors.hpp"
#include "models/base/text.hpp"
#include "models/base/trace.hpp"
#include "sim/app/configured.hpp"
#include "sim/app/divergence.hpp"
#include "sim/app/output_folder.hpp"
#include "sim/app/report.hpp"
#include "sim/app/verbs.hpp"
#include "sim/cluster/scenario.hpp"

namespace caravan::app {
namespace {

namespace fs = std::filesystem;

struct GoldenArguments {
  std::vector<std::string> names;
  std::string folder = "testbenches/golden";
  bool functional = false;
};

/// One folder: config.toml is written by people, trace.txt and fingerprint.txt by `golden update` only.
struct Golden {
  std::string name;
  fs::path folder;
  fs::path config() const { return folder / "config.toml"; }
  fs::path trace() const { return folder / "trace.txt"; }
  fs::path fingerprint() const { return folder / "fingerprint.txt"; }
};

std::vector<Golden> find_goldens(const GoldenArguments& a) {
  if (!fs::is_directory(a.folder))
    throw base::UserError(a.folder + ": no such folder of golden traces; --folder names another");
  std::vector<Golden> all;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(a.folder)) {
    if (fs::exists(entry.path() / "config.toml")) all.push_back({entry.path().filename().string(), entry.path()});
  }
  std::sort(all.begin(), all.end(), [](const Golden& x, const Golden& y) { return x.name < y.name; });
  if (a.names.empty()) return all;
  names.reserve(all.size());
  for (const auto& golden : all) names.push_back(golden.name);
  std::vector<Golden> chosen;
  for (const auto& name : a.names) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      const auto near = base::nearest(name, names);
      throw base::UserError(fmt::format("{}: no golden trace '{}'{}; there are: {}", a.folder, name,
                                        near ? "; did you mean '" + *near + "'?" : "", base::join(names, ", ")));
    }
    chosen.push_back(all[static_cast<std::size_t>(at - names.begin())]);
  }
  return chosen;
}

Configured configure_golden(const Golden& golden) {
  ConfigArguments arguments;
  arguments.file = golden.config().string();
  return configure(arguments);
}

std::string stored_fingerprint(const Golden& golden) {
  std::ifstream in(golden.fingerprint());
  std::string text;
  if (!std::getline(in, text))
    throw base::UserError(golden.fingerprint().string() + ": can't be read; `caravan golden update` writes it");
  return std::string(base::trim(text));
}

void update(const Golden& golden) {
  const auto configured = configure_golden(golden);
  sim::Scenario scenario(configured.scenario);
  std::ostringstream text;
  base::TraceWriter writer(text);
  base::TraceHash hash;
  scenario.listen(writer);
  scenario.listen(hash);
  const auto result = scenario.run([](const auto&) { return true; });
  if (!result.passed()) {
    throw base::UserError(
        fmt::format("{}: the run's own checks fail; only a good run can become golden", golden.config().string()));
  }
  const auto fingerprint = fingerprint_text(result.fingerprint);
  const bool same = fs::exists(golden.fingerprint()) && stored_fingerprint(golden) == fingerprint;
  write_file(golden.trace(), text.str());
  write_file(golden.fingerprint(), fingerprint + "\n");
  fmt::print("{}: fingerprint {}{}\n", golden.name, fingerprint, same ? " (as before)" : " (new)");
}

/// Prints what moved; true when nothing did.
bool check(const Golden& golden, const GoldenArguments& a) {
  const auto configured = configure_golden(golden);
  const auto expected_fingerprint = stored_fingerprint(golden);
  std::ifstream in(golden.trace());
  if (!in) throw base::UserError(golden.trace().string() + ": can't be read; `caravan golden update` writes it");
  base::TraceReader reader(in, golden.trace().string());
  base::TraceCompare compare([&] { return reader.next(); },
                             a.functional ? base::Strictness::kFunctional : base::Strictness::kCycleExact);
  sim::Scenario scenario(configured.scenario);
  scenario.listen(compare);
  const auto result = scenario.run([&](const auto&) { return !compare.divergence(); });

  const auto actual_fingerprint = fingerprint_text(result.fingerprint);
  const auto clock = configured.scenario.calibration.clock;
  std::string problem;
  if (compare.divergence()) {
    problem = divergence_text(*compare.divergence(), clock.period(), "expected", "actual");
  } else if (!result.passed()) {
    for (const auto& c : result.checks) {
      if (!c.passed) problem += fmt::format("the run fails its own check: {}: {}\n", c.name, c.detail);
    }
  } else if (!a.functional && actual_fingerprint != expected_fingerprint) {
    problem = fmt::format("all {} records are equal, but the end state is not: fingerprint {} -> {}\n",
                          compare.compared(), expected_fingerprint, actual_fingerprint);
  }
  if (problem.empty()) {
    fmt::print("{}: same, {} records{}\n", golden.name, compare.compared(), a.functional ? " (functional)" : "");
    return true;
  }
  fmt::print("{}: MOVED after {} equal records{}\n{}", golden.name, compare.compared(),
             a.functional ? " (functional)" : "", problem);
  fmt::print("  reproduce: caravan golden check {}{}{}\n", golden.name, a.functional ? " --functional" : "",
             a.folder == GoldenArguments().folder ? "" : " --folder " + a.folder);
  fmt::print(
      "  look closer: caravan run {} --out out/golden-{} --force; caravan trace diff{} --clock {} {} "
      "out/golden-{}/trace.txt\n",
      golden.config().string(), golden.name, a.functional ? " --functional" : "", base::to_text(clock),
      golden.trace().string(), golden.name);
  return false;
}

}  // namespace

void add_golden(CLI::App& app, int& status) {
  auto* verb = app.add_subcommand("golden", "Compare with, or replace, the stored traces");
  verb->require_subcommand(1);
  auto a = std::make_shared<GoldenArguments>();
  const auto common = [a](CLI::App* v, bool with_names) {
    if (with_names) v->add_option("names", a->names, "Golden traces; none: all");
    v->add_option("--folder", a->folder, "Folder of the golden traces")->capture_default_str();
  };

  auto* check_verb =
      verb->add_subcommand("check", "Report the first divergence of each; exit status 1 when there is one");
  common(check_verb, true);
  check_verb->add_flag("--functional", a->functional, "Order per node and port only; times are ignored");
  check_verb->callback([a, &status] {
    bool good = true;
    for (const auto& golden : find_goldens(*a)) good = check(golden, *a) && good;
    status = good ? kGood : kCheckFailed;
  });

  auto* update_verb = verb->add_subcommand("update", "Accept the present behaviour");
  common(update_verb, true);
  update_verb->callback([a] {
    for (const auto& golden : find_goldens(*a)) update(golden);
  });

  auto* list_verb = verb->add_subcommand("list", "List the golden traces");
  common(list_verb, false);
  list_verb->callback([a] {
    for (const auto& golden : find_goldens(*a)) {
      fmt::print("{}: {}\n", golden.name, summary(configure_golden(golden).scenario));
    }
  });
}

}  // namespace caravan::app
