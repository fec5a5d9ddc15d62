// SPDX-License-Identifier: Apache-2.0
// What a whole configuration may hold: the files that ship, and the text of every complaint.
#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <fstream>

#include "models/base/errors.hpp"
#include "sim/app/configured.hpp"
#include "sim/cluster/scenario_config.hpp"

using namespace caravan;

namespace {

std::string complaint(const std::string& text, const std::vector<std::string>& sets = {},
                      const std::vector<std::string>& properties = {}) {
  try {
    auto config = base::Config::from_text(text, "my.toml");
    for (const auto& set : sets) config.set(set);
    base::Params params(config);
    sim::read_scenario(params, properties);
  } catch (const base::UserError& error) { return error.what(); }
  return "accepted";
}

}  // namespace

TEST_CASE("every configuration that ships is valid, and its resolved form gives the same", "[model][scenario]") {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(CARAVAN_SOURCE_DIR "/sim/configs"))
    files.push_back(entry.path());
  for (const auto& entry : std::filesystem::directory_iterator(CARAVAN_SOURCE_DIR "/testbenches/golden")) {
    if (entry.is_directory()) files.push_back(entry.path() / "config.toml");
  }
  REQUIRE(files.size() >= 8);
  const std::filesystem::path folder = CARAVAN_BINARY_DIR "/testbenches/model/scenario/resolved";
  std::filesystem::create_directories(folder);
  for (const auto& file : files) {
    INFO(file.string());
    app::ConfigArguments arguments;
    arguments.file = file.string();
    const auto configured = app::configure(arguments);
    app::write_resolved(configured, folder);
    arguments.file = (folder / "resolved.toml").string();
    const auto again = app::configure(arguments);
    CHECK(app::summary(again.scenario).size() > 20);
    REQUIRE(again.resolved.size() == configured.resolved.size());
    for (std::size_t i = 0; i < again.resolved.size(); ++i) {
      const auto& key = again.resolved[i].key;
      if (key == "workload.ycsb.file" || key == "workload.ycsb.set") continue;
      CHECK(again.resolved[i].key == configured.resolved[i].key);
      CHECK(again.resolved[i].text == configured.resolved[i].text);
    }
    REQUIRE(again.scenario.ycsb.properties.all().size() == configured.scenario.ycsb.properties.all().size());
    for (const auto& [name, property] : configured.scenario.ycsb.properties.all()) {
      CHECK(again.scenario.ycsb.properties.find(name)->value == property.value);
    }
  }
}

TEST_CASE("values that do not fit together are refused", "[model][scenario][errors]") {
  CHECK(complaint("") == "accepted");
  CHECK(complaint("[cluster]\nnodes = 1") == "my.toml:2: cluster.nodes = 1: out of range; allowed: 2 .. 32");
  CHECK(complaint("[cluster]\ntopology = \"direct\"") ==
        "my.toml:2: cluster.topology = \"direct\": one cable joins 2 nodes; cluster.nodes is 4");
  CHECK(complaint("[cluster]\npmtu = \"1500B\"") ==
        "my.toml:2: cluster.pmtu = \"1500B\": must be one of 256B, 512B, 1KiB, 2KiB, 4KiB");
  CHECK(complaint("[cluster]\nretry_timeout = \"20us\"") ==
        "my.toml:2: cluster.retry_timeout = \"20us\": must be 4096ns times a power of two, such as 16384ns");
  CHECK(complaint("[workload]\nkind = \"ycbs\"") ==
        "my.toml:2: workload.kind = \"ycbs\": not one of: ycsb, verb, host, incast, idle; did you mean \"ycsb\"?");
  CHECK(complaint("[workload]\nkind = \"ycsb\"") ==
        "my.toml: workload.ycsb.file = \"\" (default): must name a YCSB core properties file, such as "
        "workloads/ycsb/workloada.properties");
  CHECK(complaint("[workload]\nkind = \"ycsb\"\nycsb.file = \"nowhere.properties\"") ==
        "nowhere.properties: the property file can't be read");
  CHECK(complaint("", {}, {"operationcount=5"}) ==
        "my.toml: workload.ycsb.file = \"\" (default): -p sets YCSB properties, but workload.kind is not \"ycsb\"");
  CHECK(complaint("[workload]\nkind = \"verb\"\n[workload.verb]\nsizes = [\"64KiB\"]\nwindow = \"4KiB\"") ==
        "my.toml:5: workload.verb.window = \"4KiB\": is smaller than the largest of workload.verb.sizes");
  CHECK(complaint("[run]\noutput = \"\"") == "my.toml:2: run.output = \"\": must name a folder");
  CHECK(complaint("[model]\nskip = \"sometimes\"") ==
        "my.toml:2: model.skip = \"sometimes\": not one of: on, off, verify");
  CHECK(complaint("[timing]\nwire = \"5 m\"").starts_with("my.toml:2: timing.wire = \"5 m\": unknown unit 'm'"));
  CHECK(complaint("[workload]\nkind = \"ycsb\"\n[workload.ycsb]\nfile = \"" CARAVAN_SOURCE_DIR
                  "/workloads/ycsb/workloada.properties\"",
                  {}, {"scanproportion=0.1"}) ==
        "command line (-p scanproportion=0.1): scanproportion=0.1: scans are not supported: the map is indexed by key "
        "and has no "
        "order to scan; allowed: 0");
}

