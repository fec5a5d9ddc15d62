// SPDX-License-Identifier: Apache-2.0
// The pipeline's length at the exact cycle, from the trace. Budgets: architecture section 3.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "testbenches/cosim/node/pair.hpp"

using namespace caravan;
using namespace caravan::tb;

namespace {

constexpr std::uint64_t kTxBudget = 18, kRxBudget = 20;
// Measured, and to be changed knowingly only.
constexpr std::uint64_t kTxInline = 13, kTxHbm = 47, kRxToRpc = 10, kRxToAw = 10;
// Ethernet, IP, UDP, BTH, RETH, 64 bytes, ICRC: 138 bytes, 3 beats without a gap; the tracer records a frame at its
// last one.
constexpr std::uint64_t kBeats = 3;

std::uint64_t cycle_of(const std::vector<base::TraceRecord>& trace, std::string_view port, std::string_view kind) {
  for (const auto& record : trace) {
    if (record.port == port && record.kind == kind) {
      if (kind == "frame") CHECK(record.fields.substr(0, 9) == "bytes=138");
      return static_cast<std::uint64_t>(record.time / Time::ns(4));
    }
  }
  FAIL("no record " << port << " " << kind);
  return 0;
}

}  // namespace

TEST_CASE("An update: send queue to MAC and MAC to dispatcher within the budgets", "[cosim][node]") {
  Pair pair({.trace = true});
  pair.clients[0].script = {{.op = ClientOp::kPut, .tag = 1, .key = 3, .value = 4}};
  REQUIRE(pair.run_to_quiet(Time::us(20)));
  const auto sender = pair[0].take_trace(), receiver = pair[1].take_trace();
  const std::uint64_t tx = cycle_of(sender, "mac_tx", "frame") - (kBeats - 1) - cycle_of(sender, "verb", "post");
  const std::uint64_t rx = cycle_of(receiver, "rpc", "call") - cycle_of(receiver, "mac_rx", "frame");
  CHECK(tx == kTxInline);
  CHECK(tx <= kTxBudget);
  CHECK(rx == kRxToRpc);
  CHECK(rx <= kRxBudget);
  // The client's answer of a PUT, and of a GET: cycles at the client port.
  CHECK(pair.clients[0].answers.at(0).cycle - pair.clients[0].accepted_at.at(0) == 4);
}

TEST_CASE("A one-beat WRITE from HBM to HBM: its pipeline at the exact cycle", "[cosim][node]") {
  Pair pair({.trace = true});
  pair.clients[0].script = {
      {.op = ClientOp::kWrite, .tag = 1, .qpn = 2, .laddr = 0, .raddr = 0, .rkey = kHbmRkey, .length = 64}};
  REQUIRE(pair.run_to_quiet(Time::us(20)));
  const auto sender = pair[0].take_trace(), receiver = pair[1].take_trace();
  const std::uint64_t tx = cycle_of(sender, "mac_tx", "frame") - (kBeats - 1) - cycle_of(sender, "verb", "post");
  const std::uint64_t rx = cycle_of(receiver, "hbm", "write") - cycle_of(receiver, "mac_rx", "frame");
  const std::uint64_t hbm_read = 32;  // 128 ns: the payload comes from HBM
  CHECK(tx == kTxHbm);
  CHECK(tx <= kTxBudget + hbm_read);
  CHECK(rx == kRxToAw);
  CHECK(rx <= kRxBudget);
}
