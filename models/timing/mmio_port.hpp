// SPDX-License-Identifier: Apache-2.0
// Register accesses of a host CPU on an AXI4-Lite port: posted writes and reads with the times at which they arrive.
//
// Two-phase, as AxiMemory: pins() come from own state; step() is the clock edge. Accesses are carried out in order. A
// write is presented at the edge of its arrival or later, the next one as soon as its channels are free; a read waits
// until the writes before it are answered, and what follows it until it has its answer.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <iosfwd>

#include "models/base/units.hpp"

namespace caravan::timing {

/// What the port drives; bready and rready are always set.
struct MmioPins {
  std::uint16_t awaddr = 0, araddr = 0;
  std::uint32_t wdata = 0;
  bool awvalid = false, wvalid = false, arvalid = false;
};
/// What the registers drive.
struct MmioAnswer {
  std::uint32_t rdata = 0;
  bool awready = false, wready = false, bvalid = false, arready = false, rvalid = false;
};

class MmioPort {
 public:
  /// Arrives before the edge `at`. Times must not go back.
  void write(std::uint16_t address, std::uint32_t value, base::Cycles at) {
    push({at.count(), address, value, 0, false});
  }
  void read(std::uint16_t address, std::uint64_t tag, base::Cycles at) { push({at.count(), address, 0, tag, true}); }
  /// Called in step() with the edge at which a read's answer was taken.
  void on_answer(std::function<void(std::uint64_t tag, std::uint32_t value, base::Cycles)> call) {
    on_answer_ = std::move(call);
  }

  /// What to drive in the cycle that ends with edge `now`.
  const MmioPins& pins(base::Cycles now);
  void step(const MmioAnswer& sampled, base::Cycles now);

  /// Nothing presented, nothing unanswered: until next_activity() step() may be left out.
  bool quiet() const { return !pins_.awvalid && !pins_.wvalid && !pins_.arvalid && unanswered_ == 0 && !reading_; }
  bool empty() const { return quiet() && queue_.empty(); }
  base::Cycles next_activity(base::Cycles now) const;

  void serialize(std::ostream& out) const;
  void deserialize(std::istream& in);

 private:
  struct Access {
    std::uint64_t at = 0;
    std::uint16_t address = 0;
    std::uint32_t value = 0;
    std::uint64_t tag = 0;
    bool is_read = false;
  };
  void push(const Access& access);

  std::deque<Access> queue_;
  MmioPins pins_;
  std::uint64_t unanswered_ = 0;  // writes taken (or presented) without B
  bool reading_ = false;
  std::uint64_t read_tag_ = 0;
  std::function<void(std::uint64_t, std::uint32_t, base::Cycles)> on_answer_;
};

}  // namespace caravan::timing
