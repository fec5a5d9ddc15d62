// SPDX-License-Identifier: Apache-2.0
// The RTL requester against the reference responder over a bad network, and beside it a twin: two reference ends with
// the same work over a perfect one, whose completions and memories are what must come out.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "models/base/rng.hpp"
#include "models/ref/roce_ref.hpp"
#include "testbenches/cosim/roce_tx/tx_bench.hpp"

namespace caravan::cosim {

struct Setup {
  double loss = 0, duplicate = 0, overtake = 0, corrupt = 0;
  /// Receive buffers are posted while the traffic runs, so that SENDs meet empty queues; else all before.
  bool late_receives = false;
  support::StallPattern::Kind stall = support::StallPattern::Kind::kNone;
  std::uint64_t seed = 1, delay = 100;
  unsigned qps = 4;
  bool datagrams = false;  ///< one UD queue pair more
  bool gated = false;      ///< quiet cycles are not clocked
};

class Link {
 public:
  explicit Link(const Setup& setup);
  /// Posts a random work request to QP `q`.
  void post(std::uint32_t q, std::uint32_t wr_id);
  /// Carries out everything that was posted in the twin. Call once, after the posts.
  void run_twin();
  /// Runs until all wanted completions are there, and all receives, at most `limit` cycles.
  bool run(std::uint64_t limit);
  /// Completions, receive completions and both memories are those of the twin.
  void check();
  const std::vector<packet::Buffer>& twin_frames() const { return twin_frames_; }

  Setup s;
  TxBench tx;
  ref::RoceRef peer;

 private:
  struct Place {
    std::uint64_t va, length;
  };
  void create(std::uint32_t q);
  void post_receive(std::uint32_t q, const ref::WorkRequest& request);
  void travel(packet::Buffer frame, bool to_peer);
  bool results_are_there();
  void deliver_due();
  base::Rng rng_;
  ref::RoceRef twin_, twin_peer_;
  std::vector<ref::QpConfig> configs_;
  std::vector<Place> results_;  ///< local memory that READs and atomics fill
  std::vector<std::pair<base::Qpn, ref::ReceiveRequest>> receives_;
  std::size_t receives_posted_ = 0;
  std::vector<packet::Buffer> twin_frames_;
  std::uint64_t sequence_ = 0;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::pair<packet::Buffer, bool>> events_;
};

}  // namespace caravan::cosim
