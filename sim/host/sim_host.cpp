// SPDX-License-Identifier: Apache-2.0
#include "sim/host/sim_host.hpp"

#include <algorithm>

#include "models/base/errors.hpp"

namespace caravan::host {

using base::Time;

SimHost::SimHost(HostTiming timing, ContextOptions options)
    : timing_(timing), context_(std::make_unique<Context>(static_cast<Device&>(*this), options)) {
  if (timing.poll <= Time()) throw base::UserError("timing.host_poll must be above zero: a polling loop takes time");
}

SimHost::~SimHost() {
  // Coroutines before the context that they use.
  roots_.clear();
  context_.reset();
}

void SimHost::start(Program program, Time at) {
  roots_.push_back(std::make_unique<Root>());
  Root* root = roots_.back().get();
  root->program = std::move(program);
  call_at(at, [this, root] {
    root->task = std::make_unique<Task<>>(root->program(*context_));
    root->task->start();
  });
}

bool SimHost::done() const {
  return std::all_of(roots_.begin(), roots_.end(), [](const auto& r) { return r->task != nullptr && r->task->done(); });
}

void SimHost::check() const {
  for (const auto& root : roots_) {
    if (root->task != nullptr && root->task->done()) root->task->result();
  }
}

void SimHost::connect(base::HostBus& bus, Time now) {
  bus_ = &bus;
  now_ = std::max(now_, now);
}

void SimHost::run(Time now) {
  while (!due_.empty() && due_.top().at <= now) {
    Due next = due_.top();
    due_.pop();
    if (next.at < now_) {  // the core is busy until now_
      next.at = now_;
      due_.push(std::move(next));
      continue;
    }
    now_ = next.at;
    next.call();
  }
}

Time SimHost::next_activity() const { return due_.empty() ? Time::never() : std::max(due_.top().at, Time()); }

void SimHost::mmio_answer(std::uint64_t tag, std::uint32_t value, Time at) {
  const auto found = reads_.find(tag);
  BUG_IF(found == reads_.end(), "an answer to a register read that nobody made");
  // The way there was half of the latency.
  call_at(at + (timing_.mmio_read - Time::ps(timing_.mmio_read.in_ps() / 2)),
          [done = std::move(found->second), value] { done(value); });
  reads_.erase(found);
}

void SimHost::memory_landed(std::uint64_t address, Time at) {
  const auto found = watches_.find(address);
  if (found == watches_.end()) return;
  auto watches = std::move(found->second);
  watches_.erase(found);
  for (Watch& watch : watches) {
    const Time since = std::max(at - watch.began, Time());
    const std::int64_t turns = (since.in_ps() + timing_.poll.in_ps() - 1) / timing_.poll.in_ps();
    call_at(watch.began + timing_.poll * turns, std::move(watch.call));
  }
}

void SimHost::interrupt(std::uint32_t cqn, Time at) {
  call_at(at + timing_.interrupt, [this, cqn] {
    if (event_) event_(cqn);
  });
}

void SimHost::work(Work kind) { now_ += kind == Work::kPost ? timing_.post : timing_.poll; }

Time SimHost::arrival(Time latency) { return last_arrival_ = std::max(last_arrival_, now_ + latency); }

void SimHost::mmio_write(std::uint16_t address, std::uint32_t value) {
  bus_->mmio_write(address, value, arrival(timing_.mmio_write));
}

void SimHost::mmio_read(std::uint16_t address, std::function<void(std::uint32_t)> done) {
  const std::uint64_t tag = tag_++;
  reads_.emplace(tag, std::move(done));
  bus_->mmio_read(address, tag, arrival(Time::ps(timing_.mmio_read.in_ps() / 2)));
}

void SimHost::memory_read(std::uint64_t address, std::span<std::uint8_t> to) const { bus_->memory_read(address, to); }
void SimHost::memory_write(std::uint64_t address, std::span<const std::uint8_t> from) {
  bus_->memory_write(address, from);
}

void SimHost::call_at(Time at, Call call) { due_.push({std::max(at, now_), order_++, std::move(call)}); }
void SimHost::call_when_written(std::uint64_t line, Call call) { watches_[line].push_back({now_, std::move(call)}); }

}  // namespace caravan::host
