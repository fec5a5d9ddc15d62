// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <sstream>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "models/base/errors.hpp"
#include "models/base/rng.hpp"
#include "models/timing/sparse_memory.hpp"
#include "testbenches/support/death.hpp"

using namespace caravan;
using timing::SparseMemory;

TEST_CASE("memory: reads give what was written, zeros elsewhere, at any alignment across pages", "[timing][memory]") {
  SparseMemory memory(base::Bytes::mib(64));
  std::vector<std::uint8_t> mirror(40'000, 0);
  base::Rng rng(7);
  for (int i = 0; i < 300; ++i) {
    const auto n = static_cast<std::size_t>(rng.below(9000));
    const auto at = static_cast<std::size_t>(rng.below(mirror.size() - n));
    if (rng.chance(0.5)) {
      std::vector<std::uint8_t> data(n);
      for (auto& byte : data) byte = static_cast<std::uint8_t>(rng.next());
      memory.write(at, data);
      std::copy(data.begin(), data.end(), mirror.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      std::vector<std::uint8_t> seen(n, 0xEE);
      memory.read(at, seen);
      REQUIRE(std::equal(seen.begin(), seen.end(), mirror.begin() + static_cast<std::ptrdiff_t>(at)));
    }
  }
  CHECK(memory.allocated_pages() <= 10);
}

TEST_CASE("memory: strobes choose bytes of a beat", "[timing][memory]") {
  SparseMemory memory(base::Bytes::mib(1));
  std::vector<std::uint8_t> beat(64);
  std::iota(beat.begin(), beat.end(), std::uint8_t{1});
  memory.write_beat(4096, beat.data(), 0x8000'0000'0000'0003ull);
  std::vector<std::uint8_t> seen(64);
  memory.read_beat(4096, seen.data());
  std::vector<std::uint8_t> expected(64, 0);
  expected[0] = 1, expected[1] = 2, expected[63] = 64;
  CHECK(seen == expected);
}

TEST_CASE("memory: the digest knows contents, not history", "[timing][memory]") {
  SparseMemory a(base::Bytes::mib(1)), b(base::Bytes::mib(1));
  const std::vector<std::uint8_t> one{1}, zero{0};
  a.write(5, one), a.write(9000, one);
  b.write(9000, one), b.write(5, one), b.write(20'000, zero);
  CHECK(a.digest() == b.digest());
  CHECK(a.allocated_pages() != b.allocated_pages());
  b.write(20'000, one);
  CHECK(a.digest() != b.digest());
  b.write(20'000, zero);
  b.write(5, zero), b.write(6, one);
  CHECK(a.digest() != b.digest());
}

TEST_CASE("memory: saved and loaded, page cache included", "[timing][memory]") {
  SparseMemory a(base::Bytes::mib(1)), b(base::Bytes::mib(1));
  const std::vector<std::uint8_t> data{1, 2, 3};
  a.write(4095, data);
  std::vector<std::uint8_t> seen(3);
  b.write(4095, std::vector<std::uint8_t>{9, 9, 9});
  std::stringstream stream;
  a.serialize(stream);
  b.deserialize(stream);
  b.read(4095, seen);
  CHECK(seen == data);
  CHECK(a.digest() == b.digest());
  SparseMemory other(base::Bytes::mib(2));
  std::stringstream again;
  a.serialize(again);
  CHECK_THROWS_AS(other.deserialize(again), base::UserError);
}

TEST_CASE("memory: contains() is safe at the end and against wrap-around", "[timing][memory]") {
  const SparseMemory memory(base::Bytes(8192));
  CHECK(memory.contains(0, 8192));
  CHECK(memory.contains(8192, 0));
  CHECK_FALSE(memory.contains(0, 8193));
  CHECK_FALSE(memory.contains(8129, 64));
  CHECK_FALSE(memory.contains(~0ull - 10, 64));
  std::vector<std::uint8_t> byte(1);
  CHECK(support::dying_words([&] { memory.read(8192, byte); }).find("outside the memory") != std::string::npos);
}
