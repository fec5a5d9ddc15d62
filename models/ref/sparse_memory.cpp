// SPDX-License-Identifier: Apache-2.0
#include "models/ref/sparse_memory.hpp"

#include <algorithm>

#include "models/base/fingerprint.hpp"

namespace caravan::ref {
namespace {

constexpr std::array<std::uint8_t, 4096> kZeroPage{};

}  // namespace

bool SparseMemory::fails(std::uint64_t address, std::uint64_t bytes, Broken what) const {
  return std::ranges::any_of(ranges_, [&](const Range& r) {
    const bool touched = address - r.address < r.bytes || r.address - address < bytes;
    return bytes > 0 && touched && (static_cast<unsigned>(r.broken) & static_cast<unsigned>(what)) != 0;
  });
}

void SparseMemory::write(std::uint64_t address, std::span<const std::uint8_t> data) {
  if (!ranges_.empty() && write_fails(address, data.size())) {
    for (; !data.empty(); data = data.subspan(1), ++address) {
      if (!write_fails(address, 1)) pages_[address / kPage][address % kPage] = data.front();
    }
    return;
  }
  while (!data.empty()) {
    const std::size_t offset = address % kPage;
    const std::size_t count = std::min(kPage - offset, data.size());
    std::ranges::copy(data.first(count), pages_[address / kPage].begin() + static_cast<std::ptrdiff_t>(offset));
    data = data.subspan(count);
    address += count;
  }
}

std::vector<std::uint8_t> SparseMemory::read(std::uint64_t address, std::size_t bytes) const {
  std::vector<std::uint8_t> out(bytes);
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t offset = address % kPage;
    const std::size_t count = std::min(kPage - offset, bytes - done);
    if (const auto page = pages_.find(address / kPage); page != pages_.end()) {
      std::copy_n(page->second.begin() + static_cast<std::ptrdiff_t>(offset), count,
                  out.begin() + static_cast<std::ptrdiff_t>(done));
    }
    done += count;
    address += count;
  }
  return out;
}

std::uint64_t SparseMemory::read_u64(std::uint64_t address) const {
  const auto bytes = read(address, 8);
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

void SparseMemory::write_u64(std::uint64_t address, std::uint64_t value) {
  std::array<std::uint8_t, 8> bytes;
  for (auto& byte : bytes) {
    byte = static_cast<std::uint8_t>(value);
    value >>= 8;
  }
  write(address, bytes);
}

bool SparseMemory::operator==(const SparseMemory& other) const {
  const auto covers = [](const SparseMemory& a, const SparseMemory& b) {
    return std::ranges::all_of(a.pages_, [&](const auto& entry) {
      const auto match = b.pages_.find(entry.first);
      return entry.second == (match == b.pages_.end() ? kZeroPage : match->second);
    });
  };
  return covers(*this, other) && covers(other, *this);
}

std::uint64_t SparseMemory::first_difference(const SparseMemory& other) const {
  std::map<std::uint64_t, bool> numbers;
  for (const auto& entry : pages_) numbers[entry.first] = true;
  for (const auto& entry : other.pages_) numbers[entry.first] = true;
  for (const auto& [number, exists] : numbers) {
    const auto mine = read(number * kPage, kPage), theirs = other.read(number * kPage, kPage);
    const auto at = std::ranges::mismatch(mine, theirs).in1;
    if (at != mine.end()) return number * kPage + static_cast<std::uint64_t>(at - mine.begin());
  }
  return 0;
}

std::uint64_t SparseMemory::fingerprint() const {
  base::Fingerprint hash;
  for (const auto& [number, page] : pages_) {
    if (page == kZeroPage) continue;
    hash.word(number);
    hash.bytes(page.data(), page.size());
  }
  return hash.value();
}

}  // namespace caravan::ref
