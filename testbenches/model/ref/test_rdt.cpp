// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <deque>

#include "models/base/rng.hpp"
#include "models/ref/rdt_ref.hpp"
#include "testbenches/model/ref/properties.hpp"

using namespace caravan;
using namespace caravan::test;
using ref::KvEntry;
using ref::KvUpdate;
using ref::RdtReplica;

namespace {

struct Cluster {
  std::vector<RdtReplica> replicas;
  std::vector<KvUpdate> updates;  ///< of everybody, in order of making
};

/// Replicas that put at random and exchange updates late, out of order and sometimes twice; all arrive in the end.
Cluster random_cluster(std::uint64_t seed, int count, int puts) {
  base::Rng rng(seed);
  Cluster c;
  std::vector<std::vector<KvUpdate>> waiting(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) c.replicas.emplace_back(static_cast<std::uint8_t>(i));
  const auto apply_one = [&](std::size_t at) {
    auto& queue = waiting[at];
    const std::size_t pick = rng.below(queue.size());
    c.replicas[at].apply(queue[pick]);
    if (!rng.chance(0.2)) queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(pick));
  };
  for (int i = 0; i < puts; ++i) {
    const std::size_t at = rng.below(c.replicas.size());
    c.updates.push_back(c.replicas[at].put(rng.below(8), rng.next()));
    for (std::size_t peer = 0; peer < c.replicas.size(); ++peer) {
      if (peer != at) waiting[peer].push_back(c.updates.back());
      if (!waiting[peer].empty() && rng.chance(0.5)) apply_one(peer);
    }
  }
  for (std::size_t at = 0; at < waiting.size(); ++at) {
    while (!waiting[at].empty()) apply_one(at);
  }
  return c;
}

}  // namespace

TEST_CASE("A PUT gets a timestamp above all that its replica has seen", "[ref][rdt]") {
  RdtReplica r(3);
  CHECK(r.put(1, 10) == KvUpdate{1, 10, {1, 3}});
  CHECK(r.put(2, 20) == KvUpdate{2, 20, {2, 3}});
  CHECK(r.apply({9, 90, {41, 5}}));
  CHECK(r.put(1, 11) == KvUpdate{1, 11, {42, 3}});
  CHECK_FALSE(r.apply({1, 12, {41, 7}}));  // older than the local write of key 1
  CHECK(r.clock() == 42);
  CHECK(r.get(1) == 11);
  CHECK(r.get(9) == 90);
  CHECK_FALSE(r.get(7));
}

TEST_CASE("A stale update still raises the clock", "[ref][rdt]") {
  RdtReplica r(0);
  r.put(1, 1);
  r.load(2, {5, {100, 9}});
  CHECK(r.apply({1, 7, {50, 1}}));
  CHECK(r.clock() == 100);
  CHECK(r.put(3, 0).stamp.timestamp == 101);
}

TEST_CASE("Of equal timestamps the higher replica id wins, whichever comes first", "[ref][rdt]") {
  const KvUpdate low{1, 10, {5, 1}}, high{1, 20, {5, 2}};
  RdtReplica a(7), b(8);
  CHECK(a.apply(low));
  CHECK(a.apply(high));
  CHECK(b.apply(high));
  CHECK_FALSE(b.apply(low));
  CHECK(a.get(1) == 20);
  CHECK(a.map() == b.map());
  CHECK_FALSE(a.apply(high));  // twice is as good as once
}

TEST_CASE("The digest depends on key, value, timestamp and replica, not on the order of insertion", "[ref][rdt]") {
  const auto digest = [](std::vector<KvUpdate> updates) {
    ref::LwwMap map;
    for (const auto& u : updates) map.merge(u);
    return map.digest();
  };
  const auto base = digest({{1, 2, {3, 4}}, {5, 6, {7, 8}}});
  CHECK(base == digest({{5, 6, {7, 8}}, {1, 2, {3, 4}}}));
  CHECK(base != digest({{1, 2, {3, 4}}}));
  CHECK(base != digest({{9, 2, {3, 4}}, {5, 6, {7, 8}}}));
  CHECK(base != digest({{1, 9, {3, 4}}, {5, 6, {7, 8}}}));
  CHECK(base != digest({{1, 2, {9, 4}}, {5, 6, {7, 8}}}));
  CHECK(base != digest({{1, 2, {3, 9}}, {5, 6, {7, 8}}}));
}

TEST_CASE("Replicas that have seen all updates are equal, and equal to the reference in any order",
          "[ref][rdt][property]") {
  CHECK(holds("convergence", [] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    Cluster c = random_cluster(seed, *rc::gen::inRange(1, 6), *rc::gen::inRange(0, 80));
    ref::KvReference in_order, shuffled;
    for (const auto& u : c.updates) in_order.add(u);
    base::Rng rng(seed, 1);
    for (std::size_t i = c.updates.size(); i > 1; --i) std::swap(c.updates[i - 1], c.updates[rng.below(i)]);
    for (const auto& u : c.updates) shuffled.add(u);
    RC_ASSERT(in_order.expected() == shuffled.expected());
    RC_ASSERT(in_order.digest() == shuffled.digest());
    RC_ASSERT(shuffled.updates() == c.updates.size());
    for (const RdtReplica& r : c.replicas) {
      RC_ASSERT(r.map() == in_order.expected());
      RC_ASSERT(r.digest() == in_order.digest());
    }
  }));
}

TEST_CASE("A later PUT that has seen an earlier one wins", "[ref][rdt][property]") {
  CHECK(holds("causality", [] {
    RdtReplica a(*rc::gen::arbitrary<std::uint8_t>()), b(*rc::gen::arbitrary<std::uint8_t>());
    const auto lead = *rc::gen::inRange(0, 20);
    for (int i = 0; i < lead; ++i) a.put(100, static_cast<std::uint64_t>(i));
    const KvUpdate first = a.put(1, 1);
    b.apply(first);
    const KvUpdate second = b.put(1, 2);
    RC_ASSERT(second.stamp > first.stamp);
    RC_ASSERT(a.apply(second));
    RC_ASSERT(a.get(1) == 2u);
  }));
}
