// SPDX-License-Identifier: Apache-2.0
// Memory behind an AXI4 read port of a Verilated module: checks the bus rules, answers every burst after a latency, in
// order.
#pragma once

#include <deque>

#include "models/base/errors.hpp"
#include "models/ref/sparse_memory.hpp"
#include "testbenches/support/bench.hpp"
#include "testbenches/support/roce_rx_pins.hpp"

namespace caravan::support {

/// The pins of one port, as they stand in the Verilated class.
struct AxiReadPins {
  const CData& ar_valid;
  const VlWide<3>& ar;
  CData& ar_ready;
  CData& r_valid;
  VlWide<17>& r;
  const CData& r_ready;
};

class AxiReadSlave {
 public:
  template <class V>
  AxiReadSlave(Bench<V>& bench, AxiReadPins pins, const ref::SparseMemory& memory, std::uint64_t base, unsigned latency,
               StallPattern ar_stall, StallPattern r_stall)
      : pins_(pins), memory_(memory), base_(base), latency_(latency), ar_stall_(ar_stall), r_stall_(r_stall) {
    bench.add([this, &bench] { drive(bench.cycle()); }, [this, &bench] { sample(bench.cycle()); });
  }
  bool idle() const { return bursts_.empty(); }
  std::uint64_t reads() const { return reads_; }
  /// The next `n` bursts are answered with errors.
  void fail(std::size_t n) { fail_ = n; }

 private:
  struct Burst {
    std::uint64_t addr = 0, cycle = 0;
    unsigned beats = 0, id = 0;
    bool bad = false;
  };
  void drive(std::uint64_t cycle) {
    ar_ready_ = !ar_stall_.next();
    pins_.ar_ready = ar_ready_;
    if (!r_valid_ && !bursts_.empty() && bursts_.front().cycle + latency_ <= cycle && !r_stall_.next()) {
      const Burst& b = bursts_.front();
      r_valid_ = true;
      const auto data = memory_.read(base_ + b.addr + 64ull * beat_, 64);
      PinWriter(pins_.r).data(data).put(1, beat_ + 1 == b.beats).put(2, b.bad ? 2 : 0).put(4, b.id);
    }
    pins_.r_valid = r_valid_;
  }
  void sample(std::uint64_t cycle) {
    if (r_valid_ && pins_.r_ready) {
      r_valid_ = false;
      if (++beat_ == bursts_.front().beats) bursts_.pop_front(), beat_ = 0;
    }
    if (!ar_ready_ || !pins_.ar_valid) return;
    PinReader r(pins_.ar);
    Burst burst;
    burst.beats = r.get32(8) + 1;
    burst.addr = r.get(64);
    burst.id = r.get32(4);
    burst.cycle = cycle;
    burst.bad = fail_ > 0 || memory_.read_fails(base_ + burst.addr, 64ull * burst.beats);
    if (fail_ > 0) --fail_;
    BUG_IF(burst.addr % 64 != 0, "a burst that is not aligned to 64 bytes");
    BUG_IF(burst.beats > 64 || burst.addr / 4096 != (burst.addr + 64 * burst.beats - 1) / 4096, "a burst across 4 KiB");
    bursts_.push_back(burst);
    ++reads_;
  }

  AxiReadPins pins_;
  const ref::SparseMemory& memory_;
  std::uint64_t base_;
  unsigned latency_;
  StallPattern ar_stall_, r_stall_;
  std::deque<Burst> bursts_;
  std::size_t fail_ = 0;
  std::uint64_t reads_ = 0;
  unsigned beat_ = 0;
  bool ar_ready_ = false, r_valid_ = false;
};

/// The two read ports of a node's half.
template <class V>
AxiReadPins hbm_read_pins(V& v) {
  return {v.hbm_ar_valid_o, v.hbm_ar_o, v.hbm_ar_ready_i, v.hbm_r_valid_i, v.hbm_r_i, v.hbm_r_ready_o};
}
template <class V>
AxiReadPins host_read_pins(V& v) {
  return {v.host_ar_valid_o, v.host_ar_o, v.host_ar_ready_i, v.host_r_valid_i, v.host_r_i, v.host_r_ready_o};
}

}  // namespace caravan::support
