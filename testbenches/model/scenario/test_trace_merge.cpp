// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include "sim/cluster/trace_merge.hpp"

using namespace caravan;
using base::Time;

namespace {
struct Keep final : base::TraceListener {
  std::vector<base::TraceRecord> records;
  bool ended = false;
  void record(const base::TraceRecord& r) override { records.push_back(r); }
  void end() override { ended = true; }
};
base::TraceRecord rec(std::int64_t ns, std::uint32_t node, std::string port, std::string kind) {
  return {Time::ns(ns), node, std::move(port), std::move(kind), ""};
}
}  // namespace

TEST_CASE("records leave in order of time, node and port, and as they happened within a port", "[model][scenario]") {
  sim::TraceMerge merge;
  CHECK_FALSE(merge.wanted());
  Keep keep;
  merge.listen(keep);
  CHECK(merge.wanted());
  merge.add({rec(8, 1, "client", "a"), rec(8, 1, "client", "b"), rec(30, 1, "mac_tx", "late")});
  merge.add({rec(8, 0, "mac_tx", "c"), rec(4, 0, "client", "d")});
  merge.release(Time::ns(8));
  CHECK(keep.records.size() == 1);
  merge.release(Time::ns(9));
  REQUIRE(keep.records.size() == 4);
  CHECK(keep.records[0].kind == "d");
  CHECK(keep.records[1].kind == "c");
  CHECK(keep.records[2].kind == "a");
  CHECK(keep.records[3].kind == "b");
  CHECK_FALSE(keep.ended);
  merge.add({rec(20, 0, "mac_tx", "e")});
  merge.finish();
  REQUIRE(keep.records.size() == 6);
  CHECK(keep.records[4].kind == "e");
  CHECK(keep.records[5].kind == "late");
  CHECK(keep.ended);
}
