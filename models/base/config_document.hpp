// SPDX-License-Identifier: Apache-2.0
// Inside of Config, shared by config.cpp and params.cpp only: the parsed TOML and where each value came from.
#pragma once

#include <map>
#include <string>

#include <toml++/toml.h>

#include "models/base/config.hpp"

namespace caravan::base {

struct Config::Document {
  toml::table root;
  std::string name;  ///< file name for messages
  std::filesystem::path folder;
  std::map<std::string, std::string> set;  ///< key -> the --set text that gave it

  /// The node at "a.b.0.c"; nullptr when there is none.
  const toml::node* find(std::string_view key) const;
  /// "file:line" or "command line (--set ...)" of the value at `key`.
  std::string origin(const std::string& key, const toml::node& node) const;
};

/// One line of TOML for a value, as the user would write it.
std::string node_text(const toml::node& node);

}  // namespace caravan::base
