// SPDX-License-Identifier: Apache-2.0
// Configuration: a TOML document plus `--set` overrides, read through Params. The line that reads a parameter is its
// declaration: key, type, default, range and a sentence stand in one call, and the tables of `caravan params`, the
// resolved configuration and the list of valid keys are all made from those calls.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "models/base/errors.hpp"
#include "models/base/text.hpp"
#include "models/base/units.hpp"

namespace caravan::base {

/// Closed range; both ends are allowed.
template <typename T>
struct Range {
  T min;
  T max;
};

/// The document as the user wrote it. Knows where every value came from.
class Config {
 public:
  /// Throws UserError when the file can't be read or is no TOML (file:line: what).
  static Config from_file(const std::filesystem::path& path);
  /// `name` stands for the file in messages; relative paths in the text are relative to its folder.
  static Config from_text(std::string_view text, const std::string& name);
  /// Nothing set: every parameter has its default.
  static Config empty();

  Config(Config&&) noexcept;
  Config& operator=(Config&&) noexcept;
  ~Config();

  /// One `--set a.b=value`; elements of a list of tables are `fault.0.probability=0.1`. The value is TOML; anything
  /// that is no TOML value is text, so that `--set timing.wire=5ns` needs no inner quotes. Throws UserError.
  void set(const std::string& assignment);
  /// Folder of the file: where relative paths in the document start.
  const std::filesystem::path& folder() const;

 private:
  friend class Params;
  struct Document;
  explicit Config(std::unique_ptr<Document> document);
  std::unique_ptr<Document> document_;
};

/// What `caravan params` prints of one parameter. In keys, `[]` stands for an element of a list of tables.
struct ParamInfo {
  std::string key;
  std::string type;
  std::string default_text;  ///< TOML; empty: must be given
  std::string allowed;
  std::string sentence;
};

/// One value after reading, in the order of reading; `text` is TOML.
struct ResolvedValue {
  std::string key;
  std::string text;
};

/// Reads parameters of one Config. Each reading call throws UserError for a wrong type, a missing unit or a value out
/// of range: "file:line: key = value: reason, what is allowed".
class Params {
 public:
  explicit Params(const Config& config);

  /// The same reader with `name.` in front of every key.
  Params in(std::string_view name) const;

  std::int64_t integer(std::string_view key, std::int64_t def, Range<std::int64_t> range, std::string_view sentence);
  double real(std::string_view key, double def, Range<double> range, std::string_view sentence);
  bool boolean(std::string_view key, bool def, std::string_view sentence);
  std::string text(std::string_view key, std::string_view def, std::string_view sentence);
  std::string choice(std::string_view key, std::string_view def, const std::vector<std::string>& allowed,
                     std::string_view sentence);
  Time time(std::string_view key, Time def, Range<Time> range, std::string_view sentence);
  Rate rate(std::string_view key, Rate def, Range<Rate> range, std::string_view sentence);
  Bytes bytes(std::string_view key, Bytes def, Range<Bytes> range, std::string_view sentence);
  Frequency frequency(std::string_view key, Frequency def, Range<Frequency> range, std::string_view sentence);
  std::vector<Bytes> bytes_list(std::string_view key, const std::vector<Bytes>& def, Range<Bytes> range,
                                std::string_view sentence);
  std::vector<std::string> text_list(std::string_view key, std::string_view sentence);
  /// Calls `read` once per element of the list of tables `key`. On an empty document it is called once with a reader
  /// that gives defaults, so that the element's parameters are declared; the result of that call is not an element.
  void tables(std::string_view key, const std::function<void(Params&, bool is_element)>& read);

  /// Whether the user gave this key, in the file or with --set.
  bool given(std::string_view key) const;
  /// Throws UserError for a value that is right by itself but not in its company.
  [[noreturn]] void fail(std::string_view key, const std::string& reason) const;
  /// A path in the document, relative to the document's folder.
  std::filesystem::path path(const std::string& text) const;

  /// After all reading: throws UserError for the first key in the document that nothing read.
  void finish() const;

  const std::vector<ParamInfo>& declared() const;
  const std::vector<ResolvedValue>& resolved() const;

 private:
  struct State;
  struct Value;
  Params(std::shared_ptr<State> state, std::string prefix, std::string declared_prefix);
  Value declare(std::string_view key, std::string_view type, std::string def, std::string allowed,
                std::string_view sentence);
  template <typename T, typename Parse>
  T quantity(std::string_view key, std::string_view type, T def, Range<T> range, std::string_view sentence,
             Parse parse);
  void resolve(std::string_view key, std::string text);
  std::string full(std::string_view key) const { return prefix_ + std::string(key); }

  std::shared_ptr<State> state_;
  std::string prefix_;           ///< "fault.0."
  std::string declared_prefix_;  ///< "fault[]."
};

/// The resolved values as TOML that reads back to the same configuration.
std::string to_toml(const std::vector<ResolvedValue>& values);
/// The same values as nested JSON. `skip` says which keys to leave out.
nlohmann::ordered_json to_json(const std::vector<ResolvedValue>& values,
                               const std::function<bool(const std::string&)>& skip);

}  // namespace caravan::base
