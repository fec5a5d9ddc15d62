// SPDX-License-Identifier: Apache-2.0
#include "verilator/wrap/node_congestion.hpp"

#include <fmt/format.h>

#include "models/base/errors.hpp"

namespace caravan::vl {
namespace {

// Registers of roce_cc_csr, in the order of their offsets, and of net_pfc_csr.
constexpr std::uint16_t kCongestion = 0x4000, kPfcControl = 0x1040, kPfcLevel = 0x1044, kPfcQuanta = 0x1048;

class Units {
 public:
  explicit Units(RtlNode& node) : node_(node), period_(node.config().clock_period) {}
  /// Bytes a cycle, 16 fractional bits.
  std::uint32_t rate(base::Rate rate, const char* what) const {
    const auto bits = static_cast<unsigned __int128>(rate.in_bps()) * static_cast<std::uint64_t>(period_.in_ps());
    return checked(static_cast<std::uint64_t>(bits * 65536 / 8 / 1'000'000'000'000u), 24, what);
  }
  std::uint32_t cycles(base::Time time, const char* what) const {
    return checked(static_cast<std::uint64_t>(time / period_), 24, what);
  }
  std::uint32_t fraction(double value, const char* what) const {
    return checked(value < 0 ? ~0ull : static_cast<std::uint64_t>(value * 65536), 16, what);
  }
  std::uint32_t checked(std::uint64_t value, unsigned bits, const char* what) const {
    if (value >> bits != 0) {
      throw base::UserError(
          fmt::format("{}: congestion control: {} is too large for its register", node_.config().instance, what));
    }
    return static_cast<std::uint32_t>(value);
  }

 private:
  RtlNode& node_;
  base::Time period_;
};

}  // namespace

void set_congestion(RtlNode& node, const CongestionConfig& c) {
  const Units u(node);
  const std::uint32_t words[] = {u.rate(c.line_rate, "the line rate"),
                                 u.rate(c.min_rate, "the minimum rate"),
                                 u.rate(c.ai_rate, "the additive step"),
                                 u.rate(c.hai_rate, "the hyper step"),
                                 u.checked(c.g_shift, 4, "g"),
                                 u.checked(c.fast_steps, 4, "the number of fast steps"),
                                 u.checked(c.byte_counter.count(), 32, "the byte counter"),
                                 u.cycles(c.alpha_time, "the time of alpha"),
                                 u.cycles(c.timer, "the timer"),
                                 u.cycles(c.cut_time, "the time of decreases"),
                                 u.cycles(c.cnp_interval, "the CNP interval"),
                                 u.rate(c.add_rate, "TIMELY's additive step"),
                                 u.cycles(c.t_low, "T_low"),
                                 u.cycles(c.t_high, "T_high"),
                                 u.cycles(c.min_rtt, "the minimum RTT"),
                                 u.fraction(c.ewma, "the weight of a sample"),
                                 u.fraction(c.beta, "beta"),
                                 u.checked(c.hai_thresh, 4, "the number of falls"),
                                 c.patched};
  std::uint16_t address = kCongestion;
  for (const std::uint32_t word : words) {
    node.write_csr(address, word);
    address = static_cast<std::uint16_t>(address + 4);
  }
}

void set_flow_control(RtlNode& node, const FlowControlConfig& c) {
  if (c.priority > 7 || c.xoff > 0xFFFF || c.xon > 0xFFFF) {
    throw base::UserError(
        fmt::format("{}: flow control: priority {}, thresholds {} and {} beats; allowed are 0..7 and 0..65535",
                    node.config().instance, c.priority, c.xoff, c.xon));
  }
  node.write_csr(kPfcControl, c.priority << 16 | static_cast<std::uint32_t>(c.pause) << 8 | c.obey);
  node.write_csr(kPfcLevel, c.xon << 16 | c.xoff);
  node.write_csr(kPfcQuanta, c.quanta);
}

}  // namespace caravan::vl
