// SPDX-License-Identifier: Apache-2.0
#include "workloads/ycsb/properties.hpp"

#include <cctype>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "models/base/errors.hpp"
#include "models/base/text.hpp"

namespace caravan::workloads {
namespace {

constexpr std::string_view kBlank = " \t\f";

/// UTF-8 of one 16-bit code unit; a surrogate is encoded as it stands.
void append_utf8(std::string& out, unsigned c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

std::string unescape(std::string_view text, const std::string& place) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      if (text[i] != '\\') out += text[i];
      continue;
    }
    const char c = text[++i];
    switch (c) {
      case 't':
        out += '\t';
        break;
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 'f':
        out += '\f';
        break;
      case 'u': {
        const auto digits = text.substr(i + 1, 4);
        unsigned code = 0;
        bool good = digits.size() == 4;
        for (const char d : digits) {
          good = good && std::isxdigit(static_cast<unsigned char>(d));
          const int lower = std::tolower(static_cast<unsigned char>(d));
          code = code * 16 + static_cast<unsigned>(std::isdigit(lower) ? lower - '0' : lower - 'a' + 10);
        }
        if (!good) throw base::UserError(fmt::format("{}: '\\u{}': \\u needs four hexadecimal digits", place, digits));
        append_utf8(out, code);
        i += 4;
        break;
      }
      default:
        out += c;
    }
  }
  return out;
}

bool continues(std::string_view line) {
  std::size_t backslashes = 0;
  while (backslashes < line.size() && line[line.size() - 1 - backslashes] == '\\') ++backslashes;
  return backslashes % 2 == 1;
}

std::string_view without_indent(std::string_view line) {
  const auto first = line.find_first_not_of(kBlank);
  return first == std::string_view::npos ? std::string_view() : line.substr(first);
}

/// Where the name ends: the first '=', ':' or blank that no backslash escapes.
std::size_t name_end(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '=' || line[i] == ':' || kBlank.find(line[i]) != std::string_view::npos) {
      return i;
    }
  }
  return line.size();
}

std::string escape(std::string_view text, bool is_name) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool special = is_name ? (c == '=' || c == ':' || c == ' ' || c == '#' || c == '!') : (c == ' ' && i == 0);
    if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\f')
      out += "\\f";
    else {
      if (special || c == '\\') out += '\\';
      out += c;
    }
  }
  return out;
}

}  // namespace

Properties Properties::from_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || std::filesystem::is_directory(path) || !(text << in.rdbuf())) {
    throw base::UserError(fmt::format("{}: the property file can't be read", path.string()));
  }
  return from_text(text.str(), path.string());
}

Properties Properties::from_text(std::string_view text, const std::string& name) {
  Properties properties;
  properties.name_ = name;
  std::string pending;
  bool continued = false;
  std::size_t first_line = 0;
  std::size_t number = 0;
  auto lines = base::split(text, '\n');
  lines.emplace_back();  // closes a continuation at the end of the file
  for (auto& raw : lines) {
    ++number;
    if (!raw.empty() && raw.back() == '\r') raw.pop_back();
    auto line = without_indent(raw);
    if (!continued) {
      if (line.empty() || line.front() == '#' || line.front() == '!') continue;
      pending.clear();
      first_line = number;
    }
    continued = continues(line);
    if (continued) line.remove_suffix(1);
    pending += line;
    if (continued) continue;
    const std::string place = fmt::format("{}:{}", name, first_line);
    const std::string_view whole = pending;
    const auto end = name_end(whole);
    auto value = without_indent(whole.substr(end));
    if (!value.empty() && (value.front() == '=' || value.front() == ':')) value = without_indent(value.substr(1));
    properties.all_[unescape(whole.substr(0, end), place)] = {unescape(value, place), place};
  }
  return properties;
}

void Properties::set(const std::string& assignment) {
  const std::string place = "command line (-p " + assignment + ")";
  const auto equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw base::UserError(place + ": expected name=value, such as -p operationcount=100000");
  }
  all_[std::string(base::trim(assignment.substr(0, equals)))] = {std::string(base::trim(assignment.substr(equals + 1))),
                                                                 place};
}

const Property* Properties::find(const std::string& name) const {
  const auto found = all_.find(name);
  return found == all_.end() ? nullptr : &found->second;
}

std::string Properties::to_text() const {
  std::string out;
  for (const auto& [name, property] : all_) out += escape(name, true) + "=" + escape(property.value, false) + "\n";
  return out;
}

}  // namespace caravan::workloads
