// SPDX-License-Identifier: Apache-2.0
#include "testbenches/endpoint/rtl_end.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "Vendpoint.h"
#include "models/base/errors.hpp"
#include "models/timing/axi_memory.hpp"
#include "testbenches/support/roce_rx_pins.hpp"

namespace caravan::support {
namespace {

constexpr std::size_t kBeat = 64, kMinFrame = 60;
constexpr unsigned kClassHost = 8;
constexpr std::size_t kNetEvents = 9, kRxEvents = 23;
constexpr std::size_t kRxFifoBeats = 1024, kPipelineBeats = 160;  // as in endpoint_top; two of the longest frames

unsigned class_of(std::uint64_t va) { return static_cast<unsigned>(va >> 60); }
std::uint64_t offset_of(std::uint64_t va) { return va & ~(0xFull << 60); }

timing::AxiMemoryConfig memory_config(const char* name, unsigned cycles) {
  timing::AxiMemoryConfig config;
  config.instance = name;
  config.read_latency = config.write_latency = base::Time::ns(4 * cycles);
  config.bandwidth = base::Rate::gbps(256);
  return config;
}

}  // namespace

struct RtlEnd::Model {
  Model()
      : top(&context, "top"),
        hbm_memory(base::Bytes::mib(8192)),
        host_memory(base::Bytes::mib(8192)),
        hbm(memory_config("hbm", 26), hbm_memory),
        host(memory_config("host", 60), host_memory) {
    context.randReset(0);
    context.assertOn(true);
  }
  timing::SparseMemory* memory_of(std::uint64_t va) {
    return class_of(va) == 0 ? &hbm_memory : class_of(va) == kClassHost ? &host_memory : nullptr;
  }

