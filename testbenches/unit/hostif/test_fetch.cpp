// SPDX-License-Identifier: Apache-2.0
// Send rings: doorbells, batches, credits, fairness, pushes, bad input.
#include <catch2/catch_test_macros.hpp>

#include "hostif_bench.hpp"
#include "testbenches/support/stalls.hpp"

namespace caravan::tb {
namespace {

constexpr std::uint64_t kSq = 0x10000, kRq = 0x20000, kCq = 0x30000;
constexpr std::uint32_t kHostMark = 1u << 30;

Sqe entry(unsigned i) {
  Sqe e;
  e.op = i % 5;
  e.signaled = (i & 1) != 0;
  e.solicited = (i & 2) != 0;
  e.has_imm = (i & 4) != 0;
  e.imm = 0xABC00000 + i;
  e.inl = i % 3 == 0 && e.op < 2;
  e.len = e.op > 2 ? 8 : e.inl ? 1 + i % 64 : 1000 + i;
  e.rkey = 0x11110000 + i;
  e.laddr = 0x8000'0000'0000'0000 + 64 * i;
  e.raddr = 0x8000'0000'0010'0000 + 64 * i;
  for (unsigned k = 0; k < 64; ++k) e.data.push_back(static_cast<std::uint8_t>(i + k));
  return e;
}

void check(const Verb& v, unsigned qpn, unsigned index, const Sqe& e) {
  CAPTURE(qpn, index);
  REQUIRE(v.qpn == qpn);
  REQUIRE(v.index() == (index & 0xFFFF));
  REQUIRE((v.wr_id & kHostMark) != 0);
  REQUIRE(v.op == e.op);
  REQUIRE(v.signaled);
  REQUIRE(v.solicited == e.solicited);
  REQUIRE(v.has_imm == e.has_imm);
  REQUIRE(v.imm == e.imm);
  REQUIRE(v.inl == e.inl);
  REQUIRE(v.len == e.len);
  REQUIRE(v.rkey == e.rkey);
  REQUIRE(v.laddr == e.laddr);
  REQUIRE(v.raddr == e.raddr);
  packet::Buffer want(64);
  const std::size_t n = e.op > 2 ? 16 : e.inl ? e.len : 0;
  std::copy_n(e.data.begin(), n, want.begin());
  REQUIRE(v.data == want);
}

}  // namespace

TEST_CASE("hostif: one doorbell, one entry, at the exact cycle") {
  HostifBench b;
  b.set_cq(1, kCq, 4);
  b.set_qp(3, kSq, 4, kRq, 4, 1, 1);
  b.put_sqe(kSq, 4, 0, entry(1));
  b.run(10);
  b.doorbell(kSqDb, 3, 1);
  b.flush_writes();
  const auto rung = b.last_write_cycle();
  REQUIRE(b.run_until([&] { return !b.verbs.empty(); }, 100));
  REQUIRE(b.read_bursts.size() == 1);
  CHECK(b.read_bursts[0].first == rung + 5);
  CHECK(b.read_bursts[0].second == 2);
  // 10 cycles of memory latency, two beats at 96 Gb/s, buffer, register.
  CHECK(b.verbs[0].cycle == b.read_bursts[0].first + 10 + 2 + 2);
  check(b.verbs[0], 3, 0, entry(1));
}

TEST_CASE("hostif: one doorbell for many entries, under every pair of stalls") {
  const auto read = CARAVAN_EVERY_STALL();
  const auto verb = CARAVAN_EVERY_STALL();
  HostifBench b({read, StallPattern::Kind::kNone, verb});
  b.set_cq(1, kCq, 7);
  b.set_qp(3, kSq, 6, kRq, 4, 1, 1);
  constexpr unsigned kTotal = 160;  // two and a half rings
  unsigned posted = 0, completed = 0;
  while (completed < kTotal) {
    if (posted == completed && posted < kTotal) {
      const unsigned n = std::min(64u, kTotal - posted);
      for (unsigned i = 0; i < n; ++i) b.put_sqe(kSq, 6, posted + i, entry(posted + i));
      posted += n;
      b.doorbell(kSqDb, 3, posted);
    }
    REQUIRE(b.run_until([&] { return b.verbs.size() > completed; }, 5000));
    while (completed < b.verbs.size()) b.complete(b.verbs[completed++]);
    // Never more of them out than credits.
    REQUIRE(b.verbs.size() - completed <= kCredits);
  }
  b.run(200);
  REQUIRE(b.verbs.size() == kTotal);
  for (unsigned i = 0; i < kTotal; ++i) check(b.verbs[i], 3, i, entry(i));
  REQUIRE(b.stats[HostifBench::kSqEntries] == kTotal);
  REQUIRE(b.stats[HostifBench::kBursts] <= kTotal);
  REQUIRE(b.quiet());
}

TEST_CASE("hostif: a batch is fetched in bursts that end at 4 KiB and at the ring's end") {
  HostifBench b;
  b.set_cq(1, kCq, 7);
  b.set_qp(2, kSq, 6, kRq, 4, 1, 1);
  for (unsigned i = 0; i < 4; ++i) b.put_sqe(kSq, 6, i, entry(i));
  b.doorbell(kSqDb, 2, 4);
  b.run(200);
  REQUIRE(b.read_bursts.size() == 1);
  REQUIRE(b.read_bursts[0].second == 8);  // four entries of two beats in one burst
  // Entries 30..33: two before the page's end, two behind it.
  for (unsigned at = 4; at < 30; at += 2) {
    for (const Verb& v : b.verbs) b.complete(v);
    b.verbs.clear();
    b.doorbell(kSqDb, 2, at + 2);
    b.run(200);
  }
  for (const Verb& v : b.verbs) b.complete(v);
  b.run(20);
  b.read_bursts.clear();
  b.doorbell(kSqDb, 2, 34);
  b.run(200);
  REQUIRE(b.read_bursts.size() == 2);
  REQUIRE(b.read_bursts[0].second == 4);
  REQUIRE(b.read_bursts[1].second == 4);
}

TEST_CASE("hostif: several bursts are outstanding and queue pairs take turns") {
  HostifBench b;
  b.set_cq(1, kCq, 7);
  for (unsigned q = 0; q < 8; ++q) {
    b.set_qp(q, kSq + 0x2000 * q, 4, kRq, 4, 1, 1);
    for (unsigned i = 0; i < 8; ++i) b.put_sqe(kSq + 0x2000 * q, 4, i, entry(i));
  }
  for (unsigned q = 0; q < 8; ++q) b.doorbell(kSqDb, q, 8);
  REQUIRE(b.run_until([&] { return b.verbs.size() == 8 * kCredits; }, 2000));
  // All eight requests were on their way before the first data came back (10 cycles of latency at 4 cycles a burst).
  REQUIRE(b.read_bursts.size() == 8);
  REQUIRE(b.read_bursts[2].first < b.read_bursts[0].first + 10);
  for (unsigned q = 0; q < 8; ++q) REQUIRE(b.verbs[kCredits * q].qpn == q);
  b.run(200);
  REQUIRE(b.verbs.size() == 8 * kCredits);  // nothing without credit
  // One queue pair gets its credits back, the others stay stuck: it goes on alone.
  for (unsigned i = 0; i < kCredits; ++i) b.complete(b.verbs[kCredits * 5 + i]);
  b.run(200);
  REQUIRE(b.verbs.size() == 9 * kCredits);
  for (unsigned i = 0; i < kCredits; ++i) check(b.verbs[8 * kCredits + i], 5, kCredits + i, entry(kCredits + i));
}

TEST_CASE("hostif: a pushed entry needs no fetch") {
  HostifBench b;
  b.set_cq(1, kCq, 7);
  b.set_qp(3, kSq, 4, kRq, 4, 1, 1);
  const Sqe e = entry(6);  // WRITE with immediate, inline
  const auto bytes = e.bytes();
  const auto push = [&](unsigned producer) {
    for (unsigned w = 0; w < 32; ++w) {
      std::uint32_t word = 0;
      for (unsigned i = 0; i < 4; ++i) word |= std::uint32_t{bytes[4 * w + i]} << (8 * i);
      b.write(static_cast<std::uint16_t>(kPush0 + 4 * w), word);
    }
    b.doorbell(kSqPush, 3, producer);
    b.flush_writes();
  };
  push(1);
  const auto rung = b.last_write_cycle();
  b.run(10);
  REQUIRE(b.verbs.size() == 1);
  CHECK(b.verbs[0].cycle == rung + 2);
  check(b.verbs[0], 3, 0, e);
  REQUIRE(b.read_bursts.empty());
  REQUIRE(b.stats[HostifBench::kPushes] == 1);
  SECTION("behind an entry that was only rung for, it is fetched like that one") {
    b.put_sqe(kSq, 4, 1, entry(1));
    b.put_sqe(kSq, 4, 2, entry(2));
    b.doorbell(kSqDb, 3, 2);
    b.doorbell(kSqPush, 3, 3);
    b.run(200);
    REQUIRE(b.verbs.size() == 3);
    check(b.verbs[1], 3, 1, entry(1));
    check(b.verbs[2], 3, 2, entry(2));
    REQUIRE(b.stats[HostifBench::kPushes] == 1);
  }
  SECTION("without credit it waits in the ring") {
    for (unsigned i = 1; i < kCredits; ++i) push(i + 1);
    b.run(10);
    REQUIRE(b.verbs.size() == kCredits);
    b.put_sqe(kSq, 4, kCredits, entry(9));
    push(kCredits + 1);
    b.run(100);
    REQUIRE(b.verbs.size() == kCredits);
    b.complete(b.verbs[0]);
    b.run(100);
    REQUIRE(b.verbs.size() == kCredits + 1);
    check(b.verbs[kCredits], 3, kCredits, entry(9));
  }
}

TEST_CASE("hostif: bad doorbells and entries have a defined end") {
  HostifBench b;
  b.set_cq(1, kCq, 5);
  b.set_qp(3, kSq, 4, kRq, 4, 1, 1);
  SECTION("doorbells without effect") {
    b.doorbell(kSqDb, 16, 1);  // no such QP
    b.doorbell(kSqDb, 4, 1);   // no row
    b.doorbell(kSqDb, 3, 17);  // more than the ring has
    b.doorbell(kSqDb, 3, 0xFFFF);
    b.doorbell(kCqDb, 1, 1);  // nothing was written
    b.doorbell(kCqDb, 9, 0);
    b.write(kCqArm, 7);  // no row
    b.flush_writes();
    b.run(50);
    REQUIRE(b.stats[HostifBench::kBadDb] == 7);
    REQUIRE(b.read_bursts.empty());
    REQUIRE(b.quiet());
  }
  SECTION("an opcode without meaning is refused by the endpoint, in order") {
    Sqe bad = entry(0);
    bad.op = 0x80;
    b.put_sqe(kSq, 4, 0, bad);
    b.doorbell(kSqDb, 3, 1);
    b.run(100);
    REQUIRE(b.verbs.size() == 1);
    REQUIRE(b.verbs[0].op == kRefused);
    b.complete(b.verbs[0], kBadRequest);
    b.run(50);
    const Cqe c = b.cqe(kCq, 5, 0);
    REQUIRE(c.phase);
    REQUIRE(c.status == kBadRequest);
    REQUIRE(c.qpn == 3);
  }
  SECTION("a ring outside memory: local memory error") {
    b.set_qp(4, 0x7F000000, 4, kRq, 4, 1, 1);
    b.doorbell(kSqDb, 4, 2);
    b.run(100);
    REQUIRE(b.verbs.size() == 2);
    for (const Verb& v : b.verbs) {
      REQUIRE(v.op == kRefused);
      b.complete(v, kBadRequest);
    }
    b.run(50);
    REQUIRE(b.cqe(kCq, 5, 0).status == kLocalMem);
    REQUIRE(b.cqe(kCq, 5, 1).status == kLocalMem);
    REQUIRE(b.stats[HostifBench::kMemErr] == 4);
  }
  SECTION("commands that don't fit are refused") {
    b.write(0x04, 0x10010);  // not at 4 KiB
    b.write(kCmd, 2u << 30 | 2);
    REQUIRE(b.read(kStatus) == 2);
    b.write(0x04, 0x10000);
    b.write(kCmd, 2u << 30 | 8);  // no such CQ
    REQUIRE(b.read(kStatus) == 2);
    b.write(kCmd, 1u << 30 | 16);
    REQUIRE(b.read(kStatus) == 2);
    b.write(kCmd, 3u << 30);
    REQUIRE(b.read(kStatus) == 2);
    b.write(kCmd, 2u << 30 | 2);
    b.run(5);
    REQUIRE(b.read(kStatus) == 0);
  }
}

TEST_CASE("hostif: a row written anew starts anew, what is under way is dropped") {
  HostifBench b;
  b.set_cq(1, kCq, 5);
  b.set_qp(3, kSq, 4, kRq, 4, 1, 1);
  for (unsigned i = 0; i < 8; ++i) b.put_sqe(kSq, 4, i, entry(i));
  b.doorbell(kSqDb, 3, 8);
  b.run(100);
  REQUIRE(b.verbs.size() == kCredits);
  b.set_qp(3, kSq, 4, kRq, 4, 1, 1);
  for (const Verb& v : b.verbs) b.complete(v, kFlushed);
  b.run(50);
  REQUIRE(b.stats[HostifBench::kStale] == kCredits);
  REQUIRE(b.stats[HostifBench::kCqes] == 0);
  b.verbs.clear();
  b.doorbell(kSqDb, 3, 8);
  b.run(100);
  REQUIRE(b.verbs.size() == kCredits);  // all credits are there again
  check(b.verbs[0], 3, 0, entry(0));
}

}  // namespace caravan::tb
