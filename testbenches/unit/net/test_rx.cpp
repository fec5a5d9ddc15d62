// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include <array>

#include "Vtb_net_rx.h"
#include "models/base/rng.hpp"
#include "testbenches/support/net_frames.hpp"
#include "testbenches/support/stalls.hpp"

using namespace caravan;
using namespace caravan::support;

namespace {

struct RxBench {
  Bench<Vtb_net_rx> dut;
  Pusher<Beat> mac;
  std::vector<Beat> out;
  std::vector<std::uint64_t> at;
  std::array<unsigned, 9> events{};
  explicit RxBench(StallPattern::Kind gaps = StallPattern::Kind::kNone, bool gated = false)
      : mac(
            dut, {gaps, 3}, [this](const Beat& b) { put_axis(dut->mac_rx_i, b); },
            [this](bool v) { dut->mac_rx_valid_i = v; }) {
    put_own_cfg(dut->cfg_i);
    dut.add([] {},
            [this] {
              if (dut->rx_valid_o) {
                out.push_back(get_net_rx(dut->rx_o));
                at.push_back(dut.cycle());
              }
              unsigned pulses = 0;
              for (unsigned e = 0; e < 9; ++e) {
                events[e] += dut->stats_o >> e & 1;
                pulses += e != kRxFrames && (dut->stats_o >> e & 1);
              }
              // A frame ends in this cycle, and at most one reason is given.
              if (dut->stats_o != 0) REQUIRE((dut->rx_valid_o && out.back().last));
              REQUIRE(pulses <= 1);
            });
    if (gated) dut.gate([this] { return dut->quiet_o != 0; });
    dut.reset();
  }
  void send(const Bytes& frame, bool err = false) {
    for (const Beat& beat : to_beats(frame, err)) mac.push(beat);
  }
  void drain() {
    REQUIRE(dut.run_until([&] { return mac.empty(); }, 400000));
    for (int i = 0; i < 4; ++i) dut.tick();
    REQUIRE(dut->quiet_o == 1);
  }
};

/// Checks the beats of one frame from `next` on against the packet (bytes that count) of `frame`; returns whether bad.
bool check_frame(const RxBench& bench, std::size_t& next, const Bytes& frame, std::size_t packet_bytes, unsigned kind) {
  const std::vector<Beat> sent = to_beats(frame);
  for (std::size_t i = 0; i < sent.size(); ++i, ++next) {
    const Beat& got = bench.out.at(next);
    const std::size_t left = packet_bytes > 64 * i ? packet_bytes - 64 * i : 0;
    REQUIRE(got.sop == (i == 0));
    REQUIRE(got.last == sent[i].last);
    REQUIRE(got.kind == kind);
    REQUIRE(got.bytes == std::min<std::size_t>({left, sent[i].bytes, 64}));
    for (unsigned k = 0; k < 64; ++k) REQUIRE(got.data[k] == (k < got.bytes ? sent[i].data[k] : 0));
  }
  return bench.out[next - 1].bad;
}

struct BadFrame {
  const char* what;
  NetEvent event;
  Bytes frame;
  bool err = false;
};

Bytes flip(Bytes frame, std::size_t at, std::uint8_t mask = 1) {
  frame.at(at) ^= mask;
  return frame;
}
Bytes cut(Bytes frame, std::size_t bytes) {
  frame.resize(bytes);
  return frame;
}
Change ip(std::function<void(packet::Ipv4&)> change) {
  return [change](NetFrame& f) { change(f.ip); };
}

std::vector<BadFrame> bad_frames() {
  const Bytes data = pattern(30), big = pattern(200);
  const auto own = [](packet::Eth& e) { e.dst = kOwnMac; };
  return {
      {"damaged", kRxBadFcs, udp_frame(data), true},
      {"damaged and not for us", kRxBadFcs, udp_frame(data, false, [](NetFrame& f) { f.eth.dst[0] = 2; }), true},
      {"damaged, long", kRxBadFcs, udp_frame(big), true},
      {"other station", kRxDropMac, udp_frame(data, false, [](NetFrame& f) { f.eth.dst[5] ^= 1; })},
      {"broadcast IPv4", kRxDropMac, udp_frame(data, false, [](NetFrame& f) { f.eth.dst = kBroadcast; })},
      {"IPv6", kRxDropMac, udp_frame(data, false, [](NetFrame& f) { f.eth.ether_type = packet::kEtherTypeIpv6; })},
      {"VLAN tag", kRxDropMac, udp_frame(data, false, [](NetFrame& f) { f.eth.ether_type = 0x8100; })},
      {"1 byte", kRxDropMac, Bytes{0x52}},
      {"13 bytes", kRxDropMac, cut(udp_frame(data), 13)},
      {"Ethernet header only", kRxDropIp, cut(udp_frame(data), 14)},
      {"33 bytes", kRxDropIp, cut(udp_frame(data), 33)},
      {"IP header only, longer by its length field", kRxDropIp, cut(udp_frame(data), 34)},
      {"one byte missing", kRxDropIp, cut(udp_frame(data), 14 + 20 + 8 + 29)},
      {"a beat missing", kRxDropIp, cut(udp_frame(big), 64)},
      {"last byte in a beat of its own missing", kRxDropIp, cut(udp_frame(pattern(23)), 64)},
      {"version 5", kRxDropIp, udp_frame(data, false, ip([](packet::Ipv4& h) { h.version = 5; }))},
      {"options", kRxDropIp, udp_frame(data, false, ip([](packet::Ipv4& h) { h.ihl = 6; }))},
      {"IHL 4", kRxDropIp, udp_frame(data, false, ip([](packet::Ipv4& h) { h.ihl = 4; }))},
      {"IP checksum", kRxDropIp, flip(udp_frame(data), 24)},
      {"IP checksum does not cover id", kRxDropIp, flip(udp_frame(data), 18)},
      {"length 19", kRxDropIp, udp_frame(data, false, ip([](packet::Ipv4& h) { h.total_length = 19; }))},
      {"length 0", kRxDropIp, udp_frame(data, false, ip([](packet::Ipv4& h) { h.total_length = 0; }))},
      {"length 65535", kRxDropIp, udp_frame(data, false, ip([](packet::Ipv4& h) { h.total_length = 65535; }))},
      {"more fragments", kRxDropIp, udp_frame(data, false, ip([](packet::Ipv4& h) { h.flags = 1; }))},
      {"fragment offset", kRxDropIp, udp_frame(data, false, ip([](packet::Ipv4& h) { h.fragment_offset = 1; }))},
      {"largest fragment offset", kRxDropIp,
       udp_frame(data, false, ip([](packet::Ipv4& h) { h.fragment_offset = 0x1000; }))},
      {"other IP address", kRxDropIp, udp_frame(data, false, ip([](packet::Ipv4& h) { h.dst ^= 0x80000000; }))},
      {"TCP", kRxDropUdp, udp_frame(data, false, ip([](packet::Ipv4& h) { h.protocol = 6; }))},
      {"other port", kRxDropUdp, udp_frame(data, false, [](NetFrame& f) { f.udp.dst_port = 4790; })},
      {"UDP length short", kRxDropUdp, udp_frame(data, false, [](NetFrame& f) { --f.udp.length; })},
      {"UDP length long", kRxDropUdp, udp_frame(data, false, [](NetFrame& f) { ++f.udp.length; })},
      {"IP longer than UDP", kRxDropUdp,
       padded(udp_frame(data, false, ip([](packet::Ipv4& h) { h.total_length += 4; })), 4)},
      {"UDP header cut", kRxDropUdp,
       padded(cut(udp_frame({}, false,
                            [](NetFrame& f) {
                              f.ip.total_length = 27;
                              f.udp.length = 7;
                            }),
                  41),
              19)},
      {"UDP checksum, first beat", kRxDropUdp, flip(udp_frame(data, true), 50)},
      {"UDP checksum, last byte", kRxDropUdp, flip(udp_frame(big, true), 241)},
      {"UDP checksum, source address", kRxDropUdp, udp_frame(data, true, ip([](packet::Ipv4& h) { h.src ^= 1; }))},
      {"UDP checksum itself", kRxDropUdp, udp_frame(data, true, [](NetFrame& f) { f.udp.checksum ^= 0x100; })},
      {"ARP reply", kRxDropOther, arp_frame([](packet::Eth&, packet::Arp& a) { a.operation = 2; })},
      {"ARP for another", kRxDropOther, arp_frame([](packet::Eth&, packet::Arp& a) { a.target_ip ^= 1; })},
      {"ARP hardware type", kRxDropOther, arp_frame([](packet::Eth&, packet::Arp& a) { a.hardware = 6; })},
      {"ARP protocol type", kRxDropOther, arp_frame([](packet::Eth&, packet::Arp& a) { a.protocol = 0x86DD; })},
      {"ARP hardware length", kRxDropOther, arp_frame([](packet::Eth&, packet::Arp& a) { a.hardware_bytes = 8; })},
      {"ARP protocol length", kRxDropOther, arp_frame([](packet::Eth&, packet::Arp& a) { a.protocol_bytes = 16; })},
      {"ARP cut", kRxDropOther, cut(arp_frame(), 41)},
      {"ARP to another station", kRxDropMac, arp_frame([](packet::Eth& e, packet::Arp&) { e.dst = kPeerMac; })},
      {"ARP damaged", kRxBadFcs, arp_frame([own](packet::Eth& e, packet::Arp&) { own(e); }), true},
      {"echo reply", kRxDropOther,
       icmp_frame(data,
                  [](NetFrame& f) {
                    f.icmp.type = 0;
                    f.icmp.checksum += 0x800;
                  })},
      {"ICMP code", kRxDropOther,
       icmp_frame(data,
                  [](NetFrame& f) {
                    f.icmp.code = 1;
                    f.icmp.checksum -= 1;
                  })},
      {"ICMP checksum, first beat", kRxDropOther, flip(icmp_frame(data), 45)},
      {"ICMP checksum, last byte", kRxDropOther, flip(icmp_frame(big), 241)},
      {"ICMP cut", kRxDropOther, padded(cut(icmp_frame({}, ip([](packet::Ipv4& h) { h.total_length = 27; })), 41), 19)},
  };
}

}  // namespace

