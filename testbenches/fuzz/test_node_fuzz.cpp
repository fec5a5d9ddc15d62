// SPDX-License-Identifier: Apache-2.0
// The whole node under any frame: RoCE of all kinds and what its network filters must judge, between one another. It
// answers as the reference model does, never hangs, never writes outside a region. CARAVAN_FUZZ_SEED changes what is
// sent.
#include <fmt/format.h>
#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <string>

#include "models/packet/icrc.hpp"
#include "models/timing/sparse_memory.hpp"
#include "testbenches/fuzz/frame_fuzzer.hpp"
#include "testbenches/fuzz/node_fuzz.hpp"

using namespace caravan;

namespace {

constexpr std::uint64_t kFrames = 40'000;

/// What of an answer must agree; addresses and identification are the sender's business.
std::vector<std::string> essences(const std::vector<packet::Buffer>& frames) {
  std::vector<std::string> texts;
  for (const auto& frame : frames) {
    const auto p = packet::parse(frame);
    if (!p.is_roce()) {
      texts.push_back("not RoCE: " + packet::describe(frame));
      continue;
    }
    std::string text = fmt::format("op={:02x} qpn={:06x} psn={:06x} hash={:x}", p.bth->opcode, p.bth->dest_qp,
                                   p.bth->psn, packet::payload_hash(p.payload));
    if (p.ext.aeth) text += fmt::format(" syndrome={:02x} msn={:06x}", p.ext.aeth->syndrome, p.ext.aeth->msn);
    texts.push_back(text);
  }
  return texts;
}

}  // namespace

TEST_CASE("random frames of every protocol: the whole node answers as the reference, never hangs, memory is equal",
          "[fuzz]") {
  const char* text = std::getenv("CARAVAN_FUZZ_SEED");
  const std::uint64_t seed = text == nullptr ? 1 : std::strtoull(text, nullptr, 0);
  const auto target = support::default_fuzz_target();
  support::NodeFuzz node(target);
  support::FrameFuzzer roce(seed, target);
  support::NetFuzzer net(seed, target);
  base::Rng rng(seed, 0x9A7E);
  std::uint64_t answered = 0, net_answers = 0;

  for (std::uint64_t i = 0; i < kFrames; ++i) {
    if (rng.chance(0.4)) {
      const packet::Buffer frame = net.next();
      INFO("frame " << i << " of seed " << seed << ": " << net.kind() << ", " << packet::describe(frame));
      const bool bad_fcs = rng.chance(0.05);
      const auto answers = node.exchange(frame, bad_fcs);
      REQUIRE_FALSE(node.hung());
      REQUIRE(answers.size() <= 1);
      if (net.answers() >= 0) REQUIRE(answers.size() == static_cast<std::size_t>(bad_fcs ? 0 : net.answers()));
      net_answers += answers.size();
      continue;
    }
    const packet::Buffer frame = roce.next(node.model());
    INFO("frame " << i << " of seed " << seed << ", opcode " << int(roce.note().opcode) << ", QP " << roce.note().qpn
                  << ", change: " << roce.note().change << ", " << packet::describe(frame));
    const auto expected = essences(node.model().receive(frame));
    auto answers = node.exchange(frame);
    // Whether a marked packet draws a CNP depends on time: the bench of roce_cnp judges that.
    std::erase_if(answers, [](const packet::Buffer& a) { return a.at(42) == 0x81; });
    REQUIRE_FALSE(node.hung());
    REQUIRE(essences(answers) == expected);
    for (const auto& answer : answers) REQUIRE(packet::check_icrc(answer));
    answered += answers.size();
    // A QP that failed would drop everything from now on: start it again, at both.
    const auto& qp = target.qps[roce.note().qpn - 1];
    if (qp.state != ref::QpState::kError && node.model().view(qp.qpn).state == ref::QpState::kError) {
      auto again = qp;
      again.first_psn_to_expect = base::Psn(static_cast<std::uint32_t>(0xFFFFF8 + i));
      node.create_qp(again);
    }
  }

  // Writes went where the model says, and nowhere else.
  const auto& config = node.node().config();
  timing::SparseMemory expected_hbm(config.hbm_capacity);
  expected_hbm.write(target.region.base, node.model().memory().read(target.region.base, target.region.length));
  CHECK(node.node().hbm().digest() == expected_hbm.digest());
  CHECK(node.node().host().digest() == timing::SparseMemory(config.host_capacity).digest());
  CHECK(node.counter("roce_rx.rpc") == node.model().rpcs().size());
  // The run did reach what it is for.
  CHECK(answered > kFrames / 20);
  CHECK(net_answers > kFrames / 20);
  CHECK(node.counter("roce_rx.write_pkts") > 0);
}
