// SPDX-License-Identifier: Apache-2.0
// Registers and queue entries as the verbs write them: net_pkg, roce_pkg and hostif_pkg in C++. Internal to sim/host.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace caravan::host::reg {

inline constexpr std::uint16_t kNetMacLo = 0x1000, kNetMacHi = 0x1004, kNetIp = 0x1008;
inline constexpr std::uint16_t kNeighMacLo = 0x1010, kNeighMacHi = 0x1014, kNeighIp = 0x1018, kNeighCmd = 0x101C;

/// Blocks with staged rows have the same offsets: DATA words, CMD, STATUS.
inline constexpr std::uint16_t kRoceBlock = 0x2000, kHostBlock = 0x5000;
inline constexpr std::uint16_t kCmd = 0x040, kStatus = 0x044;
inline constexpr std::uint32_t kRoceQpModify = 1, kRoceQpInit = 2, kRoceRegion = 3;
inline constexpr std::uint32_t kHostQp = 1, kHostCq = 2;
inline constexpr std::uint32_t kValid = 1u << 31;

inline constexpr std::uint16_t kSqDoorbell = 0x5080, kRqDoorbell = 0x5084, kCqDoorbell = 0x5088, kCqArm = 0x508C,
                               kSqPush = 0x5090, kOverrun = 0x5094, kPush = 0x5100;

/// States of roce_pkg::qp_state_e.
enum class QpState : std::uint32_t { kReset = 0, kInit = 1, kRtr = 2, kRts = 3, kSqd = 4, kErr = 5 };

inline constexpr std::size_t kSendEntryBytes = 128, kReceiveEntryBytes = 64, kCompletionEntryBytes = 64;
inline constexpr std::size_t kInlineAt = 64, kInlineBytes = 64;
inline constexpr std::uint8_t kFlagSignaled = 1, kFlagSolicited = 2, kFlagImmediate = 4, kFlagInline = 8;

template <std::size_t N>
void put(std::array<std::uint8_t, N>& entry, std::size_t at, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) entry[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}
template <std::size_t N>
std::uint64_t get(const std::array<std::uint8_t, N>& entry, std::size_t at, unsigned bytes) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value |= std::uint64_t{entry[at + i]} << (8 * i);
  return value;
}

constexpr std::uint32_t low(std::uint64_t v) { return static_cast<std::uint32_t>(v); }
constexpr std::uint32_t high(std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); }

}  // namespace caravan::host::reg
