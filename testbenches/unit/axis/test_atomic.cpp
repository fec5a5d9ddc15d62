// SPDX-License-Identifier: Apache-2.0
// axis_atomic and axis_axi_rmux: latency, throughput, atomicity among requesters and requests, operands, errors,
// another reader on the same port.
#include <algorithm>

#include "models/base/rng.hpp"
#include "testbenches/unit/axis/atomic_bench.hpp"

using namespace caravan;
using namespace caravan::support;
using Request = AtomicBench::Request;
using Answer = AtomicBench::Answer;

TEST_CASE("atomic: operations, answers and cycles", "[unit][axis][atomic]") {
  AtomicBench b;
  b.memory.write_u64(0x1038, 41);
  b.memory.write_u64(kHostBase + 0x2000, 7);
  const auto ask = [&](Request r) {
    b.queue[0].push_back(r);
    REQUIRE(b.run());
    return b.answers[0].back();
  };
  REQUIRE(ask({false, 0x1038, false, 1, 0}).original == 41);
  REQUIRE(b.memory.read_u64(0x1038) == 42);
  // Request, AR, 10 of memory, R, AW and W, B, answer
  const std::uint64_t full = b.answers[0].back().cycle - b.asked[0].back();
  REQUIRE(full == 1 + 10 + 1 + 1 + 1);
  REQUIRE(ask({false, 0x1038, false, ~0ull, 0}).original == 42);  // adds modulo 2^64
  REQUIRE(b.memory.read_u64(0x1038) == 41);
  const auto writes = b.hbm.bursts().size();
  REQUIRE(ask({false, 0x1038, true, 99, 40}).original == 41);  // another value: nothing is written
  REQUIRE(b.hbm.bursts().size() == writes);
  REQUIRE(b.answers[0].back().cycle - b.asked[0].back() == full - 2);
  REQUIRE(ask({false, 0x1038, true, 99, 41}).original == 41);
  REQUIRE(b.memory.read_u64(0x1038) == 99);
  REQUIRE(ask({true, 0x2000, true, 1ull << 63, 7}).original == 7);
  REQUIRE(b.memory.read_u64(kHostBase + 0x2000) == 1ull << 63);
  REQUIRE(b.memory.read_u64(0x2000) == 0);
  // Errors: a read that fails writes nothing, a write that fails is told.
  b.hbm_reads.fail(1);
  REQUIRE(ask({false, 0x1038, false, 1, 0}).err);
  REQUIRE(b.memory.read_u64(0x1038) == 99);
  b.hbm.fail(1);
  REQUIRE(ask({false, 0x1038, false, 1, 0}).err);
  REQUIRE(!ask({false, 0x1038, false, 1, 0}).err);
}

TEST_CASE("atomic: requesters are atomic to each other, under all stalls, gated while quiet", "[unit][axis][atomic]") {
  for (Kind gap : StallPattern::kAll) {
    for (Kind stall : StallPattern::kAll) {
      for (bool gated : {false, true}) {
        INFO("gaps " << static_cast<int>(gap) << " stalls " << static_cast<int>(stall) << (gated ? " gated" : ""));
        AtomicBench b(gap, stall, 5, gated);
        const unsigned n = 30;
        for (unsigned i = 0; i < 3; ++i)
          for (unsigned k = 0; k < n; ++k) b.queue[i].push_back({k % 2 != 0, 0x40, false, 1, 0});
        packet::Buffer pattern(4096);
        for (std::size_t k = 0; k < pattern.size(); ++k) pattern[k] = static_cast<std::uint8_t>(k * 7 + k / 64);
        b.memory.write(0x10000, pattern);
        for (unsigned k = 0; k < 20; ++k) b.reads.push({0x10000 + 64 * k, 1 + k % 3, k % 16});
        REQUIRE(b.run());
        for (std::uint64_t base : {std::uint64_t{0}, kHostBase}) REQUIRE(b.memory.read_u64(base + 0x40) == 3 * n / 2);
        // Each saw another value, and each its own in order.
        for (const bool of_host : {false, true}) {
          std::vector<std::uint64_t> seen;
          for (auto& answers : b.answers) {
            const std::size_t first = seen.size();
            for (const Answer& a : answers)
              if (a.host == of_host) seen.push_back(a.original);
            for (std::size_t k = first + 1; k < seen.size(); ++k) REQUIRE(seen[k - 1] < seen[k]);
          }
          std::ranges::sort(seen);
          for (std::size_t k = 0; k < seen.size(); ++k) REQUIRE(seen[k] == k);
        }
        // The other reader got its own, with its ids.
        std::size_t at = 0;
        for (unsigned k = 0; k < 20; ++k) {
          for (unsigned beat = 0; beat < 1 + k % 3; ++beat, ++at) {
            REQUIRE(b.beats.at(at).first == k % 16);
            const auto from = pattern.begin() + 64 * (k + beat);
            REQUIRE(b.beats[at].second == packet::Buffer(from, from + 64));
          }
        }
        REQUIRE(b.beats.size() == at);
      }
    }
  }
}

