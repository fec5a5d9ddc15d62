// SPDX-License-Identifier: Apache-2.0
// What a driver does with a node's registers of congestion and flow control. Defaults are the published ones (protocols
// section 7). All between calls of run_until.
#pragma once

#include <cstdint>

#include "models/base/units.hpp"
#include "verilator/wrap/rtl_node.hpp"

namespace caravan::vl {

/// Values are those of qpc_t.cc.
enum class Congestion : std::uint8_t { kNone = 0, kDcqcn = 1, kTimely = 2 };

struct CongestionConfig {
  base::Rate line_rate = base::Rate::gbps(100), min_rate = base::Rate::bps(100'000'000);
  // DCQCN
  base::Rate ai_rate = base::Rate::bps(40'000'000), hai_rate = base::Rate::bps(200'000'000);
  unsigned g_shift = 8;     ///< g = 2^-g_shift, 0..15
  unsigned fast_steps = 5;  ///< F, 0..15
  base::Bytes byte_counter{10'000'000};
  base::Time alpha_time = base::Time::us(55), timer = base::Time::us(55), cut_time = base::Time::us(4);
  base::Time cnp_interval = base::Time::us(50);
  // TIMELY
  base::Rate add_rate = base::Rate::bps(40'000'000);
  base::Time t_low = base::Time::us(50), t_high = base::Time::us(1000), min_rtt = base::Time::us(2);
  double ewma = 0.46, beta = 0.26;  ///< below 1
  unsigned hai_thresh = 5;
  bool patched = false;
};

/// UserError for what the registers can't hold.
void set_congestion(RtlNode& node, const CongestionConfig& config);

struct FlowControlConfig {
  std::uint8_t obey = 0;           ///< priorities whose pauses stop the sender
  std::uint8_t pause = 0;          ///< priorities that are paused when the receive FIFO fills
  unsigned priority = 0;           ///< of what RoCE sends
  unsigned xoff = 768, xon = 512;  ///< beats of the receive FIFO
  std::uint16_t quanta = 0xFFFF;
};

void set_flow_control(RtlNode& node, const FlowControlConfig& config);

}  // namespace caravan::vl
