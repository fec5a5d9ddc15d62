// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/incast.hpp"

#include <algorithm>
#include <numeric>

#include "models/timing/mac.hpp"
#include "models/timing/roce_peek.hpp"
#include "sim/cluster/addressing.hpp"
#include "verilator/wrap/node_setup.hpp"

namespace caravan::sim {
namespace {

constexpr unsigned kReceiver = 0;

base::Cycles cycles_of(base::Time time, base::Time period) {
  return base::Cycles(static_cast<std::uint64_t>(time / period));
}

}  // namespace

Incast::Incast(const ScenarioConfig& config)
    : table_(config.nodes - 1, config.incast.sample), duration_(config.incast.duration) {
  const base::Time period = config.calibration.clock.period();
  for (unsigned node = 1; node < config.nodes; ++node) {
    workloads::IncastPlan plan;
    plan.qpn = qpn_to(kReceiver).value();
    plan.rkey = (kHbmRegion << 8) | kRegionKey;
    plan.local_base = vl::kClassHbm | kSourceBase;
    plan.remote_base = (vl::kClassHbm | kTargetBase) + config.incast.size.count() * (node - 1);
    plan.size = static_cast<std::uint32_t>(config.incast.size.count());
    plan.outstanding = config.incast.outstanding;
    plan.begin = cycles_of(config.incast.stagger * (node - 1), period);
    plan.end = cycles_of(config.incast.duration, period);
    clients_.push_back(std::make_unique<workloads::IncastClient>(plan));
  }
}

bool Incast::done() const {
  return std::all_of(clients_.begin(), clients_.end(), [](const auto& c) { return c->done(); });
}
std::uint64_t Incast::completed() const {
  return std::accumulate(clients_.begin(), clients_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& c) { return sum + c->completed(); });
}
std::uint64_t Incast::issued() const {
  return std::accumulate(clients_.begin(), clients_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& c) { return sum + c->issued(); });
}
std::uint64_t Incast::failed() const {
  return std::accumulate(clients_.begin(), clients_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& c) { return sum + c->failed(); });
}

void Incast::observe(const FrameObservation& o) {
  if (o.node != kReceiver || o.direction != FrameDirection::kReceive || o.frame.time >= duration_) return;
  const auto view = timing::peek(*o.frame.bytes);
  if (!view.bth || view.src_mac <= mac_of(kReceiver)) return;
  const std::uint64_t flow = view.src_mac - mac_of(kReceiver) - 1;
  if (flow < table_.flows()) {
    table_.received(static_cast<unsigned>(flow), o.frame.time,
                    timing::wire_slot_bytes(base::Bytes(o.frame.bytes->size())));
  }
}

workloads::IncastTable Incast::table(const std::vector<timing::QueueSample>& samples) const {
  workloads::IncastTable table = table_;
  for (const auto& sample : samples) {
    if (sample.time < duration_) {
      table.queue(sample.time, base::Bytes(sample.bytes[kReceiver]), sample.drops[kReceiver]);
    }
  }
  return table;
}

}  // namespace caravan::sim
