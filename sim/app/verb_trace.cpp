// SPDX-License-Identifier: Apache-2.0
// caravan trace show | diff.
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "models/base/errors.hpp"
#include "models/base/text.hpp"
#include "models/base/trace.hpp"
#include "sim/app/divergence.hpp"
#include "sim/app/verbs.hpp"

namespace caravan::app {
namespace {

struct ShowArguments {
  std::string file;
  int node = -1;
  std::string port;
  std::string kind;
  std::string text;
  std::string from = "0ns";
  std::string to;
  std::uint64_t limit = 0;
};

struct DiffArguments {
  std::string expected;
  std::string actual;
  bool functional = false;
  std::string clock = "250MHz";
};

/// A trace file with the stream that its reader needs.
struct TraceFile {
  explicit TraceFile(const std::string& path) : in(open(path)), reader(in, path) {}
  static std::ifstream open(const std::string& path) {
    std::ifstream stream(path);
    if (!stream) throw base::UserError(path + ": the trace can't be read");
    return stream;
  }
  std::ifstream in;
  base::TraceReader reader;
};

template <typename Parse>
auto option_value(const char* option, const std::string& text, Parse parse) {
  try {
    return parse(text);
  } catch (const base::QuantityError& error) {
    throw base::UserError(fmt::format("command line ({} {}): {}", option, text, error.what()));
  }
}

void show(const ShowArguments& a) {
  TraceFile trace(a.file);
  const auto from = option_value("--from", a.from, base::parse_time);
  const auto to = a.to.empty() ? base::Time::never() : option_value("--to", a.to, base::parse_time);
  std::uint64_t shown = 0;
  while (const auto record = trace.reader.next()) {
    if (record->time < from || record->time > to || (a.node >= 0 && record->node != static_cast<unsigned>(a.node)))
      continue;
    if ((!a.port.empty() && record->port != a.port) || (!a.kind.empty() && record->kind != a.kind)) continue;
    const auto line = base::to_text(*record);
    if (!a.text.empty() && line.find(a.text) == std::string::npos) continue;
    fmt::print("{}\n", line);
    if (++shown == a.limit) return;
  }
}

bool diff(const DiffArguments& a) {
  TraceFile expected(a.expected);
  TraceFile actual(a.actual);
  const auto period = option_value("--clock", a.clock, base::parse_frequency).period();
  const auto strictness = a.functional ? base::Strictness::kFunctional : base::Strictness::kCycleExact;
  const auto divergence = base::compare_traces(expected.reader, actual.reader, strictness);
  if (!divergence) {
    fmt::print("equal ({})\n", a.functional ? "functional: order per port, times ignored" : "cycle-exact");
    return true;
  }
  fmt::print("{}", divergence_text(*divergence, period, a.expected, a.actual));
  return false;
}

}  // namespace

void add_trace(CLI::App& app, int& status) {
  auto* verb = app.add_subcommand("trace", "Look at traces");
  verb->require_subcommand(1);

  auto* show_verb = verb->add_subcommand("show", "Print the records that match");
  auto s = std::make_shared<ShowArguments>();
  show_verb->add_option("file", s->file, "trace.txt of a run")->required();
  show_verb->add_option("--node", s->node, "Only this node");
  show_verb->add_option("--port", s->port, "Only this port");
  show_verb->add_option("--kind", s->kind, "Only this kind");
  show_verb->add_option("--grep", s->text, "Only records whose line contains this");
  show_verb->add_option("--from", s->from, "From this time on, such as 1.2us");
  show_verb->add_option("--to", s->to, "Up to this time");
  show_verb->add_option("--limit", s->limit, "At most so many records; 0: all");
  show_verb->callback([s] { show(*s); });

  auto* diff_verb = verb->add_subcommand("diff", "First divergence of two traces; exit status 1 when there is one");
  auto d = std::make_shared<DiffArguments>();
  diff_verb->add_option("expected", d->expected, "One trace")->required();
  diff_verb->add_option("actual", d->actual, "Another trace")->required();
  diff_verb->add_flag("--functional", d->functional, "Order per node and port only; times are ignored");
  diff_verb->add_option("--clock", d->clock, "Clock that cycles are counted in")->capture_default_str();
  diff_verb->callback([d, &status] { status = diff(*d) ? kGood : kCheckFailed; });
}

}  // namespace caravan::app
