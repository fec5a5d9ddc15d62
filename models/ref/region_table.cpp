// SPDX-License-Identifier: Apache-2.0
#include "models/ref/region_table.hpp"

#include <fmt/format.h>

#include "models/base/errors.hpp"

namespace caravan::ref {

std::optional<AddressClass> address_class(std::uint64_t address) {
  switch (address >> 60) {
    case 0:
      return AddressClass::kHbm;
    case 3:
      return AddressClass::kRpc;
    case 8:
      return AddressClass::kHost;
    default:
      return std::nullopt;
  }
}

bool is_memory(std::uint64_t address) {
  const auto target = address_class(address);
  return target == AddressClass::kHbm || target == AddressClass::kHost;
}

void RegionTable::set(std::uint32_t rkey, const Region& region) {
  const std::uint64_t last = region.base + region.length - 1;
  const auto fail = [&](const char* what) {
    throw base::UserError(
        fmt::format("memory region rkey {:#x}, base {:#x}, length {:#x}: {}", rkey, region.base, region.length, what));
  };
  if (region.length == 0) fail("the length must be at least 1");
  if (last < region.base) fail("the region must not wrap around the end of the address space");
  if (!address_class(region.base)) fail("bits 63:60 of the base must be 0 (HBM), 3 (RPC) or 8 (host memory)");
  if (region.base >> 60 != last >> 60) fail("the region must lie in one address class (bits 63:60)");
  regions_[rkey] = region;
}

bool RegionTable::may(bool Access::*right, std::uint32_t rkey, std::uint16_t pd, std::uint64_t va,
                      std::uint64_t bytes) const {
  const auto found = regions_.find(rkey);
  if (found == regions_.end()) return false;
  const Region& region = found->second;
  // Differences, not sums: neither the end of the region nor that of the access may overflow.
  return region.pd == pd && region.access.*right && va >= region.base && va - region.base <= region.length &&
         bytes <= region.length - (va - region.base);
}

}  // namespace caravan::ref
