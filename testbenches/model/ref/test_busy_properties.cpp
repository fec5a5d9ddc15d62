// SPDX-License-Identifier: Apache-2.0
// Properties of two endpoints that do everything to each other over a network that loses, duplicates and reorders.
#include "testbenches/model/ref/busy_pair.hpp"
#include "testbenches/model/ref/properties.hpp"

using namespace caravan;
using namespace caravan::test;

namespace {

struct Setting {
  ref::QpConfig a = config_a(), b = config_b();
  Faults faults;
  std::uint64_t seed = 0;
  std::uint32_t posts = 0;
};

Setting random_setting(std::uint32_t retry_limit) {
  Setting s;
  s.seed = *rc::gen::arbitrary<std::uint64_t>();
  s.posts = *rc::gen::inRange<std::uint32_t>(0, 60);
  s.a.pmtu = s.b.pmtu = *rc::gen::element<std::uint32_t>(256, 512, 1024);
  s.a.window = s.b.window = *rc::gen::element<std::uint32_t>(1, 2, 7, 16, 64);
  s.a.ack_every = s.b.ack_every = *rc::gen::element<std::uint32_t>(0, 1, 3, 8);
  s.a.rd_atomic = s.b.rd_atomic = *rc::gen::element<std::uint32_t>(1, 3, 16);
  s.a.retry_limit = s.b.retry_limit = retry_limit;
  s.a.first_psn_to_send = s.b.first_psn_to_expect =
      base::Psn(*rc::gen::element<std::uint32_t>(0u, 0xFFFFFAu, 0x7FFFF8u));
  s.faults = {.loss = *rc::gen::inRange(0, 30) / 100.0,
              .duplicate = *rc::gen::inRange(0, 30) / 100.0,
              .reorder = *rc::gen::inRange(0, 50) / 100.0};
  return s;
}

}  // namespace

TEST_CASE("Over a bad network every operation is done exactly once, in order, and completes", "[ref][property]") {
  CHECK(holds("posts complete, memories and results equal the model", [] {
    const Setting s = random_setting(1'000'000);
    BusyPair pair(s.a, s.b, s.faults, s.seed);
    for (std::uint32_t i = 0; i < s.posts; ++i) {
      pair.post_random(5000);
      if (i % 7 == 6) RC_ASSERT(pair.run());
    }
    RC_ASSERT(pair.run());
    RC_ASSERT(pair.check(true) == "");
  }));
}

TEST_CASE("On a clean network no operation is repeated but for a missing receive", "[ref][property]") {
  CHECK(holds("nothing is dropped, nothing comes twice", [] {
    Setting s = random_setting(0);
    s.faults = {};
    BusyPair pair(s.a, s.b, s.faults, s.seed);
    pair.receives_ahead = 100;
    for (std::uint32_t i = 0; i < s.posts; ++i) pair.post_random(5000);
    RC_ASSERT(pair.run());
    RC_ASSERT(pair.check(true) == "");
    for (auto* end : {&pair.a(), &pair.b()}) RC_ASSERT(end->node.dropped() + end->node.duplicates() == 0u);
  }));
}

TEST_CASE("With few retries a QP may fail, but every post and receive completes once", "[ref][property]") {
  CHECK(holds("completions equal posts: successes, one error, flushes", [] {
    Setting s = random_setting(*rc::gen::inRange<std::uint32_t>(0, 3));
    s.a.rnr_retry = s.b.rnr_retry = *rc::gen::inRange<std::uint32_t>(0, 3);
    BusyPair pair(s.a, s.b, s.faults, s.seed);
    for (std::uint32_t i = 0; i < s.posts; ++i) pair.post_random(5000);
    RC_ASSERT(pair.run());
    RC_ASSERT(pair.check(false) == "");
  }));
}
