// SPDX-License-Identifier: Apache-2.0
// The retransmission ring: what is written, when it may be read, and what happens when a write went wrong.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "path_bench.hpp"

using namespace caravan;
using namespace caravan::txd;
using support::StallPattern;

namespace {
packet::Buffer slot(PathBench& bench, std::uint64_t addr, unsigned len) {
  packet::Buffer b(len);
  for (unsigned i = 0; i < len; ++i) b[i] = bench.hbm.byte(addr + i);
  return b;
}
Job retransmission(const Job& first) {
  Job job = first;
  job.src = kSrcHbm;
  job.addr = first.ring_addr;
  job.ring_we = false;
  job.ring_rd = true;
  return job;
}
/// A first transmission of `len` bytes from `src`, into slot `n` of the ring.
Job first_job(PathBench& bench, unsigned src, unsigned n, unsigned len, std::uint64_t seed) {
  Job job{.psn = n,
          .src = src,
          .addr = 0x800000 + 0x2000ull * n + 7,
          .ring_we = true,
          .ring_addr = kRing + (std::uint64_t{n} << 12)};
  place(bench, job, payload_of(seed, len));
  return job;
}
}  // namespace

TEST_CASE("the ring holds each payload at the start of its slot, and nothing behind it", "[unit][roce_txd]") {
  const auto stall = GENERATE(from_range(std::begin(StallPattern::kAll), std::end(StallPattern::kAll)));
  PathBench bench(StallPattern::Kind::kNone, StallPattern::Kind::kNone, {.stall = stall});
  const unsigned lengths[] = {1, 63, 64, 65, 128, 1000, 4095, 4096};
  unsigned n = 0;
  std::vector<std::pair<unsigned, unsigned>> slots;  // number, length
  for (const unsigned src : {kSrcInline, kSrcHbm, kSrcHost})
    for (const unsigned len : lengths) {
      if (src == kSrcInline && len > 64) continue;
      bench.new_jobs.push(first_job(bench, src, n, len, n + 1));
      slots.emplace_back(n++, len);
    }
  REQUIRE(bench.run_frames(slots.size(), 20000));
  REQUIRE(bench.run_quiet(8000));
  REQUIRE(bench.hbm.write_log.size() == slots.size());
  for (const auto& [number, len] : slots) {
    const std::uint64_t addr = kRing + (std::uint64_t{number} << 12);
    REQUIRE(slot(bench, addr, len) == payload_of(number + 1, len));
    if (len < 4096) REQUIRE(bench.hbm.byte(addr + len) == 0);
    REQUIRE(bench.hbm.write_log[number].beats == (len + 63) / 64);
  }
}

TEST_CASE("a packet without payload writes nothing into the ring", "[unit][roce_txd]") {
  PathBench bench;
  bench.new_jobs.push(Job{.ring_we = true});
  Job again{.ring_rd = true};
  bench.retry_jobs.push(again);
  REQUIRE(bench.run_frames(2, 200));
  REQUIRE(bench.run_quiet(200));
  REQUIRE(bench.hbm.write_log.empty());
  REQUIRE(bench.counts.pkts == 1);
  REQUIRE(bench.counts.retrans == 1);
}

TEST_CASE("a retransmission is read only after every ring write before it has its response", "[unit][roce_txd]") {
  PathBench bench;
  bench.hbm.timing.write_latency = 150;
  std::vector<packet::Buffer> want;
  Job last;
  for (unsigned n = 0; n < 3; ++n) {
    last = first_job(bench, n == 1 ? kSrcHbm : kSrcInline, n, 64, n + 1);
    bench.new_jobs.push(last);
    want.push_back(expected(last, payload_of(n + 1, 64)));
  }
  REQUIRE(bench.dut.run_until([&] { return bench.new_jobs.empty(); }, 50));
  bench.retry_jobs.push(retransmission(last));
  want.push_back(expected(last, payload_of(3, 64)));
  REQUIRE(bench.run_frames(4, 1000));
  REQUIRE(same_frames(bench, want));
  REQUIRE(bench.hbm.b_log.size() == 3);
  // One read of the payload of packet 1, then the ring: its address leaves in the second cycle after the last response.
  REQUIRE(bench.hbm.read_log.size() == 2);
  REQUIRE(bench.hbm.read_log[1].addr == last.ring_addr);
  REQUIRE(bench.hbm.read_log[1].at == bench.hbm.b_log.back() + 2);
}

