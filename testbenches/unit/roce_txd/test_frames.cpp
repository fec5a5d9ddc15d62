// SPDX-License-Identifier: Apache-2.0
// Every byte of every frame, against the packet model.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "path_bench.hpp"

using namespace caravan;
using namespace caravan::txd;
using packet::Opcode;
using support::StallPattern;

namespace {
constexpr Opcode kSendable[] = {
    Opcode::kSendFirst,    Opcode::kSendMiddle,    Opcode::kSendLast,       Opcode::kSendLastImm,
    Opcode::kSendOnly,     Opcode::kSendOnlyImm,   Opcode::kWriteFirst,     Opcode::kWriteMiddle,
    Opcode::kWriteLast,    Opcode::kWriteLastImm,  Opcode::kWriteOnly,      Opcode::kWriteOnlyImm,
    Opcode::kReadRequest,  Opcode::kReadRespFirst, Opcode::kReadRespMiddle, Opcode::kReadRespLast,
    Opcode::kReadRespOnly, Opcode::kAck,           Opcode::kAtomicAck,      Opcode::kCompareSwap,
    Opcode::kFetchAdd,     Opcode::kUdSendOnly,    Opcode::kUdSendOnlyImm,  Opcode::kCnp};
/// Opcodes whose packets are headers only.
bool bare(Opcode op) { return op == Opcode::kCnp || !packet::traits(op).has_payload; }

Job random_job(base::Rng& rng) {
  Job job;
  job.opcode = kSendable[rng.below(std::size(kSendable))];
  job.ackreq = rng.chance(0.5);
  job.solicited = rng.chance(0.5);
  job.imm = static_cast<std::uint32_t>(rng.next());
  job.original = rng.next();
  job.atomic = {
      .va = rng.next(), .rkey = static_cast<std::uint32_t>(rng.next()), .swap_add = rng.next(), .compare = rng.next()};
  job.deth = {.qkey = static_cast<std::uint32_t>(rng.next()), .src_qp = static_cast<std::uint32_t>(rng.below(1 << 24))};
  job.dest_qpn = static_cast<std::uint32_t>(rng.below(1 << 24));
  job.psn = static_cast<std::uint32_t>(rng.below(1 << 24));
  job.sport = static_cast<std::uint16_t>(rng.below(1 << 16));
  job.reth = {.va = rng.next(),
              .rkey = static_cast<std::uint32_t>(rng.next()),
              .dma_length = static_cast<std::uint32_t>(rng.next())};
  // Not 0x63: an acknowledge with it makes its QP silent (test_fail.cpp).
  job.aeth = {.syndrome = static_cast<std::uint8_t>(rng.below(0x63)),
              .msn = static_cast<std::uint32_t>(rng.below(1 << 24))};
  return job;
}

/// Queues jobs with their payload and remembers what must come out.
struct Feeder {
  PathBench& bench;
  std::vector<packet::Buffer> want;
  std::uint64_t next_page = 16;
  void add(Job job, unsigned len, unsigned offset = 0) {
    if (bare(job.opcode)) len = 0, job.src = kSrcNone;
    job.addr = (next_page << 12) + offset;
    next_page += 2;
    const auto payload = payload_of(want.size() + 1, len);
    place(bench, job, payload);
    bench.new_jobs.push(job);
    want.push_back(expected(job, payload));
  }
  void check(std::uint64_t limit) {
    REQUIRE(bench.run_frames(want.size(), limit));
    REQUIRE(bench.gaps == 0);
    REQUIRE(bench.dirty == 0);
    REQUIRE(bench.run_quiet(2000));
    REQUIRE(same_frames(bench, want));
  }
};
}  // namespace

TEST_CASE("roce_tx_path builds every opcode with every inline length", "[unit][roce_txd]") {
  PathBench bench;
  Feeder feed{bench, {}};
  base::Rng rng(7);
  for (const Opcode opcode : kSendable)
    for (unsigned len = 0; len <= 64; ++len) {
      Job job = random_job(rng);
      job.opcode = opcode;
      job.src = len == 0 ? kSrcNone : kSrcInline;
      feed.add(job, len);
    }
  feed.check(20000);
  REQUIRE(bench.counts.pkts + bench.counts.acks + bench.counts.rsp + bench.counts.cnps == feed.want.size());
  REQUIRE(bench.counts.rsp == 5 * 65);
  REQUIRE(bench.counts.cnps == 65);
  REQUIRE(bench.counts.acks == 65);
}

TEST_CASE("roce_tx_path reads payload of every length class at every alignment", "[unit][roce_txd]") {
  const unsigned src = GENERATE(kSrcHbm, kSrcHost);
  PathBench bench;
  Feeder feed{bench, {}};
  base::Rng rng(8);
  for (unsigned offset = 0; offset < 64; ++offset)
    for (const unsigned len : {1u, 64u - offset, 65u - offset, 64u, 127u, 128u + offset, 250u}) {
      Job job = random_job(rng);
      job.src = src;
      feed.add(job, len, offset);
    }
  feed.check(20000);
}

