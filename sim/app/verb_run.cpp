// SPDX-License-Identifier: Apache-2.0
// caravan run: one configuration from start to results.
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"
#include "models/base/trace.hpp"
#include "models/packet/pcap.hpp"
#include "sim/app/configured.hpp"
#include "sim/app/interrupt.hpp"
#include "sim/app/output_folder.hpp"
#include "sim/app/progress.hpp"
#include "sim/app/report.hpp"
#include "sim/app/verbs.hpp"
#include "sim/cluster/scenario.hpp"

namespace caravan::app {
namespace {

struct RunArguments {
  ConfigArguments config;
  std::string out;
  bool force = false;
  bool quiet = false;
};

/// trace.txt, open for the time of the run.
class TraceFileSink {
 public:
  explicit TraceFileSink(const std::filesystem::path& path)
      : path_(path), out_(path, std::ios::binary), writer_(out_) {}
  base::TraceListener& listener() { return writer_; }
  void close() {
    out_.close();
    if (!out_) throw base::UserError(path_.string() + ": can't be written");
  }

 private:
  std::filesystem::path path_;
  std::ofstream out_;
  base::TraceWriter writer_;
};

std::unique_ptr<packet::PcapngWriter> open_capture(const std::filesystem::path& path, unsigned nodes) {
  std::vector<std::string> interfaces;
  for (unsigned node = 0; node < nodes; ++node) interfaces.push_back(fmt::format("node{}", node));
  return std::make_unique<packet::PcapngWriter>(path.string(), interfaces);
}

int run(RunArguments& a) {
  if (!a.out.empty()) a.config.sets.push_back("run.output=" + base::quote(a.out));
  const auto configured = configure(a.config);
  const auto& c = configured.scenario;
  const std::filesystem::path folder = c.output;
  fmt::print("{}\n", summary(c));
  for (const auto& note : c.ycsb.workload.notes) fmt::print("note: {}\n", note);
  std::fflush(stdout);

  // The scenario first: a workload that does not fit must not cost the old results.
  sim::Scenario scenario(c);
  prepare_output(folder, a.force);
  write_resolved(configured, folder);
  std::unique_ptr<TraceFileSink> trace;
  if (c.trace) {
    trace = std::make_unique<TraceFileSink>(folder / "trace.txt");
    scenario.listen(trace->listener());
  }
  std::unique_ptr<packet::PcapngWriter> capture;
  if (c.frames) {
    capture = open_capture(folder / "frames.pcapng", c.nodes);
    scenario.capture([&](unsigned node, bool outbound, const base::Frame& frame) {
      capture->write(node, frame.time, *frame.bytes,
                     outbound ? packet::Direction::kOutbound : packet::Direction::kInbound);
    });
  }

  const InterruptGuard guard;
  sim::ScenarioResult result;
  {
    Progress progress(a.quiet);
    result = scenario.run([&](const sim::ScenarioProgress& now) {
      progress.update(now);
      return !InterruptGuard::interrupted();
    });
  }
  if (trace) trace->close();
  if (capture) capture->close();
  write_file(folder / "results.json", results_json(configured, result).dump(2) + "\n");
  if (!result.incast.empty()) write_file(folder / "incast.csv", result.incast.to_csv());
  write_file(folder / "perf.json", perf_json(configured, scenario.perf()).dump(2) + "\n");
  fmt::print("\n{}", result_table(configured, result, scenario.perf()));
  return result.passed() ? kGood : kCheckFailed;
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  auto* verb = app.add_subcommand("run", "Run a configuration and write its results");
  auto arguments = std::make_shared<RunArguments>();
  arguments->config.add_to(*verb);
  verb->add_option("-o,--out", arguments->out, "Folder for the results (run.output)");
  verb->add_flag("--force", arguments->force, "Replace results that are there already");
  verb->add_flag("-q,--quiet", arguments->quiet, "No progress");
  verb->callback([arguments, &status] { status = run(*arguments); });
}

}  // namespace caravan::app
