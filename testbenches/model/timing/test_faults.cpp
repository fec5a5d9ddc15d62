// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <set>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "models/timing/faults.hpp"
#include "testbenches/support/frames.hpp"

using namespace caravan;
using support::make_frame;
using support::RoceFrame;
using timing::FaultAction;
using timing::FaultInjector;
using timing::FaultRule;

namespace {

FaultRule rule(FaultAction action) {
  FaultRule r;
  r.action = action;
  return r;
}

/// Which of n frames the rule strikes.
std::vector<unsigned> struck(const FaultRule& r, std::uint64_t seed, unsigned n) {
  FaultInjector injector({r}, seed);
  std::vector<unsigned> hits;
  for (unsigned i = 0; i < n; ++i) {
    if (!injector.decide(0, 1, make_frame({.psn = i})).untouched()) hits.push_back(i);
  }
  return hits;
}

}  // namespace

TEST_CASE("peek: fields of a RoCE frame, and nothing in others", "[timing][faults]") {
  const auto view =
      timing::peek(*make_frame({.from = 3, .to = 5, .opcode = 0x11, .qp = 0x123456, .psn = 0xABCDEF}).bytes);
  CHECK(view.src_mac == support::station_mac(3));
  CHECK(view.dst_mac == support::station_mac(5));
  CHECK(view.src_ip == support::station_ip(3));
  CHECK(view.dst_ip == support::station_ip(5));
  REQUIRE(view.bth);
  CHECK(view.bth->opcode == 0x11);
  CHECK(view.bth->dest_qp == base::Qpn(0x123456));
  CHECK(view.bth->psn == base::Psn(0xABCDEF));
  CHECK(view.bth->offset == 42);

  auto bytes = *make_frame({}).bytes;
  bytes[37] ^= 1;  // another UDP port
  CHECK_FALSE(timing::peek(bytes).bth);
  bytes = *make_frame({}).bytes;
  bytes[21] = 1;  // a later fragment
  CHECK_FALSE(timing::peek(bytes).bth);
  for (std::size_t size = 0; size <= 138; ++size) {
    auto cut = *make_frame({}).bytes;
    cut.resize(size);
    CHECK(timing::peek(cut).bth.has_value() == (size >= 54));
  }
  std::vector<std::uint8_t> v6(14 + 40 + 8 + 12, 0);
  v6[12] = 0x86, v6[13] = 0xDD, v6[14] = 0x60, v6[20] = 17, v6[56] = 0x12, v6[57] = 0xB7, v6[62] = 0x0A;
  REQUIRE(timing::peek(v6).bth);
  CHECK(timing::peek(v6).bth->opcode == 0x0A);
  CHECK_FALSE(timing::peek(v6).src_ip);
}

TEST_CASE("ecn: marking keeps the IPv4 checksum right for every TOS", "[timing][faults]") {
  for (unsigned tos = 0; tos < 256; ++tos) {
    auto bytes = *make_frame({.psn = 7, .tos = static_cast<std::uint8_t>(tos)}).bytes;
    REQUIRE(support::ipv4_sum(bytes) == 0xFFFF);
    const bool capable = (tos & 3) != 0;
    CHECK(timing::mark_ce(bytes, true) == capable);
    if (!capable) CHECK(timing::mark_ce(bytes, false));
    CHECK(bytes[15] == (tos | 3));
    CHECK(support::ipv4_sum(bytes) == 0xFFFF);
  }
}

TEST_CASE("faults: every match field decides", "[timing][faults]") {
  const auto frame = make_frame({.from = 3, .to = 5, .opcode = 0x0A, .qp = 17});
  const auto strikes = [&](auto set) {
    auto r = rule(FaultAction::kDrop);
    set(r.match);
    return FaultInjector({r}, 1).decide(3, 5, frame).drop;
  };
  CHECK(strikes([](auto&) {}));
  CHECK(strikes([](auto& m) { m.ingress_port = 3; }));
  CHECK_FALSE(strikes([](auto& m) { m.ingress_port = 5; }));
  CHECK(strikes([](auto& m) { m.egress_port = 5; }));
  CHECK_FALSE(strikes([](auto& m) { m.egress_port = 3; }));
  CHECK(strikes([](auto& m) { m.dest_qp = base::Qpn(17); }));
  CHECK_FALSE(strikes([](auto& m) { m.dest_qp = base::Qpn(18); }));
  CHECK(strikes([](auto& m) { m.opcode = 0x0A; }));
  CHECK_FALSE(strikes([](auto& m) { m.opcode = 0x11; }));
  CHECK(strikes([](auto& m) { m.source_mac = support::station_mac(3); }));
  CHECK_FALSE(strikes([](auto& m) { m.source_mac = support::station_mac(5); }));
  CHECK(strikes([](auto& m) { m.destination_mac = support::station_mac(5); }));
  CHECK_FALSE(strikes([](auto& m) { m.destination_mac = support::station_mac(3); }));
  CHECK(strikes([](auto& m) { m.source_ip = support::station_ip(3); }));
  CHECK_FALSE(strikes([](auto& m) { m.source_ip = support::station_ip(5); }));
  CHECK(strikes([](auto& m) { m.destination_ip = support::station_ip(5); }));
  CHECK_FALSE(strikes([](auto& m) { m.destination_ip = support::station_ip(3); }));
  CHECK_FALSE(strikes([](auto& m) {
    m.ingress_port = 3;
    m.opcode = 0x11;
  }));
}

