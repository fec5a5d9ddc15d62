// SPDX-License-Identifier: Apache-2.0
// A whole node that takes a frame and gives its answers, with the reference model of its endpoint beside it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/packet/bytes.hpp"
#include "models/ref/roce_ref.hpp"
#include "testbenches/fuzz/frame_fuzzer.hpp"
#include "verilator/wrap/rtl_node.hpp"

namespace caravan::support {

class NodeFuzz {
 public:
  explicit NodeFuzz(const FuzzTarget& target);

  /// Creates the same QP at both.
  void create_qp(const ref::QpConfig& qp);
  vl::RtlNode& node() { return node_; }
  ref::RoceRef& model() { return model_; }

  /// Sends `frame` to the node and runs until nothing moves any more: the frames it sent. `hung` tells that it was
  /// still busy at the limit.
  std::vector<packet::Buffer> exchange(const packet::Buffer& frame, bool bad_fcs = false);
  bool hung() const { return hung_; }
  /// Value of a node counter by its name; a broken invariant for a name that does not exist.
  std::uint64_t counter(std::string_view name) const;

 private:
  vl::RtlNode node_;
  ref::RoceRef model_;
  base::Time now_;
  std::uint64_t sequence_ = 0;
  bool hung_ = false;
};

/// Frames that are not RoCE, from right to garbage: ARP, ICMP echo, IPv4 and UDP of other kinds, pause frames of short
/// pauses, noise. Of some the answer is known.
class NetFuzzer {
 public:
  NetFuzzer(std::uint64_t seed, const FuzzTarget& target) : rng_(seed, 0x4E7), target_(target) {}
  packet::Buffer next();
  /// What the frame last made was, and how many frames answer it; -1: unknown, at most one.
  const char* kind() const { return kind_; }
  int answers() const { return answers_; }

 private:
  packet::Buffer arp();
  packet::Buffer icmp();
  packet::Buffer ipv4(std::uint8_t protocol, const packet::Buffer& payload);
  packet::Buffer pause();
  packet::Buffer random_bytes(std::size_t count);

  base::Rng rng_;
  FuzzTarget target_;
  const char* kind_ = "";
  int answers_ = 0;
};

}  // namespace caravan::support
