// SPDX-License-Identifier: Apache-2.0
// What a responder remembers of the READs and atomics of one queue pair, to answer duplicates of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "models/packet/headers.hpp"
#include "models/ref/roce_types.hpp"

namespace caravan::ref {

class ReplayMemory {
 public:
  /// The last `depth` READs and atomics are kept, the oldest is forgotten.
  void remember_read(base::Psn psn, const packet::Reth& reth, std::uint32_t pmtu, std::size_t depth);
  void remember_atomic(base::Psn psn, packet::Opcode opcode, std::uint64_t va, std::uint64_t original,
                       std::size_t depth);

  /// True when the READ lies inside a remembered one, at the address that belongs to its PSN; it may be shorter.
  /// `offset` becomes its distance from the first PSN of that READ.
  bool covers_read(base::Psn psn, const packet::Reth& reth, std::uint32_t pmtu, std::uint32_t& offset) const;
  /// Result of the very same atomic.
  std::optional<std::uint64_t> find_atomic(base::Psn psn, packet::Opcode opcode, std::uint64_t va) const;

 private:
  struct Entry {
    base::Psn psn;
    std::uint32_t packets = 1;
    packet::Opcode opcode = packet::Opcode::kReadRequest;
    std::uint64_t va = 0;
    std::uint32_t rkey = 0, length = 0;
    std::uint64_t original = 0;
  };
  void push(const Entry& entry, std::size_t depth);
  std::deque<Entry> entries_;  // newest first
};

}  // namespace caravan::ref
