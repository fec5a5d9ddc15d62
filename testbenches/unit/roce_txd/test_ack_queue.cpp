// SPDX-License-Identifier: Apache-2.0
// Acknowledges that wait: merged per QP, never lost.
#include <map>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "Vtb_roce_ack_queue.h"
#include "pins.hpp"

using namespace caravan;
using namespace caravan::txd;
using support::StallPattern;

namespace {
struct Ack {
  std::uint32_t dest = 0, psn = 0, msn = 0;
  unsigned syndrome = 0, neigh = 0, sport = 0, opcode = 0, len = 0;
};

struct QueueBench {
  support::Bench<Vtb_roce_ack_queue> dut;
  support::Source<AckEvent> events;
  support::StallPattern stall;
  bool open = true;  // false: the consumer takes nothing
  bool ready = false;
  std::vector<Ack> acks;
  std::vector<std::uint64_t> at;
  unsigned merged = 0;

  explicit QueueBench(StallPattern::Kind gap = StallPattern::Kind::kNone,
                      StallPattern::Kind s = StallPattern::Kind::kNone)
      : events(
            dut, {gap, 1}, [this](const AckEvent& e) { put_ack(dut->evt_i, e); },
            [this](bool v) { dut->evt_valid_i = v; }, [this] { return dut->evt_ready_o != 0; }),
        stall(s, 2) {
    dut.add(
        [this] {
          ready = !stall.next() && open;
          dut->pkt_ready_i = ready;
        },
        [this] { sample(); });
    dut.reset();
    for (unsigned q = 0; q < 8; ++q)
      configure({.qpn = q,
                 .state = kQpRts,
                 .dest_qpn = 0x100 + q,
                 .neigh = static_cast<std::uint8_t>(q),
                 .sport = static_cast<std::uint16_t>(0xC000 + q)});
  }
  void sample() {
    merged += dut->merged_o;
    if (!dut->pkt_valid_o || !ready) return;
    const auto f = [this](unsigned lsb, unsigned width) {
      return static_cast<std::uint32_t>(support::get_bits(dut->pkt_o, lsb, width));
    };
    // tx_pkt_t: retry | opcode se ackreq dest_qpn psn neigh sport ext len rsp_last qpn
    acks.push_back({.dest = f(310, 24),
                    .psn = f(286, 24),
                    .msn = f(230, 24),
                    .syndrome = f(254, 8),
                    .neigh = f(278, 8),
                    .sport = f(262, 16),
                    .opcode = f(336, 8),
                    .len = f(25, 13)});
    at.push_back(dut.cycle());
  }
  void configure(const QpConfig& c) {
    put_config(dut->cfg_i, c);
    dut->cfg_valid_i = dut->cfg_go_i = 1;
    dut.tick();
    dut->cfg_valid_i = dut->cfg_go_i = 0;
  }
  void send(std::initializer_list<AckEvent> list) {
    for (const auto& e : list) events.push(e);
    REQUIRE(dut.run_until([&] { return events.empty(); }, 100));
    for (int i = 0; i < 6; ++i) dut.tick();
  }
  void drain() {
    open = true;
    REQUIRE(dut.run_until([&] { return dut->quiet_o && events.empty(); }, 200));
  }
};
constexpr std::uint8_t kAck = 0x1F, kNak = 0x60, kNakAccess = 0x62;
}  // namespace

TEST_CASE("roce_ack_queue turns an event into an ACK of its QP in 4 cycles", "[unit][roce_txd]") {
  QueueBench bench;
  bench.send({{.qpn = 5, .psn = 0xABCDEF, .syndrome = kNakAccess, .msn = 0x123456}});
  REQUIRE(bench.acks.size() == 1);
  const Ack& a = bench.acks[0];
  REQUIRE(a.opcode == 0x11);
  REQUIRE(a.dest == 0x105);
  REQUIRE(a.psn == 0xABCDEF);
  REQUIRE(a.syndrome == kNakAccess);
  REQUIRE(a.msn == 0x123456);
  REQUIRE(a.neigh == 5);
  REQUIRE(a.sport == 0xC005);
  REQUIRE(a.len == 0);
  REQUIRE(bench.at[0] == bench.events.sent_at()[0] + 4);
}

