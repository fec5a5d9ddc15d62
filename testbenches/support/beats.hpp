// SPDX-License-Identifier: Apache-2.0
// Frames as bytes and as beats on the pins of axis_beat_t and net_rx_beat_t.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "testbenches/support/bench.hpp"

namespace caravan::support {

using Bytes = std::vector<std::uint8_t>;

/// One beat; the fields of axis_beat_t, and of net_rx_beat_t (sop, kind, bad) where a port has them.
struct Beat {
  std::array<std::uint8_t, 64> data{};
  unsigned bytes = 64;
  bool last = false, err = false;
  bool sop = false, bad = false;
  unsigned kind = 0;
  bool operator==(const Beat&) const = default;
};

/// A frame cut in beats; `err` marks its last beat.
inline std::vector<Beat> to_beats(const Bytes& frame, bool err = false) {
  std::vector<Beat> beats;
  for (std::size_t at = 0; at < frame.size(); at += 64) {
    Beat beat;
    beat.bytes = static_cast<unsigned>(std::min<std::size_t>(64, frame.size() - at));
    std::memcpy(beat.data.data(), frame.data() + at, beat.bytes);
    beat.last = at + 64 >= frame.size();
    beat.err = beat.last && err;
    beats.push_back(beat);
  }
  return beats;
}

/// The frames that end in `beats`.
inline std::vector<Bytes> to_frames(const std::vector<Beat>& beats) {
  std::vector<Bytes> frames;
  Bytes frame;
  for (const Beat& beat : beats) {
    frame.insert(frame.end(), beat.data.begin(), beat.data.begin() + beat.bytes);
    if (beat.last) {
      frames.push_back(frame);
      frame.clear();
    }
  }
  return frames;
}

template <class Wide>
void put_data(Wide& wide, const std::array<std::uint8_t, 64>& data) {
  for (unsigned i = 0; i < 16; ++i) {
    wide[i] = static_cast<std::uint32_t>(data[4 * i]) | static_cast<std::uint32_t>(data[4 * i + 1]) << 8 |
              static_cast<std::uint32_t>(data[4 * i + 2]) << 16 | static_cast<std::uint32_t>(data[4 * i + 3]) << 24;
  }
}
template <class Wide>
std::array<std::uint8_t, 64> get_data(const Wide& wide) {
  std::array<std::uint8_t, 64> data;
  for (unsigned i = 0; i < 64; ++i) data[i] = static_cast<std::uint8_t>(wide[i / 4] >> (8 * (i % 4)));
  return data;
}

/// axis_beat_t: {err, last, bytes[7], data[512]}
template <class Wide>
void put_axis(Wide& wide, const Beat& beat) {
  put_data(wide, beat.data);
  wide[16] = beat.bytes | (beat.last ? 1u << 7 : 0u) | (beat.err ? 1u << 8 : 0u);
}
template <class Wide>
Beat get_axis(const Wide& wide) {
  Beat beat;
  beat.data = get_data(wide);
  beat.bytes = wide[16] & 0x7F;
  beat.last = wide[16] >> 7 & 1;
  beat.err = wide[16] >> 8 & 1;
  return beat;
}

/// net_rx_beat_t: {bad, eop, sop, kind[2], bytes[7], data[512]}; eop is `last`.
template <class Wide>
void put_net_rx(Wide& wide, const Beat& beat) {
  put_data(wide, beat.data);
  wide[16] = beat.bytes | beat.kind << 7 | (beat.sop ? 1u << 9 : 0u) | (beat.last ? 1u << 10 : 0u) |
             (beat.bad ? 1u << 11 : 0u);
}
template <class Wide>
Beat get_net_rx(const Wide& wide) {
  Beat beat;
  beat.data = get_data(wide);
  beat.bytes = wide[16] & 0x7F;
  beat.kind = wide[16] >> 7 & 3;
  beat.sop = wide[16] >> 9 & 1;
  beat.last = wide[16] >> 10 & 1;
  beat.bad = wide[16] >> 11 & 1;
  return beat;
}

/// Feeds a stream without back-pressure: one item a cycle, with the pauses of a stall pattern.
template <class T>
class Pusher {
 public:
  template <class B, class Put, class Valid>
  Pusher(B& bench, StallPattern stall, Put put, Valid valid) : stall_(stall) {
    bench.add(
        [this, put, valid] {
          sending_ = !queue_.empty() && !stall_.next();
          valid(sending_);
          if (sending_) put(queue_.front());
        },
        [this, &bench] {
          if (!sending_) return;
          sent_at_.push_back(bench.cycle());
          queue_.pop_front();
        });
  }
  void push(T item) { queue_.push_back(std::move(item)); }
  bool empty() const { return queue_.empty(); }
  const std::vector<std::uint64_t>& sent_at() const { return sent_at_; }

 private:
  StallPattern stall_;
  std::deque<T> queue_;
  std::vector<std::uint64_t> sent_at_;
  bool sending_ = false;
};

}  // namespace caravan::support
