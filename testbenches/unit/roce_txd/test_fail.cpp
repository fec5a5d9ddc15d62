// SPDX-License-Identifier: Apache-2.0
// Memory errors on the way out: an answer becomes a NAK and its QP silent, a request of ours is told to the requester.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "path_bench.hpp"

using namespace caravan;
using namespace caravan::txd;
using packet::Opcode;
using Kind = support::StallPattern::Kind;

namespace {

constexpr std::uint32_t kQpn = 5, kOther = 6;

/// The answer to a READ of `n` packets of 256 bytes: packet `bad` can't be read (n: all can).
std::vector<Job> answer(PathBench& bench, std::uint32_t qpn, std::uint32_t psn, unsigned n, unsigned bad) {
  std::vector<Job> jobs;
  for (unsigned i = 0; i < n; ++i) {
    Job job{.psn = psn + i, .src = i % 2 ? kSrcHost : kSrcHbm, .addr = 0x100000ull * qpn + 0x1000 * (psn + i) + 3};
    job.opcode = n == 1       ? Opcode::kReadRespOnly
                 : i == 0     ? Opcode::kReadRespFirst
                 : i + 1 == n ? Opcode::kReadRespLast
                              : Opcode::kReadRespMiddle;
    job.rsp_last = i + 1 == n;
    job.qpn = qpn;
    place(bench, job, payload_of(psn + i, 256));
    if (i == bad) (i % 2 ? bench.host : bench.hbm).bad_reads.insert(job.addr >> 12);
    jobs.push_back(job);
  }
  return jobs;
}
packet::Buffer frame_of(const Job& job) { return expected(job, payload_of(job.psn, job.len)); }
packet::Buffer nak_of(Job job) {
  job.opcode = Opcode::kAck;
  job.aeth.syndrome = 0x63;
  return expected(job, {});
}
Job atomic_answer(std::uint32_t qpn, std::uint32_t psn) {
  Job job{.opcode = Opcode::kAtomicAck, .psn = psn};
  job.rsp_last = true;
  job.qpn = qpn;
  return job;
}
void make_anew(PathBench& bench, std::uint32_t qpn) {
  bench.configure({.qpn = qpn, .init = true, .dest_qpn = 0xABCD, .neigh = kNeigh, .sport = 0xC123});
}

}  // namespace

TEST_CASE("an answer that memory can't deliver ends in a NAK 0x63 with the PSN of its first missing packet",
          "[unit][roce_txd][fail]") {
  const Kind stall = GENERATE(Kind::kNone, Kind::kRandom, Kind::kMostly);
  for (unsigned bad : {0u, 1u, 3u}) {
    INFO("packet " << bad << " of four");
    PathBench bench(stall, stall);
    make_anew(bench, kQpn), make_anew(bench, kOther);
    std::vector<packet::Buffer> want;
    const auto jobs = answer(bench, kQpn, 100, 4, bad), later = answer(bench, kQpn, 104, 2, 2);
    const auto others = answer(bench, kOther, 7, 2, 2);
    for (const auto& job : jobs) {
      bench.rsp_jobs.push(job);
      if (job.psn < 100 + bad) want.push_back(frame_of(job));
      if (job.psn == 100 + bad) want.push_back(nak_of(job));
    }
    // Silent from there on: no READ, no atomic, no NAK of another one; the other QP goes on.
    for (const auto& job : later) bench.rsp_jobs.push(job);
    bench.rsp_jobs.push(atomic_answer(kQpn, 106));
    Job second_nak = atomic_answer(kQpn, 107);
    second_nak.opcode = Opcode::kAck;
    second_nak.aeth.syndrome = 0x63;
    bench.rsp_jobs.push(second_nak);
    for (const auto& job : others) {
      bench.rsp_jobs.push(job);
      want.push_back(frame_of(job));
    }
    REQUIRE(bench.run_frames(want.size(), 6000));
    REQUIRE(bench.run_quiet(2000));
    REQUIRE(same_frames(bench, want));
    REQUIRE(bench.fails == std::vector<MemFail>{{false, kQpn, 100 + bad}});
    REQUIRE(bench.counts.naks == 1);
    REQUIRE(bench.counts.mem_err == 1);
    REQUIRE(bench.counts.others == 0);

    // No acknowledge either, until the QP is made anew.
    bench.acks.push({.qpn = kQpn, .psn = 110});
    bench.acks.push({.qpn = kOther, .psn = 9});
    REQUIRE(bench.run_quiet(2000));
    REQUIRE(bench.frames.size() == want.size() + 1);
    make_anew(bench, kQpn);
    bench.acks.push({.qpn = kQpn, .psn = 3});
    const auto again = answer(bench, kQpn, 200, 1, 1);
    REQUIRE(bench.run_quiet(2000));
    bench.rsp_jobs.push(again[0]);
    REQUIRE(bench.run_quiet(2000));
    REQUIRE(bench.frames.size() == want.size() + 3);
    REQUIRE(bench.frames.back() == frame_of(again[0]));
  }
}

