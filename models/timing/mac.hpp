// SPDX-License-Identifier: Apache-2.0
// The Ethernet MAC between a node's beats and the wire, exact to the picosecond.
//
// On the wire a frame takes 8 bytes of preamble, its bytes padded to at least 60, 4 bytes of FCS, and 12 bytes of gap.
//
// Transmit is store and forward, as the packet FIFO in front of a hard MAC that must not underrun: the preamble starts
// at max(edge of the last beat + latency, end of the gap after the previous frame). So a frame is known completely
// `latency` before its first bit is on the wire, which is what lets nodes run alone for a window. Back-to-back frames
// lose nothing: the next frame is stored while the present one is sent.
// Receive streams: a beat is taken at the first edge at or after the arrival of its last byte (for the last beat: of
// the FCS) plus latency, at most one beat per edge. There is no ready.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "models/base/frame.hpp"
#include "models/base/units.hpp"
#include "models/timing/calibration.hpp"

namespace caravan::timing {

/// 64 bytes of a frame; byte 0 is first on the wire. Bytes at and above `bytes` are zero.
struct MacBeat {
  alignas(64) std::array<std::uint8_t, 64> data{};
  std::uint8_t bytes = 64;  ///< 1..64; below 64 only with last
  bool last = false;
  bool err = false;  ///< with last: receive: the FCS is wrong; transmit: drop this frame
};
struct MacPins {
  MacBeat beat;
  bool valid = false;
};

struct MacConfig {
  std::string instance = "mac";  ///< for messages, e.g. "node3.mac"
  base::Time clock_period = base::Time::ns(4);
  base::Rate line_rate = base::Rate::gbps(100);
  base::Time tx_latency = Calibration{}.mac_tx;  ///< from the last beat's edge to the first preamble bit
  base::Time rx_latency = Calibration{}.mac_rx;  ///< from the last bit of a beat to the beat
  base::Bytes tx_fifo = base::Bytes::kib(16);    ///< at least max_frame + 64
  base::Bytes max_frame{9216};                   ///< without FCS; a longer frame is dropped and counted

  static MacConfig from(const Calibration& calibration);
};

/// Bytes that a frame takes on the wire without the gap: preamble, padded frame, FCS.
base::Bytes wire_bytes(base::Bytes frame);
/// Preamble of one frame to preamble of the next, back to back.
base::Bytes wire_slot_bytes(base::Bytes frame);

struct MacTxStats {
  std::uint64_t frames = 0, bytes = 0;  ///< bytes without padding, preamble, FCS
  std::uint64_t oversize = 0, aborted = 0;
};

class MacTx {
 public:
  explicit MacTx(MacConfig config);

  /// Whether a beat offered at the coming edge is taken; from own state only.
  bool ready() const { return ready_; }
  /// The clock edge `now`. A frame that the beat completes is appended to `out`; its time is never before the edge +
  /// tx_latency, and may be far later when frames wait for the line.
  void step(const MacPins& sampled, base::Cycles now, base::FrameOutbox& out);

  /// True when step() without a valid beat changes nothing.
  bool quiet() const { return ready_; }
  /// The earliest edge >= now whose step() must not be left out although no beat is valid.
  base::Cycles next_activity(base::Cycles now) const;

  const MacTxStats& stats() const { return stats_; }
  void serialize(std::ostream& out) const;
  void deserialize(std::istream& in);

 private:
  struct Stored {
    base::Time start;  // of the preamble, less the latency: when bytes begin to leave the FIFO
    std::uint64_t bytes = 0;
  };
  void finish_frame(base::Time edge, bool drop, base::FrameOutbox& out);
  void update_ready(base::Time next_edge);

  MacConfig config_;
  std::vector<std::uint8_t> building_;
  bool too_long_ = false;
  bool ready_ = true;
  std::deque<Stored> stored_;
  std::uint64_t stored_bytes_ = 0;  // of stored_, before what has left
  base::Time line_free_;
  std::uint64_t sequence_ = 0;
  MacTxStats stats_;
};

struct MacRxStats {
  std::uint64_t frames = 0, bytes = 0, bad_fcs = 0, oversize = 0;
};

class MacRx {
 public:
  explicit MacRx(MacConfig config);

  /// A frame whose first preamble bit reaches the MAC at frame.time. Must be called before step() of the edge before
  /// its first beat, that is by frame.time + lookahead(), and in order of time.
  void push(base::Frame frame);
  /// How long after frame.time the frame may still be pushed at the start of a run.
  base::Time lookahead() const;

  /// What the MAC drives into the coming edge.
  const MacPins& pins() const { return pins_; }
  /// The clock edge `now`.
  void step(base::Cycles now);

  bool quiet() const { return !pins_.valid && frames_.empty(); }
  /// The earliest edge >= now whose step() must not be left out; never() when quiet.
  base::Cycles next_activity(base::Cycles now) const;

  const MacRxStats& stats() const { return stats_; }
  void serialize(std::ostream& out) const;
  void deserialize(std::istream& in);

 private:
  void schedule();

  MacConfig config_;
  std::deque<base::Frame> frames_;
  std::uint64_t beat_ = 0;      // of the front frame
  std::uint64_t due_ = 0;       // cycle at which that beat is taken
  std::uint64_t last_due_ = 0;  // one past the newest beat's cycle
  MacPins pins_;
  MacRxStats stats_;
};

}  // namespace caravan::timing
