// SPDX-License-Identifier: Apache-2.0
// NAKs: go back N, duplicates, RNR, fatal ones.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "testbenches/unit/roce_txc/ctl_bench.hpp"

using namespace caravan::roce_txc;

namespace {
constexpr unsigned kNakSeq = 0x60;
/// A QP with `count` one-packet messages in flight, wr_id = index, PSN 100 + index.
void send(Ctl& ctl, unsigned count, Qp qp = {}) {
  ctl.configure(0, qp);
  for (std::uint32_t i = 0; i < count; ++i) ctl.post({.qpn = 0, .wr_id = i, .len = 8 + i});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == count);
}
}  // namespace

TEST_CASE("A sequence NAK completes what lies before and sends the rest again, equal but for the source",
          "[unit][roce]") {
  Ctl ctl;
  ctl.configure(0, {.pmtu = 0, .psn = 0xFFFFFC});
  ctl.post({.qpn = 0, .wr_id = 1, .len = 5 * 256, .rkey = 5, .raddr = 0x1'0000'0003});
  ctl.post({.qpn = 0, .wr_id = 2, .len = 0});
  ctl.post({.qpn = 0, .wr_id = 3, .len = 300});
  REQUIRE(ctl.settle());
  const std::vector<Job> sent = ctl.jobs();
  REQUIRE(sent.size() == 8);
  ctl.clear();
  const std::uint32_t from = GENERATE(0u, 1u, 4u, 5u, 7u);
  ctl.ack({.qpn = 0, .psn = sent[from].psn, .syndrome = kNakSeq});
  const std::uint64_t naked = ctl.now;
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items().size() == (from >= 6 ? 2 : from == 5 ? 1 : 0));
  REQUIRE(ctl.jobs().size() == sent.size() - from);
  REQUIRE(ctl.jobs()[0].at == naked + 2 + from + (from == 0 ? 0 : -1) + 4);
  for (std::size_t i = 0; i < ctl.jobs().size(); ++i) {
    const Job &a = sent[from + i], &b = ctl.jobs()[i];
    REQUIRE(b.retry);
    REQUIRE(b.opcode == a.opcode);
    REQUIRE(b.psn == a.psn);
    REQUIRE(b.va == a.va);
    REQUIRE(b.rkey == a.rkey);
    REQUIRE(b.total == a.total);
    REQUIRE(b.len == a.len);
    REQUIRE(b.dest == a.dest);
    REQUIRE(b.neigh == a.neigh);
    REQUIRE(b.sport == a.sport);
    REQUIRE((b.ackreq || !a.ackreq));
    REQUIRE_FALSE(b.ring_we);
    REQUIRE(b.ring_rd == (a.len != 0));
    REQUIRE(b.src == (a.len != 0 ? kHbm : kNone));
    REQUIRE(b.addr == ring_slot(0, a.psn));
    REQUIRE(b.ring == b.addr);
  }
  REQUIRE(ctl.jobs().back().ackreq);
  REQUIRE(ctl.events.nak == 1);
}

TEST_CASE("The last packet of a retransmission asks for an acknowledge although it did not at first", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(0, {.pmtu = 0});
  ctl->ackreq_every_i = 0;
  ctl.hold_jobs = true;
  ctl.post({.qpn = 0, .len = 40 * 256});
  ctl.run(10);
  ctl.hold_jobs = false;
  ctl.run(3);
  ctl.hold_jobs = true;  // about three packets are out, none of them with AckReq
  ctl.ack({.qpn = 0, .psn = 100, .syndrome = kNakSeq});
  ctl.run(10);
  ctl.hold_jobs = false;
  ctl.run(60);
  std::vector<Job> retried;
  for (const Job& job : ctl.jobs())
    if (job.retry) retried.push_back(job);
  REQUIRE(retried.size() >= 2);
  REQUIRE(retried.back().ackreq);
  REQUIRE_FALSE(retried.front().ackreq);
}

TEST_CASE("New packets of the QP wait for the walk, other QPs go on", "[unit][roce]") {
  Ctl ctl;
  send(ctl, 4);
  ctl.configure(1, {});
  ctl.clear();
  ctl.hold_jobs = true;
  ctl.ack({.qpn = 0, .psn = 100, .syndrome = kNakSeq});
  ctl.run(8);
  ctl.post({.qpn = 0, .wr_id = 9});
  ctl.post({.qpn = 1, .wr_id = 10});
  ctl.run(10);
  ctl.hold_jobs = false;
  REQUIRE(ctl.settle());
  std::vector<std::uint32_t> own;
  std::size_t other = 0, last_retry = 0;
  for (std::size_t i = 0; i < ctl.jobs().size(); ++i) {
    const Job& job = ctl.jobs()[i];
    if (job.dest == 0x500) own.push_back(job.psn);
    if (job.dest == 0x501) other = i;
    if (job.retry) last_retry = i;
  }
  REQUIRE(own == std::vector<std::uint32_t>{100, 101, 102, 103, 104});
  REQUIRE(other < last_retry);
}

