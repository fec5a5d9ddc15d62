// SPDX-License-Identifier: Apache-2.0
// Two reference endpoints over a network that loses, duplicates and reorders.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include "models/base/rng.hpp"
#include "testbenches/model/ref/peers.hpp"
#include "testbenches/model/ref/properties.hpp"

using namespace caravan;
using namespace caravan::test;
using packet::Buffer;
using ref::CompletionStatus;
using ref::QpState;

namespace {

struct Faults {
  double loss = 0, duplicate = 0, reorder = 0;
};

/// One end: model, frames on their way to it, what its memory must hold in the end.
struct End {
  ref::RoceRef node;
  base::Qpn qpn;
  std::vector<Buffer> arriving;
  ref::SparseMemory expected;
  std::vector<ref::RpcCall> expected_rpcs;
  std::uint32_t posts = 0;
};

class Pair {
 public:
  Pair(ref::QpConfig a, ref::QpConfig b, const Faults& faults, std::uint64_t seed)
      : a_{ref::RoceRef(kMacA, kIpA), a.qpn, {}, {}, {}, 0},
        b_{ref::RoceRef(kMacB, kIpB), b.qpn, {}, {}, {}, 0},
        faults_(faults),
        rng_(seed) {
    start(a_, a);
    start(b_, b);
  }

  /// A random WRITE or RPC from one end to the other.
  void post_random(std::uint64_t max_bytes) {
    End& from = rng_.chance(0.5) ? a_ : b_;
    End& to = &from == &a_ ? b_ : a_;
    const bool rpc = rng_.chance(0.2);
    const std::uint64_t bytes = rpc ? 1 + rng_.below(64) : rng_.below(max_bytes + 1);
    const std::uint64_t local = kHost + rng_.below(8192),
                        remote = rpc ? kRpc + rng_.below(4096 - 64) : kHbm + rng_.below(16384);
    from.node.post_write(from.qpn, {.wr_id = from.posts++,
                                    .local_va = local,
                                    .remote_va = remote,
                                    .rkey = rpc ? kRpcRkey : kRkey,
                                    .length = bytes});
    const Buffer data = from.node.memory().read(local, bytes);
    if (rpc)
      to.expected_rpcs.push_back({to.qpn, remote, data});
    else
      to.expected.write(remote, data);
  }

  /// Runs until nothing moves. False when it never ends.
  bool run() {
    for (int step = 0; step < 200'000; ++step) {
      RC_ASSERT(a_.node.view(a_.qpn).outstanding <= a_.node.config(a_.qpn).window);
      RC_ASSERT(b_.node.view(b_.qpn).outstanding <= b_.node.config(b_.qpn).window);
      const bool sent_a = send(a_, b_), sent_b = send(b_, a_);
      const bool moved_a = deliver(a_, b_), moved_b = deliver(b_, a_);
      if (sent_a || sent_b || moved_a || moved_b) continue;
      const bool waits_a = a_.node.view(a_.qpn).outstanding > 0, waits_b = b_.node.view(b_.qpn).outstanding > 0;
      if (!waits_a && !waits_b) return true;
      if (waits_a) a_.node.timeout(a_.qpn);
      if (waits_b) b_.node.timeout(b_.qpn);
    }
    return false;
  }

  End& a() { return a_; }
  End& b() { return b_; }

 private:
  void start(End& end, const ref::QpConfig& config) {
    end.node.create_qp(config);
    add_regions(end.node);
    Buffer source(16384);
    for (auto& byte : source) byte = static_cast<std::uint8_t>(rng_.next());
    end.node.memory().write(kHost, source);
    end.expected.write(kHost, source);
  }
  void put(End& to, const Buffer& frame) {
    if (rng_.chance(faults_.loss)) return;
    to.arriving.push_back(frame);
    if (rng_.chance(faults_.duplicate)) to.arriving.push_back(frame);
  }
  bool send(End& from, End& to) {
    const auto frames = from.node.transmit(from.qpn, 1 + rng_.below(4));
    for (const auto& frame : frames) put(to, frame);
    return !frames.empty();
  }
  bool deliver(End& at, End& from) {
    if (at.arriving.empty()) return false;
    const std::size_t pick =
        rng_.chance(faults_.reorder) ? rng_.below(std::min<std::size_t>(at.arriving.size(), 6)) : 0;
    const Buffer frame = at.arriving[pick];
    at.arriving.erase(at.arriving.begin() + static_cast<std::ptrdiff_t>(pick));
    for (const auto& answer : at.node.receive(frame)) put(from, answer);
    return true;
  }

