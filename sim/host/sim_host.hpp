// SPDX-License-Identifier: Apache-2.0
// The host of a simulated node: one CPU core that runs coroutines, with what its work and its registers cost in time.
//
// The core does one thing at a time: a call that is due while it works waits. Polling costs no events: a polling loop
// looks at fixed instants (host_poll apart, from the moment it began), so the instant at which it finds an entry
// follows from when that entry became visible. Other coroutines get the core between two looks.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <vector>

#include "models/base/i_host.hpp"
#include "sim/host/context.hpp"
#include "sim/host/device.hpp"
#include "sim/host/task.hpp"

namespace caravan::host {

/// Constants of the calibration table (timing.host_*).
struct HostTiming {
  base::Time post = base::Time::ns(20);
  base::Time poll = base::Time::ns(20);
  base::Time mmio_write = base::Time::ns(70);
  base::Time mmio_read = base::Time::ns(750);
  base::Time interrupt = base::Time::us(3);
};

class SimHost final : public base::HostProgram, private Device {
 public:
  using Program = std::function<Task<>(Context&)>;

  explicit SimHost(HostTiming timing = {}, ContextOptions options = {});
  ~SimHost() override;

  /// A program to run from `at` on; several take turns on the core. Before the node runs.
  void start(Program program, base::Time at = {});
  Context& context() { return *context_; }

  /// All programs have come to their end.
  bool done() const override;
  /// Throws what a program has thrown.
  void check() const;

  // base::HostProgram
  void connect(base::HostBus& bus, base::Time now) override;
  void run(base::Time now) override;
  base::Time next_activity() const override;
  void mmio_answer(std::uint64_t tag, std::uint32_t value, base::Time at) override;
  void memory_landed(std::uint64_t address, base::Time at) override;
  void interrupt(std::uint32_t cqn, base::Time at) override;

 private:
  struct Due {
    base::Time at;
    std::uint64_t order = 0;  // calls of one time in the order in which they were asked for
    Call call;
    bool operator>(const Due& o) const { return at != o.at ? at > o.at : order > o.order; }
  };
  struct Watch {
    base::Time began;
    Call call;
  };
  struct Root {
    Program program;  // owns what its coroutine refers to
    std::unique_ptr<Task<>> task;
  };

  // Device
  base::Time now() const override { return now_; }
  void work(Work kind) override;
  void mmio_write(std::uint16_t address, std::uint32_t value) override;
  void mmio_read(std::uint16_t address, std::function<void(std::uint32_t)> done) override;
  void memory_read(std::uint64_t address, std::span<std::uint8_t> to) const override;
  void memory_write(std::uint64_t address, std::span<const std::uint8_t> from) override;
  void call_at(base::Time at, Call call) override;
  void call_when_written(std::uint64_t line, Call call) override;
  void on_event(std::function<void(std::uint32_t)> call) override { event_ = std::move(call); }

  HostTiming timing_;
  base::HostBus* bus_ = nullptr;
  /// When an access made now reaches the node: in order with those before it.
  base::Time arrival(base::Time latency);

  base::Time last_arrival_;
  base::Time now_;  // of the program; while it works it may be ahead of the node
  std::uint64_t order_ = 0, tag_ = 0;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::map<std::uint64_t, std::vector<Watch>> watches_;
  std::map<std::uint64_t, std::function<void(std::uint32_t)>> reads_;
  std::function<void(std::uint32_t)> event_;
  std::unique_ptr<Context> context_;
  std::vector<std::unique_ptr<Root>> roots_;
};

}  // namespace caravan::host
