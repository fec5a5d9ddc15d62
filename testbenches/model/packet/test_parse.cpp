// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include <functional>
#include <set>

#include "models/base/rng.hpp"
#include "testbenches/model/packet/vectors.hpp"

using namespace caravan;
using namespace caravan::test;
using packet::Buffer;
using packet::ParseError;

namespace {

constexpr std::size_t kIp = packet::Eth::kBytes, kUdp = kIp + 20, kBth = kUdp + 8;

Buffer good() { return frame_of(kVectors[0]); }

Buffer icmp_frame() {
  Buffer frame(kIp + 20 + 8 + 5);
  packet::Eth{{1, 2, 3, 4, 5, 6}, {6, 5, 4, 3, 2, 1}}.encode(frame.data());
  packet::Ipv4{.total_length = 33, .protocol = packet::kProtocolIcmp, .src = 1, .dst = 2}.encode(frame.data() + kIp);
  fix_ip_checksum(frame);
  packet::Icmp icmp{.id = 7, .sequence = 9};
  icmp.encode(frame.data() + kUdp);
  frame.back() = 0x55;
  icmp.checksum = static_cast<std::uint16_t>(~packet::internet_sum(packet::ByteSpan(frame).subspan(kUdp)));
  icmp.encode(frame.data() + kUdp);
  return frame;
}

struct Broken {
  ParseError error;
  std::function<void(Buffer&)> damage;
};

/// Takes `bytes` off the end of the packet and makes lengths and ICRC right again.
void shorten(Buffer& frame, std::size_t bytes) {
  frame.resize(frame.size() - bytes);
  packet::put_be(frame.data() + kIp + 2, 2, frame.size() - kIp);
  packet::put_be(frame.data() + kUdp + 4, 2, frame.size() - kUdp);
  fix_ip_checksum(frame);
  fix_icrc(frame);
}

const std::vector<Broken> kBroken = {
    {ParseError::kEthTruncated, [](Buffer& f) { f.resize(13); }},
    {ParseError::kEtherType, [](Buffer& f) { f[12] = 0x81, f[13] = 0x00; }},
    {ParseError::kArpFormat, [](Buffer& f) { f[13] = 0x06; }},
    {ParseError::kArpFormat, [](Buffer& f) { f[13] = 0x06, f.resize(kIp + 27); }},
    {ParseError::kIpTruncated, [](Buffer& f) { f.resize(kIp + 19); }},
    {ParseError::kIpTruncated, [](Buffer& f) { f[12] = 0x86, f[13] = 0xDD, f.resize(kIp + 39); }},
    {ParseError::kIpVersion, [](Buffer& f) { f[kIp] = 0x65; }},
    {ParseError::kIpVersion, [](Buffer& f) { f[12] = 0x86, f[13] = 0xDD; }},
    {ParseError::kIpOptions, [](Buffer& f) { f[kIp] = 0x46; }},
    {ParseError::kIpLength, [](Buffer& f) { f[kIp + 3] = 19; }},
    {ParseError::kIpLength, [](Buffer& f) { f.pop_back(); }},
    {ParseError::kIpChecksum, [](Buffer& f) { f[kIp + 10] ^= 1; }},
    {ParseError::kIpFragment, [](Buffer& f) { f[kIp + 6] = 0x20, fix_ip_checksum(f); }},
    {ParseError::kIpFragment, [](Buffer& f) { f[kIp + 7] = 1, fix_ip_checksum(f); }},
    {ParseError::kIpProtocol, [](Buffer& f) { f[kIp + 9] = 6, fix_ip_checksum(f); }},
    {ParseError::kIcmpTruncated, [](Buffer& f) { f[kIp + 9] = 1, f[kIp + 3] = 27, fix_ip_checksum(f); }},
    {ParseError::kIcmpChecksum, [](Buffer& f) { f = icmp_frame(), f.back() ^= 1; }},
    {ParseError::kUdpTruncated, [](Buffer& f) { f[kIp + 3] = 27, fix_ip_checksum(f); }},
    {ParseError::kUdpLength, [](Buffer& f) { ++f[kUdp + 5]; }},
    {ParseError::kUdpLength, [](Buffer& f) { --f[kUdp + 5]; }},
    {ParseError::kUdpChecksum, [](Buffer& f) { f[kUdp + 7] = 1; }},
    {ParseError::kBthTruncated,
     [](Buffer& f) {
       f.resize(kBth + 15), packet::put_be(f.data() + kIp + 2, 2, 43), packet::put_be(f.data() + kUdp + 4, 2, 23),
           fix_ip_checksum(f);
     }},
    {ParseError::kIcrc, [](Buffer& f) { f.back() ^= 0x80; }},
    {ParseError::kOpcode, [](Buffer& f) { f[kBth] = 0x15, fix_icrc(f); }},
    {ParseError::kExtTruncated, [](Buffer& f) { shorten(f, 9); }},
    {ParseError::kPadding, [](Buffer& f) { shorten(f, 1); }},
    {ParseError::kPadding, [](Buffer& f) { shorten(f, 8), f[kBth + 1] = 0x10, fix_icrc(f); }},
    {ParseError::kPayload, [](Buffer& f) { f[kBth] = 0x11, fix_icrc(f); }},
    {ParseError::kPayload, [](Buffer& f) { f[kBth] = 0x81, fix_icrc(f); }},
};

}  // namespace

