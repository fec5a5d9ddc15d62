// SPDX-License-Identifier: Apache-2.0
// Registered memory regions and the permission check of one access.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace caravan::ref {

/// Target of an address: its bits 63:60.
enum class AddressClass : std::uint8_t { kHbm = 0, kRpc = 3, kHost = 8 };
/// The class of an address; nothing for a class that has no target.
std::optional<AddressClass> address_class(std::uint64_t address);
/// True when the address is in HBM or host memory: what can be read, and what a local buffer may be.
bool is_memory(std::uint64_t address);

/// What a region allows a remote peer to do.
struct Access {
  bool write = false, read = false, atomic = false;
};

/// [base, base + length), length > 0. It may end at 2^64 and must lie in one address class that has a target.
struct Region {
  std::uint64_t base = 0, length = 0;
  Access access;
  std::uint16_t pd = 0;  ///< protection domain; a QP reaches regions of its own only
};

/// Regions by rkey.
class RegionTable {
 public:
  /// Adds or replaces. base::UserError when the region is empty, wraps, or crosses or lies in a class without target.
  void set(std::uint32_t rkey, const Region& region);
  void remove(std::uint32_t rkey) { regions_.erase(rkey); }
  /// True when a peer of protection domain `pd` may write (read, do atomics on) `bytes` > 0 bytes at `va`.
  bool may_write(std::uint32_t rkey, std::uint16_t pd, std::uint64_t va, std::uint64_t bytes) const {
    return may(&Access::write, rkey, pd, va, bytes);
  }
  bool may_read(std::uint32_t rkey, std::uint16_t pd, std::uint64_t va, std::uint64_t bytes) const {
    return may(&Access::read, rkey, pd, va, bytes);
  }
  bool may_atomic(std::uint32_t rkey, std::uint16_t pd, std::uint64_t va, std::uint64_t bytes) const {
    return may(&Access::atomic, rkey, pd, va, bytes);
  }

 private:
  bool may(bool Access::*right, std::uint32_t rkey, std::uint16_t pd, std::uint64_t va, std::uint64_t bytes) const;
  std::map<std::uint32_t, Region> regions_;
};

}  // namespace caravan::ref
