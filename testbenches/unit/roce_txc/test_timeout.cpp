// SPDX-License-Identifier: Apache-2.0
// The retry timer: exact cycles, re-arming, retry limit, wake_at.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "testbenches/unit/roce_txc/ctl_bench.hpp"

using namespace caravan::roce_txc;

namespace {
constexpr std::uint64_t kTimeout = 1024;  // 4.096 us at 250 MHz, times 2^n
/// From the deadline of QP q to its first packet: sweep q + 3, requester 1, walk 4.
std::uint64_t after_deadline(std::uint32_t qpn) { return qpn + 3 + 1 + 4; }
}  // namespace

TEST_CASE("A lost packet is sent again at the exact cycle: 4.096 us * 2^n after it was decided", "[unit][roce]") {
  const std::uint32_t qpn = GENERATE(0u, 3u, 7u);
  const unsigned n = GENERATE(1u, 2u);
  Ctl ctl;
  ctl.configure(qpn, {.timeout = n});
  ctl.post({.qpn = qpn});
  REQUIRE(ctl.run_until([&] { return ctl.jobs().size() == 1; }, 20));
  const std::uint64_t deadline = ctl.jobs()[0].at - 1 + (kTimeout << n);  // decided one cycle before the job register
  REQUIRE(ctl->wake_at_o == deadline);
  const std::uint64_t expected = deadline + after_deadline(qpn);
  while (ctl.now < expected) {
    if (ctl.now > deadline - (kTimeout << n) + 8 && ctl.now < deadline) REQUIRE(ctl->quiet_o);
    REQUIRE(ctl.jobs().size() == 1);
    ctl.tick();
  }
  ctl.tick();
  REQUIRE(ctl.jobs().size() == 2);
  REQUIRE(ctl.jobs()[1].psn == 100);
  REQUIRE(ctl.jobs()[1].at == expected);
  REQUIRE(ctl.events.timeout == 1);
}

TEST_CASE("An ACK taken before the expiry shows stops the timer, one cycle later it does not", "[unit][roce]") {
  const unsigned offset = GENERATE(0u, 1u, 2u, 3u, 4u);
  const bool partial = GENERATE(false, true);
  Ctl ctl;
  ctl.configure(0, {});
  ctl.post({.qpn = 0, .wr_id = 1});
  ctl.post({.qpn = 0, .wr_id = 2});
  REQUIRE(ctl.run_until([&] { return ctl.jobs().size() == 2; }, 20));
  const std::uint64_t deadline = ctl.jobs()[0].at - 1 + 2 * kTimeout;
  while (ctl.now < deadline + offset) ctl.tick();
  ctl.ack({.qpn = 0, .psn = partial ? 100u : 101u});
  REQUIRE(ctl.settle());
  // The expiry shows at deadline + 3; an ACK that is already in work then moves or stops the timer and withdraws it.
  const bool late = offset >= 3;
  REQUIRE(ctl.events.timeout == (late ? 1 : 0));
  REQUIRE(ctl.cpl.items().size() == (partial ? 1 : 2));
  ctl.run(kTimeout);
  REQUIRE(ctl.jobs().size() <= (late ? 4 : 2));
  if (!late) REQUIRE(ctl.jobs().size() == 2);
}

TEST_CASE("Progress re-arms the timer for what is left, from the cycle of the progress", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(0, {});
  ctl.post({.qpn = 0, .wr_id = 1});
  ctl.post({.qpn = 0, .wr_id = 2});
  ctl.run(1000);
  ctl.ack({.qpn = 0, .psn = 100});
  const std::uint64_t deadline = ctl.now + 2 + 2 * kTimeout;
  while (ctl.now < deadline + after_deadline(0)) {
    REQUIRE(ctl.jobs().size() == 2);
    ctl.tick();
  }
  ctl.tick();
  REQUIRE(ctl.jobs().size() == 3);
  REQUIRE(ctl.jobs()[2].psn == 101);
}

TEST_CASE("Timeout code 0: no timer, ever", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(0, {.timeout = 0});
  ctl.post({.qpn = 0});
  REQUIRE(ctl.settle());
  REQUIRE(ctl->wake_at_o == ~0ull);
  ctl.run(5000);
  REQUIRE(ctl.jobs().size() == 1);
  REQUIRE(ctl->quiet_o);
}

TEST_CASE("After retry_limit resends without progress the QP fails: error for the oldest, rest flushed",
          "[unit][roce]") {
  const unsigned limit = GENERATE(0u, 1u, 3u, 7u);
  Ctl ctl;
  ctl.configure(2, {.timeout = 1, .retry_limit = limit});
  for (std::uint32_t i = 0; i < 3; ++i) ctl.post({.qpn = 2, .wr_id = i, .signaled = i != 1});
  ctl.run((2 * kTimeout + 6) * limit + 2 * kTimeout - 100);
  REQUIRE(ctl.cpl.items().empty());
  REQUIRE(ctl.events.timeout == limit);
  REQUIRE(ctl.jobs().size() == 3 * (1 + limit));
  ctl.run(200);
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{2, 0, kRetryExceeded}, {2, 1, kFlushed}, {2, 2, kFlushed}});
  REQUIRE(ctl.err_out == std::vector<std::uint32_t>{2});
  REQUIRE(ctl.jobs().size() == 3 * (1 + limit));
  ctl.run(3000);
  REQUIRE(ctl->wake_at_o == ~0ull);
  REQUIRE(ctl->quiet_o);
}

TEST_CASE("Progress resets the retry count; NAKs without progress count once until then", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(0, {.timeout = 1, .retry_limit = 1});
  for (std::uint32_t i = 0; i < 4; ++i) ctl.post({.qpn = 0, .wr_id = i});
  ctl.run(2200);
  REQUIRE(ctl.events.timeout == 1);
  SECTION("an ACK between") {
    ctl.ack({.qpn = 0, .psn = 100});
    ctl.run(2200);
    REQUIRE(ctl.events.timeout == 2);
    REQUIRE(ctl.cpl.items().size() == 1);
  }
  SECTION("a NAK with progress between") {
    ctl.ack({.qpn = 0, .psn = 101, .syndrome = 0x60});
    ctl.run(2200);
    REQUIRE(ctl.events.timeout == 2);
    REQUIRE(ctl.cpl.items().size() == 1);
  }
  SECTION("a NAK without progress is one retry too many") {
    ctl.ack({.qpn = 0, .psn = 100, .syndrome = 0x60});
    REQUIRE(ctl.settle());
    REQUIRE(ctl.cpl.items().size() == 4);
    REQUIRE(ctl.cpl.items()[0] == Cpl{0, 0, kRetryExceeded});
  }
}

TEST_CASE("A timeout while the last retransmission still waits for the wire spends no retry", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(0, {.timeout = 1, .retry_limit = 1});
  for (std::uint32_t i = 0; i < 3; ++i) ctl.post({.qpn = 0, .wr_id = i});
  ctl.run(30);
  ctl.hold_jobs = true;
  ctl.run(20 * kTimeout);
  REQUIRE(ctl.events.timeout == 1);
  REQUIRE(ctl.cpl.items().empty());
  ctl.hold_jobs = false;
  ctl.run(20);
  ctl.ack({.qpn = 0, .psn = 102});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items().size() == 3);
}
