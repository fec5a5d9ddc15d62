// SPDX-License-Identifier: Apache-2.0
// Receive rings: buffers posted in order with credits, completions of receives.
#include <catch2/catch_test_macros.hpp>

#include "hostif_bench.hpp"
#include "testbenches/support/stalls.hpp"

namespace caravan::tb {
namespace {

constexpr std::uint64_t kSq = 0x10000, kRq = 0x20000, kCq = 0x30000;

void put_rqe(HostifBench& b, unsigned index, std::uint64_t addr, std::uint32_t len) {
  std::vector<std::uint8_t> bytes(64);
  for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(addr >> (8 * i));
  for (unsigned i = 0; i < 4; ++i) bytes[8 + i] = static_cast<std::uint8_t>(len >> (8 * i));
  b.memory.write(kRq + 64ull * (index & 63), bytes);
}

}  // namespace

TEST_CASE("hostif: receive buffers are posted in order, within credits, under every pair of stalls") {
  const auto read = CARAVAN_EVERY_STALL();
  const auto post = CARAVAN_EVERY_STALL();
  HostifBench b({read, StallPattern::Kind::kRandom, post});
  b.set_cq(1, kCq, 8);
  b.set_qp(7, kSq, 4, kRq, 6, 1, 1);
  constexpr unsigned kTotal = 100;
  for (unsigned i = 0; i < 64; ++i) put_rqe(b, i, 0x8000'0000'0000'1000 + i, 100 + i);
  b.doorbell(kRqDb, 7, 64);
  for (unsigned done = 0; done < kTotal; ++done) {
    if (done == 50) {
      for (unsigned i = 64; i < kTotal; ++i) put_rqe(b, i, 0x8000'0000'0000'1000 + i, 100 + i);
      b.doorbell(kRqDb, 7, kTotal);
    }
    REQUIRE(b.run_until([&] { return b.posts.size() > done; }, 2000));
    REQUIRE(b.posts.size() <= done + kCredits);
    const Post& p = b.posts[done];
    REQUIRE(p.qpn == 7);
    REQUIRE((p.wr_id & 0xFFFF) == done);
    REQUIRE(p.addr == 0x8000'0000'0000'1000 + done);
    REQUIRE(p.len == 100 + done);
    b.complete(RqCpl{.qpn = 7,
                     .wr_id = p.wr_id,
                     .is_write = done % 2 == 1,
                     .solicited = done % 3 == 0,
                     .has_imm = done % 5 == 0,
                     .imm = 0xCAFE0000 + done,
                     .len = done,
                     .src_qpn = 0x123456,
                     .src_ip = 0x0A000001});
  }
  REQUIRE(b.run_until([&] { return b.completions_taken() && b.quiet(); }, 2000));
  b.run(20);
  for (unsigned i = 0; i < kTotal; ++i) {
    const Cqe c = b.cqe(kCq, 8, i);
    CAPTURE(i);
    REQUIRE(c.phase);
    REQUIRE(c.kind == (i % 2 == 1 ? 2 : 1));
    REQUIRE(c.index == i);
    REQUIRE(c.qpn == 7);
    REQUIRE(c.solicited == (i % 3 == 0));
    REQUIRE(c.has_imm == (i % 5 == 0));
    REQUIRE(c.imm == 0xCAFE0000 + i);
    REQUIRE(c.len == i);
    REQUIRE(c.src_qpn == 0x123456);
    REQUIRE(c.src_ip == 0x0A000001);
  }
}

TEST_CASE("hostif: a receive ring outside memory posts empty buffers that complete as memory errors") {
  HostifBench b;
  b.set_cq(1, kCq, 8);
  b.set_qp(7, kSq, 4, 0x7F000000, 4, 1, 1);
  b.doorbell(kRqDb, 7, 1);
  b.run(100);
  REQUIRE(b.posts.size() == 1);
  REQUIRE(b.posts[0].len == 0);
  b.complete(RqCpl{.qpn = 7, .wr_id = b.posts[0].wr_id, .status = 8});
  b.run(30);
  REQUIRE(b.cqe(kCq, 8, 0).status == kLocalMem);
}

}  // namespace caravan::tb
