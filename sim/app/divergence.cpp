// SPDX-License-Identifier: Apache-2.0
#include "sim/app/divergence.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/base/text.hpp"

namespace caravan::app {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

Fields fields_of(const base::TraceRecord& record) {
  Fields fields;
  for (const auto& word : base::split(record.fields, ' ')) {
    const auto equals = word.find('=');
    if (!word.empty())
      fields.emplace_back(word.substr(0, equals), equals == std::string::npos ? "" : word.substr(equals + 1));
  }
  return fields;
}

const std::string* find(const Fields& fields, const std::string& name) {
  const auto at = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.first == name; });
  return at == fields.end() ? nullptr : &at->second;
}

/// "psn: 5 -> 6", one line per field that differs.
std::string differences(const base::TraceRecord& expected, const base::TraceRecord& actual) {
  std::string out;
  const auto line = [&](std::string_view name, std::string_view a, std::string_view b) {
    if (a != b) out += fmt::format("    {}: {} -> {}\n", name, a, b);
  };
  line("time", base::to_text(expected.time), base::to_text(actual.time));
  line("node", std::to_string(expected.node), std::to_string(actual.node));
  line("port", expected.port, actual.port);
  line("kind", expected.kind, actual.kind);
  const auto a = fields_of(expected);
  const auto b = fields_of(actual);
  for (const auto& [name, value] : a) {
    const auto* other = find(b, name);
    line(name, value, other == nullptr ? "(absent)" : *other);
  }
  for (const auto& [name, value] : b) {
    if (find(a, name) == nullptr) line(name, "(absent)", value);
  }
  return out;
}

}  // namespace

std::string divergence_text(const base::Divergence& d, base::Time period, std::string_view expected_name,
                            std::string_view actual_name) {
  // The earlier of the two is where behaviour parts.
  const auto* where = d.expected ? &*d.expected : &*d.actual;
  if (d.actual && d.actual->time < where->time) where = &*d.actual;
  std::string out = fmt::format("first divergence: time {} ps, cycle {}, node {}, port {}\n", where->time.in_ps(),
                                where->time / period, where->node, where->port);
  const auto width = std::max(expected_name.size(), actual_name.size());
  const auto record = [&](std::string_view name, const std::optional<base::TraceRecord>& r) {
    out += fmt::format("  {:<{}}  {}\n", name, width, r ? base::to_text(*r) : "(the trace has ended)");
  };
  record(expected_name, d.expected);
  record(actual_name, d.actual);
  if (d.expected && d.actual)
    out +=
        fmt::format("  what differs ({} -> {}):\n{}", expected_name, actual_name, differences(*d.expected, *d.actual));
  out += fmt::format("  the {} records before:\n", d.before.size());
  for (const auto& r : d.before) out += "    " + base::to_text(r) + "\n";
  return out;
}

}  // namespace caravan::app
