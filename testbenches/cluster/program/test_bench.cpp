// SPDX-License-Identifier: Apache-2.0
// What `caravan bench verbs` and `caravan bench incast` print and write, on short runs.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "testbenches/cluster/program/program.hpp"

using namespace caravan::support;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// The row of a table that has these values.
Json row_of(const Json& table, const Json& wanted) {
  for (const auto& row : table) {
    bool same = true;
    for (const auto& [key, value] : wanted.items()) same = same && row.at(key) == value;
    if (same) return row;
  }
  FAIL("no row " << wanted.dump());
  return {};
}

std::set<std::string> devices(const Json& row) {
  std::set<std::string> out;
  for (const auto& figure : row["published"]) {
    out.insert(figure["device"]);
    CHECK_FALSE(figure["source"].get<std::string>().empty());
  }
  return out;
}

}  // namespace

TEST_CASE("bench verbs measures goodput, rates and latency from both front ends, beside published figures",
          "[cluster][program][bench]") {
  const auto file = fresh("bench_verbs.json");
  const auto r = run_caravan("bench verbs -q --qps 8 --messages 64 --json " + file.string());
  INFO(r.output);
  REQUIRE(r.status == 0);
  CHECK(r.says("not published"));
  CHECK(r.says("BlueField-2: ~2500 ns, measured: READ round trip, 100 GbE, one top-of-rack switch"));
  CHECK(r.says("published, like none of the rows above:"));
  const auto bench = Json::parse(slurp(file));
  CHECK(bench["partial"] == false);
  CHECK(bench["failures"].empty());

  REQUIRE(bench["goodput"].size() == 4);
  for (const auto& row : bench["goodput"]) {
    INFO(row.dump());
    CHECK(row["share_of_ceiling"] >= 0.99);
    CHECK(row["share_of_ceiling"] <= 1.0);
    CHECK(row["size_bytes"] == 32768);
    CHECK(devices(row).size() == (row["qps"] == 1 ? 1 : 0));  // what is published of 500 queue pairs is not of 8
  }

  // Sixteen packets of 4 KiB a round trip, and the tail of the last window.
  std::vector<double> wires;
  for (const auto& row : bench["window"]) {
    INFO(row.dump());
    wires.push_back(row["wire_ns"]);
    CHECK((row["messages"] == 1600 && row["window_packets"] == 16 && row["size_bytes"] == 4096));
    const double wire = row["wire_ns"], round_trip = row["round_trip_ns"];
    CHECK(round_trip > 2 * wire);
    CHECK(round_trip < 2 * wire + 1600);  // 1.5 us of it are not the cable
    CHECK(std::abs(row["ceiling_bps"].get<double>() - 16 * 4096 * 8e9 / round_trip) < 1e6);
    CHECK(row["ceiling_bps"] < 97.6e9);  // of the window, not of the wire
    CHECK(row["share_of_ceiling"] >= 0.99);
    CHECK(row["share_of_ceiling"] <= 1.0);
  }
  REQUIRE(wires == std::vector<double>{2000, 5000, 20000});

  const auto rate = [&](const char* verb, const char* front_end) {
    return row_of(bench["rates"], {{"verb", verb}, {"front_end", front_end}})["messages_per_second"].get<double>();
  };
  CHECK(rate("WRITE", "on-chip") >= 60e6);
  CHECK(rate("READ", "on-chip") >= 60e6);
  for (const auto& row : bench["rates"]) {
    if (row.contains("ceiling_per_second")) CHECK(row["messages_per_second"] <= row["ceiling_per_second"]);
  }
  // One counter: each takes the result of the one before, so what bounds the rate is the responder (4 cycles an
  // atomic), not two accesses of a memory (268 ns on the chip, 770 ns in the host).
  CHECK(rate("FETCH_ADD", "on-chip") > 50e6);
  CHECK(rate("FETCH_ADD", "on-chip") <= 62.5e6);
  CHECK(rate("FETCH_ADD", "host") > 10e6);
  CHECK(devices(row_of(bench["rates"], {{"verb", "FETCH_ADD"}, {"front_end", "host"}})) ==
        std::set<std::string>{"ConnectX-3/4", "ConnectX-5", "ConnectX-6", "ConnectX-7"});

  REQUIRE(bench["latency"].size() == 16);
  const auto latency = [&](const char* verb, const char* front_end, const char* topology) {
    return row_of(bench["latency"], {{"verb", verb}, {"front_end", front_end}, {"topology", topology}});
  };
  for (const char* verb : {"WRITE", "READ", "SEND", "FETCH_ADD"}) {
    for (const char* front_end : {"on-chip", "host"}) {
      INFO(verb << " " << front_end);
      const auto cable = latency(verb, front_end, "cable"), through = latency(verb, front_end, "switch");
      for (const auto& row : {cable, through}) {
        CHECK(row["min"] <= row["median"]);
        CHECK(row["median"] <= row["p99"]);
        CHECK(row["samples"] == 200);
        CHECK(row["size_bytes"] == (std::string(verb) == "FETCH_ADD" ? 8 : 64));
      }
      // Both ways through the switch: 2 x (300 ns and a second cable of 10 ns), to the grids of clock and polling loop.
      CHECK(std::abs(through["median"].get<double>() - cable["median"].get<double>() - 620) <= 20);
    }
  }
  const auto read = latency("READ", "host", "switch");
  CHECK(std::abs(read["median"].get<double>() - 2500) <= 0.02 * 2500);
  CHECK(devices(read) == std::set<std::string>{"BlueField-2"});
  CHECK(devices(latency("READ", "on-chip", "switch")).empty());
}

