// SPDX-License-Identifier: Apache-2.0
// Text helpers: quantities with units, edit distance, splitting. Every parser here returns nullopt or throws a
// QuantityError with the reason; who calls it adds the place.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/units.hpp"

namespace caravan::base {

/// A clock frequency, exact in hertz.
class Frequency {
 public:
  constexpr Frequency() = default;
  static constexpr Frequency hz(std::uint64_t v) { return Frequency(v); }
  static constexpr Frequency mhz(std::uint64_t v) { return Frequency(v * 1'000'000); }
  constexpr std::uint64_t in_hz() const { return hz_; }
  constexpr double in_mhz() const { return static_cast<double>(hz_) / 1e6; }
  constexpr auto operator<=>(const Frequency&) const = default;
  /// One period, rounded to a picosecond.
  constexpr Time period() const { return Time::ps(static_cast<std::int64_t>((1'000'000'000'000ull + hz_ / 2) / hz_)); }

 private:
  explicit constexpr Frequency(std::uint64_t v) : hz_(v) {}
  std::uint64_t hz_ = 0;
};

/// Why a quantity's text can't be read: a clause without the value and the place.
class QuantityError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "850ns", "1.5us": units ps ns us ms s. Throws QuantityError.
Time parse_time(std::string_view text);
/// "100Gbps": units bps kbps Mbps Gbps. Throws QuantityError.
Rate parse_rate(std::string_view text);
/// "64KiB": units B KiB MiB GiB. Throws QuantityError.
Bytes parse_bytes(std::string_view text);
/// "250MHz": units Hz kHz MHz GHz. Throws QuantityError.
Frequency parse_frequency(std::string_view text);

/// The shortest exact text with the largest unit that gives a whole number; reads back to the same value.
std::string to_text(Time v);
std::string to_text(Rate v);
std::string to_text(Bytes v);
std::string to_text(Frequency v);

/// Whole text as a decimal or 0x integer; nullopt when it is anything else or does not fit.
std::optional<std::int64_t> parse_integer(std::string_view text);
/// Whole text as a finite decimal number.
std::optional<double> parse_real(std::string_view text);
/// The shortest text that reads back to the same double.
std::string to_text(double v);
std::string to_text(std::int64_t v);

/// Levenshtein distance in characters, without regard to case.
std::size_t edit_distance(std::string_view a, std::string_view b);
/// The candidate nearest to `word`; nullopt when none is near enough to be a likely slip.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

std::string_view trim(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);
/// TOML basic string with quotes and escapes.
std::string quote(std::string_view text);

}  // namespace caravan::base