TEST_CASE("fault rules are read, and refused by their place", "[model][scenario][errors]") {
  auto config = base::Config::from_text(
      "[[fault]]\naction = \"delay\"\ndelay = \"2us\"\nopcode = \"WRITE_ONLY\"\nqpn = 3\npsn_first = 5\npsn_last = "
      "5\nshots = 1\n"
      "[[fault]]\nto_node = 2\nprobability = 0.5\n",
      "my.toml");
  base::Params params(config);
  const auto scenario = sim::read_scenario(params);
  REQUIRE(scenario.faults.size() == 2);
  const auto& first = scenario.faults[0];
  CHECK(first.action == timing::FaultAction::kDelay);
  CHECK(first.delay == base::Time::us(2));
  CHECK(first.match.opcode == 0x0A);
  CHECK(first.match.dest_qp == base::Qpn(3));
  REQUIRE(first.match.relative_psn);
  CHECK(first.match.relative_psn->first == 5);
  CHECK(first.shots == 1);
  CHECK_FALSE(first.match.egress_port);
  CHECK(scenario.faults[1].match.egress_port == 2u);
  CHECK_FALSE(scenario.faults[1].match.relative_psn);
  CHECK(scenario.faults[1].probability == 0.5);

  CHECK(complaint("[[fault]]\nto_node = 4") ==
        "my.toml:2: fault.0.to_node = 4: there is no such node; allowed: -1 .. 3");
  CHECK(complaint("[[fault]]\npsn_first = 6\npsn_last = 5") ==
        "my.toml:3: fault.0.psn_last = 5: must not be below psn_first");
  CHECK(
      complaint("[[fault]]\naction = \"lose\"")
          .starts_with(
              "my.toml:2: fault.0.action = \"lose\": not one of: drop, duplicate, delay, reorder, corrupt, mark_ecn"));
  CHECK(complaint("[[fault]]\nopcode = \"WRITE_ONYL\"").ends_with("did you mean \"WRITE_ONLY\"?"));
  CHECK(complaint("[cluster]\nnodes = 2\ntopology = \"direct\"\n[[fault]]\n")
            .find("with cluster.topology = \"direct\" there is none") != std::string::npos);
}

TEST_CASE("run and skip keys change no result", "[model][scenario]") {
  CHECK(sim::is_where("run.threads"));
  CHECK(sim::is_where("model.skip"));
  CHECK_FALSE(sim::is_where("cluster.nodes"));
  CHECK_FALSE(sim::is_where("timing.wire"));
}
