// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>
#include <cstring>

#include "models/base/errors.hpp"
#include "models/timing/mac.hpp"
#include "models/timing/serial.hpp"

namespace caravan::timing {

MacRx::MacRx(MacConfig config) : config_(std::move(config)) {
  BUG_IF(config_.clock_period <= base::Time() || config_.line_rate.in_bps() == 0,
         config_.instance + ": bad MAC configuration");
}

// The shortest frame has its first (and last) beat after 72 bytes; pins are set one edge before the beat is taken.
base::Time MacRx::lookahead() const {
  const base::Time beat = config_.line_rate.time_for(base::Bytes(8 + 64)) + config_.rx_latency;
  return std::max(base::Time(), beat - config_.clock_period);
}

void MacRx::push(base::Frame frame) {
  BUG_IF(!frame.bytes || frame.bytes->empty(),
         fmt::format("{} ps, {}: an empty frame", frame.time.in_ps(), config_.instance));
  if (frame.bytes->size() > config_.max_frame.count()) {
    ++stats_.oversize;
    return;
  }
  frames_.push_back(std::move(frame));
  if (frames_.size() == 1) schedule();
}

void MacRx::schedule() {
  if (frames_.empty()) return;
  const base::Frame& frame = frames_.front();
  const std::uint64_t size = frame.bytes->size();
  const std::uint64_t end = 64 * (beat_ + 1);
  const base::Bytes arrived = end < size ? base::Bytes(8 + end) : wire_bytes(base::Bytes(size));
  const std::int64_t ready = (frame.time + config_.line_rate.time_for(arrived) + config_.rx_latency).in_ps();
  const std::int64_t period = config_.clock_period.in_ps();
  due_ = std::max(static_cast<std::uint64_t>((std::max<std::int64_t>(ready, 0) + period - 1) / period), last_due_);
}

void MacRx::step(base::Cycles now) {
  pins_.valid = false;
  if (frames_.empty() || due_ > now.count() + 1) return;
  const base::Frame& frame = frames_.front();
  BUG_IF(due_ <= now.count(),
         fmt::format("{} ps, cycle {}, {}: frame of {} ps, beat {} was due in cycle {}: handed over too late",
                     now.at(config_.clock_period).in_ps(), now.count(), config_.instance, frame.time.in_ps(), beat_,
                     due_));
  const std::uint64_t from = 64 * beat_;
  const std::uint64_t count = std::min<std::uint64_t>(64, frame.bytes->size() - from);
  MacBeat& beat = pins_.beat;
  std::memcpy(beat.data.data(), frame.bytes->data() + from, count);
  if (count < 64) std::memset(beat.data.data() + count, 0, 64 - count);
  beat.bytes = static_cast<std::uint8_t>(count);
  beat.last = from + count == frame.bytes->size();
  beat.err = beat.last && frame.bad_fcs;
  pins_.valid = true;
  last_due_ = due_ + 1;
  ++beat_;
  if (beat.last) {
    ++stats_.frames;
    stats_.bytes += frame.bytes->size();
    stats_.bad_fcs += frame.bad_fcs;
    frames_.pop_front();
    beat_ = 0;
  }
  schedule();
}

base::Cycles MacRx::next_activity(base::Cycles now) const {
  if (pins_.valid) return now;
  if (frames_.empty()) return base::Cycles::never();
  return std::max(now, base::Cycles(due_ == 0 ? 0 : due_ - 1));
}

void MacRx::serialize(std::ostream& out) const {
  put(out, beat_), put(out, due_), put(out, last_due_), put(out, stats_);
  put(out, pins_.valid), put(out, pins_.beat.data), put(out, pins_.beat.bytes), put(out, pins_.beat.last),
      put(out, pins_.beat.err);
  put(out, static_cast<std::uint64_t>(frames_.size()));
  for (const base::Frame& frame : frames_) put_frame(out, frame);
}

void MacRx::deserialize(std::istream& in) {
  beat_ = get<std::uint64_t>(in), due_ = get<std::uint64_t>(in), last_due_ = get<std::uint64_t>(in);
  stats_ = get<MacRxStats>(in);
  pins_.valid = get<bool>(in), pins_.beat.data = get<std::array<std::uint8_t, 64>>(in);
  pins_.beat.bytes = get<std::uint8_t>(in), pins_.beat.last = get<bool>(in), pins_.beat.err = get<bool>(in);
  frames_.clear();
  for (auto n = get<std::uint64_t>(in); n > 0; --n) frames_.push_back(get_frame(in));
}

}  // namespace caravan::timing
