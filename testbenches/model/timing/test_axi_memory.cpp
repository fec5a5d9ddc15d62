// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <sstream>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "models/base/rng.hpp"
#include "models/timing/axi_memory.hpp"
#include "testbenches/support/death.hpp"

using namespace caravan;
using base::Cycles;
using base::Time;
using timing::AxiMemory;
using timing::AxiMemoryConfig;
using timing::AxiRequestPins;
using timing::SparseMemory;

namespace {

AxiMemoryConfig config(Time read = Time::ns(104), Time write = Time::ns(80), base::Rate rate = base::Rate::gbps(128)) {
  AxiMemoryConfig c;
  c.instance = "node3.hbm";
  c.read_latency = read;
  c.write_latency = write;
  c.bandwidth = rate;
  c.max_outstanding = 4;
  return c;
}

/// A master that always takes responses and notes the cycle of each handshake.
struct Master {
  explicit Master(AxiMemoryConfig c, base::Bytes capacity = base::Bytes::mib(16))
      : memory(capacity), axi(std::move(c), memory) {}

  void write(std::uint64_t addr, unsigned beats, std::uint8_t fill, std::uint32_t id = 0, std::uint64_t strb = ~0ull) {
    aw.push_back({id, addr, static_cast<std::uint8_t>(beats - 1)});
    for (unsigned i = 0; i < beats; ++i) {
      timing::AxiWriteData beat;
      beat.data.fill(static_cast<std::uint8_t>(fill + i));
      beat.strb = strb;
      beat.last = i + 1 == beats;
      w.push_back(beat);
    }
  }
  void read(std::uint64_t addr, unsigned beats, std::uint32_t id = 0) {
    ar.push_back({id, addr, static_cast<std::uint8_t>(beats - 1)});
  }

  void tick(bool take_r = true, bool take_b = true) {
    AxiRequestPins req;
    const auto pins = axi.pins();
    if ((req.aw_valid = !aw.empty())) req.aw = aw.front();
    if ((req.w_valid = !w.empty())) req.w = w.front();
    if ((req.ar_valid = !ar.empty())) req.ar = ar.front();
    req.r_ready = take_r;
    req.b_ready = take_b;
    if (req.aw_valid && pins.aw_ready) aw_at.push_back(now), aw.pop_front();
    if (req.w_valid && pins.w_ready) w_at.push_back(now), w.pop_front();
    if (req.ar_valid && pins.ar_ready) ar_at.push_back(now), ar.pop_front();
    if (pins.r_valid && take_r) r_at.push_back(now), r.push_back(pins.r);
    if (pins.b_valid && take_b) b_at.push_back(now), b.push_back(pins.b);
    axi.step(req, Cycles(now++));
  }
  void run(int cycles) {
    while (cycles-- > 0) tick();
  }

  SparseMemory memory;
  AxiMemory axi;
  std::uint64_t now = 0;
  std::deque<timing::AxiAddress> aw, ar;
  std::deque<timing::AxiWriteData> w;
  std::vector<timing::AxiReadData> r;
  std::vector<timing::AxiWriteResponse> b;
  std::vector<std::uint64_t> aw_at, w_at, ar_at, r_at, b_at;
};

}  // namespace

TEST_CASE("axi memory: a read takes exactly its latency", "[timing][axi]") {
  Master m(config());
  m.run(10);
  m.read(0, 1, 5);
  m.run(27);
  REQUIRE(m.ar_at == std::vector<std::uint64_t>{10});
  REQUIRE(m.r_at == std::vector<std::uint64_t>{36});  // 104 ns are 26 cycles of 4 ns
  CHECK(m.r[0].id == 5);
  CHECK(m.r[0].last);
  CHECK(m.r[0].resp == timing::kRespOkay);

  Master early(config());
  early.run(10);
  early.read(0, 1);
  early.run(26);  // cycles 10..35
  CHECK(early.r_at.empty());
}

TEST_CASE("axi memory: a latency between two edges is rounded up, zero still takes a cycle", "[timing][axi]") {
  for (const auto& [latency, cycles] :
       {std::pair{Time::ps(104'001), 27u}, {Time::ps(100'001), 26u}, {Time::ps(0), 1u}}) {
    Master m(config(latency));
    m.read(0, 1);
    m.run(40);
    CHECK(m.r_at == std::vector<std::uint64_t>{cycles});
  }
}

TEST_CASE("axi memory: a write is answered its latency after the last beat", "[timing][axi]") {
  Master m(config());
  m.write(128, 3, 0x40, 9);
  m.run(40);
  CHECK(m.aw_at == std::vector<std::uint64_t>{0});
  CHECK(m.w_at == std::vector<std::uint64_t>{1, 2, 3});
  REQUIRE(m.b_at == std::vector<std::uint64_t>{23});  // 80 ns are 20 cycles
  CHECK(m.b[0].id == 9);
  m.read(128, 3);
  m.run(40);
  REQUIRE(m.r.size() == 3);
  for (unsigned i = 0; i < 3; ++i) CHECK(m.r[i].data[63] == 0x40 + i);
}

