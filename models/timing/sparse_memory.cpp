// SPDX-License-Identifier: Apache-2.0
#include "models/timing/sparse_memory.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "models/base/errors.hpp"
#include "models/base/fingerprint.hpp"
#include "models/timing/serial.hpp"

namespace caravan::timing {
namespace {

bool is_zero(const SparseMemory::Page& page) {
  return page[0] == 0 && std::memcmp(page.data(), page.data() + 1, page.size() - 1) == 0;
}

}  // namespace

const SparseMemory::Page* SparseMemory::find(std::uint64_t page) const {
  if (page == last_index_) return last_page_;
  const auto it = pages_.find(page);
  if (it == pages_.end()) return nullptr;
  last_index_ = page;
  last_page_ = it->second.get();
  return last_page_;
}

SparseMemory::Page& SparseMemory::touch(std::uint64_t page) {
  if (page == last_index_) return *last_page_;
  auto& slot = pages_[page];
  if (!slot) slot = std::make_unique<Page>();
  last_index_ = page;
  last_page_ = slot.get();
  return *slot;
}

void SparseMemory::read(std::uint64_t address, std::span<std::uint8_t> to) const {
  BUG_IF(!contains(address, to.size()), "read outside the memory at " + std::to_string(address));
  while (!to.empty()) {
    const std::size_t offset = address % kPageBytes;
    const std::size_t n = std::min(to.size(), kPageBytes - offset);
    if (const Page* page = find(address / kPageBytes)) {
      std::memcpy(to.data(), page->data() + offset, n);
    } else {
      std::memset(to.data(), 0, n);
    }
    address += n;
    to = to.subspan(n);
  }
}

void SparseMemory::write(std::uint64_t address, std::span<const std::uint8_t> from) {
  BUG_IF(!contains(address, from.size()), "write outside the memory at " + std::to_string(address));
  while (!from.empty()) {
    const std::size_t offset = address % kPageBytes;
    const std::size_t n = std::min(from.size(), kPageBytes - offset);
    std::memcpy(touch(address / kPageBytes).data() + offset, from.data(), n);
    address += n;
    from = from.subspan(n);
  }
}

void SparseMemory::read_beat(std::uint64_t address, std::uint8_t* to) const {
  if (const Page* page = find(address / kPageBytes)) {
    std::memcpy(to, page->data() + address % kPageBytes, 64);
  } else {
    std::memset(to, 0, 64);
  }
}

void SparseMemory::write_beat(std::uint64_t address, const std::uint8_t* from, std::uint64_t strobes) {
  if (strobes == 0) return;
  std::uint8_t* to = touch(address / kPageBytes).data() + address % kPageBytes;
  if (strobes == ~0ull) {
    std::memcpy(to, from, 64);
    return;
  }
  for (unsigned i = 0; i < 64; ++i) {
    if ((strobes >> i) & 1) to[i] = from[i];
  }
}

std::uint64_t SparseMemory::digest() const {
  std::uint64_t sum = 0;  // a sum, so that the order of the pages does not matter
  for (const auto& [index, page] : pages_) {
    if (is_zero(*page)) continue;
    base::Fingerprint hash;
    hash.word(index);
    hash.bytes(page->data(), page->size());
    sum += hash.value();
  }
  return sum;
}

void SparseMemory::clear() {
  pages_.clear();
  last_index_ = ~0ull;
  last_page_ = nullptr;
}

void SparseMemory::serialize(std::ostream& out) const {
  std::vector<std::uint64_t> used;
  for (const auto& [index, page] : pages_) {
    if (!is_zero(*page)) used.push_back(index);
  }
  std::sort(used.begin(), used.end());
  put(out, capacity_.count());
  put(out, static_cast<std::uint64_t>(used.size()));
  for (const std::uint64_t index : used) {
    put(out, index);
    put(out, *pages_.at(index));
  }
}

void SparseMemory::deserialize(std::istream& in) {
  clear();
  if (get<std::uint64_t>(in) != capacity_.count()) throw base::UserError("saved state is of a memory of another size");
  for (auto n = get<std::uint64_t>(in); n > 0; --n) {
    const auto index = get<std::uint64_t>(in);
    touch(index) = get<Page>(in);
  }
}

}  // namespace caravan::timing
