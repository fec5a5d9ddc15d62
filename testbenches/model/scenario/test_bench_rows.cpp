// SPDX-License-Identifier: Apache-2.0
// The rows of `caravan bench verbs` and the published figures find each other.
#include <catch2/catch_test_macros.hpp>

#include <set>
#include <string>

#include "models/timing/published.hpp"
#include "sim/app/text_table.hpp"
#include "sim/cluster/bench_verbs.hpp"

using namespace caravan;
using sim::FrontEnd;
using sim::Joined;

TEST_CASE("every published figure that is to stand beside a row has one", "[model][bench]") {
  std::set<std::string> rows;
  for (const char* verb : {"WRITE", "READ", "SEND", "FETCH_ADD"}) {
    for (const unsigned qps : {1u, sim::VerbBenchOptions{}.qps}) {
      sim::GoodputRow row;
      row.verb = verb;
      row.qps = qps;
      rows.insert(row.key());
    }
    for (const auto front_end : {FrontEnd::kOnChip, FrontEnd::kHost}) {
      sim::VerbRateRow rate;
      rate.verb = verb;
      rate.front_end = front_end;
      rows.insert(rate.key());
      for (const auto joined : {Joined::kCable, Joined::kSwitch}) {
        sim::VerbLatencyRow latency;
        latency.verb = verb;
        latency.front_end = front_end;
        latency.joined = joined;
        rows.insert(latency.key());
      }
    }
  }
  CHECK(rows.size() == 4 * (2 + 2 + 4));
  CHECK(rows.contains("goodput WRITE 1 QP"));
  CHECK(rows.contains("latency FETCH_ADD on-chip cable"));
  for (const auto& figure : timing::published_figures()) {
    for (const auto key : figure.beside) {
      INFO(key);
      CHECK((key.empty() || rows.contains(std::string(key))));
    }
  }
}

TEST_CASE("tables align as asked and leave no blanks at the end", "[model][bench]") {
  CHECK(app::aligned({{"a", "bb", "c"}, {"ddd", "e", "f"}}, "<>") == "a    bb  c\nddd   e  f\n");
  CHECK(app::aligned({{"a", "long"}, {"b", "c"}}, "><") == "a  long\nb  c\n");
  CHECK(app::aligned({}).empty());
}
