// SPDX-License-Identifier: Apache-2.0
// Byte memory over the whole 64-bit address space; a page exists once it was written.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace caravan::ref {

/// Bytes that were never written read as zero. Addresses wrap at 2^64.
class SparseMemory {
 public:
  void write(std::uint64_t address, std::span<const std::uint8_t> data);
  std::vector<std::uint8_t> read(std::uint64_t address, std::size_t bytes) const;
  /// Eight bytes, little-endian, at any address.
  std::uint64_t read_u64(std::uint64_t address) const;
  void write_u64(std::uint64_t address, std::uint64_t value);
  /// Equal when every byte reads the same, whichever pages exist.
  bool operator==(const SparseMemory& other) const;
  /// Lowest address at which the two differ, for messages; 0 when they are equal.
  std::uint64_t first_difference(const SparseMemory& other) const;
  /// Hash of all non-zero pages.
  std::uint64_t fingerprint() const;

 private:
  static constexpr std::size_t kPage = 4096;
  using Page = std::array<std::uint8_t, kPage>;
  std::map<std::uint64_t, Page> pages_;  // by address / kPage; ordered, so that walks are deterministic
};

}  // namespace caravan::ref
