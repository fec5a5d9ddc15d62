// SPDX-License-Identifier: Apache-2.0
// How a node's cycles are run, skipped and verified.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <sstream>

#include "models/base/errors.hpp"
#include "models/timing/serial.hpp"
#include "verilator/wrap/node_eval.hpp"
#include "verilator/wrap/node_pins.hpp"
#include "verilator/wrap/rtl_node_impl.hpp"

namespace caravan::vl {
namespace {

// Bits of node_quiet_t.
constexpr unsigned bit_of(Block block) { return kBlockCount - 1 - static_cast<unsigned>(block); }

void set_clocks(Vnode& top, unsigned run) {
  const auto of = [run](Block block) { return static_cast<CData>(run >> bit_of(block) & 1); };
  top.clk_rx_i = of(Block::kRx);
  top.clk_wr_i = of(Block::kWr);
  top.clk_rq_i = of(Block::kRq);
  top.clk_tx_i = of(Block::kTx);
  top.clk_cc_i = of(Block::kCc);
  top.clk_path_i = of(Block::kPath);
  top.clk_mem_i = of(Block::kMem);
  top.clk_pcie_i = of(Block::kPcie);
  top.clk_rdt_i = of(Block::kRdt);
  top.clk_host_i = of(Block::kHost);
  top.clk_csr_i = of(Block::kCsr);
}

/// Records of this thread go to the collector while a node runs.
class SinkGuard {
 public:
  explicit SinkGuard(TraceSink* sink) { set_trace_sink(sink); }
  ~SinkGuard() { set_trace_sink(nullptr); }
};

}  // namespace

std::string RtlNode::Impl::where() const {
  return fmt::format("{} ps, cycle {}, {}", base::Cycles(cycle_).at(config_.clock_period).in_ps(), cycle_,
                     config_.instance);
}

void RtlNode::Impl::run_until(base::Time end, base::FrameInbox& inbox, base::FrameOutbox& outbox) {
  make_current();
  const SinkGuard guard(tracing_ ? &trace_ : nullptr);
  for (base::Frame& frame : inbox) mac_rx_.push(std::move(frame));
  inbox.clear();
  const std::int64_t period = config_.clock_period.in_ps();
  const auto end_cycle = static_cast<std::uint64_t>((end.in_ps() + period - 1) / period);
  while (cycle_ < end_cycle) {
    host_run();
    if (all_quiet() && config_.skip != Skip::kOff) {
      const std::uint64_t target = std::min(next_event(), end_cycle);
      if (target > cycle_) {
        if (config_.skip == Skip::kVerify) {
          verify_stretch(target, outbox);
        } else {
          perf_.cycles += target - cycle_;
          cycle_ = target;
        }
        continue;
      }
    }
    cycle(config_.skip != Skip::kOn, outbox);
  }
}

std::uint64_t RtlNode::Impl::next_event() const {
  const base::Cycles now(cycle_);
  std::uint64_t at = std::max(wake_at_, cycle_);
  at = std::min(at, mac_rx_.next_activity(now).count());
  at = std::min(at, mac_tx_.next_activity(now).count());
  at = std::min(at, hbm_.next_activity(now).count());
  at = std::min(at, host_.next_activity(now).count());
  at = std::min(at, mmio_.next_activity(now).count());
  if (program_ != nullptr) at = std::min(at, std::max(cycle_at(program_->next_activity()).count(), cycle_));
  if (request_) return cycle_;
  return std::min(at, std::max(client_wake_, cycle_));
}

void RtlNode::Impl::client_ask() {
  if (client_ == nullptr || request_ || cycle_ < client_wake_) return;
  request_ = client_->next_request(base::Cycles(cycle_));
  if (!request_) client_wake_ = client_->next_activity(base::Cycles(cycle_ + 1)).count();
}

void RtlNode::Impl::client_answer() {
  const Vnode& top = *top_;
  const base::Cycles now(cycle_), next(cycle_ + 1);
  if (request_ && top.req_ready_o) {
    const base::ClientRequest taken = *request_;
    request_.reset();
    request_driven_ = false;
    client_->accepted(taken, now);
    client_wake_ = client_->next_activity(next).count();
  }
  if (top.rsp_valid_o) {
    client_hash_.word(cycle_);
    client_hash_.word(std::uint64_t{top.rsp_tag_o} << 8 | top.rsp_status_o);
    client_hash_.word(top.rsp_value_o);
    if (client_ != nullptr) {
      client_->response({top.rsp_tag_o, static_cast<base::ClientStatus>(top.rsp_status_o), top.rsp_value_o}, now);
      client_wake_ = client_->next_activity(next).count();
    }
  }
}

void RtlNode::Impl::count_events() {
  for (std::size_t word = 0; word < 4; ++word) {
    for (std::uint32_t bits = top_->status_o[word]; bits != 0; bits &= bits - 1)
      ++events_[32 * word + static_cast<std::size_t>(std::countr_zero(bits))];
  }
}

void RtlNode::Impl::edges(unsigned quiet, bool force) {
  Vnode& top = *top_;
  const unsigned run = force ? kAllQuiet : ~quiet & kAllQuiet;
  if (run == 0) return;
  set_clocks(top, run);
  for (std::size_t i = 0; i < kBlockCount; ++i) perf_.clocked[i] += (run >> bit_of(static_cast<Block>(i))) & 1;
  top.look_i = 0;
  eval_edges(top);
  top.look_i = 1;
  set_clocks(top, 0);
}

void RtlNode::Impl::cycle(bool force_clocks, base::FrameOutbox& outbox) {
  Vnode& top = *top_;
  const base::Cycles now(cycle_);
  client_ask();
  drive_rx(top, mac_rx_.pins());
  drive_hbm(top, hbm_.pins());
  drive_host(top, host_.pins());
  top.tx_ready_i = mac_tx_.ready();
  top.req_valid_i = request_.has_value();
  if (request_ && !request_driven_) {
    drive_request(top, *request_);
    request_driven_ = true;
  }
  top.rsp_ready_i = 1;
  drive_mmio(top, mmio_.pins(now));
  top.now_i = cycle_;
  eval_pins(top);

  quiet_ = top.status_o[6];
  wake_at_ = std::uint64_t{top.status_o[5]} << 32 | top.status_o[4];
  count_events();
  if (mac_rx_.pins().valid) {
    const timing::MacBeat& beat = mac_rx_.pins().beat;
    rx_hash_.word(cycle_ << 16 | std::uint64_t{beat.bytes} << 2 | std::uint64_t{beat.last} << 1 |
                  std::uint64_t{beat.err});
    rx_hash_.bytes(beat.data.data(), beat.data.size());
  }
  sample_tx(top, tx_pins_);
  sample_hbm(top, hbm_pins_);
  sample_host(top, host_pins_);
  const std::size_t sent = outbox.size();
  mac_tx_.step(tx_pins_, now, outbox);
  for (std::size_t i = sent; i < outbox.size(); ++i) {
    tx_hash_.word(static_cast<std::uint64_t>(outbox[i].time.in_ps()));
    tx_hash_.bytes(outbox[i].bytes->data(), outbox[i].bytes->size());
  }
  mac_rx_.step(now);
  hbm_.step(hbm_pins_, now);
  host_.step(host_pins_, now);
  if (request_ || top.rsp_valid_o) client_answer();
  if (top.host_event_valid_o && program_ != nullptr) program_->interrupt(top.host_event_cqn_o, time_of(now));
  if (!mmio_.quiet()) mmio_.step(sample_mmio(top), now);

  if (tracing_) trace_.set_cycle(cycle_);
  edges(quiet_, force_clocks);
  ++cycle_;
  ++perf_.cycles;
  ++perf_.evaluated;
}

std::string RtlNode::Impl::outside_state() const {
  std::ostringstream out;
  mac_rx_.serialize(out);
  mac_tx_.serialize(out);
  hbm_.serialize(out);
  host_.serialize(out);
  mmio_.serialize(out);
  for (const std::uint64_t count : events_) timing::put(out, count);
  timing::put(out, tx_hash_.value());
  timing::put(out, rx_hash_.value());
  timing::put(out, client_hash_.value());
  timing::put(out, request_.has_value());
  return out.str();
}

namespace {

using ReadyPins = std::array<CData, 7>;
ReadyPins ready_pins(const Vnode& top) {
  return {top.tx_ready_i,      top.hbm_aw_ready_i, top.hbm_w_ready_i,  top.hbm_ar_ready_i,
          top.host_aw_ready_i, top.host_w_ready_i, top.host_ar_ready_i};
}
void ready_pins(Vnode& top, const ReadyPins& pins) {
  top.tx_ready_i = pins[0];
  top.hbm_aw_ready_i = pins[1], top.hbm_w_ready_i = pins[2], top.hbm_ar_ready_i = pins[3];
  top.host_aw_ready_i = pins[4], top.host_w_ready_i = pins[5], top.host_ar_ready_i = pins[6];
}

}  // namespace

void RtlNode::Impl::verify_stretch(std::uint64_t target, base::FrameOutbox& outbox) {
  const std::uint64_t first = cycle_;
  const std::size_t sent = outbox.size();
  const std::string outside = outside_state();
  Vnode& top = *top_;
  // The model as it stands settled in its last quiet cycle. now_i, what MAC and memories offer to take, and what
  // follows from these is not state: nothing is handed over while all is quiet.
  const std::uint64_t now = top.now_i;
  const auto ready = ready_pins(top);
  top.eval();
  snapshot_.resize(model_state_size(top));
  model_state_copy(top, snapshot_.data());
  while (cycle_ < target) {
    cycle(true, outbox);
    BUG_IF(!all_quiet(),
           fmt::format("{}: a block woke up (quiet flags {:#x}) in a stretch that skipping jumps over, cycles {} to {}",
                       where(), quiet_, first, target - 1));
  }
  top.now_i = now;
  ready_pins(top, ready);
  top.eval();
  const auto at = model_state_differs(top, snapshot_.data());
  BUG_IF(at.has_value(),
         fmt::format("{}: byte {} of the model's state changed in a stretch that skipping jumps over, cycles {} to {}",
                     where(), *at, first, target - 1));
  BUG_IF(outbox.size() != sent || outside_state() != outside,
         fmt::format("{}: MAC, memories or statistics changed in a stretch that skipping jumps over, cycles {} to {}",
                     where(), first, target - 1));
}

void RtlNode::Impl::drive_idle() {
  Vnode& top = *top_;
  set_clocks(top, 0);
  top.look_i = 1;
  top.trace_i = tracing_;
  top.rx_valid_i = 0;
  top.tx_ready_i = 0;
  top.hbm_aw_ready_i = top.hbm_w_ready_i = top.hbm_ar_ready_i = top.hbm_b_valid_i = top.hbm_r_valid_i = 0;
  top.host_aw_ready_i = top.host_w_ready_i = top.host_ar_ready_i = top.host_b_valid_i = top.host_r_valid_i = 0;
  top.req_valid_i = 0;
  top.rsp_ready_i = 0;
  top.csr_awvalid_i = top.csr_wvalid_i = top.csr_arvalid_i = 0;
  top.csr_bready_i = top.csr_rready_i = 1;
  top.now_i = cycle_;
}

void RtlNode::Impl::frozen_cycle() {
  count_events();
  edges(0, true);
  quiet_ = 0;
}

void RtlNode::Impl::reset() {
  drive_idle();
  top_->rst_i = 1;
  for (int i = 0; i < 4; ++i) {
    top_->eval();
    edges(0, true);
  }
  top_->rst_i = 0;
  perf_ = {};
}

}  // namespace caravan::vl
