// SPDX-License-Identifier: Apache-2.0
// Completion queues: contents, phases, order, selective signalling, overrun, events.
#include <catch2/catch_test_macros.hpp>

#include "hostif_bench.hpp"
#include "testbenches/support/stalls.hpp"

namespace caravan::tb {
namespace {

constexpr std::uint64_t kSq = 0x10000, kRq = 0x20000, kCq = 0x30000, kCq2 = 0x38000;

/// wr_id of an entry of the first row of a QP.
std::uint32_t id(unsigned index, bool signaled = true, unsigned op = kWrite) {
  return 1u << 30 | std::uint32_t{signaled} << 29 | op << 24 | 1u << 16 | index;
}

struct CqBench : HostifBench {
  explicit CqBench(Stalls stalls = {}) : HostifBench(stalls) {
    set_cq(1, kCq, 3);
    set_cq(2, kCq2, 3);
    set_qp(5, kSq, 6, kRq, 6, 1, 2);
    post(64);
  }
  /// Work exists, so that credits can be given back.
  void post(unsigned n) {
    for (unsigned i = 0; i < n; ++i) put_sqe(kSq, 6, i, {.len = 8});
    doorbell(kSqDb, 5, n);
    run(100);
  }
};

}  // namespace

TEST_CASE("hostif: a completion entry says all, one beat, at the exact cycle") {
  CqBench b;
  REQUIRE(b.verbs.size() == kCredits);
  b.cqe_writes.clear();
  b.run(4);
  const auto start = b.bench.cycle();
  b.complete(Cpl{5, id(0, true, kFetchAdd), kRemoteAccess, 0x1122334455667788});
  b.run(20);
  REQUIRE(b.cqe_writes.size() == 1);
  CHECK(b.cqe_writes[0] == start + 2 + 1);  // W waits one cycle for its address at the memory
  const Cqe c = b.cqe(kCq, 3, 0);
  CHECK(c.phase);
  CHECK(c.status == kRemoteAccess);
  CHECK(c.kind == 0);
  CHECK(c.index == 0);
  CHECK(c.qpn == 5);
  CHECK(c.op == kFetchAdd);
  CHECK(c.orig == 0x1122334455667788);
}

TEST_CASE("hostif: entries are in order, phases alternate, under every pair of stalls") {
  const auto write = CARAVAN_EVERY_STALL();
  const auto source = CARAVAN_EVERY_STALL();
  CqBench b({StallPattern::Kind::kNone, write, source});
  unsigned seen = 0;
  for (unsigned i = 0; i < 40; ++i) {
    REQUIRE(b.run_until([&] { return b.verbs.size() > i; }, 2000));
    b.complete(b.verbs[i], i % 3 == 0 ? kRemoteAccess : kOk);
    REQUIRE(b.run_until([&] { return b.cqe(kCq, 3, i).phase == ((i >> 3 & 1) == 0); }, 2000));
    const Cqe c = b.cqe(kCq, 3, i);
    REQUIRE(c.index == i);
    REQUIRE(c.status == (i % 3 == 0 ? kRemoteAccess : kOk));
    if (++seen % 4 == 0) b.doorbell(kCqDb, 1, seen);
  }
  REQUIRE(b.stats[HostifBench::kCqes] == 40);
  REQUIRE(b.stats[HostifBench::kCqDrop] == 0);
}

TEST_CASE("hostif: one entry every other cycle") {
  CqBench b;
  b.cqe_writes.clear();
  for (unsigned i = 0; i < 3; ++i) b.complete(Cpl{5, id(i), kOk, 0});
  b.run(30);
  REQUIRE(b.cqe_writes.size() == 3);
  CHECK(b.cqe_writes[2] - b.cqe_writes[0] <= 6);
}

TEST_CASE("hostif: unsignaled work completes without an entry, unless it failed, and gives its credit back") {
  CqBench b;
  b.complete(Cpl{5, id(0, false), kOk, 0});
  b.complete(Cpl{5, id(1, false), kFlushed, 0});
  b.complete(Cpl{5, id(2, true), kOk, 0});
  b.run(200);
  REQUIRE(b.stats[HostifBench::kQuietCpls] == 1);
  REQUIRE(b.stats[HostifBench::kCqes] == 2);
  REQUIRE(b.cqe(kCq, 3, 0).index == 1);
  REQUIRE(b.cqe(kCq, 3, 1).index == 2);
  REQUIRE(b.verbs.size() == kCredits + 3);
}

TEST_CASE("hostif: a full queue drops, says so, and goes on once there is room") {
  CqBench b;
  for (unsigned i = 0; i < 10; ++i) {
    REQUIRE(b.run_until([&] { return b.verbs.size() > i; }, 500));
    b.complete(b.verbs[i]);
  }
  b.run(100);
  REQUIRE(b.stats[HostifBench::kCqes] == 8);
  REQUIRE(b.stats[HostifBench::kCqDrop] == 2);
  REQUIRE(b.read(kOverrun) == (1u << 31 | 1));
  REQUIRE(b.verbs.size() == 10 + kCredits);  // credits are not lost with the entries
  b.write(kOverrun, 0);
  REQUIRE(b.read(kOverrun) >> 31 == 0);
  b.doorbell(kCqDb, 1, 3);
  b.flush_writes();
  b.run(2);
  b.complete(b.verbs[10]);
  b.run(50);
  REQUIRE(b.cqe(kCq, 3, 8).index == 10);
  REQUIRE_FALSE(b.cqe(kCq, 3, 8).phase);
}

TEST_CASE("hostif: a queue pair whose queue has no row") {
  HostifBench b;
  b.set_qp(5, kSq, 6, kRq, 6, 3, 200);
  b.put_sqe(kSq, 6, 0, {.len = 8});
  b.doorbell(kSqDb, 5, 1);
  b.run(60);
  b.complete(b.verbs.at(0));
  b.complete(RqCpl{.qpn = 5, .wr_id = id(0)});
  b.run(20);
  REQUIRE(b.stats[HostifBench::kCqDrop] == 2);
  REQUIRE(b.quiet());
}

TEST_CASE("hostif: events") {
  CqBench b;
  const auto receive = [&](bool solicited, unsigned status = kOk) {
    b.complete(RqCpl{.qpn = 5, .wr_id = id(0), .status = status, .solicited = solicited, .len = 5});
    b.run(30);
  };
  // The bench posts receives so that credits exist.
  b.doorbell(kRqDb, 5, 64);
  b.run(100);
  receive(true);
  REQUIRE(b.events.empty());  // not armed
  SECTION("any entry") {
    b.write(kCqArm, 2);
    b.flush_writes();
    b.run(2);
    const auto writes = b.cqe_writes.size();
    receive(false);
    REQUIRE(b.events.size() == 1);
    REQUIRE(b.events[0].second == 2);
    REQUIRE(b.events[0].first == b.cqe_writes.at(writes));  // with its entry, not before
    receive(true);
    REQUIRE(b.events.size() == 1);  // disarmed
  }
  SECTION("solicited only") {
    b.write(kCqArm, 1u << 31 | 2);
    b.flush_writes();
    b.run(2);
    receive(false);
    REQUIRE(b.events.empty());
    receive(true);
    REQUIRE(b.events.size() == 1);
  }
  SECTION("an error is always worth an event") {
    b.write(kCqArm, 1u << 31 | 2);
    b.flush_writes();
    b.run(2);
    receive(false, kFlushed);
    REQUIRE(b.events.size() == 1);
  }
  SECTION("another queue") {
    b.write(kCqArm, 1);
    b.flush_writes();
    b.run(2);
    receive(true);
    REQUIRE(b.events.empty());
  }
}

}  // namespace caravan::tb
