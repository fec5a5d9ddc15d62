// SPDX-License-Identifier: Apache-2.0
// Statistics: counters declared once, with unit and sentence, next to the component that counts; samples with exact
// percentiles.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace caravan::base {

enum class Unit { kFrames, kPackets, kBytes, kCycles, kOperations, kMessages, kRecords, kPicoseconds, kEvents };
std::string_view unit_name(Unit unit);

/// The declaration of one counter. A component keeps a constexpr array of these in the order of its counters.
struct StatInfo {
  std::string_view name;  ///< below the component's path, such as "rx.dropped"
  Unit unit;
  std::string_view sentence;
};

/// What `caravan stats` lists for one kind of component.
struct StatGroup {
  std::string_view path;  ///< "node<i>", "switch.port<i>", ...
  std::span<const StatInfo> stats;
};

/// One counter after a run, under its full path.
struct StatValue {
  std::string path;
  Unit unit;
  std::uint64_t value;
};

/// Every sample of a distribution, kept whole: percentiles are exact.
class Samples {
 public:
  void add(std::uint64_t v) {
    values_.push_back(v);
    sorted_ = false;
  }
  void add(const Samples& other);
  std::size_t count() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  std::uint64_t min() const { return percentile(0); }
  std::uint64_t max() const { return percentile(100); }
  /// Arithmetic mean; 0 without samples.
  double mean() const;
  /// Nearest rank: the smallest sample such that at least `p` percent of all samples are not above it; p in [0, 100].
  /// 0 without samples.
  std::uint64_t percentile(double p) const;

 private:
  mutable std::vector<std::uint64_t> values_;
  mutable bool sorted_ = true;
};

}  // namespace caravan::base
