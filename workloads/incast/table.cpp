// SPDX-License-Identifier: Apache-2.0
#include "workloads/incast/table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/errors.hpp"

namespace caravan::workloads {

IncastTable::Row& IncastTable::row_at(base::Time time) {
  BUG_IF(time < base::Time() || interval_ <= base::Time(), "incast table: a time before the start");
  const auto index = static_cast<std::size_t>(time / interval_);
  while (rows_.size() <= index) rows_.push_back({std::vector<std::uint64_t>(flows_, 0), 0, 0});
  return rows_[index];
}

void IncastTable::received(unsigned flow, base::Time time, base::Bytes bytes) {
  BUG_IF(flow >= flows_, "incast table: a flow that does not exist");
  row_at(time).bytes[flow] += bytes.count();
}

void IncastTable::queue(base::Time time, base::Bytes length, std::uint64_t dropped) {
  Row& row = row_at(time);
  row.queue = std::max(row.queue, length.count());
  row.drops += dropped - dropped_;
  dropped_ = dropped;
}

double IncastTable::gbps(std::size_t interval, unsigned flow) const {
  return static_cast<double>(rows_[interval].bytes[flow]) * 8 / interval_.in_ns();
}

double IncastTable::total_gbps(std::size_t interval) const {
  double total = 0;
  for (unsigned flow = 0; flow < flows_; ++flow) total += gbps(interval, flow);
  return total;
}

double IncastTable::fairness(std::size_t first, std::size_t last) const {
  double total = 0, squares = 0;
  for (unsigned flow = 0; flow < flows_; ++flow) {
    double sum = 0;
    for (std::size_t i = first; i < std::min(last, rows_.size()); ++i) sum += static_cast<double>(rows_[i].bytes[flow]);
    total += sum;
    squares += sum * sum;
  }
  return squares <= 0 ? 1 : total * total / (flows_ * squares);
}

double IncastTable::mean_gbps(std::size_t first, std::size_t last) const {
  last = std::min(last, rows_.size());
  double total = 0;
  for (std::size_t i = first; i < last; ++i) total += total_gbps(i);
  return first < last ? total / static_cast<double>(last - first) : 0;
}

std::uint64_t IncastTable::longest_queue(std::size_t first, std::size_t last) const {
  std::uint64_t longest = 0;
  for (std::size_t i = first; i < std::min(last, rows_.size()); ++i) longest = std::max(longest, rows_[i].queue);
  return longest;
}

std::uint64_t IncastTable::drops(std::size_t first, std::size_t last) const {
  std::uint64_t sum = 0;
  for (std::size_t i = first; i < std::min(last, rows_.size()); ++i) sum += rows_[i].drops;
  return sum;
}

std::string IncastTable::to_csv() const {
  std::string out = "time_us,queue_bytes,drops";
  for (unsigned flow = 0; flow < flows_; ++flow) out += fmt::format(",flow{}_gbps", flow);
  out += '\n';
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    out +=
        fmt::format("{:.3f},{},{}", (interval_ * static_cast<std::int64_t>(i)).in_us(), rows_[i].queue, rows_[i].drops);
    for (unsigned flow = 0; flow < flows_; ++flow) out += fmt::format(",{:.3f}", gbps(i, flow));
    out += '\n';
  }
  return out;
}

}  // namespace caravan::workloads
