// SPDX-License-Identifier: Apache-2.0
// What the fuzzer does to a frame that was right.
#include "models/packet/icrc.hpp"
#include "testbenches/fuzz/frame_fuzzer.hpp"

namespace caravan::support {
namespace {

constexpr std::size_t kIpAt = packet::Eth::kBytes;
constexpr std::size_t kUdpAt = kIpAt + packet::Ipv4::kBytes;
constexpr std::size_t kBthAt = kUdpAt + packet::Udp::kBytes;

void fix_ip_checksum(packet::Buffer& frame) {
  auto ip = packet::Ipv4::decode(frame.data() + kIpAt);
  ip.checksum = ip.right_checksum();
  ip.encode(frame.data() + kIpAt);
}

}  // namespace

void reseal(packet::Buffer& frame) {
  const bool ipv4 = frame[kIpAt] == 0x45;
  if (!ipv4 || frame.size() < kBthAt + packet::Bth::kBytes + packet::kIcrcBytes) return;
  frame.resize(frame.size() - packet::kIcrcBytes);
  packet::append_icrc(frame);
}

packet::Buffer FrameFuzzer::finish(packet::Buffer frame) {
  if (rng_.chance(0.25)) damage(frame);
  while (frame.size() < 60) frame.push_back(0);  // Ethernet padding
  return frame;
}

void FrameFuzzer::damage(packet::Buffer& frame) {
  const auto any = [&](std::size_t from, std::size_t count) { return from + rng_.below(count); };
  switch (rng_.below(14)) {
    case 0:
      note_.change = "icrc";
      frame.back() ^= static_cast<std::uint8_t>(1 + rng_.below(255));
      break;
    case 1:
      note_.change = "any byte";
      frame[any(0, frame.size())] ^= static_cast<std::uint8_t>(1 + rng_.below(255));
      break;
    case 2:
      note_.change = "truncated";
      frame.resize(1 + rng_.below(frame.size()));
      break;
    case 3:
      note_.change = "trailing bytes";
      frame.resize(frame.size() + 1 + rng_.below(150), 0xEE);
      break;
    case 4:
      note_.change = "tver";
      frame[kBthAt + 1] ^= static_cast<std::uint8_t>(1 + rng_.below(15));
      reseal(frame);
      break;
    case 5:
      note_.change = "pad";
      frame[kBthAt + 1] ^= static_cast<std::uint8_t>(0x10 * (1 + rng_.below(3)));
      reseal(frame);
      break;
    case 6:
      note_.change = "pkey";
      frame[kBthAt + 2 + rng_.below(2)] ^= static_cast<std::uint8_t>(1u << rng_.below(8));
      reseal(frame);
      break;
    case 7:
      note_.change = "qpn";
      frame[kBthAt + 5 + rng_.below(3)] ^= static_cast<std::uint8_t>(1u << rng_.below(8));
      reseal(frame);
      break;
    case 8:
      note_.change = "source address";
      frame[kIpAt + 15] ^= 4;
      fix_ip_checksum(frame);
      reseal(frame);
      break;
    case 9:
      note_.change = "ip length";
      frame[kIpAt + 3] ^= static_cast<std::uint8_t>(1u << rng_.below(8));
      fix_ip_checksum(frame);
      break;
    case 10:
      note_.change = "ip header";
      frame[any(kIpAt, 20)] ^= static_cast<std::uint8_t>(1u << rng_.below(8));
      break;
    case 11:
      note_.change = "ip header resealed";
      frame[any(kIpAt, 10)] ^= static_cast<std::uint8_t>(1u << rng_.below(8));
      fix_ip_checksum(frame);
      reseal(frame);
      break;
    case 12:
      note_.change = "udp header";
      frame[any(kUdpAt, 8)] ^= static_cast<std::uint8_t>(1u << rng_.below(8));
      reseal(frame);
      break;
    default:
      note_.change = "masked bits";  // none of these may matter
      frame[kIpAt + 1] ^= static_cast<std::uint8_t>(rng_.below(4));
      fix_ip_checksum(frame);
      frame[kBthAt + 4] ^= static_cast<std::uint8_t>(rng_.next());
      break;
  }
}

}  // namespace caravan::support
