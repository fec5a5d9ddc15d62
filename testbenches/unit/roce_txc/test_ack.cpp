// SPDX-License-Identifier: Apache-2.0
// Acknowledges: cumulative, stale, ghost, foreign; completions and exact cycles.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "testbenches/unit/roce_txc/ctl_bench.hpp"

using namespace caravan::roce_txc;
using Kind = StallPattern::Kind;

TEST_CASE("A cumulative ACK completes signaled messages in order, exactly once, across the PSN wrap", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(0, {.pmtu = 0, .psn = 0xFFFFFE});
  for (std::uint32_t i = 0; i < 6; ++i) ctl.post({.qpn = 0, .wr_id = i, .len = i % 2 ? 8u : 500u, .signaled = i != 3});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == 9);
  ctl.ack({.qpn = 0, .psn = 0});  // packets fffffe, ffffff (message 0) and 0 (message 1)
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{0, 0, kOk}, {0, 1, kOk}});
  ctl.ack({.qpn = 0, .psn = 0});  // again: stale
  ctl.ack({.qpn = 0, .psn = 0xFFFFFE});
  ctl.ack({.qpn = 0, .psn = 1});  // half of message 2
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items().size() == 2);
  REQUIRE(ctl.events.stale == 2);
  ctl.ack({.qpn = 0, .psn = 6});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{0, 0, kOk}, {0, 1, kOk}, {0, 2, kOk}, {0, 4, kOk}, {0, 5, kOk}});
  REQUIRE(ctl.events.ack == 3);
  REQUIRE(ctl->wake_at_o != ~0ull);  // the bound may be early; no timer runs: a sweep ends it and nothing happens
  ctl.run(2500);
  REQUIRE(ctl->wake_at_o == ~0ull);
  REQUIRE(ctl.events.timeout == 0);
}

TEST_CASE("Ghost, foreign and unknown acknowledges move nothing", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(0, {});
  ctl.configure(1, {.state = kRtr});
  for (std::uint32_t i = 0; i < 3; ++i) ctl.post({.qpn = 0, .wr_id = i});
  REQUIRE(ctl.settle());
  const std::vector<Ack> bad{
      {.qpn = 0, .psn = 103},                        // never sent
      {.qpn = 0, .psn = 99},                         // long done
      {.qpn = 0, .psn = 100 + 0x800000},             // half the PSN space away
      {.qpn = 0, .psn = 102, .src_ip = 0x0A000003},  // not the peer
      {.qpn = 1, .psn = 100},                        // a QP that does not send
      {.qpn = 2, .psn = 0},                          // never created
      {.qpn = 0xFFFFFF, .psn = 102},                 // out of range
      {.qpn = 8, .psn = 102},                        // the same row but for the range
      {.qpn = 0, .psn = 102, .syndrome = 0x40},      // reserved
      {.qpn = 0, .psn = 102, .syndrome = 0x80},
      {.qpn = 0, .psn = 102, .syndrome = 0xFF},
      {.qpn = 0, .psn = 102, .syndrome = 0x64},  // invalid RD request: not of RC
      {.qpn = 0, .psn = 103, .syndrome = 0x60},  // NAKs of packets never sent or done
      {.qpn = 0, .psn = 99, .syndrome = 0x62},
      {.qpn = 0, .psn = 103, .syndrome = 0x20},
  };
  for (const Ack& ack : bad) ctl.ack(ack);
  REQUIRE(ctl.settle());
  REQUIRE(ctl.events.stale == bad.size());
  REQUIRE(ctl.cpl.items().empty());
  REQUIRE(ctl.jobs().size() == 3);
  REQUIRE(ctl.err_out.empty());
  ctl.ack({.qpn = 0, .psn = 102, .syndrome = 0x00});  // credits are not looked at
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items().size() == 3);
}

TEST_CASE("Cycles of an acknowledge: n packets take n + 1, a stale one 1; a completion appears 3 cycles after",
          "[unit][roce]") {
  Ctl ctl;
  ctl.configure(0, {});
  for (std::uint32_t i = 0; i < 12; ++i) ctl.post({.qpn = 0, .wr_id = i});
  REQUIRE(ctl.settle());
  for (const std::uint32_t psn : {100u, 101u, 104u, 104u, 104u, 105u}) ctl.ack({.qpn = 0, .psn = psn});
  ctl.run(40);
  const auto& at = ctl.acks.sent_at();
  REQUIRE(at.size() == 6);
  REQUIRE(at[1] - at[0] == 2);
  REQUIRE(at[2] - at[1] == 2);
  REQUIRE(at[3] - at[2] == 4);
  REQUIRE(at[4] - at[3] == 1);
  REQUIRE(at[5] - at[4] == 1);
  REQUIRE(ctl.cpl.at().at(0) == at[0] + 3);
  REQUIRE(ctl.cpl.items().size() == 6);
}

TEST_CASE("Completion back-pressure stalls acknowledges and loses nothing", "[unit][roce]") {
  const Kind stall = GENERATE(Kind::kEveryOther, Kind::kRandom, Kind::kBursts, Kind::kMostly);
  Ctl ctl({.ack = stall, .cpl = stall});
  ctl.configure(0, {.timeout = 0});
  std::uint32_t posted = 0, acked = 0;
  ctl.on_job = [&](const Job&) { ++acked; };
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 8; ++i) ctl.post({.qpn = 0, .wr_id = posted++});
    ctl.run_until([&] { return acked == posted; }, 400);
    REQUIRE(acked == posted);
    ctl.ack({.qpn = 0, .psn = 100 + posted - 6});
    ctl.ack({.qpn = 0, .psn = 100 + posted - 1});
    REQUIRE(ctl.settle(3000));
  }
  REQUIRE(ctl.cpl.items().size() == posted);
  for (std::uint32_t i = 0; i < posted; ++i) REQUIRE(ctl.cpl.items()[i] == Cpl{0, i, kOk});
}

TEST_CASE("A table write waits for the acknowledge in work, and completions may hold it", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(0, {});
  for (std::uint32_t i = 0; i < 3; ++i) ctl.post({.qpn = 0, .wr_id = i});
  REQUIRE(ctl.settle());
  ctl.hold_cpl = true;
  ctl.ack({.qpn = 0, .psn = 102});
  ctl.run(10);
  ctl->cfg_valid_i = 1;
  ctl->cfg_index_i = 1;
  ctl.run(10);
  REQUIRE_FALSE(ctl->cfg_ready_o);
  ctl.hold_cpl = false;
  ctl.run(10);
  REQUIRE(ctl->cfg_ready_o);
  ctl->cfg_valid_i = 0;
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items().size() == 3);
}
