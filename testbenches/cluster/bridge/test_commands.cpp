// SPDX-License-Identifier: Apache-2.0
// The control channel's language: answers and error texts.
#include <catch2/catch_test_macros.hpp>

#include "models/base/errors.hpp"
#include "testbenches/cluster/bridge/running_bridge.hpp"
#include "testbenches/cluster/program/program.hpp"

using namespace caravan;
using support::RunningBridge;

TEST_CASE("Commands answer on one line, and say what is wrong", "[cluster][bridge][errors]") {
  RunningBridge bridge("commands");
  const struct {
    const char *line, *answer;
  } kRows[] = {
      {"open 1", "ok dev=rtl0 gid=::ffff:10.0.0.1 mac=020000000001"},
      {"node 1", "ok node=1"},
      {"open", "ok dev=rtl1 gid=::ffff:10.0.0.2 mac=020000000002"},
      {"node 2", "err node: N 2 is not in 0 .. 1"},
      {"node 0", "ok node=0"},
      {"", "err empty line"},
      {"wriet 0 1 2 3", "err unknown command 'wriet'; did you mean 'write'?"},
      {"frobnicate", "err unknown command 'frobnicate'"},
      {"write 0 1 2",
       "err write: usage: write OFF LEN RVA RKEY              flags may follow any request: s solicited, n success is "
       "not reported"},
      {"write 0 1 2 3", "err write: no region yet: mr VA SIZE"},
      {"get 0 1", "err get: no region yet: mr VA SIZE"},
      {"mr 0x20000000 x", "err mr: SIZE 'x' is no number"},
      {"mr 0x20000000 0", "err mr: SIZE is 0"},
      {"mr 0x1000 64", "err mr: VA 0x1000 is below 0x10000000: the retransmission rings are there"},
      {"mr 0x3000000000000000 64",
       "err mr: VA 0x3000000000000000: bits 63:60 select the memory; allowed: 0 (HBM), 8 (host)"},
      {"mr 0x20000000 0x400000000",
       "err mr: region 0x20000000 + 0x400000000 ends behind the memory's 0x200000000 bytes"},
      {"mr 0x20000000 4096 rw", "err mr: 'rw' is not one of ro, noatomic"},
      {"mr 0x80000000fffff000 8192",
       "err mr: region 0xfffff000 + 0x2000 ends behind 0x100000000: the work queues are there"},
      {"mr 0x8000000020000000 4096", "ok va=0x8000000020000000 lkey=0x401 rkey=0x401"},
      {"set 0 00ff1", "err set: HEX has an odd number of digits"},
      {"set 0 0g", "err set: HEX: 'g' is no hexadecimal digit"},
      {"set 4090 00ff10", "ok set"},
      {"get 4090 6", "ok 00ff10000000"},
      {"get 4090 7", "err get: OFF 0xffa + LEN 0x7 is outside the region's 0x1000 bytes"},
      {"get 0xffffffffffffffff 2", "err get: OFF 0xffffffffffffffff + LEN 0x2 is outside the region's 0x1000 bytes"},
      {"fill 0 300 5", "ok filled"},
      {"get 255 3", "ok fe060d"},
      {"sum 0 300", "ok fnv=b0e85d4038451261"},
      {"state", "err state: no queue pair yet: qp rc DEPTH"},
      {"write 0 1 2 3", "err write: no queue pair yet: qp rc DEPTH"},
      {"qp uc 1", "err qp: service 'uc' is not one of rc"},
      {"qp rc 1 0x1000000", "err qp: QPN 0x1000000 is not in 0 .. 16777215"},
      {"qp rc 1 0xffffff", "err qp: node0: queue pair 16777215 does not exist in this node"},
      {"qp rc 1", "ok qpn=0x4"},
      {"qp rc 1", "ok qpn=0x5"},
      {"use 4", "ok qpn=0x4"},
      {"use 6", "err use: there is no queue pair 0x6"},
      {"rts 0 0 7 7", "err rts: the queue pair is not in RTR"},
      {"rtr 1000 1 2 10.0.0.3 12", "err rtr: node0: QP 4: path MTU 1000 is not one of 256, 512, 1024, 2048, 4096"},
      {"rtr 1024 1 2 10.0.0.9 12", "err rtr: no neighbour has the address 10.0.0.9"},
      {"rtr 1024 1 2 10.0.0.1 12", "err rtr: no neighbour has the address 10.0.0.1"},
      {"rtr 1024 1 2 fe80::1 12", "err rtr: DGID 'fe80::1' is no IPv4 address"},
      {"rtr 1024 1 2 10.0.0.3 32", "err rtr: RNRTIMER 32 is not in 0 .. 31"},
      {"rtr 1024 1 2 10.0.0.3 12", "ok rtr"},
      {"rts 1 32 7 7", "err rts: TIMEOUT 32 is not in 0 .. 31"},
      {"rts 1 0 8 7", "err rts: RETRY 8 is not in 0 .. 7"},
      {"rts 1 0 7 7", "ok rts"},
      {"state", "ok state=3 sq_psn=0x1 rq_psn=0x2 timeout=0"},
      {"write 0 0x80000001 0 0", "err write: LEN 0x80000001 is above 2^31"},
      {"write 0 4097 0 0", "err write: OFF 0x0 + LEN 0x1001 is outside the region's 0x1000 bytes"},
      {"reset", "ok reset"},
      {"state", "ok state=0 sq_psn=0x1 rq_psn=0x2 timeout=0"},
      {"fault drop", "err fault: 'drop' is not KEY=VALUE"},
      {"fault action=drop to_node=3",
       "err fault: fault:3: fault.0.to_node = 3: there is no such node; allowed: -1 .. 2"},
      {"fault clear", "ok fault"},
      {"stats nothing", "ok"},
      {"poll 1 0x", "err poll: TIMEOUT_MS '0x' is no number"},
  };
  for (const auto& row : kRows) {
    INFO(row.line);
    CHECK(bridge.ask(row.line) == row.answer);
  }
  CHECK(bridge.ask("help").starts_with("ok node open mr qp use rtr rts"));
  CHECK(bridge.ask("time").starts_with("ok ps="));
  CHECK(bridge.ask("fault action=dorp").starts_with("err fault: fault:2: "));
  CHECK(bridge.ask("quit") == "ok bye");
  bridge.join();
}

