// SPDX-License-Identifier: Apache-2.0
#include "models/base/stats.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/errors.hpp"

namespace caravan::base {

std::string_view unit_name(Unit unit) {
  switch (unit) {
    case Unit::kFrames:
      return "frames";
    case Unit::kPackets:
      return "packets";
    case Unit::kBytes:
      return "bytes";
    case Unit::kCycles:
      return "cycles";
    case Unit::kOperations:
      return "operations";
    case Unit::kMessages:
      return "messages";
    case Unit::kRecords:
      return "records";
    case Unit::kPicoseconds:
      return "ps";
    case Unit::kEvents:
      return "events";
  }
  return "";
}

void Samples::add(const Samples& other) {
  values_.insert(values_.end(), other.values_.begin(), other.values_.end());
  sorted_ = values_.size() <= 1;
}

double Samples::mean() const {
  if (values_.empty()) return 0;
  unsigned __int128 sum = 0;
  for (const auto v : values_) sum += v;
  return static_cast<double>(sum) / static_cast<double>(values_.size());
}

std::uint64_t Samples::percentile(double p) const {
  BUG_IF(!(p >= 0 && p <= 100), "percentile outside 0 .. 100");
  if (values_.empty()) return 0;
  if (!sorted_) {
    std::sort(values_.begin(), values_.end());
    sorted_ = true;
  }
  const auto n = static_cast<double>(values_.size());
  // p * n / 100 in this order is exact for whole p, so that p50 of an even count doesn't round up a rank.
  const auto rank = static_cast<std::size_t>(std::ceil(p * n / 100.0));
  return values_[std::min(values_.size() - 1, rank == 0 ? 0 : rank - 1)];
}

}  // namespace caravan::base
