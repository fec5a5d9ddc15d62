// SPDX-License-Identifier: Apache-2.0
// What others have published about RDMA NICs: the only place where such figures stand. `caravan bench verbs` prints
// them beside ours; nothing is tuned to them but what the calibration table says.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace caravan::timing {

/// Column in which a figure is printed.
enum class PublishedFor : std::uint8_t { kBalboa, kConnectX, kOther };

enum class Evidence : std::uint8_t {
  kMeasured,  ///< its authors say that they measured it
  kModel,     ///< output or input of a model
  kEstimate,  ///< its authors call it an estimate
};
std::string_view evidence_name(Evidence evidence);

struct PublishedFigure {
  PublishedFor column;
  std::string_view device;
  std::string_view value;  ///< with its unit
  Evidence evidence;
  std::string_view conditions;  ///< operation, message size, topology; also what is not stated
  std::string_view source;      ///< document and place
  std::string_view caveat;      ///< why it should be read with care; may be empty
  /// Rows of ours beside which it may stand, such as "latency READ host switch"; none: like none of them.
  std::array<std::string_view, 2> beside;

  bool stands_beside(std::string_view row) const { return !row.empty() && (beside[0] == row || beside[1] == row); }
};

/// In the order of their numbers: the first is [1].
std::span<const PublishedFigure> published_figures();

}  // namespace caravan::timing
