// SPDX-License-Identifier: Apache-2.0
// Rates of READs, and payload that waits for memory.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "testbenches/unit/roce_txc/ctl_bench.hpp"

using namespace caravan::roce_txc;

TEST_CASE("Nothing is written to the buffer of a READ after its completion, a failed one neither", "[unit][roce]") {
  const std::uint32_t packets = GENERATE(8u, 24u);  // 24: part of the READ was not even asked for
  Ctl ctl;
  ctl.configure(0, {.pmtu = 0, .timeout = 0});
  ctl.hold_writes = true;
  ctl.post({.qpn = 0, .wr_id = 1, .len = packets * 256, .op = kRead});
  ctl.post({.qpn = 0, .wr_id = 2});
  ctl.run(40);
  ctl.read_responses(0, 100, 3, 256);
  ctl.run(20);
  ctl.errs.push(0);
  ctl.run(100);
  REQUIRE(ctl.cmds.size() == 3);
  REQUIRE(ctl.cpl.items().empty());
  ctl.hold_writes = false;
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{0, 1, kFlushed}, {0, 2, kFlushed}});
}

TEST_CASE("A READ is issued in one job and one cycle a PSN; the next packet follows at once", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(0, {.pmtu = 0});
  ctl.hold_jobs = true;
  ctl.post({.qpn = 0, .wr_id = 0});
  ctl.post({.qpn = 0, .wr_id = 1, .len = 4 * 256, .op = kRead});
  ctl.post({.qpn = 0, .wr_id = 2});
  ctl.run(20);
  ctl.hold_jobs = false;
  ctl.run(20);
  const auto& jobs = ctl.jobs();
  REQUIRE(jobs.size() == 3);
  REQUIRE(jobs[1].at == jobs[0].at + 1);
  REQUIRE(jobs[2].at == jobs[1].at + 4);
  REQUIRE(jobs[2].psn == 105);
}

TEST_CASE("Responses of many QPs are taken in 2 cycles each", "[unit][roce]") {
  Ctl ctl;
  for (std::uint32_t q = 0; q < 8; ++q) {
    ctl.configure(q, {});
    ctl.post({.qpn = q, .wr_id = 1, .len = 64, .op = kRead});
    ctl.post({.qpn = q, .wr_id = 2, .len = 64, .op = kRead});
  }
  REQUIRE(ctl.settle());
  for (std::uint32_t psn : {100u, 101u})
    for (std::uint32_t q = 0; q < 8; ++q) ctl.read_responses(q, psn, 1, 64);
  REQUIRE(ctl.settle());
  const auto& at = ctl.acks.sent_at();
  REQUIRE(at.size() == 16);
  for (std::size_t i = 1; i < at.size(); ++i) REQUIRE(at[i] == at[i - 1] + 2);
  REQUIRE(ctl.cpl.items().size() == 16);
}

TEST_CASE("Payload that waits for memory holds up responses only when sixteen commands wait", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(0, {.timeout = 0});
  ctl.configure(1, {.timeout = 0});
  for (std::uint32_t i = 0; i < 2; ++i) ctl.post({.qpn = 0, .wr_id = i, .len = 8 * 1024, .op = kRead});
  ctl.post({.qpn = 1, .wr_id = 9});
  REQUIRE(ctl.settle());
  ctl.hold_cmds = true;
  ctl.read_responses(0, 100, 15, 1024);
  ctl.ack({.qpn = 1, .psn = 100});
  ctl.run(100);
  REQUIRE(ctl.cpl.items().empty());  // behind the READ's completion, which waits for its data
  REQUIRE(ctl.events.ack == 16);
  ctl.read_responses(0, 115, 1, 1024);
  ctl.ack({.qpn = 0, .psn = 1, .opcode = kReadMiddle, .len = 7});
  ctl.run(100);
  REQUIRE(ctl.events.ack == 17);
  REQUIRE(ctl.events.stale == 0);  // the seventeenth waits
  ctl.hold_cmds = false;
  REQUIRE(ctl.settle());
  REQUIRE(ctl.events.stale == 1);
  REQUIRE(ctl.cmds.size() == 17);
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{0, 0, kOk}, {1, 9, kOk}, {0, 1, kOk}});
}