TEST_CASE("net_rx gives good frames of each kind whole, trimmed, with their kind", "[unit][net]") {
  const auto gaps = CARAVAN_EVERY_STALL();
  const bool gated = GENERATE(false, true);
  RxBench bench(gaps, gated);
  struct Good {
    Bytes frame;
    std::size_t bytes;
    unsigned kind;
  };
  std::vector<Good> frames;
  for (const std::size_t n : {0, 1, 17, 18, 21, 22, 23, 63, 64, 86, 87, 150, 1000, 4096}) {
    for (const bool checksum : {false, true}) {
      frames.push_back({udp_frame(pattern(n), checksum), 42 + n, kKindRoce});
      frames.push_back({padded(udp_frame(pattern(n), checksum), 1 + n % 70), 42 + n, kKindRoce});
    }
    frames.push_back({padded(icmp_frame(pattern(n)), n % 3), 42 + n, kKindIcmp});
  }
  frames.push_back({arp_frame(), 42, kKindArp});
  frames.push_back({arp_frame([](packet::Eth& e, packet::Arp&) { e.dst = kOwnMac; }), 42, kKindArp});
  frames.push_back({padded(arp_frame(), 100), 42, kKindArp});
  frames.push_back({cut(arp_frame(), 42), 42, kKindArp});
  frames.push_back({udp_frame(pattern(20), false, ip([](packet::Ipv4& h) {
                                h.flags = 0;
                                h.ttl = 1;
                                h.tos = 0xFF;
                              })),
                    62, kKindRoce});
  for (const Good& good : frames) bench.send(good.frame);
  bench.drain();
  std::size_t next = 0;
  for (const Good& good : frames) REQUIRE_FALSE(check_frame(bench, next, good.frame, good.bytes, good.kind));
  REQUIRE(next == bench.out.size());
  for (std::size_t i = 0; i < next; ++i) REQUIRE(bench.at[i] == bench.mac.sent_at()[i] + 2);
  REQUIRE(bench.events[kRxFrames] == frames.size());
  REQUIRE(bench.events[kRxArp] == 4);
  REQUIRE(bench.events[kRxIcmp] == 14);
  for (const NetEvent e : {kRxBadFcs, kRxDropMac, kRxDropIp, kRxDropUdp, kRxDropOther}) REQUIRE(bench.events[e] == 0);
  if (gated && gaps != StallPattern::Kind::kNone) REQUIRE(bench.dut.gated() > 0);
}

