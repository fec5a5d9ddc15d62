// SPDX-License-Identifier: Apache-2.0
// QPs taken to error or created anew: by software, by the responder; stale packets of the old life.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "testbenches/unit/roce_txc/ctl_bench.hpp"

using namespace caravan::roce_txc;
using Kind = StallPattern::Kind;

namespace {
/// Packets in flight, a message cut in the middle by the window, and work queued behind it.
void fill(Ctl& ctl, std::uint32_t qpn, unsigned timeout = 2) {
  ctl.clear();
  ctl.configure(qpn, {.pmtu = 0, .timeout = timeout});
  for (std::uint32_t i = 0; i < 2; ++i) ctl.post({.qpn = qpn, .wr_id = i, .signaled = false});
  ctl.post({.qpn = qpn, .wr_id = 2, .len = 20 * 256, .signaled = false});
  for (std::uint32_t i = 3; i < 6; ++i) ctl.post({.qpn = qpn, .wr_id = i, .signaled = false});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == kWindow);
}
std::vector<Cpl> flushed(std::uint32_t qpn, std::uint32_t from, std::uint32_t to) {
  std::vector<Cpl> out;
  for (std::uint32_t i = from; i <= to; ++i) out.push_back({qpn, i, kFlushed});
  return out;
}
}  // namespace

TEST_CASE("Software or the responder takes a QP to error: everything is flushed, in order, exactly once",
          "[unit][roce]") {
  const Kind stall = GENERATE(Kind::kNone, Kind::kRandom, Kind::kMostly);
  const int cause = GENERATE(0, 1, 2);
  Ctl ctl({.cpl = stall});
  fill(ctl, 3);
  if (cause == 0) ctl.configure(3, {.state = kErr}, false);
  if (cause == 1) ctl.configure(3, {.state = kReset}, false);
  if (cause == 2) ctl.errs.push(3);
  for (std::uint32_t i = 6; i < 9; ++i)
    ctl.post({.qpn = 3, .wr_id = i, .signaled = false});  // posted while it is flushed
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items() == flushed(3, 0, 8));
  REQUIRE(ctl.err_out.empty());  // nobody has to be told
  REQUIRE(ctl.jobs().size() == kWindow);
  ctl.run(6000);
  REQUIRE(ctl.events.timeout == 0);
  REQUIRE(ctl->wake_at_o == ~0ull);
  // Back to RTS without creating it anew: still in error.
  ctl.configure(3, {}, false);
  ctl.post({.qpn = 3, .wr_id = 9});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items().back() == Cpl{3, 9, kFlushed});
}

TEST_CASE("A message whose sent packets are all acknowledged is flushed once", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(0, {.pmtu = 0, .timeout = 0});
  ctl.hold_jobs = true;
  ctl.post({.qpn = 0, .wr_id = 1, .len = 20 * 256});
  ctl.run(8);
  ctl.ack({.qpn = 0, .psn = 100});  // the only packet decided so far
  ctl.run(8);
  ctl.errs.push(0);
  ctl.run(20);
  ctl.hold_jobs = false;
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{0, 1, kFlushed}});
}

TEST_CASE("Creating a QP anew drops everything silently and starts at the new PSN", "[unit][roce]") {
  const bool in_error = GENERATE(false, true);
  Ctl ctl;
  fill(ctl, 1);
  fill(ctl, 1);  // the first life dropped silently, PSNs start again
  REQUIRE(ctl.cpl.items().empty());
  std::size_t completed = 0;
  if (in_error) {
    ctl.errs.push(1);
    REQUIRE(ctl.settle());
    completed = 6;
  }
  REQUIRE(ctl.cpl.items().size() == completed);
  ctl.clear();
  ctl.configure(1, {.psn = 0x700000});
  for (const std::uint32_t psn : {100u, 115u, 0x6FFFFFu, 0x700000u}) ctl.ack({.qpn = 1, .psn = psn});
  ctl.ack({.qpn = 1, .psn = 105, .syndrome = 0x60});
  ctl.ack({.qpn = 1, .psn = 105, .syndrome = 0x62});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.events.stale == 6);
  REQUIRE(ctl.jobs().empty());
  ctl.run(5000);  // no timer of the old life
  REQUIRE(ctl.events.timeout == 0);
  ctl.post({.qpn = 1, .wr_id = 77});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == 1);
  REQUIRE(ctl.jobs()[0].psn == 0x700000);
  ctl.ack({.qpn = 1, .psn = 0x700000});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{1, 77, kOk}});
}

