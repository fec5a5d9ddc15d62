// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/host_programs.hpp"

#include <algorithm>

#include "sim/cluster/addressing.hpp"

namespace caravan::sim {

using base::Time;

host::HostTiming host_timing(const timing::Calibration& c) {
  host::HostTiming t;
  t.post = c.host_post;
  t.poll = c.host_poll;
  t.mmio_write = c.host_mmio_write;
  t.mmio_read = c.host_mmio_read;
  t.interrupt = c.host_interrupt;
  return t;
}

HostPrograms::HostPrograms(const ScenarioConfig& config) {
  workloads::HostLatencyPlan plan;
  plan.sizes = config.host.sizes;
  plan.repetitions = config.host.repetitions;
  plan.rate_messages = config.host.rate_messages;
  plan.rate_size = config.host.rate_size;
  plan.qps = config.host.qps;
  plan.batch = config.host.batch;
  plan.push = config.host.push;
  plan.client_neighbour = 1;  // rows of the neighbour table are node numbers
  plan.server_neighbour = 0;
  plan.client_ip = ip_of(0);
  plan.server_ip = ip_of(1);
  plan.retry.timeout = config.timeout_exponent;
  plan.retry.retry_limit = config.retry_limit;
  plan.mtu = config.pmtu;
  // A queue pair takes about eight register reads to set up.
  plan.start = Time::us(50) + (config.calibration.host_mmio_read + Time::us(1)) * (16 * plan.qps);
  workload_ = std::make_unique<workloads::HostLatency>(plan);
  for (unsigned node = 0; node < 2; ++node)
    hosts_.push_back(std::make_unique<host::SimHost>(host_timing(config.calibration)));
  hosts_[0]->start([w = workload_.get()](host::Context& ctx) { return w->client(ctx); });
  hosts_[1]->start([w = workload_.get()](host::Context& ctx) { return w->server(ctx); });
}

bool HostPrograms::done() const {
  return std::all_of(hosts_.begin(), hosts_.end(), [](const auto& h) { return h->done(); });
}

std::string HostPrograms::failure() const {
  for (const auto& host : hosts_) {
    try {
      host->check();
    } catch (const std::exception& e) { return e.what(); }
  }
  return {};
}

}  // namespace caravan::sim
