// SPDX-License-Identifier: Apache-2.0
// net_pfc_cfg_t on the pins, and pause frames as the switch's model builds them.
#pragma once

#include "models/timing/pfc.hpp"
#include "testbenches/support/beats.hpp"
#include "testbenches/support/packed_pins.hpp"

namespace caravan::unit {

struct PfcRegisters {
  unsigned rx_en = 0xFF, tx_en = 0x09, tx_prio = 0, xoff = 100, xon = 40, quanta = 1000;
  unsigned quantum = 83'887;  ///< 512 bit times at 100 Gb/s and 250 MHz: 1.28 cycles, rounded up
};

template <class Wide>
void put_pfc(Wide& pins, const PfcRegisters& r) {
  support::PinWriter(pins)
      .put(24, r.quantum)
      .put(16, r.quanta)
      .put(16, r.xon)
      .put(16, r.xoff)
      .put(3, r.tx_prio)
      .put(8, r.tx_en)
      .put(8, r.rx_en);
}

inline std::vector<std::uint8_t> pause(std::uint8_t enabled, std::uint16_t quanta) {
  timing::PauseFrame frame;
  frame.enabled = enabled;
  for (unsigned p = 0; p < timing::kPriorities; ++p) frame.quanta[p] = (enabled >> p & 1) != 0 ? quanta : 0;
  return timing::make_pause(0x0200'0000'0001, frame);
}

/// ceil(quanta * quantum / 2^16)
inline std::uint64_t cycles_of(std::uint64_t quanta, std::uint64_t quantum) {
  return (quanta * quantum + 0xFFFF) >> 16;
}

}  // namespace caravan::unit
