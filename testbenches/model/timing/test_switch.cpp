// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "models/timing/switch.hpp"
#include "testbenches/support/frames.hpp"

using namespace caravan;
using base::Time;
using support::make_frame;
using timing::Departure;
using timing::FaultAction;
using timing::FaultRule;
using timing::Switch;
using timing::SwitchConfig;

namespace {

/// Four ports, station i on port i.
SwitchConfig config() {
  SwitchConfig c;
  c.ports = 4;
  for (unsigned i = 0; i < 4; ++i) c.stations.push_back({support::station_mac(i), i});
  return c;
}

std::vector<Departure> pass(Switch& s, unsigned from, unsigned to, std::int64_t ps, std::size_t size = 138,
                            std::uint32_t psn = 0, std::uint8_t tos = 2) {
  std::vector<Departure> out;
  s.run_timers(Time::ps(ps), out);
  s.arrive(from, make_frame({.from = from, .to = to, .psn = psn, .tos = tos, .size = size}, Time::ps(ps), psn), out);
  return out;
}

std::vector<std::uint32_t> psns(const std::vector<Departure>& out) {
  std::vector<std::uint32_t> list;
  for (const auto& departure : out) list.push_back(timing::peek(*departure.frame.bytes).bth->psn.value());
  return list;
}

}  // namespace