TEST_CASE("Creating a QP anew in the middle of its retransmission ends the walk", "[unit][roce]") {
  Ctl ctl;
  fill(ctl, 1);
  ctl.clear();
  ctl.hold_jobs = true;
  ctl.ack({.qpn = 1, .psn = 100, .syndrome = 0x60});
  ctl.run(20);
  ctl.configure(1, {.psn = 0x200});
  ctl.hold_jobs = false;
  ctl.post({.qpn = 1});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == 2);  // the one that stood in the job register, and the new one
  REQUIRE(ctl.jobs()[0].retry);
  REQUIRE(ctl.jobs()[1].psn == 0x200);
}

TEST_CASE("A changed context is used from the next packet on, work goes on", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(0, {.pmtu = 0});
  ctl.hold_jobs = true;
  ctl.post({.qpn = 0, .len = 4 * 256});
  ctl.run(10);
  ctl.configure(0, {.pmtu = 0, .psn = 7, .dest = 0x900}, false);
  ctl.hold_jobs = false;
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == 4);
  REQUIRE(ctl.jobs()[0].dest == 0x500);
  REQUIRE(ctl.jobs()[1].dest == 0x900);
  REQUIRE(ctl.jobs()[3].psn == 103);
}

TEST_CASE("Failures of QPs unknown to this side have no effect; region writes are not for this block", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(0, {});
  ctl.errs.push(5);
  ctl.errs.push(0xFFFFF8);
  ctl->cfg_is_region_i = 1;
  ctl->cfg_valid_i = 1;
  ctl.tick();
  REQUIRE(ctl->cfg_ready_o);
  ctl->cfg_go_i = 1;
  ctl->cfg_init_i = 1;
  ctl->cfg_index_i = 0;
  ctl->cfg_state_i = kReset;
  ctl.tick();
  ctl->cfg_go_i = 0;
  ctl->cfg_valid_i = 0;
  ctl.post({.qpn = 0});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == 1);
  REQUIRE(ctl.events.qp_err == 0);
}

TEST_CASE("Reset: work requests find no QP", "[unit][roce]") {
  Ctl ctl;
  fill(ctl, 3);
  ctl.dut.reset();
  ctl.clear();
  ctl.post({.qpn = 3, .wr_id = 5});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{3, 5, kFlushed}});
  REQUIRE(ctl->wake_at_o == ~0ull);
}

TEST_CASE("Acknowledged, flushed and refused work of three QPs at once: every completion comes out once",
          "[unit][roce]") {
  const Kind stall = GENERATE(Kind::kNone, Kind::kEveryOther, Kind::kRandom);
  Ctl ctl({.cpl = stall});
  ctl.configure(0, {.timeout = 0});
  ctl.configure(1, {.state = kRtr});
  for (std::uint32_t i = 0; i < 14; ++i) ctl.post({.qpn = 0, .wr_id = i});
  REQUIRE(ctl.settle());
  for (std::uint32_t i = 0; i < 24; ++i) ctl.post({.qpn = i % 3 == 2 ? kQps : 1u, .wr_id = 100 + i});
  ctl.run(3);
  for (std::uint32_t i = 0; i < 7; ++i) ctl.ack({.qpn = 0, .psn = 101 + 2 * i});
  REQUIRE(ctl.settle());
  std::vector<std::uint32_t> by_qp[3];
  for (const Cpl& cpl : ctl.cpl.items()) by_qp[std::min(cpl.qpn, 2u)].push_back(cpl.wr_id);
  for (const auto& list : by_qp) REQUIRE(std::is_sorted(list.begin(), list.end()));
  REQUIRE(by_qp[0].size() == 14);
  REQUIRE(by_qp[1].size() == 16);
  REQUIRE(by_qp[2].size() == 8);
}