TEST_CASE("Each kind of damage is found and named", "[packet][parse]") {
  std::set<ParseError> seen;
  for (const Broken& broken : kBroken) {
    Buffer frame = good();
    broken.damage(frame);
    const auto p = packet::parse(frame);
    INFO("expected " << packet::name(broken.error) << ", got " << packet::name(p.error) << ": "
                     << packet::explain(p.error));
    CHECK(p.error == broken.error);
    CHECK(packet::describe(frame).starts_with("error=" + std::string(packet::name(broken.error)) + " "));
    seen.insert(p.error);
  }
  CHECK(seen.size() == static_cast<std::size_t>(ParseError::kPayload));  // all but kNone
}

TEST_CASE("Every prefix of a frame is refused, Ethernet padding is accepted", "[packet][parse]") {
  Buffer frame = good();
  for (std::size_t bytes = 0; bytes < frame.size(); ++bytes)
    CHECK_FALSE(packet::parse(packet::ByteSpan(frame).first(bytes)).ok());
  const Buffer whole = frame;
  frame.insert(frame.end(), 7, 0xEE);
  const auto p = packet::parse(frame);
  REQUIRE(p.is_roce());
  CHECK(p.trailing == 7);
  CHECK(packet::build(packet::to_frame(p), p.payload) == whole);
}

TEST_CASE("A right UDP checksum is accepted, IPv4 and IPv6", "[packet][parse]") {
  for (const std::size_t index : {0u, 8u}) {
    Buffer frame = frame_of(kVectors[index]);
    const auto p = packet::parse(frame);
    const std::size_t at = index == 0 ? kUdp : kIp + 40;
    const packet::ByteSpan udp = packet::ByteSpan(frame).subspan(at);
    const auto sum = index == 0 ? packet::udp_checksum(p.ipv4->src, p.ipv4->dst, udp)
                                : packet::udp_checksum(p.ipv6->src, p.ipv6->dst, udp);
    packet::put_be(frame.data() + at + 6, 2, sum);
    CHECK(packet::parse(frame).ok());
    frame[at + 7] ^= 1;
    CHECK(packet::parse(frame).error == ParseError::kUdpChecksum);
  }
}

TEST_CASE("ARP, ICMP echo and other UDP are recognised", "[packet][parse]") {
  const Buffer icmp = icmp_frame();
  const auto ping = packet::parse(icmp);
  REQUIRE(ping.ok());
  CHECK(ping.kind == packet::Kind::kIcmp);
  CHECK(ping.icmp->sequence == 9);
  CHECK(ping.payload.size() == 5);

  Buffer arp(packet::Eth::kBytes + packet::Arp::kBytes);
  packet::Eth{{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}, {2, 0, 0, 0, 0, 1}, packet::kEtherTypeArp}.encode(arp.data());
  const packet::Arp request{
      .sender_mac = {2, 0, 0, 0, 0, 1}, .sender_ip = 0x0A000001, .target_mac = {}, .target_ip = 0x0A000002};
  request.encode(arp.data() + packet::Eth::kBytes);
  const auto asked = packet::parse(arp);
  REQUIRE(asked.ok());
  CHECK(asked.kind == packet::Kind::kArp);
  CHECK(asked.arp == request);
  CHECK(packet::describe(arp) ==
        "kind=arp arp=request sender=10.0.0.1 target=10.0.0.2 src=02:00:00:00:00:01 dst=ff:ff:ff:ff:ff:ff type=0x0806");

  Buffer udp = good();
  packet::put_be(udp.data() + kUdp + 2, 2, 53);
  const auto other = packet::parse(udp);
  REQUIRE(other.ok());
  CHECK(other.kind == packet::Kind::kUdp);
  CHECK_FALSE(other.bth);
}

