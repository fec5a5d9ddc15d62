// SPDX-License-Identifier: Apache-2.0
// Unit benches for Verilated modules: clocking, stall patterns, ready/valid drivers.
//
// Two-phase: in one cycle every driver first decides its pins from its own state (drive), the model settles, every
// driver samples the handshake of the coming edge (sample), then the clock rises. So a driver never depends on call
// order.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <verilated.h>

#include "models/base/rng.hpp"

namespace caravan::support {

/// When a driver pauses. One object a driver: the pattern has state.
class StallPattern {
 public:
  enum class Kind { kNone, kEveryOther, kRandom, kBursts, kMostly };
  StallPattern(Kind kind, std::uint64_t seed = 1) : kind_(kind), rng_(seed, static_cast<std::uint64_t>(kind)) {}
  /// True when the driver pauses in this cycle.
  bool next() {
    switch (kind_) {
      case Kind::kNone:
        return false;
      case Kind::kEveryOther:
        return (count_++ & 1) != 0;
      case Kind::kRandom:
        return rng_.chance(0.5);
      case Kind::kMostly:
        return rng_.chance(0.9);
      case Kind::kBursts:
        if (left_ == 0) {
          left_ = 1 + rng_.below(12);
          paused_ = !paused_;
        }
        --left_;
        return paused_;
    }
    return false;
  }
  static constexpr Kind kAll[] = {Kind::kNone, Kind::kEveryOther, Kind::kRandom, Kind::kBursts, Kind::kMostly};
  static std::string name(Kind kind) {
    constexpr const char* kNames[] = {"none", "every-other", "random", "bursts", "mostly"};
    return kNames[static_cast<int>(kind)];
  }

 private:
  Kind kind_;
  base::Rng rng_;
  std::uint64_t count_ = 0, left_ = 0;
  bool paused_ = true;
};

/// A Verilated model with its own context, clock `clk_i` and reset `rst_i`; other copies of the clock see other_clocks.
template <class V>
class Bench {
 public:
  Bench() : context_(std::make_unique<VerilatedContext>()), top_(std::make_unique<V>(context_.get(), "top")) {
    context_->randReset(0);
    context_->assertOn(true);
  }
  ~Bench() { top_->final(); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  V& operator*() { return *top_; }
  V* operator->() { return top_.get(); }
  std::uint64_t cycle() const { return cycle_; }

  /// Drivers: `drive` sets input pins from own state; `sample` reads pins after the model has settled, before the edge.
  void add(std::function<void()> drive, std::function<void()> sample) {
    drive_.push_back(std::move(drive));
    sample_.push_back(std::move(sample));
  }
  /// From now on cycles in which `quiet` holds (asked after the pins have settled) get no rising edge, as the engine
  /// does it with block clocks. A module whose quiet_o is exact behaves the same.
  void gate(std::function<bool()> quiet) { quiet_ = std::move(quiet); }
  /// Copies of the clock beside clk_i: `set(false)` lowers them, `set(true)` raises those that are due, and says
  /// whether there were any.
  void other_clocks(std::function<bool(bool)> set) { others_ = std::move(set); }
  /// Cycles in which clk_i was gated so far.
  std::uint64_t gated() const { return gated_; }
  /// One clock cycle: drive, settle, sample, rising edge.
  void tick() {
    for (auto& f : drive_) f();
    settle();
    for (auto& f : sample_) f();
    const bool held = quiet_ && quiet_();
    if (held) ++gated_;
    rise(!held);
    context_->timeInc(1);
    ++cycle_;
  }
  /// As tick, but without the rising edge when `quiet` holds once the inputs have settled. True when the clock rose.
  bool tick_unless(const std::function<bool()>& quiet) {
    for (auto& f : drive_) f();
    settle();
    if (quiet()) return false;
    for (auto& f : sample_) f();
    rise(true);
    context_->timeInc(1);
    ++cycle_;
    return true;
  }
  void reset(int cycles = 3) {
    top_->rst_i = 1;
    for (int i = 0; i < cycles; ++i) {
      settle();
      rise(true);
      context_->timeInc(1);
    }
    top_->rst_i = 0;
    settle();
    cycle_ = 0;
  }
  /// Ticks until `done` or `limit` cycles; true when done.
  bool run_until(const std::function<bool()>& done, std::uint64_t limit) {
    for (std::uint64_t i = 0; i < limit; ++i) {
      if (done()) return true;
      tick();
    }
    return done();
  }

 private:
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<V> top_;
  void settle() {
    top_->clk_i = 0;
    if (others_) others_(false);
    top_->eval();
  }
  void rise(bool own) {
    const bool others = others_ && others_(true);
    if (own) top_->clk_i = 1;
    if (own || others) top_->eval();
  }

  std::function<bool(bool)> others_;
  std::vector<std::function<void()>> drive_, sample_;
  std::function<bool()> quiet_;
  std::uint64_t cycle_ = 0, gated_ = 0;
};

/// Feeds a ready/valid input. `put` writes the payload pins, `valid`/`ready` are the pins.
template <class T>
class Source {
 public:
  template <class B, class Put, class Valid, class Ready>
  Source(B& bench, StallPattern stall, Put put, Valid valid, Ready ready) : stall_(stall) {
    bench.add(
        [this, put, valid] {
          if (!offering_ && !queue_.empty() && !stall_.next()) offering_ = true;
          valid(offering_);
          if (offering_) put(queue_.front());
        },
        [this, ready, &bench] {
          if (offering_ && ready()) {
            sent_at_.push_back(bench.cycle());
            queue_.pop_front();
            offering_ = false;
          }
        });
  }
  void push(T item) { queue_.push_back(std::move(item)); }
  bool empty() const { return queue_.empty(); }
  const std::vector<std::uint64_t>& sent_at() const { return sent_at_; }

 private:
  StallPattern stall_;
  std::deque<T> queue_;
  std::vector<std::uint64_t> sent_at_;
  bool offering_ = false;
};

/// Drains a ready/valid output. `get` reads the payload pins.
template <class T>
class Sink {
 public:
  template <class B, class Get, class Valid, class Ready>
  Sink(B& bench, StallPattern stall, Get get, Valid valid, Ready ready) : stall_(stall) {
    bench.add(
        [this, ready] {
          taking_ = !stall_.next();
          ready(taking_);
        },
        [this, get, valid, &bench] {
          if (taking_ && valid()) {
            items_.push_back(get());
            at_.push_back(bench.cycle());
          }
        });
  }
  const std::vector<T>& items() const { return items_; }
  const std::vector<std::uint64_t>& at() const { return at_; }
  void clear() {
    items_.clear();
    at_.clear();
  }

 private:
  StallPattern stall_;
  std::vector<T> items_;
  std::vector<std::uint64_t> at_;
  bool taking_ = false;
};

/// Field access for packed structs on pins: `lsb` and `width` count bits from bit 0 of the port.
template <class Wide>
std::uint64_t get_bits(const Wide& wide, unsigned lsb, unsigned width) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < width; ++i) {
    const unsigned bit = lsb + i;
    value |= static_cast<std::uint64_t>((wide[bit / 32] >> (bit % 32)) & 1u) << i;
  }
  return value;
}
template <class Wide>
void set_bits(Wide& wide, unsigned lsb, unsigned width, std::uint64_t value) {
  for (unsigned i = 0; i < width; ++i) {
    const unsigned bit = lsb + i;
    const std::uint32_t mask = 1u << (bit % 32);
    wide[bit / 32] = ((value >> i) & 1u) ? (wide[bit / 32] | mask) : (wide[bit / 32] & ~mask);
  }
}

}  // namespace caravan::support
