// SPDX-License-Identifier: Apache-2.0
// Seeded random numbers that are the same on every platform and compiler.
#pragma once

#include <cstdint>

namespace caravan::base {

/// SplitMix64: one 64-bit state word; used to seed and to derive independent streams.
class SplitMix64 {
 public:
  explicit constexpr SplitMix64(std::uint64_t seed) : state_(seed) {}
  constexpr std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

/// xoshiro256** (Blackman and Vigna 2018). Satisfies UniformRandomBitGenerator, but use the members below:
/// the standard distributions differ between libraries.
class Rng {
 public:
  using result_type = std::uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~0ull; }

  /// `stream` separates independent users of one seed (node id, component id …).
  explicit constexpr Rng(std::uint64_t seed, std::uint64_t stream = 0) {
    SplitMix64 mix(seed ^ (stream * 0xD1342543DE82EF95ull));
    for (auto& word : s_) word = mix.next();
  }
  constexpr std::uint64_t operator()() { return next(); }
  constexpr std::uint64_t next() {
    const std::uint64_t result = rotl(s_[1] * 5, 7) * 9;
    const std::uint64_t t = s_[1] << 17;
    s_[2] ^= s_[0];
    s_[3] ^= s_[1];
    s_[1] ^= s_[2];
    s_[0] ^= s_[3];
    s_[2] ^= t;
    s_[3] = rotl(s_[3], 45);
    return result;
  }
  /// Uniform in [0, n), n > 0, without modulo bias worth speaking of (multiply-shift).
  constexpr std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * n) >> 64);
  }
  /// Uniform in [0, 1) with 53 bits.
  constexpr double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  constexpr bool chance(double p) { return uniform() < p; }

 private:
  static constexpr std::uint64_t rotl(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  std::uint64_t s_[4] = {};
};

}  // namespace caravan::base
