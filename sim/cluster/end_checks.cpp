// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/end_checks.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "models/base/rng.hpp"
#include "models/ref/rdt_ref.hpp"
#include "sim/cluster/addressing.hpp"

namespace caravan::sim {
namespace {

std::string row_text(const vl::KvRow& row) {
  return row.valid ? fmt::format("value {:#x} timestamp {} replica {}", row.value, row.timestamp, row.replica)
                   : "no value";
}

vl::KvRow row_of(const ref::LwwMap& map, std::uint64_t key) {
  const auto entry = map.find(key);
  if (!entry) return {};
  return {true, entry->stamp.replica, entry->stamp.timestamp, entry->value};
}

}  // namespace

std::vector<CheckResult> check_replicas(const std::vector<const vl::RtlNode*>& nodes, const workloads::YcsbPlan& plan,
                                        const std::vector<const workloads::YcsbClient*>& clients) {
  ref::KvReference reference;
  for (const auto& row : plan.load()) reference.add({row.key, row.value, {0, 0}});
  for (const auto* client : clients) {
    for (const auto& put : client->puts()) {
      reference.add({put.key, put.value, {put.timestamp, static_cast<std::uint8_t>(put.replica)}});
    }
  }
  CheckResult equal{"all replicas equal", true, ""};
  CheckResult as_reference{"replicas equal to the reference", true, ""};
  for (std::uint32_t key = 0; key < nodes.front()->kv_entries(); ++key) {
    const auto first = nodes.front()->kv_row(key);
    const auto expected = row_of(reference.expected(), key);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto row = nodes[i]->kv_row(key);
      if (equal.passed && row != first) {
        equal.passed = false;
        equal.detail =
            fmt::format("key {}: replica 0 has {}, replica {} has {}", key, row_text(first), i, row_text(row));
      }
      if (as_reference.passed && row != expected) {
        as_reference.passed = false;
        as_reference.detail =
            fmt::format("key {}: replica {} has {}, the reference has {}", key, i, row_text(row), row_text(expected));
      }
    }
  }
  if (equal.passed) equal.detail = fmt::format("{} rows of {} replicas", nodes.front()->kv_entries(), nodes.size());
  if (as_reference.passed) {
    as_reference.detail =
        fmt::format("{} keys after {} loads and updates", reference.expected().size(), reference.updates());
  }
  return {equal, as_reference};
}

CheckResult check_counted(vl::RtlNode& node, bool host_memory, base::Bytes window, std::uint64_t expected) {
  std::vector<std::uint8_t> bytes(window.count());
  (host_memory ? node.host() : node.hbm()).read(kTargetBase, bytes);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t counter = 0;
    std::memcpy(&counter, &bytes[i], sizeof counter);
    sum += counter;
  }
  return {"every atomic counted once", sum == expected, fmt::format("counters sum to {} of {}", sum, expected)};
}

CheckResult check_written(vl::RtlNode& sender, vl::RtlNode& receiver, bool host_memory, base::Bytes written) {
  std::vector<std::uint8_t> sent(written.count());
  std::vector<std::uint8_t> received(written.count());
  (host_memory ? sender.host() : sender.hbm()).read(kSourceBase, sent);
  (host_memory ? receiver.host() : receiver.hbm()).read(kTargetBase, received);
  const auto [a, b] = std::mismatch(sent.begin(), sent.end(), received.begin());
  CheckResult check{"memory written as sent", a == sent.end(), fmt::format("{} bytes", written.count())};
  if (!check.passed) {
    check.detail = fmt::format("byte {}: sent {:#04x}, node 1 has {:#04x}", a - sent.begin(), *a, *b);
  }
  return check;
}

std::vector<std::uint8_t> source_bytes(base::Bytes count, std::uint64_t seed) {
  base::Rng rng(seed, 0x57);
  std::vector<std::uint8_t> bytes(count.count());
  for (auto& byte : bytes)
    byte = static_cast<std::uint8_t>(1 + rng.below(255));  // never zero: untouched memory reads as zero
  return bytes;
}

}  // namespace caravan::sim
