// SPDX-License-Identifier: Apache-2.0
// A completion queue in host memory. Completions that a coroutine awaits go to it; all others are taken with poll() or
// next().
#pragma once

#include <coroutine>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/host/device.hpp"
#include "sim/host/verbs.hpp"

namespace caravan::host {

class Context;

class CompletionQueue {
 public:
  CompletionQueue(Context& context, std::uint32_t number, std::uint64_t ring, unsigned depth);
  CompletionQueue(const CompletionQueue&) = delete;
  CompletionQueue& operator=(const CompletionQueue&) = delete;

  std::uint32_t number() const { return number_; }
  unsigned depth() const { return depth_; }
  std::uint64_t ring() const { return ring_; }

  /// What is there now and awaited by nobody. Costs one turn of a polling loop.
  std::vector<Completion> poll();

  struct NextAwaiter {
    CompletionQueue& queue;
    std::optional<Completion> result{};
    std::coroutine_handle<> handle{};
    bool await_ready();
    void await_suspend(std::coroutine_handle<> h);
    Completion await_resume() { return *result; }
  };
  /// co_await: the next completion that nobody else awaits; polls until it is there.
  NextAwaiter next() { return {*this}; }

  struct EventAwaiter {
    CompletionQueue& queue;
    bool solicited_only;
    std::coroutine_handle<> handle{};
    bool await_ready();
    void await_suspend(std::coroutine_handle<> h);
    void await_resume() const {}
  };
  /// co_await: arms the queue and sleeps, without polling, until an event; returns at once when something is there
  /// already. As with real verbs an event may be spurious: poll, and wait again.
  EventAwaiter event(bool solicited_only = false) { return {*this, solicited_only}; }

  // ---- For QueuePair and Context ----
  /// Somebody awaits a completion that has not come: the queue polls as long as anybody does.
  void expect() {
    ++expected_;
    poll_later();
  }
  void expected_came() { --expected_; }
  void raise_event();
  /// Hands out every entry that is there.
  void collect();

 private:
  friend struct NextAwaiter;
  bool entry_ready() const;
  void drain();
  void poll_later();
  std::uint64_t line(std::uint32_t index) const { return ring_ + 64ull * (index & (depth_ - 1)); }

  Context& context_;
  std::uint32_t number_;
  std::uint64_t ring_;
  unsigned depth_;
  std::uint32_t consumed_ = 0, freed_ = 0;  // entries taken, and told to the NIC
  unsigned expected_ = 0;
  bool polling_ = false;
  std::deque<Completion> unclaimed_;
  std::deque<NextAwaiter*> waiting_;
  EventAwaiter* sleeper_ = nullptr;
};

}  // namespace caravan::host
