// SPDX-License-Identifier: Apache-2.0
#include <sstream>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "models/base/rng.hpp"
#include "models/timing/mac.hpp"
#include "testbenches/support/death.hpp"

using namespace caravan;
using base::Cycles;
using base::Time;
using timing::MacConfig;
using timing::MacPins;
using timing::MacRx;
using timing::MacTx;

namespace {

constexpr std::int64_t kPeriod = 4000, kTx = 78'000, kRx = 85'000;

/// Offers frames of the given sizes as fast as the MAC takes them; returns what came out and the cycle of each last
/// beat.
struct Sender {
  MacTx mac{MacConfig{}};
  std::uint64_t now = 0;
  base::FrameOutbox out;
  std::vector<std::uint64_t> last_at;
  std::uint64_t stalls = 0;

  void send(std::size_t size, std::uint8_t fill = 0, bool err = false) {
    for (std::size_t from = 0; from < size; from += 64) {
      MacPins pins;
      pins.valid = true;
      pins.beat.data.fill(fill);
      pins.beat.bytes = static_cast<std::uint8_t>(std::min<std::size_t>(64, size - from));
      pins.beat.last = from + 64 >= size;
      pins.beat.err = err && pins.beat.last;
      for (bool taken = false; !taken; ++now) {
        taken = mac.ready();
        stalls += !taken;
        if (taken && pins.beat.last) last_at.push_back(now);
        mac.step(pins, Cycles(now), out);
      }
    }
  }
  void idle(std::uint64_t cycles) {
    for (const MacPins none; cycles > 0; --cycles) mac.step(none, Cycles(now++), out);
  }
};

base::Frame frame_at(std::int64_t ps, std::size_t size, bool bad = false) {
  std::vector<std::uint8_t> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + 1);
  return {Time::ps(ps), 0, std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes)), bad};
}

struct Seen {
  std::uint64_t cycle;
  unsigned bytes;
  bool last, err;
  bool operator==(const Seen&) const = default;
};

/// Steps to `end`; returns the beats with the cycle at which each is taken.
std::vector<Seen> listen(MacRx& mac, std::uint64_t& now, std::uint64_t end) {
  std::vector<Seen> seen;
  for (; now < end; ++now) {
    if (mac.pins().valid) seen.push_back({now, mac.pins().beat.bytes, mac.pins().beat.last, mac.pins().beat.err});
    mac.step(Cycles(now));
  }
  return seen;
}

}  // namespace

TEST_CASE("mac tx: an idle line starts the preamble a latency after the last beat", "[timing][mac]") {
  Sender s;
  s.idle(10);
  s.send(138);  // cycles 10, 11, 12
  REQUIRE(s.out.size() == 1);
  CHECK(s.last_at.back() == 12);
  CHECK(s.out[0].time == Time::ps(12 * kPeriod + kTx));
  CHECK(s.out[0].bytes->size() == 138);
}

TEST_CASE("mac tx: short frames are padded to 60 bytes with zeros", "[timing][mac]") {
  Sender s;
  s.send(14, 0xFF);
  s.send(59, 0xFF);
  s.send(60, 0xFF);
  s.send(61, 0xFF);
  REQUIRE(s.out.size() == 4);
  CHECK(s.out[0].bytes->size() == 60);
  CHECK((*s.out[0].bytes)[13] == 0xFF);
  CHECK((*s.out[0].bytes)[14] == 0);
  CHECK(s.out[1].bytes->size() == 60);
  CHECK(s.out[2].bytes->size() == 60);
  CHECK(s.out[3].bytes->size() == 61);
  CHECK(s.mac.stats().bytes == 14 + 59 + 60 + 61);
}

