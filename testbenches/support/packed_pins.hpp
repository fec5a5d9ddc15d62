// SPDX-License-Identifier: Apache-2.0
// Packed structs on the pins of Verilated modules, field by field.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/packet/bytes.hpp"

namespace caravan::support {

/// Writes consecutive fields of a packed struct, from bit 0 upwards.
template <class Wide>
class PinWriter {
 public:
  explicit PinWriter(Wide& wide) : wide_(wide) {}
  PinWriter& put(unsigned width, std::uint64_t value) {
    for (unsigned done = 0; done < width;) {
      const unsigned word = at_ / 32, shift = at_ % 32, take = std::min(32 - shift, width - done);
      const std::uint32_t mask = (take == 32 ? ~0u : (1u << take) - 1) << shift;
      wide_[word] = (wide_[word] & ~mask) | (static_cast<std::uint32_t>(value >> done) << shift & mask);
      done += take;
      at_ += take;
    }
    return *this;
  }
  /// 64 bytes, the first one lowest; missing ones are zero.
  PinWriter& data(packet::ByteSpan bytes) {
    for (std::size_t i = 0; i < 64; i += 8) {
      std::uint64_t value = 0;
      for (std::size_t j = i; j < std::min(i + 8, bytes.size()); ++j) value |= std::uint64_t{bytes[j]} << (8 * (j - i));
      put(64, value);
    }
    return *this;
  }

 private:
  Wide& wide_;
  unsigned at_ = 0;
};

/// Reads consecutive fields, from bit 0 upwards.
template <class Wide>
class PinReader {
 public:
  explicit PinReader(const Wide& wide) : wide_(wide) {}
  std::uint64_t get(unsigned width) {
    std::uint64_t value = 0;
    for (unsigned done = 0; done < width;) {
      const unsigned word = at_ / 32, shift = at_ % 32, take = std::min(32 - shift, width - done);
      const std::uint64_t mask = take == 32 ? 0xFFFFFFFFull : (1ull << take) - 1;
      value |= (std::uint64_t{wide_[word]} >> shift & mask) << done;
      done += take;
      at_ += take;
    }
    return value;
  }
  PinReader& skip(unsigned width) {
    at_ += width;
    return *this;
  }
  std::uint32_t get32(unsigned width) { return static_cast<std::uint32_t>(get(width)); }
  packet::Buffer data() {
    packet::Buffer bytes(64);
    for (std::size_t i = 0; i < 64; ++i) bytes[i] = static_cast<std::uint8_t>(get(8));
    return bytes;
  }

 private:
  const Wide& wide_;
  unsigned at_ = 0;
};

}  // namespace caravan::support
