// SPDX-License-Identifier: Apache-2.0
// Datagrams, and queue pairs that are drained.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "testbenches/unit/roce_txc/ctl_bench.hpp"

using namespace caravan::roce_txc;

TEST_CASE("Datagrams: addressed by the work request, complete when sent, no window, no acknowledge", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(3, {.pmtu = 1, .ud = true, .psn = 0xFFFFF0});
  for (std::uint32_t i = 0; i < 40; ++i)
    ctl.post({.qpn = 3,
              .wr_id = i,
              .len = i % 3 == 0 ? 512u : i,
              .rkey = 0x8001'0000 + i,
              .signaled = i % 4 != 3,
              .inl = i % 3 == 1,
              .raddr = (std::uint64_t{i} << 32) | 0xAA000900 | i,
              .op = kSend,
              .solicited = i % 2 == 1,
              .has_imm = i % 5 == 0,
              .imm = i});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == 40);
  for (std::uint32_t i = 0; i < 40; ++i) {
    const Job& job = ctl.jobs()[i];
    INFO("datagram " << i);
    REQUIRE(job.opcode == (i % 5 == 0 ? kUdOnlyImm : kUdOnly));
    REQUIRE(job.psn == ((0xFFFFF0 + i) & kPsnMask));
    REQUIRE(job.dest == (0x900u | i));
    REQUIRE(job.neigh == i);
    REQUIRE(job.sport == 0xC003);
    REQUIRE(job.ackreq);
    REQUIRE(job.se == (i % 2 == 1));
    REQUIRE(job.ext[0] == 0x8001'0000 + i);
    REQUIRE(job.ext[1] == 3);
    if (i % 5 == 0) REQUIRE(job.ext[2] == i);
    REQUIRE(job.len == (i % 3 == 0 ? 512u : i));
    REQUIRE_FALSE(job.ring_we);
    REQUIRE_FALSE(job.retry);
  }
  std::vector<Cpl> wanted;
  for (std::uint32_t i = 0; i < 40; ++i)
    if (i % 4 != 3) wanted.push_back({3, i, kOk});
  REQUIRE(ctl.cpl.items() == wanted);
  REQUIRE(ctl->wake_at_o == ~0ull);
  ctl.ack({.qpn = 3, .psn = 0xFFFFF0});
  ctl.configure(3, {.state = kErr, .pmtu = 1, .ud = true}, false);
  ctl.post({.qpn = 3, .wr_id = 50, .op = kSend});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.events.stale == 1);
  REQUIRE(ctl.cpl.items().back() == Cpl{3, 50, kFlushed});
}

TEST_CASE("Completions hold datagrams back, none is lost", "[unit][roce]") {
  Ctl ctl({.cpl = StallPattern::Kind::kMostly});
  ctl.configure(0, {.ud = true});
  for (std::uint32_t i = 0; i < 30; ++i) ctl.post({.qpn = 0, .wr_id = i, .op = kSend});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == 30);
  REQUIRE(ctl.cpl.items().size() == 30);
  for (std::uint32_t i = 0; i < 30; ++i) REQUIRE(ctl.cpl.items()[i].wr_id == i);
}

TEST_CASE("SQD: the message in progress ends, none is begun; RTS resumes", "[unit][roce]") {
  const unsigned op = GENERATE(kWrite, kSend, kRead);
  Ctl ctl;
  ctl.configure(0, {.pmtu = 0, .timeout = 0});
  ctl.post({.qpn = 0, .wr_id = 1, .len = 20 * 256, .op = op});
  ctl.post({.qpn = 0, .wr_id = 2, .len = 8, .op = op});
  REQUIRE(ctl.settle());
  ctl.configure(0, {.state = kSqd, .pmtu = 0, .timeout = 0}, false);
  const auto answer = [&](std::uint32_t psn, std::uint32_t n) {
    if (op == kRead)
      ctl.read_responses(0, psn, n, 256);
    else
      ctl.ack({.qpn = 0, .psn = psn + n - 1});
  };
  answer(100, 8);
  REQUIRE(ctl.settle());
  answer(108, 8);
  REQUIRE(ctl.settle());
  answer(116, 4);
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{0, 1, kOk}});
  const std::size_t sent = ctl.jobs().size();
  REQUIRE(sent == (op == kRead ? 3 : 20));
  ctl.post({.qpn = 0, .wr_id = 3, .len = 8, .op = op});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == sent);
  SECTION("back to RTS") {
    ctl.configure(0, {.pmtu = 0, .timeout = 0}, false);
    REQUIRE(ctl.settle());
    REQUIRE(ctl.jobs().size() == sent + 2);
    REQUIRE(ctl.jobs().back().psn == 121);
    if (op == kRead) {
      ctl.read_responses(0, 120, 1, 8);
      ctl.read_responses(0, 121, 1, 8);
    } else {
      ctl.ack({.qpn = 0, .psn = 121});
    }
    REQUIRE(ctl.settle());
    REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{0, 1, kOk}, {0, 2, kOk}, {0, 3, kOk}});
  }
  SECTION("to ERR") {
    ctl.configure(0, {.state = kErr, .pmtu = 0, .timeout = 0}, false);
    REQUIRE(ctl.settle());
    REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{0, 1, kOk}, {0, 2, kFlushed}, {0, 3, kFlushed}});
  }
}