TEST_CASE("net_rx takes minimum frames back to back, one a cycle", "[unit][net]") {
  RxBench bench;
  const Bytes frame = padded(udp_frame(pattern(16)), 2);
  for (int i = 0; i < 300; ++i) bench.send(frame);
  bench.drain();
  for (std::size_t i = 0; i < 300; ++i) {
    REQUIRE(bench.mac.sent_at()[i] == i);
    REQUIRE(bench.at[i] == i + 2);
    REQUIRE(bench.out[i].kind == kKindRoce);
    REQUIRE_FALSE(bench.out[i].bad);
  }
}

TEST_CASE("net_rx drops every kind of bad frame and counts it once, by its reason", "[unit][net]") {
  const Bytes good = udp_frame(pattern(100), true);
  for (const BadFrame& bad : bad_frames()) {
    INFO(bad.what);
    REQUIRE(expected_event(bad.frame, bad.err) == bad.event);
    RxBench bench;
    bench.send(good);
    bench.send(bad.frame, bad.err);
    bench.send(good);
    bench.drain();
    std::size_t next = 0;
    REQUIRE_FALSE(check_frame(bench, next, good, good.size(), kKindRoce));
    next += to_beats(bad.frame).size();
    REQUIRE(bench.out.at(next - 1).last);
    REQUIRE(bench.out.at(next - 1).bad);
    REQUIRE_FALSE(check_frame(bench, next, good, good.size(), kKindRoce));
    REQUIRE(bench.events[kRxFrames] == 3);
    for (unsigned e = 0; e < kRxFrames; ++e) {
      INFO("event " << e);
      REQUIRE(bench.events[e] == (e == bad.event ? 1u : 0u));
    }
  }
}

