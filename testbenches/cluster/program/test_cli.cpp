// SPDX-License-Identifier: Apache-2.0
// Exit status and words of the program: 0 good, 1 a check failed, 2 the user's input is wrong.
#include <catch2/catch_test_macros.hpp>

#include "testbenches/cluster/program/program.hpp"

using namespace caravan::support;

TEST_CASE("a wrong command line is the user's mistake", "[cluster][program][errors]") {
  CHECK(run_caravan("").status == 2);
  CHECK(run_caravan("rum").status == 2);
  CHECK(run_caravan("run").status == 2);
  CHECK(run_caravan("run a.toml --frobnicate").status == 2);
  CHECK(run_caravan("golden").status == 2);
  CHECK(run_caravan("bench engine --seconds 0").status == 2);
  CHECK(run_caravan("--help").status == 0);
  CHECK(run_caravan("run --help").says("--force"));
}

TEST_CASE("check validates and runs nothing", "[cluster][program][errors]") {
  auto r = run_caravan("check sim/configs/quickstart.toml");
  CHECK(r.status == 0);
  CHECK(r.says("sim/configs/quickstart.toml: good: 4 nodes at 250MHz, cut-through switch at 100Gbps; YCSB workloada"));
  r = run_caravan("check sim/configs/quickstart.toml --set cluster.node=3");
  CHECK(r.status == 2);
  CHECK(r.output ==
        "caravan: command line (--set cluster.node=3): unknown key 'cluster.node'; did you mean 'cluster.nodes'?; "
        "`caravan params` "
        "lists them all\n");
  r = run_caravan("check nowhere.toml");
  CHECK(r.status == 2);
  CHECK(r.output == "caravan: nowhere.toml: the configuration file can't be read\n");
  r = run_caravan("check sim/configs/quickstart.toml -p scanproportion=0.1");
  CHECK(r.status == 2);
  CHECK(r.says("scans are not supported"));
  r = run_caravan("check sim/configs/quickstart.toml -p fieldlength=100");
  CHECK(r.status == 0);
  CHECK(r.says("note: command line (-p fieldlength=100): fieldlength has no effect: values are 8 bytes"));
}

TEST_CASE("params and stats list what there is", "[cluster][program]") {
  auto r = run_caravan("params");
  CHECK(r.status == 0);
  CHECK(r.says("cluster.nodes = 4\n    Nodes in the cluster; each is a replica.\n    integer; allowed: 2 .. 32\n"));
  CHECK(r.says("fault[].probability = 1.0"));
  CHECK(r.says("uncertainty: "));
  r = run_caravan("params run");
  CHECK(r.says("run.threads"));
  CHECK_FALSE(r.says("cluster.nodes"));
  CHECK(run_caravan("params --markdown").says("| `cluster.pmtu` | size | `\"4KiB\"` | 256B .. 4KiB |"));
  r = run_caravan("stats");
  CHECK(r.status == 0);
  CHECK(r.says("node<i>.roce_tx.retrans [packets]\n"));
  CHECK(r.says("switch.port<i>."));
  CHECK(run_caravan("stats client").says("client<i>.operations [operations]\n    operations completed, of any kind\n"));
}

TEST_CASE("trace files that are none are refused", "[cluster][program][errors]") {
  auto r = run_caravan("trace show nowhere.txt");
  CHECK(r.status == 2);
  CHECK(r.output == "caravan: nowhere.txt: the trace can't be read\n");
  r = run_caravan("trace diff LICENSE LICENSE");
  CHECK(r.status == 2);
  CHECK(r.says("LICENSE:1: no trace; the first line must be"));
  r = run_caravan("golden check kv33");
  CHECK(r.status == 2);
  CHECK(r.says("no golden trace 'kv33'; did you mean 'kv3'?"));
  r = run_caravan("golden list --folder nowhere");
  CHECK(r.status == 2);
  CHECK(r.says("nowhere: no such folder of golden traces; --folder names another"));
}
