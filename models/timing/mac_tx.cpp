// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>

#include "models/base/errors.hpp"
#include "models/timing/mac.hpp"
#include "models/timing/serial.hpp"

namespace caravan::timing {
namespace {

constexpr std::uint64_t kPreamble = 8, kFcs = 4, kGap = 12, kMinFrame = 60;

}  // namespace

base::Bytes wire_bytes(base::Bytes frame) { return base::Bytes(kPreamble + std::max(frame.count(), kMinFrame) + kFcs); }

base::Bytes wire_slot_bytes(base::Bytes frame) { return wire_bytes(frame) + base::Bytes(kGap); }

MacConfig MacConfig::from(const Calibration& calibration) {
  MacConfig config;
  config.clock_period = calibration.clock.period();
  config.line_rate = calibration.line_rate;
  config.tx_latency = calibration.mac_tx;
  config.rx_latency = calibration.mac_rx;
  config.tx_fifo = calibration.mac_tx_fifo;
  config.max_frame = calibration.mac_max_frame;
  return config;
}

MacTx::MacTx(MacConfig config) : config_(std::move(config)) {
  BUG_IF(config_.clock_period <= base::Time() || config_.line_rate.in_bps() == 0,
         config_.instance + ": bad MAC configuration");
  BUG_IF(config_.tx_fifo < config_.max_frame + base::Bytes(64),
         config_.instance + ": the FIFO can't hold the longest frame");
  building_.reserve(config_.max_frame.count());
}

void MacTx::step(const MacPins& sampled, base::Cycles now, base::FrameOutbox& out) {
  if (!sampled.valid && ready_) return;
  const base::Time edge = now.at(config_.clock_period);
  if (sampled.valid && ready_) {
    const MacBeat& beat = sampled.beat;
    BUG_IF(beat.bytes == 0 || beat.bytes > 64 || (!beat.last && beat.bytes != 64),
           fmt::format("{} ps, cycle {}, {}: a beat of {} bytes, last={}", edge.in_ps(), now.count(), config_.instance,
                       beat.bytes, beat.last));
    too_long_ = too_long_ || building_.size() + beat.bytes > config_.max_frame.count();
    if (!too_long_) building_.insert(building_.end(), beat.data.begin(), beat.data.begin() + beat.bytes);
    if (beat.last) finish_frame(edge, beat.err, out);
  }
  update_ready(edge + config_.clock_period);
}

void MacTx::finish_frame(base::Time edge, bool drop, base::FrameOutbox& out) {
  if (too_long_) {
    ++stats_.oversize;
  } else if (drop) {
    ++stats_.aborted;
  } else {
    ++stats_.frames;
    stats_.bytes += building_.size();
    if (building_.size() < kMinFrame) building_.resize(kMinFrame, 0);
    const base::Bytes size(building_.size());
    base::Frame frame;
    frame.time = std::max(edge + config_.tx_latency, line_free_);
    frame.sequence = sequence_++;
    frame.bytes = std::make_shared<const std::vector<std::uint8_t>>(building_);
    line_free_ = frame.time + config_.line_rate.time_for(wire_slot_bytes(size));
    stored_.push_back({frame.time - config_.tx_latency, size.count()});
    stored_bytes_ += size.count();
    out.push_back(std::move(frame));
  }
  building_.clear();
  too_long_ = false;
}

// Frames that have left are forgotten, so that the state does not depend on idle steps: this is called only when a beat
// was taken or the FIFO is full.
void MacTx::update_ready(base::Time next_edge) {
  while (!stored_.empty()) {
    const Stored& front = stored_.front();
    if (front.start + config_.line_rate.time_for(base::Bytes(kPreamble + front.bytes)) > next_edge) break;
    stored_bytes_ -= front.bytes;
    stored_.pop_front();
  }
  const std::uint64_t held = stored_bytes_ + building_.size() + 64, room = config_.tx_fifo.count();
  ready_ = held <= room;
  if (ready_ || stored_.empty() || stored_.front().start >= next_edge) return;
  // What has left of the frame on the wire decides.
  const auto ps = static_cast<unsigned __int128>((next_edge - stored_.front().start).in_ps());
  const auto sent = static_cast<std::uint64_t>(ps * config_.line_rate.in_bps() / 8'000'000'000'000u);
  const std::uint64_t left = sent > kPreamble ? std::min(sent - kPreamble, stored_.front().bytes) : 0;
  ready_ = held - left <= room;
}

base::Cycles MacTx::next_activity(base::Cycles now) const { return ready_ ? base::Cycles::never() : now; }

void MacTx::serialize(std::ostream& out) const {
  put_bytes(out, building_);
  put(out, too_long_), put(out, ready_), put(out, line_free_), put(out, sequence_), put(out, stats_);
  put(out, static_cast<std::uint64_t>(stored_.size()));
  for (const Stored& stored : stored_) put(out, stored.start), put(out, stored.bytes);
}

void MacTx::deserialize(std::istream& in) {
  building_ = get_bytes(in);
  too_long_ = get<bool>(in), ready_ = get<bool>(in), line_free_ = get<base::Time>(in);
  sequence_ = get<std::uint64_t>(in), stats_ = get<MacTxStats>(in);
  stored_.clear();
  stored_bytes_ = 0;
  for (auto n = get<std::uint64_t>(in); n > 0; --n) {
    const auto start = get<base::Time>(in);
    stored_.push_back({start, get<std::uint64_t>(in)});
    stored_bytes_ += stored_.back().bytes;
  }
}

}  // namespace caravan::timing
