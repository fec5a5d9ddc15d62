// SPDX-License-Identifier: Apache-2.0
// Posted receive buffers of one queue pair, used in order; one entry serves one message.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "models/ref/roce_types.hpp"

namespace caravan::ref {

class ReceiveQueue {
 public:
  void post(const ReceiveRequest& request) { entries_.push_back(request); }
  bool empty() const { return entries_.empty(); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
  /// The entry that the next (or current) message uses; the queue must not be empty.
  const ReceiveRequest& head() const { return entries_.front(); }
  /// Completes the head: `done` comes with everything but its wr_id.
  void complete(ReceiveCompletion done, std::vector<ReceiveCompletion>& out) {
    done.wr_id = entries_.front().wr_id;
    entries_.pop_front();
    out.push_back(done);
  }
  void flush(base::Qpn qpn, std::vector<ReceiveCompletion>& out) {
    while (!empty()) complete({.qpn = qpn, .status = CompletionStatus::kFlushed}, out);
  }

 private:
  std::deque<ReceiveRequest> entries_;
};

}  // namespace caravan::ref
