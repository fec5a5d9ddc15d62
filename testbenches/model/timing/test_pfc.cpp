// SPDX-License-Identifier: Apache-2.0
// Priority flow control in the switch: frames, exact times of pauses, thresholds, headroom, priorities.
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "models/timing/mac.hpp"
#include "models/timing/switch.hpp"
#include "testbenches/support/frames.hpp"

using namespace caravan;
using base::Time;
using support::make_frame;
using timing::Departure;
using timing::PauseFrame;
using timing::Switch;
using timing::SwitchConfig;

namespace {

constexpr std::int64_t kByte = 80;  // ps at 100 Gb/s

SwitchConfig config() {
  SwitchConfig c;
  c.ports = 4;
  c.ecn = false;
  for (unsigned i = 0; i < 4; ++i) c.stations.push_back({support::station_mac(i), i});
  c.pfc.enabled = true;
  c.pfc.lossless = 0x08;
  c.pfc.priority_of = timing::PfcConfig::class_selectors();
  c.pfc.xoff = base::Bytes(6'000);
  c.pfc.xon = base::Bytes(3'000);
  c.pfc.headroom = base::Bytes(4'000);
  return c;
}

constexpr std::uint8_t kLossless = 26 << 2, kLossy = 0;

void arrive(Switch& s, std::vector<Departure>& out, unsigned from, unsigned to, std::int64_t ps, std::size_t size,
            std::uint8_t tos = kLossless, std::uint32_t psn = 0) {
  s.run_timers(Time::ps(ps), out);
  s.arrive(from, make_frame({.from = from, .to = to, .psn = psn, .tos = tos, .size = size}, Time::ps(ps), psn), out);
}

std::vector<Departure> pauses(const std::vector<Departure>& out) {
  std::vector<Departure> list;
  for (const auto& d : out) {
    if (timing::parse_pause(*d.frame.bytes)) list.push_back(d);
  }
  return list;
}

base::Frame pause_from_station(std::uint16_t quanta, std::int64_t ps, std::uint8_t enabled = 0x08) {
  PauseFrame pause;
  pause.enabled = enabled;
  pause.quanta.fill(quanta);
  return {Time::ps(ps), 0, std::make_shared<const std::vector<std::uint8_t>>(timing::make_pause(2, pause)), false};
}

}  // namespace

TEST_CASE("pfc: a pause frame, byte by byte", "[timing][pfc]") {
  PauseFrame pause;
  pause.enabled = 0x48;
  pause.quanta[3] = 0x1234;
  pause.quanta[6] = 0xFFFF;
  const auto f = timing::make_pause(0x0200'0000'0007, pause);
  const std::vector<std::uint8_t> head = {0x01, 0x80, 0xC2, 0, 0, 1, 2, 0,    0,    0, 0, 7, 0x88, 0x08, 1,    1, 0,
                                          0x48, 0,    0,    0, 0, 0, 0, 0x12, 0x34, 0, 0, 0, 0,    0xFF, 0xFF, 0, 0};
  REQUIRE(f.size() == 60);
  REQUIRE(std::vector<std::uint8_t>(f.begin(), f.begin() + 34) == head);
  const auto back = timing::parse_pause(f);
  REQUIRE(back);
  CHECK(back->enabled == 0x48);
  CHECK(back->quanta == pause.quanta);
  auto other = f;
  other[15] = 0;  // the pause of 802.3x, without priorities
  CHECK_FALSE(timing::parse_pause(other));
  CHECK(timing::pause_time(0xFFFF, base::Rate::gbps(100)) == Time::ps(65535 * 5120));
}

TEST_CASE("pfc: without pauses, times are those of the plain switch", "[timing][pfc]") {
  for (const auto mode : {timing::SwitchMode::kCutThrough, timing::SwitchMode::kStoreAndForward}) {
    auto c = config();
    c.mode = mode;
    c.pfc.xoff = base::Bytes(1'000'000);
    auto plain = c;
    plain.pfc.enabled = false;
    Switch with(c), without(plain);
    std::vector<Departure> a, b;
    base::Rng rng(4);
    std::int64_t now = 1'000;
    for (unsigned i = 0; i < 2'000; ++i, now += static_cast<std::int64_t>(rng.below(100'000))) {
      const unsigned from = static_cast<unsigned>(rng.below(3)), size = 60 + static_cast<unsigned>(rng.below(1500));
      arrive(with, a, from, 3, now, size, kLossless, i);
      arrive(without, b, from, 3, now, size, kLossless, i);
    }
    with.run_timers(Time::ms(10), a);
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      REQUIRE(a[i].frame.time == b[i].frame.time);
      REQUIRE(a[i].frame.sequence == b[i].frame.sequence);
    }
    CHECK(with.stats()[3].max_queue_bytes == without.stats()[3].max_queue_bytes);
    CHECK(with.stats()[3].queue_wait_ps == without.stats()[3].queue_wait_ps);
  }
}