TEST_CASE("roce_ack_queue merges by the rules while an acknowledge waits", "[unit][roce_txd]") {
  struct Case {
    const char* what;
    AckEvent first, second;
    bool second_wins;
  };
  const Case cases[] = {
      {"newer ACK", {1, 10, kAck, 3}, {1, 11, kAck, 4}, true},
      {"same PSN", {1, 10, kAck, 3}, {1, 10, kAck, 4}, true},
      {"re-ACK of a duplicate", {1, 10, kAck, 3}, {1, 9, kAck, 2}, false},
      {"newer ACK over the wrap", {1, 0xFFFFFF, kAck, 3}, {1, 0, kAck, 4}, true},
      {"older ACK over the wrap", {1, 2, kAck, 3}, {1, 0xFFFFFE, kAck, 2}, false},
      {"farthest newer", {1, 0, kAck, 3}, {1, 0x7FFFFF, kAck, 4}, true},
      {"farthest older", {1, 0, kAck, 3}, {1, 0x800000, kAck, 4}, false},
      {"NAK after ACK", {1, 10, kAck, 3}, {1, 11, kNak, 3}, true},
      {"ACK before the NAK", {1, 11, kNak, 3}, {1, 10, kAck, 3}, false},
      {"ACK at the NAK", {1, 11, kNak, 3}, {1, 11, kAck, 4}, true},
      {"ACK after the NAK over the wrap", {1, 0xFFFFFF, kNak, 3}, {1, 1, kAck, 5}, true},
      {"ACK before the NAK over the wrap", {1, 1, kNak, 3}, {1, 0xFFFFFF, kAck, 3}, false},
      {"NAK after NAK", {1, 11, kNak, 3}, {1, 11, kNakAccess, 3}, true},
  };
  for (const auto& c : cases) {
    INFO(c.what);
    QueueBench bench;
    bench.open = false;
    // QP 0 fills the output register, so that QP 1 waits.
    bench.send({{.qpn = 0}, c.first, c.second});
    bench.drain();
    REQUIRE(bench.acks.size() == 2);
    const AckEvent& want = c.second_wins ? c.second : c.first;
    REQUIRE(bench.acks[1].psn == want.psn);
    REQUIRE(bench.acks[1].syndrome == want.syndrome);
    REQUIRE(bench.acks[1].msn == want.msn);
    REQUIRE(bench.merged == 1);
  }
}

TEST_CASE("roce_ack_queue merges back-to-back events of one QP", "[unit][roce_txd]") {
  QueueBench bench;
  bench.open = false;
  bench.send({{.qpn = 0}, {1, 10, kAck, 1}, {1, 11, kAck, 2}, {1, 12, kAck, 3}, {1, 11, kAck, 2}, {2, 7, kAck, 1}});
  bench.drain();
  REQUIRE(bench.acks.size() == 3);
  REQUIRE(bench.acks[1].psn == 12);
  REQUIRE(bench.acks[1].msn == 3);
  REQUIRE(bench.acks[2].psn == 7);
  REQUIRE(bench.merged == 3);
}

TEST_CASE("roce_ack_queue never loses the newest acknowledge of a QP", "[unit][roce_txd]") {
  const auto gap = GENERATE(from_range(std::begin(StallPattern::kAll), std::end(StallPattern::kAll)));
  const auto stall = GENERATE(from_range(std::begin(StallPattern::kAll), std::end(StallPattern::kAll)));
  QueueBench bench(gap, stall);
  base::Rng rng(3);
  std::map<std::uint32_t, std::uint32_t> newest;
  for (unsigned i = 0; i < 400; ++i) {
    const auto qpn = static_cast<std::uint32_t>(rng.below(8));
    const std::uint32_t psn = (0xFFFF80 + i) & 0xFFFFFF;
    bench.events.push({.qpn = qpn, .psn = psn, .syndrome = kAck, .msn = i});
    newest[0x100 + qpn] = psn;
  }
  REQUIRE(bench.dut.run_until([&] { return bench.events.empty() && bench.dut->quiet_o; }, 20000));
  std::map<std::uint32_t, std::uint32_t> last;
  for (const auto& a : bench.acks) {
    if (last.contains(a.dest)) REQUIRE(((a.psn - last[a.dest]) & 0xFFFFFF) < 0x800000);
    last[a.dest] = a.psn;
  }
  REQUIRE(last == newest);
  REQUIRE(bench.acks.size() + bench.merged == 400);
}