TEST_CASE("Every opcode: the header lengths of its traits are those that build and parse use", "[packet][opcode]") {
  const Buffer data(16, 0xA5);
  int known = 0;
  for (int code = 0; code < 256; ++code) {
    const auto* op = packet::find_opcode(static_cast<std::uint8_t>(code));
    if (op == nullptr) continue;
    ++known;
    INFO(op->name);
    packet::RoceFrame frame{
        .eth = {}, .ip = packet::Ipv4{}, .udp = {}, .bth = {.opcode = static_cast<std::uint8_t>(code)}, .ext = {}};
    const Buffer bytes = packet::build(frame, op->has_payload ? packet::ByteSpan(data) : packet::ByteSpan());
    const auto p = packet::parse(bytes);
    REQUIRE(p.is_roce());
    CHECK(p.op == op);
    CHECK(bytes.size() == kBth + 12 + op->ext_bytes() + p.payload.size() + 4);
    CHECK(packet::build(packet::to_frame(p), p.payload) == bytes);
  }
  CHECK(known == 38);
  CHECK(packet::traits(packet::Opcode::kWriteOnlyImm).ext_bytes() == 20);
  CHECK(packet::traits(packet::Opcode::kReadRespMiddle).ext_bytes() == 0);
  CHECK(packet::traits(packet::Opcode::kCompareSwap).ext_bytes() == 28);
  CHECK(packet::traits(packet::Opcode::kAtomicAck).ext_bytes() == 12);
  CHECK(packet::traits(packet::Opcode::kUdSendOnlyImm).ext_bytes() == 12);
}

TEST_CASE("Payload lengths 0..17: pad is added and taken off, lengths are right", "[packet][build]") {
  for (std::size_t bytes = 0; bytes <= 17; ++bytes) {
    const Buffer payload(bytes, 0xFF);
    packet::RoceFrame frame{.eth = {}, .ip = packet::Ipv4{}, .udp = {}, .bth = {.opcode = 0x07}, .ext = {}};
    const Buffer built = packet::build(frame, payload);
    const auto p = packet::parse(built);
    REQUIRE(p.is_roce());
    CHECK(p.bth->pad_count == (4 - bytes % 4) % 4);
    CHECK(Buffer(p.payload.begin(), p.payload.end()) == payload);
    CHECK(p.ipv4->total_length == built.size() - kIp);
    CHECK(p.udp->length == built.size() - kUdp);
  }
}

TEST_CASE("Headers keep every bit, reserved ones too", "[packet][headers]") {
  base::Rng rng(1);
  const auto check = [&]<class Header>(const Header&) {
    for (int i = 0; i < 200; ++i) {
      std::array<std::uint8_t, Header::kBytes> in, out{};
      for (auto& byte : in) byte = static_cast<std::uint8_t>(rng.next());
      Header::decode(in.data()).encode(out.data());
      REQUIRE(in == out);
    }
  };
  check(packet::Eth{}), check(packet::Arp{}), check(packet::Ipv4{}), check(packet::Ipv6{}), check(packet::Udp{}),
      check(packet::Icmp{}), check(packet::Bth{});
  check(packet::Deth{}), check(packet::Reth{}), check(packet::AtomicEth{}), check(packet::Aeth{}),
      check(packet::AtomicAckEth{}), check(packet::ImmDt{}), check(packet::Ieth{});
}

TEST_CASE("Arbitrary bytes: the parser ends with a name for what is wrong or with a frame that it rebuilds",
          "[packet][parse]") {
  base::Rng rng(2);
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    Buffer frame = frame_of(kVectors[rng.below(kVectors.size())]);
    for (auto flips = rng.below(4); flips > 0; --flips)
      frame[rng.below(frame.size())] = static_cast<std::uint8_t>(rng.next());
    if (rng.chance(0.3)) frame.resize(rng.below(frame.size() + 20));
    if (rng.chance(0.5) && frame.size() >= kBth + 16 && frame[12] == 8 && frame[13] == 0 && frame[kIp] == 0x45)
      fix_ip_checksum(frame), fix_icrc(frame);
    const auto p = packet::parse(frame);
    const std::string line = packet::describe(frame);
    REQUIRE(line.starts_with("error=") == !p.ok());
    REQUIRE(line.find('\n') == std::string::npos);
    if (!p.is_roce()) continue;
    ++accepted;
    // Pad bytes are covered by the ICRC but may hold anything; they are the only bits that are not kept.
    if (p.bth->pad_count == 0 && p.udp->checksum == 0) {
      REQUIRE(packet::build(packet::to_frame(p), p.payload) ==
              Buffer(frame.begin(), frame.end() - static_cast<std::ptrdiff_t>(p.trailing)));
    }
  }
  CHECK(accepted > 1000);
}
