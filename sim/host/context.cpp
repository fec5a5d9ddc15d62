// SPDX-License-Identifier: Apache-2.0
#include "sim/host/context.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "models/base/errors.hpp"
#include "sim/host/registers.hpp"

namespace caravan::host {

Context::Context(Device& device, ContextOptions options)
    : device_(device),
      options_(options),
      next_memory_(options.memory_first),
      region_keys_(options.regions),
      region_used_(options.regions) {
  device_.on_event([this](std::uint32_t cqn) {
    if (const auto at = cqs_.find(cqn); at != cqs_.end()) at->second->raise_event();
  });
}

Context::~Context() { device_.on_event({}); }

void Context::set_address(std::uint64_t mac, std::uint32_t ip) {
  device_.mmio_write(reg::kNetMacLo, reg::low(mac));
  device_.mmio_write(reg::kNetMacHi, reg::high(mac) & 0xFFFF);
  device_.mmio_write(reg::kNetIp, ip);
}

void Context::set_neighbour(unsigned row, std::uint64_t mac, std::uint32_t ip) {
  if (row > 255) throw base::UserError(fmt::format("neighbour row {} is not in 0..255", row));
  device_.mmio_write(reg::kNeighMacLo, reg::low(mac));
  device_.mmio_write(reg::kNeighMacHi, reg::high(mac) & 0xFFFF);
  device_.mmio_write(reg::kNeighIp, ip);
  device_.mmio_write(reg::kNeighCmd, reg::kValid | row);
}

std::uint64_t Context::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  const std::uint64_t at = (next_memory_ + alignment - 1) / alignment * alignment;
  const std::uint64_t end = options_.memory_first + options_.memory_bytes;
  if (at > end || bytes > end - at) {
    throw base::UserError(fmt::format("host memory of the program is used up: {} bytes wanted, {} of {} left", bytes,
                                      at > end ? 0 : end - at, options_.memory_bytes));
  }
  next_memory_ = at + bytes;
  return at;
}

std::vector<std::uint8_t> Context::load(std::uint64_t offset, std::size_t bytes) const {
  std::vector<std::uint8_t> out(bytes);
  device_.memory_read(offset, out);
  return out;
}

void Context::release(Lock& lock) {
  if (lock.waiting.empty()) {
    lock.taken = false;
    return;
  }
  const auto next = lock.waiting.front();
  lock.waiting.pop_front();
  device_.call_at(device_.now(), [next] { next.resume(); });
}

Task<> Context::command(std::uint16_t block, std::vector<std::uint32_t> words, std::uint32_t kind, std::uint32_t index,
                        const char* what) {
  co_await lock_.acquire();
  auto address = block;
  for (const std::uint32_t word : words) {
    device_.mmio_write(address, word);
    address = static_cast<std::uint16_t>(address + 4);
  }
  device_.mmio_write(static_cast<std::uint16_t>(block + reg::kCmd), kind << 30 | index);
  std::uint32_t status = 1;
  while ((status & 1) != 0) status = co_await ReadAwaiter{device_, static_cast<std::uint16_t>(block + reg::kStatus)};
  release(lock_);
  if ((status & 2) != 0)
    throw VerbError(Status::kBadRequest, fmt::format("the NIC refuses {} {}: it has none of that number", what, index));
}

Task<MemoryRegion> Context::register_memory(ProtectionDomain pd, Memory memory, std::uint64_t offset,
                                            std::uint64_t length, Access access) {
  if (length == 0) throw base::UserError("a memory region of no bytes");
  const auto free = std::find(region_used_.begin(), region_used_.end(), false);
  if (free == region_used_.end())
    throw base::UserError(fmt::format("all {} memory regions of the program are in use", options_.regions));
  *free = true;
  const auto row = static_cast<unsigned>(free - region_used_.begin());
  MemoryRegion region;
  region.index = options_.first_region + row;
  region.address = address_in(memory, offset);
  region.length = length;
  region.rkey = region.index << 8 | ++region_keys_[row];
  const std::uint64_t last = region.address + length - 1;
  const std::vector<std::uint32_t> words{
      std::uint32_t{pd.number} << 16 | (region.rkey & 0xFF) << 8 | std::uint32_t{access.atomic} << 3 |
          std::uint32_t{access.read} << 2 | std::uint32_t{access.write} << 1 | 1u,
      reg::low(region.address), reg::high(region.address), reg::low(last), reg::high(last)};
  co_await command(reg::kRoceBlock, words, reg::kRoceRegion, region.index, "memory region");
  co_return region;
}

Task<MemoryRegion> Context::allocate_region(ProtectionDomain pd, std::uint64_t length, Access access) {
  const std::uint64_t offset = allocate(length);
  co_return co_await register_memory(pd, Memory::kHost, offset, length, access);
}

Task<> Context::deregister(MemoryRegion region) {
  const std::vector<std::uint32_t> words(5, 0);
  co_await command(reg::kRoceBlock, words, reg::kRoceRegion, region.index, "memory region");
  region_used_.at(region.index - options_.first_region) = false;
}

Task<CompletionQueue*> Context::create_cq(unsigned depth) {
  if (!std::has_single_bit(depth) || depth > 32768)
    throw base::UserError(fmt::format("a completion queue of {} entries: allowed are powers of two, 1..32768", depth));
  std::uint32_t number = options_.first_cq;
  while (cqs_.contains(number)) ++number;
  if (number - options_.first_cq >= options_.cqs)
    throw base::UserError(fmt::format("all {} completion queues of the program are in use", options_.cqs));
  const std::uint64_t ring = allocate(depth * reg::kCompletionEntryBytes, 4096);
  CompletionQueue* queue =
      cqs_.emplace(number, std::make_unique<CompletionQueue>(*this, number, ring, depth)).first->second.get();
  const std::vector<std::uint32_t> words{reg::kValid | static_cast<std::uint32_t>(std::countr_zero(depth)),
                                         reg::low(ring), reg::high(ring)};
  co_await command(reg::kHostBlock, words, reg::kHostCq, number, "completion queue");
  co_return queue;
}

Task<QueuePair*> Context::create_qp(ProtectionDomain pd, CompletionQueue& send, CompletionQueue& receive,
                                    QueuePairOptions options) {
  std::uint32_t qpn = options.qpn.value_or(options_.first_qpn);
  if (options.qpn) {
    if (qps_.contains(qpn)) throw base::UserError(fmt::format("QP {} exists already", qpn));
  } else {
    while (qps_.contains(qpn)) ++qpn;
    if (qpn - options_.first_qpn >= options_.qps)
      throw base::UserError(fmt::format("all {} queue pairs of the program are in use", options_.qps));
  }
  QueuePair* qp =
      qps_.emplace(qpn, std::make_unique<QueuePair>(*this, qpn, pd.number, send, receive, options)).first->second.get();
  co_await qp->to_init();
  co_return qp;
}

Task<> Context::destroy_qp(QueuePair* qp) {
  co_await qp->reset();
  qps_.erase(qp->qpn());
}

Task<std::optional<std::uint32_t>> Context::overrun() {
  const std::uint32_t seen = co_await ReadAwaiter{device_, reg::kOverrun};
  if ((seen & reg::kValid) == 0) co_return std::nullopt;
  device_.mmio_write(reg::kOverrun, 0);
  co_return seen & 0xFFFF;
}

QueuePair* Context::find_qp(std::uint32_t qpn) {
  const auto at = qps_.find(qpn);
  return at == qps_.end() ? nullptr : at->second.get();
}

}  // namespace caravan::host
