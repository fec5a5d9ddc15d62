// SPDX-License-Identifier: Apache-2.0
// The golden verbs against a golden trace of our own making.
#include <catch2/catch_test_macros.hpp>

#include "testbenches/cluster/program/program.hpp"

using namespace caravan::support;
namespace fs = std::filesystem;

TEST_CASE("golden check passes on what update wrote, and names the first divergence of what was changed",
          "[cluster][program]") {
  const auto folder = fresh("golden");
  fs::create_directories(folder / "tiny");
  std::ofstream(folder / "tiny/w.properties")
      << "recordcount=4\noperationcount=12\nreadproportion=0\nupdateproportion=1\n";
  std::ofstream(folder / "tiny/config.toml")
      << "[cluster]\nnodes = 2\n[workload]\nkind = \"ycsb\"\nycsb.file = \"w.properties\"\n";
  const std::string where = " --folder " + folder.string();

  auto r = run_caravan("golden check" + where);
  CHECK(r.status == 2);
  CHECK(r.says("fingerprint.txt: can't be read; `caravan golden update` writes it"));
  r = run_caravan("golden update tiny" + where);
  INFO(r.output);
  REQUIRE(r.status == 0);
  CHECK(run_caravan("golden list" + where).says("tiny: 2 nodes"));
  for (const char* how : {"", " --functional"}) {
    r = run_caravan(std::string("golden check tiny") + how + where);
    INFO(r.output);
    CHECK(r.status == 0);
    CHECK(r.says("tiny: same, "));
  }
  CHECK(run_caravan("golden update tiny" + where).says("(as before)"));

  // Another delay moves times only: cycle-exact tells, functional does not mind.
  std::ofstream(folder / "tiny/config.toml", std::ios::app) << "[timing]\nwire = \"90ns\"\n";
  r = run_caravan("golden check tiny" + where);
  CHECK(r.status == 1);
  CHECK(r.says("tiny: MOVED after "));
  CHECK(r.says("first divergence: time "));
  CHECK(r.says(", cycle "));
  CHECK(r.says(", node "));
  CHECK(r.says(", port "));
  CHECK(r.says("  what differs (expected -> actual):\n    time: "));
  CHECK(r.says("  the 5 records before:\n"));
  CHECK(r.says("  reproduce: caravan golden check tiny --folder "));
  CHECK(r.says("  look closer: caravan run "));

  // A changed value is told field by field.
  r = run_caravan("golden update tiny" + where);
  REQUIRE(r.status == 0);
  auto trace = slurp(folder / "tiny/trace.txt");
  const auto at = trace.find("psn=", trace.size() / 2);
  REQUIRE(at != std::string::npos);
  const auto end = trace.find_first_of(" \n", at);
  trace.replace(at, end - at, "psn=1234567");
  std::ofstream(folder / "tiny/trace.txt", std::ios::trunc) << trace;
  for (const char* how : {"", " --functional"}) {
    r = run_caravan(std::string("golden check tiny") + how + where);
    CHECK(r.status == 1);
    CHECK(r.says("    psn: 1234567 -> "));
  }
}