  End a_, b_;
  Faults faults_;
  base::Rng rng_;
};

struct Setting {
  ref::QpConfig a = config_a(), b = config_b();
  Faults faults;
  std::uint64_t seed = 0;
  std::uint32_t posts = 0;
};

Setting random_setting(std::uint32_t retry_limit) {
  Setting s;
  s.seed = *rc::gen::arbitrary<std::uint64_t>();
  s.posts = *rc::gen::inRange<std::uint32_t>(0, 30);
  s.a.pmtu = s.b.pmtu = *rc::gen::element<std::uint32_t>(256, 512, 1024);
  s.a.window = s.b.window = *rc::gen::element<std::uint32_t>(1, 2, 16);
  s.a.ack_every = s.b.ack_every = *rc::gen::element<std::uint32_t>(0, 1, 3, 8);
  s.a.retry_limit = s.b.retry_limit = retry_limit;
  s.a.first_psn_to_send = s.b.first_psn_to_expect =
      base::Psn(*rc::gen::element<std::uint32_t>(0u, 0xFFFFFAu, 0x7FFFF8u));
  s.faults = {.loss = *rc::gen::inRange(0, 30) / 100.0,
              .duplicate = *rc::gen::inRange(0, 30) / 100.0,
              .reorder = *rc::gen::inRange(0, 50) / 100.0};
  return s;
}

void check_end(End& end) {
  RC_ASSERT(end.node.completions().size() == end.posts);
  for (std::uint32_t i = 0; i < end.posts; ++i)
    RC_ASSERT(end.node.completions()[i] == (ref::Completion{end.qpn, i, CompletionStatus::kOk}));
  RC_ASSERT(end.node.memory() == end.expected);
  RC_ASSERT(end.node.rpcs() == end.expected_rpcs);
}

}  // namespace

TEST_CASE("Over a bad network every WRITE arrives exactly once, in order, and completes", "[ref][property]") {
  CHECK(holds("all posts complete, memory equals the model", [] {
    const Setting s = random_setting(1'000'000);
    Pair pair(s.a, s.b, s.faults, s.seed);
    for (std::uint32_t i = 0; i < s.posts; ++i) {
      pair.post_random(4000);
      if (i % 5 == 4) RC_ASSERT(pair.run());
    }
    RC_ASSERT(pair.run());
    check_end(pair.a());
    check_end(pair.b());
    RC_ASSERT(pair.b().node.view(kQpnB).msn == pair.a().posts);
    RC_ASSERT(pair.a().node.view(kQpnA).msn == pair.b().posts);
  }));
}

TEST_CASE("On a clean network nothing is repeated", "[ref][property]") {
  CHECK(holds("no duplicates, no drops", [] {
    Setting s = random_setting(0);
    s.faults = {};
    s.a.ack_every = s.b.ack_every = 1;
    Pair pair(s.a, s.b, s.faults, s.seed);
    for (std::uint32_t i = 0; i < s.posts; ++i) pair.post_random(4000);
    RC_ASSERT(pair.run());
    check_end(pair.a());
    check_end(pair.b());
    RC_ASSERT(pair.a().node.dropped() + pair.b().node.dropped() + pair.a().node.duplicates() +
                  pair.b().node.duplicates() ==
              0u);
  }));
}

TEST_CASE("With few retries a QP may fail, but every post completes once: successes, one error, flushes",
          "[ref][property]") {
  CHECK(holds("completions equal posts", [] {
    const Setting s = random_setting(*rc::gen::inRange<std::uint32_t>(0, 3));
    Pair pair(s.a, s.b, s.faults, s.seed);
    for (std::uint32_t i = 0; i < s.posts; ++i) pair.post_random(4000);
    RC_ASSERT(pair.run());
    for (End* end : {&pair.a(), &pair.b()}) {
      const auto& done = end->node.completions();
      RC_ASSERT(done.size() == end->posts);
      const auto failed = std::ranges::find_if(done, [](const auto& c) { return c.status != CompletionStatus::kOk; });
      for (std::size_t i = 0; i < done.size(); ++i) RC_ASSERT(done[i].wr_id == i);
      if (failed == done.end()) continue;
      RC_ASSERT(end->node.view(end->qpn).state == QpState::kError);
      RC_ASSERT(failed->status == CompletionStatus::kRetryExceeded);
      RC_ASSERT(
          std::all_of(failed + 1, done.end(), [](const auto& c) { return c.status == CompletionStatus::kFlushed; }));
    }
  }));
}
