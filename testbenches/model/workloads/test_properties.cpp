// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "models/base/errors.hpp"
#include "workloads/ycsb/properties.hpp"

using caravan::base::UserError;
using caravan::workloads::Properties;
using Catch::Matchers::Message;

namespace {
std::string value(const std::string& text, const std::string& name) {
  const auto properties = Properties::from_text(text, "w");
  const auto* p = properties.find(name);
  return p == nullptr ? "(none)" : p->value;
}
}  // namespace

TEST_CASE("properties are separated as in Java", "[model][ycsb]") {
  CHECK(value("a=b", "a") == "b");
  CHECK(value("  a : b ", "a") == "b ");
  CHECK(value("a\tb c", "a") == "b c");
  CHECK(value("a = = b", "a") == "= b");
  CHECK(value("a", "a") == "");
  CHECK(value("a=1\r\nb=2\r\n", "a") == "1");
  CHECK(value("a=1\na=2", "a") == "2");
  CHECK(value("a\\=b=c", "a=b") == "c");
  CHECK(value("a\\ b c", "a b") == "c");
}

TEST_CASE("comments and continuations", "[model][ycsb]") {
  CHECK(value("# a=1\n  ! a=2\n", "a") == "(none)");
  CHECK(value("a=1 # no comment", "a") == "1 # no comment");
  CHECK(value("a=one, \\\n   two", "a") == "one, two");
  CHECK(value("a=one\\\n# no comment", "a") == "one# no comment");
  CHECK(value("a=one\\\\\nb=2", "a") == "one\\");
  CHECK(value("a=one\\\\\nb=2", "b") == "2");
  CHECK(value("a=1\\", "a") == "1");
  CHECK(value("# comment \\\na=1", "a") == "1");
  const auto properties = Properties::from_text("# x\n\na=1\\\n2\nb=3\n", "w");
  CHECK(properties.find("a")->origin == "w:3");
  CHECK(properties.find("b")->origin == "w:5");
}

TEST_CASE("escapes", "[model][ycsb]") {
  CHECK(value("a=x\\ty\\n\\q\\\\", "a") == "x\ty\nq\\");
  CHECK(value("a=\\u0041\\u00e9", "a") == "A\xC3\xA9");
  CHECK_THROWS_MATCHES(Properties::from_text("b=1\na=\\u00g1", "w"), UserError,
                       Message("w:2: '\\u00g1': \\u needs four hexadecimal digits"));
  CHECK_THROWS_MATCHES(Properties::from_text("a=\\u12", "w"), UserError,
                       Message("w:1: '\\u12': \\u needs four hexadecimal digits"));
}

TEST_CASE("overrides, unreadable files, and writing back", "[model][ycsb]") {
  auto properties = Properties::from_text("a=1\nb c=\\  x\n", "w");
  properties.set("a = 2");
  CHECK(properties.find("a")->value == "2");
  CHECK(properties.find("a")->origin == "command line (-p a = 2)");
  CHECK_THROWS_MATCHES(properties.set("a"), UserError,
                       Message("command line (-p a): expected name=value, such as -p operationcount=100000"));
  CHECK_THROWS_MATCHES(Properties::from_file("/nowhere/w"), UserError,
                       Message("/nowhere/w: the property file can't be read"));
  CHECK_THROWS_MATCHES(Properties::from_file("/"), UserError, Message("/: the property file can't be read"));
  const auto again = Properties::from_text(properties.to_text(), "w2");
  REQUIRE(again.all().size() == properties.all().size());
  for (const auto& [name, property] : properties.all()) CHECK(again.find(name)->value == property.value);
}
