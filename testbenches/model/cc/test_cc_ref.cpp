// SPDX-License-Identifier: Apache-2.0
// The reference congestion control against the formulas of the papers in floating point.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <algorithm>
#include <cmath>

#include "models/base/rng.hpp"
#include "models/ref/cc_ref.hpp"

using namespace caravan;
using ref::CcConfig;
using ref::CcFlow;
using ref::CcMode;

namespace {

double share(const CcFlow& flow, const CcConfig& c) { return flow.rate() / static_cast<double>(c.line_rate); }

}  // namespace

TEST_CASE("cc_ref: units", "[model][cc]") {
  const CcConfig c = CcConfig::defaults(250, 100);
  CHECK(c.line_rate == 50u << 16);  // 100 Gb/s at 250 MHz
  CHECK(c.min_rate == 3277);        // 0.05 bytes a cycle
  CHECK(c.timer_cycles == 13'750);
  const CcConfig slow = CcConfig::defaults(200, 10);
  CHECK(slow.line_rate == static_cast<ref::CcRate>(6.25 * 65536));
}

TEST_CASE("cc_ref: DCQCN follows the paper's formulas", "[model][cc]") {
  CcConfig c = CcConfig::defaults(250, 100);
  c.byte_counter = 0;
  c.cut_cycles = 0;
  CcFlow flow(c, CcMode::kDcqcn);
  CHECK(flow.cost() == 0);
  const double g = 1.0 / 256, step = c.ai_rate / static_cast<double>(c.line_rate);
  double rate = 1, target = 1, alpha = 1;
  std::uint64_t now = 1'000;
  for (int round = 0; round < 30; ++round) {
    flow.cnp(now);
    target = rate;
    rate *= 1 - alpha / 2;
    rate = std::max(rate, c.min_rate / static_cast<double>(c.line_rate));
    alpha = (1 - g) * alpha + g;
    CHECK(std::abs(share(flow, c) - rate) < 1e-4);
    const int expiries = 3 + round % 9;
    for (int t = 1; t <= expiries; ++t) {
      alpha *= 1 - g;
      if (t >= 5) target = std::min(1.0, target + step);
      rate = (target + rate) / 2;
    }
    now += static_cast<std::uint64_t>(expiries) * c.timer_cycles + 10;
    flow.advance(now);
    CHECK(std::abs(share(flow, c) - rate) < 1e-4);
  }
}

TEST_CASE("cc_ref: hyper increase needs timer and byte counter", "[model][cc]") {
  CcConfig c = CcConfig::defaults(250, 100);
  c.byte_counter = 1'000'000;
  c.hai_rate = c.line_rate / 50;
  const auto recover = [&](bool traffic) {
    CcFlow flow(c, CcMode::kDcqcn);
    std::uint64_t now = 10'000;
    for (int i = 0; i < 6; ++i) flow.cnp(now += c.cut_cycles);
    for (int t = 0; t < 9; ++t) {
      now += c.timer_cycles;
      flow.advance(now);
      if (traffic) {
        for (int i = 0; i < 100; ++i) flow.sent(10'000, now);
      }
    }
    return share(flow, c);
  };
  const double slow = recover(false), fast = recover(true);
  CHECK(fast > slow + 0.05);
}

TEST_CASE("cc_ref: TIMELY follows eRPC's formulas", "[model][cc]") {
  const std::uint64_t seed = GENERATE(range(1, 6));
  base::Rng rng(seed);
  CcConfig c = CcConfig::defaults(250, 100);
  c.t_low = 1'000, c.t_high = 8'000, c.min_rtt = 500;
  CcFlow flow(c, CcMode::kTimely);
  double rate = 1, previous = c.min_rtt, average = 0;
  const double add = c.add_rate / static_cast<double>(c.line_rate), beta = 0.26, weight = 0.46;
  int falls = 0;
  std::uint64_t now = 100'000, last = now - c.min_rtt;
  for (int i = 0; i < 3'000; ++i) {
    now += 100 + rng.below(2'000);
    const double rtt =
        static_cast<double>(rng.chance(0.1) ? 8'000 + rng.below(9'000) : 500 + rng.below(i % 100 < 50 ? 600 : 7'000));
    flow.rtt(static_cast<std::uint32_t>(rtt), now);
    if (rate >= 1 && rtt <= c.t_low) continue;
    const double difference = rtt - previous, delta = std::min(1.0, static_cast<double>(now - last) / c.min_rtt);
    falls = difference < 0 ? falls + 1 : 0;
    average = (1 - weight) * average + weight * difference;
    previous = rtt, last = now;
    const double gradient = average / c.min_rtt;
    double next = rate;
    if (rtt < c.t_low) {
      next = rate + add * delta;
    } else if (rtt > c.t_high) {
      next = rate * (1 - delta * beta * (1 - c.t_high / rtt));
    } else if (gradient <= 0) {
      next = rate + (falls >= 5 ? 5 : 1) * add * delta;
    } else {
      next = rate * (1 - delta * beta * gradient);
    }
    rate = std::clamp(std::max(next, rate / 2), c.min_rate / static_cast<double>(c.line_rate), 1.0);
    REQUIRE(std::abs(share(flow, c) - rate) < 0.02 * rate + 2e-4);
    rate = share(flow, c);  // rounding does not add up
  }
}

TEST_CASE("cc_ref: the pacer charges exactly", "[model][cc]") {
  ref::CcPacer pacer(64);
  pacer.sent(1'000, 3u << 19, 10'000);  // 1.5 cycles a byte
  CHECK(pacer.due() == 10'000 - 64 + 1'500);
  pacer.sent(1, 3u << 19, 10'100);
  CHECK(pacer.due() == 11'438);  // 11437.5
  pacer.sent(1, 3u << 19, 20'000);
  CHECK(pacer.due() == 20'000 - 64 + 2);
}
