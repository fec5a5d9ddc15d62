// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"
#include "sim/app/divergence.hpp"
#include "sim/app/output_folder.hpp"
#include "sim/app/report.hpp"

using namespace caravan;
using base::Time;
namespace fs = std::filesystem;

TEST_CASE("a divergence names time, cycle, node, port and the fields that differ", "[model][app]") {
  base::Divergence d;
  d.expected = base::TraceRecord{Time::ns(40), 2, "mac_tx", "frame", "op=ACK psn=5"};
  d.actual = base::TraceRecord{Time::ns(44), 2, "mac_tx", "frame", "op=ACK psn=6 ecn=3"};
  d.before = {{Time::ns(36), 1, "client", "req", "op=get"}};
  CHECK(app::divergence_text(d, Time::ns(4), "golden", "now") ==
        "first divergence: time 40000 ps, cycle 10, node 2, port mac_tx\n"
        "  golden  40000 2 mac_tx frame op=ACK psn=5\n"
        "  now     44000 2 mac_tx frame op=ACK psn=6 ecn=3\n"
        "  what differs (golden -> now):\n"
        "    time: 40ns -> 44ns\n"
        "    psn: 5 -> 6\n"
        "    ecn: (absent) -> 3\n"
        "  the 1 records before:\n"
        "    36000 1 client req op=get\n");
  d.actual = std::nullopt;
  CHECK(app::divergence_text(d, Time::ns(4), "a", "b").find("  b  (the trace has ended)\n") != std::string::npos);
}

TEST_CASE("results are never overwritten unasked, and nothing else is ever removed", "[model][app][errors]") {
  const fs::path folder = CARAVAN_BINARY_DIR "/testbenches/model/scenario/output";
  fs::remove_all(folder);
  const auto complaint = [&](bool force) -> std::string {
    try {
      app::prepare_output(folder, force);
    } catch (const base::UserError& error) { return std::string(error.what()).substr(folder.string().size()); }
    return "accepted";
  };
  CHECK(complaint(false) == "accepted");
  CHECK(complaint(false) == "accepted");  // empty
  app::write_file(folder / "results.json", "{}");
  CHECK(complaint(false) == ": holds results already; --force replaces them, --out chooses another folder");
  CHECK(complaint(true) == "accepted");
  CHECK(fs::is_empty(folder));
  app::write_file(folder / "thesis.txt", "precious");
  app::write_file(folder / "results.json", "{}");
  CHECK(complaint(true) == ": holds 'thesis.txt', which is no result of a run; choose another folder with --out");
  CHECK(fs::exists(folder / "thesis.txt"));
  CHECK(fs::exists(folder / "results.json"));
  fs::remove_all(folder);
  app::write_file(folder.string() + ".file", "");
  CHECK_THROWS_AS(app::prepare_output(folder.string() + ".file", true), base::UserError);
  CHECK_THROWS_AS(app::prepare_output(folder.string() + ".file/sub", true), base::UserError);
  CHECK_THROWS_AS(app::write_file("/nowhere/x", ""), base::UserError);
}

TEST_CASE("results say whether they are whole, and hold nothing that depends on the machine", "[model][app]") {
  app::ConfigArguments arguments;
  arguments.file = CARAVAN_SOURCE_DIR "/sim/configs/quickstart.toml";
  auto configured = app::configure(arguments);
  sim::ScenarioResult result;
  result.outcome = sim::Outcome::kInterrupted;
  result.fingerprint = 0xABC;
  result.replicas.resize(1);
  result.replicas[0].operations = 2;
  result.replicas[0].busy = Time::us(1);
  result.replicas[0].latency[0].add(10);
  result.replicas[0].latency[0].add(20);
  result.checks.push_back({"every operation answered", false, "2 of 4000"});
  result.stats.push_back({"node0.roce_tx.retrans", base::Unit::kPackets, 7});
  result.stats.push_back({"node0.net.rx_drop_ip", base::Unit::kFrames, 2});
  result.stats.push_back({"switch.port0.drop_fault", base::Unit::kFrames, 3});
  const auto json = app::results_json(configured, result);
  CHECK(json["schema"] == "caravan-results-1");
  CHECK(json["partial"] == true);
  CHECK(json["passed"] == false);
  CHECK(json["fingerprint"] == "0000000000000abc");
  CHECK(json["replicas"][0]["latency"]["READ"]["p50"] == 10);
  CHECK(json["replicas"][0]["operations_per_second"] == 2e6);
  CHECK(json["configuration"]["cluster"]["nodes"] == 4);
  CHECK_FALSE(json["configuration"].contains("run"));
  CHECK(json.dump().find(CARAVAN_SOURCE_DIR) == std::string::npos);
  auto other = configured;
  other.scenario.threads = 7;
  CHECK(app::results_json(other, result).dump() == json.dump());

  const auto table = app::result_table(configured, result, {});
  CHECK(table.find("PARTIAL RESULTS: the run was ended interrupted") != std::string::npos);
  CHECK(table.find("FAILED  every operation answered: 2 of 4000") != std::string::npos);
  CHECK(table.ends_with("fingerprint 0000000000000abc\n"));
  CHECK(result.sum("node0", "retrans") == 7);
  CHECK(result.sum("switch.port0", "drop") == 3);
}
