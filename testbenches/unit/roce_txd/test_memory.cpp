// SPDX-License-Identifier: Apache-2.0
// Reads of payload: bursts, order over two memories, errors, how much is asked for ahead.
#include <catch2/catch_test_macros.hpp>

#include "path_bench.hpp"

using namespace caravan;
using namespace caravan::txd;
using packet::Opcode;

TEST_CASE("roce_tx_path splits reads at 4 KiB and asks for nothing that it does not need", "[unit][roce_txd]") {
  PathBench bench;
  struct Case {
    std::uint64_t addr;
    unsigned len;
    std::vector<std::pair<std::uint64_t, unsigned>> bursts;
  };
  const Case cases[] = {
      {0x10000, 4096, {{0x10000, 64}}},
      {0x10001, 4096, {{0x10000, 64}, {0x11000, 1}}},
      {0x10FFF, 2, {{0x10FC0, 1}, {0x11000, 1}}},
      {0x10FC0, 64, {{0x10FC0, 1}}},
      {0x1003F, 1, {{0x10000, 1}}},
      {0x1003F, 2, {{0x10000, 2}}},
      {0x10FBF, 66, {{0x10F80, 2}, {0x11000, 1}}},
  };
  std::vector<std::pair<std::uint64_t, unsigned>> want;
  std::vector<packet::Buffer> frames;
  for (const auto& c : cases) {
    Job job{.src = kSrcHbm, .addr = c.addr};
    const auto payload = payload_of(1, c.len);
    place(bench, job, payload);
    bench.new_jobs.push(job);
    bench.run_frames(frames.size() + 1, 1000);
    frames.push_back(expected(job, payload));
    want.insert(want.end(), c.bursts.begin(), c.bursts.end());
  }
  REQUIRE(same_frames(bench, frames));
  REQUIRE(bench.hbm.read_log.size() == want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    REQUIRE(bench.hbm.read_log[i].addr == want[i].first);
    REQUIRE(bench.hbm.read_log[i].beats == want[i].second);
  }
}

TEST_CASE("roce_tx_path keeps the order of jobs when the later memory is faster", "[unit][roce_txd]") {
  PathBench bench;
  bench.host.timing.read_latency = 200;
  std::vector<packet::Buffer> want;
  for (unsigned i = 0; i < 20; ++i) {
    Job job{.psn = i,
            .src = i % 3 == 0   ? kSrcHost
                   : i % 3 == 1 ? kSrcHbm
                                : kSrcInline,
            .addr = 0x20000 + i * 0x2000 + i};
    const auto payload = payload_of(i, i % 3 == 2 ? 33 : 700 + i);
    place(bench, job, payload);
    bench.new_jobs.push(job);
    want.push_back(expected(job, payload));
  }
  REQUIRE(bench.run_frames(want.size(), 6000));
  REQUIRE(same_frames(bench, want));
}

TEST_CASE("roce_tx_path drops a packet whose payload could not be read", "[unit][roce_txd]") {
  PathBench bench;
  std::vector<packet::Buffer> want;
  // Each third packet touches a bad page: with its only burst, its first, or its second.
  for (unsigned i = 0; i < 27; ++i) {
    const std::uint64_t page = 0x100 + i * 4;
    Job job{.psn = i, .src = i % 2 ? kSrcHost : kSrcHbm, .addr = (page << 12) + 0xF00 + i};
    const unsigned len = i % 9 == 0 ? 64 : 900;
    const auto payload = payload_of(i, len);
    place(bench, job, payload);
    if (i % 3 == 0) (i % 2 ? bench.host : bench.hbm).bad_reads.insert(page + (i % 9 == 6 ? 1 : 0));
    bench.new_jobs.push(job);
    if (i % 3 != 0) want.push_back(expected(job, payload));
  }
  REQUIRE(bench.run_frames(want.size(), 6000));
  REQUIRE(bench.run_quiet(1000));
  REQUIRE(same_frames(bench, want));
  REQUIRE(bench.counts.mem_err == 9);
  REQUIRE(bench.counts.pkts == 18);
}

TEST_CASE("roce_tx_path gives the payload buffer back after dropped packets", "[unit][roce_txd]") {
  PathBench bench;
  bench.hbm.bad_reads.insert(0x100);
  // 40 dropped packets of 64 beats would use up the buffer's 512 beats five times over.
  for (unsigned i = 0; i < 40; ++i) bench.new_jobs.push(Job{.psn = i, .len = 4096, .src = kSrcHbm, .addr = 0x100000});
  Job job{.src = kSrcHbm, .addr = 0x200000};
  const auto payload = payload_of(5, 4096);
  place(bench, job, payload);
  for (unsigned i = 0; i < 8; ++i) bench.new_jobs.push(job);
  REQUIRE(bench.run_frames(8, 6000));
  REQUIRE(bench.counts.mem_err == 40);
  REQUIRE(bench.frames.back() == expected(job, payload));
}

TEST_CASE("roce_tx_path asks for at least 8 KiB ahead and for no more than it can keep", "[unit][roce_txd]") {
  PathBench bench(support::StallPattern::Kind::kNone, support::StallPattern::Kind::kNone, {.read_latency = 2000});
  for (unsigned i = 0; i < 20; ++i) bench.new_jobs.push(Job{.psn = i, .len = 4096, .src = kSrcHbm, .addr = 0x100000});
  bench.idle(1000);
  REQUIRE(bench.hbm.most_beats_open == 512);
  REQUIRE(bench.hbm.read_log.size() == 8);
  REQUIRE(bench.dut->new_job_ready_o == 0);
}
