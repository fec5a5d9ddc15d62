// SPDX-License-Identifier: Apache-2.0
// The parameters of YCSB's core workload, as far as a key-value store with GET and PUT of 8-byte values has them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/ycsb/properties.hpp"

namespace caravan::workloads {

enum class Distribution { kUniform, kZipfian, kLatest };
enum class OpKind : std::uint8_t { kRead, kUpdate, kInsert, kReadModifyWrite };
inline constexpr std::size_t kOpKinds = 4;
/// YCSB's own names: READ, UPDATE, INSERT, READ-MODIFY-WRITE.
std::string_view op_kind_name(OpKind kind);

struct CoreWorkload {
  std::uint64_t record_count = 0;
  std::uint64_t operation_count = 0;             ///< of the whole cluster
  std::array<double, kOpKinds> proportion = {};  ///< by OpKind; sums to 1
  Distribution distribution = Distribution::kUniform;
  double zipf_theta = 0.99;
  bool hashed_order = true;
  std::vector<std::string> notes;  ///< what was accepted and has no effect here, a sentence each
};

/// Throws base::UserError (place, value, what is allowed, nearest name) for an unknown property, a value out of range,
/// a scan, or a feature of YCSB that this store does not have.
CoreWorkload read_core_workload(const Properties& properties);

}  // namespace caravan::workloads
