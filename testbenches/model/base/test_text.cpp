// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "models/base/text.hpp"

using namespace caravan::base;
using Catch::Matchers::Message;

TEST_CASE("quantities are read exactly", "[model][text]") {
  CHECK(parse_time("850ns") == Time::ns(850));
  CHECK(parse_time(" 1.5 us ") == Time::ps(1'500'000));
  CHECK(parse_time("0ns") == Time());
  CHECK(parse_time("0.001ns") == Time::ps(1));
  CHECK(parse_rate("100Gbps") == Rate::gbps(100));
  CHECK(parse_rate("97.66Gbps") == Rate::bps(97'660'000'000));
  CHECK(parse_bytes("64KiB") == Bytes::kib(64));
  CHECK(parse_bytes("1_000B") == Bytes(1000));
  CHECK(parse_frequency("250MHz").period() == Time::ps(4000));
  CHECK(parse_frequency("322.265625MHz").period() == Time::ps(3103));
}

TEST_CASE("quantities name what is wrong with them", "[model][text]") {
  CHECK_THROWS_MATCHES(parse_time("850"), QuantityError,
                       Message("the unit is missing; write a time as \"850ns\" (units: ps, ns, us, ms, s)"));
  CHECK_THROWS_MATCHES(parse_time("fast"), QuantityError, Message("expected a time such as \"850ns\""));
  CHECK_THROWS_MATCHES(parse_time("-5ns"), QuantityError, Message("expected a time such as \"850ns\""));
  CHECK_THROWS_MATCHES(parse_time("5 sec"), QuantityError,
                       Message("unknown unit 'sec'; a time has the units ps, ns, us, ms, s"));
  CHECK_THROWS_MATCHES(parse_time("0.0001ns"), QuantityError, Message("finer than 1 ps, the smallest step of a time"));
  CHECK_THROWS_MATCHES(parse_time("99999999999999999999ns"), QuantityError, Message("too large for a time"));
  CHECK_THROWS_MATCHES(parse_time("9999999999s"), QuantityError, Message("too large for a time"));
  CHECK_THROWS_MATCHES(parse_bytes("64KB"), QuantityError,
                       Message("unknown unit 'KB'; a size has the units B, KiB, MiB, GiB"));
  CHECK_THROWS_MATCHES(parse_rate("100"), QuantityError,
                       Message("the unit is missing; write a data rate as \"100Gbps\" (units: bps, kbps, Mbps, Gbps)"));
}

TEST_CASE("quantities are written so that they read back", "[model][text]") {
  for (const char* text : {"0ns", "1ps", "850ns", "1500ns", "2us", "3s"}) CHECK(to_text(parse_time(text)) == text);
  for (const char* text : {"0B", "1B", "1000B", "64KiB", "1MiB"}) CHECK(to_text(parse_bytes(text)) == text);
  for (const char* text : {"100Gbps", "97660Mbps", "250bps"}) CHECK(to_text(parse_rate(text)) == text);
  CHECK(to_text(parse_frequency("0.25GHz")) == "250MHz");
}

TEST_CASE("the nearest name is a likely slip or none", "[model][text]") {
  const std::vector<std::string> names = {"cluster.nodes", "cluster.clock", "run.threads"};
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(nearest("cluster.node", names) == "cluster.nodes");
  CHECK(nearest("run.Threads", names) == "run.threads");
  CHECK(nearest("zzz", names) == std::nullopt);
}

TEST_CASE("text helpers", "[model][text]") {
  CHECK(split("a,,b", ',') == std::vector<std::string>{"a", "", "b"});
  CHECK(trim(" \t x y \n") == "x y");
  CHECK(quote("a\"b\\\n") == "\"a\\\"b\\\\\\n\"");
  CHECK(parse_integer("0x10") == 16);
  CHECK(parse_integer("-3") == -3);
  CHECK(parse_integer("3x") == std::nullopt);
  CHECK(parse_real("0.5") == 0.5);
  CHECK(parse_real("nan") == std::nullopt);
}
