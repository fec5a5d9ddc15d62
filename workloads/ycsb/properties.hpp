// SPDX-License-Identifier: Apache-2.0
// Property files as java.util.Properties reads them: comments, continuations, separators and escapes.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace caravan::workloads {

struct Property {
  std::string value;
  std::string origin;  ///< "file:line" or "command line (-p name=value)"
};

/// Name -> property; a later line wins over an earlier one, as in Java.
class Properties {
 public:
  /// Throws base::UserError when the file can't be read or holds a bad \uXXXX escape.
  static Properties from_file(const std::filesystem::path& path);
  static Properties from_text(std::string_view text, const std::string& name);
  /// `assignment` is name=value, as YCSB's -p takes it. Throws base::UserError without '='.
  void set(const std::string& assignment);

  const std::map<std::string, Property>& all() const { return all_; }
  const Property* find(const std::string& name) const;
  const std::string& name() const { return name_; }
  /// A property file with the same content, sorted by name.
  std::string to_text() const;

 private:
  std::string name_;
  std::map<std::string, Property> all_;
};

}  // namespace caravan::workloads
