// SPDX-License-Identifier: Apache-2.0
// Between a node and the program on its host CPU. All inside the node's own thread.
#pragma once

#include <cstdint>
#include <span>

#include "models/base/units.hpp"

namespace caravan::base {

/// What a node offers to the program: registers and memory behind its PCIe port.
class HostBus {
 public:
  virtual ~HostBus() = default;
  /// A posted register write that reaches the node at `at`, which is not in the node's past. Accesses are carried out
  /// in the order of the calls, whose times must not go back.
  virtual void mmio_write(std::uint16_t address, std::uint32_t value, Time at) = 0;
  /// A register read that reaches the node at `at`, behind all accesses before it. HostProgram::mmio_answer has the
  /// value.
  virtual void mmio_read(std::uint16_t address, std::uint64_t tag, Time at) = 0;
  /// Host memory, as the CPU sees it now. Addresses outside of it are the program's fault (BUG_IF).
  virtual void memory_read(std::uint64_t address, std::span<std::uint8_t> to) const = 0;
  virtual void memory_write(std::uint64_t address, std::span<const std::uint8_t> from) = 0;
};

/// A program on the host CPU. Its calls tell what happens at a time; it does its own work in run() only.
class HostProgram {
 public:
  virtual ~HostProgram() = default;
  /// Once, before anything else. `bus` outlives the program's use.
  virtual void connect(HostBus& bus, Time now) = 0;
  /// Does everything that is due at `now` or before. Called when next_activity() has come.
  virtual void run(Time now) = 0;
  /// The earliest time at which run() has something to do; never(): only when the node tells it something.
  virtual Time next_activity() const = 0;
  /// The value of a register read, as it stands at the node at `at`.
  virtual void mmio_answer(std::uint64_t tag, std::uint32_t value, Time at) = 0;
  /// The node wrote the 64 bytes at `address`; the CPU sees them from `at` on.
  virtual void memory_landed(std::uint64_t address, Time at) = 0;
  /// The node sent a completion event of queue `cqn` at `at`.
  virtual void interrupt(std::uint32_t cqn, Time at) = 0;
  /// Nothing is left to be done.
  virtual bool done() const = 0;
};

}  // namespace caravan::base
