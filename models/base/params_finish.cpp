// SPDX-License-Identifier: Apache-2.0
// The keys that nobody read: which is first, and what the user may have meant.
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "models/base/config.hpp"
#include "models/base/config_document.hpp"

namespace caravan::base {

void Params::finish() const {
  struct Unknown {
    std::string at;   ///< concrete: "fault.0.x"
    std::string key;  ///< as declared: "fault[].x"
    const toml::node* node;
  };
  std::vector<Unknown> unknown;
  std::vector<std::string> sections;
  for (const auto& info : state_->declared) {
    for (auto dot = info.key.find('.'); dot != std::string::npos; dot = info.key.find('.', dot + 1)) {
      sections.push_back(info.key.substr(0, dot));
    }
  }
  const auto is_section = [&](const std::string& key) {
    return std::find(sections.begin(), sections.end(), key) != sections.end();
  };
  // `key` is concrete ("fault.0.x"), `declared` has the list marks ("fault[].x").
  const std::function<void(const toml::node&, const std::string&, const std::string&)> walk =
      [&](const toml::node& node, const std::string& key, const std::string& declared) {
        if (const auto* table = node.as_table(); table != nullptr && (key.empty() || is_section(declared))) {
          for (const auto& [name, child] : *table) {
            const std::string tail = (key.empty() ? "" : ".") + std::string(name.str());
            walk(child, key + tail, declared + tail);
          }
          return;
        }
        if (const auto* list = node.as_array(); list != nullptr && is_section(declared + "[]")) {
          for (std::size_t i = 0; i < list->size(); ++i)
            walk(*list->get(i), fmt::format("{}.{}", key, i), declared + "[]");
          return;
        }
        if (state_->read.count(key) == 0) unknown.push_back({key, declared, &node});
      };
  walk(state_->document->root, "", "");
  if (unknown.empty()) return;
  const auto first = std::min_element(unknown.begin(), unknown.end(), [](const Unknown& a, const Unknown& b) {
    return a.node->source().begin.line < b.node->source().begin.line;
  });
  std::vector<std::string> names(state_->declared_keys.begin(), state_->declared_keys.end());
  names.insert(names.end(), sections.begin(), sections.end());
  const std::string origin = state_->document->origin(first->at, *first->node);
  if (is_section(first->key)) {
    throw UserError(fmt::format("{}: {} = {}: expected a table; begin it with [{}]", origin, first->key,
                                node_text(*first->node), first->key));
  }
  const auto near = nearest(first->key, names);
  throw UserError(fmt::format("{}: unknown key '{}'{}; `caravan params` lists them all", origin, first->key,
                              near ? fmt::format("; did you mean '{}'?", *near) : ""));
}

}  // namespace caravan::base
