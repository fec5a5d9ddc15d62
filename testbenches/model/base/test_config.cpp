// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include <nlohmann/json.hpp>

#include "models/base/config.hpp"

using namespace caravan::base;

namespace {
struct Fault {
  std::string action;
  double probability;
};
struct Sample {
  std::int64_t nodes;
  Time delay;
  Rate rate;
  std::vector<Bytes> sizes;
  std::vector<std::string> notes;
  bool trace;
  std::vector<Fault> faults;
};

Sample read(Params& p) {
  Sample s;
  auto cluster = p.in("cluster");
  s.nodes = cluster.integer("nodes", 4, {1, 64}, "Nodes in the cluster.");
  s.delay = cluster.time("delay", Time::ns(100), {Time::ns(1), Time::us(10)}, "Wire delay.");
  s.rate = cluster.rate("rate", Rate::gbps(100), {Rate::gbps(1), Rate::gbps(400)}, "Line rate.");
  auto run = p.in("run");
  s.sizes = run.bytes_list("sizes", {Bytes(64)}, {Bytes(1), Bytes::mib(1)}, "Sizes.");
  s.notes = run.text_list("notes", "Notes.");
  s.trace = run.boolean("trace", true, "Write a trace.");
  p.tables("fault", [&](Params& f, bool is_element) {
    Fault fault{f.choice("action", "drop", {"drop", "delay"}, "What to do."),
                f.real("probability", 1, {0, 1}, "How often.")};
    if (is_element) s.faults.push_back(fault);
  });
  p.finish();
  return s;
}
}  // namespace

TEST_CASE("an empty configuration gives the defaults and declares everything", "[model][config]") {
  const auto config = Config::empty();
  Params p(config);
  const auto s = read(p);
  CHECK(s.nodes == 4);
  CHECK(s.delay == Time::ns(100));
  CHECK(s.faults.empty());
  REQUIRE(p.declared().size() == 8);
  CHECK(p.declared()[1].key == "cluster.delay");
  CHECK(p.declared()[1].default_text == "\"100ns\"");
  CHECK(p.declared()[1].allowed == "1ns .. 10us");
  CHECK(p.declared()[6].key == "fault[].action");
  CHECK(p.resolved().size() == 6);
}

TEST_CASE("values and overrides arrive, and the resolved configuration reads back to the same", "[model][config]") {
  auto config = Config::from_text(
      "[cluster]\nnodes = 8\ndelay = \"1.5us\"\n[run]\nsizes = [\"1KiB\", \"2B\"]\n"
      "notes = [\"a \\\"b\\\"\"]\n[[fault]]\nprobability = 0.25\n[[fault]]\naction = \"delay\"\n",
      "t.toml");
  config.set("cluster.rate=25Gbps");
  config.set("run.trace=false");
  config.set("fault.1.probability = 0.5");
  Params p(config);
  const auto s = read(p);
  CHECK(s.nodes == 8);
  CHECK(s.delay == Time::ns(1500));
  CHECK(s.rate == Rate::gbps(25));
  CHECK_FALSE(s.trace);
  CHECK(s.sizes == std::vector<Bytes>{Bytes::kib(1), Bytes(2)});
  REQUIRE(s.faults.size() == 2);
  CHECK(s.faults[0].probability == 0.25);
  CHECK(s.faults[1].action == "delay");
  CHECK(s.faults[1].probability == 0.5);

  const std::string toml = to_toml(p.resolved());
  CHECK(toml.find("[[fault]]") != std::string::npos);
  const auto again = Config::from_text(toml, "resolved.toml");
  Params q(again);
  read(q);
  CHECK(to_toml(q.resolved()) == toml);

  const auto json = to_json(p.resolved(), [](const std::string& key) { return key.starts_with("run."); });
  CHECK(json.dump() == R"({"cluster":{"nodes":8,"delay":"1500ns","rate":"25Gbps"},)"
                       R"("fault":[{"action":"drop","probability":0.25},{"action":"delay","probability":0.5}]})");
}
