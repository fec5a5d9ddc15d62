// SPDX-License-Identifier: Apache-2.0
// roce_rtt: exact samples, Karn's rule, PSN wrap, against a model under random sends, acknowledges and cancels.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <optional>

#include "Vtb_roce_rtt.h"
#include "models/base/units.hpp"
#include "testbenches/support/bench.hpp"

using caravan::base::Psn;
using caravan::support::Bench;

namespace {

struct Sample {
  unsigned qpn = 0;
  std::uint32_t cycles = 0;
  bool operator==(const Sample&) const = default;
};

std::optional<Sample> tick(Bench<Vtb_roce_rtt>& dut, std::uint64_t now) {
  dut->now_i = now;
  dut.tick();
  dut->send_i = dut->ack_i = dut->cancel_i = 0;
  dut->clk_i = 0;
  dut->eval();
  if (!dut->rtt_valid_o) return std::nullopt;
  return Sample{dut->rtt_qpn_o, dut->rtt_o};
}

}  // namespace

TEST_CASE("roce_rtt: one measurement at a time, ended by the first acknowledge that covers it", "[unit][roce]") {
  Bench<Vtb_roce_rtt> dut;
  dut.reset();
  dut->send_i = 1, dut->send_qpn_i = 2, dut->send_psn_i = 0xFFFFFE;
  REQUIRE_FALSE(tick(dut, 100));
  dut->send_i = 1, dut->send_qpn_i = 2, dut->send_psn_i = 3;  // not measured: one is under way
  REQUIRE_FALSE(tick(dut, 150));
  dut->ack_i = 1, dut->ack_qpn_i = 2, dut->ack_psn_i = 0xFFFFFD;  // before it
  REQUIRE_FALSE(tick(dut, 400));
  dut->ack_i = 1, dut->ack_qpn_i = 2, dut->ack_psn_i = 1;  // behind the wrap
  REQUIRE(tick(dut, 612) == Sample{2, 512});
  dut->ack_i = 1, dut->ack_qpn_i = 2, dut->ack_psn_i = 3;
  REQUIRE_FALSE(tick(dut, 700));
  // A retransmission ends it without a sample.
  dut->send_i = 1, dut->send_qpn_i = 2, dut->send_psn_i = 4;
  REQUIRE_FALSE(tick(dut, 800));
  dut->cancel_i = 1, dut->cancel_qpn_i = 2;
  REQUIRE_FALSE(tick(dut, 900));
  dut->ack_i = 1, dut->ack_qpn_i = 2, dut->ack_psn_i = 4;
  REQUIRE_FALSE(tick(dut, 1000));
  // Longer than a sample can say.
  dut->send_i = 1, dut->send_qpn_i = 2, dut->send_psn_i = 5;
  REQUIRE_FALSE(tick(dut, 1100));
  dut->ack_i = 1, dut->ack_qpn_i = 2, dut->ack_psn_i = 5;
  REQUIRE(tick(dut, 1100 + 0x1000000) == Sample{2, 0xFFFFFF});
  REQUIRE_FALSE(dut->quiet_o);
  dut.tick();
  dut->clk_i = 0;
  dut->eval();
  REQUIRE(dut->quiet_o);
}

TEST_CASE("roce_rtt: random traffic against a model, with gated cycles", "[unit][roce]") {
  const std::uint64_t seed = GENERATE(range(1, 5));
  Bench<Vtb_roce_rtt> dut;
  dut.reset();
  dut.gate([&] { return dut->quiet_o != 0; });
  caravan::base::Rng rng(seed, 3);
  struct Pending {
    Psn psn;
    std::uint64_t at = 0;
  };
  std::optional<Pending> pending[8];
  Psn next[8];
  for (auto& psn : next) psn = Psn(0xFFFF00);
  unsigned samples = 0;
  std::uint64_t now = 0;
  for (int cycle = 0; cycle < 40'000; ++cycle, now += rng.chance(0.1) ? rng.below(500) : 1) {
    std::optional<Sample> expected;
    const unsigned cancel = rng.below(8), ack = rng.below(8), send = rng.below(8);
    dut->cancel_i = rng.chance(0.02), dut->cancel_qpn_i = cancel;
    const bool cancelled = dut->cancel_i;
    const auto before = pending[ack];
    const bool idle = !pending[send].has_value();
    if (rng.chance(0.3)) {
      const Psn psn = next[ack] - static_cast<std::uint32_t>(rng.below(12));
      dut->ack_i = 1, dut->ack_qpn_i = ack, dut->ack_psn_i = psn.value();
      if (before && psn.distance_from(before->psn) >= 0 && !(cancelled && cancel == ack)) {
        expected = Sample{ack, static_cast<std::uint32_t>(now - before->at)};
        pending[ack].reset();
      }
    }
    if (rng.chance(0.3)) {
      dut->send_i = 1, dut->send_qpn_i = send, dut->send_psn_i = next[send].value();
      if (idle) pending[send] = Pending{next[send], now};
      next[send] = next[send] + 1;
    }
    if (cancelled) pending[cancel].reset();
    REQUIRE(tick(dut, now) == expected);
    samples += expected.has_value();
  }
  REQUIRE(samples > 1000);
  REQUIRE(dut.gated() > 1000);
}
