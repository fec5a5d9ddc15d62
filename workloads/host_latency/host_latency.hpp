// SPDX-License-Identifier: Apache-2.0
// Host verbs between two nodes: latency of one at a time, and the rate of many small ones. Two programs: the client
// measures, the server offers memory and receives.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/base/stats.hpp"
#include "models/base/units.hpp"
#include "sim/host/context.hpp"

namespace caravan::workloads {

enum class HostVerb : std::uint8_t { kWrite, kRead, kFetchAdd, kSend };
std::string_view host_verb_name(HostVerb verb);

struct HostLatencyPlan {
  std::vector<base::Bytes> sizes;      ///< of WRITE, READ and SEND; atomics are 8 bytes
  std::uint64_t repetitions = 100;     ///< per verb and size, one at a time
  std::uint64_t rate_messages = 2000;  ///< per verb, of rate_size bytes
  base::Bytes rate_size{64};
  std::uint32_t qps = 4;     ///< queue pairs of the rate phase
  std::uint32_t batch = 16;  ///< work requests a doorbell in the rate phase; two batches in flight per queue pair
  bool push = true;          ///< single work requests go through registers
  unsigned client_neighbour = 0, server_neighbour = 0;  ///< how each gets to the other
  std::uint32_t client_ip = 0, server_ip = 0;
  host::RetryOptions retry;
  base::Bytes mtu{4096};
  base::Time start;  ///< when both have set up for sure
};

struct HostVerbResult {
  HostVerb verb = HostVerb::kWrite;
  base::Bytes size;
  base::Samples latency;  ///< ps, from the call to the completion in the program's hands
  std::uint64_t failed = 0;
};

struct HostRateResult {
  HostVerb verb = HostVerb::kWrite;
  base::Bytes size;
  std::uint64_t messages = 0, failed = 0;
  base::Time took;  ///< from the first doorbell to the last completion
  double per_second() const { return took.in_ps() > 0 ? static_cast<double>(messages) / took.in_s() : 0; }
};

/// Both programs of one run. Each is used by its own node's thread; results are the client's.
class HostLatency {
 public:
  explicit HostLatency(HostLatencyPlan plan) : plan_(std::move(plan)) {}

  host::Task<> client(host::Context& ctx);
  host::Task<> server(host::Context& ctx);

  const std::vector<HostVerbResult>& latencies() const { return latencies_; }
  const std::vector<HostRateResult>& rates() const { return rates_; }
  std::uint64_t completed() const { return completed_; }
  std::uint64_t total() const;
  const HostLatencyPlan& plan() const { return plan_; }

 private:
  struct Side {
    host::MemoryRegion memory;
    host::CompletionQueue* sends = nullptr;
    host::CompletionQueue* receives = nullptr;
    std::vector<host::QueuePair*> qps;
  };
  host::Task<Side> begin(host::Context& ctx, bool is_client);
  host::WorkRequest request(const Side& side, HostVerb verb, base::Bytes size) const;
  host::Task<> measure_latency(host::Context& ctx, Side& side, HostVerb verb, base::Bytes size);
  host::Task<> measure_rate(host::Context& ctx, Side& side, HostVerb verb);
  std::uint64_t region_bytes() const;
  std::uint64_t sends_of_qp(std::size_t qp) const;
  std::uint64_t batches() const { return (plan_.rate_messages + plan_.batch - 1) / plan_.batch; }

  HostLatencyPlan plan_;
  std::vector<HostVerbResult> latencies_;
  std::vector<HostRateResult> rates_;
  std::uint64_t completed_ = 0;
};

}  // namespace caravan::workloads