TEST_CASE("mac tx: back-to-back frames keep the line rate to the picosecond", "[timing][mac]") {
  struct Case {
    std::size_t size;
    std::int64_t slot_ps;  // preamble 8 + frame + FCS 4 + gap 12, at 80 ps a byte
  };
  // 60 is the 64-byte minimum with FCS; 4170 is 4 KiB of payload with Ethernet, IPv4, UDP, BTH, RETH and ICRC.
  for (const auto& [size, slot] :
       {Case{60, 6'720}, {1'500, 121'920}, {1'514, 123'040}, {4'170, 335'520}, {9'216, 739'200}}) {
    Sender s;
    for (int i = 0; i < 1000; ++i) s.send(size);
    REQUIRE(s.out.size() == 1000);
    const auto beats = static_cast<std::int64_t>((size + 63) / 64);
    CHECK(s.out[0].time == Time::ps((beats - 1) * kPeriod + kTx));
    for (std::size_t i = 1; i < s.out.size(); ++i) {
      REQUIRE(s.out[i].time - s.out[i - 1].time == Time::ps(slot));
      REQUIRE(s.out[i].sequence == i);
    }
    CHECK(s.stalls > 0);  // the node offers 128 Gb/s, the line takes 100
  }
  // Payload goodput of 4 KiB writes: 4096 bytes each 335.52 ns.
  CHECK(4096.0 * 8 / 335.52 > 97.66);
}

TEST_CASE("mac tx: the FIFO holds exactly its size", "[timing][mac]") {
  MacConfig config;
  config.line_rate = base::Rate::bps(1'000'000'000);  // 8 ns a byte: nothing leaves while it fills
  config.max_frame = base::Bytes(1518);
  config.tx_fifo = base::Bytes(2048);
  MacTx mac(config);
  base::FrameOutbox out;
  MacPins pins;
  pins.valid = true;
  pins.beat.last = true;
  std::uint64_t now = 0, taken = 0;
  for (; mac.ready(); ++now, ++taken) mac.step(pins, Cycles(now), out);
  // Frame 0 starts to leave at its edge: 8 bytes of preamble take 64 ns, so by cycle 32 (128 ns) 8 bytes have left.
  CHECK(taken == 32);
  // 64 bytes of the first frame have left after preamble and frame: 72 bytes, 576 ns; the edge at which ready is seen.
  while (!mac.ready()) mac.step(pins, Cycles(now++), out);
  CHECK(now == 144);
  CHECK(mac.next_activity(Cycles(now)).is_never());
}

TEST_CASE("mac tx: oversize and aborted frames are dropped and counted, the next one passes", "[timing][mac]") {
  Sender s;
  s.send(9'217);
  s.send(40'000);
  s.send(200, 1, true);
  s.send(9'216);
  REQUIRE(s.out.size() == 1);
  CHECK(s.out[0].bytes->size() == 9'216);
  CHECK(s.out[0].sequence == 0);
  CHECK(s.mac.stats().oversize == 2);
  CHECK(s.mac.stats().aborted == 1);
  CHECK(s.mac.quiet());
}

TEST_CASE("mac tx: a hole inside a frame is a broken invariant", "[timing][mac]") {
  const auto words = support::dying_words([] {
    MacTx mac{MacConfig{}};
    base::FrameOutbox out;
    MacPins pins;
    pins.valid = true;
    pins.beat.bytes = 63;
    mac.step(pins, Cycles(3), out);
  });
  CHECK(words.find("12000 ps, cycle 3, mac: a beat of 63 bytes") != std::string::npos);
}

TEST_CASE("mac rx: each beat is taken at the first edge after its last byte and the latency", "[timing][mac]") {
  MacRx mac{MacConfig{}};
  std::uint64_t now = 0;
  mac.push(frame_at(1'000, 150));
  // Beat 0: 72 bytes, 5760 ps: 91760 -> cycle 23. Beat 1: 136 bytes, 10880: 96880 -> 25. Beat 2: preamble, 150, FCS =
  // 162 bytes, 12960: 98960 -> 25 too, where beat 1 is, so 26.
  CHECK(listen(mac, now, 100) ==
        std::vector<Seen>{{23, 64, false, false}, {25, 64, false, false}, {26, 22, true, false}});
  CHECK(mac.quiet());
}

TEST_CASE("mac rx: on the edge exactly, and one picosecond later", "[timing][mac]") {
  for (const auto& [extra, cycle] : {std::pair<std::int64_t, std::uint64_t>{0, 100}, {1, 101}}) {
    MacRx mac{MacConfig{}};
    std::uint64_t now = 0;
    mac.push(frame_at(100 * kPeriod - kRx - 72 * 80 + extra, 60));
    CHECK(listen(mac, now, 200) == std::vector<Seen>{{cycle, 60, true, false}});
  }
}

TEST_CASE("mac rx: beats of a long frame come at the line's rate", "[timing][mac]") {
  MacRx mac{MacConfig{}};
  std::uint64_t now = 0;
  mac.push(frame_at(0, 4'096));
  const auto seen = listen(mac, now, 200);
  REQUIRE(seen.size() == 64);
  for (std::int64_t i = 0; i < 64; ++i) {
    const std::int64_t bytes = 8 + 64 * (i + 1) + (i == 63 ? 4 : 0);
    CHECK(seen[static_cast<std::size_t>(i)].cycle ==
          static_cast<std::uint64_t>((bytes * 80 + kRx + kPeriod - 1) / kPeriod));
  }
}

TEST_CASE("mac rx: the FCS mark comes with the last beat", "[timing][mac]") {
  MacRx mac{MacConfig{}};
  std::uint64_t now = 0;
  mac.push(frame_at(0, 100, true));
  mac.push(frame_at(20'000, 60, false));
  const auto seen = listen(mac, now, 60);
  REQUIRE(seen.size() == 3);
  CHECK_FALSE(seen[0].err);
  CHECK((seen[1].err && seen[1].last));
  CHECK_FALSE(seen[2].err);
  CHECK(mac.stats().bad_fcs == 1);
  CHECK(mac.stats().frames == 2);
}

TEST_CASE("mac rx: a frame may be pushed until time + lookahead, and not later", "[timing][mac]") {
  const Time lookahead = MacRx(MacConfig{}).lookahead();
  CHECK(lookahead == Time::ps(72 * 80 + kRx - kPeriod));
  for (std::int64_t time = 500'000; time < 504'000; time += 333) {
    MacRx mac{MacConfig{}};
    // The run that begins at the last allowed moment: its first edge is the first one at or after it.
    std::uint64_t now = static_cast<std::uint64_t>(((Time::ps(time) + lookahead).in_ps() + kPeriod - 1) / kPeriod);
    mac.push(frame_at(time, 60));
    CHECK(listen(mac, now, 300).size() == 1);
  }
  const auto words = support::dying_words([] {
    MacRx mac{MacConfig{}};
    mac.push(frame_at(500'000, 60));
    mac.step(Cycles(148));
  });
  CHECK(words.find("handed over too late") != std::string::npos);
}

TEST_CASE("mac rx: oversize frames are dropped and counted", "[timing][mac]") {
  MacRx mac{MacConfig{}};
  std::uint64_t now = 0;
  mac.push(frame_at(0, 9'217));
  CHECK(mac.quiet());
  mac.push(frame_at(800'000, 9'216));
  CHECK(listen(mac, now, 600).size() == 144);
  CHECK(mac.stats().oversize == 1);
}

TEST_CASE("mac: leaving out steps as next_activity allows changes nothing", "[timing][mac]") {
  base::Rng rng(11);
  std::vector<base::Frame> frames;
  std::int64_t time = 0;
  for (int i = 0; i < 50; ++i) {
    frames.push_back(frame_at(time, 60 + rng.below(1500)));
    time += (frames.back().bytes->size() + 24) * 80 + rng.below(3) * rng.below(900'000);
  }
  const auto run = [&](bool skip) {
    MacRx rx{MacConfig{}};
    MacTx tx{MacConfig{}};
    base::FrameOutbox out;
    for (const auto& frame : frames) rx.push(frame);
    std::uint64_t steps = 0;
    for (std::uint64_t now = 0; now < 20'000; ++now) {
      if (skip) {
        now = std::max(now, std::min(rx.next_activity(Cycles(now)), tx.next_activity(Cycles(now))).count());
        if (now >= 20'000) break;
      }
      const MacPins pins = rx.pins();  // what comes in goes out again
      rx.step(Cycles(now));
      tx.step(pins, Cycles(now), out);
      ++steps;
    }
    std::stringstream state;
    rx.serialize(state);
    tx.serialize(state);
    std::vector<std::int64_t> times;
    for (const auto& frame : out) times.push_back(frame.time.in_ps());
    return std::tuple(times, state.str(), steps);
  };
  const auto all = run(false), some = run(true);
  CHECK(std::get<0>(all) == std::get<0>(some));
  CHECK(std::get<1>(all) == std::get<1>(some));
  CHECK(std::get<0>(all).size() == 50);
  CHECK(std::get<2>(some) < std::get<2>(all) / 2);
}

TEST_CASE("mac: saved in the middle of a frame and loaded, both go on the same", "[timing][mac]") {
  Sender a, b;
  a.send(60), a.send(9'000);
  MacPins part;
  part.valid = true;
  a.mac.step(part, Cycles(a.now++), a.out);
  std::stringstream state;
  a.mac.serialize(state);
  b.mac.deserialize(state);
  b.now = a.now;
  a.out.clear();
  a.send(4'000), b.send(4'000);
  REQUIRE(b.out.size() == 1);
  CHECK(b.out[0].time == a.out[0].time);
  CHECK(b.out[0].bytes->size() == 4'064);
  CHECK(b.out[0].sequence == 2);

  MacRx c{MacConfig{}}, d{MacConfig{}};
  std::uint64_t now = 0;
  c.push(frame_at(0, 1'000)), c.push(frame_at(100'000, 60));
  listen(c, now, 20);
  std::stringstream rx;
  c.serialize(rx);
  d.deserialize(rx);
  std::uint64_t again = now;
  CHECK(listen(c, now, 200) == listen(d, again, 200));
}
