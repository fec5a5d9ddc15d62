// SPDX-License-Identifier: Apache-2.0
// Packed structs of the send path on Verilated pins.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "testbenches/support/bench.hpp"

namespace caravan::txd {

using Beat = std::array<std::uint8_t, 64>;

/// One member of a packed struct: value and width in bits.
using Member = std::pair<std::uint64_t, unsigned>;

/// Writes members, in the order of their declaration, so that the last one ends at bit `lsb` of the port.
template <class Wide>
void put_members(Wide& pins, unsigned lsb, std::initializer_list<Member> members) {
  unsigned width = lsb;
  for (const auto& m : members) width += m.second;
  for (const auto& m : members) {
    width -= m.second;
    support::set_bits(pins, width, m.second, m.first);
  }
}

/// The 64 data bytes in the low bits of a port; byte 0 is bits 7:0.
template <class Wide>
Beat get_data(const Wide& pins) {
  Beat beat;
  std::memcpy(beat.data(), &pins[0], beat.size());
  return beat;
}
template <class Wide>
void put_data(Wide& pins, const Beat& beat) {
  std::memcpy(&pins[0], beat.data(), beat.size());
}

struct FrameBeat {
  Beat data{};
  unsigned bytes = 64;
  bool last = false;
};
template <class Wide>
FrameBeat get_frame_beat(const Wide& pins) {
  return {.data = get_data(pins), .bytes = pins[16] & 0x7Fu, .last = ((pins[16] >> 7) & 1u) != 0};
}

enum QpState : unsigned { kQpReset, kQpInit, kQpRtr, kQpRts, kQpSqd, kQpErr };

/// The part of a table write that the send data path looks at.
struct QpConfig {
  std::uint32_t qpn = 0;
  bool init = false;
  unsigned state = kQpRts;
  std::uint32_t dest_qpn = 0;
  std::uint8_t neigh = 0;
  std::uint16_t sport = 0xC000;
  bool is_region = false;
};
template <class Wide>
void put_config(Wide& pins, const QpConfig& c) {
  // is_region init index | state pmtu timeout retry RNR service cc enables dest neigh ip sport pd qkey | PSNs | region
  put_members(pins, 0,
              {{c.is_region, 1},
               {c.init, 1},
               {c.qpn, 24},
               {c.state, 3},
               {0, 3},
               {0, 5},
               {0, 3},
               {0, 3 + 5 + 1 + 2},
               {0, 3},
               {c.dest_qpn, 24},
               {c.neigh, 8},
               {0, 32},
               {c.sport, 16},
               {0, 16},
               {0, 32},
               {0, 48},
               {0, 64},
               {0, 64},
               {0, 28}});
}

struct AckEvent {
  std::uint32_t qpn = 0, psn = 0;
  std::uint8_t syndrome = 0x1F;
  std::uint32_t msn = 0;
  std::uint64_t after = 0;  ///< READ or atomic that is answered before
};
template <class Wide>
void put_ack(Wide& pins, const AckEvent& e) {
  put_members(pins, 0, {{e.after, 56}, {e.qpn, 24}, {e.psn, 24}, {e.syndrome, 8}, {e.msn, 24}});
}

}  // namespace caravan::txd
