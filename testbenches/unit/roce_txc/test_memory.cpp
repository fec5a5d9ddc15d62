// SPDX-License-Identifier: Apache-2.0
// Memory errors of the requester: payload of its own packets, data that come back, answers refused to the peer.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "testbenches/unit/roce_txc/ctl_bench.hpp"

using namespace caravan::roce_txc;
using Kind = StallPattern::Kind;

TEST_CASE("The message whose payload can't be read takes the error, what is before and behind it is flushed",
          "[unit][roce][memory]") {
  const Kind stall = GENERATE(Kind::kNone, Kind::kRandom, Kind::kMostly);
  const std::uint32_t acked = GENERATE(0u, 1u, 2u);  // packets acknowledged before
  Ctl ctl({.cpl = stall});
  ctl.configure(3, {.pmtu = 0});
  ctl.configure(4, {.pmtu = 0});
  ctl.post({.qpn = 3, .wr_id = 0});
  ctl.post({.qpn = 3, .wr_id = 1, .signaled = false});
  ctl.post({.qpn = 3, .wr_id = 2, .len = 3 * 256, .signaled = false});
  ctl.post({.qpn = 3, .wr_id = 3});
  ctl.post({.qpn = 4, .wr_id = 9});
  REQUIRE(ctl.settle());
  if (acked > 0) ctl.ack({.qpn = 3, .psn = 99 + acked});
  REQUIRE(ctl.settle());
  const std::uint32_t psn = GENERATE(102u, 103u, 104u);
  ctl.fails.push({true, 3, psn});
  ctl.fails.push({true, 3, 104});  // a second one says nothing new
  ctl.post({.qpn = 3, .wr_id = 4, .signaled = false});
  ctl.ack({.qpn = 4, .psn = 100});
  REQUIRE(ctl.settle());
  std::vector<Cpl> want{{3, 0, acked > 0 ? kOk : kFlushed}};
  if (acked < 2) want.push_back({3, 1, kFlushed});
  for (const Cpl& c : std::vector<Cpl>{{3, 2, kLocalMem}, {3, 3, kFlushed}, {3, 4, kFlushed}}) want.push_back(c);
  std::vector<Cpl> got;
  for (const Cpl& c : ctl.cpl.items())
    if (c.qpn == 3) got.push_back(c);
  REQUIRE(got == want);
  REQUIRE(ctl.cpl.items().size() == want.size() + 1);  // the other QP goes on
  REQUIRE(ctl.err_out == std::vector<std::uint32_t>{3});
  REQUIRE(ctl.events.qp_err == 1);
}

TEST_CASE("A message that is still being sent takes the error, too", "[unit][roce][memory]") {
  Ctl ctl;
  ctl.configure(3, {.pmtu = 0});
  ctl.post({.qpn = 3, .wr_id = 1});
  ctl.post({.qpn = 3, .wr_id = 2, .len = (kWindow + 4) * 256});
  ctl.post({.qpn = 3, .wr_id = 3});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == kWindow);
  ctl.fails.push({true, 3, 105});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{3, 1, kFlushed}, {3, 2, kLocalMem}, {3, 3, kFlushed}});
}

TEST_CASE("A packet that was acknowledged meanwhile needs no payload any more", "[unit][roce][memory]") {
  Ctl ctl;
  ctl.configure(3, {.pmtu = 0});
  for (std::uint32_t i = 0; i < 3; ++i) ctl.post({.qpn = 3, .wr_id = i});
  REQUIRE(ctl.settle());
  ctl.ack({.qpn = 3, .psn = 101});
  REQUIRE(ctl.settle());
  ctl.fails.push({true, 3, 101});
  ctl.fails.push({true, 3, 103});  // never sent
  REQUIRE(ctl.settle());
  ctl.ack({.qpn = 3, .psn = 102});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{3, 0, kOk}, {3, 1, kOk}, {3, 2, kOk}});
  REQUIRE(ctl.err_out.empty());
}

TEST_CASE("A QP that refused its peer is flushed and told, once, also when it does not send", "[unit][roce][memory]") {
  const unsigned state = GENERATE(kRts, kRtr);
  Ctl ctl;
  ctl.configure(2, {.state = state});
  if (state == kRts) ctl.post({.qpn = 2, .wr_id = 1, .signaled = false});
  REQUIRE(ctl.settle());
  for (int i = 0; i < 2; ++i) ctl.fails.push({false, 2, 7});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.err_out == std::vector<std::uint32_t>{2});
  if (state == kRts) REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{2, 1, kFlushed}});
  ctl.clear();
  ctl.configure(2, {}, false);  // to RTS without creating it anew: still failed
  ctl.post({.qpn = 2, .wr_id = 5});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{2, 5, kFlushed}});
}

