// SPDX-License-Identifier: Apache-2.0
// One RTL node as an endpoint that takes a frame and gives its answers, set up like the reference model beside it.
#pragma once

#include <cstdint>
#include <vector>

#include "models/packet/bytes.hpp"
#include "models/ref/roce_ref.hpp"
#include "testbenches/fuzz/frame_fuzzer.hpp"
#include "verilator/wrap/rtl_node.hpp"

namespace caravan::support {

/// Creates the same QP at both.
void create_qp(vl::RtlNode& node, ref::RoceRef& model, const ref::QpConfig& qp);

class FuzzEndpoint {
 public:
  explicit FuzzEndpoint(const FuzzTarget& target);

  vl::RtlNode& node() { return node_; }
  ref::RoceRef& model() { return model_; }

  /// Sends `frame` to the node and runs until nothing moves any more, at most `limit` cycles: the frames it sent.
  /// `hung` tells that it was still busy then.
  std::vector<packet::Buffer> exchange(const packet::Buffer& frame, bool bad_fcs = false);
  bool hung() const { return hung_; }
  /// Value of a node counter by its name; a broken invariant for a name that does not exist.
  std::uint64_t counter(std::string_view name) const;

 private:
  static constexpr std::uint64_t kLimitCycles = 4000;

  vl::RtlNode node_;
  ref::RoceRef model_;
  base::Time now_;
  std::uint64_t sequence_ = 0;
  bool hung_ = false;
};

}  // namespace caravan::support
