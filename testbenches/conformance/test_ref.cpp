// SPDX-License-Identifier: Apache-2.0
// The conformance table against the reference model, and the table as text.
#include <fmt/format.h>
#include <catch2/catch_test_macros.hpp>

#include <cstdio>
#include <set>

#include "testbenches/conformance/ref_endpoint.hpp"
#include "testbenches/conformance/rows.hpp"

using namespace caravan::conformance;

TEST_CASE("Conformance table: the reference model passes every row", "[conformance]") {
  for (const Row& row : all_rows()) {
    RefEndpoint endpoint;
    const std::string difference = run(row, endpoint);
    INFO(row.requirement);
    INFO(difference);
    CHECK(difference.empty());
  }
}

TEST_CASE("Conformance table: rows have unique ids, a requirement and a source", "[conformance]") {
  std::set<std::string> ids;
  for (const Row& row : all_rows()) {
    INFO(row.id);
    CHECK(ids.insert(row.id).second);
    CHECK_FALSE(row.requirement.empty());
    CHECK_FALSE(row.source.empty());
    CHECK_FALSE(row.script.empty());
  }
  CHECK(ids.size() >= 150);
}

TEST_CASE("Conformance table: a row that a broken endpoint can't pass fails", "[conformance]") {
  // The script itself must notice: a wrong PSN, a missing packet, one too many, a byte in memory.
  const auto fails = [](const std::vector<Step>& script) {
    RefEndpoint endpoint;
    return !run({"self", "self test", "none", script}, endpoint).empty();
  };
  CHECK(fails({create(), inject(write_only(0, 8).ack_req()), expect({ack(1, 1)})}));
  CHECK(fails({create(), inject(write_only(0, 8).ack_req()), expect({ack(0, 2)})}));
  CHECK(fails({create(), inject(write_only(0, 8)), expect({ack(0, 1)})}));
  CHECK(fails({create(), inject(write_only(0, 8).ack_req()), silence()}));
  CHECK(fails({create(), inject(write_only(0, 8)), memory(kVa, 2, 8)}));
  CHECK(fails({create(), inject(write_only(0, 8)), untouched(kVa, 8)}));
  CHECK(fails({create(), inject(write_only(0, 8)), drops(Drop::kQp)}));
  CHECK(fails({create(), completes({{1}})}));
  CHECK(fails({create(), timer()}));
  CHECK(fails({create({.timeout = 8}), post(write_of(1, 8)), timer(caravan::ref::ack_timeout(9))}));
}

TEST_CASE("Conformance table as text", "[.table]") {
  fmt::print("{:<34} {:<38} {}\n", "row", "source", "requirement");
  for (const Row& row : all_rows()) fmt::print("{:<34} {:<38} {}\n", row.id, row.source, row.requirement);
  fmt::print("\n{} rows. Tested elsewhere, or not applicable:\n", all_rows().size());
  for (const auto& [trap, why] : tested_elsewhere()) fmt::print("{:<22} {}\n", trap, why);
}
