// SPDX-License-Identifier: Apache-2.0
// Exact latency, throughput and priorities of the send data path.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "path_bench.hpp"

using namespace caravan;
using namespace caravan::txd;
using packet::Opcode;
using support::StallPattern;

TEST_CASE("the first beat of an inline or empty packet stands at the MAC 8 cycles after its job", "[unit][roce_txd]") {
  PathBench bench;
  Job job{.src = kSrcInline};
  const unsigned len = GENERATE(0u, 8u, 64u);
  job.src = len == 0 ? kSrcNone : kSrcInline;
  place(bench, job, payload_of(1, len));
  bench.idle(5);
  bench.new_jobs.push(job);
  REQUIRE(bench.run_frames(1, 50));
  REQUIRE(bench.first_valid_at == bench.new_jobs.sent_at().at(0) + 8);
  REQUIRE(bench.first_at.at(0) == bench.first_valid_at);
}

TEST_CASE("a one-beat payload from HBM adds the memory's latency and 2 cycles", "[unit][roce_txd]") {
  PathBench bench;
  bench.hbm.timing.read_latency = 30;
  Job job{.src = kSrcHbm, .addr = 0x1000};
  place(bench, job, payload_of(1, 64));
  bench.new_jobs.push(job);
  REQUIRE(bench.run_frames(1, 100));
  REQUIRE(bench.first_valid_at == bench.new_jobs.sent_at().at(0) + 8 + 30 + 2);
}

TEST_CASE("64-byte WRITEs leave one in 3 cycles, with and without the ring", "[unit][roce_txd]") {
  const bool ring = GENERATE(false, true);
  PathBench bench(StallPattern::Kind::kNone, StallPattern::Kind::kNone, {.write_latency = 60});
  for (unsigned i = 0; i < 200; ++i) {
    Job job{.psn = i, .src = kSrcInline, .ring_we = ring, .ring_addr = kRing + (std::uint64_t{i % 256} << 12)};
    place(bench, job, payload_of(i, 64));
    bench.new_jobs.push(job);
  }
  REQUIRE(bench.run_frames(200, 2000));
  REQUIRE(bench.last_at.back() - bench.first_at.front() + 1 == 3 * 200);
}

TEST_CASE("64-byte WRITEs from HBM leave one in 3 cycles at a latency of 60 cycles", "[unit][roce_txd]") {
  PathBench bench(StallPattern::Kind::kNone, StallPattern::Kind::kNone, {.read_latency = 60});
  for (unsigned i = 0; i < 200; ++i)
    bench.new_jobs.push(Job{.psn = i, .len = 64, .src = kSrcHbm, .addr = 0x10000 + i * 61ull});
  REQUIRE(bench.run_frames(200, 2000));
  REQUIRE(bench.last_at.back() - bench.first_at.front() + 1 == 3 * 200);
}

TEST_CASE("4 KiB packets leave back to back at a latency of 60 cycles", "[unit][roce_txd]") {
  const unsigned src = GENERATE(kSrcHbm, kSrcHost);
  const unsigned offset = GENERATE(0u, 17u);
  const bool ring = GENERATE(false, true);
  PathBench bench(StallPattern::Kind::kNone, StallPattern::Kind::kNone, {.read_latency = 60, .write_latency = 60});
  constexpr unsigned kPackets = 40;
  for (unsigned i = 0; i < kPackets; ++i)
    bench.new_jobs.push(Job{.opcode = i % 16 == 0    ? Opcode::kWriteFirst
                                      : i % 16 == 15 ? Opcode::kWriteLast
                                                     : Opcode::kWriteMiddle,
                            .psn = i,
                            .len = 4096,
                            .src = src,
                            .addr = 0x100000 + i * 4096ull + offset,
                            .ring_we = ring,
                            .ring_addr = kRing + (std::uint64_t{i % 16} << 12)});
  REQUIRE(bench.run_frames(kPackets, 6000));
  const std::uint64_t cycles = bench.last_at.back() - bench.first_at.front() + 1;
  INFO(bench.beats << " beats in " << cycles << " cycles");
  REQUIRE(bench.beats * 100 >= cycles * 99);
  REQUIRE(bench.gaps == 0);
}

