// SPDX-License-Identifier: Apache-2.0
// Byte memory over the whole 64-bit address space; a page exists once it was written. Parts of it may be broken: reads
// or writes of them fail.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace caravan::ref {

/// What does not work in a broken part.
enum class Broken : std::uint8_t { kReads = 1, kWrites = 2, kBoth = 3 };

/// Bytes that were never written read as zero. Addresses wrap at 2^64. A write to broken bytes changes nothing; the
/// user asks fails() before.
class SparseMemory {
 public:
  /// From now on accesses that touch one of these bytes fail. A broken part must not wrap.
  void break_range(std::uint64_t address, std::uint64_t bytes, Broken broken = Broken::kBoth) {
    ranges_.push_back({address, bytes, broken});
  }
  void repair() { ranges_.clear(); }
  bool read_fails(std::uint64_t address, std::uint64_t bytes) const { return fails(address, bytes, Broken::kReads); }
  bool write_fails(std::uint64_t address, std::uint64_t bytes) const { return fails(address, bytes, Broken::kWrites); }
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
  struct Range {
    std::uint64_t address = 0, bytes = 0;
    Broken broken = Broken::kBoth;
  };
  bool fails(std::uint64_t address, std::uint64_t bytes, Broken what) const;

  std::vector<Range> ranges_;
  std::map<std::uint64_t, Page> pages_;  // by address / kPage; ordered, so that walks are deterministic
};

}  // namespace caravan::ref
