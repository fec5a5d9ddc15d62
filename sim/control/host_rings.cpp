// SPDX-License-Identifier: Apache-2.0
#include "sim/control/host_rings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/errors.hpp"

namespace caravan::sim {
namespace {

// Registers of hostif_pkg, with the block in bits 15:12.
constexpr std::uint16_t kData0 = 0x5000, kCommand = 0x5040, kStatus = 0x5044, kSendDoorbell = 0x5080,
                        kReceiveDoorbell = 0x5084, kCompletionDoorbell = 0x5088;
constexpr std::uint32_t kQpRow = 1u << 30, kCqRow = 2u << 30, kValid = 1u << 31;
constexpr std::uint64_t kSendEntry = 128, kReceiveEntry = 64, kCompletionEntry = 64;
constexpr std::uint8_t kSignaled = 1, kSolicited = 2, kHasImmediate = 4;
constexpr int kPatience = 10000;  // reads of a busy flag before we call the block dead

template <class Value>
void put(std::span<std::uint8_t> entry, std::size_t at, Value value) {
  for (std::size_t i = 0; i < sizeof(Value); ++i) entry[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}
std::uint64_t get(std::span<const std::uint8_t> entry, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = value << 8 | entry[at + i];
  return value;
}
std::uint32_t low(std::uint64_t v) { return static_cast<std::uint32_t>(v); }
std::uint32_t high(std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); }

}  // namespace

HostRings::HostRings(vl::RtlNode& node, std::uint64_t memory)
    : node_(node), completion_ring_(memory), free_(memory + (kCompletionEntry << kCompletionLog2)) {
  const std::uint32_t words[] = {kValid | kCompletionLog2, low(memory), high(memory)};
  row(kCqRow, words);
}

void HostRings::row(std::uint32_t command, std::span<const std::uint32_t> words) {
  std::uint16_t address = kData0;
  for (const std::uint32_t word : words) {
    node_.write_csr(address, word);
    address = static_cast<std::uint16_t>(address + 4);
  }
  node_.write_csr(kCommand, command);
  for (int i = 0; i < kPatience; ++i) {
    const std::uint32_t status = node_.read_csr(kStatus);
    if ((status & 1) != 0) continue;
    if ((status & 2) != 0)
      throw base::UserError(fmt::format("the host front end has no row for queue pair {}", command & 0xFFFFFF));
    return;
  }
  BUG_IF(true, fmt::format("cycle {}, {}: the host front end's command register stays busy", node_.now().count(),
                           node_.config().instance));
}

void HostRings::reset(std::uint32_t qpn) {
  collect();
  auto [found, fresh] = queues_.try_emplace(qpn);
  Queues& q = found->second;
  if (fresh) {
    q.send.address = free_;
    q.receive.address = free_ + (kSendEntry << kSendLog2);
    free_ = q.receive.address + (kReceiveEntry << kReceiveLog2);
  }
  for (Ring* ring : {&q.send, &q.receive}) {
    ring->producer = 0;
    ring->posted.clear();
  }
  q.failed = false;
  const std::uint32_t words[] = {kValid | kReceiveLog2 << 8 | kSendLog2,
                                 low(q.send.address),
                                 high(q.send.address),
                                 low(q.receive.address),
                                 high(q.receive.address),
                                 0};
  row(kQpRow | qpn, words);
}

HostRings::Queues& HostRings::queues(std::uint32_t qpn) {
  const auto found = queues_.find(qpn);
  BUG_IF(found == queues_.end(), fmt::format("{}: queue pair {} has no rings", node_.config().instance, qpn));
  return found->second;
}

void HostRings::doorbell(std::uint16_t offset, std::uint32_t number, std::uint16_t index) {
  node_.write_csr(offset, number << 16 | index);
}

std::uint64_t HostRings::post(const VerbRequest& request) {
  collect();
  Ring& ring = queues(request.qpn).send;
  if (ring.posted.size() >= 1u << kSendLog2) throw base::UserError("the send queue is full");
  std::array<std::uint8_t, kSendEntry> entry{};
  put(entry, 0, static_cast<std::uint8_t>(request.kind));
  // Every work request completes, so that the ring's use is known; unsignaled successes are dropped here.
  put(entry, 1,
      static_cast<std::uint8_t>(kSignaled | (request.solicited ? kSolicited : 0) |
                                (request.immediate ? kHasImmediate : 0)));
  put(entry, 4, request.length);
  put(entry, 8, request.laddr);
  put(entry, 16, request.raddr);
  put(entry, 24, request.rkey);
  put(entry, 28, request.immediate.value_or(0));
  put(entry, 64, request.swap_add);
  put(entry, 72, request.compare);
  const std::uint16_t index = ring.producer++;
  node_.host().write(ring.address + kSendEntry * (index & ((1u << kSendLog2) - 1)), entry);
  ring.posted[index] = {++last_wr_, request.kind, request.length, request.signaled};
  doorbell(kSendDoorbell, request.qpn, ring.producer);
  return last_wr_;
}

std::uint64_t HostRings::post(const ReceiveRequest& request) {
  collect();
  Ring& ring = queues(request.qpn).receive;
  if (ring.posted.size() >= 1u << kReceiveLog2) throw base::UserError("the receive queue is full");
  std::array<std::uint8_t, kReceiveEntry> entry{};
  put(entry, 0, request.address);
  put(entry, 8, request.length);
  const std::uint16_t index = ring.producer++;
  node_.host().write(ring.address + kReceiveEntry * (index & ((1u << kReceiveLog2) - 1)), entry);
  ring.posted[index] = {++last_wr_, VerbKind::kSend, request.length, true};
  doorbell(kReceiveDoorbell, request.qpn, ring.producer);
  return last_wr_;
}

// Takes everything that the node has written into the completion queue. The phase bit tells new entries from old ones.
void HostRings::collect() {
  const std::uint16_t first = consumer_;
  for (;;) {
    std::array<std::uint8_t, kCompletionEntry> entry{};
    node_.host().read(completion_ring_ + kCompletionEntry * (consumer_ & ((1u << kCompletionLog2) - 1)), entry);
    const bool phase = (entry[63] & 1) != 0, wanted = (consumer_ >> kCompletionLog2) % 2 == 0;
    if (phase != wanted) break;
    complete(entry);
    ++consumer_;
  }
  if (consumer_ != first) doorbell(kCompletionDoorbell, 0, consumer_);
}

void HostRings::complete(std::span<const std::uint8_t> entry) {
  VerbCompletion c;
  c.status = static_cast<VerbStatus>(entry[0]);
  const unsigned kind = entry[1];
  const auto index = static_cast<std::uint16_t>(get(entry, 4, 2));
  c.qpn = static_cast<std::uint32_t>(get(entry, 8, 3));
  const auto found = queues_.find(c.qpn);
  if (found == queues_.end()) return;
  Ring& ring = kind == 0 ? found->second.send : found->second.receive;
  const auto posted = ring.posted.find(index);
  if (posted == ring.posted.end()) return;  // of a queue pair's earlier life
  const Posted work = posted->second;
  ring.posted.erase(posted);
  const bool good = c.status == VerbStatus::kOk;
  if (!good) found->second.failed = true;
  if (good && !work.signaled) return;
  c.wr = work.wr;
  c.wc_opcode = kind == 0 ? wc_opcode_of(work.kind) : kind == 1 ? kWcReceive : kWcReceiveWrite;
  c.length = kind == 0 ? work.length : static_cast<std::uint32_t>(get(entry, 16, 4));
  if ((entry[13] & 1) != 0) c.immediate = static_cast<std::uint32_t>(get(entry, 20, 4));
  completions_.push_back(c);
}

std::size_t HostRings::completed() {
  collect();
  return completions_.size();
}

std::vector<VerbCompletion> HostRings::take(std::size_t most) {
  collect();
  const auto end = completions_.begin() + static_cast<std::ptrdiff_t>(std::min(most, completions_.size()));
  std::vector<VerbCompletion> taken(completions_.begin(), end);
  completions_.erase(completions_.begin(), end);
  return taken;
}

bool HostRings::failed(std::uint32_t qpn) const {
  const auto found = queues_.find(qpn);
  return found != queues_.end() && found->second.failed;
}

}  // namespace caravan::sim
