// SPDX-License-Identifier: Apache-2.0
// The words of one control line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/packet/headers.hpp"

namespace caravan::sim {

class Arguments {
 public:
  /// Words are separated by blanks.
  explicit Arguments(std::string_view line);

  bool empty() const { return words_.empty(); }
  /// The command.
  const std::string& word() const { return words_.front(); }
  /// Number of arguments after the command.
  std::size_t count() const { return words_.size() - 1; }
  /// Argument i, from 0.
  const std::string& text(std::size_t i) const { return words_.at(i + 1); }
  /// Argument i as an unsigned decimal, 0x or octal number up to `max`; UserError names it by `name` otherwise.
  std::uint64_t number(std::size_t i, std::string_view name, std::uint64_t max = ~0ull) const;
  std::uint32_t number32(std::size_t i, std::string_view name, std::uint32_t max = 0xFFFFFFFF) const {
    return static_cast<std::uint32_t>(number(i, name, max));
  }
  /// number(i), or `otherwise` when there are fewer arguments.
  std::uint64_t number_or(std::size_t i, std::string_view name, std::uint64_t otherwise,
                          std::uint64_t max = ~0ull) const {
    return i < count() ? number(i, name, max) : otherwise;
  }
  /// "10.0.0.2" or "::ffff:10.0.0.2".
  packet::Ipv4Addr address(std::size_t i, std::string_view name) const;
  /// Takes one-letter flags of `letters` off the end and returns them.
  std::string take_flags(std::string_view letters);
  /// The arguments from i on, joined by blanks.
  std::string rest(std::size_t i) const;

 private:
  std::vector<std::string> words_;
};

}  // namespace caravan::sim
