// SPDX-License-Identifier: Apache-2.0
// Priority flow control (IEEE 802.1Qbb): pause frames, and the parameters of a switch that sends and obeys them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/base/stats.hpp"
#include "models/base/units.hpp"

namespace caravan::timing {

inline constexpr unsigned kPriorities = 8;

/// Times in quanta of 512 bit times; 0: go on.
struct PauseFrame {
  std::uint8_t enabled = 0;  ///< bit p: the time of priority p counts
  std::array<std::uint16_t, kPriorities> quanta{};
};

/// 60 bytes: to 01:80:C2:00:00:01, ethertype 0x8808, opcode 0x0101.
std::vector<std::uint8_t> make_pause(std::uint64_t src_mac, const PauseFrame& pause);
/// Nothing unless the frame is one.
std::optional<PauseFrame> parse_pause(const std::vector<std::uint8_t>& frame);
/// Time that a pause of `quanta` lasts.
base::Time pause_time(unsigned quanta, base::Rate rate);
/// DSCP of an IP frame; 0 for others.
unsigned dscp_of(const std::vector<std::uint8_t>& frame);

/// Lossless priorities are held back by pausing the sender; a frame of them is dropped only when the headroom is used
/// up.
struct PfcConfig {
  bool enabled = false;
  std::uint8_t lossless = 1;                   ///< bit p: priority p is lossless
  std::array<std::uint8_t, 64> priority_of{};  ///< by DSCP
  /// Bytes that one ingress port and priority may hold: above xoff its sender is paused, at or below xon it goes on;
  /// the headroom above xoff is for what is on its way meanwhile.
  base::Bytes xoff{100'000}, xon{50'000}, headroom{60'000};
  std::uint16_t quanta = 0xFFFF;  ///< of a pause; renewed at half of it

  /// Priority = the upper three bits of the DSCP (class selector).
  static std::array<std::uint8_t, 64> class_selectors();
};

struct PfcPortStats {
  std::uint64_t pause_sent = 0, resume_sent = 0, pause_received = 0;
  base::Time paused;
  std::uint64_t drop_headroom = 0, max_ingress_bytes = 0;
  std::array<std::uint64_t, 6> values() const {
    return {pause_sent,    resume_sent,      pause_received, static_cast<std::uint64_t>(paused.in_ps()),
            drop_headroom, max_ingress_bytes};
  }
};
/// In the order of PfcPortStats::values.
inline constexpr std::array<base::StatInfo, 6> kPfcPortStats{{
    {"pause_sent", base::Unit::kFrames, "pause frames sent to the port's station"},
    {"resume_sent", base::Unit::kFrames, "pause frames of time 0 sent to it"},
    {"pause_received", base::Unit::kFrames, "pause frames that came from it"},
    {"paused", base::Unit::kPicoseconds, "time that a queue with frames for the port stood paused, all priorities"},
    {"drop_headroom", base::Unit::kFrames, "lossless arrivals that found no headroom"},
    {"max_ingress_bytes", base::Unit::kBytes, "most bytes that one priority from the port held"},
}};

}  // namespace caravan::timing
