// SPDX-License-Identifier: Apache-2.0
#include "verilator/wrap/rtl_node.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "models/base/errors.hpp"
#include "verilator/wrap/node_pins.hpp"
#include "verilator/wrap/rtl_node_impl.hpp"

#if VM_COVERAGE
#include <verilated_cov.h>
#endif

namespace caravan::vl {
namespace {

constexpr int kAxilPatience = 10000;  // clock edges for one register access before we call the node dead

timing::AxiMemoryConfig memory_config(const RtlNodeConfig& c, const char* name, base::Time read, base::Time write,
                                      base::Rate rate) {
  timing::AxiMemoryConfig m;
  m.instance = c.instance + "." + name;
  m.clock_period = c.clock_period;
  m.read_latency = read;
  m.write_latency = write;
  m.bandwidth = rate;
  return m;
}

timing::AxiMemoryConfig host_config(const RtlNodeConfig& c) {
  auto m = memory_config(c, "host", c.host_read, c.host_accept, c.host_rate);
  m.landing_latency = c.host_write;
  m.max_outstanding = c.host_outstanding;
  return m;
}

timing::MacConfig mac_config(const RtlNodeConfig& c) {
  timing::MacConfig m = c.mac;
  m.instance = c.instance + ".mac";
  m.clock_period = c.clock_period;
  return m;
}

}  // namespace

Skip parse_skip(std::string_view text, std::string_view place) {
  for (const Skip skip : {Skip::kOff, Skip::kOn, Skip::kVerify}) {
    if (text == skip_name(skip)) return skip;
  }
  throw base::UserError(fmt::format("{}: skip mode '{}' is not one of off, on, verify", place, text));
}

std::string_view skip_name(Skip skip) {
  switch (skip) {
    case Skip::kOff:
      return "off";
    case Skip::kOn:
      return "on";
    case Skip::kVerify:
      return "verify";
  }
  return "?";
}

RtlNode::Impl::Impl(const RtlNodeConfig& config)
    : config_(config),
      context_(std::make_unique<VerilatedContext>()),
      hbm_memory_(config.hbm_capacity),
      host_memory_(config.host_capacity),
      hbm_(memory_config(config, "hbm", config.hbm_read, config.hbm_write, config.hbm_rate), hbm_memory_),
      host_(host_config(config), host_memory_),
      mac_tx_(mac_config(config)),
      mac_rx_(mac_config(config)) {
  context_->randReset(0);
  context_->assertOn(true);
  make_current();
  top_ = std::make_unique<Vnode>(context_.get(), config_.instance.c_str());
  reset();
}

RtlNode::Impl::~Impl() {
#if VM_COVERAGE
  // The coverage flavour: one file a node, in the folder that the environment names.
  if (const char* folder = std::getenv("CARAVAN_COVERAGE_FOLDER"); folder != nullptr) {
    const auto path = fmt::format("{}/{}-{}.dat", folder, config_.instance, static_cast<const void*>(this));
    context_->coveragep()->write(path.c_str());
  }
#endif
  make_current();
  top_->final();
  top_.reset();
}

RtlNode::RtlNode(const RtlNodeConfig& config) : impl_(std::make_unique<Impl>(config)) {}
RtlNode::~RtlNode() = default;

void RtlNode::set_client(base::Client* client) {
  Impl& n = *impl_;
  n.client_ = client;
  n.request_.reset();
  n.request_driven_ = false;
  n.client_wake_ = client != nullptr ? client->next_activity(base::Cycles(n.cycle_)).count() : ~0ull;
}

void RtlNode::resume_client(base::Client* client) { impl_->client_ = client; }

void RtlNode::set_host(base::HostProgram* program) { impl_->host_connect(program); }

void RtlNode::run_until(base::Time end, base::FrameInbox& inbox, base::FrameOutbox& outbox) {
  impl_->run_until(end, inbox, outbox);
}

base::Time RtlNode::next_activity() const {
  const std::uint64_t at = impl_->all_quiet() ? impl_->next_event() : impl_->cycle_;
  return base::Cycles(at).at(impl_->config_.clock_period);
}

void RtlNode::serialize(std::ostream& out) const { impl_->serialize(out); }
void RtlNode::deserialize(std::istream& in) { impl_->deserialize(in); }
std::uint64_t RtlNode::fingerprint() const { return impl_->fingerprint(); }

void RtlNode::write_csr(std::uint16_t address, std::uint32_t value) {
  impl_->make_current();
  BUG_IF(!impl_->mmio_.quiet(), impl_->where() + ": a register access of the host program is under way");
  Vnode& top = *impl_->top_;
  impl_->drive_idle();
  top.csr_awaddr_i = address;
  top.csr_wdata_i = value;
  top.csr_awvalid_i = 1;
  top.csr_wvalid_i = 1;
  top.csr_bready_i = 1;
  for (int i = 0; i < kAxilPatience; ++i) {
    top.eval();
    const bool aw = top.csr_awvalid_i && top.csr_awready_o, w = top.csr_wvalid_i && top.csr_wready_o,
               b = top.csr_bvalid_o != 0;
    impl_->frozen_cycle();
    if (aw) top.csr_awvalid_i = 0;
    if (w) top.csr_wvalid_i = 0;
    if (b) return;
  }
  BUG_IF(true, fmt::format("{}: no answer to a write of register {:#06x}", impl_->where(), address));
}

std::uint32_t RtlNode::read_csr(std::uint16_t address) {
  impl_->make_current();
  BUG_IF(!impl_->mmio_.quiet(), impl_->where() + ": a register access of the host program is under way");
  Vnode& top = *impl_->top_;
  impl_->drive_idle();
  top.csr_araddr_i = address;
  top.csr_arvalid_i = 1;
  top.csr_rready_i = 1;
  for (int i = 0; i < kAxilPatience; ++i) {
    top.eval();
    const bool ar = top.csr_arvalid_i && top.csr_arready_o, r = top.csr_rvalid_o != 0;
    const std::uint32_t data = top.csr_rdata_o;
    impl_->frozen_cycle();
    if (ar) top.csr_arvalid_i = 0;
    if (r) return data;
  }
  BUG_IF(true, fmt::format("{}: no answer to a read of register {:#06x}", impl_->where(), address));
}

timing::SparseMemory& RtlNode::hbm() { return impl_->hbm_memory_; }
timing::SparseMemory& RtlNode::host() { return impl_->host_memory_; }

std::uint32_t RtlNode::kv_entries() const { return map_entries(); }
KvRow RtlNode::kv_row(std::uint32_t key) const {
  BUG_IF(key >= map_entries(), fmt::format("{}: row {} of the map does not exist", impl_->where(), key));
  return map_row(*impl_->top_, key);
}
void RtlNode::store_kv(std::uint32_t key, const KvRow& row) {
  BUG_IF(key >= map_entries(), fmt::format("{}: row {} of the map does not exist", impl_->where(), key));
  map_store(*impl_->top_, key, row);
}
std::uint64_t RtlNode::kv_digest() const { return map_digest(*impl_->top_); }

base::Cycles RtlNode::now() const { return base::Cycles(impl_->cycle_); }
const RtlNodeConfig& RtlNode::config() const { return impl_->config_; }
bool RtlNode::quiet() const {
  return impl_->all_quiet() && impl_->hbm_.quiet() && impl_->host_.quiet() && impl_->mac_rx_.quiet() &&
         impl_->mmio_.empty() && !impl_->request_;
}
base::Time RtlNode::receive_lookahead() const { return impl_->mac_rx_.lookahead(); }

std::vector<std::uint64_t> RtlNode::stats() const {
  const Impl& n = *impl_;
  std::vector<std::uint64_t> values(n.events_.begin(), n.events_.end());
  const auto& tx = n.mac_tx_.stats();
  const auto& rx = n.mac_rx_.stats();
  for (const std::uint64_t v :
       {tx.frames, tx.bytes, tx.oversize + tx.aborted, rx.frames, rx.bytes, rx.bad_fcs, rx.oversize})
    values.push_back(v);
  for (const timing::AxiMemory* memory : {&n.hbm_, &n.host_}) {
    const auto& m = memory->stats();
    for (const std::uint64_t v :
         {m.read_bursts, m.read_beats, m.write_bursts, m.write_beats, m.read_errors + m.write_errors})
      values.push_back(v);
  }
  return values;
}
std::span<const base::StatInfo> RtlNode::stat_infos() { return node_stat_infos(); }
const NodePerf& RtlNode::perf() const { return impl_->perf_; }

void RtlNode::set_trace(bool on) {
  impl_->tracing_ = on;
  impl_->top_->trace_i = on;
}
std::vector<base::TraceRecord> RtlNode::take_trace() {
  return impl_->trace_.take(impl_->config_.id, impl_->config_.clock_period);
}

}  // namespace caravan::vl