TEST_CASE("switch: cut-through does not see the length, store and forward waits for all of it", "[timing][switch]") {
  for (const std::size_t size : {60u, 138u, 1500u, 9216u}) {
    Switch cut(config());
    auto out = pass(cut, 0, 1, 5'000, size);
    REQUIRE(out.size() == 1);
    CHECK(out[0].egress == 1);
    CHECK(out[0].ingress == 0);
    CHECK(out[0].frame.time == Time::ps(5'000 + 300'000));

    auto c = config();
    c.mode = timing::SwitchMode::kStoreAndForward;
    Switch store(c);
    out = pass(store, 0, 1, 5'000, size);
    REQUIRE(out.size() == 1);
    CHECK(out[0].frame.time == Time::ps(5'000 + 300'000 + (8 + static_cast<std::int64_t>(size) + 4) * 80));
  }
}

TEST_CASE("switch: two senders to one port: the second waits for frame and gap", "[timing][switch]") {
  Switch s(config());
  CHECK(pass(s, 0, 2, 1'000, 1500)[0].frame.time == Time::ps(301'000));
  CHECK(pass(s, 1, 2, 1'000, 60)[0].frame.time == Time::ps(301'000 + 1524 * 80));
  CHECK(pass(s, 3, 1, 2'000, 60)[0].frame.time == Time::ps(302'000));  // another port is free
  CHECK(s.stats()[2].queue_wait_ps == 1524 * 80);
  // The port is free again after the 60-byte frame and its gap: not one picosecond sooner.
  const std::int64_t free = 301'000 + 1524 * 80 + 84 * 80;
  CHECK(pass(s, 0, 2, free - 300'000 - 1, 60)[0].frame.time == Time::ps(free));
  CHECK(pass(s, 0, 2, free - 300'000 + 84 * 80 + 1, 60)[0].frame.time == Time::ps(free + 84 * 80 + 1));
}

TEST_CASE("switch: dynamic threshold: the last byte that fits, and the first that does not", "[timing][switch]") {
  for (const std::uint64_t extra : {0, 1}) {
    auto c = config();
    c.buffer = base::Bytes(9'000);
    c.alpha = 0.5;
    Switch s(c);
    // 1000 bytes at port 2: threshold 0.5 * (9000 - 1000) = 4000, so 3000 more may come for port 2.
    CHECK(pass(s, 0, 2, 0, 1'000).size() == 1);
    CHECK(pass(s, 1, 2, 0, 3'000 + extra).size() == 1 - extra);
    CHECK(s.stats()[2].drop_buffer == extra);
    CHECK(s.queue_bytes(2, Time::ps(0)) == (extra ? 1'000 : 4'000));
    // A port without a queue has the whole threshold.
    const std::uint64_t threshold = (9'000 - s.buffer_bytes(Time::ps(0))) / 2;
    CHECK(pass(s, 1, 3, 0, threshold + extra).size() == 1 - extra);
  }
}

TEST_CASE("switch: large alpha still never overfills the buffer", "[timing][switch]") {
  auto c = config();
  c.buffer = base::Bytes(3'000);
  c.alpha = 64;
  Switch s(c);
  CHECK(pass(s, 0, 2, 0, 2'900).size() == 1);
  CHECK(pass(s, 1, 3, 0, 101).empty());
  CHECK(pass(s, 1, 3, 0, 100).size() == 1);
  CHECK(s.buffer_bytes(Time::ps(0)) == 3'000);
}

TEST_CASE("switch: bytes are held until the last bit has left", "[timing][switch]") {
  Switch s(config());
  pass(s, 0, 2, 0, 1'000);
  const std::int64_t gone = 300'000 + 1'012 * 80;
  CHECK(s.queue_bytes(2, Time::ps(gone - 1)) == 1'000);
  CHECK(s.queue_bytes(2, Time::ps(gone)) == 0);
  CHECK(s.buffer_bytes(Time::ps(gone)) == 0);
  CHECK(s.stats()[2].max_queue_bytes == 1'000);
}

TEST_CASE("switch: ECN marks from Kmin on, always at Kmax, only capable frames, with a right checksum",
          "[timing][switch]") {
  auto c = config();
  c.ecn_kmin = base::Bytes(2'000);
  c.ecn_kmax = base::Bytes(2'001);
  Switch s(c);
  const auto ce = [](const std::vector<Departure>& out) { return ((*out.at(0).frame.bytes)[15] & 3) == 3; };
  CHECK_FALSE(ce(pass(s, 0, 2, 0, 1'000)));   // Q = 0
  CHECK_FALSE(ce(pass(s, 1, 2, 0, 1'000)));   // Q = 1000
  CHECK_FALSE(ce(pass(s, 0, 2, 0, 60)));      // Q = 2000 = Kmin
  const auto marked = pass(s, 1, 2, 0, 100);  // Q = 2060
  CHECK(ce(marked));
  CHECK(support::ipv4_sum(*marked[0].frame.bytes) == 0xFFFF);
  CHECK_FALSE(ce(pass(s, 0, 2, 0, 100, 0, 0)));  // not capable: passes unmarked
  CHECK(s.stats()[2].ecn_marked == 1);
  c.ecn = false;
  Switch off(c);
  for (int i = 0; i < 5; ++i) CHECK_FALSE(ce(pass(off, 0, 2, 0, 1'000)));
}

TEST_CASE("switch: between Kmin and Kmax the share of marks is linear up to Pmax", "[timing][switch]") {
  auto c = config();
  c.ecn_kmin = base::Bytes(0);
  c.ecn_kmax = base::Bytes(20'000);
  c.ecn_pmax = 0.4;
  std::uint64_t marks = 0;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    c.seed = seed;
    Switch s(c);
    pass(s, 0, 2, 0, 5'000, 0, 0), pass(s, 0, 2, 0, 5'000, 0, 0);  // Q = 10000, half way: 0.2
    pass(s, 1, 2, 0, 100);
    marks += s.stats()[2].ecn_marked;
  }
  CHECK(marks > 340);
  CHECK(marks < 460);
}

TEST_CASE("switch: unknown and group destinations are flooded, learned ones are not", "[timing][switch]") {
  auto c = config();
  c.stations.clear();
  Switch s(c);
  auto out = pass(s, 0, 3, 0);
  CHECK(out.size() == 3);
  for (const auto& departure : out) CHECK(departure.egress != 0);
  CHECK(pass(s, 3, 0, 1'000).size() == 1);  // learned from the first frame
  CHECK(pass(s, 0, 3, 2'000).size() == 1);
  CHECK(s.stats()[0].flooded == 1);

  auto bytes = *make_frame({.from = 0, .to = 3}).bytes;
  std::fill(bytes.begin(), bytes.begin() + 6, std::uint8_t{0xFF});
  out.clear();
  s.arrive(0, {Time::ps(3'000), 0, std::make_shared<const std::vector<std::uint8_t>>(bytes)}, out);
  CHECK(out.size() == 3);
}

TEST_CASE("switch: configured stations can't be moved, runts and frames to their own port are filtered",
          "[timing][switch]") {
  Switch s(config());
  std::vector<Departure> out;
  s.arrive(3, make_frame({.from = 0, .to = 1}), out);  // port 3 pretends to be station 0
  CHECK(pass(s, 1, 0, 1'000).at(0).egress == 0);
  out.clear();
  s.arrive(1, make_frame({.from = 2, .to = 1}), out);
  s.arrive(1, {Time::ps(0), 0, std::make_shared<const std::vector<std::uint8_t>>(13)}, out);
  CHECK(out.empty());
  CHECK(s.stats()[1].drop_filtered == 2);
}

TEST_CASE("switch: a bad FCS is dropped by store and forward, passed on by cut-through", "[timing][switch]") {
  for (const auto mode : {timing::SwitchMode::kCutThrough, timing::SwitchMode::kStoreAndForward}) {
    auto c = config();
    c.mode = mode;
    Switch s(c);
    auto frame = make_frame({});
    frame.bad_fcs = true;
    std::vector<Departure> out;
    s.arrive(0, frame, out);
    const bool passes = mode == timing::SwitchMode::kCutThrough;
    CHECK(out.size() == passes);
    if (passes) CHECK(out[0].frame.bad_fcs);
    CHECK(s.stats()[0].drop_bad_fcs == !passes);
  }
}

TEST_CASE("switch: fault actions act at the exact time", "[timing][switch][faults]") {
  auto c = config();
  FaultRule rule;
  rule.shots = 1;
  rule.skip = 1;

  SECTION("drop") {
    rule.action = FaultAction::kDrop;
    c.faults = {rule};
    Switch s(c);
    CHECK(pass(s, 0, 1, 0).size() == 1);
    CHECK(pass(s, 0, 1, 100'000).empty());
    CHECK(pass(s, 0, 1, 200'000).size() == 1);
    CHECK(s.stats()[1].drop_fault == 1);
    CHECK(s.fault_counts()[0].matched == 3);
    CHECK(s.fault_counts()[0].struck == 1);
  }
  SECTION("duplicate: the copy follows right behind") {
    rule.action = FaultAction::kDuplicate;
    rule.copies = 2;
    c.faults = {rule};
    Switch s(c);
    pass(s, 0, 1, 0);
    const auto out = pass(s, 0, 1, 100'000, 138, 7);
    REQUIRE(psns(out) == std::vector<std::uint32_t>{7, 7, 7});
    CHECK(out[0].frame.time == Time::ps(400'000));
    CHECK(out[1].frame.time == Time::ps(400'000 + 162 * 80));
    CHECK(out[2].frame.time == Time::ps(400'000 + 324 * 80));
  }
  SECTION("delay: by its time, and others pass meanwhile") {
    rule.action = FaultAction::kDelay;
    rule.delay = Time::ns(150);
    c.faults = {rule};
    Switch s(c);
    pass(s, 0, 1, 0);
    CHECK(pass(s, 0, 1, 100'000, 138, 1).empty());
    CHECK(s.next_timer() == Time::ps(250'000));
    CHECK(psns(pass(s, 0, 1, 200'000, 138, 2)) == std::vector<std::uint32_t>{2});
    std::vector<Departure> out;
    s.run_timers(Time::ps(249'999), out);
    CHECK(out.empty());
    s.run_timers(Time::ps(250'000), out);
    REQUIRE(psns(out) == std::vector<std::uint32_t>{1});
    CHECK(out[0].frame.time == Time::ps(550'000));
    CHECK(s.next_timer().is_never());
  }
  SECTION("reorder: right behind the frame that overtakes last") {
    rule.action = FaultAction::kReorder;
    rule.overtaken_by = 2;
    rule.delay = Time::us(50);
    c.faults = {rule};
    Switch s(c);
    pass(s, 0, 1, 0);
    CHECK(pass(s, 0, 1, 100'000, 138, 1).empty());
    CHECK(psns(pass(s, 0, 2, 150'000, 138, 9)) == std::vector<std::uint32_t>{9});  // another egress port does not count
    CHECK(psns(pass(s, 0, 1, 200'000, 138, 2)) == std::vector<std::uint32_t>{2});
    const auto out = pass(s, 0, 1, 300'000, 138, 3);
    REQUIRE(psns(out) == std::vector<std::uint32_t>{3, 1});
    CHECK(out[1].frame.time == out[0].frame.time + Time::ps(162 * 80));
  }
  SECTION("reorder: nobody overtakes, so it goes on when its time is over") {
    rule.action = FaultAction::kReorder;
    rule.delay = Time::us(5);
    c.faults = {rule};
    Switch s(c);
    pass(s, 0, 1, 0);
    CHECK(pass(s, 0, 1, 100'000, 138, 1).empty());
    CHECK(s.next_timer() == Time::ps(5'100'000));
    std::vector<Departure> out;
    s.run_timers(Time::ps(5'100'000), out);
    CHECK(psns(out) == std::vector<std::uint32_t>{1});
  }
  SECTION("corrupt and mark ECN") {
    rule.action = FaultAction::kCorrupt;
    rule.corrupt_offset = 100;
    rule.corrupt_mask = 0xFF;
    FaultRule mark = rule;
    mark.action = FaultAction::kMarkEcn;
    c.faults = {rule, mark};
    Switch s(c);
    CHECK((*pass(s, 0, 1, 0, 138, 0, 0)[0].frame.bytes)[100] == 0);
    const auto out = pass(s, 0, 1, 100'000, 138, 0, 0);
    REQUIRE(out.size() == 1);
    CHECK((*out[0].frame.bytes)[100] == 0xFF);
    CHECK((*out[0].frame.bytes)[15] == 3);
    CHECK(support::ipv4_sum(*out[0].frame.bytes) == 0xFFFF);
    CHECK_FALSE(out[0].frame.bad_fcs);
    CHECK(s.stats()[1].ecn_marked == 0);
  }
}
