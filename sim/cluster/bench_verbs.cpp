// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/bench_verbs.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "sim/cluster/scenario.hpp"

namespace caravan::sim {
namespace {

using base::Bytes;
using base::ClientOp;
using base::Time;

constexpr Bytes kGoodputSize = Bytes::kib(32);
constexpr Bytes kSmall = Bytes(64);
constexpr Bytes kAtomic = Bytes(8);
/// Packets in flight of a queue pair, that of node_pkg::NODE_CFG_DEFAULT; and how many windows of them are measured.
constexpr unsigned kWindow = 16, kWindows = 100;
constexpr unsigned kRateMessages = 20'000, kAtomicRateMessages = 2000, kOnChipSamples = 200;
/// Longer than the default retry timer: a message of one of many queue pairs waits for those of all others, one behind
/// a long cable for the round trips of its window.
constexpr const char* kPatience = "cluster.retry_timeout=33554432ns";

std::string_view verb_of(ClientOp op) {
  switch (op) {
    case ClientOp::kRead:
      return "READ";
    case ClientOp::kSend:
      return "SEND";
    case ClientOp::kFetchAdd:
      return "FETCH_ADD";
    default:
      return "WRITE";
  }
}

/// The configuration writes the same names in small letters.
std::string op_setting(ClientOp op) {
  std::string name(verb_of(op));
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return "workload.verb.op=" + name;
}

Bytes small_of(ClientOp op) { return op == ClientOp::kFetchAdd ? kAtomic : kSmall; }

/// The bench under way.
class Bench {
 public:
  Bench(const VerbBenchOptions& options, const std::function<void(const std::string&)>& begins,
        const std::function<bool()>& go_on)
      : options_(options), begins_(begins), go_on_(go_on) {}

  void goodput(ClientOp op, unsigned qps) {
    const auto outstanding = std::max(16u, qps);
    std::vector<std::string> settings = verb_settings(op, kGoodputSize, options_.messages, outstanding, qps);
    settings.emplace_back(kPatience);
    const auto result =
        run(fmt::format("goodput of {}, {} QP{}", verb_of(op), qps, qps == 1 ? "" : "s"), Joined::kCable, settings);
    if (result.verbs.empty()) return;
    const auto& v = result.verbs.front();
    bench_.goodput.push_back(
        {verb_of(op), qps, outstanding, v.size, v.latency.count(), v.goodput_bps(config_.calibration.clock.period()),
         workloads::ceiling_bps(v.size, config_.pmtu, config_.calibration.line_rate, op), result.fingerprint});
  }

  /// WRITEs of one packet, so that each is acknowledged and opens the window by one.
  void window(Time wire) {
    const auto settings = [&](unsigned messages, unsigned outstanding) {
      auto all = verb_settings(ClientOp::kWrite, Bytes::kib(4), messages, outstanding, 1);
      all.push_back(fmt::format("timing.wire={}", base::to_text(wire)));
      all.emplace_back(kPatience);
      return all;
    };
    const std::string what = fmt::format("one QP's window, cable of {}", base::to_text(wire));
    const auto alone = run(what, Joined::kCable, settings(4, 1));
    const auto full = run(what, Joined::kCable, settings(kWindow * kWindows, 2 * kWindow));
    if (alone.verbs.empty() || full.verbs.empty()) return;
    const Time period = config_.calibration.clock.period();
    const Time round_trip = base::Cycles(alone.verbs.front().latency.percentile(50)).at(period);
    const auto& v = full.verbs.front();
    bench_.windows.push_back({kWindow, v.size, wire, round_trip, v.latency.count(), v.goodput_bps(period),
                              static_cast<double>(kWindow * v.size.count()) * 8 / round_trip.in_s(), full.fingerprint});
  }

  void rate(ClientOp op) {
    const bool atomic = op == ClientOp::kFetchAdd;
    const unsigned qps = 16, outstanding = 128;
    const auto result =
        run(fmt::format("rate of {}, on-chip", verb_of(op)), Joined::kCable,
            verb_settings(op, small_of(op), atomic ? kAtomicRateMessages : kRateMessages, outstanding, qps));
    if (result.verbs.empty()) return;
    const auto& v = result.verbs.front();
    const double ceiling = workloads::ceiling_bps(v.size, config_.pmtu, config_.calibration.line_rate, op) / 8 /
                           static_cast<double>(v.size.count());
    bench_.rates.push_back({FrontEnd::kOnChip, Joined::kCable, verb_of(op), v.size, qps, outstanding, v.latency.count(),
                            v.rate(config_.calibration.clock.period()), atomic ? 0 : ceiling, result.fingerprint});
  }

  void latency(ClientOp op, Joined joined) {
    const auto result = run(fmt::format("latency of {}, on-chip, {}", verb_of(op), joined_name(joined)), joined,
                            verb_settings(op, small_of(op), kOnChipSamples, 1, 1));
    if (result.verbs.empty()) return;
    const auto& v = result.verbs.front();
    const Time period = config_.calibration.clock.period();
    const auto at = [&](double p) { return base::Cycles(v.latency.percentile(p)).at(period); };
    bench_.latencies.push_back(
        {FrontEnd::kOnChip, joined, verb_of(op), v.size, v.latency.count(), at(0), at(50), at(99), result.fingerprint});
  }