TEST_CASE("roce_ack_queue takes an event every two cycles while acknowledges leave", "[unit][roce_txd]") {
  QueueBench bench;
  for (unsigned i = 0; i < 100; ++i) bench.events.push({.qpn = i % 8, .psn = i});
  REQUIRE(bench.dut.run_until([&] { return bench.events.empty(); }, 300));
  const auto& sent = bench.events.sent_at();
  for (std::size_t i = 1; i < sent.size(); ++i) REQUIRE(sent[i] - sent[i - 1] <= 2);
}

TEST_CASE("roce_ack_queue acknowledges only for QPs that receive", "[unit][roce_txd]") {
  for (unsigned state = 0; state < 8; ++state) {
    QueueBench bench;
    bench.configure({.qpn = 2, .state = state, .dest_qpn = 0x102});
    bench.send({{.qpn = 2, .psn = 1}, {.qpn = 3, .psn = 2}});
    const bool active = state >= kQpRtr && state <= kQpErr;
    REQUIRE(bench.acks.size() == (active ? 2u : 1u));
    REQUIRE(bench.acks.back().psn == 2);
  }
}

TEST_CASE("roce_ack_queue ignores events and table writes with a number out of range", "[unit][roce_txd]") {
  QueueBench bench;
  bench.configure({.qpn = 8, .init = true, .state = kQpReset});       // not QP 0
  bench.configure({.qpn = 1, .state = kQpReset, .is_region = true});  // a region, not QP 1
  for (unsigned i = 0; i < 20; ++i) bench.events.push({.qpn = 0x100008 + i, .psn = i});
  bench.send({{.qpn = 0, .psn = 4}, {.qpn = 1, .psn = 5}});
  REQUIRE(bench.acks.size() == 2);
  REQUIRE(bench.acks[0].psn == 4);
  REQUIRE(bench.acks[1].psn == 5);
}

TEST_CASE("creating a QP anew discards what waits for it, and only that", "[unit][roce_txd]") {
  QueueBench bench;
  bench.open = false;
  bench.send({{.qpn = 0, .psn = 1}, {.qpn = 1, .psn = 2}, {.qpn = 2, .psn = 3}});
  bench.configure({.qpn = 1, .init = true, .state = kQpRts, .dest_qpn = 0x201});
  bench.configure(
      {.qpn = 2, .init = false, .state = kQpRts, .dest_qpn = 0x202});  // modify keeps it, with the new context
  bench.drain();
  REQUIRE(bench.acks.size() == 2);
  REQUIRE(bench.acks[0].dest == 0x100);
  REQUIRE(bench.acks[1].dest == 0x202);

  // While the number still stands in the queue: the new QP's first acknowledge is sent once.
  bench.open = false;
  bench.send({{.qpn = 0, .psn = 1}, {.qpn = 1, .psn = 2}});
  bench.configure({.qpn = 1, .init = true, .state = kQpRts, .dest_qpn = 0x301});
  bench.send({{.qpn = 1, .psn = 500}});
  bench.drain();
  REQUIRE(bench.acks.size() == 4);
  REQUIRE(bench.acks[3].dest == 0x301);
  REQUIRE(bench.acks[3].psn == 500);
}

TEST_CASE("roce_ack_queue discards an event that is being stored when its QP is created anew", "[unit][roce_txd]") {
  for (unsigned delay = 0; delay < 5; ++delay) {
    QueueBench bench;
    bench.open = false;
    bench.send({{.qpn = 0}});
    bench.events.push({.qpn = 1, .psn = 9});
    REQUIRE(bench.dut.run_until([&] { return bench.events.empty(); }, 20));
    for (unsigned i = 0; i < delay; ++i) bench.dut.tick();
    bench.configure({.qpn = 1, .init = true, .state = kQpRts, .dest_qpn = 0x101});
    bench.drain();
    REQUIRE(bench.acks.size() == 1);
  }
}

