// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "models/timing/calibration.hpp"
#include "models/timing/mac.hpp"

using namespace caravan;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

TEST_CASE("calibration: every row has a source, an uncertainty and a value with its unit", "[timing][calibration]") {
  const auto rows = timing::calibration_rows(timing::Calibration());
  CHECK(rows.size() == 26);
  for (const auto& row : rows) {
    INFO(row.name);
    CHECK_FALSE(row.sentence.empty());
    CHECK_FALSE(row.source.empty());
    CHECK_FALSE(row.uncertainty.empty());
    CHECK_FALSE(row.value.empty());
  }
  const auto clock = std::find_if(rows.begin(), rows.end(), [](const auto& row) { return row.name == "clock"; });
  REQUIRE(clock != rows.end());
  CHECK(clock->value == "250MHz");
}

// SafarDB Table D.1: 285 ns one way to a register, with the 13 and 10 cycles that testbenches/cosim/node
// asserts of the RTL, and three beats of frame.
TEST_CASE("calibration: the fitted constants add up to the published latency", "[timing][calibration]") {
  const timing::Calibration c;
  const base::Bytes frame(14 + 20 + 8 + 12 + 16 + 64 + 4);
  const base::Time logic = c.clock.period() * (13 + 10 + 2);
  CHECK(logic + c.mac_tx + c.line_rate.time_for(timing::wire_bytes(frame)) + c.wire + c.mac_rx == base::Time::ns(285));
}

TEST_CASE("calibration: a configuration sets constants by name", "[timing][calibration]") {
  auto document =
      base::Config::from_text("[timing]\nwire = \"25ns\"\nclock = \"200MHz\"\nswitch_alpha = 4\n", "a.toml");
  base::Params params(document);
  const auto c = timing::Calibration::from(params);
  params.finish();
  CHECK(c.wire == base::Time::ns(25));
  CHECK(timing::MacConfig::from(c).clock_period == base::Time::ns(5));
  CHECK(c.switch_alpha == 4.0);
  CHECK(c.mac_tx == timing::Calibration().mac_tx);
}

TEST_CASE("calibration: values that do not fit are named", "[timing][calibration]") {
  const auto read = [](const std::string& line) {
    auto document = base::Config::from_text("[timing]\n" + line + "\n", "a.toml");
    base::Params params(document);
    timing::Calibration::from(params);
    params.finish();
  };
  CHECK_THROWS_MATCHES(read("wire = 25"), base::UserError, MessageMatches(ContainsSubstring("unit is missing")));
  CHECK_THROWS_MATCHES(read("wire = \"1ms\""), base::UserError,
                       MessageMatches(ContainsSubstring("a.toml:2") && ContainsSubstring("out of range")));
  CHECK_THROWS_MATCHES(read("wyre = \"1ns\""), base::UserError,
                       MessageMatches(ContainsSubstring("did you mean 'timing.wire'")));
  CHECK_THROWS_MATCHES(read("ecn_kmin = \"2MiB\""), base::UserError,
                       MessageMatches(ContainsSubstring("below timing.ecn_kmin")));
  CHECK_THROWS_MATCHES(read("mac_tx_fifo = \"9216B\""), base::UserError,
                       MessageMatches(ContainsSubstring("longest frame")));
}
