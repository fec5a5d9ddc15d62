// SPDX-License-Identifier: Apache-2.0
// Frames that the filters of the network must judge: ARP, ICMP, IPv4 of other kinds, pause frames, noise.
#include <algorithm>

#include "models/packet/headers.hpp"
#include "models/packet/icrc.hpp"
#include "testbenches/fuzz/node_fuzz.hpp"

namespace caravan::support {
namespace {

constexpr packet::MacAddr kBroadcast = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
constexpr packet::MacAddr kPauseMac = {0x01, 0x80, 0xC2, 0x00, 0x00, 0x01};
constexpr std::size_t kMinFrame = 60, kMaxIcmpData = 1400;
constexpr std::uint64_t kMaxQuanta = 300;  // 1.5 us at 100 Gb/s: shorter than what the bench waits

template <class Header>
void append(packet::Buffer& out, const Header& header) {
  out.resize(out.size() + Header::kBytes);
  header.encode(out.data() + out.size() - Header::kBytes);
}

}  // namespace

packet::Buffer NetFuzzer::random_bytes(std::size_t count) {
  packet::Buffer bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(rng_.next());
  return bytes;
}

packet::Buffer NetFuzzer::next() {
  packet::Buffer frame;
  switch (rng_.below(6)) {
    case 0:
      frame = arp();
      break;
    case 1:
      frame = icmp();
      break;
    case 2: {
      kind_ = "ipv4 of another protocol";
      answers_ = 0;
      frame = ipv4(static_cast<std::uint8_t>(18 + rng_.below(200)), random_bytes(rng_.below(300)));
      break;
    }
    case 3: {
      kind_ = "udp";
      answers_ = 0;
      packet::Udp udp{.src_port = 1000, .dst_port = 4791, .length = 0, .checksum = 0};
      packet::Buffer datagram;
      const packet::Buffer data = random_bytes(rng_.below(200));
      udp.length = static_cast<std::uint16_t>(rng_.chance(0.5) ? 8 + data.size() : rng_.next());
      if (rng_.chance(0.5)) udp.checksum = static_cast<std::uint16_t>(rng_.next());
      append(datagram, udp);
      datagram.insert(datagram.end(), data.begin(), data.end());
      frame = ipv4(packet::kProtocolUdp, datagram);
      break;
    }
    case 4:
      frame = pause();
      break;
    default:
      kind_ = "noise";
      answers_ = 0;
      frame = random_bytes(1 + rng_.below(rng_.chance(0.2) ? 4200 : 200));
      break;
  }
  if (rng_.chance(0.3)) {
    kind_ = "damaged";
    answers_ = -1;
    frame[rng_.below(std::min<std::size_t>(frame.size(), 64))] ^= static_cast<std::uint8_t>(1u << rng_.below(8));
    if (rng_.chance(0.3)) frame.resize(1 + rng_.below(frame.size()));
  }
  if (frame.size() < kMinFrame) frame.resize(kMinFrame);
  return frame;
}

packet::Buffer NetFuzzer::arp() {
  const bool for_us = rng_.chance(0.7), request = rng_.chance(0.8);
  kind_ = "arp";
  answers_ = for_us && request ? 1 : 0;
  packet::Buffer out;
  append(out, packet::Eth{.dst = kBroadcast, .src = target_.peer_mac, .ether_type = packet::kEtherTypeArp});
  packet::Arp arp{.sender_mac = target_.peer_mac, .sender_ip = target_.peer_ip};
  arp.operation = request ? 1 : 2;
  arp.target_ip = for_us ? target_.ip : target_.ip ^ 0x100;
  append(out, arp);
  return out;
}

packet::Buffer NetFuzzer::icmp() {
  const bool echo = rng_.chance(0.8);
  kind_ = "icmp";
  answers_ = echo ? 1 : 0;
  packet::Icmp header;
  header.type = echo ? 8 : static_cast<std::uint8_t>(9 + rng_.below(200));
  header.id = static_cast<std::uint16_t>(rng_.next());
  packet::Buffer message;
  append(message, header);
  const packet::Buffer data = random_bytes(rng_.below(kMaxIcmpData));
  message.insert(message.end(), data.begin(), data.end());
  header.checksum = static_cast<std::uint16_t>(~packet::internet_sum(message));
  header.encode(message.data());
  return ipv4(packet::kProtocolIcmp, message);
}

packet::Buffer NetFuzzer::ipv4(std::uint8_t protocol, const packet::Buffer& payload) {
  packet::Ipv4 ip;
  ip.protocol = protocol;
  ip.src = target_.peer_ip;
  ip.dst = target_.ip;
  ip.total_length = static_cast<std::uint16_t>(packet::Ipv4::kBytes + payload.size());
  ip.checksum = ip.right_checksum();
  packet::Buffer out;
  append(out, packet::Eth{.dst = target_.mac, .src = target_.peer_mac, .ether_type = packet::kEtherTypeIpv4});
  append(out, ip);
  out.insert(out.end(), payload.begin(), payload.end());
  return out;
}

packet::Buffer NetFuzzer::pause() {
  kind_ = "pause";
  answers_ = 0;
  packet::Buffer out;
  append(out, packet::Eth{.dst = kPauseMac, .src = target_.peer_mac, .ether_type = 0x8808});
  const auto put16 = [&](std::uint64_t value) {
    out.push_back(static_cast<std::uint8_t>(value >> 8));
    out.push_back(static_cast<std::uint8_t>(value));
  };
  put16(rng_.chance(0.9) ? 0x0101 : 0x0001);
  put16(rng_.below(256));
  for (int priority = 0; priority < 8; ++priority) put16(rng_.below(kMaxQuanta));
  return out;
}

}  // namespace caravan::support
