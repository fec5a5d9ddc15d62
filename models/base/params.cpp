// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "models/base/config.hpp"
#include "models/base/config_document.hpp"

namespace caravan::base {

/// One parameter being read: its node in the document, and how to complain about it.
struct Params::Value {
  const toml::node* node = nullptr;
  std::string key;
  std::string origin;
  std::string allowed;

  [[noreturn]] void fail(const std::string& reason) const {
    const std::string text = node == nullptr ? "(default)" : node_text(*node);
    throw UserError(fmt::format("{}: {} = {}: {}", origin, key, text, reason));
  }
  [[noreturn]] void wrong_type(std::string_view expected) const {
    fail(allowed.empty() ? fmt::format("wrong type, expected {}", expected)
                         : fmt::format("wrong type, expected {}; allowed: {}", expected, allowed));
  }
  [[noreturn]] void out_of_range() const { fail("out of range; allowed: " + allowed); }
};

Params::Params(const Config& config) : state_(std::make_shared<State>()) { state_->document = config.document_.get(); }

Params::Params(std::shared_ptr<State> state, std::string prefix, std::string declared_prefix)
    : state_(std::move(state)), prefix_(std::move(prefix)), declared_prefix_(std::move(declared_prefix)) {}

Params Params::in(std::string_view name) const {
  const std::string tail = std::string(name) + ".";
  return Params(state_, prefix_ + tail, declared_prefix_ + tail);
}

Params::Value Params::declare(std::string_view key, std::string_view type, std::string def, std::string allowed,
                              std::string_view sentence) {
  const std::string declared = declared_prefix_ + std::string(key);
  if (state_->declared_keys.insert(declared).second) {
    state_->declared.push_back({declared, std::string(type), std::move(def), allowed, std::string(sentence)});
  }
  Value value;
  value.key = full(key);
  value.allowed = std::move(allowed);
  value.origin = state_->document->name;
  if (state_->describing) return value;
  BUG_IF(!state_->read.insert(value.key).second, "configuration key read in two places: " + value.key);
  value.node = state_->document->find(value.key);
  if (value.node != nullptr) value.origin = state_->document->origin(value.key, *value.node);
  return value;
}

void Params::resolve(std::string_view key, std::string text) {
  if (!state_->describing) state_->resolved.push_back({full(key), std::move(text)});
}

std::int64_t Params::integer(std::string_view key, std::int64_t def, Range<std::int64_t> range,
                             std::string_view sentence) {
  const auto value =
      declare(key, "integer", std::to_string(def), fmt::format("{} .. {}", range.min, range.max), sentence);
  std::int64_t v = def;
  if (value.node != nullptr) {
    const auto* typed = value.node->as_integer();
    if (typed == nullptr) value.wrong_type("an integer");
    v = typed->get();
    if (v < range.min || v > range.max) value.out_of_range();
  }
  resolve(key, std::to_string(v));
  return v;
}

double Params::real(std::string_view key, double def, Range<double> range, std::string_view sentence) {
  const auto toml_text = [](double v) {
    const std::string text = to_text(v);
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
  };
  const auto value = declare(key, "number", toml_text(def), fmt::format("{} .. {}", range.min, range.max), sentence);
  double v = def;
  if (value.node != nullptr) {
    if (const auto* whole = value.node->as_integer()) {
      v = static_cast<double>(whole->get());
    } else if (const auto* typed = value.node->as_floating_point()) {
      v = typed->get();
    } else {
      value.wrong_type("a number");
    }
    if (!(v >= range.min && v <= range.max)) value.out_of_range();
  }
  resolve(key, toml_text(v));
  return v;
}

bool Params::boolean(std::string_view key, bool def, std::string_view sentence) {
  const auto value = declare(key, "true or false", def ? "true" : "false", "true, false", sentence);
  bool v = def;
  if (value.node != nullptr) {
    const auto* typed = value.node->as_boolean();
    if (typed == nullptr) value.wrong_type("true or false");
    v = typed->get();
  }
  resolve(key, v ? "true" : "false");
  return v;
}

std::string Params::text(std::string_view key, std::string_view def, std::string_view sentence) {
  const auto value = declare(key, "text", quote(def), "", sentence);
  std::string v(def);
  if (value.node != nullptr) {
    const auto* typed = value.node->as_string();
    if (typed == nullptr) value.wrong_type("text");
    v = typed->get();
  }
  resolve(key, quote(v));
  return v;
}

std::string Params::choice(std::string_view key, std::string_view def, const std::vector<std::string>& allowed,
                           std::string_view sentence) {
  const auto value = declare(key, "choice", quote(def), join(allowed, ", "), sentence);
  std::string v(def);
  if (value.node != nullptr) {
    const auto* typed = value.node->as_string();
    if (typed == nullptr) value.wrong_type("text");
    v = typed->get();
    if (std::find(allowed.begin(), allowed.end(), v) == allowed.end()) {
      const auto near = nearest(v, allowed);
      value.fail(fmt::format("not one of: {}{}", value.allowed, near ? "; did you mean \"" + *near + "\"?" : ""));
    }
  }
  resolve(key, quote(v));
  return v;
}

template <typename T, typename Parse>
T Params::quantity(std::string_view key, std::string_view type, T def, Range<T> range, std::string_view sentence,
                   Parse parse) {
  const auto value = declare(key, type, quote(to_text(def)),
                             fmt::format("{} .. {}", to_text(range.min), to_text(range.max)), sentence);
  T v = def;
  if (value.node != nullptr) {
    const auto* typed = value.node->as_string();
    // A bare number is text without a unit: the same complaint, with an example.
    if (typed == nullptr && !value.node->is_number()) value.wrong_type(std::string(type) + " with its unit, as text");
    try {
      v = parse(typed != nullptr ? typed->get() : node_text(*value.node));
    } catch (const QuantityError& error) { value.fail(fmt::format("{}; allowed: {}", error.what(), value.allowed)); }
    if (v < range.min || v > range.max) value.out_of_range();
  }
  resolve(key, quote(to_text(v)));
  return v;
}

Time Params::time(std::string_view key, Time def, Range<Time> range, std::string_view sentence) {
  return quantity(key, "time", def, range, sentence, parse_time);
}
Rate Params::rate(std::string_view key, Rate def, Range<Rate> range, std::string_view sentence) {
  return quantity(key, "data rate", def, range, sentence, parse_rate);
}
Bytes Params::bytes(std::string_view key, Bytes def, Range<Bytes> range, std::string_view sentence) {
  return quantity(key, "size", def, range, sentence, parse_bytes);
}
Frequency Params::frequency(std::string_view key, Frequency def, Range<Frequency> range, std::string_view sentence) {
  return quantity(key, "frequency", def, range, sentence, parse_frequency);
}

std::vector<Bytes> Params::bytes_list(std::string_view key, const std::vector<Bytes>& def, Range<Bytes> range,
                                      std::string_view sentence) {
  const auto list_text = [](const std::vector<Bytes>& list) {
    std::vector<std::string> parts;
    parts.reserve(list.size());
    for (const auto v : list) parts.push_back(quote(to_text(v)));
    return "[" + join(parts, ", ") + "]";
  };
  const auto value = declare(key, "list of sizes", list_text(def),
                             fmt::format("each {} .. {}", to_text(range.min), to_text(range.max)), sentence);
  std::vector<Bytes> v = def;
  if (value.node != nullptr) {
    const auto* list = value.node->as_array();
    if (list == nullptr || list->empty()) value.wrong_type("a list of sizes, such as [\"64B\", \"4KiB\"]");
    v.clear();
    for (const auto& element : *list) {
      if (!element.is_string() && !element.is_number())
        value.wrong_type("a list of sizes, such as [\"64B\", \"4KiB\"]");
      try {
        v.push_back(parse_bytes(element.is_string() ? element.as_string()->get() : node_text(element)));
      } catch (const QuantityError& error) {
        value.fail(fmt::format("{}: {}; allowed: {}", node_text(element), error.what(), value.allowed));
      }
      if (v.back() < range.min || v.back() > range.max) value.out_of_range();
    }
  }
  resolve(key, list_text(v));
  return v;
}

std::vector<std::string> Params::text_list(std::string_view key, std::string_view sentence) {
  const auto value = declare(key, "list of texts", "[]", "", sentence);
  std::vector<std::string> v;
  std::vector<std::string> parts;
  if (value.node != nullptr) {
    const auto* list = value.node->as_array();
    if (list == nullptr) value.wrong_type("a list of texts");
    for (const auto& element : *list) {
      if (!element.is_string()) value.wrong_type("a list of texts");
      v.push_back(element.as_string()->get());
      parts.push_back(quote(v.back()));
    }
  }
  resolve(key, "[" + join(parts, ", ") + "]");
  return v;
}

void Params::tables(std::string_view key, const std::function<void(Params&, bool is_element)>& read) {
  const std::string declared = declared_prefix_ + std::string(key) + "[].";
  const bool was_describing = state_->describing;
  state_->describing = true;
  Params describer(state_, full(key) + ".0.", declared);
  read(describer, false);
  state_->describing = was_describing;
  const auto* node = was_describing ? nullptr : state_->document->find(full(key));
  if (node == nullptr) return;
  const auto* list = node->as_array();
  if (list == nullptr || !list->is_homogeneous(toml::node_type::table)) {
    if (list != nullptr && list->empty()) return;
    fail(key, fmt::format("expected a list of tables; begin each with [[{}]]", full(key)));
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    Params element(state_, fmt::format("{}.{}.", full(key), i), declared);
    read(element, true);
  }
}

bool Params::given(std::string_view key) const { return state_->document->find(full(key)) != nullptr; }

void Params::fail(std::string_view key, const std::string& reason) const {
  Value value;
  value.key = full(key);
  value.node = state_->document->find(value.key);
  value.origin = value.node == nullptr ? state_->document->name : state_->document->origin(value.key, *value.node);
  if (value.node == nullptr) {
    // The default was read: show it, so that the reader needn't look it up.
    for (const auto& resolved : state_->resolved) {
      if (resolved.key == value.key) {
        throw UserError(fmt::format("{}: {} = {} (default): {}", value.origin, value.key, resolved.text, reason));
      }
    }
  }
  value.fail(reason);
}

std::filesystem::path Params::path(const std::string& text) const {
  return std::filesystem::path(text).is_absolute() ? std::filesystem::path(text) : state_->document->folder / text;
}

const std::vector<ParamInfo>& Params::declared() const { return state_->declared; }
const std::vector<ResolvedValue>& Params::resolved() const { return state_->resolved; }

}  // namespace caravan::base