TEST_CASE("an acknowledge that is on its way out when its QP is created anew is discarded, once out it is sent",
          "[unit][roce_txd]") {
  for (unsigned delay = 0; delay < 5; ++delay) {
    QueueBench bench;
    bench.events.push({.qpn = 1, .psn = 9});
    REQUIRE(bench.dut.run_until([&] { return bench.events.empty(); }, 20));
    for (unsigned i = 0; i < delay; ++i) bench.dut.tick();
    bench.configure({.qpn = 1, .init = true, .state = kQpRts, .dest_qpn = 0x101});
    bench.drain();
    INFO("created " << delay + 1 << " cycles after the event");
    REQUIRE(bench.acks.size() == (delay < 3 ? 0u : 1u));  // it stands at the output 4 cycles after the event
  }
}

TEST_CASE("roce_ack_queue holds an acknowledge until the answer before it has left", "[unit][roce_txd]") {
  QueueBench bench;
  const auto answered = [&](std::uint32_t qpn) {
    bench.dut->done_i = 1;
    bench.dut->done_qpn_i = qpn;
    bench.dut.tick();
    bench.dut->done_i = 0;
    for (int i = 0; i < 8; ++i) bench.dut.tick();
  };
  // READs 1 and 3 are of QP 1, READ 2 of QP 2.
  bench.send({{1, 10, kAck, 1, 3}, {2, 20, kAck, 1, 2}, {3, 30, kAck, 1, 0}});
  bench.drain();
  REQUIRE(bench.acks.size() == 1);  // QP 3 waits for nothing
  REQUIRE(bench.dut->quiet_o == 1);
  bench.send({{1, 11, kAck, 2, 3}});  // merged while held
  answered(1);
  REQUIRE(bench.acks.size() == 1);
  answered(2);
  REQUIRE((bench.acks.size() == 2 && bench.acks[1].psn == 20));
  answered(1);
  REQUIRE((bench.acks.size() == 3 && bench.acks[2].psn == 11));
  REQUIRE(bench.merged == 1);
  // What is older than the newest answer leaves at once; so does what comes in the very cycle of the answer.
  bench.send({{1, 12, kAck, 3, 3}});
  REQUIRE(bench.acks.size() == 4);
}

TEST_CASE("roce_ack_queue: an answer that leaves in any cycle around the event wakes the acknowledge",
          "[unit][roce_txd]") {
  for (unsigned when = 0; when < 12; ++when) {
    for (bool full : {false, true}) {
      INFO("answered in cycle " << when << (full ? ", others wait" : ""));
      QueueBench bench;
      if (full) {
        bench.open = false;
        bench.send({{0, 1, kAck, 1, 0}, {2, 1, kAck, 1, 0}});
      }
      bench.events.push({1, 10, kAck, 1, 1});
      bench.events.push({1, 11, kAck, 2, 1});
      for (unsigned i = 0; i < 14; ++i) {
        bench.dut->done_i = i == when;
        bench.dut->done_qpn_i = 1;
        if (i == 7) bench.open = true;
        bench.dut.tick();
      }
      bench.dut->done_i = 0;
      bench.drain();
      for (int i = 0; i < 10; ++i) bench.dut.tick();
      REQUIRE(bench.acks.back().psn == 11);
    }
  }
}

TEST_CASE("creating a QP anew frees it from answers of its old life", "[unit][roce_txd]") {
  QueueBench bench;
  bench.send({{1, 10, kAck, 1, 5}});
  bench.configure({.qpn = 1, .init = true, .state = kQpRts, .dest_qpn = 0x201});
  for (int i = 0; i < 5; ++i) {
    bench.dut->done_i = 1;
    bench.dut->done_qpn_i = 1;
    bench.dut.tick();
  }
  bench.dut->done_i = 0;
  bench.drain();
  REQUIRE(bench.acks.empty());
  bench.send({{1, 500, kAck, 1, 0}});
  bench.drain();
  REQUIRE((bench.acks.size() == 1 && bench.acks[0].dest == 0x201));
}