TEST_CASE("faults: PSNs relative to the first of a flow, over the wrap", "[timing][faults]") {
  auto r = rule(FaultAction::kDrop);
  r.match.relative_psn = timing::FaultMatch::PsnRange{2, 3};
  FaultInjector injector({r}, 1);
  std::vector<bool> dropped;
  for (unsigned i = 0; i < 6; ++i) {
    const std::uint32_t psn = (0xFFFFFE + i) & 0xFFFFFF;
    dropped.push_back(injector.decide(0, 1, make_frame({.qp = 1, .psn = psn})).drop);
    CHECK_FALSE(injector.decide(0, 1, make_frame({.qp = 2, .psn = 50})).drop);  // another flow has its own first
  }
  CHECK(dropped == std::vector<bool>{false, false, true, true, false, false});
}

TEST_CASE("faults: skip and shots are exact", "[timing][faults]") {
  auto r = rule(FaultAction::kDrop);
  r.skip = 3;
  r.shots = 2;
  CHECK(struck(r, 1, 10) == std::vector<unsigned>{3, 4});
  r.shots = 0;
  CHECK(struck(r, 1, 6) == std::vector<unsigned>{3, 4, 5});
}

TEST_CASE("faults: probability is seeded, near its value, and limited by shots", "[timing][faults]") {
  auto r = rule(FaultAction::kDrop);
  r.probability = 0.1;
  const auto one = struck(r, 42, 10'000);
  CHECK(one == struck(r, 42, 10'000));
  CHECK(one != struck(r, 43, 10'000));
  CHECK(one.size() > 900);
  CHECK(one.size() < 1100);
  r.shots = 5;
  CHECK(struck(r, 42, 10'000) == std::vector<unsigned>(one.begin(), one.begin() + 5));
  r.probability = 0.0;
  CHECK(struck(r, 42, 1'000).empty());
}

TEST_CASE("faults: a decision depends on the rule's own frames only", "[timing][faults]") {
  auto only_qp = rule(FaultAction::kDrop);
  only_qp.match.dest_qp = base::Qpn(1);
  only_qp.probability = 0.3;
  const auto decisions = [&](bool noise) {
    FaultInjector injector({rule(FaultAction::kMarkEcn), only_qp}, 9);
    std::vector<bool> drops;
    for (unsigned i = 0; i < 200; ++i) {
      if (noise) injector.decide(1, 0, make_frame({.qp = 2}));
      drops.push_back(injector.decide(0, 1, make_frame({.qp = 1, .psn = i})).drop);
    }
    return drops;
  };
  CHECK(decisions(false) == decisions(true));
}

TEST_CASE("faults: effects of several rules add up", "[timing][faults]") {
  auto delay = rule(FaultAction::kDelay);
  delay.delay = base::Time::ns(700);
  auto twice = rule(FaultAction::kDuplicate);
  twice.copies = 2;
  FaultInjector injector({delay, twice, delay, rule(FaultAction::kMarkEcn)}, 1);
  const auto d = injector.decide(0, 1, make_frame({}));
  CHECK(d.delay == base::Time::ns(1400));
  CHECK(d.copies == 2);
  CHECK(d.mark_ecn);
  CHECK_FALSE(d.drop);
  CHECK(injector.counts()[2].struck == 1);
}

TEST_CASE("faults: corruption flips what it says, and leaves the sender's bytes alone", "[timing][faults]") {
  auto r = rule(FaultAction::kCorrupt);
  r.corrupt_offset = 60;
  r.corrupt_mask = 0x81;
  r.corrupt_marks_fcs = true;
  const auto frame = make_frame({});
  FaultInjector exact({r}, 1);
  const auto damaged = timing::apply_damage(frame, exact.decide(0, 1, frame));
  CHECK(damaged.bad_fcs);
  CHECK((*damaged.bytes)[60] == 0x81);
  CHECK((*frame.bytes)[60] == 0);

  std::set<std::size_t> places;
  FaultInjector seeded({rule(FaultAction::kCorrupt)}, 5);
  for (unsigned i = 0; i < 100; ++i) {
    const auto d = seeded.decide(0, 1, frame);
    REQUIRE(d.flips.size() == 1);
    CHECK_FALSE(d.bad_fcs);
    CHECK(std::has_single_bit(d.flips[0].second));
    REQUIRE(d.flips[0].first < frame.bytes->size());
    places.insert(d.flips[0].first);
  }
  CHECK(places.size() > 40);

  r.corrupt_offset = 5000;  // past the end: nothing to flip, and no harm
  r.corrupt_marks_fcs = false;
  FaultInjector past({r}, 1);
  CHECK(past.decide(0, 1, frame).flips.empty());
}
