// SPDX-License-Identifier: Apache-2.0
// Random traffic of all queue pairs: posts equal completions, order holds per queue pair, and a clock that is held low
// while quiet_o changes nothing.
#include <catch2/catch_test_macros.hpp>

#include <set>

#include "hostif_bench.hpp"
#include "testbenches/support/stalls.hpp"

namespace caravan::tb {
namespace {

constexpr unsigned kQps = 16, kLog2 = 4, kPerQp = 120;
constexpr std::uint64_t sq_of(unsigned q) { return 0x10000 + 0x2000ull * q; }
constexpr std::uint64_t cq_of(unsigned c) { return 0x80000 + 0x10000ull * c; }
constexpr unsigned kCqLog2 = 10;

struct Run {
  std::vector<Verb> verbs;
  std::vector<std::uint64_t> cqe_writes;
  std::array<std::uint64_t, 12> stats{};
  std::uint64_t digest = 0, gated = 0;
};

Run run(std::uint64_t seed, bool gate, StallPattern::Kind stall) {
  HostifBench b({stall, stall, stall}, base::Bytes::mib(2));
  base::Rng rng(seed, 1);
  for (unsigned c = 0; c < 2; ++c) b.set_cq(c, cq_of(c), kCqLog2);
  for (unsigned q = 0; q < kQps; ++q) b.set_qp(q, sq_of(q), kLog2, 0x60000, kLog2, q % 2, q % 2);
  if (gate) b.bench.gate([&] { return b.quiet(); });
  std::array<unsigned, kQps> posted{}, completed{};
  std::array<std::deque<Verb>, kQps> open;
  std::size_t taken = 0;
  unsigned total = 0;
  for (std::uint64_t cycle = 0; total < kQps * kPerQp; ++cycle) {
    REQUIRE(cycle < 400000);
    if (rng.chance(0.05)) {
      const unsigned q = static_cast<unsigned>(rng.below(kQps));
      const unsigned room = std::min((1u << kLog2) - (posted[q] - completed[q]), kPerQp - posted[q]);
      const unsigned n = static_cast<unsigned>(rng.below(room + 1));
      for (unsigned i = 0; i < n; ++i)
        b.put_sqe(sq_of(q), kLog2, posted[q] + i, {.signaled = rng.chance(0.5), .len = 64});
      posted[q] += n;
      if (n > 0) b.doorbell(kSqDb, q, posted[q]);
    }
    b.run(1 + (rng.chance(0.02) ? 300 : 0));
    while (taken < b.verbs.size()) {
      const Verb& v = b.verbs[taken++];
      REQUIRE(v.index() == completed[v.qpn] + open[v.qpn].size());
      open[v.qpn].push_back(v);
      REQUIRE(open[v.qpn].size() <= kCredits);
    }
    const unsigned q = static_cast<unsigned>(rng.below(kQps));
    if (!open[q].empty() && rng.chance(0.5)) {
      b.complete(open[q].front(), rng.chance(0.1) ? kRemoteAccess : kOk);
      open[q].pop_front();
      ++completed[q];
      ++total;
    }
  }
  REQUIRE(b.run_until([&] { return b.completions_taken(); }, 5000));
  b.run(300);
  REQUIRE(b.quiet());
  Run r;
  r.verbs = b.verbs;
  r.cqe_writes = b.cqe_writes;
  r.stats = b.stats;
  r.digest = b.memory.digest();
  r.gated = b.bench.gated();
  REQUIRE(r.verbs.size() == kQps * kPerQp);
  REQUIRE(r.stats[HostifBench::kCqes] + r.stats[HostifBench::kQuietCpls] == kQps * kPerQp);
  REQUIRE(r.stats[HostifBench::kCqDrop] == 0);
  return r;
}

}  // namespace

TEST_CASE("hostif: random traffic, and holding the clock while quiet is exact") {
  const auto stall = CARAVAN_EVERY_STALL();
  const Run full = run(7, false, stall), gated = run(7, true, stall);
  REQUIRE(gated.gated > 1000);
  REQUIRE(full.cqe_writes == gated.cqe_writes);
  REQUIRE(full.stats == gated.stats);
  REQUIRE(full.digest == gated.digest);
  for (std::size_t i = 0; i < full.verbs.size(); ++i) {
    REQUIRE(full.verbs[i].cycle == gated.verbs[i].cycle);
    REQUIRE(full.verbs[i].wr_id == gated.verbs[i].wr_id);
  }
}

}  // namespace caravan::tb
