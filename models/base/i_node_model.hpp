// SPDX-License-Identifier: Apache-2.0
// The only thing that the engine knows of a node.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "models/base/frame.hpp"
#include "models/base/units.hpp"

namespace caravan::base {

/// One node of the cluster: RTL behind a wrapper, or a C++ timing model. A node is advanced alone, by one thread
/// at a time; nothing that it does may depend on another node except through frames.
class NodeModel {
 public:
  virtual ~NodeModel() = default;

  /// Advances to `end` (exclusive: the clock edge at `end` belongs to the next call). The node takes all of `inbox`,
  /// sorted by time; a frame is handed over at the latest in the call that begins at its time + the node's receive
  /// lookahead (MacRx::lookahead), and some come far earlier. Frames that the node completed are appended to `outbox`
  /// in order of time, which is at least the transmit lookahead (the MAC's latency) after the edge that completed them
  /// and may be after `end`. Calls may cover any stretch of time: results depend on frames and times only.
  virtual void run_until(Time end, FrameInbox& inbox, FrameOutbox& outbox) = 0;

  /// The earliest time at which anything can change by itself, with no new frame: never() when the node only waits
  /// for frames. It may be early, never late. It tells of the model, not of how it is evaluated: a node that evaluates
  /// its quiet cycles too reports the same.
  virtual Time next_activity() const = 0;

  /// Whole state: RTL, memories, clients. The stream of one build can be read by the same build only.
  virtual void serialize(std::ostream& out) const = 0;
  virtual void deserialize(std::istream& in) = 0;

  /// Rolling hash of (time, port, record) of everything seen at the node's ports so far, plus its present state.
  virtual std::uint64_t fingerprint() const = 0;
};

}  // namespace caravan::base
