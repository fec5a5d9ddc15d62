// SPDX-License-Identifier: Apache-2.0
// Strong types for time, clock cycles, sizes and rates. No bare integer means a time.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace caravan::base {

/// Simulated time: signed picoseconds since the start of the run. Range about ±106 days.
class Time {
 public:
  constexpr Time() = default;
  static constexpr Time ps(std::int64_t v) { return Time(v); }
  static constexpr Time ns(std::int64_t v) { return Time(v * 1'000); }
  static constexpr Time us(std::int64_t v) { return Time(v * 1'000'000); }
  static constexpr Time ms(std::int64_t v) { return Time(v * 1'000'000'000); }
  /// Later than anything: "never by itself".
  static constexpr Time never() { return Time(std::numeric_limits<std::int64_t>::max()); }

  constexpr std::int64_t in_ps() const { return ps_; }
  constexpr double in_ns() const { return static_cast<double>(ps_) / 1e3; }
  constexpr double in_us() const { return static_cast<double>(ps_) / 1e6; }
  constexpr double in_s() const { return static_cast<double>(ps_) / 1e12; }
  constexpr bool is_never() const { return ps_ == never().ps_; }

  constexpr auto operator<=>(const Time&) const = default;
  /// Sums saturate at never(), so that a deadline derived from never() stays never().
  constexpr Time operator+(Time o) const { return (is_never() || o.is_never()) ? never() : Time(ps_ + o.ps_); }
  constexpr Time operator-(Time o) const { return is_never() ? never() : Time(ps_ - o.ps_); }
  constexpr Time operator*(std::int64_t n) const { return Time(ps_ * n); }
  constexpr std::int64_t operator/(Time o) const { return ps_ / o.ps_; }
  constexpr Time operator%(Time o) const { return Time(ps_ % o.ps_); }
  constexpr Time& operator+=(Time o) { return *this = *this + o; }
  constexpr Time& operator-=(Time o) { return *this = *this - o; }

 private:
  explicit constexpr Time(std::int64_t v) : ps_(v) {}
  std::int64_t ps_ = 0;
};

/// A count of clock cycles of one node.
class Cycles {
 public:
  constexpr Cycles() = default;
  explicit constexpr Cycles(std::uint64_t n) : n_(n) {}
  static constexpr Cycles never() { return Cycles(std::numeric_limits<std::uint64_t>::max()); }
  constexpr std::uint64_t count() const { return n_; }
  constexpr bool is_never() const { return n_ == never().n_; }
  constexpr auto operator<=>(const Cycles&) const = default;
  constexpr Cycles operator+(Cycles o) const { return (is_never() || o.is_never()) ? never() : Cycles(n_ + o.n_); }
  constexpr Cycles operator-(Cycles o) const { return Cycles(n_ - o.n_); }
  constexpr Cycles& operator+=(Cycles o) { return *this = *this + o; }
  constexpr Cycles& operator++() {
    ++n_;
    return *this;
  }
  constexpr Time at(Time period) const { return is_never() ? Time::never() : period * static_cast<std::int64_t>(n_); }

 private:
  std::uint64_t n_ = 0;
};

/// A size in bytes.
class Bytes {
 public:
  constexpr Bytes() = default;
  explicit constexpr Bytes(std::uint64_t n) : n_(n) {}
  static constexpr Bytes kib(std::uint64_t n) { return Bytes(n << 10); }
  static constexpr Bytes mib(std::uint64_t n) { return Bytes(n << 20); }
  constexpr std::uint64_t count() const { return n_; }
  constexpr auto operator<=>(const Bytes&) const = default;
  constexpr Bytes operator+(Bytes o) const { return Bytes(n_ + o.n_); }
  constexpr Bytes operator-(Bytes o) const { return Bytes(n_ - o.n_); }
  constexpr Bytes& operator+=(Bytes o) {
    n_ += o.n_;
    return *this;
  }

 private:
  std::uint64_t n_ = 0;
};

/// A data rate, exact in bits per second.
class Rate {
 public:
  constexpr Rate() = default;
  static constexpr Rate bps(std::uint64_t v) { return Rate(v); }
  static constexpr Rate gbps(std::uint64_t v) { return Rate(v * 1'000'000'000); }
  constexpr std::uint64_t in_bps() const { return bps_; }
  constexpr double in_gbps() const { return static_cast<double>(bps_) / 1e9; }
  constexpr auto operator<=>(const Rate&) const = default;
  /// Time to move `n` bytes, rounded up to a picosecond.
  constexpr Time time_for(Bytes n) const {
    constexpr std::uint64_t kScale = 8'000'000'000'000u;   // picoseconds a second, bits a byte
    if (n.count() <= kFrame && bps_ <= kFrame * kScale) {  // a frame: 64 bits do, and divide several times faster
      return Time::ps(static_cast<std::int64_t>((n.count() * kScale + bps_ - 1) / bps_));
    }
    const auto scaled = static_cast<unsigned __int128>(n.count()) * kScale;
    return Time::ps(static_cast<std::int64_t>((scaled + bps_ - 1) / bps_));
  }

 private:
  static constexpr std::uint64_t kFrame = 1'000'000;  // bytes; twice this times the scale still fits 64 bits
  explicit constexpr Rate(std::uint64_t v) : bps_(v) {}
  std::uint64_t bps_ = 0;
};

/// A 24-bit packet sequence number with modular comparison.
class Psn {
 public:
  static constexpr std::uint32_t kMask = 0xFFFFFF;
  constexpr Psn() = default;
  explicit constexpr Psn(std::uint32_t v) : v_(v & kMask) {}
  constexpr std::uint32_t value() const { return v_; }
  constexpr bool operator==(const Psn&) const = default;
  constexpr Psn operator+(std::uint32_t n) const { return Psn(v_ + n); }
  constexpr Psn operator-(std::uint32_t n) const { return Psn(v_ - n); }
  /// Signed distance `*this - o` in [-2^23, 2^23): the 24-bit difference as two's complement, as on the wire.
  constexpr std::int32_t distance_from(Psn o) const {
    const std::uint32_t d = (v_ - o.v_) & kMask;
    return d < 0x800000 ? static_cast<std::int32_t>(d) : static_cast<std::int32_t>(d) - 0x1000000;
  }

 private:
  std::uint32_t v_ = 0;
};

/// A 24-bit queue pair number.
class Qpn {
 public:
  static constexpr std::uint32_t kMask = 0xFFFFFF;
  constexpr Qpn() = default;
  explicit constexpr Qpn(std::uint32_t v) : v_(v & kMask) {}
  constexpr std::uint32_t value() const { return v_; }
  constexpr auto operator<=>(const Qpn&) const = default;

 private:
  std::uint32_t v_ = 0;
};

}  // namespace caravan::base
