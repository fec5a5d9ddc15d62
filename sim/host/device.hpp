// SPDX-License-Identifier: Apache-2.0
// What the verbs need of a machine: registers and host memory of one NIC, a clock, and a way to wait. In the simulator
// it is a host model inside a node's window (SimDevice); on a board it is a mapped BAR, pinned memory and a polling
// loop.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "models/base/units.hpp"

namespace caravan::host {

/// Work that costs the CPU time. A simulated CPU is charged for it; a real one just takes the time.
enum class Work {
  kPost,  ///< a work request written and rung for
  kPoll,  ///< a turn of the polling loop, with what it found
};

/// One thread uses it: the CPU that runs the host program.
class Device {
 public:
  using Call = std::function<void()>;
  virtual ~Device() = default;

  virtual base::Time now() const = 0;
  virtual void work(Work kind) = 0;

  /// Posted 32-bit register write; writes arrive in order. Bits 15:12 of the address are the register block.
  virtual void mmio_write(std::uint16_t address, std::uint32_t value) = 0;
  /// Register read, behind all writes before it; `done` gets the value, later or at once.
  virtual void mmio_read(std::uint16_t address, std::function<void(std::uint32_t)> done) = 0;

  /// Memory that the NIC reads and writes, by the NIC's addresses. What is written here is there for the NIC before any
  /// register write that follows.
  virtual void memory_read(std::uint64_t address, std::span<std::uint8_t> to) const = 0;
  virtual void memory_write(std::uint64_t address, std::span<const std::uint8_t> from) = 0;

  /// Calls at time `at`, or as soon after as the CPU is free.
  virtual void call_at(base::Time at, Call call) = 0;
  /// Polls the 64 bytes at `line` until the NIC has written them since this call, then calls (once).
  virtual void call_when_written(std::uint64_t line, Call call) = 0;
  /// Who gets completion events; one at most.
  virtual void on_event(std::function<void(std::uint32_t cqn)> call) = 0;
};

}  // namespace caravan::host
