// SPDX-License-Identifier: Apache-2.0
// A few threads that work off a list of items together, many thousand times a second. The caller is one of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace caravan::sim {

/// Wall time of one worker. Not part of any result.
struct WorkerTime {
  double busy_s = 0;  ///< in work items
  double wait_s = 0;  ///< at the rendezvous: for work, or (worker 0, the caller) for the others to finish
};

class WorkerPool {
 public:
  /// `threads` >= 1, the caller included. Items are 0 .. items-1.
  WorkerPool(unsigned threads, unsigned items);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Runs work(item) once for each item of the list, on any worker; returns when all are done. An item stays on the
  /// worker item % threads, whose cache knows it, unless another worker has nothing left to do. If work throws, the
  /// exception of the lowest item is rethrown here after all are done.
  void run(std::span<const unsigned> list, const std::function<void(unsigned)>& work);

  unsigned threads() const { return static_cast<unsigned>(workers_.size()); }
  std::vector<WorkerTime> times() const;

 private:
  struct alignas(64) Worker {
    WorkerTime time;
    std::thread thread;
  };
  struct alignas(64) Claim {
    std::atomic<std::uint32_t> round{0};
  };

  void main(unsigned self);
  void take_part(unsigned self);
  void try_item(unsigned item);
  bool wait_until(const std::atomic<std::uint32_t>& value, std::uint32_t old) const;

  std::vector<Worker> workers_;
  std::vector<Claim> claims_;
  unsigned spins_;
  std::span<const unsigned> list_;
  const std::function<void(unsigned)>* work_ = nullptr;
  alignas(64) std::atomic<std::uint32_t> round_{0};
  alignas(64) std::atomic<std::uint32_t> at_work_{0};
  std::atomic<bool> stop_{false};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  unsigned failed_item_ = 0;
};

}  // namespace caravan::sim
