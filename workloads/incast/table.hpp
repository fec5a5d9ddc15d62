// SPDX-License-Identifier: Apache-2.0
// What an incast is judged by: each flow's rate and the receiver's queue over time, shares, drops.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/units.hpp"

namespace caravan::workloads {

class IncastTable {
 public:
  IncastTable() = default;
  IncastTable(unsigned flows, base::Time interval) : flows_(flows), interval_(interval) {}

  /// `bytes` of flow `flow` (on the wire, preamble to gap) reached the receiver at `time`.
  void received(unsigned flow, base::Time time, base::Bytes bytes);
  /// Length of the receiver's queue at `time`; frames dropped there since the start.
  void queue(base::Time time, base::Bytes length, std::uint64_t dropped);

  bool empty() const { return rows_.empty(); }
  unsigned flows() const { return flows_; }
  std::size_t intervals() const { return rows_.size(); }
  base::Time interval() const { return interval_; }
  /// Gb/s on the wire.
  double gbps(std::size_t interval, unsigned flow) const;
  double total_gbps(std::size_t interval) const;
  /// Longest sample in the interval, bytes.
  std::uint64_t longest_queue(std::size_t interval) const { return rows_[interval].queue; }
  std::uint64_t drops(std::size_t interval) const { return rows_[interval].drops; }

  /// Over the intervals [first, last): Jain's fairness index of the bytes received; 1 when nothing was.
  double fairness(std::size_t first, std::size_t last) const;
  double mean_gbps(std::size_t first, std::size_t last) const;
  std::uint64_t longest_queue(std::size_t first, std::size_t last) const;
  std::uint64_t drops(std::size_t first, std::size_t last) const;

  /// time_us, queue_bytes, drops, flow0_gbps, ...; a row an interval.
  std::string to_csv() const;

 private:
  struct Row {
    std::vector<std::uint64_t> bytes;
    std::uint64_t queue = 0, drops = 0;
  };
  Row& row_at(base::Time time);

  unsigned flows_ = 0;
  base::Time interval_ = base::Time::us(100);
  std::vector<Row> rows_;
  std::uint64_t dropped_ = 0;
};

}  // namespace caravan::workloads
