// SPDX-License-Identifier: Apache-2.0
// roce_cc_cfg_t on the pins, from its last field upwards, and a few configurations.
#pragma once

#include "models/base/rng.hpp"
#include "models/ref/cc_ref.hpp"
#include "testbenches/support/packed_pins.hpp"

namespace caravan::unit {

template <class Wide>
void put_cc_config(Wide& pins, const ref::CcConfig& c) {
  support::PinWriter(pins)
      .put(1, c.patched)
      .put(4, c.hai_thresh)
      .put(16, c.beta)
      .put(16, c.ewma)
      .put(24, c.min_rtt)
      .put(24, c.t_high)
      .put(24, c.t_low)
      .put(24, c.add_rate)
      .put(24, c.cnp_cycles)
      .put(24, c.cut_cycles)
      .put(24, c.timer_cycles)
      .put(24, c.alpha_cycles)
      .put(32, c.byte_counter)
      .put(4, c.fast_steps)
      .put(4, c.g_shift)
      .put(24, c.hai_rate)
      .put(24, c.ai_rate)
      .put(24, c.min_rate)
      .put(24, c.line_rate);
}

/// The published defaults at 250 MHz with times a tenth, so that a short run sees many updates.
inline ref::CcConfig quick_config() {
  ref::CcConfig c = ref::CcConfig::defaults(250, 100);
  c.alpha_cycles = 1375;
  c.timer_cycles = 1500;
  c.cut_cycles = 100;
  c.byte_counter = 150'000;
  c.ai_rate *= 20, c.hai_rate *= 20, c.add_rate *= 20;
  c.t_low = 1000, c.t_high = 8000, c.min_rtt = 500;
  return c;
}

}  // namespace caravan::unit