TEST_CASE("an acknowledge passes packets that wait for memory", "[unit][roce_txd]") {
  PathBench bench;
  bench.hbm.timing.read_latency = 300;
  bench.configure({.qpn = 3, .state = kQpRts, .dest_qpn = 0x77, .neigh = kNeigh, .sport = 0xC003});
  bench.new_jobs.push(Job{.len = 4096, .src = kSrcHbm, .addr = 0x10000});
  bench.idle(10);
  bench.acks.push({.qpn = 3, .psn = 9, .syndrome = 0x1F, .msn = 4});
  REQUIRE(bench.run_frames(1, 40));
  Job ack{.opcode = Opcode::kAck, .dest_qpn = 0x77, .psn = 9, .sport = 0xC003, .aeth = {.syndrome = 0x1F, .msn = 4}};
  REQUIRE(bench.frames[0] == expected(ack, {}));
  // 4 cycles in the queue, 6 from there to the MAC.
  REQUIRE(bench.first_at[0] == bench.acks.sent_at().at(0) + 10);
  REQUIRE(bench.counts.acks == 1);
  REQUIRE(bench.run_frames(2, 600));
}

TEST_CASE("retransmissions go before new packets, acknowledges before both", "[unit][roce_txd]") {
  PathBench bench;
  bench.configure({.qpn = 3, .state = kQpRts, .dest_qpn = 0x77, .neigh = kNeigh, .sport = 0xC003});
  for (unsigned i = 0; i < 40; ++i) {
    Job job{.psn = i, .src = kSrcInline};
    place(bench, job, payload_of(1, 64));
    bench.new_jobs.push(job);
    job.psn = 100 + i;
    bench.retry_jobs.push(job);
  }
  REQUIRE(bench.run_frames(10, 200));
  bench.acks.push({.qpn = 3, .psn = 9});
  REQUIRE(bench.run_frames(81, 1000));
  std::vector<std::uint32_t> order;
  std::size_t ack_at = 0;
  for (std::size_t i = 0; i < bench.frames.size(); ++i) {
    const auto p = packet::parse(bench.frames[i]);
    REQUIRE(p.is_roce());
    if (p.bth->opcode == 0x11)
      ack_at = i;
    else
      order.push_back(p.bth->psn);
  }
  for (unsigned i = 0; i < 40; ++i) REQUIRE(order[i] == 100 + i);
  for (unsigned i = 0; i < 40; ++i) REQUIRE(order[40 + i] == i);
  REQUIRE(ack_at >= 10);
  REQUIRE(ack_at <= 16);  // behind the frames that were already in the pipeline, before all that wait
  REQUIRE(bench.counts.pkts == 40);
  REQUIRE(bench.counts.retrans == 40);
}

TEST_CASE("acknowledges of many QPs leave one in two cycles and leave room for packets", "[unit][roce_txd]") {
  PathBench bench;
  for (unsigned q = 0; q < 16; ++q) bench.configure({.qpn = q, .state = kQpRts, .dest_qpn = q, .neigh = kNeigh});
  for (unsigned i = 0; i < 160; ++i) bench.acks.push({.qpn = i % 16, .psn = i});
  REQUIRE(bench.run_frames(100, 400));
  for (std::size_t i = 1; i < 100; ++i) REQUIRE(bench.first_at[i] - bench.first_at[i - 1] <= 2);
}

TEST_CASE("waiting for memory is quiet, moving is not", "[unit][roce_txd]") {
  PathBench bench;
  bench.hbm.timing.read_latency = 100;
  bench.idle(3);
  REQUIRE(bench.dut->quiet_o == 1);
  bench.new_jobs.push(Job{.len = 300, .src = kSrcHbm, .addr = 0x10010});
  bench.idle(1);
  REQUIRE(bench.dut->quiet_o == 0);
  bench.idle(10);
  REQUIRE(bench.dut->quiet_o == 1);
  REQUIRE(bench.run_frames(1, 200));
  bench.idle(3);
  REQUIRE(bench.dut->quiet_o == 1);
}
