// SPDX-License-Identifier: Apache-2.0
// Two endpoints with all operations over a network that loses, duplicates and reorders; keeps what must be true of
// memories, completions and receives.
#pragma once

#include <algorithm>
#include <vector>

#include "models/base/rng.hpp"
#include "testbenches/model/ref/verbs.hpp"

namespace caravan::test {

struct Faults {
  double loss = 0, duplicate = 0, reorder = 0;
};

/// A message has bytes of its own in both memories, so that the end does not depend on when something was repeated.
/// Only atomics share theirs: executed twice, or out of order, one would change every later result.
class BusyPair {
 public:
  static constexpr std::uint64_t kSlot = 8192, kSlots = 128, kCounters = kHbm, kTargets = kHbm + 4096;
  static constexpr std::uint32_t kAllRkey = 0xA110;
  struct End {
    ref::RoceRef node;
    base::Qpn qpn;
    std::vector<Buffer> arriving{};
    ref::SparseMemory expected{};
    std::vector<ref::Completion> expected_completions{};
    std::vector<ref::ReceiveCompletion> expected_receives{};
    std::uint32_t recvs = 0, used = 0;  ///< buffers posted; entries that the messages of the other end will use
    std::uint32_t messages = 0;         ///< requests that the other end will send; a READ in pieces is several
    std::uint64_t remote_slots = 0, local_slots = 0;
  };

  BusyPair(const ref::QpConfig& a, const ref::QpConfig& b, const Faults& faults, std::uint64_t seed)
      : a_{.node = ref::RoceRef(kMacA, kIpA), .qpn = a.qpn},
        b_{.node = ref::RoceRef(kMacB, kIpB), .qpn = b.qpn},
        faults_(faults),
        rng_(seed) {
    start(a_, a);
    start(b_, b);
  }

  void post_random(std::uint64_t max_bytes);
  std::uint32_t receives_ahead = 0;  ///< so many buffers are posted before anything runs

  /// Runs until nothing moves. False when it never ends, or the window is exceeded.
  bool run();
  /// Empty when memories, completions and receives are what they must be.
  std::string check(bool all_succeed);

  End& a() { return a_; }
  End& b() { return b_; }

 private:
  static std::uint64_t buffer_of(std::uint32_t recv) { return kHost + 0x4000'0000 + recv * kSlot; }
  void start(End& end, const ref::QpConfig& config);
  void post_recv(End& end) {
    end.node.post_recv(end.qpn, {.wr_id = end.recvs, .local_va = buffer_of(end.recvs), .length = kSlot});
    ++end.recvs;
  }
  void put(End& to, const Buffer& frame);
  bool send(End& from, End& to);
  bool deliver(End& at, End& from);
  std::string check(End& end, bool all_succeed);
  void fill_atomic(ref::WorkRequest& r, End& from, End& to);
  void fill_data(ref::WorkRequest& r, End& from, End& to);

  End a_, b_;
  Faults faults_;
  base::Rng rng_;
};

}  // namespace caravan::test
