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

// A queue pair takes about eight register reads to set up.
Time set_up_by(const ScenarioConfig& config, unsigned qps) {
  return Time::us(50) + (config.calibration.host_mmio_read + Time::us(1)) * (16 * qps);
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
  plan.start = set_up_by(config, plan.qps);
  workload_ = std::make_unique<workloads::HostLatency>(plan);
  for (auto& host : hosts_) host = std::make_unique<host::SimHost>(host_timing(config.calibration));
  hosts_[0]->start([w = workload_.get()](host::Context& ctx) { return w->client(ctx); });
  hosts_[1]->start([w = workload_.get()](host::Context& ctx) { return w->server(ctx); });
}

HostPrograms::HostPrograms(const ScenarioConfig& config, const workloads::VerbPlan& sender) {
  workloads::ReceiverPlan plan;
  plan.verbs = sender;
  plan.mtu = config.pmtu;
  plan.retry.timeout = config.timeout_exponent;
  plan.retry.retry_limit = config.retry_limit;
  for (unsigned k = 0; k < sender.qpns.size(); ++k) {
    workloads::ReceiverQp qp;
    qp.qpn = (k == 0 ? qpn_to(0) : extra_qpn(config.nodes, k)).value();
    qp.first_psn = first_psn(1, 0, k).value();
    qp.peer.qpn = sender.qpns[k];
    qp.peer.ip = ip_of(0);
    qp.peer.neighbour = 0;
    qp.peer.first_psn = first_psn(0, 1, k).value();
    plan.qps.push_back(qp);
  }
  receiver_ = std::make_unique<workloads::VerbReceiver>(std::move(plan));
  hosts_[1] = std::make_unique<host::SimHost>(host_timing(config.calibration));
  hosts_[1]->start([r = receiver_.get()](host::Context& ctx) { return r->program(ctx); });
}

bool HostPrograms::done() const {
  return std::all_of(hosts_.begin(), hosts_.end(), [](const auto& h) { return !h || h->done(); });
}

std::string HostPrograms::failure() const {
  for (const auto& host : hosts_) {
    if (!host) continue;
    try {
      host->check();
    } catch (const std::exception& e) { return e.what(); }
  }
  return {};
}

}  // namespace caravan::sim
