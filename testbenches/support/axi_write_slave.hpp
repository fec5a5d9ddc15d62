// SPDX-License-Identifier: Apache-2.0
// Memory behind an AXI4 write port of a Verilated module: checks the bus rules, stores the bytes, answers every burst.
#pragma once

#include <deque>
#include <vector>

#include "models/base/errors.hpp"
#include "models/ref/sparse_memory.hpp"
#include "testbenches/support/bench.hpp"
#include "testbenches/support/roce_rx_pins.hpp"

namespace caravan::support {

/// The pins of one port, as they stand in the Verilated class.
struct AxiWritePins {
  const CData& aw_valid;
  const VlWide<3>& aw;
  CData& aw_ready;
  const CData& w_valid;
  const VlWide<19>& w;
  CData& w_ready;
  CData& b_valid;
  CData& b;
  const CData& b_ready;
};

/// Bytes are stored at `base` + address when both the address and the beat have come, in order of the bursts.
class AxiWriteSlave {
 public:
  struct Burst {
    std::uint64_t addr = 0, cycle = 0;
    unsigned beats = 0, id = 0;
    bool bad = false;  ///< it touches what is broken in memory
  };

  template <class V>
  AxiWriteSlave(Bench<V>& bench, AxiWritePins pins, ref::SparseMemory& memory, std::uint64_t base,
                StallPattern aw_stall, StallPattern w_stall, StallPattern b_stall)
      : pins_(pins), memory_(memory), base_(base), aw_stall_(aw_stall), w_stall_(w_stall), b_stall_(b_stall) {
    bench.add([this] { drive(); }, [this, &bench] { sample(bench.cycle()); });
  }
  const std::vector<Burst>& bursts() const { return bursts_; }
  const std::vector<std::uint64_t>& beats_at() const { return beats_at_; }
  std::size_t answered() const { return answered_; }
  /// The next `n` answers are errors.
  void fail(std::size_t n) { fail_ = n; }
  bool idle() const { return open_ == bursts_.size() && answered_ == bursts_.size() && beats_.empty(); }

 private:
  struct Beat {
    packet::Buffer data;
    std::uint64_t strobes = 0;
    bool last = false;
  };
  void drive() {
    aw_ready_ = !aw_stall_.next();
    w_ready_ = !w_stall_.next();
    pins_.aw_ready = aw_ready_;
    pins_.w_ready = w_ready_;
    if (!b_valid_ && answered_ < open_ && !b_stall_.next()) b_valid_ = true;
    pins_.b_valid = b_valid_;
    pins_.b = static_cast<CData>(b_valid_ ? bursts_[answered_].id << 2 | (fail_ > 0 || bursts_[answered_].bad ? 2u : 0u)
                                          : 0u);
  }
  void sample(std::uint64_t cycle) {
    if (aw_ready_ && pins_.aw_valid) {
      PinReader r(pins_.aw);
      Burst burst;
      burst.beats = r.get32(8) + 1;
      burst.addr = r.get(64);
      burst.id = r.get32(4);
      burst.cycle = cycle;
      burst.bad = memory_.write_fails(base_ + burst.addr, 64ull * burst.beats);
      BUG_IF(burst.addr % 64 != 0, "a burst that is not aligned to 64 bytes");
      BUG_IF(burst.beats > 64 || burst.addr / 4096 != (burst.addr + 64 * burst.beats - 1) / 4096,
             "a burst across 4 KiB");
      bursts_.push_back(burst);
    }
    if (w_ready_ && pins_.w_valid) {
      PinReader r(pins_.w);
      Beat beat;
      beat.data = r.data();
      beat.strobes = r.get(64);
      beat.last = r.get(1) != 0;
      BUG_IF(beat.strobes == 0, "a beat that writes nothing");
      beats_.push_back(std::move(beat));
      beats_at_.push_back(cycle);
    }
    while (!beats_.empty() && open_ < bursts_.size()) store();
    if (b_valid_ && pins_.b_ready) {
      b_valid_ = false;
      ++answered_;
      if (fail_ > 0) --fail_;
    }
  }
  void store() {
    const Beat beat = std::move(beats_.front());
    beats_.pop_front();
    const Burst& burst = bursts_[open_];
    for (unsigned i = 0; i < 64; ++i) {
      if (beat.strobes >> i & 1) memory_.write(base_ + burst.addr + 64 * done_ + i, {&beat.data[i], 1});
    }
    ++done_;
    BUG_IF(beat.last != (done_ == burst.beats), "last does not end the burst");
    if (beat.last) done_ = 0, ++open_;
  }

  AxiWritePins pins_;
  ref::SparseMemory& memory_;
  std::uint64_t base_;
  StallPattern aw_stall_, w_stall_, b_stall_;
  std::vector<Burst> bursts_;
  std::deque<Beat> beats_;
  std::vector<std::uint64_t> beats_at_;
  std::size_t open_ = 0, answered_ = 0, fail_ = 0;
  unsigned done_ = 0;
  bool aw_ready_ = false, w_ready_ = false, b_valid_ = false;
};

/// The two write ports of a receive module.
template <class V>
AxiWritePins hbm_pins(V& v) {
  return {v.hbm_aw_valid_o, v.hbm_aw_o,      v.hbm_aw_ready_i, v.hbm_w_valid_o, v.hbm_w_o,
          v.hbm_w_ready_i,  v.hbm_b_valid_i, v.hbm_b_i,        v.hbm_b_ready_o};
}
template <class V>
AxiWritePins host_pins(V& v) {
  return {v.host_aw_valid_o, v.host_aw_o,      v.host_aw_ready_i, v.host_w_valid_o, v.host_w_o,
          v.host_w_ready_i,  v.host_b_valid_i, v.host_b_i,        v.host_b_ready_o};
}

}  // namespace caravan::support
