// SPDX-License-Identifier: Apache-2.0
// One direction of a bad wire: loses, duplicates, delays and damages frames, seeded.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "models/base/rng.hpp"
#include "models/packet/bytes.hpp"

namespace caravan::stress {

struct ChannelFaults {
  double loss = 0.01, duplication = 0.01, reordering = 0.01, damage = 0.001;  ///< share of the frames
  std::uint64_t delay = 100, late = 600;  ///< cycles: of every frame; more, at most, of one that is overtaken
};

class Channel {
 public:
  Channel(std::uint64_t seed, const ChannelFaults& faults) : rng_(seed, 0xC4A7), faults_(faults) {}

  void send(const packet::Buffer& frame, std::uint64_t now) {
    if (rng_.chance(faults_.loss)) return;
    add(frame, now);
    if (rng_.chance(faults_.duplication)) add(frame, now);
  }
  bool due(std::uint64_t now) const { return !frames_.empty() && frames_.top().at <= now; }
  packet::Buffer take() {
    packet::Buffer frame = frames_.top().bytes;
    frames_.pop();
    return frame;
  }
  std::uint64_t next() const { return frames_.empty() ? ~0ull : frames_.top().at; }

 private:
  struct Entry {
    std::uint64_t at, sequence;
    packet::Buffer bytes;
    bool operator<(const Entry& o) const { return at != o.at ? at > o.at : sequence > o.sequence; }
  };
  void add(packet::Buffer frame, std::uint64_t now) {
    std::uint64_t at = now + faults_.delay;
    if (rng_.chance(faults_.reordering)) at += 1 + rng_.below(faults_.late);
    if (rng_.chance(faults_.damage)) frame[14 + rng_.below(frame.size() - 14)] ^= 1u << rng_.below(8);
    frames_.push({at, sequence_++, std::move(frame)});
  }

  base::Rng rng_;
  ChannelFaults faults_;
  std::priority_queue<Entry> frames_;
  std::uint64_t sequence_ = 0;
};

}  // namespace caravan::stress
