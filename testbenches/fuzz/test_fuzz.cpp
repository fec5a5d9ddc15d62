// SPDX-License-Identifier: Apache-2.0
// Any frame, in any QP state: the RTL answers as the reference model does, never hangs, never writes outside a region,
// and no bad frame moves a PSN. CARAVAN_FUZZ_FRAMES and CARAVAN_FUZZ_SEED change the slice that runs.
#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <utility>

#include "models/packet/icrc.hpp"
#include "testbenches/fuzz/essence.hpp"
#include "testbenches/fuzz/frame_fuzzer.hpp"
#include "testbenches/fuzz/fuzz_endpoint.hpp"

using namespace caravan;
using support::Event;

namespace {

constexpr std::uint64_t kCompared = 0x100000;  // bytes of HBM, from 0 on: everything that anybody may write

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 0);
}

bool fails(const ref::RoceRef& model, std::uint32_t qpn) {
  return model.view(base::Qpn(qpn)).state == ref::QpState::kError;
}

}  // namespace

TEST_CASE("random frames of all opcodes, lengths and QP states: RTL answers as the reference, memory is equal",
          "[fuzz]") {
  const auto frames = from_environment("CARAVAN_FUZZ_FRAMES", 100'000);
  const auto seed = from_environment("CARAVAN_FUZZ_SEED", 1);
  const auto target = support::default_fuzz_target();
  support::FuzzEndpoint endpoint(target);
  support::FrameFuzzer fuzzer(seed, target);
  base::Rng work(seed, 0x3034);
  std::uint64_t recreated = 0, answered = 0;

  for (std::uint64_t i = 0; i < frames; ++i) {
    if (work.chance(0.3)) endpoint.add_work(work, target);
    const packet::Buffer frame = fuzzer.next(endpoint.model());
    auto answers = endpoint.exchange(frame);
    // Whether a marked packet draws a CNP depends on time: the bench of roce_cnp judges that.
    std::erase_if(answers.rtl, [](const packet::Buffer& a) { return a.at(42) == 0x81; });
    const auto& note = fuzzer.note();
    auto [requests, responses] = support::essences(answers.rtl);
    const auto [expected_requests, expected_responses] = support::essences(answers.model);
    if (requests != expected_requests) requests = support::without_early(requests);
    // Likewise a new packet may leave before the RTL meets the NAK that ends the QP.
    if (expected_requests.empty() && fails(endpoint.model(), note.qpn)) requests.clear();
    const bool same = !endpoint.hung() && requests == expected_requests && responses == expected_responses &&
                      endpoint.rtl().completions() == endpoint.model().completions() &&
                      endpoint.rtl().received() == endpoint.model().receive_completions();
    if (!same) {
      INFO("frame " << i << " of seed " << seed << ", opcode " << int(note.opcode) << ", QP " << note.qpn
                    << ", change: " << note.change);
      INFO(packet::describe(frame));
      REQUIRE_FALSE(endpoint.hung());
      REQUIRE(responses == expected_responses);
      REQUIRE(requests == expected_requests);
      REQUIRE(endpoint.rtl().completions().size() == endpoint.model().completions().size());
      REQUIRE(endpoint.rtl().completions() == endpoint.model().completions());
      REQUIRE(endpoint.rtl().received() == endpoint.model().receive_completions());
    }
    for (auto* completions : {&endpoint.rtl().completions(), &endpoint.model().completions()}) completions->clear();
    for (auto* received : {&endpoint.rtl().received(), &endpoint.model().receive_completions()}) received->clear();
    for (const auto& answer : answers.rtl) {
      if (!packet::check_icrc(answer)) FAIL("answer to frame " << i << " has a wrong ICRC");
    }
    answered += answers.rtl.size();
    if (i % 5000 == 0) {
      INFO("frame " << i);
      REQUIRE(endpoint.rtl().read_memory(0, kCompared) == endpoint.model().memory().read(0, kCompared));
    }
    // A QP that failed would drop everything from now on: start it again, at both.
    for (const auto& qp : target.qps) {
      if (qp.state == ref::QpState::kError || endpoint.model().view(qp.qpn).state != ref::QpState::kError) continue;
      auto again = qp;
      again.first_psn_to_expect = base::Psn(static_cast<std::uint32_t>(0xFFFFF8 + i));
      again.first_psn_to_send = base::Psn(static_cast<std::uint32_t>(0xFFFFF0 + 3 * i));
      endpoint.create_qp(again);
      ++recreated;
    }
  }

  CHECK(endpoint.rtl().read_memory(0, kCompared) == endpoint.model().memory().read(0, kCompared));
  CHECK(endpoint.rtl().count(Event::kRpc) == endpoint.model().rpcs().size());
  // The slice did reach what it is for.
  CHECK(answered > frames / 20);
  CHECK(recreated > 0);
  for (const Event event :
       {Event::kWritePkts, Event::kSends, Event::kReads, Event::kAtomics, Event::kUd, Event::kRnr, Event::kDup,
        Event::kNakSeq, Event::kNakAccess, Event::kNakInvalid, Event::kNakOp, Event::kRxNak, Event::kRetrans}) {
    INFO("event " << static_cast<int>(event));
    CHECK(endpoint.rtl().count(event) > 0);
  }
}
