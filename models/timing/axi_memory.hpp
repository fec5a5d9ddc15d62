// SPDX-License-Identifier: Apache-2.0
// Timing and contents of the memory behind one 512-bit AXI4 port (HBM, or host memory over PCIe).
//
// Two-phase: pins() is what the slave drives into the coming clock edge and comes from its own state only; step() is
// that edge. Cycle n is the edge at n clock periods.
//
// Timing, at the edge where each handshake happens:
//   AR at n            first R beat can be taken at n + read_latency, later beats as the bandwidth allows
//   last W beat at n   B can be taken at n + write_latency
//   AW at n            its first W beat can be taken at n + 1 (data never runs ahead of its address)
// A write is in memory once its W beat is taken; a read beat is fetched when it is first presented. Bursts of one
// direction are served in order. A burst outside the capacity gets DECERR, reads as zeros and writes nothing.
// Posted writes (PCIe): B tells that the write is on its way; it is in memory `landing_latency` after its W beat.
// Writes land in order, and no read fetches data before all writes that were taken before it have landed.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "models/base/units.hpp"
#include "models/timing/calibration.hpp"
#include "models/timing/sparse_memory.hpp"

namespace caravan::timing {

inline constexpr std::uint8_t kRespOkay = 0, kRespDecErr = 3;

struct AxiAddress {
  std::uint32_t id = 0;
  std::uint64_t addr = 0;
  std::uint8_t len = 0;  ///< beats - 1
};
struct AxiWriteData {
  alignas(64) std::array<std::uint8_t, 64> data{};  ///< byte 0 is bits 7:0
  std::uint64_t strb = 0;
  bool last = false;
};
struct AxiWriteResponse {
  std::uint32_t id = 0;
  std::uint8_t resp = kRespOkay;
};
struct AxiReadData {
  alignas(64) std::array<std::uint8_t, 64> data{};
  std::uint32_t id = 0;
  std::uint8_t resp = kRespOkay;
  bool last = false;
};

/// What the master drives. A payload is looked at only when its valid is set.
struct AxiRequestPins {
  AxiAddress aw;
  AxiWriteData w;
  AxiAddress ar;
  bool aw_valid = false, w_valid = false, b_ready = false, ar_valid = false, r_ready = false;
};

/// What the slave drives.
struct AxiResponsePins {
  AxiWriteResponse b;
  AxiReadData r;
  bool aw_ready = false, w_ready = false, b_valid = false, ar_ready = false, r_valid = false;
};

struct AxiMemoryConfig {
  std::string instance = "memory";  ///< for messages, e.g. "node3.hbm"
  base::Time clock_period = base::Time::ns(4);
  base::Time read_latency = base::Time::ns(104);   ///< rounded up to whole cycles, at least one
  base::Time write_latency = base::Time::ns(104);  ///< likewise
  base::Rate bandwidth = base::Rate::gbps(128);    ///< each direction; more than a beat per cycle has no effect
  unsigned max_outstanding = 32;                   ///< bursts each direction
  base::Time landing_latency;                      ///< posted writes: W beat to memory; zero: not posted

  static AxiMemoryConfig hbm(const Calibration& calibration, std::string instance);
  static AxiMemoryConfig host(const Calibration& calibration, std::string instance);  ///< over PCIe
};

struct AxiMemoryStats {
  std::uint64_t read_bursts = 0, read_beats = 0, read_errors = 0;
  std::uint64_t write_bursts = 0, write_beats = 0, write_errors = 0;  ///< errors: bursts answered with DECERR
};

class AxiMemory {
 public:
  /// `memory` outlives this object; others (host programs, tests) may use it between steps.
  AxiMemory(AxiMemoryConfig config, SparseMemory& memory);

  const AxiResponsePins& pins() const { return pins_; }
  /// The clock edge `now`, with the master's pins as they were before it. A burst that crosses 4 KiB, is longer than
  /// 64 beats or not 64-aligned, or a misplaced `last`, is a broken invariant of the master.
  void step(const AxiRequestPins& sampled, base::Cycles now);

  /// Posted writes: called for every beat that lands, with the cycle from whose edge on others see it.
  void on_landing(std::function<void(std::uint64_t address, base::Cycles)> call) { on_landing_ = std::move(call); }

  /// No burst outstanding and no write on its way. While quiet, step() with no valid pin set changes nothing and may be
  /// left out.
  bool quiet() const { return reads_.empty() && writes_.empty() && landings_.empty(); }
  /// The earliest edge >= now whose step() must not be left out although no request is valid; never() when quiet.
  base::Cycles next_activity(base::Cycles now) const;

  const AxiMemoryStats& stats() const { return stats_; }
  /// Timing state and counters, without the contents (SparseMemory has its own).
  void serialize(std::ostream& out) const;
  void deserialize(std::istream& in);

 private:
  struct Burst {
    std::uint64_t addr = 0;
    std::uint64_t due = 0;  // cycle of the first R beat or of B
    std::uint32_t id = 0;
    std::uint16_t beats = 0, done = 0;
    bool bad = false;
  };
  /// A beat on its way to memory.
  struct Landing {
    std::uint64_t due = 0;  // cycle from whose edge on it is in memory
    std::uint64_t addr = 0, strb = 0;
    std::array<std::uint8_t, 64> data{};
  };
  /// Fixed-capacity queue: no allocation after construction.
  class Ring {
   public:
    explicit Ring(unsigned capacity) : slots_(capacity) {}
    bool empty() const { return size_ == 0; }
    bool full() const { return size_ == slots_.size(); }
    std::size_t size() const { return size_; }
    Burst& operator[](std::size_t i) { return slots_[(head_ + i) % slots_.size()]; }
    const Burst& operator[](std::size_t i) const { return slots_[(head_ + i) % slots_.size()]; }
    void push(const Burst& burst) {
      (*this)[size_] = burst;
      ++size_;
    }
    void pop() {
      head_ = (head_ + 1) % slots_.size();
      --size_;
    }
    void clear() { head_ = size_ = 0; }

   private:
    std::vector<Burst> slots_;
    std::size_t head_ = 0, size_ = 0;
  };

  Burst accept(const AxiAddress& address, std::uint64_t now, const char* channel) const;
  void step_reads(const AxiRequestPins& sampled, std::uint64_t now);
  void step_writes(const AxiRequestPins& sampled, std::uint64_t now);
  void store(std::uint64_t addr, const AxiWriteData& beat, std::uint64_t now);
  void land(std::uint64_t now);
  std::uint64_t cycle_at_or_after(std::int64_t ps) const;
  void charge(std::int64_t& next, std::int64_t at) const;

  AxiMemoryConfig config_;
  SparseMemory& memory_;
  std::int64_t period_, beat_;                                    // ps
  std::uint64_t read_latency_, write_latency_, landing_latency_;  // cycles
  Ring reads_, writes_;
  std::deque<Landing> landings_;
  std::function<void(std::uint64_t, base::Cycles)> on_landing_;
  std::size_t data_at_ = 0;                      // index in writes_ of the burst that takes W beats
  std::int64_t read_free_ = 0, write_free_ = 0;  // ps: the next beat may not be moved before
  AxiResponsePins pins_;
  AxiMemoryStats stats_;
};

}  // namespace caravan::timing
