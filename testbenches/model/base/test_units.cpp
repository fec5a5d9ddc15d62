// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include "models/base/rng.hpp"
#include "models/base/units.hpp"

using caravan::base::Bytes;
using caravan::base::Rate;
using caravan::base::Time;

TEST_CASE("units: the time for some bytes is exact, rounded up, for any size and rate", "[units]") {
  CHECK(Rate::gbps(100).time_for(Bytes(84)) == Time::ps(84 * 80));
  CHECK(Rate::bps(3).time_for(Bytes(1)) == Time::ps(2'666'666'666'667));
  CHECK(Rate::gbps(400).time_for(Bytes()) == Time());
  const auto exact = [](std::uint64_t bytes, std::uint64_t bps) {
    const auto scaled = static_cast<unsigned __int128>(bytes) * 8'000'000'000'000u;
    return Time::ps(static_cast<std::int64_t>((scaled + bps - 1) / bps));
  };
  caravan::base::Rng rng(1);
  for (int i = 0; i < 1'000; ++i) {
    const std::uint64_t bytes = rng.below(4'000'000), bps = 1'000'000 + rng.below(400'000'000'000);
    CHECK(Rate::bps(bps).time_for(Bytes(bytes)) == exact(bytes, bps));
  }
  for (const std::uint64_t bytes : {999'999u, 1'000'000u, 1'000'001u}) {
    CHECK(Rate::gbps(100).time_for(Bytes(bytes)) == exact(bytes, 100'000'000'000));
    CHECK(Rate::bps(~0ull).time_for(Bytes(bytes)) == exact(bytes, ~0ull));
  }
}