TEST_CASE("roce_tx_path builds every payload residue, up to 4096 bytes", "[unit][roce_txd]") {
  PathBench bench;
  Feeder feed{bench, {}};
  base::Rng rng(9);
  const auto add = [&](Opcode opcode, unsigned len) {
    Job job = random_job(rng);
    job.opcode = opcode;
    job.src = len == 0 ? kSrcNone : kSrcHbm;
    feed.add(job, len, static_cast<unsigned>(rng.below(4096)));  // anywhere in a page: also reads that cross one
  };
  for (unsigned len = 65; len <= 200; ++len)
    for (const Opcode opcode : {Opcode::kWriteOnly, Opcode::kWriteMiddle, Opcode::kReadRespOnly}) add(opcode, len);
  for (unsigned len = 4096 - 66; len <= 4096; ++len) add(Opcode::kWriteFirst, len);
  for (unsigned len = 4096 - 8; len <= 4096; ++len) add(Opcode::kWriteLast, len), add(Opcode::kReadRespLast, len);
  feed.check(40000);
}

TEST_CASE("roce_tx_path keeps headers and payload together under every stall pattern", "[unit][roce_txd]") {
  const auto gap = GENERATE(from_range(std::begin(StallPattern::kAll), std::end(StallPattern::kAll)));
  const auto stall = GENERATE(from_range(std::begin(StallPattern::kAll), std::end(StallPattern::kAll)));
  const auto memory = GENERATE(StallPattern::Kind::kNone, StallPattern::Kind::kRandom, StallPattern::Kind::kBursts);
  PathBench bench(gap, stall, {.read_latency = 17, .write_latency = 9, .stall = memory});
  Feeder feed{bench, {}};
  base::Rng rng(static_cast<std::uint64_t>(gap) * 100 + static_cast<std::uint64_t>(stall) * 10 +
                static_cast<std::uint64_t>(memory));
  for (unsigned i = 0; i < 60; ++i) {
    Job job = random_job(rng);
    const unsigned kind = static_cast<unsigned>(rng.below(4));
    job.src = kind;
    job.ring_we = rng.chance(0.5);
    job.ring_addr = kRing + (static_cast<std::uint64_t>(i) << 12);
    const unsigned len = kind == kSrcNone     ? 0
                         : kind == kSrcInline ? static_cast<unsigned>(1 + rng.below(64))
                         : rng.chance(0.2)    ? static_cast<unsigned>(1 + rng.below(4096))
                                              : static_cast<unsigned>(1 + rng.below(300));
    feed.add(job, len, static_cast<unsigned>(rng.below(4096)));
  }
  feed.check(60000);
  for (const auto& burst : bench.hbm.write_log) REQUIRE(burst.addr % 4096 == 0);
}

TEST_CASE("roce_tx_path drops a packet without neighbour, with its payload, and goes on", "[unit][roce_txd]") {
  PathBench bench;
  Feeder feed{bench, {}};
  std::vector<packet::Buffer> want;
  base::Rng rng(11);
  for (unsigned i = 0; i < 24; ++i) {
    Job job = random_job(rng);
    job.opcode = Opcode::kWriteOnly;
    const bool known = i % 3 != 0;
    job.neigh = known ? kNeigh : static_cast<std::uint8_t>(kNeigh + 1);
    const unsigned len = (i / 3 % 3 == 0) ? 0 : (i / 3 % 3 == 1) ? 40 : 500;
    job.src = len == 0 ? kSrcNone : len <= 64 ? kSrcInline : kSrcHbm;
    feed.add(job, len, 5);
    if (known) want.push_back(feed.want.back());
  }
  feed.want = want;
  feed.check(5000);
  REQUIRE(bench.counts.drop_neigh == 8);
  REQUIRE(bench.counts.pkts == 16);
}

TEST_CASE("roce_tx_path drops jobs that have no frame and goes on", "[unit][roce_txd]") {
  PathBench bench;
  Feeder feed{bench, {}};
  unsigned bad = 0;
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    if (std::find(std::begin(kSendable), std::end(kSendable), static_cast<Opcode>(opcode)) != std::end(kSendable))
      continue;
    bench.new_jobs.push(Job{.opcode = static_cast<Opcode>(opcode), .len = 8, .src = kSrcInline, .ring_we = true});
    ++bad;
  }
  bench.new_jobs.push(Job{.len = 65, .src = kSrcInline});
  bench.new_jobs.push(Job{.len = 4097, .src = kSrcHbm});
  bench.new_jobs.push(Job{.len = 1, .src = kSrcNone});
  feed.add(Job{.src = kSrcInline}, 8);
  feed.check(2000);
  REQUIRE(bench.counts.bad_verb == bad + 3);
  REQUIRE(bench.hbm.read_log.empty());
  REQUIRE(bench.hbm.write_log.empty());
}
