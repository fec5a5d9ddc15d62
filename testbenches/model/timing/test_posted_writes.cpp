// SPDX-License-Identifier: Apache-2.0
// Host memory over PCIe: posted writes land later and in order, reads never pass them, bandwidth and outstanding reads
// are shared.
#include <array>
#include <deque>
#include <sstream>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "models/timing/axi_memory.hpp"
#include "models/timing/mmio_port.hpp"

using namespace caravan;
using base::Cycles;
using base::Time;

namespace {

/// One AXI master; every channel always willing.
struct Port {
  explicit Port(unsigned outstanding = 64, Time read = Time::ns(400), base::Rate rate = base::Rate::gbps(64))
      : memory(base::Bytes::mib(1)), axi(config(outstanding, read, rate), memory) {
    axi.on_landing([this](std::uint64_t address, Cycles at) { landed.push_back({address, at.count()}); });
  }
  static timing::AxiMemoryConfig config(unsigned outstanding, Time read, base::Rate rate) {
    timing::AxiMemoryConfig c;
    c.read_latency = read;
    c.write_latency = Time::ns(20);
    c.landing_latency = Time::ns(100);  // 25 cycles
    c.bandwidth = rate;                 // two cycles a beat
    c.max_outstanding = outstanding;
    return c;
  }
  void write(std::uint64_t address, std::uint8_t value) {
    aw.push_back({0, address, 0});
    timing::AxiWriteData beat;
    beat.data.fill(value);
    beat.strb = ~0ull;
    beat.last = true;
    w.push_back(beat);
  }
  void tick() {
    timing::AxiRequestPins req;
    const auto pins = axi.pins();
    if ((req.aw_valid = !aw.empty())) req.aw = aw.front();
    if ((req.w_valid = !w.empty())) req.w = w.front();
    if ((req.ar_valid = !ar.empty())) req.ar = ar.front();
    req.r_ready = req.b_ready = true;
    if (req.aw_valid && pins.aw_ready) aw.pop_front();
    if (req.w_valid && pins.w_ready) w_at.push_back(now), w.pop_front();
    if (req.ar_valid && pins.ar_ready) ar_at.push_back(now), ar.pop_front();
    if (pins.r_valid) r_at.push_back(now), r.push_back(pins.r.data[0]);
    if (pins.b_valid) b_at.push_back(now);
    axi.step(req, Cycles(now++));
  }
  std::uint8_t byte(std::uint64_t address) const {
    std::array<std::uint8_t, 1> b{};
    memory.read(address, b);
    return b[0];
  }

  timing::SparseMemory memory;
  timing::AxiMemory axi;
  std::uint64_t now = 0;
  std::deque<timing::AxiAddress> aw, ar;
  std::deque<timing::AxiWriteData> w;
  std::vector<std::uint64_t> w_at, b_at, ar_at, r_at;
  std::vector<std::uint8_t> r;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> landed;
};

}  // namespace

TEST_CASE("posted writes are answered early and land later, at the exact cycle", "[model][timing]") {
  Port p;
  p.write(0x40, 7);
  while (p.w_at.empty()) p.tick();
  const std::uint64_t taken = p.w_at[0];
  while (p.now < taken + 24) p.tick();
  CHECK(p.byte(0x40) == 0);  // one cycle too early
  CHECK(p.landed.empty());
  CHECK_FALSE(p.axi.quiet());
  CHECK(p.axi.next_activity(Cycles(p.now)).count() == taken + 24);
  p.tick();
  CHECK(p.byte(0x40) == 7);
  REQUIRE(p.landed.size() == 1);
  CHECK(p.landed[0] == std::pair<std::uint64_t, std::uint64_t>{0x40, taken + 25});
  CHECK(p.axi.quiet());
  REQUIRE(p.b_at.size() == 1);
  CHECK(p.b_at[0] == taken + 5);
}

TEST_CASE("a read does not pass the posted writes before it", "[model][timing]") {
  Port p(64, Time::ns(8));
  p.write(0x40, 7);
  while (p.w_at.empty()) p.tick();
  p.ar.push_back({0, 0x40, 0});
  while (p.r_at.empty()) p.tick();
  CHECK(p.r[0] == 7);
  CHECK(p.r_at[0] == p.w_at[0] + 25);
}

