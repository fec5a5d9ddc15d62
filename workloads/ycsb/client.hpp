// SPDX-License-Identifier: Apache-2.0
// The closed-loop client of one replica: one operation at a time, the next one in the cycle after the response.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "models/base/i_client.hpp"
#include "models/base/stats.hpp"
#include "workloads/ycsb/plan.hpp"

namespace caravan::workloads {

/// One PUT that was answered OK; together with the load phase these decide the final state of every replica.
struct PutRecord {
  std::uint64_t key;
  std::uint64_t value;
  std::uint64_t timestamp;  ///< Lamport time that the replica gave
  std::uint32_t replica;
};

inline constexpr base::StatInfo kYcsbStats[] = {
    {"operations", base::Unit::kOperations, "operations completed, of any kind"},
    {"not_found", base::Unit::kOperations, "reads of a key that was not in the map"},
    {"failed", base::Unit::kOperations, "operations answered with an error"},
};

class YcsbClient final : public base::Client {
 public:
  YcsbClient(std::shared_ptr<const YcsbPlan> plan, std::uint32_t replica);

  std::optional<base::ClientRequest> next_request(base::Cycles now) override;
  void accepted(const base::ClientRequest& request, base::Cycles now) override;
  void response(const base::ClientResponse& response, base::Cycles now) override;
  base::Cycles next_activity(base::Cycles now) const override;
  bool done() const override { return step_ == Step::kIdle && stream_.done(); }

  /// Response times in cycles, from the cycle that presented the request (of a read-modify-write: the read) to the
  /// cycle of the (last) response.
  const base::Samples& latency(OpKind kind) const { return latency_[static_cast<std::size_t>(kind)]; }
  base::Samples all_latencies() const;
  const std::vector<PutRecord>& puts() const { return puts_; }
  std::uint64_t completed() const { return completed_; }
  std::uint64_t not_found() const { return not_found_; }
  std::uint64_t failed() const { return failed_; }
  /// Cycle of the first presented request and of the last response.
  base::Cycles first() const { return first_; }
  base::Cycles last() const { return last_; }

 private:
  enum class Step { kIdle, kPresenting, kWaiting };
  void present(base::ClientOp op, std::uint64_t value);

  OperationStream stream_;
  std::uint32_t replica_;
  Step step_ = Step::kIdle;
  Operation operation_{};
  base::ClientRequest request_;
  bool second_half_ = false;  ///< the PUT of a read-modify-write
  base::Cycles began_;
  base::Cycles first_ = base::Cycles::never();
  base::Cycles last_;
  std::uint32_t tag_ = 0;
  std::array<base::Samples, kOpKinds> latency_;
  std::vector<PutRecord> puts_;
  std::uint64_t completed_ = 0;
  std::uint64_t not_found_ = 0;
  std::uint64_t failed_ = 0;
};

}  // namespace caravan::workloads
