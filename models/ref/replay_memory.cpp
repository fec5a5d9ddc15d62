// SPDX-License-Identifier: Apache-2.0
#include "models/ref/replay_memory.hpp"

namespace caravan::ref {

void ReplayMemory::push(const Entry& entry, std::size_t depth) {
  entries_.push_front(entry);
  if (entries_.size() > depth) entries_.pop_back();
}

void ReplayMemory::remember_read(base::Psn psn, const packet::Reth& reth, std::uint32_t pmtu, std::size_t depth) {
  push({.psn = psn,
        .packets = packets_of(reth.dma_length, pmtu),
        .va = reth.va,
        .rkey = reth.rkey,
        .length = reth.dma_length},
       depth);
}

void ReplayMemory::remember_atomic(base::Psn psn, packet::Opcode opcode, std::uint64_t va, std::uint64_t original,
                                   std::size_t depth) {
  push({.psn = psn, .opcode = opcode, .va = va, .original = original}, depth);
}

bool ReplayMemory::covers_read(base::Psn psn, const packet::Reth& reth, std::uint32_t pmtu,
                               std::uint32_t& offset) const {
  for (const Entry& entry : entries_) {
    if (entry.opcode != packet::Opcode::kReadRequest || entry.rkey != reth.rkey) continue;
    const std::int32_t distance = psn.distance_from(entry.psn);
    if (distance < 0 || distance >= static_cast<std::int64_t>(entry.packets)) continue;
    const std::uint64_t skipped = static_cast<std::uint64_t>(distance) * pmtu;
    // Lengths, not ends: a region may end at 2^64.
    if (reth.va != entry.va + skipped || skipped + reth.dma_length > entry.length) continue;
    offset = static_cast<std::uint32_t>(distance);
    return true;
  }
  return false;
}

std::optional<std::uint64_t> ReplayMemory::find_atomic(base::Psn psn, packet::Opcode opcode, std::uint64_t va) const {
  for (const Entry& entry : entries_) {
    if (entry.psn == psn && entry.opcode == opcode && entry.va == va) return entry.original;
  }
  return std::nullopt;
}

}  // namespace caravan::ref
