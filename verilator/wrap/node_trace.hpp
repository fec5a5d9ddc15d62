// SPDX-License-Identifier: Apache-2.0
// Collects the raw records of one node and turns them into trace records.
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/trace.hpp"
#include "models/base/units.hpp"
#include "verilator/dpi/node_dpi.hpp"

namespace caravan::vl {

/// One record in the trace format.
base::TraceRecord to_trace(const RawRecord& raw, std::uint32_t node, base::Time clock_period);

class TraceCollector final : public TraceSink {
 public:
  /// Cycle of the coming clock edge.
  void set_cycle(std::uint64_t cycle) { cycle_ = cycle; }
  void record(Event event, const std::array<std::uint64_t, 6>& fields) override {
    raw_.push_back({cycle_, event, fields});
  }
  /// Everything collected, ordered by time, then port, then as it happened.
  std::vector<base::TraceRecord> take(std::uint32_t node, base::Time clock_period);

 private:
  std::uint64_t cycle_ = 0;
  std::vector<RawRecord> raw_;
};

}  // namespace caravan::vl
