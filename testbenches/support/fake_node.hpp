// SPDX-License-Identifier: Apache-2.0
// A node in plain C++ with the real MAC models: bounces frames. Its state and timing are a function of the frames and
// their exact times, so that any difference between two runs of a cluster shows in its fingerprint.
#pragma once

#include <algorithm>
#include <deque>
#include <istream>
#include <optional>
#include <ostream>
#include <vector>

#include "models/base/fingerprint.hpp"
#include "models/base/i_node_model.hpp"
#include "models/base/rng.hpp"
#include "models/timing/mac.hpp"
#include "models/timing/serial.hpp"
#include "testbenches/support/frames.hpp"

namespace caravan::support {

struct FakeNodeConfig {
  unsigned index = 0, nodes = 2;
  unsigned first_frames = 0;  ///< frames that it sends at the start, to random stations
  unsigned hops = 0;          ///< how often each of them is bounced
  std::uint64_t think = 10;   ///< cycles from a frame's last beat to the first beat of the answer, plus its random part
  std::uint64_t think_spread = 0;
  std::size_t size = 138, size_spread = 0;
  std::uint64_t seed = 1;
  bool evaluate_all = false;  ///< steps every cycle, skips none
  unsigned spin = 0;          ///< extra work per evaluated cycle, for measurements
  timing::MacConfig mac = {};
};

class FakeNode final : public base::NodeModel {
 public:
  explicit FakeNode(FakeNodeConfig config)
      : config_(config), rng_(config.seed, config.index), tx_(config.mac), rx_(config.mac) {
    for (unsigned i = 0; i < config_.first_frames; ++i) plan(0, config_.hops);
  }

  void run_until(base::Time end, base::FrameInbox& inbox, base::FrameOutbox& outbox) override {
    for (const base::Frame& frame : inbox) rx_.push(frame);
    const base::Time period = config_.mac.clock_period;
    const auto last = static_cast<std::uint64_t>((end.in_ps() + period.in_ps() - 1) / period.in_ps());
    while (cycle_ < last) {
      const std::uint64_t next = next_cycle();
      if (!config_.evaluate_all && next > cycle_) {
        cycle_ = std::min(next, last);
        continue;
      }
      step(outbox);
      ++cycle_;
      ++evaluated_;
    }
  }

  base::Time next_activity() const override { return base::Cycles(next_cycle()).at(config_.mac.clock_period); }

  std::uint64_t fingerprint() const override {
    base::Fingerprint hash = seen_;
    hash.word(received_);
    hash.word(sent_);
    return hash.value();
  }
  void serialize(std::ostream& out) const override { timing::put(out, cycle_); }
  void deserialize(std::istream& in) override { cycle_ = timing::get<std::uint64_t>(in); }

  std::uint64_t received() const { return received_; }
  std::uint64_t sent() const { return sent_; }
  std::uint64_t evaluated() const { return evaluated_; }
  std::uint64_t cycle() const { return cycle_; }
  /// Cycle of the last beat of each frame received.
  const std::vector<std::uint64_t>& arrivals() const { return arrivals_; }
  /// Plans a frame to station `to`, first beat at `at` at the earliest.
  void plan_to(unsigned to, std::uint64_t at, std::size_t size, unsigned hops = 0) {
    plans_.push_back({at, to, hops, size});
  }

 private:
  struct Plan {
    std::uint64_t at;
    unsigned to, hops;
    std::size_t size;
  };

  void plan(std::uint64_t now, unsigned hops) {
    const auto to = static_cast<unsigned>((config_.index + 1 + rng_.below(config_.nodes - 1)) % config_.nodes);
    const std::uint64_t spread = config_.think_spread ? rng_.below(config_.think_spread) : 0;
    plans_.push_back({now + config_.think + spread, to, hops,
                      config_.size + (config_.size_spread ? rng_.below(config_.size_spread) : 0)});
  }

  std::uint64_t next_cycle() const {
    const base::Cycles now(cycle_);
    std::uint64_t next = std::min(rx_.next_activity(now), tx_.next_activity(now)).count();
    if (sending_) next = cycle_;
    if (!plans_.empty()) next = std::min(next, std::max(cycle_, plans_.front().at));
    return next;
  }

  void step(base::FrameOutbox& outbox) {
    for (unsigned i = 0; i < config_.spin; ++i) asm volatile("" ::: "memory");
    if (!sending_ && !plans_.empty() && plans_.front().at <= cycle_) {
      sending_ = *make_frame({.from = config_.index,
                              .to = plans_.front().to,
                              .psn = plans_.front().hops,
                              .size = plans_.front().size})
                      .bytes;
      plans_.pop_front();
      position_ = 0;
    }
    timing::MacPins offer;
    if (sending_) {
      const std::size_t count = std::min<std::size_t>(64, sending_->size() - position_);
      offer.valid = true;
      std::copy_n(sending_->begin() + static_cast<std::ptrdiff_t>(position_), count, offer.beat.data.begin());
      offer.beat.bytes = static_cast<std::uint8_t>(count);
      offer.beat.last = position_ + count == sending_->size();
    }
    const bool taken = offer.valid && tx_.ready();
    const timing::MacPins arrived = rx_.pins();
    rx_.step(base::Cycles(cycle_));
    tx_.step(offer, base::Cycles(cycle_), outbox);
    if (taken) {
      position_ += offer.beat.bytes;
      if (offer.beat.last) {
        sending_.reset();
        ++sent_;
        seen_.word(cycle_ << 1);
      }
    }
    if (arrived.valid) receive(arrived.beat);
  }

  void receive(const timing::MacBeat& beat) {
    seen_.word(cycle_ << 1 | 1);
    seen_.bytes(beat.data.data(), beat.bytes);
    if (first_beat_) hops_ = static_cast<unsigned>(beat.data[51] << 16 | beat.data[52] << 8 | beat.data[53]);
    first_beat_ = beat.last;
    if (!beat.last) return;
    ++received_;
    arrivals_.push_back(cycle_);
    if (hops_ > 0 && !beat.err) plan(cycle_, hops_ - 1);
  }

  FakeNodeConfig config_;
  base::Rng rng_;
  timing::MacTx tx_;
  timing::MacRx rx_;
  std::uint64_t cycle_ = 0, received_ = 0, sent_ = 0, evaluated_ = 0;
  std::deque<Plan> plans_;
  std::optional<std::vector<std::uint8_t>> sending_;
  std::size_t position_ = 0;
  bool first_beat_ = true;
  unsigned hops_ = 0;
  base::Fingerprint seen_;
  std::vector<std::uint64_t> arrivals_;
};

}  // namespace caravan::support
