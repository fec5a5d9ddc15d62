// SPDX-License-Identifier: Apache-2.0
// Reference of the replicated last-writer-wins key-value map: one replica, and the merge of everybody's updates.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace caravan::ref {

/// When and by whom a value was written. Greater wins: first the Lamport timestamp, then the replica id.
struct Stamp {
  std::uint64_t timestamp = 0;
  std::uint8_t replica = 0;
  auto operator<=>(const Stamp&) const = default;
};

struct KvEntry {
  std::uint64_t value = 0;
  Stamp stamp;
  bool operator==(const KvEntry&) const = default;
};

/// What one PUT sends to every peer.
struct KvUpdate {
  std::uint64_t key = 0, value = 0;
  Stamp stamp;
  bool operator==(const KvUpdate&) const = default;
};

/// Key-value map that keeps the entry with the greatest stamp. Merging commutes, associates and is idempotent.
class LwwMap {
 public:
  /// True when the update won. A broken invariant: one stamp for two different values of a key.
  bool merge(const KvUpdate& update);
  std::optional<KvEntry> find(std::uint64_t key) const;
  std::size_t size() const { return entries_.size(); }
  /// Hash over (key, value, timestamp, replica) of all entries in order of key.
  std::uint64_t digest() const;
  bool operator==(const LwwMap&) const = default;
  const std::unordered_map<std::uint64_t, KvEntry>& entries() const { return entries_; }

 private:
  std::unordered_map<std::uint64_t, KvEntry> entries_;
};

/// One replica: local operations, remote updates, Lamport clock.
class RdtReplica {
 public:
  explicit RdtReplica(std::uint8_t id) : id_(id) {}

  /// Loads an entry before the run; raises the clock to its timestamp.
  void load(std::uint64_t key, const KvEntry& entry) { observe({key, entry.value, entry.stamp}); }
  std::optional<std::uint64_t> get(std::uint64_t key) const;
  /// Writes locally with a timestamp above all seen so far; returns what the peers must apply.
  KvUpdate put(std::uint64_t key, std::uint64_t value);
  /// Applies a peer's update; true when it won. Twice is as good as once.
  bool apply(const KvUpdate& update) { return observe(update); }

  std::uint64_t clock() const { return clock_; }  ///< greatest timestamp seen
  const LwwMap& map() const { return map_; }
  std::uint64_t digest() const { return map_.digest(); }

 private:
  bool observe(const KvUpdate& update);
  std::uint8_t id_;
  std::uint64_t clock_ = 0;
  LwwMap map_;
};

/// What every replica must hold once all updates have arrived, whatever the order in which they are added here.
class KvReference {
 public:
  void add(const KvUpdate& update) {
    map_.merge(update);
    ++updates_;
  }
  std::uint64_t updates() const { return updates_; }
  const LwwMap& expected() const { return map_; }
  std::uint64_t digest() const { return map_.digest(); }

 private:
  LwwMap map_;
  std::uint64_t updates_ = 0;
};

}  // namespace caravan::ref
