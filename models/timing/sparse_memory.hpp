// SPDX-License-Identifier: Apache-2.0
// Byte memory of any size: 4 KiB pages that exist once written. Reads of untouched memory give zeros.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <unordered_map>

#include "models/base/units.hpp"

namespace caravan::timing {

/// Used by one thread at a time (it remembers the last page).
class SparseMemory {
 public:
  static constexpr std::size_t kPageBytes = 4096;
  using Page = std::array<std::uint8_t, kPageBytes>;

  explicit SparseMemory(base::Bytes capacity) : capacity_(capacity) {}

  base::Bytes capacity() const { return capacity_; }
  /// Whether [address, address + count) lies inside the capacity; safe against wrap-around.
  bool contains(std::uint64_t address, std::uint64_t count) const {
    return address <= capacity_.count() && count <= capacity_.count() - address;
  }

  /// Any length and alignment. The range must be inside the capacity (BUG_IF).
  void read(std::uint64_t address, std::span<std::uint8_t> to) const;
  void write(std::uint64_t address, std::span<const std::uint8_t> from);

  /// One 64-byte beat at a 64-aligned address; `strobes` bit i writes byte i.
  void read_beat(std::uint64_t address, std::uint8_t* to) const;
  void write_beat(std::uint64_t address, const std::uint8_t* from, std::uint64_t strobes);

  /// Hash of the contents. Pages of zeros count as never written; the order of writes does not matter.
  std::uint64_t digest() const;
  std::size_t allocated_pages() const { return pages_.size(); }
  void clear();

  void serialize(std::ostream& out) const;
  void deserialize(std::istream& in);

 private:
  const Page* find(std::uint64_t page) const;
  Page& touch(std::uint64_t page);

  base::Bytes capacity_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  mutable std::uint64_t last_index_ = ~0ull;
  mutable Page* last_page_ = nullptr;
};

}  // namespace caravan::timing
