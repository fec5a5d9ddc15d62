// SPDX-License-Identifier: Apache-2.0
#include "sim/control/arguments.hpp"

#include <charconv>

#include <fmt/format.h>

#include "models/base/errors.hpp"

namespace caravan::sim {
namespace {

std::optional<std::uint64_t> parse_number(std::string_view text) {
  int radix = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    radix = 16;
  } else if (text.size() > 1 && text.front() == '0') {
    radix = 8;  // as strtoull reads it in the guest
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, radix);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Arguments::Arguments(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r\n";
  for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;
       at = line.find_first_not_of(kBlanks, at)) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words_.emplace_back(line.substr(at, end - at));
    at = end;
  }
}

std::uint64_t Arguments::number(std::size_t i, std::string_view name, std::uint64_t max) const {
  const auto value = parse_number(text(i));
  if (!value) throw base::UserError(fmt::format("{} '{}' is no number", name, text(i)));
  if (*value > max) throw base::UserError(fmt::format("{} {} is not in 0 .. {}", name, text(i), max));
  return *value;
}

packet::Ipv4Addr Arguments::address(std::size_t i, std::string_view name) const {
  std::string plain = text(i);
  constexpr std::string_view kMapped = "::ffff:";
  if (plain.starts_with(kMapped)) plain.erase(0, kMapped.size());
  const auto ip = packet::parse_ipv4(plain);
  if (!ip) throw base::UserError(fmt::format("{} '{}' is no IPv4 address", name, text(i)));
  return *ip;
}

std::string Arguments::take_flags(std::string_view letters) {
  std::string flags;
  while (words_.size() > 1 && words_.back().size() == 1 && letters.find(words_.back()[0]) != std::string_view::npos) {
    flags += words_.back();
    words_.pop_back();
  }
  return flags;
}

std::string Arguments::rest(std::size_t i) const {
  std::string joined;
  for (; i < count(); ++i) joined += (joined.empty() ? "" : " ") + text(i);
  return joined;
}

}  // namespace caravan::sim
