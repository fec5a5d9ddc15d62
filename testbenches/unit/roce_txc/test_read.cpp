// SPDX-License-Identifier: Apache-2.0
// READs and atomics in trouble: implied NAKs, partial retries, wrong responses, errors.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "testbenches/unit/roce_txc/ctl_bench.hpp"

using namespace caravan::roce_txc;

namespace {
/// PSN 100..107 a READ of 8 packets, 108 a WRITE, 109 an atomic, 110 a SEND; PMTU 256.
void mixed(Ctl& ctl, Qp qp = {}) {
  qp.pmtu = 0;
  ctl.configure(0, qp);
  ctl.post({.qpn = 0, .wr_id = 1, .len = 8 * 256, .laddr = 0x10000, .raddr = 0x70000, .op = kRead});
  ctl.post({.qpn = 0, .wr_id = 2});
  ctl.post({.qpn = 0, .wr_id = 3, .laddr = 0x20000, .op = kFaa});
  ctl.post({.qpn = 0, .wr_id = 4, .op = kSend});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == 4);
  ctl.clear();
}
std::vector<std::uint32_t> psns(const Ctl& ctl) {
  std::vector<std::uint32_t> out;
  for (const Job& job : ctl.jobs()) out.push_back(job.psn);
  return out;
}
void finish(Ctl& ctl, std::uint32_t from) {
  if (from < 108) ctl.read_responses(0, from, 108 - from, 256);
  ctl.ack({.qpn = 0, .psn = 108});
  ctl.ack({.qpn = 0, .psn = 109, .opcode = kAtomicAck, .orig = 7});
  ctl.ack({.qpn = 0, .psn = 110});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{0, 1, kOk}, {0, 2, kOk}, {0, 3, kOk}, {0, 4, kOk}});
  REQUIRE(ctl.originals == std::vector<std::uint64_t>{0, 0, 7, 0});
}
}  // namespace

TEST_CASE("Responses in order complete everything, one command for each payload and each value", "[unit][roce]") {
  Ctl ctl;
  mixed(ctl);
  finish(ctl, 100);
  REQUIRE(ctl.cmds.size() == 9);
  REQUIRE(ctl.jobs().empty());
  REQUIRE(ctl.events.ack == 11);
  REQUIRE(ctl.events.nak == 0);
}

TEST_CASE("A lost READ response: whatever comes behind it asks for the rest from there", "[unit][roce]") {
  const int behind = GENERATE(0, 1, 2, 3, 4);
  const std::uint32_t got = GENERATE(0u, 1u, 5u);
  Ctl ctl;
  mixed(ctl, {.retry_limit = 1});
  ctl.read_responses(0, 100, got, 256);
  const std::uint32_t una = 100 + got;
  if (behind == 0) ctl.ack({.qpn = 0, .psn = una + 1, .opcode = kReadMiddle, .len = 256});
  if (behind == 1) ctl.ack({.qpn = 0, .psn = 108});
  if (behind == 2) ctl.ack({.qpn = 0, .psn = 109, .opcode = kAtomicAck, .orig = 99});
  if (behind == 3) ctl.ack({.qpn = 0, .psn = 110, .syndrome = 0x21});  // an RNR NAK says it as well
  if (behind == 4) ctl.ack({.qpn = 0, .psn = 110, .syndrome = 0x62});  // even a fatal one: lost data come first
  REQUIRE(ctl.settle());
  REQUIRE(psns(ctl) == std::vector<std::uint32_t>{una, 108, 109, 110});
  const Job& again = ctl.jobs()[0];
  REQUIRE(again.opcode == kReadRequest);
  REQUIRE(again.va == 0x70000 + got * 256);
  REQUIRE(again.total == (8 - got) * 256);
  REQUIRE(again.retry);
  REQUIRE(ctl.events.nak == 1);
  REQUIRE(ctl.cmds.size() == got + (behind == 0));
  for (std::uint32_t i = got; i < ctl.cmds.size(); ++i) REQUIRE(ctl.cmds[i].target == kDrop);
  REQUIRE(ctl.cpl.items().empty());
  ctl.cpl.clear();
  ctl.originals.clear();
  finish(ctl, una);
}

