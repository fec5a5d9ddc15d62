// SPDX-License-Identifier: Apache-2.0
// Inside of Config, shared by its sources only: the parsed TOML, where each value came from, and what was read of it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

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

struct Params::State {
  const Config::Document* document = nullptr;
  std::vector<ParamInfo> declared;
  std::set<std::string> declared_keys;
  std::set<std::string> read;  ///< concrete keys that were asked for
  std::vector<ResolvedValue> resolved;
  bool describing = false;  ///< inside the declaring call of tables(): nothing is recorded as a value
};

/// One line of TOML for a value, as the user would write it.
std::string node_text(const toml::node& node);

}  // namespace caravan::base
