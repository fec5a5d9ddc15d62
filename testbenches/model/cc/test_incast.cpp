// SPDX-License-Identifier: Apache-2.0
// Eight senders, one receiver: the control laws share the line fairly and keep the queue short, from a common and from
// a staggered start. The same parameters are those of sim/configs/incast8_*.toml.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "testbenches/model/cc/incast_loop.hpp"

using namespace caravan;
using base::Time;

namespace {

model::IncastSettings settings(ref::CcMode mode) {
  model::IncastSettings s;
  s.mode = mode;
  s.cc = ref::CcConfig::defaults(250, 100);
  s.end = Time::ms(10);
  s.net.ecn_kmin = base::Bytes(40'000);
  s.net.ecn_kmax = base::Bytes(200'000);
  s.net.ecn_pmax = 0.2;
  // Larger steps than the published ones, which are for 40 and 10 Gb/s and take 100 ms to share 100 Gb/s.
  s.cc.ai_rate = ref::CcConfig::mbps(200, 250);
  s.cc.hai_rate = ref::CcConfig::mbps(1000, 250);
  s.cc.add_rate = ref::CcConfig::mbps(200, 250);
  s.cc.t_low = 5 * 250;
  s.cc.t_high = 30 * 250;
  s.cc.patched = true;
  return s;
}

}  // namespace

TEST_CASE("incast: DCQCN is fair, keeps the line busy and the queue below Kmax", "[model][cc]") {
  auto s = settings(ref::CcMode::kDcqcn);
  s.start_spread = GENERATE(Time(), Time::us(300));
  const auto r = model::run_incast(s);
  const std::size_t half = r.gbps.size() / 2;
  CHECK(r.fairness(half) >= 0.95);
  CHECK(r.total_gbps(half) >= 95);
  CHECK(r.longest_queue(half) <= 150'000);
}

TEST_CASE("incast: TIMELY, patched, is fair, keeps the line busy and the queue near T_low", "[model][cc]") {
  auto s = settings(ref::CcMode::kTimely);
  s.start_spread = GENERATE(Time(), Time::us(300));
  const auto r = model::run_incast(s);
  const std::size_t half = r.gbps.size() / 2;
  CHECK(r.fairness(half) >= 0.95);
  CHECK(r.total_gbps(half) >= 95);
  CHECK(r.longest_queue(half) <= 150'000);  // 5 us are 62.5 kB
}

TEST_CASE("incast: without control the windows fill the queue", "[model][cc]") {
  const auto r = model::run_incast(settings(ref::CcMode::kNone));
  CHECK(r.longest_queue(r.gbps.size() / 2) > 450'000);  // 8 windows of 16 frames, but for what is on the wire
}

TEST_CASE("incast: TIMELY as published has no single fixed point: shares stay as unequal as they began",
          "[model][cc]") {
  auto s = settings(ref::CcMode::kTimely);
  s.cc.patched = false;
  s.cc.add_rate = ref::CcConfig::mbps(40, 250);
  s.start_spread = Time::us(300);
  const auto r = model::run_incast(s);
  CHECK(r.fairness(r.gbps.size() / 2) < 0.7);
  CHECK(r.total_gbps(r.gbps.size() / 2) >= 95);
}
