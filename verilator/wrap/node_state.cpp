// SPDX-License-Identifier: Apache-2.0
// The Verilated model's state: saved, compared, and the RAM of the map inside it.
#include <verilated_save.h>

#include <algorithm>
#include <cstring>
#include <istream>
#include <ostream>

#include "Vnode__Syms.h"
#include "Vnode___024root.h"
#include "models/base/errors.hpp"
#include "models/timing/serial.hpp"
#include "verilator/wrap/rtl_node_impl.hpp"

namespace caravan::vl {
namespace {

#if !VM_COVERAGE
/// Verilator's serializer on a stream.
class StreamSave final : public VerilatedSerialize {
 public:
  explicit StreamSave(std::ostream& out) : out_(out) {
    m_isOpen = true;
    header();
  }
  ~StreamSave() override { close(); }
  void close() override {
    if (!m_isOpen) return;
    trailer();
    flush();
    m_isOpen = false;
  }
  void flush() override {
    out_.write(reinterpret_cast<const char*>(m_bufp), m_cp - m_bufp);
    m_cp = m_bufp;
  }

 private:
  std::ostream& out_;
};

class StreamRestore final : public VerilatedDeserialize {
 public:
  explicit StreamRestore(std::istream& in) : in_(in) {
    m_isOpen = true;
    m_endp = m_cp = m_bufp;
    header();
  }
  ~StreamRestore() override = default;
  void close() override {
    if (!m_isOpen) return;
    trailer();
    m_isOpen = false;
  }
  void fill() override {
    const std::size_t rest = static_cast<std::size_t>(m_endp - m_cp);
    std::memmove(m_bufp, m_cp, rest);
    m_cp = m_bufp;
    m_endp = m_bufp + rest;
    in_.read(reinterpret_cast<char*>(m_endp), static_cast<std::streamsize>(bufferSize() - rest));
    m_endp += in_.gcount();
  }