TEST_CASE("A walk never overtakes the first transmission of a packet: its payload is not in the ring yet",
          "[unit][roce]") {
  Ctl ctl;
  send(ctl, 3);
  ctl.clear();
  ctl.hold_new = true;
  ctl.post({.qpn = 0, .wr_id = 9, .len = 40});  // PSN 103: decided, not taken
  ctl.run(10);
  ctl.ack({.qpn = 0, .psn = 100, .syndrome = kNakSeq});
  ctl.run(40);
  for (const Job& job : ctl.jobs()) REQUIRE(job.psn != 103);
  ctl.hold_new = false;
  REQUIRE(ctl.settle());
  std::size_t first = 0;
  while (first < ctl.jobs().size() && ctl.jobs()[first].psn != 103) ++first;
  REQUIRE(first < ctl.jobs().size());
  REQUIRE_FALSE(ctl.jobs()[first].retry);
  std::vector<std::uint32_t> again;
  for (const Job& job : ctl.jobs())
    if (job.retry) again.push_back(job.psn);
  REQUIRE(again == std::vector<std::uint32_t>{100, 101, 102, 103});
}

TEST_CASE("Duplicates of a NAK do not start the walk again; a NAK with progress does", "[unit][roce]") {
  Ctl ctl;
  send(ctl, 8);
  ctl.clear();
  for (int i = 0; i < 20; ++i) ctl.ack({.qpn = 0, .psn = 102, .syndrome = kNakSeq});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == 6);
  REQUIRE(ctl.events.nak == 1);
  REQUIRE(ctl.events.stale == 19);
  for (int i = 0; i < 5; ++i) {
    ctl.ack({.qpn = 0, .psn = 102, .syndrome = kNakSeq});  // long after the walk
    REQUIRE(ctl.settle());
  }
  REQUIRE(ctl.jobs().size() == 6);
  ctl.ack({.qpn = 0, .psn = 105, .syndrome = kNakSeq});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == 6 + 3);
  REQUIRE(ctl.events.nak == 2);
  REQUIRE(ctl.cpl.items().size() == 5);
}

TEST_CASE("A walk skips what is acknowledged meanwhile, and starts anew for a NAK ahead of una", "[unit][roce]") {
  Ctl ctl;
  send(ctl, 10);
  ctl.clear();
  ctl.hold_jobs = true;
  ctl.ack({.qpn = 0, .psn = 100, .syndrome = kNakSeq});
  ctl.run(12);  // packet 100 stands in the job register, 101 behind it
  SECTION("ACK") { ctl.ack({.qpn = 0, .psn = 106}); }
  SECTION("NAK") { ctl.ack({.qpn = 0, .psn = 107, .syndrome = kNakSeq}); }
  ctl.run(20);
  ctl.hold_jobs = false;
  REQUIRE(ctl.settle());
  std::vector<std::uint32_t> psns;
  for (const Job& job : ctl.jobs()) psns.push_back(job.psn);
  REQUIRE(psns == std::vector<std::uint32_t>{100, 101, 107, 108, 109});
}

TEST_CASE("An ACK of everything ends a walk", "[unit][roce]") {
  Ctl ctl;
  send(ctl, 10);
  ctl.clear();
  ctl.hold_jobs = true;
  ctl.ack({.qpn = 0, .psn = 100, .syndrome = kNakSeq});
  ctl.run(12);
  ctl.ack({.qpn = 0, .psn = 109});
  ctl.run(20);
  ctl.hold_jobs = false;
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() <= 2);
  REQUIRE(ctl.cpl.items().size() == 10);
  ctl.post({.qpn = 0, .wr_id = 10});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().back().psn == 110);
}

TEST_CASE("RNR NAK: new packets wait, go back N when its timer expires, no retry is spent", "[unit][roce]") {
  Ctl ctl;
  send(ctl, 3, {.timeout = 14, .retry_limit = 0});
  ctl.clear();
  const unsigned code = GENERATE(1u, 2u, 5u);
  const std::uint64_t wait = (code == 1 ? 1 : code == 2 ? 2 : 6) * 2500ull;
  ctl.ack({.qpn = 0, .psn = 101, .syndrome = 0x20 | code});
  const std::uint64_t at = ctl.now;
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{0, 0, kOk}});
  ctl.post({.qpn = 0, .wr_id = 3});
  ctl.ack({.qpn = 0, .psn = 101, .syndrome = 0x20 | code});  // a second one does not postpone the timer
  ctl.run(1000);
  REQUIRE(ctl.jobs().empty());
  REQUIRE(ctl->quiet_o);
  // The deadline is set 2 cycles after the NAK was taken; sweep 3, requester 2, walk 4 later.
  const std::uint64_t expected = at + 2 + wait + 3 + 1 + 4;
  while (ctl.now < expected) {
    REQUIRE(ctl.jobs().empty());
    ctl.tick();
  }
  ctl.tick();
  REQUIRE(ctl.jobs().size() == 1);
  REQUIRE(ctl.settle());
  std::vector<std::uint32_t> psns;
  for (const Job& job : ctl.jobs()) psns.push_back(job.psn);
  REQUIRE(psns == std::vector<std::uint32_t>{101, 102, 103});
  REQUIRE(ctl.events.timeout == 0);
}

