// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include "Vtb_net_arp.h"
#include "testbenches/support/net_frames.hpp"
#include "testbenches/support/stalls.hpp"

using namespace caravan;
using namespace caravan::support;

namespace {
struct ArpBench {
  Bench<Vtb_net_arp> dut;
  Pusher<Beat> rx;
  Sink<Beat> tx;
  std::vector<std::uint64_t> drops;
  ArpBench(StallPattern::Kind gaps, StallPattern::Kind stalls, bool gated = false)
      : rx(
            dut, {gaps, 3}, [this](const Beat& b) { put_net_rx(dut->rx_i, b); },
            [this](bool v) { dut->rx_valid_i = v; }),
        tx(
            dut, {stalls, 4}, [this] { return get_axis(dut->tx_o); }, [this] { return dut->tx_valid_o != 0; },
            [this](bool r) { dut->tx_ready_i = r; }) {
    put_own_cfg(dut->cfg_i);
    dut.add([] {},
            [this] {
              if (dut->drop_o) drops.push_back(dut.cycle());
            });
    if (gated) dut.gate([this] { return dut->quiet_o != 0; });
    dut.reset();
  }
  void send(const std::vector<Beat>& beats) {
    for (const Beat& b : beats) rx.push(b);
  }
};

Bytes request(unsigned n) {
  return arp_frame([n](packet::Eth&, packet::Arp& a) {
    a.sender_mac[5] = static_cast<std::uint8_t>(n);
    a.sender_ip = 0x0A000100 + n;
  });
}

void check_reply(const Beat& beat, unsigned n) {
  REQUIRE(beat.last);
  REQUIRE_FALSE(beat.err);
  REQUIRE(beat.bytes == 60);
  const packet::ParsedPacket p = packet::parse({beat.data.data(), beat.bytes});
  REQUIRE(p.ok());
  packet::MacAddr sender = kPeerMac;
  sender[5] = static_cast<std::uint8_t>(n);
  REQUIRE(*p.eth == packet::Eth{.dst = sender, .src = kOwnMac, .ether_type = packet::kEtherTypeArp});
  REQUIRE(*p.arp == packet::Arp{.operation = 2,
                                .sender_mac = kOwnMac,
                                .sender_ip = kOwnIp,
                                .target_mac = sender,
                                .target_ip = 0x0A000100 + n});
  for (unsigned k = 42; k < 64; ++k) REQUIRE(beat.data[k] == 0);
}
}  // namespace

TEST_CASE("net_arp answers or counts every request", "[unit][net]") {
  const auto gaps = CARAVAN_EVERY_STALL();
  const auto stalls = CARAVAN_EVERY_STALL();
  const bool gated = GENERATE(false, true);
  ArpBench bench(gaps, stalls, gated);
  for (unsigned n = 0; n < 60; ++n) {
    bench.send(received(n % 3 == 0 ? padded(request(n), 70) : request(n), kKindArp, 42));
    bench.send(received(udp_frame(pattern(100)), kKindRoce, 142));
  }
  REQUIRE(bench.dut.run_until([&] { return bench.rx.empty() && bench.dut->quiet_o; }, 20000));
  REQUIRE(bench.tx.items().size() + bench.drops.size() == 60);
  REQUIRE(bench.tx.items().size() > 5);
  unsigned before = 0;
  for (const Beat& beat : bench.tx.items()) {
    const unsigned n = beat.data[5];  // whom it is for
    check_reply(beat, n);
    REQUIRE((&beat == &bench.tx.items()[0] || n > before));
    before = n;
  }
}

TEST_CASE("net_arp offers the reply in the cycle after the request, and is free again after it left", "[unit][net]") {
  ArpBench bench(StallPattern::Kind::kNone, StallPattern::Kind::kNone);
  for (unsigned n = 0; n < 5; ++n) {
    bench.send(received(request(n), kKindArp, 42));
    bench.send(received(udp_frame({}), kKindRoce, 42));
  }
  bench.dut.run_until([&] { return bench.tx.items().size() == 5; }, 30);
  for (unsigned n = 0; n < 5; ++n) {
    REQUIRE(bench.tx.at().at(n) == bench.rx.sent_at()[2 * n] + 1);
    check_reply(bench.tx.items()[n], n);
  }
  REQUIRE(bench.drops.empty());
}

TEST_CASE("net_arp drops a request while the buffer is taken, in the cycle of its last beat", "[unit][net]") {
  ArpBench bench(StallPattern::Kind::kNone, StallPattern::Kind::kNone);
  bench.send(received(request(1), kKindArp, 42));
  bench.send(received(padded(request(2), 70), kKindArp, 42));  // starts while reply 1 is offered
  bench.send(received(request(3), kKindArp, 42));
  bench.dut.run_until([&] { return bench.tx.items().size() == 2; }, 30);
  check_reply(bench.tx.items()[0], 1);
  check_reply(bench.tx.items()[1], 3);
  REQUIRE(bench.drops == std::vector<std::uint64_t>{bench.rx.sent_at()[3]});
}

TEST_CASE("net_arp ignores damaged requests and other frames", "[unit][net]") {
  ArpBench bench(StallPattern::Kind::kNone, StallPattern::Kind::kNone);
  bench.send(received(request(1), kKindArp, 42, true));
  bench.send(received(padded(request(2), 70), kKindArp, 42, true));
  bench.send(received(request(3), kKindOther, 42));
  bench.send(received(icmp_frame(pattern(10)), kKindIcmp, 52));
  for (int i = 0; i < 20; ++i) bench.dut.tick();
  REQUIRE(bench.tx.items().empty());
  REQUIRE(bench.drops.empty());
  bench.send(received(request(4), kKindArp, 42));
  REQUIRE(bench.dut.run_until([&] { return bench.tx.items().size() == 1; }, 10));
}

TEST_CASE("net_arp forgets its reply in reset", "[unit][net]") {
  ArpBench bench(StallPattern::Kind::kNone, StallPattern::Kind::kMostly);
  bench.send(received(request(1), kKindArp, 42));
  bench.dut.tick();
  REQUIRE(bench.dut->tx_valid_o == 1);
  bench.dut.reset();
  REQUIRE(bench.dut->tx_valid_o == 0);
  bench.dut.tick();
  REQUIRE(bench.dut->quiet_o == 1);
  REQUIRE(bench.tx.items().empty());
}
