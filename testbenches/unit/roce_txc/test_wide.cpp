// SPDX-License-Identifier: Apache-2.0
// A window wider than the number of READs and atomics that a responder remembers.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "testbenches/unit/roce_txc/ctl_bench.hpp"

using namespace caravan::roce_txc;

namespace {
constexpr std::uint32_t kRdAtomic = 16;
std::size_t sent_by(const Ctl& ctl, std::uint32_t qpn) {
  std::size_t n = 0;
  for (const Job& job : ctl.jobs()) n += job.dest == 0x500 + qpn;
  return n;
}
}  // namespace

TEST_CASE("At most 16 READs and atomics of a QP are in flight; each answer lets the next one go", "[unit][roce]") {
  const unsigned op = GENERATE(kRead, kFaa, kCas);
  Ctl ctl;
  ctl.configure(0, {.timeout = 0});
  ctl.configure(1, {.timeout = 0});
  for (std::uint32_t i = 0; i < 23; ++i) ctl.post({.qpn = 0, .wr_id = i, .op = op});
  ctl.post({.qpn = 0, .wr_id = 23});
  ctl.post({.qpn = 1, .wr_id = 50, .op = op});
  ctl.run(150);
  REQUIRE(sent_by(ctl, 0) == kRdAtomic);
  REQUIRE(sent_by(ctl, 1) == 1);
  REQUIRE(ctl->quiet_o);
  for (std::uint32_t i = 0; i < 7; ++i) {
    if (op == kRead)
      ctl.read_responses(0, 100 + i, 1, 8);
    else
      ctl.ack({.qpn = 0, .psn = 100 + i, .opcode = kAtomicAck});
    ctl.run(30);
    REQUIRE(sent_by(ctl, 0) == kRdAtomic + 1 + i + (i == 6));  // the WRITE goes with the last one
  }
  // A new life counts from the start.
  ctl.configure(0, {.timeout = 0});
  ctl.clear();
  for (std::uint32_t i = 0; i < 20; ++i) ctl.post({.qpn = 0, .wr_id = i, .op = op});
  REQUIRE(ctl.settle());
  REQUIRE(sent_by(ctl, 0) == kRdAtomic);
}

TEST_CASE("READ requests of 32 responses, two of them in a window of 64", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(0, {.pmtu = 0, .timeout = 0});
  ctl.post({.qpn = 0, .wr_id = 1, .len = 100 * 256, .op = kRead});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == 2);
  REQUIRE(ctl.jobs()[1].psn == 132);
  REQUIRE(ctl.jobs()[1].total == 32 * 256);
  ctl.read_responses(0, 100, 64, 256);
  REQUIRE(ctl.settle());
  ctl.read_responses(0, 164, 36, 256);
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == 4);
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{0, 1, kOk}});
}
