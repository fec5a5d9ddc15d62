// SPDX-License-Identifier: Apache-2.0
// Any frame, in any QP state: the node answers as the reference model does, never hangs, never writes outside a region,
// and no bad frame moves a PSN. CARAVAN_FUZZ_FRAMES and CARAVAN_FUZZ_SEED change the slice that runs.
#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "models/packet/icrc.hpp"
#include "models/timing/sparse_memory.hpp"
#include "testbenches/fuzz/frame_fuzzer.hpp"
#include "testbenches/fuzz/fuzz_endpoint.hpp"

using namespace caravan;

namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 0);
}

/// What of an answer must agree; addresses and identification are the sender's business.
std::string essence(const packet::Buffer& frame) {
  const auto p = packet::parse(frame);
  if (!p.is_roce()) return "not RoCE: " + packet::describe(frame);
  std::string text = fmt::format("op={:02x} qpn={:06x} psn={:06x}", p.bth->opcode, p.bth->dest_qp, p.bth->psn);
  if (p.ext.aeth) text += fmt::format(" syndrome={:02x} msn={:06x}", p.ext.aeth->syndrome, p.ext.aeth->msn);
  return text;
}

std::vector<std::string> essences(const std::vector<packet::Buffer>& frames) {
  std::vector<std::string> texts;
  for (const auto& frame : frames) texts.push_back(essence(frame));
  return texts;
}

}  // namespace

TEST_CASE("random frames of all opcodes, lengths and QP states: RTL answers as the reference, memory is equal",
          "[fuzz]") {
  const auto frames = from_environment("CARAVAN_FUZZ_FRAMES", 100'000);
  const auto seed = from_environment("CARAVAN_FUZZ_SEED", 1);
  const auto target = support::default_fuzz_target();
  support::FuzzEndpoint endpoint(target);
  support::FrameFuzzer fuzzer(seed, target);
  std::uint64_t recreated = 0, answered = 0;

  for (std::uint64_t i = 0; i < frames; ++i) {
    const packet::Buffer frame = fuzzer.next(endpoint.model());
    const auto expected = essences(endpoint.model().receive(frame));
    auto answers = endpoint.exchange(frame);
    // Whether a marked packet draws a CNP depends on time: the bench of roce_cnp judges that.
    std::erase_if(answers, [](const packet::Buffer& a) { return a.at(42) == 0x81; });
    const auto& note = fuzzer.note();
    const bool same = !endpoint.hung() && essences(answers) == expected;
    if (!same) {
      INFO("frame " << i << " of seed " << seed << ", opcode " << int(note.opcode) << ", QP " << note.qpn
                    << ", change: " << note.change);
      INFO(packet::describe(frame));
      REQUIRE_FALSE(endpoint.hung());
      REQUIRE(essences(answers) == expected);
    }
    for (const auto& answer : answers) {
      if (!packet::check_icrc(answer)) FAIL("answer to frame " << i << " has a wrong ICRC");
    }
    answered += answers.size();
    // A QP that failed would drop everything from now on: start it again, at both.
    const auto& qp = target.qps[note.qpn - 1];
    if (qp.state != ref::QpState::kError && endpoint.model().view(qp.qpn).state == ref::QpState::kError) {
      auto again = qp;
      again.first_psn_to_expect = base::Psn(static_cast<std::uint32_t>(0xFFFFF8 + i));
      support::create_qp(endpoint.node(), endpoint.model(), again);
      ++recreated;
    }
  }

  // Writes went where the model says, and nowhere else.
  const auto& config = endpoint.node().config();
  timing::SparseMemory expected_hbm(config.hbm_capacity);
  const auto bytes = endpoint.model().memory().read(target.region.base, target.region.length);
  expected_hbm.write(target.region.base, bytes);
  CHECK(endpoint.node().hbm().digest() == expected_hbm.digest());
  CHECK(endpoint.node().host().digest() == timing::SparseMemory(config.host_capacity).digest());
  CHECK(endpoint.counter("roce_rx.rpc") == endpoint.model().rpcs().size());
  // The slice did reach what it is for.
  CHECK(answered > frames / 20);
  CHECK(recreated > 0);
  CHECK(endpoint.counter("roce_rx.write_pkts") > 0);
}