TEST_CASE("axi memory: outstanding reads are pipelined, one beat a cycle, in order", "[timing][axi]") {
  Master m(config());
  for (unsigned i = 0; i < 4; ++i) m.read(i * 4096, 8, i);
  m.run(100);
  CHECK(m.ar_at == std::vector<std::uint64_t>{0, 1, 2, 3});
  REQUIRE(m.r_at.size() == 32);
  for (unsigned k = 0; k < 32; ++k) {
    CHECK(m.r_at[k] == 26 + k);
    CHECK(m.r[k].id == k / 8);
    CHECK(m.r[k].last == (k % 8 == 7));
  }
}

TEST_CASE("axi memory: no more bursts than allowed are taken, one more after one ends", "[timing][axi]") {
  Master m(config());
  for (unsigned i = 0; i < 5; ++i) m.read(0, 1, i);
  m.run(60);
  // The first beat is taken at 26; the fifth address at the edge after.
  CHECK(m.ar_at == std::vector<std::uint64_t>{0, 1, 2, 3, 27});
  Master w(config());
  for (unsigned i = 0; i < 5; ++i) w.write(0, 1, 0, i);
  w.run(60);
  CHECK(w.aw_at == std::vector<std::uint64_t>{0, 1, 2, 3, 22});  // B of the first at 21
}

TEST_CASE("axi memory: the bandwidth is exact over a long run in both directions", "[timing][axi]") {
  const auto rate = base::Rate::gbps(96);
  const std::int64_t beat = rate.time_for(base::Bytes(64)).in_ps();
  CHECK(beat == 5334);
  Master m(config(Time::ns(104), Time::ns(80), rate));
  for (unsigned i = 0; i < 4; ++i) m.read(i * 4096ull, 64), m.write(i * 4096ull, 64, 0);
  m.run(500);
  REQUIRE(m.r_at.size() == 256);
  REQUIRE(m.w_at.size() == 256);
  for (const auto* at : {&m.r_at, &m.w_at}) {
    const auto first = static_cast<std::int64_t>(at->front()) * 4000;
    for (std::int64_t k = 0; k < 256; ++k) {
      const auto edge = static_cast<std::uint64_t>((first + k * beat + 3999) / 4000);
      REQUIRE((*at)[static_cast<std::size_t>(k)] == edge);  // not one cycle sooner, not one later
    }
  }
}

TEST_CASE("axi memory: idle time is not saved up into a burst", "[timing][axi]") {
  Master m(config(Time::ns(4), Time::ns(4), base::Rate::gbps(64)));
  m.run(1000);
  m.read(0, 4);
  m.run(30);
  CHECK(m.r_at == std::vector<std::uint64_t>{1001, 1003, 1005, 1007});
}

TEST_CASE("axi memory: responses wait for ready, unchanged", "[timing][axi]") {
  Master m(config());
  m.write(0, 2, 0x10);
  m.run(60);
  m.read(0, 2, 3);
  for (int i = 0; i < 50; ++i) m.tick(false, false);
  CHECK(m.r.empty());
  CHECK(m.axi.pins().r_valid);
  CHECK(m.axi.pins().r.data[0] == 0x10);
  m.run(2);
  REQUIRE(m.r.size() == 2);
  CHECK(m.r[1].data[0] == 0x11);
  m.write(64, 1, 0x77);
  for (int i = 0; i < 50; ++i) m.tick(true, false);
  CHECK(m.axi.pins().b_valid);
  m.run(1);
  CHECK(m.b.size() == 2);
  CHECK(m.axi.quiet());
}

TEST_CASE("axi memory: partial strobes", "[timing][axi]") {
  Master m(config());
  m.write(0, 1, 0xAA);
  m.write(0, 1, 0x55, 0, 0xF0);
  m.run(80);
  std::vector<std::uint8_t> seen(9);
  m.memory.read(0, seen);
  CHECK(seen == std::vector<std::uint8_t>{0xAA, 0xAA, 0xAA, 0xAA, 0x55, 0x55, 0x55, 0x55, 0xAA});
}