namespace {
/// One request after the other, as they were taken: what each answer must be. `memory` as before all of them.
void check_in_order(const AtomicBench& b, ref::SparseMemory memory) {
  for (unsigned m = 0; m < 2; ++m) {
    REQUIRE(b.by_memory[m].size() == b.order[m].size());
    for (std::size_t k = 0; k < b.order[m].size(); ++k) {
      const Request& r = b.order[m][k].second;
      const std::uint64_t va = r.addr + (r.host ? kHostBase : 0), old = memory.read_u64(va);
      REQUIRE(!b.by_memory[m][k].err);
      REQUIRE(b.by_memory[m][k].original == old);
      if (!r.cas || old == r.compare) memory.write_u64(va, r.cas ? r.operand : old + r.operand);
    }
  }
  REQUIRE(b.memory.first_difference(memory) == 0);
  REQUIRE(b.memory == memory);
}
}  // namespace

TEST_CASE("atomic: many at a time do what one after the other does, under all stalls, gated while quiet",
          "[unit][axis][atomic]") {
  std::uint64_t seed = 0;
  for (Kind gap : StallPattern::kAll) {
    for (Kind stall : StallPattern::kAll) {
      for (bool gated : {false, true}) {
        INFO("gaps " << static_cast<int>(gap) << " stalls " << static_cast<int>(stall) << (gated ? " gated" : ""));
        AtomicBench b(gap, stall, 7, gated);
        base::Rng rng(++seed, 5);
        b.outstanding = 1 + static_cast<unsigned>(rng.below(20));
        ref::SparseMemory before;
        for (std::uint64_t i = 0; i < 4; ++i) before.write_u64(0x1000 + 8 * i, i % 3);
        for (std::uint64_t i = 0; i < 4; ++i) b.memory.write_u64(0x1000 + 8 * i, i % 3);
        for (unsigned i = 0; i < 3; ++i) {
          for (unsigned k = 0; k < 60; ++k) {
            // Few words: two of one beat, others of other beats. Small values, so that compares hit and miss.
            const std::uint64_t addr = rng.below(3) ? 0x1000 + 8 * rng.below(2) : 0x1000 + 0x40 * rng.below(3);
            b.queue[i].push_back({rng.below(2) != 0, addr, rng.below(2) != 0, rng.below(3), rng.below(3), k / 7});
          }
        }
        REQUIRE(b.run());
        check_in_order(b, before);
      }
    }
  }
}

TEST_CASE("atomic: one a cycle on different words and on one word, as far as the slots reach",
          "[unit][axis][atomic][rate]") {
  for (const bool one_word : {false, true}) {
    for (const unsigned latency : {10u, 12u, 40u}) {
      INFO((one_word ? "one word" : "different words") << ", memory " << latency);
      AtomicBench b(Kind::kNone, Kind::kNone, latency);
      b.outstanding = 64;
      const unsigned n = 100;
      for (unsigned k = 0; k < n; ++k)
        b.queue[0].push_back({false, one_word ? 0x40 : 0x40 * k + 8 * (k % 8), false, 1, 0});
      REQUIRE(b.run());
      const auto& a = b.answers[0];
      REQUIRE(a.size() == n);
      REQUIRE(a[0].cycle == b.asked[0][0] + latency + 4);
      for (unsigned k = 0; k < n; ++k) REQUIRE(a[k].original == (one_word ? k : 0));
      // 16 slots, each in use for latency + 5 cycles. On one word only the first of 64 reads memory, the others come
      // behind it one a cycle; the 65th is taken when the 64th is answered.
      if (one_word)
        for (unsigned k = 0; k < n; ++k) REQUIRE(a[k].cycle == a[0].cycle + k % 64 + k / 64 * (63 + latency + 4));
      else if (latency + 5 <= 16)
        for (unsigned k = 0; k < n; ++k) REQUIRE(a[k].cycle == a[0].cycle + k);
      else
        for (unsigned k = 16; k < n; ++k) REQUIRE(a[k].cycle == a[k - 16].cycle + latency + 5);
      REQUIRE(b.hbm_reads.reads() == (one_word ? 2 : n));
    }
  }
}

