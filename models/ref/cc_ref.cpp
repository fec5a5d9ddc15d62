// SPDX-License-Identifier: Apache-2.0
#include "models/ref/cc_ref.hpp"

#include <algorithm>
#include <limits>

namespace caravan::ref {
namespace {

constexpr unsigned kRateBits = 16, kCostBits = 20, kAlphaBits = 20;
constexpr std::uint64_t kOne = 1u << 16;
constexpr std::uint32_t kMaxRate = 0xFFFFFF, kMaxCost = 0xFFFFFFF;
constexpr unsigned kMaxStage = 15;

/// 16 fractional bits; a division by zero gives the largest value, as large ones do: 16 less one step.
std::uint64_t ratio(std::uint64_t num, std::uint64_t den, unsigned num_bits = 16) {
  constexpr std::uint64_t kMost = 0xFFFFF;
  return den == 0 ? kMost : std::min((num << num_bits) / den, kMost);
}

}  // namespace

CcRate CcConfig::mbps(std::uint64_t mbps, unsigned cycles_per_us) {
  // Mb/s / 8 is bytes a microsecond.
  return static_cast<CcRate>((mbps * (1u << kRateBits) / 8 + cycles_per_us / 2) / cycles_per_us);
}

CcConfig CcConfig::defaults(unsigned cycles_per_us, unsigned line_gbps) {
  CcConfig c;
  c.line_rate = mbps(line_gbps * 1000ull, cycles_per_us);
  c.min_rate = mbps(100, cycles_per_us);
  c.ai_rate = mbps(40, cycles_per_us);
  c.hai_rate = mbps(200, cycles_per_us);
  c.alpha_cycles = 55 * cycles_per_us;
  c.timer_cycles = 55 * cycles_per_us;
  c.cut_cycles = 4 * cycles_per_us;
  c.cnp_cycles = 50 * cycles_per_us;
  c.add_rate = mbps(40, cycles_per_us);
  c.t_low = 50 * cycles_per_us;
  c.t_high = 1000 * cycles_per_us;
  c.min_rtt = 2 * cycles_per_us;
  return c;
}

CcCost CcFlow::cost() const {
  if (mode_ == CcMode::kNone || rate_ >= config_.line_rate) return 0;
  if (rate_ == 0) return kMaxCost;
  return static_cast<CcCost>(std::min<std::uint64_t>((1ull << (kRateBits + kCostBits)) / rate_, kMaxCost));
}

std::uint64_t CcFlow::next_timer() const {
  std::uint64_t next = std::numeric_limits<std::uint64_t>::max();
  if (!limited_) return next;
  if (config_.alpha_cycles != 0) next = std::min(next, alpha_at_);
  if (config_.timer_cycles != 0) next = std::min(next, raise_at_);
  return next;
}

void CcFlow::advance(std::uint64_t now) {
  while (next_timer() <= now) {
    if (config_.alpha_cycles != 0 && next_timer() == alpha_at_) {
      alpha_ -= alpha_ >> config_.g_shift;
      alpha_at_ += config_.alpha_cycles;
    } else {
      timer_stage_ = std::min(timer_stage_ + 1, kMaxStage);
      raise_at_ += config_.timer_cycles;
      raise();
    }
  }
}

// The average is rounded up, so that the line rate is reached; there the limit ends.
void CcFlow::raise() {
  const auto [low, high] = std::minmax(timer_stage_, byte_stage_);
  std::uint32_t step = 0;
  if (low > config_.fast_steps) {
    step = config_.hai_rate;
  } else if (high >= config_.fast_steps) {
    step = config_.ai_rate;
  }
  target_ = std::min(target_ + step, config_.line_rate);
  rate_ = (target_ + rate_ + 1) / 2;
  if (rate_ >= config_.line_rate) limited_ = false;
}

void CcFlow::sent(std::uint32_t bytes, std::uint64_t now) {
  if (mode_ != CcMode::kDcqcn) return;
  bytes_ += bytes;
  if (!limited_ || config_.byte_counter == 0 || bytes_ - bytes_mark_ < config_.byte_counter) return;
  advance(now);
  if (!limited_) return;
  byte_stage_ = std::min(byte_stage_ + 1, kMaxStage);
  bytes_mark_ += config_.byte_counter;
  raise();
}

void CcFlow::cnp(std::uint64_t now) {
  if (mode_ != CcMode::kDcqcn) return;
  advance(now);
  if (limited_ && now - cut_at_ < config_.cut_cycles) return;
  if (!limited_) {
    limited_ = true;
    rate_ = config_.line_rate;
    alpha_ = 1u << kAlphaBits;
  }
  target_ = rate_;
  const auto cut = static_cast<CcRate>(std::uint64_t{rate_} * alpha_ >> (kAlphaBits + 1));
  rate_ = std::max(rate_ - cut, config_.min_rate);
  alpha_ = alpha_ - (alpha_ >> config_.g_shift) + ((1u << kAlphaBits) >> config_.g_shift);
  timer_stage_ = byte_stage_ = 0;
  alpha_at_ = now + config_.alpha_cycles;
  raise_at_ = now + config_.timer_cycles;
  cut_at_ = now;
  bytes_mark_ = bytes_;
}

void CcFlow::limit(std::int64_t rate) {
  rate_ = static_cast<CcRate>(
      std::clamp<std::int64_t>(rate, std::min(config_.min_rate, config_.line_rate), config_.line_rate));
}

void CcFlow::rtt(std::uint32_t cycles, std::uint64_t now) {
  if (mode_ != CcMode::kTimely) return;
  if ((rate_ >= config_.line_rate && cycles <= config_.t_low) || cycles < config_.min_rtt) return;
  if (!sampled_) {
    previous_ = config_.min_rtt;
    updated_ = now - config_.min_rtt;
    sampled_ = true;
  }
  const std::int64_t sample = cycles, difference = sample - previous_;
  falls_ = difference < 0 ? std::min(falls_ + 1, kMaxStage) : 0;
  average_ += ((difference * 256 - average_) * static_cast<std::int64_t>(config_.ewma)) >> 16;
  const std::uint64_t elapsed = now - updated_;
  const std::uint64_t delta = elapsed >= config_.min_rtt ? kOne : ratio(elapsed, config_.min_rtt);
  previous_ = sample;
  updated_ = now;

  const std::uint64_t beta = delta * config_.beta >> 16;
  const std::uint64_t slope =
      average_ < 0 ? static_cast<std::uint64_t>(-average_) : static_cast<std::uint64_t>(average_);
  const std::uint64_t gradient = ratio(slope, config_.min_rtt, 8);  // `slope` brings 8 bits of its own
  std::uint64_t less = 0, more = 0;                                 // factor of the decrease, step of the increase
  if (cycles > config_.t_high) {
    less = beta * (kOne - ratio(config_.t_high, cycles)) >> 16;
  } else if (cycles < config_.t_low) {
    more = config_.add_rate * delta >> 16;
  } else if (config_.patched) {
    // w = 1/2 + 2 g, within 0 and 1
    std::int64_t weight = static_cast<std::int64_t>(std::min<std::uint64_t>(gradient, kOne)) * (average_ < 0 ? -2 : 2);
    weight = std::clamp<std::int64_t>(weight + static_cast<std::int64_t>(kOne / 2), 0, kOne);
    const std::uint64_t error = ratio(cycles - config_.t_low, config_.t_low);
    less = (beta * static_cast<std::uint64_t>(weight) >> 16) * error >> 16;
    more = config_.add_rate * (delta * (kOne - static_cast<std::uint64_t>(weight)) >> 16) >> 16;
  } else if (average_ > 0) {
    less = beta * gradient >> 16;
  } else {
    more = (config_.add_rate * delta >> 16) * (falls_ >= config_.hai_thresh ? 5 : 1);
  }
  less = std::min(less, kOne / 2);
  const std::uint64_t rate = rate_ - (std::uint64_t{rate_} * less >> 16) + more;
  limit(static_cast<std::int64_t>(std::min<std::uint64_t>(rate, kMaxRate)));
}

void CcPacer::sent(std::uint32_t bytes, CcCost cost, std::uint64_t now) {
  const std::uint64_t earliest = now > slack_ ? now - slack_ : 0;
  if (next_ < earliest) next_ = earliest, fraction_ = 0;
  fraction_ += std::uint64_t{bytes} * cost;
  next_ += fraction_ >> kCostBits;
  fraction_ &= (1u << kCostBits) - 1;
}

bool CcNotifier::marked(std::uint64_t now, std::uint32_t interval) {
  if (any_ && now < next_) return false;
  any_ = true;
  next_ = now + interval;
  return true;
}

}  // namespace caravan::ref
