// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include "Vtb_net_icmp.h"
#include "testbenches/support/net_frames.hpp"
#include "testbenches/support/stalls.hpp"

using namespace caravan;
using namespace caravan::support;

namespace {
constexpr std::size_t kMaxData = 2048 - 42;

struct IcmpBench {
  Bench<Vtb_net_icmp> dut;
  Pusher<Beat> rx;
  Sink<Beat> tx;
  std::vector<std::uint64_t> drops;
  IcmpBench(StallPattern::Kind gaps, StallPattern::Kind stalls, bool gated = false)
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
  void request(const Bytes& data, std::size_t padding = 0, bool bad = false) {
    send(received(padded(icmp_frame(data), padding), kKindIcmp, 42 + data.size(), bad));
  }
  std::vector<Bytes> drain() {
    REQUIRE(dut.run_until([&] { return rx.empty() && dut->quiet_o; }, 60000));
    return to_frames(tx.items());
  }
};

void check_reply(const Bytes& frame, const Bytes& data) {
  REQUIRE(frame.size() == std::max<std::size_t>(60, 42 + data.size()));
  const packet::ParsedPacket p = packet::parse(frame);
  REQUIRE(p.ok());  // both checksums too
  REQUIRE(p.eth->dst == kPeerMac);
  REQUIRE(p.eth->src == kOwnMac);
  REQUIRE(p.ipv4->src == kOwnIp);
  REQUIRE(p.ipv4->dst == kPeerIp);
  REQUIRE(p.ipv4->ttl == 64);
  REQUIRE(p.icmp->type == 0);
  REQUIRE(p.icmp->code == 0);
  REQUIRE(p.icmp->id == 0xBEEF);
  REQUIRE(p.icmp->sequence == 3);
  REQUIRE(Bytes(p.payload.begin(), p.payload.end()) == data);
  for (std::size_t k = 42 + data.size(); k < frame.size(); ++k) REQUIRE(frame[k] == 0);
}
}  // namespace

TEST_CASE("net_icmp echoes every size under every stall pattern", "[unit][net]") {
  const auto gaps = CARAVAN_EVERY_STALL();
  const auto stalls = CARAVAN_EVERY_STALL();
  const bool gated = GENERATE(false, true);
  IcmpBench bench(gaps, stalls, gated);
  std::vector<Bytes> sent;
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{17}, std::size_t{18}, std::size_t{19}, std::size_t{21},
        std::size_t{22}, std::size_t{23}, std::size_t{86}, std::size_t{87}, std::size_t{500}, kMaxData - 1, kMaxData}) {
    sent.push_back(pattern(n, static_cast<unsigned>(n)));
    bench.request(sent.back(), n % 3 * 40);
    bench.drain();  // one at a time: the queue has room for the largest
  }
  const std::vector<Bytes> replies = bench.drain();
  REQUIRE(bench.drops.empty());
  REQUIRE(replies.size() == sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i) check_reply(replies[i], sent[i]);
}

TEST_CASE("net_icmp offers the reply 3 cycles after the request, then one beat a cycle", "[unit][net]") {
  IcmpBench bench(StallPattern::Kind::kNone, StallPattern::Kind::kNone);
  bench.request(pattern(300));  // 6 beats
  bench.request(pattern(300));
  bench.drain();
  REQUIRE(bench.tx.at().size() == 12);
  for (std::size_t i = 0; i < 6; ++i) {
    REQUIRE(bench.tx.at()[i] == bench.rx.sent_at()[5] + 3 + i);
    REQUIRE(bench.tx.at()[6 + i] == bench.rx.sent_at()[11] + 3 + i);
  }
}

TEST_CASE("net_icmp drops and counts what it has no room for", "[unit][net]") {
  IcmpBench bench(StallPattern::Kind::kNone, StallPattern::Kind::kNone);
  bench.request(pattern(kMaxData + 1));  // larger than the buffer: never fits
  bench.request(pattern(8000));
  bench.request(pattern(kMaxData));
  const std::vector<Bytes> replies = bench.drain();
  REQUIRE(replies.size() == 1);
  check_reply(replies[0], pattern(kMaxData));
  REQUIRE(bench.drops == std::vector<std::uint64_t>{bench.rx.sent_at()[32], bench.rx.sent_at()[32 + 126]});
}

TEST_CASE("net_icmp answers or counts every request while the output is slow", "[unit][net]") {
  IcmpBench bench(StallPattern::Kind::kNone, StallPattern::Kind::kMostly);
  for (unsigned i = 0; i < 200; ++i) bench.request(pattern(i * 9 % 700, i));
  const std::vector<Bytes> replies = bench.drain();
  REQUIRE(replies.size() + bench.drops.size() == 200);
  REQUIRE(bench.drops.size() > 20);
  REQUIRE(replies.size() > 5);
  for (const Bytes& reply : replies) REQUIRE(packet::parse(reply).ok());
}

TEST_CASE("net_icmp takes damaged requests back without counting them", "[unit][net]") {
  IcmpBench bench(StallPattern::Kind::kNone, StallPattern::Kind::kNone);
  bench.request(pattern(300), 0, true);
  bench.request(pattern(5000), 0, true);
  bench.request(pattern(2), 100, true);
  bench.send(received(udp_frame(pattern(100)), kKindRoce, 142));
  bench.request(pattern(7));
  const std::vector<Bytes> replies = bench.drain();
  REQUIRE(replies.size() == 1);
  check_reply(replies[0], pattern(7));
  REQUIRE(bench.drops.empty());
}

TEST_CASE("net_icmp keeps the checksum right for every request checksum", "[unit][net]") {
  IcmpBench bench(StallPattern::Kind::kNone, StallPattern::Kind::kNone);
  // Two data bytes steer the checksum around its wrap.
  for (unsigned v :
       {0x0000u, 0x0001u, 0x38F1u, 0x3910u, 0x390Fu, 0x3911u, 0x400Eu, 0x410Fu, 0x4110u, 0x4111u, 0xFFFFu}) {
    bench.request({static_cast<std::uint8_t>(v >> 8), static_cast<std::uint8_t>(v)});
    bench.drain();
  }
  for (const Bytes& reply : bench.drain()) REQUIRE(packet::parse(reply).ok());
}

TEST_CASE("net_icmp is empty after reset, in the middle of a request or of a reply", "[unit][net]") {
  IcmpBench bench(StallPattern::Kind::kNone, StallPattern::Kind::kMostly);
  bench.request(pattern(300));
  for (int i = 0; i < 12; ++i) bench.dut.tick();
  bench.rx.push(received(icmp_frame(pattern(300)), kKindIcmp, 342)[0]);
  bench.dut.tick();
  bench.dut.reset();
  REQUIRE(bench.dut->tx_valid_o == 0);
  bench.tx.clear();
  bench.request(pattern(33));
  const std::vector<Bytes> replies = bench.drain();
  REQUIRE(replies.size() == 1);
  check_reply(replies[0], pattern(33));
}
