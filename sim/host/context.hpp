// SPDX-License-Identifier: Apache-2.0
// A NIC as a host program sees it: memory, regions, completion queues, queue pairs.
//
// Everything is awaited that has to ask the NIC. One thread (the CPU of the device); coroutines take turns at co_await.
#pragma once

#include <coroutine>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/host/completion_queue.hpp"
#include "sim/host/device.hpp"
#include "sim/host/queue_pair.hpp"
#include "sim/host/task.hpp"
#include "sim/host/verbs.hpp"

namespace caravan::host {

/// Which part of the machine this context may use.
struct ContextOptions {
  std::uint64_t memory_first = 0x4000'0000;  ///< host memory for rings and buffers
  std::uint64_t memory_bytes = 0x4000'0000;
  unsigned first_region = 32, regions = 32;  ///< rows of the region table
  unsigned first_cq = 0, cqs = 64;
  std::uint32_t first_qpn = 128, qps = 128;  ///< given out when a program does not choose
};

struct ProtectionDomain {
  std::uint16_t number = 0;
};

/// A registered stretch of memory. Nothing is done when it goes out of scope: deregister().
struct MemoryRegion {
  std::uint32_t index = 0;
  std::uint64_t address = 0;  ///< virtual address of its first byte: memory class and offset
  std::uint64_t length = 0;
  std::uint32_t rkey = 0;
  RemoteBuffer remote(std::uint64_t offset = 0) const { return {address + offset, rkey}; }
  LocalBuffer local(std::uint64_t offset, std::uint32_t bytes) const { return {address + offset, bytes}; }
};

class Context {
 public:
  explicit Context(Device& device, ContextOptions options = {});
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();

  Device& device() { return device_; }

  // ---- Own address, neighbours: posted writes ----
  void set_address(std::uint64_t mac, std::uint32_t ip);
  void set_neighbour(unsigned row, std::uint64_t mac, std::uint32_t ip);

  // ---- Host memory: offsets; address_in(Memory::kHost, offset) is what work requests take ----
  /// UserError when the memory of this context is used up.
  std::uint64_t allocate(std::uint64_t bytes, std::uint64_t alignment = 64);
  void store(std::uint64_t offset, std::span<const std::uint8_t> bytes) { device_.memory_write(offset, bytes); }
  std::vector<std::uint8_t> load(std::uint64_t offset, std::size_t bytes) const;

  ProtectionDomain allocate_pd() { return {next_pd_++}; }
  Task<MemoryRegion> register_memory(ProtectionDomain pd, Memory memory, std::uint64_t offset, std::uint64_t length,
                                     Access access = {});
  /// Allocates host memory and registers it.
  Task<MemoryRegion> allocate_region(ProtectionDomain pd, std::uint64_t length, Access access = {});
  Task<> deregister(MemoryRegion region);

  // ---- Queues: owned by the context ----
  /// `depth`: a power of two, 1..32768.
  Task<CompletionQueue*> create_cq(unsigned depth);
  /// In state INIT.
  Task<QueuePair*> create_qp(ProtectionDomain pd, CompletionQueue& send, CompletionQueue& receive,
                             QueuePairOptions options = {});
  Task<> destroy_qp(QueuePair* qp);
  /// Whether a completion queue overran since the last call, and which one did last.
  Task<std::optional<std::uint32_t>> overrun();

  struct SleepAwaiter {
    Device& device;
    base::Time until;
    bool await_ready() const { return until <= device.now(); }
    void await_suspend(std::coroutine_handle<> h) const {
      device.call_at(until, [h] { h.resume(); });
    }
    void await_resume() const {}
  };
  SleepAwaiter sleep_until(base::Time at) { return {device_, at}; }
  SleepAwaiter sleep(base::Time duration) { return {device_, device_.now() + duration}; }

  // ---- For the objects of this folder ----
  /// Stages a row and has the NIC take it. VerbError when it refuses: `what` does not exist.
  Task<> command(std::uint16_t block, std::vector<std::uint32_t> words, std::uint32_t kind, std::uint32_t index,
                 const char* what);
  QueuePair* find_qp(std::uint32_t qpn);

 private:
  struct ReadAwaiter {
    Device& device;
    std::uint16_t address;
    std::uint32_t value = 0;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> h) {
      device.mmio_read(address, [this, h](std::uint32_t v) {
        value = v;
        h.resume();
      });
    }
    std::uint32_t await_resume() const { return value; }
  };
  /// The staging registers belong to one coroutine at a time.
  struct Lock {
    bool taken = false;
    std::deque<std::coroutine_handle<>> waiting;
    struct Awaiter {
      Lock& lock;
      bool await_ready() { return !lock.taken && (lock.taken = true); }
      void await_suspend(std::coroutine_handle<> h) { lock.waiting.push_back(h); }
      void await_resume() const {}
    };
    Awaiter acquire() { return {*this}; }
  };
  void release(Lock& lock);

  Device& device_;
  ContextOptions options_;
  std::uint64_t next_memory_;
  std::uint16_t next_pd_ = 1;
  std::vector<std::uint8_t> region_keys_;  // per row of ours: uses so far
  std::vector<bool> region_used_;
  Lock lock_;
  std::map<std::uint32_t, std::unique_ptr<CompletionQueue>> cqs_;
  std::map<std::uint32_t, std::unique_ptr<QueuePair>> qps_;
};

}  // namespace caravan::host
