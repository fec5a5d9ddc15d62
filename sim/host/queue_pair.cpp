// SPDX-License-Identifier: Apache-2.0
// Posting and completing. The states are in queue_pair_state.cpp.
#include "sim/host/queue_pair.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/errors.hpp"
#include "sim/host/context.hpp"

namespace caravan::host {

QueuePair::SendEntry QueuePair::encode(const WorkRequest& r) const {
  SendEntry e{};
  const bool atomic = r.op == Op::kCompareSwap || r.op == Op::kFetchAdd;
  const bool inlined = !r.inline_data.empty() || (atomic && r.local.length == 0);
  e[0] = static_cast<std::uint8_t>(r.op);
  e[1] = static_cast<std::uint8_t>((r.signaled ? reg::kFlagSignaled : 0) | (r.solicited ? reg::kFlagSolicited : 0) |
                                   (r.immediate ? reg::kFlagImmediate : 0) | (inlined ? reg::kFlagInline : 0));
  reg::put(e, 4, atomic ? 8 : inlined ? r.inline_data.size() : r.local.length, 4);
  reg::put(e, 8, r.local.address, 8);
  reg::put(e, 16, r.remote.address, 8);
  reg::put(e, 24, r.remote.rkey, 4);
  reg::put(e, 28, r.immediate.value_or(0), 4);
  if (atomic) {
    reg::put(e, reg::kInlineAt, r.swap_or_add, 8);
    reg::put(e, reg::kInlineAt + 8, r.compare, 8);
  } else {
    std::copy(r.inline_data.begin(), r.inline_data.end(), e.begin() + reg::kInlineAt);
  }
  return e;
}

void QueuePair::post(std::span<const WorkRequest> requests) { post_awaited(requests, nullptr); }

void QueuePair::post_awaited(std::span<const WorkRequest> requests, Awaiter* awaiter) {
  if (requests.empty()) return;
  if (requests.size() > options_.send_depth - outstanding()) {
    throw VerbError(Status::kBadRequest,
                    fmt::format("QP {}: {} work requests don't fit: {} of {} places of the send queue are taken", qpn_,
                                requests.size(), outstanding(), options_.send_depth));
  }
  for (const WorkRequest& r : requests) {
    if (r.inline_data.size() > reg::kInlineBytes) {
      throw VerbError(Status::kBadRequest, fmt::format("QP {}: {} bytes of inline data; at most {} are allowed", qpn_,
                                                       r.inline_data.size(), reg::kInlineBytes));
    }
  }
  Device& device = context_.device();
  SendEntry entry{};
  for (const WorkRequest& r : requests) {
    const unsigned place = send_posted_ & (options_.send_depth - 1);
    send_slots_[place] = {r.wr_id, awaiter};
    entry = encode(r);
    device.work(Work::kPost);
    device.memory_write(send_ring_ + place * reg::kSendEntryBytes, entry);
    ++send_posted_;
  }
  if (awaiter != nullptr) awaiter->last_ = static_cast<std::uint16_t>(send_posted_ - 1);
  ring(entry, requests.size() == 1);
  if (awaiter != nullptr) send_cq_.expect();
}

void QueuePair::ring(const SendEntry& last, bool single) {
  Device& device = context_.device();
  const std::uint32_t value = qpn_ << 16 | send_posted_;
  if (!single || !options_.push) {
    device.mmio_write(reg::kSqDoorbell, value);
    return;
  }
  const auto word = [&](std::size_t at) {
    device.mmio_write(static_cast<std::uint16_t>(reg::kPush + at), static_cast<std::uint32_t>(reg::get(last, at, 4)));
  };
  const std::size_t header = (last[1] & reg::kFlagImmediate) != 0 ? 32 : 28;
  for (std::size_t at = 0; at < header; at += 4) word(at);
  const bool atomic = last[0] >= static_cast<std::uint8_t>(Op::kCompareSwap);
  const std::size_t data = atomic ? 16 : (last[1] & reg::kFlagInline) != 0 ? reg::get(last, 4, 4) : 0;
  for (std::size_t at = 0; at < data; at += 4) word(reg::kInlineAt + at);
  device.mmio_write(reg::kSqPush, value);
}

void QueuePair::post_receive(LocalBuffer buffer, std::uint64_t wr_id) { post_receives(std::span(&buffer, 1), wr_id); }
void QueuePair::post_receives(std::span<const LocalBuffer> buffers, std::uint64_t first_wr_id) {
  post_receives_awaited(buffers, first_wr_id, nullptr);
}

void QueuePair::post_receives_awaited(std::span<const LocalBuffer> buffers, std::uint64_t first_wr_id,
                                      Awaiter* awaiter) {
  if (buffers.empty()) return;
  const unsigned taken = static_cast<std::uint16_t>(receive_posted_ - receive_done_);
  if (buffers.size() > options_.receive_depth - taken) {
    throw VerbError(Status::kBadRequest,
                    fmt::format("QP {}: {} receive buffers don't fit: {} of {} places of the receive queue are taken",
                                qpn_, buffers.size(), taken, options_.receive_depth));
  }
  Device& device = context_.device();
  for (const LocalBuffer& buffer : buffers) {
    const unsigned place = receive_posted_ & (options_.receive_depth - 1);
    receive_slots_[place] = {first_wr_id++, awaiter};
    std::array<std::uint8_t, reg::kReceiveEntryBytes> e{};
    reg::put(e, 0, buffer.address, 8);
    reg::put(e, 8, buffer.length, 4);
    device.work(Work::kPost);
    device.memory_write(receive_ring_ + place * reg::kReceiveEntryBytes, e);
    ++receive_posted_;
  }
  if (awaiter != nullptr) awaiter->last_ = static_cast<std::uint16_t>(receive_posted_ - 1);
  device.mmio_write(reg::kRqDoorbell, qpn_ << 16 | receive_posted_);
  if (awaiter != nullptr) receive_cq_.expect();
}

bool QueuePair::completed(Completion& completion, std::uint16_t index) {
  const bool receive = completion.kind != CompletionKind::kSend;
  const unsigned depth = receive ? options_.receive_depth : options_.send_depth;
  std::uint16_t& done = receive ? receive_done_ : send_done_;
  const std::uint16_t posted = receive ? receive_posted_ : send_posted_;
  // An entry of an earlier life of this queue pair is nobody's.
  if (static_cast<std::uint16_t>(index - done) >= static_cast<std::uint16_t>(posted - done)) return true;
  Slot& slot = (receive ? receive_slots_ : send_slots_)[index & (depth - 1)];
  completion.wr_id = slot.wr_id;
  done = static_cast<std::uint16_t>(index + 1);  // and all unsignaled ones before it
  Awaiter* awaiter = slot.awaiter;
  if (awaiter == nullptr) return false;
  awaiter->all_.push_back(completion);
  if (index != awaiter->last_) return true;
  (receive ? receive_cq_ : send_cq_).expected_came();
  context_.device().call_at(context_.device().now(), [h = awaiter->handle_] { h.resume(); });
  return true;
}

// What was posted and not completed ends here: awaited verbs as flushed, the others silently, as the NIC does it.
void QueuePair::forget() {
  // Entries of this life that are in the queues already must not be taken for those of the next one.
  send_cq_.collect();
  receive_cq_.collect();
  const auto flush = [&](std::vector<Slot>& slots, std::uint16_t& done, std::uint16_t& posted, CompletionQueue& queue,
                         CompletionKind kind) {
    for (; done != posted; ++done) {
      Awaiter* awaiter = slots[done & (slots.size() - 1)].awaiter;
      if (awaiter == nullptr) continue;
      Completion c;
      c.status = Status::kFlushed;
      c.kind = kind;
      c.qpn = qpn_;
      c.wr_id = slots[done & (slots.size() - 1)].wr_id;
      c.time = context_.device().now();
      awaiter->all_.push_back(c);
      if (done != awaiter->last_) continue;
      queue.expected_came();
      context_.device().call_at(context_.device().now(), [h = awaiter->handle_] { h.resume(); });
    }
    done = posted = 0;
  };
  flush(send_slots_, send_done_, send_posted_, send_cq_, CompletionKind::kSend);
  flush(receive_slots_, receive_done_, receive_posted_, receive_cq_, CompletionKind::kReceive);
}

// ---- Verbs to be awaited -------------------------------------------------------------------------------------------

bool QueuePair::Awaiter::await_suspend(std::coroutine_handle<> handle) {
  handle_ = handle;
  try {
    if (receives()) {
      qp_.post_receives_awaited(std::span(&buffer_, 1), 0, this);
    } else {
      requests_.back().signaled = true;
      qp_.post_awaited(requests_, this);
    }
  } catch (const VerbError&) {
    error_ = std::current_exception();
    return false;
  }
  return true;
}

Completion QueuePair::Awaiter::await_resume() {
  if (error_) std::rethrow_exception(error_);
  BUG_IF(all_.empty(), "a verb ends without its completion");
  return all_.back();
}

QueuePair::Awaiter QueuePair::execute(WorkRequest request) {
  std::vector<WorkRequest> one;
  one.push_back(std::move(request));
  return {*this, std::move(one)};
}
QueuePair::Awaiter QueuePair::write(LocalBuffer from, RemoteBuffer to) { return execute(WorkRequest::write(from, to)); }
QueuePair::Awaiter QueuePair::read(LocalBuffer to, RemoteBuffer from) { return execute(WorkRequest::read(to, from)); }
QueuePair::Awaiter QueuePair::send(LocalBuffer from) { return execute(WorkRequest::send(from)); }
QueuePair::Awaiter QueuePair::compare_swap(RemoteBuffer at, std::uint64_t expected, std::uint64_t desired) {
  return execute(WorkRequest::compare_swap(at, expected, desired));
}
QueuePair::Awaiter QueuePair::fetch_add(RemoteBuffer at, std::uint64_t amount) {
  return execute(WorkRequest::fetch_add(at, amount));
}
QueuePair::Awaiter QueuePair::receive(LocalBuffer buffer) { return {*this, buffer}; }

Task<std::vector<Completion>> QueuePair::execute(std::vector<WorkRequest> requests) {
  if (requests.empty()) co_return std::vector<Completion>{};
  Awaiter all(*this, std::move(requests));
  co_await all;
  co_return std::move(all.all_);
}

}  // namespace caravan::host