TEST_CASE("reads overlap up to the limit, and share the bandwidth of their direction only", "[model][timing]") {
  for (const unsigned outstanding : {1u, 4u, 64u}) {
    Port p(outstanding);
    constexpr unsigned kReads = 40;
    for (unsigned i = 0; i < kReads; ++i) {
      p.ar.push_back({0, 64ull * i, 0});
      p.write(0x8000 + 64ull * i, 1);
    }
    while (p.r_at.size() < kReads || p.b_at.size() < kReads) p.tick();
    CAPTURE(outstanding);
    // 100 cycles of latency and two cycles a beat, whatever goes the other way.
    const std::uint64_t took = p.r_at.back() - p.ar_at.front();
    if (outstanding == 1) CHECK(took == kReads * 100 + (kReads - 1));
    if (outstanding == 4) CHECK(took / (kReads / 4) >= 100);
    if (outstanding == 64) CHECK(took == 100 + 2 * (kReads - 1));
    if (outstanding == 64) CHECK(p.w_at.back() - p.w_at.front() == 2 * (kReads - 1));
  }
}

TEST_CASE("posted writes on their way survive saving and loading", "[model][timing]") {
  Port a;
  for (unsigned i = 0; i < 4; ++i) a.write(64 * i, static_cast<std::uint8_t>(i + 1));
  while (a.w_at.size() < 3) a.tick();
  std::stringstream saved;
  a.axi.serialize(saved);
  a.memory.serialize(saved);
  Port b;
  b.axi.deserialize(saved);
  b.memory.deserialize(saved);
  b.now = a.now;
  b.aw = a.aw;
  b.w = a.w;
  for (int i = 0; i < 60; ++i) a.tick(), b.tick();
  CHECK(a.landed == b.landed);
  CHECK(a.memory.digest() == b.memory.digest());
  CHECK(b.byte(64 * 3) == 4);
}

TEST_CASE("register accesses are carried out in order, at their time", "[model][timing]") {
  timing::MmioPort port;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> answers;
  port.on_answer([&](std::uint64_t tag, std::uint32_t value, Cycles) { answers.push_back({tag, value}); });
  port.write(0x10, 1, Cycles(5));
  port.write(0x14, 2, Cycles(5));
  port.read(0x18, 9, Cycles(6));
  port.write(0x1C, 3, Cycles(6));
  CHECK(port.next_activity(Cycles(0)).count() == 5);
  CHECK(port.quiet());
  CHECK_FALSE(port.empty());
  // A slave that takes an access every other cycle, answers two cycles later.
  std::vector<std::pair<std::uint64_t, std::uint16_t>> seen;
  std::deque<std::uint64_t> b_due;
  std::uint64_t r_due = ~0ull;
  for (std::uint64_t now = 0; now < 40; ++now) {
    const timing::MmioPins pins = port.pins(Cycles(now));
    timing::MmioAnswer a;
    a.awready = a.wready = a.arready = now % 2 == 0;
    if (pins.awvalid && a.awready) seen.push_back({now, pins.awaddr}), b_due.push_back(now + 2);
    if (pins.arvalid && a.arready) seen.push_back({now, pins.araddr}), r_due = now + 2;
    if ((a.bvalid = !b_due.empty() && b_due.front() <= now)) b_due.pop_front();
    if ((a.rvalid = r_due == now)) a.rdata = 0xABCD;
    port.step(a, Cycles(now));
  }
  REQUIRE(seen.size() == 4);
  CHECK(seen[0] == std::pair<std::uint64_t, std::uint16_t>{6, 0x10});
  CHECK(seen[1] == std::pair<std::uint64_t, std::uint16_t>{8, 0x14});
  CHECK(seen[2].second == 0x18);
  CHECK(seen[2].first >= 11);  // behind the answer to the second write
  CHECK(seen[3].second == 0x1C);
  CHECK(seen[3].first > seen[2].first + 2);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0] == std::pair<std::uint64_t, std::uint32_t>{9, 0xABCD});
  CHECK(port.empty());
}
