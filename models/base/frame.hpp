// SPDX-License-Identifier: Apache-2.0
// An Ethernet frame in flight, without preamble and FCS, and the boxes that carry frames over a window's edge.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/base/units.hpp"

namespace caravan::base {

/// Bytes from destination MAC to the last byte before the FCS. Shared: a frame is never changed in place.
using FrameBytes = std::shared_ptr<const std::vector<std::uint8_t>>;

/// `time` is exact and belongs to the first bit of the preamble: in an outbox, when it leaves the node's MAC; in an
/// inbox, when it reaches the node's MAC.
struct Frame {
  Time time;
  std::uint64_t sequence = 0;  ///< per sender, counts up from 0; breaks ties after (time, port)
  FrameBytes bytes;
  bool bad_fcs = false;  ///< corrupted on the wire: the receiving MAC flags it
};

/// Bytes of frames are made and used far apart, by then no cache has them any more. Whoever keeps a frame for the next
/// to look at says so in time: first for the bytes' place and number, later for the first bytes themselves.
inline void will_need_size(const Frame& frame) { __builtin_prefetch(frame.bytes.get()); }
inline void will_need_header(const Frame& frame) { __builtin_prefetch(frame.bytes->data()); }

/// Frames that will reach one node, sorted by (time, port, sequence).
using FrameInbox = std::vector<Frame>;
/// Frames that one node completed in a window, in order of time.
using FrameOutbox = std::vector<Frame>;

}  // namespace caravan::base
