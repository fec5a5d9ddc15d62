// SPDX-License-Identifier: Apache-2.0
// axis_atomic: three requesters, both memories, another reader on its port; keeps what was asked and answered.
#pragma once

#include <catch2/catch_test_macros.hpp>

#include <deque>
#include <utility>
#include <vector>

#include "Vtb_atomic.h"
#include "testbenches/support/axi_read_slave.hpp"
#include "testbenches/support/axi_write_slave.hpp"
#include "testbenches/support/stalls.hpp"

namespace caravan::support {

using Kind = StallPattern::Kind;

template <class Pin>
void set_bit(Pin& pin, unsigned bit, bool value) {
  pin = static_cast<Pin>(value ? pin | 1u << bit : pin & ~(1u << bit));
}

inline constexpr std::uint64_t kHostBase = 0x8000000000000000ull;

struct AtomicBench {
  struct Request {
    bool host = false;
    std::uint64_t addr = 0;
    bool cas = false;
    std::uint64_t operand = 0, compare = 0;
    std::uint32_t epoch = 0;
  };
  struct Answer {
    bool err = false;
    std::uint64_t original = 0, cycle = 0;
    bool host = false;
  };
  struct Burst {
    std::uint64_t addr = 0;
    unsigned beats = 1, id = 0;
  };

  Bench<Vtb_atomic> dut;
  ref::SparseMemory memory;
  AxiWriteSlave hbm, host;
  AxiReadSlave hbm_reads, host_reads;
  std::deque<Request> queue[3];
  std::deque<Request> open[3][2];  ///< asked, by memory
  unsigned outstanding = 1;        ///< of each requester, to each memory
  std::vector<Answer> answers[3];
  std::vector<std::uint64_t> asked[3];
  std::vector<std::pair<unsigned, Request>> order[2];  ///< requests to a memory, in the order in which it took them
  std::vector<Answer> by_memory[2];
  Source<Burst> reads;
  std::vector<std::pair<unsigned, packet::Buffer>> beats;  ///< of the other reader: id and data
  StallPattern gaps, read_stall, answer_stall;
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
        read_stall(stalls, 13),
        answer_stall(stalls, 14) {
    dut.add([this] { drive(); }, [this] { sample(); });
    if (gated) dut.gate([this] { return dut->quiet_o != 0; });
    dut.reset();
  }
  void drive() {
    dut->rsp_ready_i = answer_stall.next() ? 0 : 0x3F;
    for (unsigned i = 0; i < 3; ++i) {
      const bool held = (dut->req_valid_i >> i & 1) && !taken[i];
      const bool valid =
          !queue[i].empty() && (held || (open[i][queue[i].front().host].size() < outstanding && !gaps.next()));
      set_bit(dut->req_valid_i, i, valid);
      if (!valid) continue;
      const Request& r = queue[i].front();
      set_bits(dut->req_i, 226 * i, 64, r.compare);
      set_bits(dut->req_i, 226 * i + 64, 64, r.operand);
      set_bits(dut->req_i, 226 * i + 128, 1, r.cas);
      set_bits(dut->req_i, 226 * i + 129, 64, r.addr);
      set_bits(dut->req_i, 226 * i + 193, 1, r.host);
      set_bits(dut->req_i, 226 * i + 194, 32, r.epoch);
    }
    read_ready = !read_stall.next();
    dut->read_r_ready_i = read_ready;
  }
  void sample() {
    for (unsigned i = 0; i < 3; ++i) {
      for (unsigned m = 0; m < 2; ++m) {
        if (!((dut->rsp_valid_o & dut->rsp_ready_i) >> (2 * i + m) & 1)) continue;
        REQUIRE(!open[i][m].empty());
        open[i][m].pop_front();
        answers[i].push_back(
            {get_bits(dut->rsp_o, 65 * m + 64, 1) != 0, get_bits(dut->rsp_o, 65 * m, 64), dut.cycle(), m == 1});
        by_memory[m].push_back(answers[i].back());
      }
      taken[i] = (dut->req_valid_i & dut->req_ready_o) >> i & 1;
      if (taken[i]) {
        const Request r = queue[i].front();
        queue[i].pop_front();
        open[i][r.host].push_back(r);
        order[r.host].emplace_back(i, r);
        asked[i].push_back(dut.cycle());
      }
    }
    if (!dut->read_r_valid_o || !read_ready) return;
    PinReader r(dut->read_r_o);
    auto data = r.data();
    r.get(3);
    beats.emplace_back(r.get32(4), data);
  }
  bool taken[3] = {};
  bool run() {
    return dut.run_until(
        [this] {
          for (unsigned i = 0; i < 3; ++i)
            if (!queue[i].empty() || !open[i][0].empty() || !open[i][1].empty()) return false;
          return reads.empty() && hbm.idle() && host.idle() && hbm_reads.idle();
        },
        200'000);
  }
};

}  // namespace caravan::support
