// SPDX-License-Identifier: Apache-2.0
// RTL requester against the reference responder over a bad network, all operations: memories, completions and every
// frame.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <map>

#include "testbenches/cosim/roce_tx/link.hpp"
#include "testbenches/support/frame_compare.hpp"

using namespace caravan;
using cosim::Link;
using Kind = support::StallPattern::Kind;

TEST_CASE("Without loss every frame is the reference requester's, in order per QP", "[cosim][roce]") {
  const Kind stall = GENERATE(Kind::kNone, Kind::kRandom, Kind::kBursts);
  const std::uint64_t seed = GENERATE(1u, 2u);
  Link link({.stall = stall, .seed = seed, .datagrams = true});
  for (unsigned i = 0; i < 100; ++i) link.post(i % 5, i);
  link.run_twin();
  REQUIRE(link.run(100'000));
  REQUIRE(link.tx.counts.retrans == 0);
  link.check();
  std::map<std::uint32_t, std::vector<packet::Buffer>> sent, reference;
  for (const auto& frame : link.tx.frames) sent[packet::parse(frame).bth->dest_qp].push_back(frame);
  for (const auto& frame : link.twin_frames()) reference[packet::parse(frame).bth->dest_qp].push_back(frame);
  REQUIRE(sent.size() == reference.size());
  for (const auto& [qpn, frames] : reference) {
    REQUIRE(sent[qpn].size() == frames.size());
    for (std::size_t i = 0; i < frames.size(); ++i)
      REQUIRE(support::compare_frames(frames[i], sent[qpn][i], {.mig_req = true, .ack_req = true, .tos_ttl = true}) ==
              "");
  }
}

TEST_CASE("Loss, duplication, overtaking, corruption, empty receive queues: nothing is lost or done twice",
          "[cosim][roce]") {
  const double loss = GENERATE(0.01, 0.1);
  const Kind stall = GENERATE(Kind::kNone, Kind::kRandom);
  const std::uint64_t seed = GENERATE(1u, 2u, 3u);
  Link link({.loss = loss,
             .duplicate = 0.05,
             .overtake = 0.05,
             .corrupt = 0.02,
             .late_receives = seed != 1,
             .stall = stall,
             .seed = seed});
  for (unsigned i = 0; i < 100; ++i) link.post(i % 4, i);
  link.run_twin();
  REQUIRE(link.run(1'000'000));
  link.check();
  REQUIRE(link.tx.counts.retrans > 0);
  for (const auto& frame : link.tx.frames) REQUIRE(packet::parse(frame).is_roce());
}

TEST_CASE("Cycles that are quiet need no clock: the same frames and completions, to the cycle", "[cosim][roce]") {
  const std::uint64_t seed = GENERATE(4u, 5u);
  std::vector<std::uint64_t> first_beats[2];
  std::vector<packet::Buffer> frames[2];
  std::vector<ref::Completion> completions[2];
  std::uint64_t gated = 0;
  for (const bool gate : {false, true}) {
    Link link({.loss = 0.05, .duplicate = 0.05, .overtake = 0.05, .late_receives = true, .seed = seed, .gated = gate});
    for (unsigned i = 0; i < 60; ++i) link.post(i % 4, i);
    link.run_twin();
    REQUIRE(link.run(1'000'000));
    link.check();
    first_beats[gate] = link.tx.first_beat_at;
    frames[gate] = link.tx.frames;
    completions[gate] = link.tx.completions;
    gated = link.tx.dut().gated();
  }
  REQUIRE(first_beats[0] == first_beats[1]);
  REQUIRE((frames[0] == frames[1]));
  REQUIRE(completions[0] == completions[1]);
  REQUIRE(gated > 1000);
}
