// SPDX-License-Identifier: Apache-2.0
#include "models/base/trace.hpp"

#include <algorithm>
#include <istream>
#include <ostream>

#include <fmt/format.h>

#include "models/base/errors.hpp"
#include "models/base/text.hpp"

namespace caravan::base {
namespace {
constexpr std::string_view kHeader = "# caravan trace 1: time_ps node port kind fields";
constexpr std::size_t kBefore = 5;

bool same(const TraceRecord& a, const TraceRecord& b, Strictness strictness) {
  return strictness == Strictness::kCycleExact ? a == b : a.kind == b.kind && a.fields == b.fields;
}
}  // namespace

std::string to_text(const TraceRecord& record) {
  return fmt::format("{} {} {} {}{}{}", record.time.in_ps(), record.node, record.port, record.kind,
                     record.fields.empty() ? "" : " ", record.fields);
}

TraceRecord parse_trace_line(std::string_view line, const std::string& place) {
  std::string_view rest = line;
  const auto word = [&] {
    const auto blank = rest.find(' ');
    const auto part = rest.substr(0, blank);
    rest = blank == std::string_view::npos ? std::string_view() : rest.substr(blank + 1);
    return part;
  };
  TraceRecord record;
  const auto time = parse_integer(word());
  const auto node = parse_integer(word());
  record.port = word();
  record.kind = word();
  record.fields = rest;
  if (!time || !node || *node < 0 || *node > 0xFFFF || record.port.empty() || record.kind.empty()) {
    throw UserError(fmt::format("{}: '{}' is no trace record; expected `time_ps node port kind fields...`", place,
                                line.substr(0, 80)));
  }
  record.time = Time::ps(*time);
  record.node = static_cast<std::uint32_t>(*node);
  return record;
}

TraceWriter::TraceWriter(std::ostream& out) : out_(out) { out_ << kHeader << '\n'; }
void TraceWriter::record(const TraceRecord& record) { out_ << to_text(record) << '\n'; }
void TraceWriter::end() { out_.flush(); }

void TraceHash::record(const TraceRecord& record) {
  hash_.word(static_cast<std::uint64_t>(record.time.in_ps()));
  hash_.word(record.node);
  hash_.bytes(record.port.data(), record.port.size());
  hash_.bytes(record.kind.data(), record.kind.size());
  hash_.bytes(record.fields.data(), record.fields.size());
}

TraceReader::TraceReader(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {
  std::string first;
  ++line_;
  if (!std::getline(in_, first) || first != kHeader) {
    throw UserError(fmt::format("{}:1: no trace; the first line must be '{}'", name_, kHeader));
  }
}

std::optional<TraceRecord> TraceReader::next() {
  std::string text;
  while (std::getline(in_, text)) {
    ++line_;
    if (text.empty() || text.front() == '#') continue;
    return parse_trace_line(text, fmt::format("{}:{}", name_, line_));
  }
  return std::nullopt;
}

TraceCompare::TraceCompare(std::function<std::optional<TraceRecord>()> expected, Strictness strictness)
    : expected_(std::move(expected)), strictness_(strictness) {}

std::optional<TraceRecord> TraceCompare::expected_on(const PortKey& port) {
  if (strictness_ == Strictness::kCycleExact) return expected_();
  auto& queue = waiting_[port];
  while (queue.empty()) {
    auto next = expected_();
    if (!next) return std::nullopt;
    PortKey key{next->node, next->port};
    waiting_[key].push_back(std::move(*next));
  }
  auto front = std::move(queue.front());
  queue.pop_front();
  return front;
}

void TraceCompare::matched(const TraceRecord& record) {
  ++compared_;
  before_.push_back(record);
  if (before_.size() > kBefore) before_.pop_front();
}

void TraceCompare::diverge(std::optional<TraceRecord> expected, std::optional<TraceRecord> actual) {
  divergence_ = Divergence{std::move(expected), std::move(actual), {before_.begin(), before_.end()}};
}

void TraceCompare::record(const TraceRecord& record) {
  if (divergence_) return;
  auto expected = expected_on({record.node, record.port});
  if (expected && same(*expected, record, strictness_)) {
    matched(record);
  } else {
    diverge(std::move(expected), record);
  }
}

void TraceCompare::end() {
  if (divergence_) return;
  // Whatever was expected and never came: the earliest of it.
  std::optional<TraceRecord> missing;
  for (const auto& [port, queue] : waiting_) {
    if (!queue.empty() && (!missing || queue.front().time < missing->time)) missing = queue.front();
  }
  if (!missing) missing = expected_();
  if (missing) diverge(std::move(missing), std::nullopt);
}

std::optional<Divergence> compare_traces(TraceReader& expected, TraceReader& actual, Strictness strictness) {
  TraceCompare compare([&] { return expected.next(); }, strictness);
  while (!compare.divergence()) {
    const auto record = actual.next();
    if (!record) {
      compare.end();
      break;
    }
    compare.record(*record);
  }
  return compare.divergence();
}

}  // namespace caravan::base
