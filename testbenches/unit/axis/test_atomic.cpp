// SPDX-License-Identifier: Apache-2.0
// axis_atomic and axis_axi_rmux: latency, atomicity among requesters, operands, errors, another reader on the same
// port.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include "Vtb_atomic.h"
#include "testbenches/support/axi_read_slave.hpp"
#include "testbenches/support/axi_write_slave.hpp"
#include "testbenches/support/stalls.hpp"

using namespace caravan;
using namespace caravan::support;
using Kind = StallPattern::Kind;

namespace {

template <class Pin>
void set_bit(Pin& pin, unsigned bit, bool value) {
  pin = static_cast<Pin>(value ? pin | 1u << bit : pin & ~(1u << bit));
}

constexpr std::uint64_t kHostBase = 0x8000000000000000ull;

struct Request {
  bool host = false;
  std::uint64_t addr = 0;
  bool cas = false;
  std::uint64_t operand = 0, compare = 0;
};
struct Answer {
  bool err = false;
  std::uint64_t original = 0, cycle = 0;
};
struct Burst {
  std::uint64_t addr = 0;
  unsigned beats = 1, id = 0;
};

struct AtomicBench {
  Bench<Vtb_atomic> dut;
  ref::SparseMemory memory;
  AxiWriteSlave hbm, host;
  AxiReadSlave hbm_reads, host_reads;
  std::deque<Request> queue[3];
  std::vector<Answer> answers[3];
  std::vector<std::uint64_t> asked[3];
  bool waiting[3] = {};
  Source<Burst> reads;
  std::vector<std::pair<unsigned, packet::Buffer>> beats;  ///< of the other reader: id and data
  StallPattern gaps, read_stall;
  bool read_ready = false;

  explicit AtomicBench(Kind gap = Kind::kNone, Kind stalls = Kind::kNone, unsigned latency = 10, bool gated = false)
      : hbm(dut, hbm_pins(*dut), memory, 0, {stalls, 1}, {stalls, 2}, {stalls, 3}),
        host(dut, host_pins(*dut), memory, kHostBase, {stalls, 4}, {stalls, 5}, {stalls, 6}),
        hbm_reads(dut, hbm_read_pins(*dut), memory, 0, latency, {stalls, 7}, {stalls, 8}),
        host_reads(dut, host_read_pins(*dut), memory, kHostBase, latency, {stalls, 9}, {stalls, 10}),
        reads(
            dut, {gap, 11},
            [this](const Burst& b) { PinWriter(dut->read_ar_i).put(8, b.beats - 1).put(64, b.addr).put(4, b.id); },
            [this](bool v) { dut->read_ar_valid_i = v; }, [this] { return dut->read_ar_ready_o != 0; }),
        gaps(gap, 12),
        read_stall(stalls, 13) {
    dut.add([this] { drive(); }, [this] { sample(); });
    if (gated) dut.gate([this] { return dut->quiet_o != 0; });
    dut.reset();
  }
  void drive() {
    for (unsigned i = 0; i < 3; ++i) {
      const bool valid = !queue[i].empty() && !waiting[i] && ((dut->req_valid_i >> i & 1) || !gaps.next());
      set_bit(dut->req_valid_i, i, valid);
      if (!valid) continue;
      const Request& r = queue[i].front();
      set_bits(dut->req_i, 194 * i, 64, r.compare);
      set_bits(dut->req_i, 194 * i + 64, 64, r.operand);
      set_bits(dut->req_i, 194 * i + 128, 1, r.cas);
      set_bits(dut->req_i, 194 * i + 129, 64, r.addr);
      set_bits(dut->req_i, 194 * i + 193, 1, r.host);
    }
    read_ready = !read_stall.next();
    dut->read_r_ready_i = read_ready;
  }
  void sample() {
    for (unsigned i = 0; i < 3; ++i) {
      if (dut->rsp_valid_o >> i & 1) {
        REQUIRE(waiting[i]);
        waiting[i] = false;
        answers[i].push_back(
            {get_bits(dut->rsp_o, 65 * i + 64, 1) != 0, get_bits(dut->rsp_o, 65 * i, 64), dut.cycle()});
      }
      if ((dut->req_valid_i & dut->req_ready_o) >> i & 1) {
        queue[i].pop_front();
        waiting[i] = true;
        asked[i].push_back(dut.cycle());
      }
    }
    if (!dut->read_r_valid_o || !read_ready) return;
    PinReader r(dut->read_r_o);
    auto data = r.data();
    r.get(3);
    beats.emplace_back(r.get32(4), data);
  }
  bool run() {
    return dut.run_until(
        [this] {
          return queue[0].empty() && queue[1].empty() && queue[2].empty() && !waiting[0] && !waiting[1] &&
                 !waiting[2] && reads.empty() && hbm.idle() && host.idle() && hbm_reads.idle();
        },
        200'000);
  }
};

}  // namespace

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
        std::vector<std::uint64_t> seen;
        for (auto& answers : b.answers) {
          for (std::size_t k = 0; k + 2 < answers.size(); ++k) REQUIRE(answers[k].original < answers[k + 2].original);
          for (std::size_t k = 0; k < answers.size(); k += 2) seen.push_back(answers[k].original);
        }
        std::ranges::sort(seen);
        for (std::size_t k = 0; k < seen.size(); ++k) REQUIRE(seen[k] == k);
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
