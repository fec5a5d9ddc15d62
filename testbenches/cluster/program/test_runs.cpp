// SPDX-License-Identifier: Apache-2.0
// Whole runs of the program on the RTL: results, determinism, ends before the end.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "testbenches/cluster/program/program.hpp"

using namespace caravan::support;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {
const std::string kSmall = "run sim/configs/quickstart.toml -q -p recordcount=50 -p operationcount=120 ";
}

TEST_CASE("a run writes its results once, and again only when told to", "[cluster][program]") {
  const auto out = fresh("small");
  auto r = run_caravan(kSmall + "--out " + out.string());
  INFO(r.output);
  REQUIRE(r.status == 0);
  CHECK(r.says("ok      all replicas equal: 131072 rows of 4 replicas"));
  CHECK(r.says("ok      replicas equal to the reference"));
  for (const char* file :
       {"results.json", "perf.json", "resolved.toml", "workload.properties", "trace.txt", "frames.pcapng"}) {
    CHECK(fs::file_size(out / file) > 0);
  }
  const auto results = Json::parse(slurp(out / "results.json"));
  CHECK(results["passed"] == true);
  CHECK(results["partial"] == false);
  CHECK(results["replicas"].size() == 4);
  std::uint64_t operations = 0;
  for (const auto& replica : results["replicas"]) operations += replica["operations"].get<std::uint64_t>();
  CHECK(operations == 120);
  CHECK("fingerprint " + results["fingerprint"].get<std::string>() == fingerprint_line(r));

  const auto again = run_caravan(kSmall + "--out " + out.string());
  CHECK(again.status == 2);
  CHECK(again.says("holds results already; --force replaces them"));
  CHECK(run_caravan(kSmall + "--force --out " + out.string()).status == 0);

  SECTION("the resolved configuration repeats the run") {
    const auto repeat = fresh("repeat");
    const auto q = run_caravan("run -q " + (out / "resolved.toml").string() + " --out " + repeat.string());
    CHECK(q.status == 0);
    CHECK(fingerprint_line(q) == fingerprint_line(r));
    CHECK(slurp(repeat / "trace.txt") == slurp(out / "trace.txt"));
  }
  SECTION("a trace is shown by node and port") {
    const auto s = run_caravan("trace show --node 1 --port mac_tx --limit 3 " + (out / "trace.txt").string());
    CHECK(s.status == 0);
    CHECK(std::count(s.output.begin(), s.output.end(), '\n') == 3);
    CHECK(s.says(" 1 mac_tx "));
  }
}

TEST_CASE("results do not depend on threads, skipping, or traces", "[cluster][program]") {
  const auto reference = fresh("reference");
  const auto r = run_caravan(kSmall + "--set run.threads=1 --set model.skip=off --out " + reference.string());
  REQUIRE(r.status == 0);
  unsigned count = 0;
  for (const char* how : {"--set run.threads=1 --set model.skip=on", "--set run.threads=2 --set model.skip=on",
                          "--set run.threads=2 --set model.skip=verify",
                          "--set run.threads=2 --set run.trace=false --set run.frames=false"}) {
    INFO(how);
    const auto out = fresh("how" + std::to_string(count++));
    const auto q = run_caravan(kSmall + how + " --out " + out.string());
    INFO(q.output);
    CHECK(q.status == 0);
    CHECK(fingerprint_line(q) == fingerprint_line(r));
    CHECK(slurp(out / "results.json") == slurp(reference / "results.json"));
    if (fs::exists(out / "trace.txt")) {
      CHECK(slurp(out / "trace.txt") == slurp(reference / "trace.txt"));
      CHECK(slurp(out / "frames.pcapng") == slurp(reference / "frames.pcapng"));
    }
  }
  const auto other = fresh("seed");
  const auto q = run_caravan(kSmall + "--set workload.seed=2 --out " + other.string());
  CHECK(q.status == 0);
  CHECK(fingerprint_line(q) != fingerprint_line(r));
  const auto d = run_caravan("trace diff " + (reference / "trace.txt").string() + " " + (other / "trace.txt").string());
  CHECK(d.status == 1);
  CHECK(d.says("first divergence: time "));
}

TEST_CASE("a run at its time limit fails and says so", "[cluster][program]") {
  const auto out = fresh("limit");
  const auto r = run_caravan(kSmall + "-p operationcount=4000 --set run.limit=3us --out " + out.string());
  CHECK(r.status == 1);
  CHECK(r.says("PARTIAL RESULTS: the run was ended at the time limit (run.limit)"));
  CHECK(r.says("FAILED  every operation answered"));
  CHECK(Json::parse(slurp(out / "results.json"))["partial"] == true);
}

TEST_CASE("Ctrl-C closes the traces and writes partial results", "[cluster][program]") {
  const auto out = fresh("interrupted");
  const auto r = shell("cd " CARAVAN_SOURCE_DIR " && timeout --preserve-status -s INT 3 " + kProgram +
                       " run sim/configs/quickstart.toml -q -p operationcount=50000000 --out " + out.string());
  INFO(r.output);
  CHECK(r.status == 1);
  CHECK(r.says("PARTIAL RESULTS: the run was ended interrupted"));
  const auto results = Json::parse(slurp(out / "results.json"));
  CHECK(results["partial"] == true);
  CHECK(results["outcome"] == "interrupted");
  CHECK(slurp(out / "trace.txt").ends_with("\n"));
  CHECK(run_caravan("trace diff " + (out / "trace.txt").string() + " " + (out / "trace.txt").string()).status == 0);
}

TEST_CASE("a workload that does not fit leaves old results alone", "[cluster][program][errors]") {
  const auto out = fresh("too_big");
  REQUIRE(run_caravan(kSmall + "--out " + out.string()).status == 0);
  const auto before = slurp(out / "results.json");
  const auto r = run_caravan(kSmall + "--force -p recordcount=200000 --out " + out.string());
  CHECK(r.status == 2);
  CHECK(r.says("recordcount=200000: the map of a node holds 131072 keys; allowed: 1 .. 131072"));
  CHECK(slurp(out / "results.json") == before);
}

namespace {
/// From the head of the quickstart's table on; the speed is that of some machine, so that line ends at the simulated
/// time.
std::string table_of_quickstart(const std::string& text) {
  std::istringstream lines(text.substr(std::min(text.find("4 nodes at 250MHz"), text.size())));
  std::string table;
  for (std::string line; std::getline(lines, line) && line != "```";) {
    if (line.rfind("simulated ", 0) == 0) line.resize(std::min(line.find(" us"), line.size()));
    table += line + "\n";
  }
  return table;
}
}  // namespace

TEST_CASE("the README shows what the quickstart prints", "[cluster][program]") {
  const auto result = run_caravan("run sim/configs/quickstart.toml --out " + fresh("readme").string());
  REQUIRE(result.status == 0);
  const std::string shown = table_of_quickstart(slurp(CARAVAN_SOURCE_DIR "/README.md"));
  REQUIRE(shown.size() > 500);
  REQUIRE(shown == table_of_quickstart(result.output));
}