TEST_CASE("axi memory: outside the capacity: DECERR, zeros, nothing written, no hang", "[timing][axi]") {
  Master m(config(), base::Bytes(8192));
  m.write(8192, 2, 1, 7);
  m.read(0xFFFF'FFFF'FFFF'F000ull, 3, 6);
  m.read(8128, 1);
  m.run(60);
  REQUIRE(m.b.size() == 1);
  CHECK(m.b[0].resp == timing::kRespDecErr);
  CHECK(m.b[0].id == 7);
  REQUIRE(m.r.size() == 4);
  for (unsigned i = 0; i < 3; ++i) CHECK((m.r[i].resp == timing::kRespDecErr && m.r[i].data[0] == 0));
  CHECK(m.r[3].resp == timing::kRespOkay);
  CHECK(m.axi.stats().read_errors == 1);
  CHECK(m.axi.stats().write_errors == 1);
  CHECK(m.memory.allocated_pages() == 0);
  CHECK(m.axi.quiet());
}

TEST_CASE("axi memory: what the protocol forbids stops the run, with time and instance", "[timing][axi]") {
  const auto dies = [](auto drive) {
    return support::dying_words([&] {
      Master m(config());
      m.run(25);
      drive(m);
      m.run(10);
    });
  };
  CHECK(dies([](Master& m) { m.read(4096 - 64, 2); }).find("100000 ps, cycle 25, node3.hbm AR") != std::string::npos);
  CHECK(dies([](Master& m) { m.read(4096 - 64, 2); }).find("crosses 4 KiB") != std::string::npos);
  CHECK(dies([](Master& m) { m.write(32, 1, 0); }).find("not aligned") != std::string::npos);
  CHECK(dies([](Master& m) { m.read(0, 65); }).find("at most 64 beats") != std::string::npos);
  CHECK(dies([](Master& m) {
          m.write(0, 2, 0);
          m.w[0].last = true;
        }).find("has last=true") != std::string::npos);
  CHECK(dies([](Master& m) { m.read(0, 64); }).empty());
}

TEST_CASE("axi memory: leaving out steps as next_activity allows changes nothing", "[timing][axi]") {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const auto run = [&](bool skip) {
      Master m(config(Time::ns(104), Time::ns(80), base::Rate::gbps(80)));
      base::Rng rng(seed);
      std::uint64_t next_request = 0;
      int left = 60;
      std::uint64_t stepped = 0;
      while (m.now < 20'000) {
        if (left > 0 && m.now == next_request) {
          const auto beats = 1 + static_cast<unsigned>(rng.below(16));
          const std::uint64_t addr = 4096 * rng.below(16);
          rng.chance(0.5) ? m.read(addr, beats, 1) : m.write(addr, beats, static_cast<std::uint8_t>(rng.next()), 2);
          next_request += 1 + (rng.chance(0.5) ? rng.below(4) : rng.below(400));
          --left;
        }
        const bool offering = !m.aw.empty() || !m.ar.empty() || !m.w.empty();
        if (skip && !offering) {
          const std::uint64_t wake =
              std::min(m.axi.next_activity(Cycles(m.now)).count(), left > 0 ? next_request : 20'000);
          if (wake > m.now) {
            m.now = std::min<std::uint64_t>(wake, 20'000);
            continue;
          }
        }
        m.tick();
        ++stepped;
      }
      std::stringstream state;
      m.axi.serialize(state);
      return std::tuple(m.r_at, m.b_at, m.w_at, m.memory.digest(), state.str(), stepped);
    };
    const auto all = run(false), some = run(true);
    CHECK(std::get<0>(all) == std::get<0>(some));
    CHECK(std::get<1>(all) == std::get<1>(some));
    CHECK(std::get<2>(all) == std::get<2>(some));
    CHECK(std::get<3>(all) == std::get<3>(some));
    CHECK(std::get<4>(all) == std::get<4>(some));
    CHECK(std::get<5>(some) < std::get<5>(all) / 5);
    CHECK_FALSE(std::get<0>(all).empty());
  }
}

TEST_CASE("axi memory: saved in the middle and loaded, it goes on the same", "[timing][axi]") {
  Master a(config()), b(config());
  a.read(0, 5), a.write(4096, 7, 3), a.read(64, 2);
  a.run(28);
  std::stringstream state, contents;
  a.axi.serialize(state);
  a.memory.serialize(contents);
  b.axi.deserialize(state);
  b.memory.deserialize(contents);
  b.now = a.now, b.w = a.w, b.aw = a.aw, b.ar = a.ar;
  const auto before_r = a.r_at.size(), before_b = a.b_at.size();
  a.run(60), b.run(60);
  CHECK(std::equal(b.r_at.begin(), b.r_at.end(), a.r_at.begin() + static_cast<std::ptrdiff_t>(before_r), a.r_at.end()));
  CHECK(std::equal(b.b_at.begin(), b.b_at.end(), a.b_at.begin() + static_cast<std::ptrdiff_t>(before_b), a.b_at.end()));
  CHECK_FALSE(b.r_at.empty());
  CHECK(b.axi.quiet());
}
