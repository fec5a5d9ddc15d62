// SPDX-License-Identifier: Apache-2.0
// Network byte order, for integers of any whole number of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace caravan::packet {

using ByteSpan = std::span<const std::uint8_t>;
using Buffer = std::vector<std::uint8_t>;

/// The `count` bytes at `p`, most significant first; count <= 8.
constexpr std::uint64_t get_be(const std::uint8_t* p, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8 | p[i];
  return value;
}

/// Stores the low `count` bytes of `value` at `p`, most significant first.
constexpr void put_be(std::uint8_t* p, std::size_t count, std::uint64_t value) {
  for (std::size_t i = count; i-- > 0; value >>= 8) p[i] = static_cast<std::uint8_t>(value);
}

constexpr std::uint8_t get_be8(const std::uint8_t* p) { return *p; }
constexpr std::uint16_t get_be16(const std::uint8_t* p) { return static_cast<std::uint16_t>(get_be(p, 2)); }
constexpr std::uint32_t get_be24(const std::uint8_t* p) { return static_cast<std::uint32_t>(get_be(p, 3)); }
constexpr std::uint32_t get_be32(const std::uint8_t* p) { return static_cast<std::uint32_t>(get_be(p, 4)); }
constexpr std::uint64_t get_be64(const std::uint8_t* p) { return get_be(p, 8); }

}  // namespace caravan::packet