TEST_CASE("A READ or atomic whose data memory does not take completes with the error, signaled or not",
          "[unit][roce][memory]") {
  const Kind stall = GENERATE(Kind::kNone, Kind::kRandom, Kind::kMostly);
  const bool signaled = GENERATE(true, false), slow = GENERATE(false, true);
  for (const std::uint32_t bad : {0u, 1u, 2u, 3u}) {  // response of the READ; 3: the atomic
    INFO("bad " << bad << " signaled " << signaled << " slow " << slow);
    Ctl ctl({.cpl = stall});
    ctl.write_latency = slow ? 300 : 1;
    ctl.configure(3, {.pmtu = 0, .timeout = 6});
    ctl.configure(4, {.pmtu = 0, .timeout = 6});
    ctl.is_bad = [&](const Cmd& c) { return c.qpn == 3 && (bad == 3 ? c.inl : c.addr == 0x20000 + 256 * bad); };
    ctl.post({.qpn = 3, .wr_id = 0});
    ctl.post({.qpn = 3, .wr_id = 1, .len = 600, .signaled = signaled, .laddr = 0x20000, .op = kRead});
    ctl.post({.qpn = 3, .wr_id = 2, .signaled = signaled, .laddr = 0x30000, .op = kFaa});
    ctl.post({.qpn = 3, .wr_id = 3});
    ctl.post({.qpn = 4, .wr_id = 8, .len = 200, .op = kRead});
    REQUIRE(ctl.settle());
    ctl.ack({.qpn = 3, .psn = 100});
    for (std::uint32_t i = 0; i < 3; ++i)
      ctl.ack({.qpn = 3, .psn = 101 + i, .opcode = kReadFirst + i, .len = i < 2 ? 256u : 88u});
    ctl.ack({.qpn = 3, .psn = 104, .opcode = kAtomicAck, .orig = 77});
    ctl.ack({.qpn = 4, .psn = 100, .opcode = kReadOnly, .len = 200});
    ctl.ack({.qpn = 3, .psn = 105});
    REQUIRE(ctl.run_until([&] { return ctl.err_out.size() == 1; }, 3000));
    REQUIRE(ctl.settle(4000));
    ctl.run(400);
    REQUIRE(ctl.settle(4000));
    std::vector<Cpl> got, others;
    for (const Cpl& c : ctl.cpl.items()) (c.qpn == 3 ? got : others).push_back(c);
    std::vector<Cpl> want{{3, 0, kOk}};
    if (bad == 3) {
      if (signaled) want.push_back({3, 1, kOk});
      want.push_back({3, 2, kLocalMem});
    } else {
      want.push_back({3, 1, kLocalMem});
      // What is behind it had been done when the error came, or not: it is flushed in any case, if it is to be told.
      if (signaled || got.size() == 4) want.push_back({3, 2, kFlushed});
    }
    want.push_back({3, 3, kFlushed});
    REQUIRE(got == want);
    REQUIRE(others == std::vector<Cpl>{{4, 8, kOk}});
    REQUIRE(ctl.err_out == std::vector<std::uint32_t>{3});
    // A new life starts without it.
    ctl.clear();
    ctl.is_bad = nullptr;
    ctl.configure(3, {.pmtu = 0});
    ctl.post({.qpn = 3, .wr_id = 5, .len = 100, .op = kRead});
    REQUIRE(ctl.settle());
    ctl.ack({.qpn = 3, .psn = 100, .opcode = kReadOnly, .len = 100});
    REQUIRE(ctl.run_until([&] { return !ctl.cpl.items().empty(); }, 2000));
    REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{3, 5, kOk}});
  }
}

TEST_CASE("Data of a QP's older life that memory does not take do not fail the new one", "[unit][roce][memory]") {
  Ctl ctl;
  ctl.hold_writes = true;
  ctl.configure(3, {.pmtu = 0});
  ctl.is_bad = [](const Cmd&) { return true; };
  ctl.post({.qpn = 3, .wr_id = 1, .len = 100, .op = kRead});
  REQUIRE(ctl.settle());
  ctl.ack({.qpn = 3, .psn = 100, .opcode = kReadOnly, .len = 100});
  ctl.run(50);
  ctl.configure(3, {.pmtu = 0});
  ctl.is_bad = nullptr;
  ctl.post({.qpn = 3, .wr_id = 2, .len = 100, .op = kRead});
  ctl.run(50);
  ctl.ack({.qpn = 3, .psn = 100, .opcode = kReadOnly, .len = 100});
  ctl.run(50);
  ctl.hold_writes = false;
  REQUIRE(ctl.run_until([&] { return ctl.cpl.items().size() == 2; }, 1000));
  REQUIRE(ctl.cpl.items()[1] == Cpl{3, 2, kOk});
  REQUIRE(ctl.err_out.empty());
}
