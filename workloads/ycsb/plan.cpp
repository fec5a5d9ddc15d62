// SPDX-License-Identifier: Apache-2.0
#include "workloads/ycsb/plan.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/errors.hpp"

namespace caravan::workloads {
namespace {

// Independent random streams of one seed.
enum Stream : std::uint64_t { kKinds = 1, kKeys = 2 };
std::uint64_t stream_of(Stream stream, std::uint32_t replica) {
  return (static_cast<std::uint64_t>(stream) << 32) | replica;
}

std::uint64_t value_of(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
  base::SplitMix64 mix(seed ^ fnv_hash(a) ^ (fnv_hash(b) << 1));
  return mix.next();
}

}  // namespace

YcsbPlan::YcsbPlan(CoreWorkload workload, std::uint32_t replicas, std::uint64_t capacity, std::uint64_t seed,
                   const std::string& name)
    : workload_(std::move(workload)), replicas_(replicas), seed_(seed), scatter_(capacity), inserts_(replicas) {
  if (workload_.record_count > capacity) {
    throw base::UserError(fmt::format("{}: recordcount={}: the map of a node holds {} keys; allowed: 1 .. {}", name,
                                      workload_.record_count, capacity, capacity));
  }
  // The kinds are drawn from a stream of their own, so that inserts can be counted before the run.
  std::uint64_t most = 0;
  for (std::uint32_t replica = 0; replica < replicas; ++replica) {
    base::Rng rng(seed_, stream_of(kKinds, replica));
    if (workload_.proportion[static_cast<std::size_t>(OpKind::kInsert)] == 0) continue;
    for (std::uint64_t i = 0; i < operations_of(replica); ++i) inserts_[replica] += draw_kind(rng) == OpKind::kInsert;
    most = std::max(most, inserts_[replica]);
  }
  // Record numbers interleave by replica: the last one decides.
  if (workload_.record_count + most * replicas > capacity) {
    throw base::UserError(fmt::format(
        "{}: recordcount={} and up to {} inserts in each of {} replicas: the map of a node holds {} keys; use fewer "
        "records, operations or inserts",
        name, workload_.record_count, most, replicas, capacity));
  }
  if (workload_.distribution != Distribution::kUniform) {
    zipf_ = std::make_unique<Zipf>(workload_.record_count + most, workload_.zipf_theta);
  }
}

std::vector<KeyValue> YcsbPlan::load() const {
  std::vector<KeyValue> rows;
  rows.reserve(workload_.record_count);
  for (std::uint64_t i = 0; i < workload_.record_count; ++i) rows.push_back({key_of(i), value_of(seed_, i, ~0ull)});
  return rows;
}

std::uint64_t YcsbPlan::operations_of(std::uint32_t replica) const {
  return workload_.operation_count / replicas_ + (replica < workload_.operation_count % replicas_ ? 1 : 0);
}

OpKind YcsbPlan::draw_kind(base::Rng& rng) const {
  double u = rng.uniform();
  OpKind last = OpKind::kRead;
  for (std::size_t i = 0; i < kOpKinds; ++i) {
    if (workload_.proportion[i] == 0) continue;
    last = static_cast<OpKind>(i);
    u -= workload_.proportion[i];
    if (u < 0) break;
  }
  return last;
}

OperationStream::OperationStream(std::shared_ptr<const YcsbPlan> plan, std::uint32_t replica)
    : plan_(std::move(plan)),
      replica_(replica),
      kinds_(plan_->seed_, stream_of(kKinds, replica)),
      keys_(plan_->seed_, stream_of(kKeys, replica)),
      total_(plan_->operations_of(replica)),
      known_(plan_->workload_.record_count) {}

std::uint64_t OperationStream::record_of(std::uint64_t index) const {
  const auto loaded = plan_->workload_.record_count;
  return index < loaded ? index : loaded + (index - loaded) * plan_->replicas_ + replica_;
}

std::uint64_t OperationStream::choose() {
  switch (plan_->workload_.distribution) {
    case Distribution::kUniform:
      return keys_.below(known_);
    case Distribution::kLatest:
      return known_ - 1 - plan_->zipf_->sample(keys_, known_);
    case Distribution::kZipfian:
      break;
  }
  // The popularity of a record must not move while records are inserted: ranks are scattered over the final number of
  // records, and a record that is not there yet is drawn again (as in YCSB).
  const std::uint64_t items = plan_->workload_.record_count + plan_->inserts_[replica_];
  for (;;) {
    const std::uint64_t index = fnv_hash(plan_->zipf_->sample(keys_, items)) % items;
    if (index < known_) return index;
  }
}

Operation OperationStream::next() {
  BUG_IF(done(), "operation asked for after the last one");
  Operation op{plan_->draw_kind(kinds_), 0, 0};
  const std::uint64_t index = op.kind == OpKind::kInsert ? known_++ : choose();
  op.key = plan_->key_of(record_of(index));
  if (op.kind == OpKind::kUpdate || op.kind == OpKind::kInsert) op.value = value_of(plan_->seed_, issued_, replica_);
  ++issued_;
  return op;
}

}  // namespace caravan::workloads
