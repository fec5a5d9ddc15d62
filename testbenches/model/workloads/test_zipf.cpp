// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <set>

#include "workloads/ycsb/zipf.hpp"

using namespace caravan::workloads;
using caravan::base::Rng;

namespace {
/// Chi-square of drawn ranks against the exact distribution, ranks with few expected draws pooled; as a standard
/// normal deviate (Wilson and Hilferty).
double chi_square_deviate(std::uint64_t items, double theta, std::uint64_t draws) {
  const Zipf zipf(items + 17, theta);
  Rng rng(42, items);
  std::vector<std::uint64_t> seen(items);
  for (std::uint64_t i = 0; i < draws; ++i) ++seen[zipf.sample(rng, items)];
  // The exact distribution, computed here from the definition.
  double norm = 0;
  for (std::uint64_t r = 1; r <= items; ++r) norm += 1 / std::pow(static_cast<double>(r), theta);
  double chi = 0;
  double bins = 0;
  double expected = 0;
  double observed = 0;
  for (std::uint64_t r = 0; r < items; ++r) {
    expected += static_cast<double>(draws) / std::pow(static_cast<double>(r + 1), theta) / norm;
    observed += static_cast<double>(seen[r]);
    if (expected < 10 && r + 1 < items) continue;
    chi += (observed - expected) * (observed - expected) / expected;
    bins += 1;
    expected = observed = 0;
  }
  const double dof = bins - 1;
  return (std::cbrt(chi / dof) - (1 - 2 / (9 * dof))) / std::sqrt(2 / (9 * dof));
}
}  // namespace

TEST_CASE("Zipf ranks have the exact distribution for any exponent", "[model][ycsb]") {
  for (const double theta : {0.0, 0.5, 0.99, 1.0, 1.2, 2.0}) {
    for (const std::uint64_t items : {10ull, 1000ull}) {
      INFO("theta " << theta << ", items " << items);
      const double deviate = chi_square_deviate(items, theta, 200'000);
      CHECK(deviate < 3.5);
      CHECK(deviate > -3.5);
    }
  }
}

TEST_CASE("Zipf never leaves its range, even with one item", "[model][ycsb]") {
  const Zipf zipf(100, 0.99);
  Rng rng(1);
  for (int i = 0; i < 1000; ++i) CHECK(zipf.sample(rng, 1) == 0);
  for (int i = 0; i < 10'000; ++i) REQUIRE(zipf.sample(rng, 7) < 7);
  double sum = 0;
  for (std::uint64_t r = 0; r < 100; ++r) sum += zipf.probability(r, 100);
  CHECK(std::abs(sum - 1) < 1e-12);
  CHECK(std::abs(zipf.probability(0, 100) / zipf.probability(9, 100) - std::pow(10, 0.99)) < 1e-9);
}

TEST_CASE("the FNV hash has the published value", "[model][ycsb]") {
  // FNV-1a of eight zero bytes: offset basis times prime, eight times.
  std::uint64_t zero = 0xCBF29CE484222325ull;
  for (int i = 0; i < 8; ++i) zero *= 0x100000001B3ull;
  CHECK(fnv_hash(0) == zero);
  // FNV-1a of "foobar" is 0x85944171F73967E8; extended by the two zero bytes.
  CHECK(fnv_hash(0x7261626F6F66ull) == 0x85944171F73967E8ull * 0x100000001B3ull * 0x100000001B3ull);
}

TEST_CASE("the scattering of records over keys is one to one, for any size", "[model][ycsb]") {
  for (const std::uint64_t size : {1ull, 2ull, 3ull, 100ull, 1024ull, 131072ull}) {
    const Permutation scatter(size);
    std::set<std::uint64_t> keys;
    for (std::uint64_t v = 0; v < size; ++v) {
      const auto key = scatter(v);
      REQUIRE(key < size);
      keys.insert(key);
    }
    CHECK(keys.size() == size);
  }
  const Permutation scatter(131072);
  std::uint64_t fixed = 0;
  for (std::uint64_t v = 0; v < 131072; ++v) fixed += scatter(v) == v;
  CHECK(fixed < 20);
}
