// SPDX-License-Identifier: Apache-2.0
#include "workloads/ycsb/zipf.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "models/base/errors.hpp"

namespace caravan::workloads {

Zipf::Zipf(std::uint64_t max_items, double theta) {
  BUG_IF(max_items == 0 || !(theta >= 0), "Zipf needs an item and an exponent >= 0");
  cumulative_.reserve(max_items);
  double sum = 0;
  for (std::uint64_t r = 1; r <= max_items; ++r) {
    sum += std::pow(static_cast<double>(r), -theta);
    cumulative_.push_back(sum);
  }
}

std::uint64_t Zipf::sample(base::Rng& rng, std::uint64_t items) const {
  BUG_IF(items == 0 || items > cumulative_.size(), "Zipf asked for more items than prepared");
  const auto end = cumulative_.begin() + static_cast<std::ptrdiff_t>(items);
  const double u = rng.uniform() * *(end - 1);
  const auto at = std::upper_bound(cumulative_.begin(), end, u);
  return static_cast<std::uint64_t>(std::min(at, end - 1) - cumulative_.begin());
}

double Zipf::probability(std::uint64_t rank, std::uint64_t items) const {
  const double below = rank == 0 ? 0 : cumulative_[rank - 1];
  return (cumulative_[rank] - below) / cumulative_[items - 1];
}

std::uint64_t fnv_hash(std::uint64_t v) {
  std::uint64_t h = 0xCBF29CE484222325ull;
  for (int i = 0; i < 8; ++i) {
    h ^= v & 0xFF;
    h *= 0x100000001B3ull;
    v >>= 8;
  }
  return h;
}

Permutation::Permutation(std::uint64_t size)
    : size_(size), half_bits_((static_cast<unsigned>(std::bit_width(size - 1)) + 1) / 2) {
  if (half_bits_ == 0) half_bits_ = 1;
}

std::uint64_t Permutation::operator()(std::uint64_t v) const {
  BUG_IF(v >= size_, "permutation asked for a value outside its range");
  const std::uint64_t mask = (1ull << half_bits_) - 1;
  do {
    std::uint64_t left = v >> half_bits_;
    std::uint64_t right = v & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t next = left ^ ((fnv_hash(right + (round << 32)) >> 20) & mask);
      left = right;
      right = next;
    }
    v = (left << half_bits_) | right;
  } while (v >= size_);
  return v;
}

}  // namespace caravan::workloads
