// SPDX-License-Identifier: Apache-2.0
// ARP for simulated nodes, answered beside the simulation: a peer's kernel gives up after a second of its own time,
// which may be a long way in the simulated one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "models/packet/bytes.hpp"
#include "models/packet/headers.hpp"

namespace caravan::sim {

/// A simulated node as its neighbours know it.
struct Station {
  std::uint64_t mac = 0;  ///< 48 bits, first byte most significant
  packet::Ipv4Addr ip = 0;
};

/// Whether the frame's EtherType is ARP: such frames never enter the simulated network.
bool is_arp(packet::ByteSpan frame);

/// The reply to an ARP request for one of the stations; nothing for any other frame.
std::optional<packet::Buffer> answer_arp(packet::ByteSpan frame, std::span<const Station> stations);

}  // namespace caravan::sim