TEST_CASE("atomic: a request that took the result of a failed one fails with it, others don't",
          "[unit][axis][atomic]") {
  for (const bool write : {false, true}) {
    AtomicBench b(Kind::kNone, Kind::kNone, 20);
    b.outstanding = 16;
    b.memory.break_range(0x40, 64, write ? ref::Broken::kWrites : ref::Broken::kReads);
    for (unsigned k = 0; k < 12; ++k) b.queue[0].push_back({false, k % 3 ? 0x100u : 0x40u, false, 1, 0});
    REQUIRE(b.run());
    unsigned good = 0;
    for (unsigned k = 0; k < 12; ++k) {
      REQUIRE(b.answers[0][k].err == (k % 3 == 0));
      if (k % 3) REQUIRE(b.answers[0][k].original == good++);
    }
    REQUIRE(b.memory.read_u64(0x40) == 0);
    REQUIRE(b.memory.read_u64(0x100) == 8);
    b.memory.repair();
    b.queue[0].push_back({false, 0x40, false, 5, 0});
    REQUIRE(b.run());
    REQUIRE((!b.answers[0].back().err && b.answers[0].back().original == 0));
  }
  // Only the first write of four fails: what came behind it had built on it.
  AtomicBench b(Kind::kNone, Kind::kNone, 20);
  b.outstanding = 16;
  b.hbm.fail(1);
  for (unsigned k = 0; k < 4; ++k) b.queue[0].push_back({false, 0x40, false, 1, 0});
  REQUIRE(b.run());
  for (const Answer& a : b.answers[0]) REQUIRE(a.err);
}

TEST_CASE("atomic: what is written by other ways is seen by a request of a new epoch, and by others before long",
          "[unit][axis][atomic]") {
  AtomicBench b(Kind::kNone, Kind::kNone, 20);
  b.outstanding = 64;
  // Locked by somebody; many spin on it.
  b.memory.write_u64(0x40, 1);
  for (unsigned k = 0; k < 300; ++k) b.queue[0].push_back({false, 0x40, true, 1, 0});
  REQUIRE(b.dut.run_until([&] { return b.asked[0].size() == 40; }, 1000));
  b.memory.write_u64(0x40, 0);  // released
  REQUIRE(b.run());
  // One of them gets it, at most 64 later, and one only.
  std::vector<std::size_t> got;
  for (std::size_t k = 0; k < 300; ++k)
    if (b.answers[0][k].original == 0) got.push_back(k);
  REQUIRE(got.size() == 1);
  REQUIRE(got[0] <= 40 + 64);

  // The requester itself releases it, and says so.
  AtomicBench c(Kind::kNone, Kind::kNone, 20);
  c.outstanding = 64;
  c.memory.write_u64(0x40, 1);
  for (unsigned k = 0; k < 10; ++k) c.queue[0].push_back({false, 0x40, true, 1, 0, 5});
  REQUIRE(c.dut.run_until([&] { return c.asked[0].size() == 10; }, 1000));
  REQUIRE(c.dut.run_until([&] { return c.hbm_reads.idle(); }, 1000));  // memory was read before the release
  c.memory.write_u64(0x40, 0);
  c.queue[0].push_back({false, 0x40, true, 1, 0, 6});
  REQUIRE(c.run());
  for (unsigned k = 0; k < 10; ++k) REQUIRE(c.answers[0][k].original == 1);
  REQUIRE(c.answers[0][10].original == 0);
}