 private:
  std::istream& in_;
};

#endif

auto& map_ram(Vnode___024root& root) {
  return root.node_top__DOT__u_core__DOT__u_rdt__DOT__u_kv__DOT__u_rows__DOT__u_ram__DOT__mem;
}
auto& map_clock(Vnode___024root& root) { return root.node_top__DOT__u_core__DOT__u_rdt__DOT__u_kv__DOT__clock_q; }

using Ram = std::remove_cvref_t<decltype(map_ram(std::declval<Vnode___024root&>()))>;
using RamRow = std::remove_cvref_t<decltype(std::declval<Ram&>()[0])>;
constexpr std::uint32_t kMapEntries = sizeof(Ram) / sizeof(RamRow);

// kv_row_t: value 63:0, ts 111:64, id 119:112, valid 120.
KvRow unpack(const RamRow& w) {
  KvRow row;
  row.value = w[0] | std::uint64_t{w[1]} << 32;
  row.timestamp = w[2] | std::uint64_t{w[3] & 0xFFFF} << 32;
  row.replica = static_cast<std::uint8_t>(w[3] >> 16);
  row.valid = (w[3] >> 24 & 1) != 0;
  return row;
}

}  // namespace

// All of a model is one object: its symbol table holds the root module, inlined.
std::size_t model_state_size(const Vnode&) { return sizeof(Vnode___024root); }
void model_state_copy(const Vnode& top, std::uint8_t* to) {
  std::memcpy(to, static_cast<const void*>(top.rootp), sizeof(Vnode___024root));
}
std::optional<std::size_t> model_state_differs(const Vnode& top, const std::uint8_t* from) {
  const auto* now = reinterpret_cast<const std::uint8_t*>(top.rootp);
  if (std::memcmp(now, from, sizeof(Vnode___024root)) == 0) return std::nullopt;
  return static_cast<std::size_t>(std::mismatch(now, now + sizeof(Vnode___024root), from).first - now);
}

std::uint32_t map_entries() { return kMapEntries; }
KvRow map_row(const Vnode& top, std::uint32_t key) { return unpack(map_ram(*top.rootp)[key]); }

void map_store(Vnode& top, std::uint32_t key, const KvRow& row) {
  RamRow& w = map_ram(*top.rootp)[key];
  w[0] = static_cast<std::uint32_t>(row.value);
  w[1] = static_cast<std::uint32_t>(row.value >> 32);
  w[2] = static_cast<std::uint32_t>(row.timestamp);
  w[3] = static_cast<std::uint32_t>(row.timestamp >> 32 & 0xFFFF) | std::uint32_t{row.replica} << 16 |
         std::uint32_t{row.valid} << 24;
  auto& clock = map_clock(*top.rootp);
  if (row.valid) clock = std::max<QData>(clock, row.timestamp & 0xFFFF'FFFF'FFFF);
}

std::uint64_t map_digest(const Vnode& top) {
  const Ram& ram = map_ram(*top.rootp);
  base::Fingerprint hash;
  for (std::uint32_t key = 0; key < kMapEntries; ++key) {
    const KvRow row = unpack(ram[key]);
    if (!row.valid) continue;
    hash.word(key);
    hash.word(row.value);
    hash.word(row.timestamp << 8 | row.replica);
  }
  return hash.value();
}

#if VM_COVERAGE
void model_save(Vnode&, std::ostream&) {
  throw base::UserError("the coverage flavour can't save a node: use another build preset");
}
void model_restore(Vnode&, std::istream&) {
  throw base::UserError("the coverage flavour can't load a node: use another build preset");
}
#else
void model_save(Vnode& top, std::ostream& out) {
  StreamSave save(out);
  save << top;
}

void model_restore(Vnode& top, std::istream& in) {
  StreamRestore restore(in);
  restore >> top;
  restore.close();
}
#endif

void RtlNode::Impl::serialize(std::ostream& out) const {
  if (program_ != nullptr && !program_->done()) {
    throw base::UserError(config_.instance +
                          ": a node whose host program still runs can't be saved (coroutines in flight); save it once "
                          "the program is done");
  }
  make_current();
  mmio_.serialize(out);
  timing::put(out, mmio_used_);
  timing::put(out, mmio_hash_);
  timing::put(out, cycle_);
  timing::put(out, wake_at_);
  timing::put(out, quiet_);
  timing::put(out, client_wake_);
  timing::put(out, request_.has_value());
  timing::put(out, request_.value_or(base::ClientRequest{}));
  timing::put(out, rx_hash_);
  timing::put(out, tx_hash_);
  timing::put(out, client_hash_);
  timing::put(out, events_);
  timing::put(out, perf_);
  mac_rx_.serialize(out);
  mac_tx_.serialize(out);
  hbm_.serialize(out);
  host_.serialize(out);
  hbm_memory_.serialize(out);
  host_memory_.serialize(out);
  model_save(*top_, out);  // last: its reader may read ahead
}

void RtlNode::Impl::deserialize(std::istream& in) {
  make_current();
  mmio_.deserialize(in);
  mmio_used_ = timing::get<bool>(in);
  mmio_hash_ = timing::get<base::Fingerprint>(in);
  cycle_ = timing::get<std::uint64_t>(in);
  wake_at_ = timing::get<std::uint64_t>(in);
  quiet_ = timing::get<unsigned>(in);
  client_wake_ = timing::get<std::uint64_t>(in);
  const bool presented = timing::get<bool>(in);
  const auto request = timing::get<base::ClientRequest>(in);
  request_ = presented ? std::optional(request) : std::nullopt;
  request_driven_ = false;
  rx_hash_ = timing::get<base::Fingerprint>(in);
  tx_hash_ = timing::get<base::Fingerprint>(in);
  client_hash_ = timing::get<base::Fingerprint>(in);
  events_ = timing::get<decltype(events_)>(in);
  perf_ = timing::get<NodePerf>(in);
  mac_rx_.deserialize(in);
  mac_tx_.deserialize(in);
  hbm_.deserialize(in);
  host_.deserialize(in);
  hbm_memory_.deserialize(in);
  host_memory_.deserialize(in);
  model_restore(*top_, in);
}

std::uint64_t RtlNode::Impl::fingerprint() const {
  base::Fingerprint hash;
  hash.word(tx_hash_.value());
  hash.word(rx_hash_.value());
  hash.word(client_hash_.value());
  if (mmio_used_) hash.word(mmio_hash_.value());
  hash.word(hbm_memory_.digest());
  hash.word(host_memory_.digest());
  hash.word(map_digest(*top_));
  for (const std::uint64_t count : events_) hash.word(count);
  return hash.value();
}

}  // namespace caravan::vl