TEST_CASE("RNR timer code 0 is 655.36 ms", "[unit][roce]") {
  Ctl ctl;
  send(ctl, 1);
  ctl.ack({.qpn = 0, .psn = 100, .syndrome = 0x20});
  REQUIRE(ctl.settle());
  ctl.run(2200);  // the ACK timer's old bound passes; the sweep finds the RNR deadline
  REQUIRE(ctl->wake_at_o / 250 / 10 == (1000 / 250 / 10) + 65536);
}

TEST_CASE("Fatal NAKs: before is done, the message takes the error, the rest is flushed, both sides in error",
          "[unit][roce]") {
  const auto [syndrome, status] =
      GENERATE(std::pair{0x61u, kRemoteInvalid}, std::pair{0x62u, kRemoteAccess}, std::pair{0x63u, kRemoteOp});
  Ctl ctl;
  ctl.configure(0, {.pmtu = 0, .timeout = 0});
  ctl.post({.qpn = 0, .wr_id = 1});
  ctl.post({.qpn = 0, .wr_id = 2, .len = 3 * 256, .signaled = false});
  ctl.post({.qpn = 0, .wr_id = 3, .signaled = false});
  ctl.post({.qpn = 0, .wr_id = 4, .len = 20 * 256});  // its first 11 packets fill the window
  ctl.post({.qpn = 0, .wr_id = 5, .signaled = false});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == kWindow);
  ctl.ack({.qpn = 0, .psn = 102, .syndrome = syndrome});
  REQUIRE(ctl.settle());
  REQUIRE(
      ctl.cpl.items() ==
      std::vector<Cpl>{
          {0, 1, kOk}, {0, 2, static_cast<unsigned>(status)}, {0, 3, kFlushed}, {0, 4, kFlushed}, {0, 5, kFlushed}});
  REQUIRE(ctl.err_out == std::vector<std::uint32_t>{0});
  REQUIRE(ctl.events.qp_err == 1);
  ctl.post({.qpn = 0, .wr_id = 6});
  ctl.ack({.qpn = 0, .psn = 105});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items().back() == Cpl{0, 6, kFlushed});
  REQUIRE(ctl.jobs().size() == kWindow);
}

TEST_CASE("A fatal NAK for a message whose last packet was not sent yet gives it the error", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(0, {.pmtu = 0, .timeout = 0});
  ctl.post({.qpn = 0, .wr_id = 1, .len = 20 * 256});
  ctl.post({.qpn = 0, .wr_id = 2});
  REQUIRE(ctl.settle());
  ctl.ack({.qpn = 0, .psn = 103, .syndrome = 0x62});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{0, 1, kRemoteAccess}, {0, 2, kFlushed}});
}

TEST_CASE("RNR retries: each RNR NAK without progress spends one, progress gives them back, 7 is endless",
          "[unit][roce]") {
  const unsigned limit = GENERATE(0u, 1u, 3u, 6u, 7u);
  Ctl ctl;
  ctl.configure(0, {.timeout = 14, .retry_limit = 0, .rnr_retry = limit});
  for (std::uint32_t i = 0; i < 3; ++i) ctl.post({.qpn = 0, .wr_id = i, .signaled = i != 2, .op = kSend});
  REQUIRE(ctl.settle());
  const auto refuse = [&](std::uint32_t psn) {
    ctl.ack({.qpn = 0, .psn = psn, .syndrome = 0x21});
    ctl.ack({.qpn = 0, .psn = psn, .syndrome = 0x60});  // for the packets that followed: the wait goes on
    ctl.ack({.qpn = 0, .psn = psn, .syndrome = 0x21});  // a copy costs nothing
    ctl.clear();
    REQUIRE(ctl.settle());
    REQUIRE(ctl.jobs().empty());
    ctl.run(2600);
  };
  const unsigned rounds = limit == 7 ? 12 : limit;
  for (unsigned i = 0; i < rounds; ++i) {
    refuse(100);
    REQUIRE(ctl.jobs().size() == 3);
  }
  if (limit != 0) {
    refuse(101);  // with progress: spends nothing
    REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{0, 0, kOk}});
    for (unsigned i = 0; i < rounds; ++i) refuse(101);
    REQUIRE(ctl.events.qp_err == 0);
  }
  if (limit == 7) return;
  ctl.clear();
  ctl.ack({.qpn = 0, .psn = limit == 0 ? 100u : 101u, .syndrome = 0x21});
  REQUIRE(ctl.settle());
  std::vector<Cpl> wanted{{0, 0, kRnrExceeded}, {0, 1, kFlushed}, {0, 2, kFlushed}};
  if (limit != 0) wanted = {{0, 1, kRnrExceeded}, {0, 2, kFlushed}};
  REQUIRE(ctl.cpl.items() == wanted);
  REQUIRE(ctl.err_out == std::vector<std::uint32_t>{0});
}
