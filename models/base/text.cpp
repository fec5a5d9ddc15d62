// SPDX-License-Identifier: Apache-2.0
#include "models/base/text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>

namespace caravan::base {
namespace {

struct UnitScale {
  std::string_view name;
  std::uint64_t scale;  ///< in the smallest unit, which comes first
};

constexpr UnitScale kTimeUnits[] = {
    {"ps", 1}, {"ns", 1'000}, {"us", 1'000'000}, {"ms", 1'000'000'000}, {"s", 1'000'000'000'000}};
constexpr UnitScale kRateUnits[] = {{"bps", 1}, {"kbps", 1'000}, {"Mbps", 1'000'000}, {"Gbps", 1'000'000'000}};
constexpr UnitScale kByteUnits[] = {{"B", 1}, {"KiB", 1ull << 10}, {"MiB", 1ull << 20}, {"GiB", 1ull << 30}};
constexpr UnitScale kFrequencyUnits[] = {{"Hz", 1}, {"kHz", 1'000}, {"MHz", 1'000'000}, {"GHz", 1'000'000'000}};

std::string unit_names(std::span<const UnitScale> units) {
  std::string names;
  for (const auto& unit : units) names += (names.empty() ? "" : ", ") + std::string(unit.name);
  return names;
}

/// Exact decimal arithmetic: the digits as one integer, then the unit's scale, then the decimal places divided out.
std::uint64_t parse_quantity(std::string_view text, std::span<const UnitScale> units, std::string_view what,
                             std::string_view example) {
  text = trim(text);
  std::uint64_t digits = 0;
  std::uint64_t places = 1;
  bool any = false;
  bool after_point = false;
  std::size_t at = 0;
  const auto too_big = [&] { return QuantityError(fmt::format("too large for {}", what)); };
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '_' && any) continue;
    if (c == '.' && !after_point && any) {
      after_point = true;
      continue;
    }
    if (c < '0' || c > '9') break;
    any = true;
    if (digits > (std::numeric_limits<std::int64_t>::max() - 9) / 10) throw too_big();
    digits = digits * 10 + static_cast<std::uint64_t>(c - '0');
    if (after_point) places *= 10;
  }
  if (!any) throw QuantityError(fmt::format("expected {} such as \"{}\"", what, example));
  const std::string_view unit = trim(text.substr(at));
  if (unit.empty()) {
    throw QuantityError(
        fmt::format("the unit is missing; write {} as \"{}\" (units: {})", what, example, unit_names(units)));
  }
  for (const auto& candidate : units) {
    if (candidate.name != unit) continue;
    const auto scaled = static_cast<unsigned __int128>(digits) * candidate.scale;
    if (scaled % places != 0) {
      throw QuantityError(fmt::format("finer than 1 {}, the smallest step of {}", units.front().name, what));
    }
    if (scaled / places > static_cast<unsigned __int128>(std::numeric_limits<std::int64_t>::max())) throw too_big();
    return static_cast<std::uint64_t>(scaled / places);
  }
  throw QuantityError(fmt::format("unknown unit '{}'; {} has the units {}", unit, what, unit_names(units)));
}

std::string quantity_text(std::uint64_t v, std::span<const UnitScale> units) {
  std::size_t i = units.size() - 1;
  while (i > 0 && (v == 0 || v % units[i].scale != 0)) --i;
  if (v == 0) i = std::min<std::size_t>(1, units.size() - 1);
  return fmt::format("{}{}", v / units[i].scale, units[i].name);
}

}  // namespace

Time parse_time(std::string_view text) {
  return Time::ps(static_cast<std::int64_t>(parse_quantity(text, kTimeUnits, "a time", "850ns")));
}
Rate parse_rate(std::string_view text) { return Rate::bps(parse_quantity(text, kRateUnits, "a data rate", "100Gbps")); }
Bytes parse_bytes(std::string_view text) { return Bytes(parse_quantity(text, kByteUnits, "a size", "64KiB")); }
Frequency parse_frequency(std::string_view text) {
  return Frequency::hz(parse_quantity(text, kFrequencyUnits, "a frequency", "250MHz"));
}

std::string to_text(Time v) {
  if (v.is_never()) return "never";
  if (v < Time()) return "-" + quantity_text(static_cast<std::uint64_t>(-v.in_ps()), kTimeUnits);
  return quantity_text(static_cast<std::uint64_t>(v.in_ps()), kTimeUnits);
}
std::string to_text(Rate v) { return quantity_text(v.in_bps(), kRateUnits); }
std::string to_text(Bytes v) { return v.count() == 0 ? "0B" : quantity_text(v.count(), kByteUnits); }
std::string to_text(Frequency v) { return quantity_text(v.in_hz(), kFrequencyUnits); }

std::optional<std::int64_t> parse_integer(std::string_view text) {
  text = trim(text);
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    base = 16;
    text.remove_prefix(2);
  }
  if (text.empty() || !std::isxdigit(static_cast<unsigned char>(text.front()))) return std::nullopt;
  std::int64_t v = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return negative ? -v : v;
}

std::optional<double> parse_real(std::string_view text) {
  text = trim(text);
  double v = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || !std::isfinite(v))
    return std::nullopt;
  return v;
}

std::string to_text(std::int64_t v) { return fmt::format("{}", v); }
std::string to_text(double v) { return fmt::format("{}", v); }

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  const std::string* best = nullptr;
  std::size_t best_distance = word.size() / 3 + 2;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = &candidate;
    }
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\f";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const auto end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string joined;
  for (const auto& part : parts) {
    if (&part != &parts.front()) joined += separator;
    joined += part;
  }
  return joined;
}

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace caravan::base