TEST_CASE("Further proofs of the same loss ask for nothing again", "[unit][roce]") {
  Ctl ctl;
  mixed(ctl);
  for (std::uint32_t psn = 103; psn < 108; ++psn) ctl.ack({.qpn = 0, .psn = psn, .opcode = kReadMiddle, .len = 256});
  ctl.ack({.qpn = 0, .psn = 108});
  REQUIRE(ctl.settle());
  ctl.ack({.qpn = 0, .psn = 108});
  REQUIRE(ctl.settle());
  REQUIRE(psns(ctl) == std::vector<std::uint32_t>{100, 108, 109, 110});
  REQUIRE(ctl.events.nak == 1);
  REQUIRE(ctl.events.stale == 6);
  REQUIRE(ctl.cmds.size() == 5);
  finish(ctl, 100);
}

TEST_CASE("A lost atomic acknowledge: SENDs and WRITEs before it are done, then go back", "[unit][roce]") {
  Ctl ctl;
  mixed(ctl);
  ctl.read_responses(0, 100, 8, 256);
  ctl.ack({.qpn = 0, .psn = 110});  // proves 108, finds 109 without its answer
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{0, 1, kOk}, {0, 2, kOk}});
  REQUIRE(psns(ctl) == std::vector<std::uint32_t>{109, 110});
  ctl.ack({.qpn = 0, .psn = 109, .opcode = kAtomicAck, .orig = 5});
  ctl.ack({.qpn = 0, .psn = 110});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items().size() == 4);
  REQUIRE(ctl.originals[2] == 5);
}

TEST_CASE("Responses that do not fit their PSN have no effect and their payload is dropped", "[unit][roce]") {
  Ctl ctl;
  mixed(ctl, {.timeout = 0});
  const std::vector<Ack> bad{
      {.qpn = 0, .psn = 100, .opcode = kReadFirst, .len = 255},
      {.qpn = 0, .psn = 100, .opcode = kReadOnly, .len = 0},
      {.qpn = 0, .psn = 100, .opcode = kReadFirst, .len = 4096},
      {.qpn = 0, .psn = 100, .opcode = kAtomicAck},
      {.qpn = 0, .psn = 100, .opcode = kAck},  // executed, but the data are missing
      {.qpn = 0, .psn = 99, .opcode = kReadMiddle, .len = 256},
      {.qpn = 0, .psn = 111, .opcode = kReadMiddle, .len = 256},
      {.qpn = 0, .psn = 100, .src_ip = 5, .opcode = kReadMiddle, .len = 256},
      {.qpn = 0, .psn = 100, .syndrome = 0x40, .opcode = kReadFirst, .len = 256},
      {.qpn = 5, .psn = 100, .opcode = kReadMiddle, .len = 256},
      {.qpn = 0xFFFFFF, .psn = 100, .opcode = kReadMiddle, .len = 1},
      {.qpn = 8, .psn = 100, .opcode = kReadMiddle, .len = 256},
  };
  std::size_t payloads = 0;
  for (const Ack& ack : bad) {
    ctl.ack(ack);
    payloads += ack.len != 0;
  }
  REQUIRE(ctl.settle());
  REQUIRE(ctl.events.stale == bad.size());
  REQUIRE(ctl.cmds.size() == payloads);
  for (const Cmd& cmd : ctl.cmds) REQUIRE(cmd.target == kDrop);
  REQUIRE(ctl.jobs().empty());
  ctl.read_responses(0, 100, 8, 256);
  ctl.ack({.qpn = 0, .psn = 108, .opcode = kReadOnly, .len = 8});  // a WRITE's PSN
  ctl.ack({.qpn = 0, .psn = 108, .opcode = kAtomicAck});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.events.stale == bad.size() + 2);
  ctl.ack({.qpn = 0, .psn = 109, .opcode = kReadOnly, .len = 8});  // proves 108, is no answer to the atomic
  REQUIRE(ctl.settle());
  REQUIRE(ctl.events.stale == bad.size() + 2);
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{0, 1, kOk}, {0, 2, kOk}});
  REQUIRE(ctl.cmds.back().target == kDrop);
}

TEST_CASE("NAKs that come in the clothes of a READ response or an atomic acknowledge", "[unit][roce]") {
  const unsigned opcode = GENERATE(kReadFirst, kReadLast, kReadOnly, kAtomicAck);
  Ctl ctl;
  mixed(ctl);
  ctl.ack({.qpn = 0, .psn = 100, .syndrome = 0x62, .opcode = opcode, .len = opcode == kAtomicAck ? 0u : 256u});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items() ==
          std::vector<Cpl>{{0, 1, kRemoteAccess}, {0, 2, kFlushed}, {0, 3, kFlushed}, {0, 4, kFlushed}});
  for (const Cmd& cmd : ctl.cmds) REQUIRE(cmd.target == kDrop);
}

