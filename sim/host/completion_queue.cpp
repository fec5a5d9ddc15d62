// SPDX-License-Identifier: Apache-2.0
#include "sim/host/completion_queue.hpp"

#include <algorithm>
#include <array>

#include "models/base/errors.hpp"
#include "sim/host/context.hpp"
#include "sim/host/queue_pair.hpp"
#include "sim/host/registers.hpp"

namespace caravan::host {
namespace {

using Entry = std::array<std::uint8_t, reg::kCompletionEntryBytes>;

Completion decode(const Entry& e) {
  Completion c;
  c.status = static_cast<Status>(e[0]);
  c.kind = static_cast<CompletionKind>(e[1]);
  c.qpn = static_cast<std::uint32_t>(reg::get(e, 8, 3));
  c.solicited = (e[13] & 2) != 0;
  c.length = static_cast<std::uint32_t>(reg::get(e, 16, 4));
  if ((e[13] & 1) != 0) c.immediate = static_cast<std::uint32_t>(reg::get(e, 20, 4));
  c.original = reg::get(e, 24, 8);
  c.source_qpn = static_cast<std::uint32_t>(reg::get(e, 32, 3));
  c.source_ip = static_cast<std::uint32_t>(reg::get(e, 36, 4));
  return c;
}

}  // namespace

CompletionQueue::CompletionQueue(Context& context, std::uint32_t number, std::uint64_t ring, unsigned depth)
    : context_(context), number_(number), ring_(ring), depth_(depth) {}

// The phase bit is 1 in the first pass over the ring, 0 in the second.
bool CompletionQueue::entry_ready() const {
  Entry e;
  context_.device().memory_read(line(consumed_), e);
  return (e[63] & 1) == ((consumed_ / depth_ & 1) == 0 ? 1 : 0);
}

void CompletionQueue::collect() {
  while (entry_ready()) {
    Entry e;
    context_.device().memory_read(line(consumed_), e);
    ++consumed_;
    Completion c = decode(e);
    c.time = context_.device().now();
    QueuePair* qp = context_.find_qp(c.qpn);
    if (qp == nullptr) continue;  // destroyed meanwhile
    if (qp->completed(c, static_cast<std::uint16_t>(reg::get(e, 4, 2)))) continue;
    if (waiting_.empty()) {
      unclaimed_.push_back(c);
      continue;
    }
    NextAwaiter* waiter = waiting_.front();
    waiting_.pop_front();
    waiter->result = c;
    expected_came();
    context_.device().call_at(context_.device().now(), [h = waiter->handle] { h.resume(); });
  }
  if (consumed_ - freed_ >= std::max(1u, depth_ / 4)) {
    freed_ = consumed_;
    context_.device().mmio_write(reg::kCqDoorbell, number_ << 16 | (consumed_ & 0xFFFF));
  }
}

void CompletionQueue::drain() {
  polling_ = false;
  context_.device().work(Work::kPoll);
  collect();
  poll_later();
}

void CompletionQueue::poll_later() {
  if (polling_ || expected_ == 0) return;
  polling_ = true;
  Device& device = context_.device();
  if (entry_ready()) {
    device.call_at(device.now(), [this] { drain(); });
  } else {
    device.call_when_written(line(consumed_), [this] { drain(); });
  }
}

std::vector<Completion> CompletionQueue::poll() {
  context_.device().work(Work::kPoll);
  collect();
  std::vector<Completion> all(unclaimed_.begin(), unclaimed_.end());
  unclaimed_.clear();
  return all;
}

bool CompletionQueue::NextAwaiter::await_ready() {
  if (queue.unclaimed_.empty()) return false;
  result = queue.unclaimed_.front();
  queue.unclaimed_.pop_front();
  return true;
}

void CompletionQueue::NextAwaiter::await_suspend(std::coroutine_handle<> h) {
  handle = h;
  queue.waiting_.push_back(this);
  queue.expect();
}

bool CompletionQueue::EventAwaiter::await_ready() {
  BUG_IF(queue.sleeper_ != nullptr, "two coroutines sleep on one completion queue");
  queue.context_.device().mmio_write(reg::kCqArm, std::uint32_t{solicited_only} << 31 | queue.number_);
  queue.context_.device().work(Work::kPoll);
  // Solicited entries among others can't be told apart without taking them: any entry ends the sleep.
  return !queue.unclaimed_.empty() || queue.entry_ready();
}

void CompletionQueue::EventAwaiter::await_suspend(std::coroutine_handle<> h) {
  handle = h;
  queue.sleeper_ = this;
}

void CompletionQueue::raise_event() {
  if (sleeper_ == nullptr) return;
  const auto handle = sleeper_->handle;
  sleeper_ = nullptr;
  handle.resume();
}

}  // namespace caravan::host
