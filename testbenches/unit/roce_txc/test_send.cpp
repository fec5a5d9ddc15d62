// SPDX-License-Identifier: Apache-2.0
// From work request to packet: latency, segmentation, AckReq, window, fairness, throughput, refusals.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "testbenches/unit/roce_txc/ctl_bench.hpp"

using namespace caravan::roce_txc;
using Kind = StallPattern::Kind;

TEST_CASE("A verb is taken in its first cycle and its job is valid 4 cycles later", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(1, {});
  ctl.run(5);
  const std::uint64_t offered = ctl.now;
  const std::uint64_t offered_cycle = ctl.dut.cycle();
  ctl.post({.qpn = 1});
  REQUIRE(ctl.run_until([&] { return !ctl.jobs().empty(); }, 20));
  REQUIRE(ctl.verbs.sent_at().at(0) == offered_cycle);
  REQUIRE(ctl.jobs().at(0).at == offered + 4);
}

TEST_CASE("Every field of a packet comes from the work request, the context and the registers", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(5, {.psn = 0x1234});
  ctl.post({.qpn = 5,
            .wr_id = 9,
            .len = 100,
            .rkey = 0xABCD,
            .laddr = 0x8000'0000'0000'4321,
            .raddr = 0x3000'0000'0000'0010});
  ctl.post({.qpn = 5, .len = 64, .inl = true, .laddr = ~0ull, .data = 0xD00D});
  REQUIRE(ctl.run_until([&] { return ctl.jobs().size() == 2; }, 40));
  const Job& host = ctl.jobs()[0];
  REQUIRE(host.opcode == kOnly);
  REQUIRE(host.ackreq);
  REQUIRE(host.dest == 0x505);
  REQUIRE(host.psn == 0x1234);
  REQUIRE(host.neigh == 8);
  REQUIRE(host.sport == 0xC005);
  REQUIRE(host.va == 0x3000'0000'0000'0010);
  REQUIRE(host.rkey == 0xABCD);
  REQUIRE(host.total == 100);
  REQUIRE(host.len == 100);
  REQUIRE(host.src == kHost);
  REQUIRE(host.addr == 0x4321);
  REQUIRE(host.ring_we);
  REQUIRE_FALSE(host.ring_rd);
  REQUIRE(host.ring == ring_slot(5, 0x1234));
  const Job& inl = ctl.jobs()[1];
  REQUIRE(inl.src == kInline);
  REQUIRE(inl.data == 0xD00D);
  REQUIRE(inl.psn == 0x1235);
  REQUIRE(inl.ring == ring_slot(5, 0x1235));
}

TEST_CASE("Messages are cut at the path MTU, every length and alignment around it", "[unit][roce]") {
  const unsigned code = GENERATE(0u, 1u, 2u, 3u, 4u);
  const std::uint32_t pmtu = 256u << code;
  Ctl ctl;
  ctl.configure(2, {.pmtu = code, .psn = 0xFFFFFD});
  std::uint32_t psn = 0xFFFFFD;
  std::vector<std::uint32_t> lengths{0, 1, 3, 64};
  for (std::uint32_t n = 1; n <= 3; ++n)
    for (int d : {-1, 0, 1}) lengths.push_back(n * pmtu + static_cast<std::uint32_t>(d));
  for (const std::uint32_t len : lengths) {
    ctl.clear();
    ctl.post({.qpn = 2, .wr_id = len, .len = len, .laddr = 0x1003, .raddr = 0x2001});
    const std::uint32_t packets = len == 0 ? 1 : (len + pmtu - 1) / pmtu;
    REQUIRE(ctl.settle());
    REQUIRE(ctl.jobs().size() == packets);
    for (std::uint32_t i = 0; i < packets; ++i) {
      const Job& job = ctl.jobs()[i];
      const bool first = i == 0, last = i + 1 == packets;
      INFO("pmtu " << pmtu << " len " << len << " packet " << i);
      REQUIRE(job.opcode == (first ? (last ? kOnly : kFirst) : (last ? kLast : kMiddle)));
      REQUIRE(job.psn == psn);
      REQUIRE(job.len == (last ? len - i * pmtu : pmtu));
      REQUIRE(job.addr == 0x1003 + i * pmtu);
      REQUIRE(job.src == (len == 0 ? kNone : kHbm));
      REQUIRE(job.ring_we == (len != 0));
      REQUIRE(job.total == (first ? len : 0));
      REQUIRE(job.va == (first ? 0x2001u : 0u));
      REQUIRE(job.ackreq == last);
      psn = (psn + 1) & kPsnMask;
    }
    ctl.ack({.qpn = 2, .psn = (psn - 1) & kPsnMask});
    REQUIRE(ctl.settle());
    REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{2, len, kOk}});
  }
}

TEST_CASE("The longest message starts with FIRST and its whole length", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(0, {.pmtu = 4});
  ctl.post({.qpn = 0, .len = 0x8000'0000});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == kWindow);
  REQUIRE(ctl.jobs()[0].opcode == kFirst);
  REQUIRE(ctl.jobs()[0].total == 0x8000'0000);
  REQUIRE(ctl.jobs()[15].opcode == kMiddle);
}

TEST_CASE("AckReq: last packets, every n-th packet since the last one, and the packet that fills the window",
          "[unit][roce]") {
  const unsigned every = GENERATE(0u, 1u, 3u, 8u, 255u);
  Ctl ctl;
  ctl->ackreq_every_i = every;
  ctl.configure(0, {.pmtu = 0});
  ctl.post({.qpn = 0, .len = 5 * 256});
  ctl.post({.qpn = 0, .len = 40 * 256});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == kWindow);
  unsigned since = 0;
  for (unsigned i = 0; i < kWindow; ++i) {
    ++since;
    const bool wanted = i == 4 || i == kWindow - 1 || (every != 0 && since == every);
    INFO("every " << every << " packet " << i);
    REQUIRE(ctl.jobs()[i].ackreq == wanted);
    if (wanted) since = 0;
  }
}

TEST_CASE("The window is filled exactly and opens with each acknowledge", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(0, {.pmtu = 0, .timeout = 0});
  ctl.post({.qpn = 0, .len = 100 * 256});
  ctl.run(200);
  REQUIRE(ctl.jobs().size() == kWindow);
  REQUIRE(ctl->quiet_o);
  ctl.ack({.qpn = 0, .psn = 100});
  const std::uint64_t acked = ctl.now;
  REQUIRE(ctl.run_until([&] { return ctl.jobs().size() == kWindow + 1; }, 20));
  // Taken, judged, window moved and kicked, listed, scheduled, job register.
  REQUIRE(ctl.jobs().back().at == acked + 5);
  ctl.ack({.qpn = 0, .psn = 105});
  ctl.run(50);
  REQUIRE(ctl.jobs().size() == kWindow + 6);
}

TEST_CASE("One packet a cycle: small messages of one QP, two QPs in turn, one long message", "[unit][roce]") {
  const unsigned shape = GENERATE(0u, 1u, 2u);
  Ctl ctl;
  ctl.configure(0, {.pmtu = 0});
  ctl.configure(1, {.pmtu = 0});
  ctl.hold_jobs = true;
  if (shape == 0)
    for (unsigned i = 0; i < 8; ++i) ctl.post({.qpn = 0});
  if (shape == 1)
    for (unsigned i = 0; i < 12; ++i) ctl.post({.qpn = i & 1});
  if (shape == 2) ctl.post({.qpn = 0, .len = 16 * 256});
  ctl.run(30);
  ctl.hold_jobs = false;
  ctl.run(40);
  const auto& jobs = ctl.jobs();
  REQUIRE(jobs.size() == (shape == 0 ? 8 : shape == 1 ? 12 : 16));
  for (std::size_t i = 1; i < jobs.size(); ++i) REQUIRE(jobs[i].at == jobs[i - 1].at + 1);
  if (shape == 1)
    for (std::size_t i = 2; i < jobs.size(); ++i) REQUIRE(jobs[i].dest == jobs[i - 2].dest);
}

TEST_CASE("Sustained from the verb port: a small message every cycle of one QP, until its window is full",
          "[unit][roce]") {
  Ctl ctl;
  ctl.configure(3, {});
  for (unsigned i = 0; i < kWindow; ++i) ctl.post({.qpn = 3});
  ctl.run(60);
  REQUIRE(ctl.jobs().size() == kWindow);
  REQUIRE(ctl.jobs().back().at - ctl.jobs().front().at <= 2 * (kWindow - 1));
}

TEST_CASE("Round robin packet by packet: a long message does not hold up the others", "[unit][roce]") {
  Ctl ctl;
  for (std::uint32_t q = 0; q < 4; ++q) ctl.configure(q, {.pmtu = 0});
  ctl.hold_jobs = true;
  for (std::uint32_t q = 0; q < 4; ++q) ctl.post({.qpn = q, .len = 12 * 256});
  ctl.run(30);
  ctl.hold_jobs = false;
  ctl.run(100);
  REQUIRE(ctl.jobs().size() == 48);
  unsigned sent[4] = {};
  for (const Job& job : ctl.jobs()) {
    ++sent[job.dest - 0x500];
    const auto [low, high] = std::minmax({sent[0], sent[1], sent[2], sent[3]});
    REQUIRE(high - low <= 2);
  }
}

TEST_CASE("A full window blocks only its QP, a full ring only verbs of its QP", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(0, {.pmtu = 0, .timeout = 0});
  ctl.configure(1, {.timeout = 0});
  ctl.post({.qpn = 0, .len = 40 * 256});
  for (unsigned i = 0; i < kSqDepth - 1; ++i) ctl.post({.qpn = 0});
  for (unsigned i = 0; i < 4; ++i) ctl.post({.qpn = 1, .wr_id = i});
  ctl.run(100);
  REQUIRE(ctl.verbs.empty());  // the ring of QP 0 is full, QP 1 has sent
  REQUIRE(ctl.jobs().size() == kWindow + 4);
  ctl.post({.qpn = 0});
  ctl.post({.qpn = 1});
  ctl.run(100);
  REQUIRE(ctl.jobs().size() == kWindow + 4);  // QP 0's verb stands in the entry: the port waits for its ring
  REQUIRE_FALSE(ctl.verbs.empty());
  REQUIRE_FALSE(ctl->verb_ready_o);
  for (std::uint32_t psn : {115u, 131u, 139u}) {
    ctl.ack({.qpn = 0, .psn = psn});
    ctl.run(60);
  }
  REQUIRE(ctl.verbs.empty());
  REQUIRE(ctl.jobs().size() == 40 + 8 + 5);
}

TEST_CASE("Malformed work requests complete at once with CPL_BAD_REQUEST, unsignaled too", "[unit][roce]") {
  const Kind stall = GENERATE(Kind::kNone, Kind::kMostly);
  Ctl ctl({.cpl = stall});
  ctl.configure(0, {});
  ctl.post({.qpn = kQps, .wr_id = 1, .signaled = false});
  ctl.post({.qpn = 0xFFFFFF, .wr_id = 2});
  ctl.post({.qpn = 0, .wr_id = 3, .op = 5});
  ctl.post({.qpn = 0, .wr_id = 4, .len = 0x8000'0001});
  ctl.post({.qpn = 0, .wr_id = 5, .len = 65, .inl = true});
  ctl.post({.qpn = 0, .wr_id = 6, .laddr = 0x3000'0000'0000'0000});
  ctl.post({.qpn = 0, .wr_id = 7, .laddr = 0x9000'0000'0000'0000});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().empty());
  REQUIRE(ctl.events.bad == 7);
  REQUIRE(ctl.cpl.items().size() == 7);
  for (std::uint32_t i = 0; i < 7; ++i) REQUIRE(ctl.cpl.items()[i].wr_id == i + 1);
  for (const Cpl& cpl : ctl.cpl.items()) REQUIRE(cpl.status == kBadRequest);
  REQUIRE(ctl.cpl.items()[1].qpn == 0xFFFFFF);
  ctl.post({.qpn = 0, .wr_id = 8});  // the QP is unharmed
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == 1);
}

TEST_CASE("Work for a QP that was never created, or is not RTS, completes as flushed", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(1, {.state = kRtr});
  ctl.post({.qpn = 0, .wr_id = 1, .signaled = false});
  ctl.post({.qpn = 1, .wr_id = 2, .signaled = false});
  ctl.post({.qpn = 1, .wr_id = 3});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{0, 1, kFlushed}, {1, 2, kFlushed}, {1, 3, kFlushed}});
  REQUIRE(ctl.jobs().empty());
  REQUIRE(ctl.events.qp_err == 0);
  ctl.configure(1, {.state = kRts}, false);  // RTR to RTS without creating it anew
  ctl.post({.qpn = 1, .wr_id = 4});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == 1);
  REQUIRE(ctl.jobs()[0].psn == 100);
}