  /// Latency of all verbs and, through the switch, their rates.
  void host(Joined joined) {
    const auto result = run(fmt::format("host front end, {}", joined_name(joined)), joined,
                            {"workload.kind=host", "workload.host.sizes=[\"64B\"]", "workload.host.repetitions=200",
                             "workload.host.qps=8", "workload.host.batch=16",
                             fmt::format("workload.host.rate_messages={}", joined == Joined::kSwitch ? 4096 : 1)});
    for (const auto& v : result.host_latencies) {
      const auto at = [&](double p) { return Time::ps(static_cast<std::int64_t>(v.latency.percentile(p))); };
      bench_.latencies.push_back({FrontEnd::kHost, joined, workloads::host_verb_name(v.verb), v.size, v.latency.count(),
                                  at(0), at(50), at(99), result.fingerprint});
    }
    if (joined == Joined::kCable) return;
    for (const auto& r : result.host_rates) {
      bench_.rates.push_back({FrontEnd::kHost, joined, workloads::host_verb_name(r.verb), r.size, config_.host.qps,
                              2 * config_.host.qps * config_.host.batch, r.messages, r.per_second(), 0,
                              result.fingerprint});
    }
  }

  VerbBench take() { return std::move(bench_); }

 private:
  static std::vector<std::string> verb_settings(ClientOp op, Bytes size, std::uint64_t messages, unsigned outstanding,
                                                unsigned qps) {
    return {"workload.kind=verb",
            op_setting(op),
            fmt::format("workload.verb.sizes=[\"{}\"]", base::to_text(size)),
            fmt::format("workload.verb.repetitions={}", messages),
            fmt::format("workload.verb.outstanding={}", outstanding),
            fmt::format("workload.verb.qps={}", qps)};
  }

  /// Empty when the bench was ended.
  ScenarioResult run(const std::string& what, Joined joined, const std::vector<std::string>& settings) {
    if (bench_.interrupted) return {};
    begins_(what);
    auto config = base::Config::empty();
    config.set("cluster.nodes=2");
    config.set(fmt::format("cluster.topology={}", joined == Joined::kCable ? "direct" : "switch"));
    for (const auto& setting : settings) config.set(setting);
    base::Params params(config);
    config_ = read_scenario(params);
    Scenario scenario(config_);
    auto result = scenario.run([this](const ScenarioProgress&) { return go_on_(); });
    if (result.outcome == Outcome::kInterrupted) {
      bench_.interrupted = true;
      return {};
    }
    if (result.outcome != Outcome::kCompleted)
      bench_.failures.push_back(fmt::format("{}: ended {}", what, outcome_name(result.outcome)));
    for (const auto& check : result.checks) {
      if (!check.passed) bench_.failures.push_back(fmt::format("{}: {}: {}", what, check.name, check.detail));
    }
    return result;
  }

  VerbBenchOptions options_;
  const std::function<void(const std::string&)>& begins_;
  const std::function<bool()>& go_on_;
  ScenarioConfig config_;  // of the last run
  VerbBench bench_;
};

}  // namespace

std::string_view front_end_name(FrontEnd front_end) { return front_end == FrontEnd::kOnChip ? "on-chip" : "host"; }
std::string_view joined_name(Joined joined) { return joined == Joined::kCable ? "cable" : "switch"; }

std::string GoodputRow::key() const { return fmt::format("goodput {} {} QP{}", verb, qps, qps == 1 ? "" : "s"); }
std::string VerbRateRow::key() const { return fmt::format("rate {} {}", verb, front_end_name(front_end)); }
std::string VerbLatencyRow::key() const {
  return fmt::format("latency {} {} {}", verb, front_end_name(front_end), joined_name(joined));
}

VerbBench bench_verbs(const VerbBenchOptions& options, const std::function<void(const std::string&)>& begins,
                      const std::function<bool()>& go_on) {
  Bench bench(options, begins, go_on);
  for (const unsigned qps : {1u, options.qps}) {
    for (const ClientOp op : {ClientOp::kWrite, ClientOp::kRead}) bench.goodput(op, qps);
  }
  for (const int us : {2, 5, 20}) bench.window(Time::us(us));
  for (const ClientOp op : {ClientOp::kWrite, ClientOp::kRead, ClientOp::kFetchAdd}) bench.rate(op);
  for (const Joined joined : {Joined::kCable, Joined::kSwitch}) {
    for (const ClientOp op : {ClientOp::kWrite, ClientOp::kRead, ClientOp::kSend, ClientOp::kFetchAdd})
      bench.latency(op, joined);
  }
  for (const Joined joined : {Joined::kCable, Joined::kSwitch}) bench.host(joined);
  return bench.take();
}

}  // namespace caravan::sim
