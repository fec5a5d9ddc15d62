// SPDX-License-Identifier: Apache-2.0
// A network of constant delay in plain C++, for tests of the engine alone. As strict as the contract allows: a frame
// becomes known only when advance() has passed its time.
#pragma once

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "models/base/errors.hpp"
#include "models/timing/roce_peek.hpp"
#include "sim/network/i_network.hpp"

namespace caravan::support {

class FakeNetwork final : public sim::Network {
 public:
  FakeNetwork(unsigned ports, base::Time delay) : delay_(delay), arrived_(ports) {}
  unsigned ports() const override { return static_cast<unsigned>(arrived_.size()); }
  void inject(unsigned port, base::Frame frame) override {
    BUG_IF(frame.time < now_, "fake network: a frame in the past");
    const auto key = std::make_tuple(frame.time, port, frame.sequence);
    waiting_.emplace(key, std::move(frame));
  }
  void advance(base::Time until) override {
    now_ = std::max(now_, until);
    while (!waiting_.empty() && std::get<0>(waiting_.begin()->first) < until) {
      base::Frame frame = waiting_.begin()->second;
      waiting_.erase(waiting_.begin());
      frame.time += delay_;
      arrived_[timing::peek(*frame.bytes).dst_mac & 0xFF].push_back(frame);
      ++delivered_;
    }
  }
  base::Time lookahead() const override { return delay_; }
  void collect(unsigned port, base::FrameInbox& to) override {
    to.insert(to.end(), arrived_[port].begin(), arrived_[port].end());
    arrived_[port].clear();
  }
  void set_faults(std::vector<timing::FaultRule>) override { throw base::UserError("fake network: it has no faults"); }
  base::Time next_event() const override {
    return waiting_.empty() ? base::Time::never() : std::get<0>(waiting_.begin()->first);
  }
  std::vector<base::StatValue> statistics() const override {
    return {{"fake.delivered", base::Unit::kFrames, delivered_}};
  }
  void hash_into(base::Fingerprint& hash) const override { hash.word(delivered_); }

 private:
  base::Time delay_, now_;
  std::uint64_t delivered_ = 0;
  std::map<std::tuple<base::Time, unsigned, std::uint64_t>, base::Frame> waiting_;
  std::vector<base::FrameInbox> arrived_;
};

}  // namespace caravan::support
