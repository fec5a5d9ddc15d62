// SPDX-License-Identifier: Apache-2.0
// Congestion control of one flow: DCQCN's reaction and notification points (Zhu et al., SIGCOMM 2015), TIMELY (Mittal
// et al., SIGCOMM 2015, in eRPC's form, and "patched" as in Zhu et al., CoNEXT 2016), and the pacer that enforces the
// rate.
//
// Fixed point, so that hardware can be held to it bit by bit: rates are bytes a cycle with 16 fractional bits, costs
// are cycles a byte with 20; products and quotients are rounded down. Time is a cycle count of the node's clock.
#pragma once

#include <cstdint>

namespace caravan::ref {

/// Bytes a cycle, 16 fractional bits.
using CcRate = std::uint32_t;
/// Cycles a byte, 20 fractional bits; 0: not paced.
using CcCost = std::uint32_t;

enum class CcMode : std::uint8_t { kNone = 0, kDcqcn = 1, kTimely = 2 };

/// Parameters; times in cycles. A timer of 0 cycles and a byte counter of 0 are off.
struct CcConfig {
  CcRate line_rate = 0, min_rate = 0;
  CcRate ai_rate = 0, hai_rate = 0;  ///< DCQCN: additive and hyper steps of the target rate
  unsigned g_shift = 8;              ///< g = 2^-g_shift
  unsigned fast_steps = 5;           ///< F
  std::uint32_t byte_counter = 10'000'000;
  std::uint32_t alpha_cycles = 0, timer_cycles = 0;
  std::uint32_t cut_cycles = 0;  ///< at most one decrease in this time
  std::uint32_t cnp_cycles = 0;  ///< at most one CNP of a flow in this time
  CcRate add_rate = 0;           ///< TIMELY: additive step
  std::uint32_t t_low = 0, t_high = 0, min_rtt = 1;
  std::uint32_t ewma = 30147;  ///< weight of the newest difference, 16 fractional bits
  std::uint32_t beta = 17039;  ///< 16 fractional bits
  unsigned hai_thresh = 5;     ///< falling samples in a row before the step is five times as large
  bool patched = false;

  /// The published defaults for a clock and a line rate.
  static CcConfig defaults(unsigned cycles_per_us, unsigned line_gbps);
  static CcRate mbps(std::uint64_t mbps, unsigned cycles_per_us);
};

/// Rate of one flow. Calls come in order of time; each first lets the timers expire that were due by then.
class CcFlow {
 public:
  CcFlow(const CcConfig& config, CcMode mode) : config_(config), mode_(mode), rate_(config.line_rate) {}

  void advance(std::uint64_t now);
  void sent(std::uint32_t bytes, std::uint64_t now);
  void cnp(std::uint64_t now);
  void rtt(std::uint32_t cycles, std::uint64_t now);

  CcRate rate() const { return rate_; }
  CcCost cost() const;
  /// Next timer expiry; all ones: none.
  std::uint64_t next_timer() const;

 private:
  void raise();
  void limit(std::int64_t rate);

  CcConfig config_;
  CcMode mode_;
  CcRate rate_;
  // DCQCN: rate limited since the first CNP, until the rate is the line's again
  bool limited_ = false;
  CcRate target_ = 0;
  std::uint32_t alpha_ = 0;  // 20 fractional bits
  unsigned timer_stage_ = 0, byte_stage_ = 0;
  std::uint64_t alpha_at_ = 0, raise_at_ = 0, cut_at_ = 0, bytes_ = 0, bytes_mark_ = 0;
  // TIMELY
  bool sampled_ = false;
  std::int64_t previous_ = 0, average_ = 0;  // average difference: 8 fractional bits
  unsigned falls_ = 0;
  std::uint64_t updated_ = 0;
};

/// When a flow may send. A flow that fell behind its schedule may catch up `slack` cycles of it, no more.
class CcPacer {
 public:
  explicit CcPacer(std::uint64_t slack) : slack_(slack) {}
  /// A packet of `bytes` on the wire (preamble, FCS and gap included) is sent.
  void sent(std::uint32_t bytes, CcCost cost, std::uint64_t now);
  /// The first cycle in which the next packet may be sent.
  std::uint64_t due() const { return next_ + (fraction_ != 0 ? 1 : 0); }
  void forget() { next_ = 0, fraction_ = 0; }

 private:
  std::uint64_t slack_, next_ = 0, fraction_ = 0;
};

/// At most one CNP in an interval.
class CcNotifier {
 public:
  /// A marked packet: whether a CNP is due.
  bool marked(std::uint64_t now, std::uint32_t interval);

 private:
  bool any_ = false;
  std::uint64_t next_ = 0;
};

}  // namespace caravan::ref
