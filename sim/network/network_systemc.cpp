// SPDX-License-Identifier: Apache-2.0
#include "sim/network/network_systemc.hpp"

#include <vector>

#include <fmt/format.h>
#include <systemc>

#include "models/base/errors.hpp"
#include "sim/network/frame_transaction.hpp"
#include "sim/network/link.hpp"
#include "sim/network/node_port.hpp"
#include "sim/network/switch_module.hpp"

// libsystemc brings its own main() and wants this; a program with its own main() never calls it.
int sc_main(int, char**) { return 0; }

namespace caravan::sim {
namespace {

/// Makes one kernel the current one for a scope: SystemC keeps a single global pointer to it.
class InKernel {
 public:
  explicit InKernel(sc_core::sc_simcontext* context) : before_(sc_core::sc_curr_simcontext) {
    sc_core::sc_curr_simcontext = context;
  }
  ~InKernel() { sc_core::sc_curr_simcontext = before_; }
  InKernel(const InKernel&) = delete;
  InKernel& operator=(const InKernel&) = delete;

 private:
  sc_core::sc_simcontext* before_;
};

class SystemcNetwork final : public Network {
 public:
  explicit SystemcNetwork(const NetworkConfig& config);
  ~SystemcNetwork() override;

  unsigned ports() const override { return static_cast<unsigned>(ports_.size()); }
  void inject(unsigned port, base::Frame frame) override;
  void advance(base::Time until) override;
  base::Time lookahead() const override;
  void collect(unsigned port, base::FrameInbox& to) override { ports_[port]->collect(to); }
  void set_faults(std::vector<timing::FaultRule> rules) override;
  base::Time next_event() const override { return next_event_; }
  std::vector<base::StatValue> statistics() const override;
  void hash_into(base::Fingerprint& hash) const override;
  std::vector<timing::QueueSample> queue_samples() const override {
    return switch_ ? switch_->core().queue_samples() : std::vector<timing::QueueSample>();
  }

 private:
  void build();
  void find_next_event();
  Link& link(const std::string& name);

