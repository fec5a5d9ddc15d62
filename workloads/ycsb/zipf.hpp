// SPDX-License-Identifier: Apache-2.0
// Zipf ranks for any exponent >= 0, by the inverse of the exact cumulative distribution. (YCSB's own formula divides
// by 1 - theta and is wrong from theta = 1 on.)
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/rng.hpp"

namespace caravan::workloads {

class Zipf {
 public:
  /// Prepares ranks 0 .. max_items - 1; rank r has the weight 1 / (r + 1)^theta. Memory: 8 bytes per item.
  Zipf(std::uint64_t max_items, double theta);
  /// A rank below `items` (1 .. max_items), exact for just that many items.
  std::uint64_t sample(base::Rng& rng, std::uint64_t items) const;
  /// Probability of `rank` among `items`.
  double probability(std::uint64_t rank, std::uint64_t items) const;

 private:
  std::vector<double> cumulative_;  ///< [r]: sum of the weights of ranks 0 .. r
};

/// FNV-1a over the eight bytes of `v`, lowest first: YCSB's scrambling of ranks and record numbers.
std::uint64_t fnv_hash(std::uint64_t v);

/// A pseudo-random bijection of [0, size): a Feistel network that walks until it is back inside.
class Permutation {
 public:
  explicit Permutation(std::uint64_t size);
  std::uint64_t operator()(std::uint64_t v) const;

 private:
  std::uint64_t size_;
  unsigned half_bits_;
};

}  // namespace caravan::workloads
