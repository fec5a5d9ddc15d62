// SPDX-License-Identifier: Apache-2.0
// One RTL endpoint that takes a frame and gives its answers, set up and fed with work like the reference model beside
// it.
#pragma once

#include <cstdint>
#include <vector>

#include "models/packet/bytes.hpp"
#include "models/ref/roce_ref.hpp"
#include "testbenches/endpoint/rtl_end.hpp"
#include "testbenches/fuzz/frame_fuzzer.hpp"

namespace caravan::support {

class FuzzEndpoint {
 public:
  explicit FuzzEndpoint(const FuzzTarget& target);

  /// Creates the same QP at both.
  void create_qp(const ref::QpConfig& qp);
  RtlEnd& rtl() { return rtl_; }
  ref::RoceRef& model() { return model_; }

  /// What both sent since the last call. Frames of QPs whose RNR wait is over in between are part of it.
  struct Answers {
    std::vector<packet::Buffer> rtl, model;
  };
  /// Gives the frame to both and runs until nothing moves. `hung` tells that the RTL was still busy at the limit.
  Answers exchange(const packet::Buffer& frame);
  bool hung() const { return hung_; }
  /// Now and then posts a work request or a receive at both, on any QP.
  void add_work(base::Rng& rng, const FuzzTarget& target);

  /// Work that was posted at both leaves; what is sent belongs to the next exchange.
  void settle();

 private:
  RtlEnd rtl_;
  ref::RoceRef model_;
  std::size_t qps_;  // numbers 1 .. qps_
  std::uint32_t next_wr_ = 0;
  bool hung_ = false;
  std::vector<packet::Buffer> model_sent_;
};

}  // namespace caravan::support
