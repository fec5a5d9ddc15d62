// SPDX-License-Identifier: Apache-2.0
#include "models/ref/rdt_ref.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "models/base/errors.hpp"
#include "models/base/fingerprint.hpp"

namespace caravan::ref {

bool LwwMap::merge(const KvUpdate& update) {
  const KvEntry offered{update.value, update.stamp};
  const auto [held, is_new] = entries_.try_emplace(update.key, offered);
  if (is_new) return true;
  BUG_IF(held->second.stamp == offered.stamp && held->second != offered,
         fmt::format("key {}: values {} and {} both carry timestamp {} of replica {}", update.key, held->second.value,
                     offered.value, offered.stamp.timestamp, offered.stamp.replica));
  if (offered.stamp <= held->second.stamp) return false;
  held->second = offered;
  return true;
}

std::optional<KvEntry> LwwMap::find(std::uint64_t key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? std::nullopt : std::optional(found->second);
}

std::uint64_t LwwMap::digest() const {
  std::vector<std::uint64_t> keys;
  keys.reserve(entries_.size());
  for (const auto& entry : entries_) keys.push_back(entry.first);
  std::ranges::sort(keys);
  base::Fingerprint hash;
  for (const std::uint64_t key : keys) {
    const KvEntry& entry = entries_.at(key);
    for (const std::uint64_t word : {key, entry.value, entry.stamp.timestamp, std::uint64_t{entry.stamp.replica}})
      hash.word(word);
  }
  return hash.value();
}

std::optional<std::uint64_t> RdtReplica::get(std::uint64_t key) const {
  const auto entry = map_.find(key);
  return entry ? std::optional(entry->value) : std::nullopt;
}

KvUpdate RdtReplica::put(std::uint64_t key, std::uint64_t value) {
  const KvUpdate update{key, value, {clock_ + 1, id_}};
  observe(update);
  return update;
}

bool RdtReplica::observe(const KvUpdate& update) {
  clock_ = std::max(clock_, update.stamp.timestamp);
  return map_.merge(update);
}

}  // namespace caravan::ref
