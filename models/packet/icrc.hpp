// SPDX-License-Identifier: Apache-2.0
// The invariant CRC that ends every RoCEv2 packet, over the fields that no switch may change.
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/packet/bytes.hpp"

namespace caravan::packet {

inline constexpr std::size_t kIcrcBytes = 4;
/// Register after the eight 0xFF bytes that stand for the LRH; also the residue over a packet with its right ICRC.
inline constexpr std::uint32_t kIcrcSeed = 0xDEBB20E3;

/// Runs the reflected CRC-32 (polynomial 0xEDB88320) over `data`. No final inversion: start with 0xFFFFFFFF (or
/// kIcrcSeed) and invert the last result.
std::uint32_t crc32_update(std::uint32_t reg, ByteSpan data);

/// ICRC of an Ethernet frame that ends just before its ICRC. It goes on the wire least significant byte first.
/// The frame must hold Ethernet (no VLAN tag), IPv4 or IPv6, UDP and BTH; anything shorter is a broken invariant.
std::uint32_t compute_icrc(ByteSpan frame);

/// Appends the ICRC of `frame` to it.
void append_icrc(Buffer& frame);

/// True when the four bytes that end the IP packet are its ICRC. False for anything that is not an IPv4 or IPv6
/// packet with room for UDP, BTH and ICRC. Bytes after the IP packet (Ethernet padding) are ignored.
bool check_icrc(ByteSpan frame);

}  // namespace caravan::packet
