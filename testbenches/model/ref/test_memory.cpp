// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "models/base/errors.hpp"
#include "models/ref/region_table.hpp"
#include "models/ref/sparse_memory.hpp"

using namespace caravan;
using Catch::Matchers::Message;
using Bytes = std::vector<std::uint8_t>;

TEST_CASE("Memory holds what was written, across pages and in every address class", "[ref][memory]") {
  ref::SparseMemory memory;
  CHECK(memory.read(0x8000'0000'0000'0FFE, 4) == Bytes{0, 0, 0, 0});
  memory.write(0x8000'0000'0000'0FFE, Bytes{1, 2, 3, 4});
  CHECK(memory.read(0x8000'0000'0000'0FFD, 6) == Bytes{0, 1, 2, 3, 4, 0});
  CHECK(memory.read(0x0FFE, 4) == Bytes(4));
  memory.write(~0ull, Bytes{9});
  CHECK(memory.read(~0ull, 1) == Bytes{9});
}

TEST_CASE("Memories are equal when they read alike, and tell where they differ", "[ref][memory]") {
  ref::SparseMemory a, b;
  a.write(0x5000, Bytes(10));
  CHECK(a == b);
  CHECK(a.fingerprint() == b.fingerprint());
  a.write(0x7123, Bytes{1});
  CHECK_FALSE(a == b);
  CHECK_FALSE(b == a);
  CHECK(a.first_difference(b) == 0x7123);
  CHECK(b.first_difference(a) == 0x7123);
  CHECK(a.fingerprint() != b.fingerprint());
  b.write(0x7123, Bytes{1});
  CHECK(a == b);
}

TEST_CASE("A region admits exactly its bytes", "[ref][region]") {
  ref::RegionTable table;
  table.set(7, {.base = 0x1000, .length = 0x100, .access = {.write = true}, .pd = 3});
  CHECK(table.may_write(7, 3, 0x1000, 0x100));
  CHECK(table.may_write(7, 3, 0x10FF, 1));
  CHECK_FALSE(table.may_write(7, 3, 0x1000, 0x101));
  CHECK_FALSE(table.may_write(7, 3, 0x0FFF, 1));
  CHECK_FALSE(table.may_write(7, 3, 0x1100, 1));
  CHECK_FALSE(table.may_write(7, 3, 0x1080, ~0ull - 0x40));  // the end of the access would wrap
  CHECK_FALSE(table.may_write(7, 2, 0x1000, 1));             // another protection domain
  CHECK_FALSE(table.may_write(8, 3, 0x1000, 1));
  table.set(7, {.base = 0x1000, .length = 0x100, .access = {.read = true, .atomic = true}, .pd = 3});
  CHECK_FALSE(table.may_write(7, 3, 0x1000, 1));
  table.remove(7);
  CHECK_FALSE(table.may_write(7, 3, 0x1000, 1));
}

TEST_CASE("A region may end at 2^32 and at the end of its address class", "[ref][region]") {
  ref::RegionTable table;
  table.set(1, {.base = 0xFFFF'F000, .length = 0x1000, .access = {.write = true}});
  CHECK(table.may_write(1, 0, 0xFFFF'FFFF, 1));
  CHECK_FALSE(table.may_write(1, 0, 0xFFFF'FFFF, 2));
  table.set(2, {.base = 0x8FFF'FFFF'FFFF'F000, .length = 0x1000, .access = {.write = true}});
  CHECK(table.may_write(2, 0, 0x8FFF'FFFF'FFFF'FFFF, 1));
  CHECK_FALSE(table.may_write(2, 0, 0x8FFF'FFFF'FFFF'FFFF, 2));
}

TEST_CASE("A region that can't be is the user's error", "[ref][region]") {
  ref::RegionTable table;
  const auto error = [&](std::uint64_t base, std::uint64_t length, const std::string& text) {
    CHECK_THROWS_MATCHES(table.set(5, {.base = base, .length = length, .access = {}}), base::UserError, Message(text));
  };
  error(0, 0, "memory region rkey 0x5, base 0x0, length 0x0: the length must be at least 1");
  error(0xFFFF'FFFF'FFFF'FFFF, 2,
        "memory region rkey 0x5, base 0xffffffffffffffff, length 0x2: the region must not wrap around the end of the "
        "address space");
  error(0x1000'0000'0000'0000, 1,
        "memory region rkey 0x5, base 0x1000000000000000, length 0x1: bits 63:60 of the base must be 0 (HBM), 3 (RPC) "
        "or 8 (host memory)");
  error(0x0FFF'FFFF'FFFF'FFFF, 2,
        "memory region rkey 0x5, base 0xfffffffffffffff, length 0x2: the region must lie in one address class (bits "
        "63:60)");
}