TEST_CASE("bench incast runs every control, compares them and keeps rates over time", "[cluster][program][bench]") {
  const auto out = fresh("bench_incast"), file = fresh("bench_incast.json");
  const std::string how =
      "bench incast -q --set workload.incast.duration=40us --set workload.incast.sample=4us --out " + out.string();
  const auto r = run_caravan(how + " --json " + file.string());
  INFO(r.output);
  REQUIRE(r.status == 0);
  CHECK(r.says("Gb/s on the wire, fairness (Jain), queue and drops at the receiver"));
  const auto runs = Json::parse(slurp(file))["runs"];
  REQUIRE(runs.size() == 4);
  for (const auto& run : runs) {
    const std::string control = run["control"];
    INFO(run.dump());
    CHECK(run["gbps"] > 90);
    CHECK((run["first_half_drops"].get<int>() == 0) == (control == "pfc"));
    CHECK((run["pauses"].get<int>() > 0) == (control == "pfc"));
    const auto csv = slurp(out / control / "incast.csv");
    CHECK(csv.starts_with("time_us,queue_bytes,drops,flow0_gbps"));
    CHECK(std::count(csv.begin(), csv.end(), '\n') >= 11);
    CHECK(fs::file_size(out / control / "results.json") > 0);
  }
  CHECK(run_caravan(how).says("holds results already; --force replaces them"));
}

TEST_CASE("bench refuses what it can't measure or write, before it measures", "[cluster][program][bench][errors]") {
  CHECK(run_caravan("bench").status == 2);
  CHECK(run_caravan("bench verbs --qps 1").status == 2);
  CHECK(run_caravan("bench verbs --messages 0").status == 2);
  auto r = run_caravan("bench verbs --json nowhere/at/all.json");
  CHECK(r.status == 2);
  CHECK(r.output == "caravan: nowhere/at/all.json: can't be written\n");
  r = run_caravan("bench incast --folder nowhere --out " + fresh("bench_nowhere").string());
  CHECK(r.status == 2);
  CHECK(r.says("nowhere/incast8_none.toml: the configuration file can't be read"));
}
