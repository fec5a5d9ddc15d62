// SPDX-License-Identifier: Apache-2.0
#include "sim/control/arp_answer.hpp"

#include <algorithm>

#include "models/packet/packet.hpp"

namespace caravan::sim {
namespace {

packet::MacAddr bytes_of(std::uint64_t mac) {
  packet::MacAddr bytes{};
  for (unsigned i = 0; i < 6; ++i) bytes[i] = static_cast<std::uint8_t>(mac >> (40 - 8 * i));
  return bytes;
}

}  // namespace

bool is_arp(packet::ByteSpan frame) {
  return frame.size() >= packet::Eth::kBytes && packet::Eth::decode(frame.data()).ether_type == packet::kEtherTypeArp;
}

std::optional<packet::Buffer> answer_arp(packet::ByteSpan frame, std::span<const Station> stations) {
  const auto parsed = packet::parse(frame);
  if (!parsed.ok() || !parsed.arp || parsed.arp->operation != 1) return std::nullopt;
  const packet::Arp& asked = *parsed.arp;
  const auto found =
      std::find_if(stations.begin(), stations.end(), [&](const Station& s) { return s.ip == asked.target_ip; });
  // An address probe (sender 0.0.0.0) is answered like a question: the address is taken.
  if (found == stations.end()) return std::nullopt;
  packet::Eth eth;
  eth.dst = asked.sender_mac;
  eth.src = bytes_of(found->mac);
  eth.ether_type = packet::kEtherTypeArp;
  packet::Arp reply;
  reply.operation = 2;
  reply.sender_mac = eth.src;
  reply.sender_ip = found->ip;
  reply.target_mac = asked.sender_mac;
  reply.target_ip = asked.sender_ip;
  packet::Buffer out(60);  // padded to the Ethernet minimum
  eth.encode(out.data());
  reply.encode(out.data() + packet::Eth::kBytes);
  return out;
}

}  // namespace caravan::sim
