// SPDX-License-Identifier: Apache-2.0
#include "testbenches/stress/flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace caravan::stress {
namespace {

// The part of a QP in each memory of each end: written by the peer, read by the peer, atomic words, source of what is
// sent, results of READs and atomics, receive buffers.
constexpr std::uint64_t kWritten = 0, kReadable = 0x4000, kWords = 0x8000, kSource = 0xC000, kSinks = 0x20000,
                        kBuffers = 0x80000;
constexpr std::uint32_t kArea = 0x4000, kSinkCount = 32, kBufferCount = 16, kMaxPosted = 8;

std::uint8_t source_byte(std::uint32_t qpn, std::uint64_t i) {
  return static_cast<std::uint8_t>((i * 0x9E3779B97F4A7C15ull + qpn * 0x85EBCA6Bull) >> 29);
}

std::uint64_t little_endian(const packet::Buffer& bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

packet::Buffer bytes_of(std::uint64_t value) {
  packet::Buffer bytes(8);
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(value >> 8 * i);
  return bytes;
}

}  // namespace

Flow::Flow(std::uint64_t seed, std::uint32_t qpn, std::uint32_t pmtu, support::RtlEnd& from, support::RtlEnd& to)
    : rng_(seed, qpn), qpn_(qpn), longest_(std::min(kMaxMessage, kMaxPackets * pmtu)), from_(from), to_(to) {
  packet::Buffer area(kArea);
  for (std::size_t i = 0; i < kArea; ++i) area[i] = source_byte(qpn, i);
  for (unsigned memory = 0; memory < 2; ++memory) {
    written_[memory].resize(kArea);
    from_.write_memory(kBases[memory] + qpn * kPerQp + kSource, area);
    to_.write_memory(kBases[memory] + qpn * kPerQp + kReadable, area);
  }
}

packet::Buffer Flow::source(std::uint64_t offset, std::size_t bytes) const {
  packet::Buffer out(bytes);
  for (std::size_t i = 0; i < bytes; ++i) out[i] = source_byte(qpn_, offset + i);
  return out;
}

bool Flow::post() {
  if (posted_.size() >= kMaxPosted) return false;
  Posted posted;
  std::optional<Message> message;
  const ref::WorkRequest request = random_request(posted, message);
  posted_.push_back(std::move(posted));
  if (message) messages_.push_back(std::move(*message));
  from_.post(base::Qpn(qpn_), request);
  ++posts_;
  return true;
}

ref::WorkRequest Flow::random_request(Posted& posted, std::optional<Message>& message) {
  const auto here = static_cast<unsigned>(rng_.below(2)), there = static_cast<unsigned>(rng_.below(2));
  const std::uint64_t local = kBases[here] + qpn_ * kPerQp, remote = kBases[there] + qpn_ * kPerQp;
  ref::WorkRequest r;
  r.wr_id = posted.wr_id = next_wr_++ & 0xFFFFFF;
  r.signaled = posted.signaled = posts_ % 4 == 0 || rng_.chance(0.6);
  r.rkey = kRkeys[there];
  // Few atomics, which are executed one by one: they would set the pace.
  const double kind = rng_.uniform();
  r.op = kind < 0.37   ? ref::Operation::kWrite
         : kind < 0.74 ? ref::Operation::kSend
         : kind < 0.94 ? ref::Operation::kRead
         : kind < 0.97 ? ref::Operation::kCompareSwap
                       : ref::Operation::kFetchAdd;
  // Mostly a packet or less, sometimes nothing, sometimes several packets.
  r.length = rng_.chance(0.1) ? 0 : rng_.chance(0.6) ? 1 + rng_.below(200) : rng_.below(longest_ + 1);
  const std::uint64_t sink = local + kSinks + (next_sink_++ % kSinkCount) * kMaxMessage;

  if (ref::is_atomic(r.op)) {
    const std::size_t word = rng_.below(4);
    std::uint64_t& value = words_[4 * there + word];
    r.length = 8;
    r.remote_va = remote + kWords + 8 * word;
    r.swap_add = rng_.next();
    r.compare = rng_.chance(0.5) ? value : rng_.next();
    r.local_va = sink + rng_.below(64);
    posted.atomic = true;
    posted.original = value;
    posted.sink = r.local_va;
    posted.result = bytes_of(value);
    if (r.op == ref::Operation::kFetchAdd)
      value += r.swap_add;
    else if (value == r.compare)
      value = r.swap_add;
    return r;
  }
  const std::uint64_t offset = rng_.below(kArea - r.length + 1);
  if (r.op == ref::Operation::kRead) {
    r.local_va = posted.sink = sink;
    r.remote_va = remote + kReadable + offset;
    posted.result = source(offset, r.length);
    return r;
  }
  packet::Buffer data = source(offset, r.length);
  r.local_va = local + kSource + offset;
  if (r.length <= ref::kMaxInline && rng_.chance(0.5)) {
    r.inl = true;
    std::ranges::copy(data, r.inline_data.begin());
  }
  r.has_imm = rng_.chance(0.3);
  r.imm = r.has_imm ? static_cast<std::uint32_t>(rng_.next()) : 0;
  r.solicited = (r.has_imm || r.op == ref::Operation::kSend) && rng_.chance(0.5);
  if (r.op == ref::Operation::kWrite) {
    const std::uint64_t to = rng_.below(kArea - r.length + 1);
    r.remote_va = remote + kWritten + to;
    std::ranges::copy(data, written_[there].begin() + static_cast<std::ptrdiff_t>(to));
  }
  if (r.has_imm || r.op == ref::Operation::kSend) {
    const bool is_write = r.op == ref::Operation::kWrite;
    message = Message{.data = is_write ? packet::Buffer{} : std::move(data),
                      .length = static_cast<std::uint32_t>(r.length),
                      .imm = r.imm,
                      .is_write = is_write,
                      .has_imm = r.has_imm,
                      .solicited = r.solicited};
  }
  return r;
}

void Flow::post_receives() {
  const std::size_t level = 1 + rng_.below(kBufferCount - 1);
  while (receives_.size() < level) {
    const std::uint64_t base = kBases[rng_.below(2)] + qpn_ * kPerQp + kBuffers;
    receives_.push_back({.wr_id = next_receive_ & 0xFFFFFF,
                         .local_va = base + (next_receive_ % kBufferCount) * 2 * kMaxMessage + rng_.below(64),
                         .length = kMaxMessage});
    to_.post_recv(base::Qpn(qpn_), receives_.back());
    ++next_receive_;
  }
}

std::string Flow::complete(const ref::Completion& c) {
  const auto text = [&](const std::string& what) {
    return fmt::format("QP {}, completion of {}, status {}: {}", qpn_, c.wr_id, static_cast<int>(c.status), what);
  };
  // Unsignaled requests before it are done with it.
  while (!posted_.empty() && !posted_.front().signaled && posted_.front().wr_id != c.wr_id) {
    posted_.pop_front();
    ++completed_;
  }
  if (posted_.empty()) return text("nothing is posted");
  const Posted posted = std::move(posted_.front());
  posted_.pop_front();
  ++completed_;
  if (posted.wr_id != c.wr_id) return text(fmt::format("{} is the oldest", posted.wr_id));
  if (c.status != ref::CompletionStatus::kOk) return text("failed");
  if (!posted.signaled) return text("it was not signaled");
  if (posted.atomic && c.original != posted.original)
    return text(fmt::format("original {:#x} instead of {:#x}", c.original, posted.original));
  if (from_.read_memory(posted.sink, posted.result.size()) != posted.result)
    return text(fmt::format("result at {:#x} is wrong", posted.sink));
  return {};
}

std::string Flow::receive(const ref::ReceiveCompletion& c) {
  const auto text = [&](const std::string& what) {
    return fmt::format("QP {}, receive {}, status {}: {}", qpn_, c.wr_id, static_cast<int>(c.status), what);
  };
  if (receives_.empty() || messages_.empty()) return text("nothing was sent, or no buffer is posted");
  const ref::ReceiveRequest buffer = receives_.front();
  const Message message = std::move(messages_.front());
  receives_.pop_front();
  messages_.pop_front();
  if (buffer.wr_id != c.wr_id) return text(fmt::format("{} is the oldest", buffer.wr_id));
  if (c.status != ref::CompletionStatus::kOk) return text("failed");
  if (c.length != message.length || c.is_write != message.is_write || c.has_imm != message.has_imm ||
      c.solicited != message.solicited || (c.has_imm && c.imm != message.imm))
    return text(fmt::format("length {} instead of {}, or another flag or immediate", c.length, message.length));
  if (to_.read_memory(buffer.local_va, message.data.size()) != message.data)
    return text(fmt::format("data at {:#x} are wrong", buffer.local_va));
  return {};
}

std::string Flow::finish() const {
  for (const Posted& posted : posted_) {
    if (posted.signaled) return fmt::format("QP {}: {} never completed", qpn_, posted.wr_id);
  }
  if (!messages_.empty()) return fmt::format("QP {}: {} messages never arrived", qpn_, messages_.size());
  for (unsigned memory = 0; memory < 2; ++memory) {
    const std::uint64_t base = kBases[memory] + qpn_ * kPerQp;
    if (to_.read_memory(base + kWritten, kArea) != written_[memory])
      return fmt::format("QP {}: memory {} differs from the model", qpn_, memory);
    for (std::size_t i = 0; i < 4; ++i) {
      if (little_endian(to_.read_memory(base + kWords + 8 * i, 8)) != words_[4 * memory + i])
        return fmt::format("QP {}: word {} of memory {} differs from the model", qpn_, i, memory);
    }
  }
  return {};
}

}  // namespace caravan::stress
