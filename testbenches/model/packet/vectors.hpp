// SPDX-License-Identifier: Apache-2.0
// Golden packets, IP header first (the ConnectX one: Ethernet header first). The first eight and the IPv6 one equal
// what scapy computes; the CNP was captured from a ConnectX-4 Lx.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "models/packet/icrc.hpp"
#include "models/packet/packet.hpp"

namespace caravan::test {

struct Vector {
  std::string_view name, hex;
  packet::Opcode opcode;
  std::uint32_t qpn, psn;
};

inline constexpr std::array kVectors = {
    Vector{"WRITE_ONLY 8 B",
           "4502004400004000401126a50a0000010a000002c00012b7003000000a00ffff0000001180000100000070000000100012345678000"
           "000080001020304050607780d5863",
           packet::Opcode::kWriteOnly, 0x11, 0x100},
    Vector{"READ_REQ 8 B",
           "4502003c00004000401126ad0a0000010a000002c00012b7002800000c00ffff0000001180000101000070000000100012345678000"
           "000087af22c47",
           packet::Opcode::kReadRequest, 0x11, 0x101},
    Vector{"CAS",
           "4502004800004000401126a10a0000010a000002c00012b7003400001300ffff0000001180000102000070000000100012345678000"
           "000000000000100000000000000008a75e4b0",
           packet::Opcode::kCompareSwap, 0x11, 0x102},
    Vector{"FAA",
           "4502004800004000401126a10a0000010a000002c00012b7003400001400ffff0000001180000103000070000000100012345678000"
           "00000000000050000000000000000f50e3274",
           packet::Opcode::kFetchAdd, 0x11, 0x103},
    Vector{"ACK", "4502003000004000401126b90a0000010a000002c00012b7001c00001100ffff00000022000001001f0000012523beec",
           packet::Opcode::kAck, 0x22, 0x100},
    Vector{"NAK", "4502003000004000401126b90a0000010a000002c00012b7001c00001100ffff0000002200000105600000019f1c0217",
           packet::Opcode::kAck, 0x22, 0x105},
    Vector{"ATOMIC_ACK",
           "4502003800004000401126b10a0000010a000002c00012b7002400001200ffff00000022000001031f00000300000000deadbeefcc1"
           "f07f0",
           packet::Opcode::kAtomicAck, 0x22, 0x103},
    Vector{"SEND_ONLY_IMM",
           "4502003400004000401126b50a0000010a000002c00012b7002000000510ffff0000001180ffffffcafef00d616263004a5acba9",
           packet::Opcode::kSendOnlyImm, 0x11, 0xFFFFFF},
    Vector{"IPv6 WRITE_ONLY 8 B",
           "6020000000301140fd000000000000000000000000000001fd000000000000000000000000000002c00012b7003000000a00ffff000"
           "0001180000100"
           "000070000000100012345678000000080001020304050607f1376ebd",
           packet::Opcode::kWriteOnly, 0x11, 0x100},
};

inline constexpr std::string_view kCnpFrame =
    "e41d2dab2bc27cfe90643b32080045c2003c718c4000401191610a0011010a001201000012b7002800008100ffff4000011800000000000000"
    "00000000000000000000000000"
    "82fd002a";
/// Worked example 1: WRITE_ONLY of one byte with pad 3.
inline constexpr std::string_view kWriteExample =
    "5254000000025254000000010800450000408a2b400040119c7f0a0000010a000002c12112b7002c00000a30ffff0000001180100001000000"
    "0010001000000002970000000101000000"
    "4d9bf274";
/// Worked example 2: its ACK.
inline constexpr std::string_view kAckExample =
    "52540000000152540000000208004500003083c140004011a2f90a0000020a000001c12112b7001c00001100ffff00000011001000011f0000"
    "027bc9685d";

inline packet::Buffer from_hex(std::string_view hex) {
  packet::Buffer bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(std::string(hex.substr(i, 2)), nullptr, 16)));
  return bytes;
}

/// The vector with an Ethernet header before it.
inline packet::Buffer frame_of(const Vector& vector) {
  const packet::Buffer ip = from_hex(vector.hex);
  const packet::Eth eth{
      {2, 0, 0, 0, 0, 2}, {2, 0, 0, 0, 0, 1}, ip[0] >> 4 == 6 ? packet::kEtherTypeIpv6 : packet::kEtherTypeIpv4};
  packet::Buffer frame(packet::Eth::kBytes);
  eth.encode(frame.data());
  frame.insert(frame.end(), ip.begin(), ip.end());
  return frame;
}

/// Writes the right IPv4 checksum into a frame whose IP header was changed.
inline void fix_ip_checksum(packet::Buffer& frame) {
  packet::Ipv4 ip = packet::Ipv4::decode(frame.data() + packet::Eth::kBytes);
  ip.checksum = ip.right_checksum();
  ip.encode(frame.data() + packet::Eth::kBytes);
}

/// Replaces the last four bytes by the right ICRC.
inline void fix_icrc(packet::Buffer& frame) {
  frame.resize(frame.size() - packet::kIcrcBytes);
  packet::append_icrc(frame);
}

}  // namespace caravan::test