TEST_CASE("answers that are silent give their payload buffer back", "[unit][roce_txd][fail]") {
  PathBench bench;
  for (const auto& job : answer(bench, kQpn, 1, 1, 0)) bench.rsp_jobs.push(job);
  for (unsigned i = 0; i < 40; ++i) {
    Job job{.opcode = Opcode::kReadRespMiddle, .psn = i, .len = 4096, .src = kSrcHbm, .addr = 0x900000};
    job.qpn = kQpn;
    bench.rsp_jobs.push(job);
  }
  Job job{.src = kSrcHbm, .addr = 0x200000};
  const auto payload = payload_of(5, 4096);
  place(bench, job, payload);
  for (unsigned i = 0; i < 8; ++i) bench.new_jobs.push(job);
  REQUIRE(bench.run_frames(9, 8000));
  REQUIRE(bench.run_quiet(8000));
  REQUIRE(bench.frames.size() == 9);
  REQUIRE(bench.frames.back() == expected(job, payload));
}

TEST_CASE("the NAK of an atomic leaves as it is, and makes its QP silent", "[unit][roce_txd][fail]") {
  PathBench bench;
  Job nak = atomic_answer(kQpn, 50);
  nak.opcode = Opcode::kAck;
  nak.aeth.syndrome = 0x63;
  bench.rsp_jobs.push(nak);
  bench.rsp_jobs.push(atomic_answer(kQpn, 51));
  bench.rsp_jobs.push(atomic_answer(kOther, 2));
  REQUIRE(bench.run_quiet(2000));
  REQUIRE(same_frames(bench, {nak_of(nak), expected(atomic_answer(kOther, 2), {})}));
  REQUIRE(bench.fails == std::vector<MemFail>{{false, kQpn, 50}});
}

TEST_CASE("a request whose payload could not be read is told, a datagram is not; nothing is lost while nobody listens",
          "[unit][roce_txd][fail]") {
  PathBench bench;
  bench.fail_ready = false;
  std::vector<MemFail> want;
  for (unsigned i = 0; i < 6; ++i) {
    Job job{.psn = 10 + i, .src = kSrcHbm, .addr = 0x400000};
    if (i == 4) job.opcode = Opcode::kUdSendOnly;
    job.qpn = i;
    job.len = 100;
    bench.hbm.bad_reads.insert(job.addr >> 12);
    (i == 5 ? bench.retry_jobs : bench.new_jobs).push(job);
    if (i != 4) want.push_back({true, i, 10 + i});
  }
  bench.idle(400);
  REQUIRE(bench.fails.empty());
  bench.fail_ready = true;
  REQUIRE(bench.run_quiet(2000));
  REQUIRE(bench.frames.empty());
  const auto by_qpn = [](const MemFail& a, const MemFail& b) { return a.qpn < b.qpn; };
  std::sort(bench.fails.begin(), bench.fails.end(), by_qpn);
  REQUIRE(bench.fails == want);
}

TEST_CASE("a failure of a QP's older life does not reach its new one", "[unit][roce_txd][fail]") {
  const bool own = GENERATE(false, true);
  PathBench bench(Kind::kNone, Kind::kNone, {.read_latency = 100});
  make_anew(bench, kQpn);
  if (own) {
    Job job{.psn = 1, .len = 100, .src = kSrcHbm, .addr = 0x500000};
    job.qpn = kQpn;
    bench.hbm.bad_reads.insert(0x500);
    bench.new_jobs.push(job);
  } else {
    for (const auto& job : answer(bench, kQpn, 1, 2, 0)) bench.rsp_jobs.push(job);
  }
  bench.idle(20);
  make_anew(bench, kQpn);
  REQUIRE(bench.run_quiet(2000));
  REQUIRE(bench.fails.empty());
  REQUIRE(bench.counts.naks == 0);
  bench.acks.push({.qpn = kQpn, .psn = 3});
  REQUIRE(bench.run_quiet(2000));
  REQUIRE(bench.counts.acks == 1);
}
