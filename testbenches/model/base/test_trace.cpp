// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include <sstream>

#include "models/base/errors.hpp"
#include "models/base/trace.hpp"

using namespace caravan::base;

namespace {
TraceRecord rec(std::int64_t ns, std::uint32_t node, std::string port, std::string fields) {
  return {Time::ns(ns), node, std::move(port), "frame", std::move(fields)};
}
std::string written(const std::vector<TraceRecord>& records) {
  std::ostringstream out;
  TraceWriter writer(out);
  for (const auto& r : records) writer.record(r);
  writer.end();
  return out.str();
}
std::optional<Divergence> diff(const std::vector<TraceRecord>& a, const std::vector<TraceRecord>& b,
                               Strictness strictness) {
  std::istringstream sa(written(a)), sb(written(b));
  TraceReader ra(sa, "a"), rb(sb, "b");
  return compare_traces(ra, rb, strictness);
}
std::uint64_t hash(const std::vector<TraceRecord>& records) {
  TraceHash h;
  for (const auto& r : records) h.record(r);
  return h.value();
}
std::string complaint(const std::string& text) {
  try {
    std::istringstream in(text);
    TraceReader reader(in, "t");
    while (reader.next()) {}
  } catch (const UserError& error) { return error.what(); }
  return "accepted";
}
const std::vector<TraceRecord> kTrace = {rec(4, 0, "mac_tx", "len=60"), rec(8, 1, "mac_rx", "len=60"),
                                         rec(8, 1, "mac_tx", "len=64"), rec(12, 0, "mac_rx", "len=64"),
                                         rec(16, 0, "mac_tx", "psn=1"), rec(20, 0, "mac_tx", "psn=2"),
                                         rec(24, 0, "mac_tx", "psn=3")};
}  // namespace

TEST_CASE("a trace is read back as it was written", "[model][trace]") {
  std::istringstream in(written(kTrace));
  TraceReader reader(in, "t");
  for (const auto& expected : kTrace) CHECK(reader.next() == expected);
  CHECK(reader.next() == std::nullopt);
  CHECK(to_text(kTrace[4]) == "16000 0 mac_tx frame psn=1");
}

TEST_CASE("a file that is no trace is refused with the line", "[model][trace][errors]") {
  CHECK(complaint("hello\n") ==
        "t:1: no trace; the first line must be '# caravan trace 1: time_ps node port kind fields'");
  const std::string header = written({});
  CHECK(complaint(header + "1 2 mac\n") ==
        "t:2: '1 2 mac' is no trace record; expected `time_ps node port kind fields...`");
  CHECK(complaint(header + "x 2 mac frame\n") ==
        "t:2: 'x 2 mac frame' is no trace record; expected `time_ps node port kind fields...`");
  CHECK(complaint(header + "1 2 mac frame\n") == "accepted");
}

TEST_CASE("equal traces have no divergence and one hash", "[model][trace]") {
  CHECK_FALSE(diff(kTrace, kTrace, Strictness::kCycleExact));
  CHECK_FALSE(diff(kTrace, kTrace, Strictness::kFunctional));
  auto other = kTrace;
  CHECK(hash(other) == hash(kTrace));
  other[3].time = Time::ns(13);
  CHECK(hash(other) != hash(kTrace));
}

TEST_CASE("only the first divergence is reported, with five records before", "[model][trace]") {
  auto other = kTrace;
  other[5].fields = "psn=7";
  other[6].fields = "psn=8";
  for (const auto strictness : {Strictness::kCycleExact, Strictness::kFunctional}) {
    const auto d = diff(kTrace, other, strictness);
    REQUIRE(d);
    CHECK(d->expected == kTrace[5]);
    CHECK(d->actual == other[5]);
    CHECK(d->before == std::vector<TraceRecord>(kTrace.begin(), kTrace.begin() + 5));
  }
}

TEST_CASE("the functional comparison ignores times and the order between ports", "[model][trace]") {
  auto later = kTrace;
  for (auto& r : later) r.time += Time::ns(1);
  std::swap(later[1], later[2]);
  CHECK(diff(kTrace, later, Strictness::kCycleExact));
  CHECK_FALSE(diff(kTrace, later, Strictness::kFunctional));
  std::swap(later[4], later[5]);
  const auto d = diff(kTrace, later, Strictness::kFunctional);
  REQUIRE(d);
  CHECK(d->expected->fields == "psn=1");
  CHECK(d->actual->fields == "psn=2");
}

TEST_CASE("missing and surplus tails are divergences", "[model][trace]") {
  const std::vector<TraceRecord> shorter(kTrace.begin(), kTrace.end() - 2);
  for (const auto strictness : {Strictness::kCycleExact, Strictness::kFunctional}) {
    auto d = diff(kTrace, shorter, strictness);
    REQUIRE(d);
    CHECK(d->expected == kTrace[5]);
    CHECK(d->actual == std::nullopt);
    d = diff(shorter, kTrace, strictness);
    REQUIRE(d);
    CHECK(d->expected == std::nullopt);
    CHECK(d->actual == kTrace[5]);
  }
}
