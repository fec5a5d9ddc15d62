// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/trace_merge.hpp"

#include <tuple>
#include <utility>

namespace caravan::sim {

bool TraceMerge::Later::operator()(const Entry& a, const Entry& b) const {
  return std::tie(a.record.time, a.record.node, a.record.port, a.order) >
         std::tie(b.record.time, b.record.node, b.record.port, b.order);
}

void TraceMerge::add(std::vector<base::TraceRecord> records) {
  for (auto& record : records) waiting_.push({std::move(record), order_++});
}

void TraceMerge::release(base::Time before) {
  while (!waiting_.empty() && waiting_.top().record.time < before) {
    for (auto* listener : listeners_) listener->record(waiting_.top().record);
    waiting_.pop();
  }
}

void TraceMerge::finish() {
  release(base::Time::never());
  for (auto* listener : listeners_) listener->end();
}

}  // namespace caravan::sim
