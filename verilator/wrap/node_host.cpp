// SPDX-License-Identifier: Apache-2.0
// The program on the node's host CPU: when it runs, and its way to registers and memory.
#include "models/base/errors.hpp"
#include "verilator/wrap/rtl_node_impl.hpp"

namespace caravan::vl {

base::Cycles RtlNode::Impl::cycle_at(base::Time at) const {
  if (at.is_never()) return base::Cycles::never();
  const std::int64_t period = config_.clock_period.in_ps();
  return base::Cycles(at.in_ps() <= 0 ? 0 : static_cast<std::uint64_t>((at.in_ps() + period - 1) / period));
}

void RtlNode::Impl::host_connect(base::HostProgram* program) {
  program_ = program;
  if (program == nullptr) {
    host_.on_landing({});
    mmio_.on_answer({});
    return;
  }
  host_.on_landing([this](std::uint64_t address, base::Cycles at) { program_->memory_landed(address, time_of(at)); });
  mmio_.on_answer([this](std::uint64_t tag, std::uint32_t value, base::Cycles at) {
    mmio_hash_.word(at.count());
    mmio_hash_.word(value);
    program_->mmio_answer(tag, value, time_of(at + base::Cycles(1)));
  });
  program->connect(*this, time_of(base::Cycles(cycle_)));
}

void RtlNode::Impl::host_run() {
  if (program_ == nullptr) return;
  const base::Time now = time_of(base::Cycles(cycle_));
  if (program_->next_activity() <= now) program_->run(now);
}

void RtlNode::Impl::mmio_write(std::uint16_t address, std::uint32_t value, base::Time at) {
  const base::Cycles cycle = cycle_at(at);
  BUG_IF(cycle.count() < cycle_, where() + ": a register write of the host program in the past");
  mmio_used_ = true;
  mmio_hash_.word(cycle.count() << 16 | address);
  mmio_hash_.word(value);
  mmio_.write(address, value, cycle);
}

void RtlNode::Impl::mmio_read(std::uint16_t address, std::uint64_t tag, base::Time at) {
  const base::Cycles cycle = cycle_at(at);
  BUG_IF(cycle.count() < cycle_, where() + ": a register read of the host program in the past");
  mmio_used_ = true;
  mmio_.read(address, tag, cycle);
}

void RtlNode::Impl::memory_read(std::uint64_t address, std::span<std::uint8_t> to) const {
  host_memory_.read(address, to);
}
void RtlNode::Impl::memory_write(std::uint64_t address, std::span<const std::uint8_t> from) {
  host_memory_.write(address, from);
}

}  // namespace caravan::vl