TEST_CASE("pfc: a sender is paused above xoff, renewed at half time, resumed at xon", "[timing][pfc]") {
  Switch s(config());
  std::vector<Departure> out;
  // Port 3 is paused by its station, so that what port 0 sends stays.
  s.arrive(3, pause_from_station(0xFFFF, 0), out);
  for (unsigned i = 0; i < 6; ++i) arrive(s, out, 0, 3, 1'000 * (i + 1), 1'000, kLossless, i);
  REQUIRE(out.empty());  // 6000 bytes: not above
  arrive(s, out, 0, 3, 7'000, 1'000, kLossless, 6);
  REQUIRE(out.size() == 1);
  CHECK(out[0].egress == 0);
  CHECK(out[0].frame.time == Time::ps(7'000 + 300'000));
  const auto pause = timing::parse_pause(*out[0].frame.bytes);
  REQUIRE(pause);
  CHECK(pause->enabled == 0x08);
  CHECK(pause->quanta[3] == 0xFFFF);
  CHECK(pause->quanta[2] == 0);
  // Renewed after half of the time, to the picosecond.
  const std::int64_t renewal = 7'000 + 0x7FFF * 5'120;
  CHECK(s.next_timer() == Time::ps(renewal));
  s.run_timers(Time::ps(renewal), out);
  REQUIRE(pauses(out).size() == 2);
  CHECK(pauses(out)[1].frame.time == Time::ps(renewal + 300'000));
  out.clear();
  // The station takes its pause back: frames leave; the fourth one that has left brings port 0 to xon.
  const std::int64_t resumed = renewal + 1'000;
  s.run_timers(Time::ps(resumed), out);
  s.arrive(3, pause_from_station(0, resumed), out);
  s.run_timers(Time::ms(1), out);
  const auto resume = pauses(out);
  REQUIRE(resume.size() == 1);
  const std::int64_t fourth_end = resumed + 300'000 + 3 * 1'024 * kByte + 1'012 * kByte;
  CHECK(resume[0].frame.time == Time::ps(fourth_end + 300'000));
  CHECK(timing::parse_pause(*resume[0].frame.bytes)->quanta[3] == 0);
  CHECK(out.size() == 8);
  const auto stats = s.pfc_stats();
  CHECK(stats[0].pause_sent == 2);
  CHECK(stats[0].resume_sent == 1);
  CHECK(stats[0].max_ingress_bytes == 7'000);
  CHECK(stats[3].pause_received == 2);
  CHECK(stats[3].paused == Time::ps(resumed - 1'000));
  CHECK(s.next_timer().is_never());
}

TEST_CASE("pfc: a pause ends by itself at its exact time; the frame already chosen still leaves", "[timing][pfc]") {
  Switch s(config());
  std::vector<Departure> out;
  arrive(s, out, 0, 3, 0, 1'000, kLossless, 0);
  REQUIRE(out.size() == 1);  // chosen at once, before the pause
  s.arrive(3, pause_from_station(100, 1'000), out);
  arrive(s, out, 0, 3, 2'000, 1'000, kLossless, 1);
  arrive(s, out, 0, 3, 3'000, 1'000, kLossy, 2);  // another priority is not paused
  s.run_timers(Time::ms(1), out);
  REQUIRE(out.size() == 3);
  CHECK(out[1].frame.sequence == 2);
  CHECK(out[1].frame.time == Time::ps(300'000 + 1'024 * kByte));
  CHECK(out[2].frame.sequence == 1);
  CHECK(out[2].frame.time == Time::ps(1'000 + 100 * 5'120 + 300'000));
}

TEST_CASE("pfc: headroom: the last byte that fits; the lossy priority is not held to it", "[timing][pfc]") {
  for (const unsigned extra : {0u, 1u}) {
    Switch s(config());
    std::vector<Departure> out;
    s.arrive(3, pause_from_station(0xFFFF, 0, 0xFF), out);
    for (unsigned i = 0; i < 9; ++i) arrive(s, out, 0, 3, 1'000 * (i + 1), 1'000, kLossless, i);
    arrive(s, out, 0, 3, 20'000, 1'000 + extra, kLossless, 9);
    CHECK(s.stats()[3].drop_buffer == extra);
    CHECK(s.pfc_stats()[0].drop_headroom == extra);
    for (unsigned i = 0; i < 20; ++i) arrive(s, out, 0, 3, 30'000 + i, 1'000, kLossy, i);
    CHECK(s.stats()[3].drop_buffer == extra);
  }
}

TEST_CASE("pfc: priorities take turns", "[timing][pfc]") {
  auto c = config();
  c.pfc.xoff = base::Bytes(100'000);
  Switch s(c);
  std::vector<Departure> out;
  for (unsigned i = 0; i < 6; ++i) arrive(s, out, 0, 3, 0, 500, kLossy, i);
  for (unsigned i = 0; i < 3; ++i) arrive(s, out, 1, 3, 0, 500, 48 << 2, 100 + i);
  s.run_timers(Time::ms(1), out);
  std::vector<std::uint64_t> order;
  for (const auto& d : out) order.push_back(d.frame.sequence);
  CHECK(order == std::vector<std::uint64_t>{0, 100, 1, 101, 2, 102, 3, 4, 5});
}

TEST_CASE("switch: MAC control frames are not forwarded", "[timing][pfc]") {
  auto c = config();
  c.pfc.enabled = false;
  Switch s(c);
  std::vector<Departure> out;
  s.arrive(3, pause_from_station(0xFFFF, 0), out);
  CHECK(out.empty());
  CHECK(s.stats()[3].drop_filtered == 1);
}

TEST_CASE("switch: queue samples at exact times", "[timing][switch]") {
  auto c = config();
  c.pfc.enabled = false;
  c.sample_every = Time::ns(500);
  Switch s(c);
  std::vector<Departure> out;
  for (unsigned i = 0; i < 10; ++i) arrive(s, out, 0, 3, 1'000, 1'000, kLossless, i);
  arrive(s, out, 0, 2, 2'000'000, 60);
  const auto& samples = s.queue_samples();
  REQUIRE(samples.size() == 5);
  CHECK(samples[0].bytes[3] == 0);
  // Frame i has left at 1 + 300 + 81.92 i + 80.96 ns.
  CHECK(samples[1].bytes[3] == 8'000);  // 500 ns: i = 0 (381.96) and i = 1 (463.88)
  CHECK(samples[2].bytes[3] == 2'000);  // 1000 ns: up to i = 7 (955.4)
  CHECK(samples[3].bytes[3] == 0);
}
