// SPDX-License-Identifier: Apache-2.0
// Skipping, tracing, windows and saving change nothing, to the last bit.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <sstream>

#include "models/base/rng.hpp"
#include "testbenches/cosim/node/pair.hpp"

using namespace caravan;
using namespace caravan::tb;

namespace {

/// Mixed work with losses and long pauses: timers, retransmissions, host memory, both clients.
void load(Pair& pair) {
  base::Rng rng(11);
  std::vector<std::uint8_t> bytes(8192);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(rng.next());
  for (unsigned i = 0; i < 2; ++i) {
    pair[i].hbm().write(0, bytes);
    pair[i].host().write(0, bytes);
    pair.clients[i].outstanding = 2 + i;
    pair.clients[i].start = 1000 * i;
    for (std::uint32_t n = 0; n < 40; ++n) {
      const auto kind = rng.below(4);
      if (kind < 2) {
        pair.clients[i].script.push_back(
            {.op = kind == 0 ? ClientOp::kGet : ClientOp::kPut, .tag = n, .key = rng.below(9), .value = rng.next()});
      } else {
        pair.clients[i].script.push_back({.op = ClientOp::kWrite,
                                          .tag = n,
                                          .qpn = 2,
                                          .laddr = rng.below(4000) + (kind == 2 ? 0 : vl::kClassHost),
                                          .raddr = 16384 + rng.below(4000),
                                          .rkey = kHbmRkey,
                                          .length = static_cast<std::uint32_t>(rng.below(3000))});
      }
    }
  }
  pair.lose = [](unsigned from, std::uint64_t n, const auto&) { return (n * 7 + from) % 13 == 5; };
}

struct Outcome {
  std::uint64_t prints[2];
  std::vector<std::uint64_t> stats[2];
  std::size_t answers[2];
  bool operator==(const Outcome&) const = default;
};

Outcome outcome(Pair& pair) {
  Outcome o{};
  for (unsigned i = 0; i < 2; ++i) {
    o.prints[i] = pair[i].fingerprint();
    o.stats[i] = pair[i].stats();
    o.answers[i] = pair.clients[i].answers.size();
  }
  return o;
}

constexpr Time kEnd = Time::us(300);

}  // namespace

TEST_CASE("Skip off, on and verify, and tracing, give identical results", "[cosim][node]") {
  Pair reference({.skip = vl::Skip::kOff, .pmtu = 256, .timeout = 1});
  load(reference);
  reference.run_until(kEnd);
  const Outcome expected = outcome(reference);
  REQUIRE(expected.answers[0] == 40);
  REQUIRE(expected.answers[1] == 40);
  REQUIRE(reference.stat(0, "roce_tx.timeout") + reference.stat(1, "roce_tx.timeout") > 0);
  REQUIRE(reference[0].perf().evaluated == reference[0].perf().cycles);

  const vl::Skip skip = GENERATE(vl::Skip::kOn, vl::Skip::kVerify);
  const bool trace = GENERATE(false, true);
  Pair pair({.skip = skip, .pmtu = 256, .timeout = 1, .trace = trace});
  load(pair);
  pair.run_until(kEnd);
  CHECK(outcome(pair) == expected);
  CHECK(pair[0].perf().cycles == reference[0].perf().cycles);
  CHECK(pair[0].next_activity() == reference[0].next_activity());
  if (skip == vl::Skip::kOn) CHECK(pair[0].perf().evaluated < pair[0].perf().cycles / 4);
  const auto records = pair[0].take_trace();
  CHECK(records.empty() == !trace);
}

TEST_CASE("The trace is the same with skipping on and off, and ordered", "[cosim][node]") {
  std::vector<base::TraceRecord> traces[2];
  for (unsigned k = 0; k < 2; ++k) {
    Pair pair({.skip = k == 0 ? vl::Skip::kOff : vl::Skip::kOn, .pmtu = 256, .timeout = 1, .trace = true});
    load(pair);
    pair.run_until(Time::us(100));
    traces[k] = pair[0].take_trace();
  }
  REQUIRE(traces[0].size() > 100);
  CHECK(traces[0] == traces[1]);
  for (std::size_t i = 1; i < traces[0].size(); ++i) {
    const auto &a = traces[0][i - 1], &b = traces[0][i];
    CHECK((a.time < b.time || (a.time == b.time && a.port <= b.port)));
  }
}

TEST_CASE("A node that was saved goes on in another object as if nothing had been", "[cosim][node]") {
  const Time middle = GENERATE(Time::us(2), Time::us(9));
  PairOptions options{.pmtu = 256, .timeout = 1};
  vl::RtlNodeConfig config;
  config.id = 0;
  config.instance = "node0";
  // One node against a cable that loses everything: timers and retransmissions go on without a peer.
  Pair pair(options);
  load(pair);
  pair.lose = [](unsigned, std::uint64_t, const auto&) { return true; };
  pair.run_until(middle);
  std::stringstream saved;
  pair[0].serialize(saved);
  ScriptClient client = pair.clients[0];
  vl::RtlNode copy(config);
  copy.deserialize(saved);
  CHECK(copy.fingerprint() == pair[0].fingerprint());
  CHECK(copy.now() == pair[0].now());
  // The copy of the client goes on with the copy of the node: its presented request is part of the node's state.
  copy.resume_client(&client);
  base::FrameInbox in;
  base::FrameOutbox out;
  copy.run_until(Time::us(60), in, out);
  pair.run_until(Time::us(60));
  CHECK(out.size() > 3);
  CHECK(copy.fingerprint() == pair[0].fingerprint());
  CHECK(client.answers.size() == pair.clients[0].answers.size());
}

TEST_CASE("An idle node, with or without a client, is not evaluated at all", "[cosim][node]") {
  vl::RtlNode node{vl::RtlNodeConfig{}};
  ScriptClient client;
  if (GENERATE(false, true)) node.set_client(&client);
  base::FrameInbox inbox;
  base::FrameOutbox outbox;
  node.run_until(Time::us(1), inbox, outbox);  // settles after reset
  const auto before = node.perf();
  node.run_until(Time::ms(100), inbox, outbox);
  CHECK(node.perf().evaluated == before.evaluated);
  CHECK(node.perf().cycles == before.cycles + 24'999'750);
  CHECK(node.next_activity().is_never());
}