  VerilatedContext context;
  Vendpoint top;
  timing::SparseMemory hbm_memory, host_memory;
  timing::AxiMemory hbm, host;
  timing::AxiRequestPins hbm_pins, host_pins;
  bool icrc_check = true;
};

// The two memory ports have the same pins under two prefixes.
#define CARAVAN_AXI(port_)                                                                           \
  static void drive_##port_(Vendpoint& top, const timing::AxiResponsePins& pins) {                   \
    top.port_##_aw_ready_i = pins.aw_ready;                                                          \
    top.port_##_w_ready_i = pins.w_ready;                                                            \
    top.port_##_ar_ready_i = pins.ar_ready;                                                          \
    top.port_##_b_valid_i = pins.b_valid;                                                            \
    top.port_##_r_valid_i = pins.r_valid;                                                            \
    if (pins.b_valid) {                                                                              \
      top.port_##_b_id_i = static_cast<CData>(pins.b.id);                                            \
      top.port_##_b_resp_i = pins.b.resp;                                                            \
    }                                                                                                \
    if (pins.r_valid) {                                                                              \
      std::memcpy(top.port_##_r_data_i.data(), pins.r.data.data(), kBeat);                           \
      top.port_##_r_id_i = static_cast<CData>(pins.r.id);                                            \
      top.port_##_r_resp_i = pins.r.resp;                                                            \
      top.port_##_r_last_i = pins.r.last;                                                            \
    }                                                                                                \
  }                                                                                                  \
  static void sample_##port_(const Vendpoint& top, timing::AxiRequestPins& pins) {                   \
    pins.aw_valid = top.port_##_aw_valid_o != 0;                                                     \
    pins.w_valid = top.port_##_w_valid_o != 0;                                                       \
    pins.ar_valid = top.port_##_ar_valid_o != 0;                                                     \
    pins.b_ready = top.port_##_b_ready_o != 0;                                                       \
    pins.r_ready = top.port_##_r_ready_o != 0;                                                       \
    if (pins.aw_valid) pins.aw = {top.port_##_aw_id_o, top.port_##_aw_addr_o, top.port_##_aw_len_o}; \
    if (pins.ar_valid) pins.ar = {top.port_##_ar_id_o, top.port_##_ar_addr_o, top.port_##_ar_len_o}; \
    if (pins.w_valid) {                                                                              \
      std::memcpy(pins.w.data.data(), top.port_##_w_data_o.data(), kBeat);                           \
      pins.w.strb = top.port_##_w_strb_o;                                                            \
      pins.w.last = top.port_##_w_last_o != 0;                                                       \
    }                                                                                                \
  }
CARAVAN_AXI(hbm)
CARAVAN_AXI(host)
#undef CARAVAN_AXI

RtlEnd::RtlEnd(const packet::MacAddr& mac, packet::Ipv4Addr ip) : model_(std::make_unique<Model>()) {
  Vendpoint& top = model_->top;
  PinWriter(top.net_cfg_i).put(32, ip).put(48, packet::get_be(mac.data(), mac.size()));
  PinWriter(top.glb_i).put(1, 1).put(8, 8).put(64, kRings);
  top.rst_i = 1;
  for (int i = 0; i < 4; ++i) cycle();
  top.rst_i = 0;
  events_ = {};
  cycle();
}

RtlEnd::~RtlEnd() {
  Verilated::threadContextp(&model_->context);
  model_->top.final();
#if VM_COVERAGE
  if (const char* folder = std::getenv("CARAVAN_COVERAGE_FOLDER"); folder != nullptr) {
    static std::atomic<unsigned> count = 0;
    model_->context.coveragep()->write(fmt::format("{}/end{}.dat", folder, count++).c_str());
  }
#endif
}

void RtlEnd::set_icrc_check(bool on) {
  model_->icrc_check = on;
  PinWriter(model_->top.glb_i).put(1, on);
}

void RtlEnd::set_ackreq_every(std::uint8_t packets) {
  PinWriter(model_->top.glb_i).put(1, model_->icrc_check).put(8, packets);
}

void RtlEnd::set_neighbour(std::uint8_t index, const packet::MacAddr& mac, packet::Ipv4Addr ip, bool valid) {
  Vendpoint& top = model_->top;
  PinWriter(top.neigh_i).put(32, ip).put(48, packet::get_be(mac.data(), mac.size())).put(1, valid);
  top.neigh_index_i = index;
  top.neigh_we_i = 1;
  cycle();
  top.neigh_we_i = 0;
}

void RtlEnd::set_qp(const ref::QpConfig& config, bool init) {
  pack(model_->top.cfg_i, RoceCfg::of_qp(config, init));
  write_row();
}

void RtlEnd::set_region(std::uint32_t rkey, const ref::Region& region, bool valid) {
  pack(model_->top.cfg_i, RoceCfg::of_region(rkey, region, valid));
  write_row();
}

void RtlEnd::write_row() {
  Vendpoint& top = model_->top;
  top.cfg_valid_i = 1;
  for (std::uint64_t waited = 0;; ++waited) {
    BUG_IF(waited > 100'000, "a table write is never taken");
    cycle();
    if (row_taken_) break;
  }
  top.cfg_valid_i = 0;
  cycle();
}

void RtlEnd::post(base::Qpn qpn, const ref::WorkRequest& request) { verbs_.emplace_back(qpn.value(), request); }
void RtlEnd::post_recv(base::Qpn qpn, const ref::ReceiveRequest& request) {
  receives_.emplace_back(qpn.value(), request);
}

void RtlEnd::push(const packet::Buffer& frame) {
  inbound_.push_back(frame);
  if (frame.size() < kMinFrame) inbound_.back().resize(kMinFrame, 0);
  inbound_bytes_ += inbound_.back().size();
}

bool RtlEnd::has_room(std::size_t bytes) const {
  // What waits at the pins or stands in the pipeline before the FIFO goes there, too.
  return rx_level_ + (inbound_bytes_ + bytes) / kBeat + kPipelineBeats < kRxFifoBeats;
}

bool RtlEnd::idle() const {
  return quiet_ && inbound_.empty() && verbs_.empty() && receives_.empty() && model_->hbm.quiet() &&
         model_->host.quiet() && now_ < wake_at();
}

std::uint64_t RtlEnd::wake_at() const { return model_->top.wake_at_o; }

void RtlEnd::jump(std::uint64_t cycle) {
  BUG_IF(!idle() || cycle > wake_at(), "a jump over something that happens");
  now_ = std::max(now_, cycle);
}

void RtlEnd::step() {
  if (idle())
    ++now_;
  else
    cycle();
}

bool RtlEnd::settle(std::uint64_t limit) {
  cycle();  // an input may have changed
  for (std::uint64_t i = 0; i < limit && !idle(); ++i) cycle();
  return idle();
}

void RtlEnd::cycle() {
  Model& m = *model_;
  Vendpoint& top = m.top;
  Verilated::threadContextp(&m.context);

  top.rx_valid_i = !inbound_.empty();
  if (!inbound_.empty()) {
    const packet::Buffer& frame = inbound_.front();
    const std::size_t bytes = std::min(kBeat, frame.size() - inbound_at_);
    if (bytes < kBeat) std::memset(top.rx_data_i.data(), 0, kBeat);
    std::memcpy(top.rx_data_i.data(), frame.data() + inbound_at_, bytes);
    top.rx_bytes_i = static_cast<CData>(bytes);
    top.rx_last_i = inbound_at_ + bytes == frame.size();
    top.rx_err_i = 0;
  }
  drive_hbm(top, m.hbm.pins());
  drive_host(top, m.host.pins());
  top.tx_ready_i = tx_stalls_ == 0 || !rng_.chance(tx_stalls_);
  top.verb_valid_i = !verbs_.empty();
  if (!verbs_.empty()) {
    const auto& [qpn, r] = verbs_.front();
    packet::Buffer bytes(kBeat);
    if (ref::is_atomic(r.op)) {
      for (std::size_t i = 0; i < 8; ++i) {
        bytes[i] = static_cast<std::uint8_t>(r.swap_add >> 8 * i);
        bytes[8 + i] = static_cast<std::uint8_t>(r.compare >> 8 * i);
      }
    } else if (r.inl) {
      std::copy_n(r.inline_data.begin(), std::min<std::uint64_t>(r.length, kBeat), bytes.begin());
    }
    PinWriter(top.verb_i)
        .data(bytes)
        .put(32, r.rkey)
        .put(64, r.remote_va)
        .put(64, r.local_va)
        .put(32, r.length)
        .put(1, r.inl)
        .put(32, r.wr_id)
        .put(32, r.imm)
        .put(1, r.has_imm)
        .put(1, r.solicited)
        .put(1, r.signaled)
        .put(24, qpn)
        .put(4, static_cast<unsigned>(r.op));
  }
  top.rq_post_valid_i = !receives_.empty();
  if (!receives_.empty()) {
    const auto& [qpn, r] = receives_.front();
    PinWriter(top.rq_post_i).put(32, r.length).put(64, r.local_va).put(32, r.wr_id).put(24, qpn);
  }
  top.cpl_ready_i = 1;
  top.rq_cpl_ready_i = 1;
  top.now_i = now_;
  top.clk_i = 0;
  top.eval();

  // Everything below looks at the pins as they stand before the edge.
  quiet_ = top.quiet_o != 0;
  rx_level_ = top.rx_level_o;
  row_taken_ = top.cfg_valid_i && top.cfg_ready_o;
  count_events();
  sample_hbm(top, m.hbm_pins);
  sample_host(top, m.host_pins);
  if (!inbound_.empty()) {
    inbound_at_ += top.rx_bytes_i;
    inbound_bytes_ -= top.rx_bytes_i;
    if (top.rx_last_i) {
      inbound_.pop_front();
      inbound_at_ = 0;
    }
  }
  if (top.tx_valid_o && top.tx_ready_i) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(top.tx_data_o.data());
    outbound_.insert(outbound_.end(), data, data + top.tx_bytes_o);
    if (top.tx_last_o) {
      if (!top.tx_err_o) sent_.push_back(outbound_);
      outbound_.clear();
    }
  }
  if (top.verb_valid_i && top.verb_ready_o) verbs_.pop_front();
  if (top.rq_post_valid_i && top.rq_post_ready_o) receives_.pop_front();
  if (top.cpl_valid_o) {
    PinReader r(top.cpl_o);
    ref::Completion c;
    c.original = r.get(64);
    c.status = static_cast<ref::CompletionStatus>(r.get(4));
    c.wr_id = r.get32(32);
    c.qpn = base::Qpn(r.get32(24));
    completions_.push_back(c);
  }
  if (top.rq_cpl_valid_o) {
    PinReader r(top.rq_cpl_o);
    ref::ReceiveCompletion c;
    c.src_ip = r.get32(32);
    c.src_qpn = base::Qpn(r.get32(24));
    c.length = r.get32(32);
    c.imm = r.get32(32);
    c.has_imm = r.get(1) != 0;
    c.solicited = r.get(1) != 0;
    c.is_write = r.get(1) != 0;
    c.status = static_cast<ref::CompletionStatus>(r.get(4));
    c.wr_id = r.get32(32);
    c.qpn = base::Qpn(r.get32(24));
    received_.push_back(c);
  }

  m.hbm.step(m.hbm_pins, base::Cycles(now_));
  m.host.step(m.host_pins, base::Cycles(now_));
  top.clk_i = 1;
  top.eval();
  ++now_;
}

void RtlEnd::count_events() {
  const Vendpoint& top = model_->top;
  std::uint64_t bits = std::uint64_t{top.net_stats_o} | std::uint64_t{top.rx_stats_o} << kNetEvents |
                       std::uint64_t{top.tx_stats_o} << (kNetEvents + kRxEvents);
  for (; bits != 0; bits &= bits - 1) ++events_[static_cast<std::size_t>(std::countr_zero(bits))];
}

packet::Buffer RtlEnd::read_memory(std::uint64_t va, std::size_t bytes) const {
  packet::Buffer out(bytes);
  if (const auto* memory = model_->memory_of(va); memory != nullptr && memory->contains(offset_of(va), bytes))
    memory->read(offset_of(va), out);
  return out;
}

void RtlEnd::write_memory(std::uint64_t va, packet::ByteSpan bytes) {
  auto* memory = model_->memory_of(va);
  BUG_IF(memory == nullptr || !memory->contains(offset_of(va), bytes.size()), "no memory at this address");
  memory->write(offset_of(va), bytes);
}

}  // namespace caravan::support
