// SPDX-License-Identifier: Apache-2.0
#include "sim/control/peer_port.hpp"

#include <algorithm>

#include "models/base/errors.hpp"
#include "models/timing/mac.hpp"

namespace caravan::sim {

using base::Time;

void PeerPort::run_until(Time end, base::FrameInbox& inbox, base::FrameOutbox& outbox) {
  for (base::Frame& frame : inbox) {
    if (!frame.bad_fcs) socket_.send(std::move(frame.bytes));  // a real MAC would drop it too
  }
  inbox.clear();
  const Time earliest = end + config_.tx_lookahead;
  // One window's worth: the rest stays in the socket, which then holds the peer back.
  const Time latest = earliest + (end - reached_);
  for (Time at = std::max(earliest, line_free_); at < latest; at = line_free_) {
    base::FrameBytes bytes = socket_.take();
    if (!bytes) break;
    line_free_ = at + config_.line_rate.time_for(timing::wire_slot_bytes(base::Bytes(bytes->size())));
    outbox.push_back({at, sequence_++, std::move(bytes), false});
  }
  reached_ = end;
}

Time PeerPort::next_activity() const {
  if (!socket_.waiting()) return Time::never();
  return std::max(reached_, line_free_ - config_.tx_lookahead);
}

void PeerPort::serialize(std::ostream&) const {
  throw base::UserError("a cluster with a peer outside of the simulation can't be saved");
}
void PeerPort::deserialize(std::istream&) {
  throw base::UserError("a cluster with a peer outside of the simulation can't be restored");
}

}  // namespace caravan::sim
