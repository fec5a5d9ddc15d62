// SPDX-License-Identifier: Apache-2.0
// The nodes' trace records in one order: (time, node, port), then as they happened.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "models/base/trace.hpp"

namespace caravan::sim {

class TraceMerge {
 public:
  void listen(base::TraceListener& listener) { listeners_.push_back(&listener); }
  bool wanted() const { return !listeners_.empty(); }

  /// Records of one node, those of one port in the order in which they happened.
  void add(std::vector<base::TraceRecord> records);
  /// Hands out everything before `before`; no earlier record may be added afterwards.
  void release(base::Time before);
  /// Hands out the rest and tells the listeners that it was the last.
  void finish();

 private:
  struct Entry {
    base::TraceRecord record;
    std::uint64_t order;
  };
  struct Later {
    bool operator()(const Entry& a, const Entry& b) const;
  };
  std::vector<base::TraceListener*> listeners_;
  std::priority_queue<Entry, std::vector<Entry>, Later> waiting_;
  std::uint64_t order_ = 0;
};

}  // namespace caravan::sim