TEST_CASE("net_rx judges mutated frames as the packet model does", "[unit][net]") {
  RxBench bench;
  base::Rng rng(11);
  std::array<unsigned, 32> expected{};
  unsigned frames = 0;
  for (; frames < 6000; ++frames) {
    const Bytes data = pattern(rng.below(150), static_cast<unsigned>(rng.below(256)));
    Bytes frame;
    switch (rng.below(4)) {
      case 0:
        frame = udp_frame(data);
        break;
      case 1:
        frame = udp_frame(data, true);
        break;
      case 2:
        frame = icmp_frame(data);
        break;
      default:
        frame = arp_frame();
        break;
    }
    switch (rng.below(5)) {
      case 0:
        break;
      case 1:
        frame[rng.below(frame.size())] ^= static_cast<std::uint8_t>(1u << rng.below(8));
        break;
      case 2:
        frame[rng.below(std::min<std::size_t>(42, frame.size()))] = static_cast<std::uint8_t>(rng.below(256));
        break;
      case 3:
        frame.resize(1 + rng.below(frame.size()));
        break;
      default:
        frame = padded(frame, rng.below(90));
        break;
    }
    const bool err = rng.chance(0.02);
    ++expected[expected_event(frame, err)];
    bench.send(frame, err);
  }
  bench.drain();
  REQUIRE(bench.events[kRxFrames] == frames);
  for (const NetEvent e : {kRxBadFcs, kRxDropMac, kRxDropIp, kRxDropUdp, kRxDropOther, kRxArp, kRxIcmp}) {
    INFO("event " << e);
    REQUIRE(expected[e] > 0);
    REQUIRE(bench.events[e] == expected[e]);
  }
}

TEST_CASE("net_rx starts with a new frame after reset", "[unit][net]") {
  RxBench bench;
  const Bytes frame = udp_frame(pattern(200), true);
  bench.mac.push(to_beats(frame)[0]);
  bench.dut.run_until([&] { return bench.mac.empty(); }, 5);
  bench.dut.reset();
  REQUIRE(bench.dut->rx_valid_o == 0);
  bench.out.clear();
  bench.send(frame);
  bench.drain();
  std::size_t next = 0;
  REQUIRE_FALSE(check_frame(bench, next, frame, frame.size(), kKindRoce));
}

TEST_CASE("net_rx without an address takes nothing", "[unit][net]") {
  RxBench bench;
  set_bits(bench.dut->cfg_i, 0, 32, 0);
  bench.send(udp_frame(pattern(20), false, ip([](packet::Ipv4& h) { h.dst = 0; })));
  bench.send(arp_frame([](packet::Eth&, packet::Arp& a) { a.target_ip = 0; }));
  bench.drain();
  REQUIRE(bench.events[kRxDropIp] == 1);
  REQUIRE(bench.events[kRxDropOther] == 1);
}