TEST_CASE("a slot that is written again is sent again with its newest payload", "[unit][roce_txd]") {
  PathBench bench;
  bench.hbm.timing.write_latency = 60;
  for (unsigned round = 0; round < 10; ++round) {
    const unsigned len = 30 + 61 * round;
    const auto job = first_job(bench, len > 64 ? kSrcHost : kSrcInline, 5, len, 50 + round);
    bench.new_jobs.push(job);
    bench.dut.run_until([&] { return bench.new_jobs.empty(); }, 500);
    bench.retry_jobs.push(retransmission(job));
    REQUIRE(bench.run_frames(2 * round + 2, 2000));
    REQUIRE(bench.frames[2 * round] == expected(job, payload_of(50 + round, len)));
    REQUIRE(bench.frames[2 * round + 1] == bench.frames[2 * round]);
  }
  REQUIRE(bench.counts.retrans == 10);
}

TEST_CASE("a slot whose payload could not be read or written is never sent, until it is written again",
          "[unit][roce_txd]") {
  const bool write_fails = GENERATE(false, true);
  PathBench bench;
  // The slot holds an older packet.
  const auto old_job = first_job(bench, kSrcInline, 3, 64, 1);
  bench.new_jobs.push(old_job);
  REQUIRE(bench.run_frames(1, 200));
  REQUIRE(bench.run_quiet(200));

  const auto lost = first_job(bench, kSrcHbm, 3, 200, 2);
  if (write_fails)
    bench.hbm.bad_writes.insert(lost.ring_addr >> 12);
  else
    bench.hbm.bad_reads.insert(lost.addr >> 12);
  bench.new_jobs.push(lost);
  REQUIRE(bench.run_quiet(400));
  REQUIRE(bench.counts.mem_err == 1);
  const std::size_t sent = write_fails ? 2 : 1;  // a failed write of the ring does not touch the frame itself
  REQUIRE(bench.frames.size() == sent);

  bench.retry_jobs.push(retransmission(lost));
  bench.retry_jobs.push(retransmission(lost));
  REQUIRE(bench.run_quiet(400));
  REQUIRE(bench.frames.size() == sent);
  REQUIRE(bench.counts.mem_err == 3);

  // A neighbour slot is not affected, and the next packet of this slot heals it.
  bench.hbm.bad_writes.clear();
  const auto other = first_job(bench, kSrcInline, 4, 64, 3), healed = first_job(bench, kSrcInline, 3, 50, 4);
  for (const auto& job : {other, healed}) bench.new_jobs.push(job);
  REQUIRE(bench.run_frames(sent + 2, 400));
  bench.retry_jobs.push(retransmission(other));
  bench.retry_jobs.push(retransmission(healed));
  REQUIRE(bench.run_frames(sent + 4, 400));
  REQUIRE(bench.frames[sent + 2] == expected(other, payload_of(3, 64)));
  REQUIRE(bench.frames[sent + 3] == expected(healed, payload_of(4, 50)));
  REQUIRE(bench.counts.mem_err == 3);
}

TEST_CASE("slow ring writes hold the sender back but lose nothing", "[unit][roce_txd]") {
  PathBench bench;
  bench.hbm.w_stall = StallPattern(StallPattern::Kind::kMostly, 9);
  std::vector<packet::Buffer> want;
  for (unsigned n = 0; n < 12; ++n) {
    const auto job = first_job(bench, kSrcHbm, n, 4096, n + 1);
    bench.new_jobs.push(job);
    want.push_back(expected(job, payload_of(n + 1, 4096)));
  }
  REQUIRE(bench.run_frames(12, 20000));
  REQUIRE(same_frames(bench, want));
  REQUIRE(bench.gaps == 0);
  REQUIRE(bench.run_quiet(20000));
  for (unsigned n = 0; n < 12; ++n)
    REQUIRE(slot(bench, kRing + (std::uint64_t{n} << 12), 4096) == payload_of(n + 1, 4096));
}

TEST_CASE("at most 64 ring writes are on the way", "[unit][roce_txd]") {
  PathBench bench;
  bench.hbm.timing.write_latency = 100000;
  for (unsigned n = 0; n < 100; ++n) bench.new_jobs.push(first_job(bench, kSrcInline, n, 8, n));
  bench.idle(1000);
  REQUIRE(bench.frames.size() == 64);
  bench.hbm.timing.write_latency = 5;
  REQUIRE(bench.run_frames(100, 1000));
}
