// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "sim/app/report.hpp"
#include "sim/app/text_table.hpp"

namespace caravan::app {
namespace {

using base::Samples;

/// Cycles as nanoseconds.
std::string ns(double cycles, base::Time period) { return fmt::format("{:.0f}", cycles * period.in_ns()); }

void add_latency(Cells& cells, const Samples& s, base::Time period) {
  cells.push_back(ns(s.mean(), period));
  for (const double p : {50.0, 99.0, 100.0}) cells.push_back(ns(static_cast<double>(s.percentile(p)), period));
}

double per_second(std::uint64_t operations, base::Time busy) {
  return busy.in_ps() <= 0 ? 0 : static_cast<double>(operations) / busy.in_s();
}

std::string replica_table(const sim::ScenarioResult& result, base::Time period) {
  std::vector<Cells> rows = {
      {"replica", "operations", "k op/s", "mean ns", "p50", "p99", "max", "retransmitted", "dropped"}};
  double rate = 0;
  std::uint64_t operations = 0;
  std::uint64_t retransmitted = 0;
  std::uint64_t dropped = 0;  // in the node and at its switch port
  Samples everything;
  std::array<Samples, workloads::kOpKinds> kinds;
  for (std::size_t i = 0; i < result.replicas.size(); ++i) {
    const auto& r = result.replicas[i];
    Samples all;
    for (std::size_t k = 0; k < workloads::kOpKinds; ++k) {
      all.add(r.latency[k]);
      kinds[k].add(r.latency[k]);
    }
    everything.add(all);
    rate += per_second(r.operations, r.busy);
    operations += r.operations;
    Cells cells = {std::to_string(i), std::to_string(r.operations),
                   fmt::format("{:.1f}", per_second(r.operations, r.busy) / 1e3)};
    add_latency(cells, all, period);
    const auto again = result.sum(fmt::format("node{}", i), "retrans");
    const auto lost =
        result.sum(fmt::format("node{}", i), "drop") + result.sum(fmt::format("switch.port{}", i), "drop");
    retransmitted += again;
    dropped += lost;
    cells.push_back(std::to_string(again));
    cells.push_back(std::to_string(lost));
    rows.push_back(std::move(cells));
  }
  Cells all = {"all", std::to_string(operations), fmt::format("{:.1f}", rate / 1e3)};
  add_latency(all, everything, period);
  all.push_back(std::to_string(retransmitted));
  all.push_back(std::to_string(dropped));
  rows.push_back(std::move(all));
  std::string out = aligned(rows) + "\n";

  rows = {{"operation", "count", "mean ns", "p50", "p99", "max"}};
  for (std::size_t k = 0; k < workloads::kOpKinds; ++k) {
    if (kinds[k].empty()) continue;
    Cells cells = {std::string(workloads::op_kind_name(static_cast<workloads::OpKind>(k))),
                   std::to_string(kinds[k].count())};
    add_latency(cells, kinds[k], period);
    rows.push_back(std::move(cells));
  }
  return out + aligned(rows);
}

std::string verb_table(const sim::ScenarioConfig& c, const sim::ScenarioResult& result, base::Time period) {
  std::vector<Cells> rows = {{"size", "messages", "mean ns", "min", "median", "p99", "max", "goodput Gb/s",
                              "ceiling Gb/s", "of ceiling", "cycles/packet", "M/s"}};
  for (const auto& v : result.verbs) {
    Cells cells = {base::to_text(v.size), std::to_string(v.latency.count()), ns(v.latency.mean(), period)};
    for (const double p : {0.0, 50.0, 99.0, 100.0})
      cells.push_back(ns(static_cast<double>(v.latency.percentile(p)), period));
    const double ceiling = workloads::ceiling_bps(v.size, c.pmtu, c.calibration.line_rate, c.verb.op);
    // With one message in flight there is no steady stream to look at.
    const double goodput = c.verb.outstanding > 1 ? v.steady_bps(period) : v.goodput_bps(period);
    const double packets = static_cast<double>(workloads::packets_of(v.size, c.pmtu));
    const double packet_rate = goodput / 8 / static_cast<double>(v.size.count()) * packets;
    cells.push_back(fmt::format("{:.3f}", goodput / 1e9));
    cells.push_back(fmt::format("{:.3f}", ceiling / 1e9));
    cells.push_back(fmt::format("{:.2f} %", goodput / ceiling * 100));
    cells.push_back(packet_rate > 0 ? fmt::format("{:.2f}", 1 / (packet_rate * period.in_s())) : "-");
    cells.push_back(fmt::format("{:.2f}", v.rate(period) / 1e6));
    rows.push_back(std::move(cells));
  }
  return aligned(rows) + fmt::format("goodput: payload, {}; M/s: million messages a second\n",
                                     c.verb.outstanding > 1 ? "from the first completion on" : "one message in flight");
}

std::string host_table(const sim::ScenarioResult& result) {
  const auto ns_of = [](std::uint64_t ps) { return fmt::format("{:.0f}", static_cast<double>(ps) / 1e3); };
  std::vector<Cells> rows = {{"host verb", "size", "count", "min ns", "median", "p99", "max"}};
  for (const auto& v : result.host_latencies) {
    const Samples& s = v.latency;
    rows.push_back({std::string(workloads::host_verb_name(v.verb)), base::to_text(v.size), std::to_string(s.count()),
                    ns_of(s.min()), ns_of(s.percentile(50)), ns_of(s.percentile(99)), ns_of(s.max())});
  }
  std::string out = aligned(rows) + "\n";
  rows = {{"host verb", "size", "messages", "M/s"}};
  for (const auto& r : result.host_rates) {
    rows.push_back({std::string(workloads::host_verb_name(r.verb)), base::to_text(r.size), std::to_string(r.messages),
                    fmt::format("{:.2f}", r.per_second() / 1e6)});
  }
  return out + aligned(rows) +
         "published: READ 2500 ns through a switch, 1900 ns over a cable (Tiara, a hard NIC); atomics 1.5 M/s "
         "(ConnectX-5), 5..10 M/s (ConnectX-6)\n"
         "READ of 64 B is what the host's constants are fitted to (docs/calibration.md); the rest follows\n";
}

constexpr std::size_t kIncastRows = 20;

}  // namespace

std::string incast_table(const workloads::IncastTable& t) {
  std::vector<Cells> rows = {{"time us", "queue kB", "drops", "total Gb/s"}};
  for (unsigned flow = 0; flow < t.flows(); ++flow) rows[0].push_back(fmt::format("flow {}", flow));
  const std::size_t step = std::max<std::size_t>(1, t.intervals() / kIncastRows);
  for (std::size_t i = 0; i < t.intervals(); i += step) {
    Cells cells = {fmt::format("{:.0f}", (t.interval() * static_cast<std::int64_t>(i)).in_us()),
                   fmt::format("{:.1f}", static_cast<double>(t.longest_queue(i, i + step)) / 1e3),
                   std::to_string(t.drops(i, i + step)), fmt::format("{:.2f}", t.total_gbps(i))};
    for (unsigned flow = 0; flow < t.flows(); ++flow) cells.push_back(fmt::format("{:.2f}", t.gbps(i, flow)));
    rows.push_back(std::move(cells));
  }
  const std::size_t half = t.intervals() / 2, end = t.intervals();
  return aligned(rows) +
         fmt::format(
             "second half: fairness {:.4f}, {:.2f} Gb/s, longest queue {:.1f} kB, {} dropped; first half: {} dropped\n",
             t.fairness(half, end), t.mean_gbps(half, end), static_cast<double>(t.longest_queue(half, end)) / 1e3,
             t.drops(half, end), t.drops(0, half));
}

std::string fingerprint_text(std::uint64_t fingerprint) { return fmt::format("{:016x}", fingerprint); }

std::string result_table(const Configured& configured, const sim::ScenarioResult& result,
                         const sim::ScenarioPerf& perf) {
  const auto& c = configured.scenario;
  const auto period = c.calibration.clock.period();
  std::string out;
  if (!result.replicas.empty()) out += replica_table(result, period) + "\n";
  if (!result.verbs.empty()) out += verb_table(c, result, period) + "\n";
  if (!result.host_latencies.empty()) out += host_table(result) + "\n";
  if (!result.incast.empty()) out += incast_table(result.incast) + "\n";
  if (result.outcome != sim::Outcome::kCompleted) {
    out += fmt::format("PARTIAL RESULTS: the run was ended {}\n", sim::outcome_name(result.outcome));
  }
  for (const auto& check : result.checks) {
    out += fmt::format("{}  {}{}{}\n", check.passed ? "ok    " : "FAILED", check.name, check.detail.empty() ? "" : ": ",
                       check.detail);
  }
  out += fmt::format(
      "simulated {:.3f} us in {:.2f} s ({:.2f} s to build): {:.0f} k node-cycles/s, {:.1f} % skipped, {} thread{}\n",
      result.end.in_us(), perf.wall_seconds, perf.build_seconds, perf.node_cycles_per_second() / 1e3,
      perf.skipped_fraction() * 100, c.threads, c.threads == 1 ? "" : "s");
  return out + fmt::format("fingerprint {}\n", fingerprint_text(result.fingerprint));
}

}  // namespace caravan::app
