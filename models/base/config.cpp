// SPDX-License-Identifier: Apache-2.0
#include "models/base/config.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/config_document.hpp"

namespace caravan::base {
namespace {

bool is_key_part(const std::string& part) {
  return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
  });
}

bool is_index(const std::string& part) {
  return !part.empty() && part.size() < 6 &&
         std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string what_is(const toml::parse_error& error) {
  std::string text(error.description());
  return text.empty() ? "not valid TOML" : text;
}

nlohmann::ordered_json json_of(const toml::node& node) {
  if (const auto* v = node.as_integer()) return v->get();
  if (const auto* v = node.as_floating_point()) return v->get();
  if (const auto* v = node.as_boolean()) return v->get();
  if (const auto* v = node.as_string()) return v->get();
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  if (const auto* v = node.as_array()) {
    for (const auto& element : *v) list.push_back(json_of(element));
  }
  return list;
}

}  // namespace

std::string node_text(const toml::node& node) {
  if (const auto* v = node.as_string()) return quote(v->get());
  if (node.is_table()) return "{...}";
  if (const auto* list = node.as_array()) {
    std::vector<std::string> parts;
    for (const auto& element : *list) parts.push_back(node_text(element));
    return "[" + join(parts, ", ") + "]";
  }
  std::ostringstream out;
  node.visit([&](const auto& v) {
    if constexpr (toml::is_value<decltype(v)>) out << v;
  });
  return out.str();
}

const toml::node* Config::Document::find(std::string_view key) const {
  const toml::node* node = &root;
  for (const auto& part : split(key, '.')) {
    if (const auto* table = node->as_table()) {
      node = table->get(part);
    } else if (const auto* list = node->as_array(); list != nullptr && is_index(part)) {
      node = list->get(static_cast<std::size_t>(std::stoul(part)));
    } else {
      return nullptr;
    }
    if (node == nullptr) return nullptr;
  }
  return node;
}

std::string Config::Document::origin(const std::string& key, const toml::node& node) const {
  for (std::string prefix = key; !prefix.empty();) {
    if (const auto found = set.find(prefix); found != set.end()) return "command line (--set " + found->second + ")";
    const auto dot = prefix.rfind('.');
    prefix = dot == std::string::npos ? "" : prefix.substr(0, dot);
  }
  const auto line = node.source().begin.line;
  return line == 0 ? name : fmt::format("{}:{}", name, line);
}

Config::Config(std::unique_ptr<Document> document) : document_(std::move(document)) {}
Config::Config(Config&&) noexcept = default;
Config& Config::operator=(Config&&) noexcept = default;
Config::~Config() = default;

Config Config::from_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || std::filesystem::is_directory(path) || !(text << in.rdbuf())) {
    throw UserError(fmt::format("{}: the configuration file can't be read", path.string()));
  }
  auto config = from_text(text.str(), path.string());
  config.document_->folder = path.parent_path();
  return config;
}

Config Config::from_text(std::string_view text, const std::string& name) {
  auto document = std::make_unique<Document>();
  document->name = name;
  try {
    document->root = toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    throw UserError(fmt::format("{}:{}: {}", name, error.source().begin.line, what_is(error)));
  }
  return Config(std::move(document));
}

Config Config::empty() { return from_text("", "defaults"); }

const std::filesystem::path& Config::folder() const { return document_->folder; }

void Config::set(const std::string& assignment) {
  const std::string place = "command line (--set " + assignment + ")";
  const auto equals = assignment.find('=');
  if (equals == std::string::npos) throw UserError(place + ": expected key=value, such as --set run.threads=2");
  const std::string key(trim(std::string_view(assignment).substr(0, equals)));
  const std::string value(trim(std::string_view(assignment).substr(equals + 1)));
  const auto parts = split(key, '.');
  if (!std::all_of(parts.begin(), parts.end(), is_key_part)) {
    throw UserError(fmt::format("{}: '{}' is no key; a key is names joined by dots, such as run.threads", place, key));
  }

  toml::table holder;
  try {
    holder = toml::parse("v = " + value);
    if (holder.size() != 1) holder.clear();
  } catch (const toml::parse_error&) { holder.clear(); }
  if (holder.empty()) holder.insert("v", value);

  toml::node* at = &document_->root;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    toml::node* next = nullptr;
    if (auto* table = at->as_table()) {
      if (table->get(parts[i]) == nullptr) table->insert(parts[i], toml::table{});
      next = table->get(parts[i]);
    } else if (auto* list = at->as_array(); list != nullptr && is_index(parts[i])) {
      next = list->get(static_cast<std::size_t>(std::stoul(parts[i])));
      if (next == nullptr) {
        throw UserError(fmt::format("{}: there is no element {}; the list has {}", place, parts[i], list->size()));
      }
    }
    if (next == nullptr || !(next->is_table() || next->is_array())) {
      throw UserError(fmt::format("{}: '{}' holds no further keys", place, parts[i]));
    }
    at = next;
  }
  auto* table = at->as_table();
  if (table == nullptr) {
    throw UserError(fmt::format("{}: name an element of the list, such as {}.0.{}", place,
                                parts.size() > 1 ? parts[parts.size() - 2] : key, parts.back()));
  }
  holder.get("v")->visit([&](auto& v) { table->insert_or_assign(parts.back(), std::move(v)); });
  document_->set[key] = assignment;
}

std::string to_toml(const std::vector<ResolvedValue>& values) {
  std::string out;
  std::string section;
  for (const auto& value : values) {
    const auto dot = value.key.rfind('.');
    const std::string here = dot == std::string::npos ? "" : value.key.substr(0, dot);
    if (here != section) {
      section = here;
      // "fault.3" is the fourth element of a list of tables.
      const auto last = here.rfind('.');
      const bool element = last != std::string::npos && is_index(here.substr(last + 1));
      out += element ? fmt::format("\n[[{}]]\n", here.substr(0, last)) : fmt::format("\n[{}]\n", here);
    }
    out += fmt::format("{} = {}\n", dot == std::string::npos ? value.key : value.key.substr(dot + 1), value.text);
  }
  return out.empty() || out.front() != '\n' ? out : out.substr(1);
}

nlohmann::ordered_json to_json(const std::vector<ResolvedValue>& values,
                               const std::function<bool(const std::string&)>& skip) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const auto& value : values) {
    if (skip(value.key)) continue;
    nlohmann::ordered_json* at = &out;
    for (const auto& part : split(value.key, '.')) {
      if (is_index(part)) {
        if (!at->is_array()) *at = nlohmann::ordered_json::array();
        const auto index = static_cast<std::size_t>(std::stoul(part));
        while (at->size() <= index) at->push_back(nlohmann::ordered_json::object());
        at = &(*at)[index];
      } else {
        at = &(*at)[part];
      }
    }
    *at = json_of(*toml::parse("v = " + value.text).get("v"));
  }
  return out;
}

}  // namespace caravan::base
