// SPDX-License-Identifier: Apache-2.0
// Order-sensitive rolling hash. Same records in the same order give the same value on every platform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace caravan::base {

/// Rolling 64-bit hash of words and bytes; not cryptographic.
class Fingerprint {
 public:
  void word(std::uint64_t w) {
    h_ ^= w;
    h_ *= 0x9FB21C651E98DF25ull;
    h_ ^= h_ >> 32;
  }
  void bytes(const void* data, std::size_t n) {
    word(n);
    const auto* p = static_cast<const unsigned char*>(data);
    for (; n >= 8; n -= 8, p += 8) {
      std::uint64_t w;
      std::memcpy(&w, p, 8);
      word(w);
    }
    if (n > 0) {
      std::uint64_t w = 0;
      std::memcpy(&w, p, n);
      word(w);
    }
  }
  std::uint64_t value() const { return h_; }

 private:
  std::uint64_t h_ = 0xCBF29CE484222325ull;
};

}  // namespace caravan::base
