// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/worker_pool.hpp"

#include <chrono>

#include "models/base/errors.hpp"

namespace caravan::sim {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Some 50 us: what a worker waits for is rarely longer, and a sleeping thread costs about as much to wake.
constexpr unsigned kSpins = 1500;

}  // namespace

WorkerPool::WorkerPool(unsigned threads, unsigned items)
    : workers_(threads), claims_(items), spins_(threads <= std::thread::hardware_concurrency() ? kSpins : 0) {
  BUG_IF(threads == 0, "worker pool: no threads");
  for (unsigned i = 1; i < threads; ++i) workers_[i].thread = std::thread([this, i] { main(i); });
}

WorkerPool::~WorkerPool() {
  stop_.store(true, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (Worker& worker : workers_) {
    if (worker.thread.joinable()) worker.thread.join();
  }
}

// Spins a little, then sleeps, until `value` is no longer `old`.
bool WorkerPool::wait_until(const std::atomic<std::uint32_t>& value, std::uint32_t old) const {
  for (unsigned i = 0; i < spins_; ++i) {
    if (value.load(std::memory_order_acquire) != old) return true;
    relax();
  }
  value.wait(old, std::memory_order_acquire);
  return true;
}

void WorkerPool::main(unsigned self) {
  std::uint32_t seen = 0;
  for (;;) {
    const auto start = Clock::now();
    wait_until(round_, seen);
    ++seen;
    if (stop_.load(std::memory_order_relaxed)) return;
    workers_[self].time.wait_s += seconds_since(start);
    take_part(self);
    if (at_work_.fetch_sub(1, std::memory_order_acq_rel) == 1) at_work_.notify_one();
  }
}

void WorkerPool::run(std::span<const unsigned> list, const std::function<void(unsigned)>& work) {
  if (list.empty()) return;
  list_ = list;
  work_ = &work;
  failure_ = nullptr;
  if (list.size() == 1 || workers_.size() == 1) {
    const auto start = Clock::now();
    for (const unsigned item : list) work(item);
    workers_[0].time.busy_s += seconds_since(start);
    return;
  }
  at_work_.store(threads() - 1, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  take_part(0);
  const auto start = Clock::now();
  for (std::uint32_t left; (left = at_work_.load(std::memory_order_acquire)) != 0;) wait_until(at_work_, left);
  workers_[0].time.wait_s += seconds_since(start);
  if (failure_) std::rethrow_exception(failure_);
}

void WorkerPool::take_part(unsigned self) {
  const auto start = Clock::now();
  for (const unsigned item : list_) {
    if (item % threads() == self) try_item(item);
  }
  for (auto it = list_.rbegin(); it != list_.rend(); ++it) {  // from the end, where the others have not come yet
    if (*it % threads() != self) try_item(*it);
  }
  workers_[self].time.busy_s += seconds_since(start);
}

void WorkerPool::try_item(unsigned item) {
  const std::uint32_t round = round_.load(std::memory_order_relaxed);
  std::uint32_t claimed = claims_[item].round.load(std::memory_order_relaxed);
  if (claimed == round || !claims_[item].round.compare_exchange_strong(claimed, round, std::memory_order_relaxed))
    return;
  try {
    (*work_)(item);
  } catch (...) {
    const std::lock_guard lock(failure_mutex_);
    if (!failure_ || item < failed_item_) {
      failure_ = std::current_exception();
      failed_item_ = item;
    }
  }
}

std::vector<WorkerTime> WorkerPool::times() const {
  std::vector<WorkerTime> times;
  for (const Worker& worker : workers_) times.push_back(worker.time);
  return times;
}

}  // namespace caravan::sim