  NetworkConfig config_;
  std::unique_ptr<sc_core::sc_simcontext> kernel_;
  std::vector<std::unique_ptr<NodePort>> ports_;
  std::vector<std::unique_ptr<Link>> links_;
  std::unique_ptr<SwitchModule> switch_;
  base::Time now_, next_event_ = base::Time::never();
};

SystemcNetwork::SystemcNetwork(const NetworkConfig& config) : config_(config) {
  if (config_.topology == Topology::kDirect && config_.nodes != 2) {
    throw base::UserError(fmt::format("topology \"direct\" joins 2 nodes, not {}; use \"switch\"", config_.nodes));
  }
  if (config_.topology == Topology::kDirect && !config_.switch_config.faults.empty()) {
    throw base::UserError("fault rules belong to the switch; topology \"direct\" has none: use \"switch\"");
  }
  if (config_.nodes == 0) throw base::UserError("a network needs at least one node");
  config_.switch_config.ports = config_.nodes;
  config_.switch_config.port_rate = config_.line_rate;
  kernel_ = std::make_unique<sc_core::sc_simcontext>();
  const InKernel scope(kernel_.get());
  // A start of zero only elaborates; that nothing moves is no news.
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_DO_NOTHING);
  build();
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

SystemcNetwork::~SystemcNetwork() {
  const InKernel scope(kernel_.get());
  switch_.reset();
  links_.clear();
  ports_.clear();
  kernel_.reset();
}

Link& SystemcNetwork::link(const std::string& name) {
  links_.push_back(std::make_unique<Link>(name.c_str(), config_.wire, config_.line_rate));
  return *links_.back();
}

void SystemcNetwork::build() {
  for (unsigned i = 0; i < config_.nodes; ++i) {
    ports_.push_back(std::make_unique<NodePort>(fmt::format("port{}", i).c_str(), i));
  }
  if (config_.topology == Topology::kDirect) {
    for (unsigned i = 0; i < 2; ++i) {
      Link& cable = link(fmt::format("link{}", i));
      ports_[i]->tx.bind(cable.in);
      cable.out.bind(ports_[1 - i]->rx);
    }
    return;
  }
  switch_ = std::make_unique<SwitchModule>("switch", config_.switch_config);
  for (unsigned i = 0; i < config_.nodes; ++i) {
    Link& up = link(fmt::format("up{}", i));
    ports_[i]->tx.bind(up.in);
    up.out.bind(switch_->in[i]);
    Link& down = link(fmt::format("down{}", i));
    switch_->out[i].bind(down.in);
    down.out.bind(ports_[i]->rx);
  }
}

void SystemcNetwork::inject(unsigned port, base::Frame frame) {
  BUG_IF(frame.time < now_,
         fmt::format("{} ps, port {}: a frame of {} ps comes too late", now_.in_ps(), port, frame.time.in_ps()));
  const InKernel scope(kernel_.get());
  next_event_ = std::min(next_event_, frame.time);
  ports_[port]->inject(std::move(frame));
}

// The kernel runs to the last picosecond before `until`, and only when something happens before that. One such quantum
// is one activation of each node port that sends and one of the switch.
void SystemcNetwork::advance(base::Time until) {
  if (until <= now_) return;
  now_ = until;
  if (next_event_ >= until) return;
  const InKernel scope(kernel_.get());
  for (const auto& port : ports_) port->begin_quantum(until);
  if (switch_) switch_->begin_quantum(until);
  const base::Time last = until - base::Time::ps(1);
  sc_core::sc_start(to_sc(last - to_time(sc_core::sc_time_stamp())));
  while (sc_core::sc_pending_activity_at_current_time())
    sc_core::sc_start(sc_core::SC_ZERO_TIME);  // a start of zero is one delta
  find_next_event();
}

void SystemcNetwork::find_next_event() {
  next_event_ = switch_ ? switch_->next_event() : base::Time::never();
  for (const auto& port : ports_) next_event_ = std::min(next_event_, port->next_event());
}

base::Time SystemcNetwork::lookahead() const {
  if (config_.topology == Topology::kDirect) return config_.wire;
  base::Time latency = config_.wire + config_.switch_config.latency;
  if (config_.switch_config.mode == timing::SwitchMode::kStoreAndForward) {
    latency += config_.line_rate.time_for(base::Bytes(72));
  }
  return latency;
}

void SystemcNetwork::set_faults(std::vector<timing::FaultRule> rules) {
  if (!switch_) throw base::UserError("fault rules belong to the switch; topology \"direct\" has none");
  switch_->set_faults(std::move(rules));
}

std::vector<base::StatValue> SystemcNetwork::statistics() const {
  std::vector<base::StatValue> values;
  if (!switch_) return values;
  const timing::Switch& core = switch_->core();
  for (unsigned port = 0; port < config_.nodes; ++port) {
    const auto counts = core.stats()[port].values();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const auto& info = timing::kSwitchPortStats[i];
      values.push_back({fmt::format("switch.port{}.{}", port, info.name), info.unit, counts[i]});
    }
  }
  const auto pfc = core.pfc_stats();
  for (std::size_t port = 0; port < pfc.size(); ++port) {
    const auto counts = pfc[port].values();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const auto& info = timing::kPfcPortStats[i];
      values.push_back({fmt::format("switch.port{}.{}", port, info.name), info.unit, counts[i]});
    }
  }
  for (std::size_t i = 0; i < core.fault_counts().size(); ++i) {
    values.push_back({fmt::format("switch.fault{}.matched", i), base::Unit::kFrames, core.fault_counts()[i].matched});
    values.push_back({fmt::format("switch.fault{}.struck", i), base::Unit::kFrames, core.fault_counts()[i].struck});
  }
  return values;
}

void SystemcNetwork::hash_into(base::Fingerprint& hash) const {
  if (switch_) switch_->core().hash_into(hash);
}

}  // namespace

std::unique_ptr<Network> make_systemc_network(const NetworkConfig& config) {
  return std::make_unique<SystemcNetwork>(config);
}

}  // namespace caravan::sim
