// SPDX-License-Identifier: Apache-2.0
// What the replicas of one run do: the load phase, and one deterministic stream of operations per replica.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/base/rng.hpp"
#include "workloads/ycsb/core_workload.hpp"
#include "workloads/ycsb/zipf.hpp"

namespace caravan::workloads {

struct KeyValue {
  std::uint64_t key;
  std::uint64_t value;
  bool operator==(const KeyValue&) const = default;
};

/// One operation of a replica. READ-MODIFY-WRITE has no value yet: it depends on what is read.
struct Operation {
  OpKind kind;
  std::uint64_t key;
  std::uint64_t value;  ///< UPDATE, INSERT: what to put
  bool operator==(const Operation&) const = default;
};

/// Shared by the replicas of one run; immutable.
class YcsbPlan {
 public:
  /// `capacity`: keys are [0, capacity). Throws base::UserError naming `name` when recordcount plus the inserts of this
  /// very run does not fit.
  YcsbPlan(CoreWorkload workload, std::uint32_t replicas, std::uint64_t capacity, std::uint64_t seed,
           const std::string& name);

  const CoreWorkload& workload() const { return workload_; }
  std::uint32_t replicas() const { return replicas_; }
  std::uint64_t seed() const { return seed_; }
  /// The state of every replica before the first operation, by rising record number.
  std::vector<KeyValue> load() const;
  /// operationcount split evenly; the first replicas take the rest.
  std::uint64_t operations_of(std::uint32_t replica) const;
  std::uint64_t inserts_of(std::uint32_t replica) const { return inserts_[replica]; }
  /// The key of a record: its number, or a fixed scattering of it when insertorder is hashed.
  std::uint64_t key_of(std::uint64_t record) const { return workload_.hashed_order ? scatter_(record) : record; }
  const Zipf* zipf() const { return zipf_.get(); }

 private:
  friend class OperationStream;
  OpKind draw_kind(base::Rng& rng) const;

  CoreWorkload workload_;
  std::uint32_t replicas_;
  std::uint64_t seed_;
  Permutation scatter_;
  std::vector<std::uint64_t> inserts_;
  std::unique_ptr<Zipf> zipf_;
};

/// The operations of one replica, one after another. A replica chooses among the loaded records and its own inserts;
/// insert k of replica r is record recordcount + k * replicas + r, so that replicas never insert the same record.
class OperationStream {
 public:
  OperationStream(std::shared_ptr<const YcsbPlan> plan, std::uint32_t replica);
  bool done() const { return issued_ == total_; }
  Operation next();

 private:
  std::uint64_t choose();
  std::uint64_t record_of(std::uint64_t index) const;

  std::shared_ptr<const YcsbPlan> plan_;
  std::uint32_t replica_;
  base::Rng kinds_;
  base::Rng keys_;
  std::uint64_t total_;
  std::uint64_t issued_ = 0;
  std::uint64_t known_;  ///< loaded records plus own inserts so far
};

}  // namespace caravan::workloads