TEST_CASE("A READ of many requests that fails half way takes the error once", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(0, {.pmtu = 0, .timeout = 0});
  ctl.post({.qpn = 0, .wr_id = 1, .len = 100 * 256, .signaled = false, .op = kRead});
  ctl.post({.qpn = 0, .wr_id = 2, .op = kRead});
  REQUIRE(ctl.settle());
  ctl.read_responses(0, 100, 5, 256);
  REQUIRE(ctl.settle());
  ctl.ack({.qpn = 0, .psn = 105, .syndrome = 0x62});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{0, 1, kRemoteAccess}, {0, 2, kFlushed}});
  ctl.read_responses(0, 105, 3, 256);  // too late
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cmds.size() == 8);
  for (std::size_t i = 5; i < 8; ++i) REQUIRE(ctl.cmds[i].target == kDrop);
}

TEST_CASE("Errors, resets and table writes in every cycle of a READ being issued", "[unit][roce]") {
  const unsigned after = GENERATE(3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u, 11u, 12u, 13u);
  const int what = GENERATE(0, 1, 2, 3);
  Ctl ctl;
  ctl.configure(0, {.pmtu = 0, .timeout = 0});
  ctl.configure(1, {.pmtu = 0, .timeout = 0});
  ctl.post({.qpn = 0, .wr_id = 1, .len = 30 * 256, .op = kRead});
  ctl.post({.qpn = 0, .wr_id = 2});
  ctl.run(after);
  if (what == 0) ctl.errs.push(0);
  if (what == 1) ctl.configure(0, {.state = kErr, .pmtu = 0, .timeout = 0}, false);
  if (what == 2) ctl.configure(0, {.pmtu = 0, .timeout = 0, .psn = 0x5000});
  if (what == 3) ctl.configure(1, {.pmtu = 0, .timeout = 0, .psn = 0x5000});  // another QP: nothing changes
  REQUIRE(ctl.settle());
  if (what < 2) {
    REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{0, 1, kFlushed}, {0, 2, kFlushed}});
    return;
  }
  REQUIRE(ctl.cpl.items().empty());
  if (what == 2) {
    ctl.clear();
    ctl.post({.qpn = 0, .wr_id = 3, .len = 2 * 256, .op = kRead});
    REQUIRE(ctl.settle());
    REQUIRE(psns(ctl) == std::vector<std::uint32_t>{0x5000});
    ctl.read_responses(0, 0x5000, 2, 256);
    REQUIRE(ctl.settle());
    REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{0, 3, kOk}});
    return;
  }
  REQUIRE(psns(ctl) == std::vector<std::uint32_t>{100, 108});
  ctl.read_responses(0, 100, 16, 256);
  REQUIRE(ctl.settle());
  REQUIRE(psns(ctl) == std::vector<std::uint32_t>{100, 108, 116, 124, 130});
}

TEST_CASE("Go back N in every cycle of a READ being issued: the walk and the issue do not disturb each other",
          "[unit][roce]") {
  const unsigned after = GENERATE(3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u, 11u, 12u);
  Ctl ctl;
  ctl.configure(0, {.pmtu = 0});
  ctl.post({.qpn = 0, .wr_id = 1});
  REQUIRE(ctl.settle());
  ctl.clear();
  ctl.post({.qpn = 0, .wr_id = 2, .len = 8 * 256, .op = kRead});
  ctl.run(after);
  ctl.ack({.qpn = 0, .psn = 100, .syndrome = 0x60});
  REQUIRE(ctl.settle());
  std::vector<std::uint32_t> retried;
  for (const Job& job : ctl.jobs())
    if (job.retry) retried.push_back(job.psn);
  REQUIRE(retried.size() >= 1);
  REQUIRE(retried[0] == 100);
  if (retried.size() > 1) REQUIRE(retried == std::vector<std::uint32_t>{100, 101});
  for (const Job& job : ctl.jobs())
    if (job.psn == 101) REQUIRE(job.total == 8 * 256);
  ctl.ack({.qpn = 0, .psn = 100});
  ctl.read_responses(0, 101, 8, 256);
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{0, 1, kOk}, {0, 2, kOk}});
}
