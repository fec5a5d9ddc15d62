// SPDX-License-Identifier: Apache-2.0
// caravan bench verbs: goodput, windows, rates and latency of the NIC's verbs beside what others have published.
#include <chrono>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/timing/published.hpp"
#include "sim/app/benches.hpp"
#include "sim/app/interrupt.hpp"
#include "sim/app/output_folder.hpp"
#include "sim/app/report.hpp"
#include "sim/app/text_table.hpp"
#include "sim/app/verbs.hpp"
#include "sim/cluster/bench_verbs.hpp"

namespace caravan::app {
namespace {

using Json = nlohmann::ordered_json;
using timing::PublishedFor;

struct VerbsArguments {
  sim::VerbBenchOptions options;
  std::string json;
  bool quiet = false;
};

/// "98.2 Gb/s [1], 99.1 Gb/s [2]", or "not published".
std::string published_cell(const std::string& key, PublishedFor column) {
  std::string cell;
  std::size_t number = 0;
  for (const auto& figure : timing::published_figures()) {
    ++number;
    if (figure.column != column || !figure.stands_beside(key)) continue;
    cell += fmt::format("{}{} [{}]", cell.empty() ? "" : ", ", figure.value, number);
  }
  return cell.empty() ? "not published" : cell;
}

void add_published(Cells& cells, const std::string& key) {
  cells.push_back(published_cell(key, PublishedFor::kBalboa));
  cells.push_back(published_cell(key, PublishedFor::kConnectX));
}

std::string ns(base::Time time) { return fmt::format("{:.0f}", time.in_ns()); }

std::string goodput_table(const sim::VerbBench& bench) {
  std::vector<Cells> rows = {
      {"verb", "QPs", "message", "messages", "Gb/s", "ceiling", "of ceiling", "BALBOA", "ConnectX"}};
  for (const auto& r : bench.goodput) {
    Cells cells = {std::string(r.verb),
                   std::to_string(r.qps),
                   base::to_text(r.size),
                   std::to_string(r.messages),
                   fmt::format("{:.2f}", r.bps / 1e9),
                   fmt::format("{:.2f}", r.ceiling_bps / 1e9),
                   fmt::format("{:.2f} %", 100 * r.bps / r.ceiling_bps)};
    add_published(cells, r.key());
    rows.push_back(std::move(cells));
  }
  return "goodput: payload from the first request to the last completion; on-chip front end, HBM to HBM, MTU 4096, one "
         "100 Gb/s cable\n" +
         aligned(rows, "<>>>>>><<");
}

std::string window_table(const sim::VerbBench& bench) {
  std::vector<Cells> rows = {{"cable us", "round trip us", "Gb/s", "ceiling", "of ceiling"}};
  for (const auto& r : bench.windows) {
    rows.push_back({fmt::format("{:.0f}", r.wire.in_us()), fmt::format("{:.2f}", r.round_trip.in_us()),
                    fmt::format("{:.2f}", r.bps / 1e9), fmt::format("{:.2f}", r.ceiling_bps / 1e9),
                    fmt::format("{:.2f} %", 100 * r.bps / r.ceiling_bps)});
  }
  const auto first = bench.windows.empty() ? sim::WindowRow{} : bench.windows.front();
  return fmt::format(
             "one queue pair behind a long cable, {} WRITEs: ceiling = window of {} packets / round trip of one "
             "packet\n",
             base::to_text(first.size), first.window) +
         aligned(rows, ">>>>>");
}

std::string rate_table(const sim::VerbBench& bench) {
  std::vector<Cells> rows = {
      {"verb", "front end", "topology", "size", "QPs", "in flight", "M/s", "wire's ceiling", "BALBOA", "ConnectX"}};
  for (const auto& r : bench.rates) {
    Cells cells = {std::string(r.verb),
                   std::string(sim::front_end_name(r.front_end)),
                   std::string(sim::joined_name(r.joined)),
                   base::to_text(r.size),
                   std::to_string(r.qps),
                   std::to_string(r.outstanding),
                   fmt::format("{:.2f}", r.per_second / 1e6),
                   r.ceiling_per_second > 0 ? fmt::format("{:.2f}", r.ceiling_per_second / 1e6) : "-"};
    add_published(cells, r.key());
    rows.push_back(std::move(cells));
  }
  return "rates: million messages (one packet each) a second\n" + aligned(rows, "<<<>>>>><<");
}

std::string latency_table(const sim::VerbBench& bench) {
  std::vector<Cells> rows = {
      {"verb", "front end", "topology", "size", "samples", "min ns", "median", "99th", "BALBOA", "ConnectX"}};
  for (const auto& r : bench.latencies) {
    Cells cells = {std::string(r.verb),
                   std::string(sim::front_end_name(r.front_end)),
                   std::string(sim::joined_name(r.joined)),
                   base::to_text(r.size),
                   std::to_string(r.count),
                   ns(r.min),
                   ns(r.median),
                   ns(r.p99)};
    add_published(cells, r.key());
    rows.push_back(std::move(cells));
  }
  return "latency: one message at a time, from the request to its completion (acknowledged, data in place)\n" +
         aligned(rows, "<<<>>>>><<");
}

std::string published_list() {
  std::string out =
      "published; not published: by none of these sources. None of them states everything that a comparison needs\n";
  std::size_t number = 0;
  bool beside = true;
  for (const auto& f : timing::published_figures()) {
    if (beside && f.beside[0].empty()) {
      beside = false;
      out += "published, like none of the rows above:\n";
    }
    out += fmt::format("[{}] {}: {}, {}: {}. {}{}{}\n", ++number, f.device, f.value, timing::evidence_name(f.evidence),
                       f.conditions, f.source, f.caveat.empty() ? "" : ". ", f.caveat);
  }
  return out;
}

Json published_json(const std::string& key) {
  Json out = Json::array();
  for (const auto& f : timing::published_figures()) {
    if (!f.stands_beside(key)) continue;
    out.push_back({{"device", f.device},
                   {"value", f.value},
                   {"evidence", timing::evidence_name(f.evidence)},
                   {"conditions", f.conditions},
                   {"source", f.source},
                   {"caveat", f.caveat}});
  }
  return out;
}

Json bench_json(const sim::VerbBench& bench) {
  Json goodput = Json::array(), windows = Json::array(), rates = Json::array(), latencies = Json::array();
  for (const auto& r : bench.goodput) {
    goodput.push_back({{"verb", r.verb},
                       {"front_end", "on-chip"},
                       {"topology", "cable"},
                       {"qps", r.qps},
                       {"outstanding", r.outstanding},
                       {"size_bytes", r.size.count()},
                       {"mtu_bytes", 4096},
                       {"messages", r.messages},
                       {"goodput_bps", r.bps},
                       {"ceiling_bps", r.ceiling_bps},
                       {"share_of_ceiling", r.bps / r.ceiling_bps},
                       {"published", published_json(r.key())},
                       {"fingerprint", fingerprint_text(r.fingerprint)}});
  }
  for (const auto& r : bench.windows) {
    windows.push_back({{"window_packets", r.window},
                       {"size_bytes", r.size.count()},
                       {"wire_ns", r.wire.in_ns()},
                       {"round_trip_ns", r.round_trip.in_ns()},
                       {"messages", r.messages},
                       {"goodput_bps", r.bps},
                       {"ceiling_bps", r.ceiling_bps},
                       {"share_of_ceiling", r.bps / r.ceiling_bps},
                       {"fingerprint", fingerprint_text(r.fingerprint)}});
  }
  for (const auto& r : bench.rates) {
    Json row = {{"verb", r.verb},
                {"front_end", sim::front_end_name(r.front_end)},
                {"topology", sim::joined_name(r.joined)},
                {"size_bytes", r.size.count()},
                {"qps", r.qps},
                {"outstanding", r.outstanding},
                {"messages", r.messages},
                {"messages_per_second", r.per_second}};
    if (r.ceiling_per_second > 0) row["ceiling_per_second"] = r.ceiling_per_second;
    row["published"] = published_json(r.key());
    row["fingerprint"] = fingerprint_text(r.fingerprint);
    rates.push_back(std::move(row));
  }
  for (const auto& r : bench.latencies) {
    latencies.push_back({{"verb", r.verb},
                         {"front_end", sim::front_end_name(r.front_end)},
                         {"topology", sim::joined_name(r.joined)},
                         {"size_bytes", r.size.count()},
                         {"samples", r.count},
                         {"unit", "ns"},
                         {"min", r.min.in_ns()},
                         {"median", r.median.in_ns()},
                         {"p99", r.p99.in_ns()},
                         {"published", published_json(r.key())},
                         {"fingerprint", fingerprint_text(r.fingerprint)}});
  }
  return {{"schema", "caravan-bench-verbs-1"},
          {"partial", bench.interrupted},
          {"failures", bench.failures},
          {"goodput", goodput},
          {"window", windows},
          {"rates", rates},
          {"latency", latencies}};
}

int bench_verbs(const VerbsArguments& a) {
  const InterruptGuard guard;
  if (!a.json.empty()) write_file(a.json, "");  // what can't be written shows before the measuring
  const auto start = std::chrono::steady_clock::now();
  const auto begins = [&](const std::string& what) {
    if (!a.quiet) fmt::print(stderr, "{}\n", what);
  };
  const auto bench = sim::bench_verbs(a.options, begins, [] { return !InterruptGuard::interrupted(); });
  if (!a.json.empty()) write_file(a.json, bench_json(bench).dump(2) + "\n");
  for (const auto& table : {goodput_table(bench), window_table(bench), rate_table(bench), latency_table(bench)})
    fmt::print("{}\n", table);
  fmt::print("{}\n", published_list());
  if (bench.interrupted) fmt::print("PARTIAL RESULTS: interrupted\n");
  for (const auto& failure : bench.failures) fmt::print("FAILED  {}\n", failure);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("simulated time of RTL nodes at 250 MHz, default calibration; took {:.0f} s\n", seconds);
  return bench.interrupted || !bench.failures.empty() ? kCheckFailed : kGood;
}

}  // namespace

void add_bench_verbs(CLI::App& bench, int& status) {
  auto* verb = bench.add_subcommand(
      "verbs", "Goodput, rates and latency of the NIC's verbs from both front ends, beside published figures");
  auto a = std::make_shared<VerbsArguments>();
  verb->add_option("--json", a->json, "Write everything to this file too");
  verb->add_option("--qps", a->options.qps, "Queue pairs of the second goodput figure")
      ->check(CLI::Range(2u, 500u))
      ->capture_default_str();
  verb->add_option("--messages", a->options.messages, "Messages of each goodput figure")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
  verb->add_flag("-q,--quiet", a->quiet, "Don't say what is being measured");
  verb->callback([a, &status] { status = bench_verbs(*a); });
}

}  // namespace caravan::app