TEST_CASE("Two simulated nodes talk while the peer's port is silent", "[cluster][bridge]") {
  RunningBridge bridge("two");
  const char* const kSetup[] = {
      "node 1",        "mr 0x20000000 4096",           "qp rc 1 9",   "rtr 4096 8 7 10.0.0.1 12", "rts 3 0 7 7",
      "node 0",        "mr 0x20000000 4096",           "qp rc 1 8",   "rtr 4096 9 3 10.0.0.2 12", "rts 7 14 7 7",
      "fill 0 100 77", "write 0 100 0x20000064 0x401", "poll 1 10000"};
  std::string last;
  for (const auto* line : kSetup) {
    last = bridge.ask(line);
    INFO(line << " -> " << last);
    REQUIRE(last.starts_with("ok"));
  }
  CHECK(last.starts_with("ok [wr=1 success op=1 len=100 imm=0 f=0] n=1"));
  const auto sent = bridge.ask("sum 0 100");
  CHECK(bridge.ask("node 1") == "ok node=1");
  CHECK(bridge.ask("sum 100 100") == sent);
}

TEST_CASE("A bridge with a workload, or without a switch, is refused", "[cluster][bridge][errors]") {
  const auto path = support::socket_path("refused_config");
  auto result = support::run_caravan("bridge sim/configs/quickstart.toml --socket " + path);
  CHECK(result.status == 2);
  CHECK(
      result.output ==
      "caravan: a bridge runs no workload: the nodes belong to the control channel; workload.kind must be \"idle\"\n");
  result = support::run_caravan("bridge sim/configs/bridge.toml --set cluster.topology=direct --socket " + path);
  CHECK(result.status == 2);
  CHECK(result.output == "caravan: a bridge is one more port of the switch: cluster.topology must be \"switch\"\n");
  result = support::run_caravan("bridge sim/configs/bridge.toml");
  CHECK(result.status == 2);
  CHECK(result.says("--socket is required"));
}

TEST_CASE("A signal ends the bridge: what was counted is printed, the sockets are gone", "[cluster][bridge]") {
  const auto path = support::socket_path("signal");
  const auto result =
      support::shell("cd " CARAVAN_SOURCE_DIR "; " + support::kProgram + " bridge sim/configs/bridge.toml --socket " +
                     path + " --control " + path + ".ctl & sleep 1; kill -INT $!; wait $!; echo status $?");
  CHECK(result.says("2 nodes at 250MHz, cut-through switch at 100Gbps; no workload\n"));
  CHECK(result.says("peer 02:00:00:00:00:03 10.0.0.3 at -netdev stream,server=off,addr.type=unix,addr.path=" + path));
  CHECK(result.says("status 0"));
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK_FALSE(std::filesystem::exists(path + ".ctl"));
}

TEST_CASE("Where no guest can be had, every interoperability case is visibly skipped", "[cluster][bridge][interop]") {
  const auto result =
      support::shell("cd " CARAVAN_SOURCE_DIR
                     " && PYTHONPATH=tools python3 -B -m interop_parts.main --program none --skip 'no packages'");
  CHECK(result.status == 0);
  CHECK(result.says("caravan interop: no packages: every case is skipped"));
  CHECK(result.says("| WRITE | skipped | skipped |"));
  CHECK(result.says("| ib_atomic_lat | skipped | skipped |"));
  CHECK_FALSE(result.says(" ok "));
}

TEST_CASE("The interoperability cases hold between two RTL nodes", "[cluster][bridge][interop]") {
  const auto result = support::shell("cd " CARAVAN_SOURCE_DIR
                                     " && PYTHONPATH=tools python3 -B -m interop_parts.main --no-guest --program " +
                                     support::kProgram);
  INFO(result.output);
  CHECK(result.status == 0);
  CHECK(result.says("| WRITE | ok | ok |"));
  CHECK(result.says("| 5 % loss | ok | ok |"));
  CHECK_FALSE(result.says("FAILED"));
  CHECK_FALSE(result.says("missing"));
}
