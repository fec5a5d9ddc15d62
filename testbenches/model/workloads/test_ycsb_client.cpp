// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <map>
#include <set>

#include "models/base/errors.hpp"
#include "workloads/ycsb/client.hpp"

using namespace caravan::workloads;
using namespace caravan::base;

namespace {
std::shared_ptr<const YcsbPlan> plan(const std::string& text, std::uint32_t replicas = 3, std::uint64_t capacity = 1024,
                                     std::uint64_t seed = 1) {
  return std::make_shared<YcsbPlan>(read_core_workload(Properties::from_text(text, "w")), replicas, capacity, seed,
                                    "w");
}
std::vector<Operation> all(const std::shared_ptr<const YcsbPlan>& p, std::uint32_t replica) {
  std::vector<Operation> ops;
  for (OperationStream stream(p, replica); !stream.done();) ops.push_back(stream.next());
  return ops;
}
const std::string kMixed =
    "recordcount=100\noperationcount=3000\nreadproportion=0.4\nupdateproportion=0.3\ninsertproportion=0.1\n"
    "readmodifywriteproportion=0.2\nrequestdistribution=zipfian\n";
}  // namespace

TEST_CASE("streams are a function of seed and replica", "[model][ycsb]") {
  const auto p = plan(kMixed);
  CHECK(all(p, 0) == all(plan(kMixed), 0));
  CHECK(all(p, 0) != all(p, 1));
  CHECK(all(p, 0) != all(plan(kMixed, 3, 1024, 2), 0));
  CHECK(p->load() == plan(kMixed)->load());
  CHECK(p->load() != plan(kMixed, 3, 1024, 2)->load());
}

TEST_CASE("operations are split over the replicas in the given proportions", "[model][ycsb]") {
  const auto p = plan(kMixed + "operationcount=3002\n");
  CHECK(p->operations_of(0) == 1001);
  CHECK(p->operations_of(1) == 1001);
  CHECK(p->operations_of(2) == 1000);
  std::map<OpKind, double> count;
  for (std::uint32_t r = 0; r < 3; ++r) {
    for (const auto& op : all(p, r)) ++count[op.kind];
  }
  // Five standard deviations of a binomial.
  const auto near = [&](OpKind kind, double share) {
    return std::abs(count[kind] - 3002 * share) < 5 * std::sqrt(3002 * share * (1 - share));
  };
  CHECK(near(OpKind::kRead, 0.4));
  CHECK(near(OpKind::kUpdate, 0.3));
  CHECK(near(OpKind::kInsert, 0.1));
  CHECK(near(OpKind::kReadModifyWrite, 0.2));
}

TEST_CASE("reads only meet records that are there; inserts never meet", "[model][ycsb]") {
  for (const char* distribution : {"uniform", "zipfian", "latest"}) {
    for (const char* order : {"hashed", "ordered"}) {
      const auto p = plan(kMixed + "requestdistribution=" + distribution + "\ninsertorder=" + order + "\n");
      std::set<std::uint64_t> loaded;
      for (const auto& row : p->load()) loaded.insert(row.key);
      REQUIRE(loaded.size() == 100);
      std::set<std::uint64_t> inserted;
      for (std::uint32_t r = 0; r < 3; ++r) {
        auto known = loaded;
        std::uint64_t inserts = 0;
        for (const auto& op : all(p, r)) {
          REQUIRE(op.key < 1024);
          if (op.kind == OpKind::kInsert) {
            ++inserts;
            REQUIRE(inserted.insert(op.key).second);
            REQUIRE(known.insert(op.key).second);
          } else {
            REQUIRE(known.count(op.key) == 1);
          }
        }
        CHECK(inserts == p->inserts_of(r));
      }
    }
  }
}

TEST_CASE("latest prefers what was inserted last", "[model][ycsb]") {
  const auto p = plan(
      "recordcount=100\noperationcount=20000\nreadproportion=0.95\nupdateproportion=0\ninsertproportion=0.05\n"
      "requestdistribution=latest\ninsertorder=ordered\n",
      1, 2048);
  std::uint64_t last = 99;
  double reads = 0;
  double newest = 0;
  double norm = 0;
  for (int r = 1; r <= 600; ++r) norm += std::pow(r, -0.99);
  for (const auto& op : all(p, 0)) {
    if (op.kind == OpKind::kInsert) {
      last = op.key;
    } else {
      ++reads;
      newest += op.key == last;
    }
  }
  CHECK(newest / reads > 0.9 / norm);
  CHECK(newest / reads < 1.2 / (norm - 1.7));
}

TEST_CASE("a workload that does not fit in the map is refused", "[model][ycsb][errors]") {
  const auto complaint = [](const std::string& text) -> std::string {
    try {
      plan(text);
    } catch (const UserError& error) { return error.what(); }
    return "accepted";
  };
  CHECK(complaint("recordcount=1024\noperationcount=5\nupdateproportion=0\nreadproportion=1") == "accepted");
  CHECK(complaint("recordcount=1025\noperationcount=5") ==
        "w: recordcount=1025: the map of a node holds 1024 keys; allowed: 1 .. 1024");
  CHECK(complaint("recordcount=1000\noperationcount=300\ninsertproportion=1\nreadproportion=0\nupdateproportion=0") ==
        "w: recordcount=1000 and up to 100 inserts in each of 3 replicas: the map of a node holds 1024 keys; use fewer "
        "records, "
        "operations or inserts");
}

TEST_CASE("the client keeps one operation in flight and measures from presented to response", "[model][ycsb]") {
  const auto p =
      plan("recordcount=10\noperationcount=2\nreadproportion=0\nupdateproportion=0\nreadmodifywriteproportion=1\n", 1);
  YcsbClient client(p, 0);
  CHECK(client.next_activity(Cycles(5)) == Cycles(5));
  const auto get = client.next_request(Cycles(5));
  REQUIRE(get);
  CHECK(get->op == ClientOp::kGet);
  CHECK(client.next_request(Cycles(6))->tag == get->tag);
  client.accepted(*get, Cycles(7));
  CHECK_FALSE(client.next_request(Cycles(8)));
  CHECK(client.next_activity(Cycles(8)).is_never());
  client.response({get->tag, ClientStatus::kOk, 41}, Cycles(12));
  const auto put = client.next_request(Cycles(13));
  REQUIRE(put);
  CHECK(put->op == ClientOp::kPut);
  CHECK(put->key == get->key);
  CHECK(put->value == 42);
  CHECK(put->tag != get->tag);
  client.accepted(*put, Cycles(13));
  CHECK_FALSE(client.done());
  client.response({put->tag, ClientStatus::kOk, 77}, Cycles(25));
  CHECK(client.latency(OpKind::kReadModifyWrite).count() == 1);
  CHECK(client.latency(OpKind::kReadModifyWrite).max() == 20);
  REQUIRE(client.puts().size() == 1);
  CHECK(client.puts()[0].timestamp == 77);
  CHECK(client.puts()[0].value == 42);

  const auto second = client.next_request(Cycles(26));
  client.accepted(*second, Cycles(26));
  client.response({second->tag, ClientStatus::kNotFound, 0}, Cycles(27));
  const auto last = client.next_request(Cycles(27));
  CHECK(last->value == 1);
  client.accepted(*last, Cycles(28));
  client.response({last->tag, ClientStatus::kQpError, 0}, Cycles(30));
  CHECK(client.done());
  CHECK(client.completed() == 2);
  CHECK(client.not_found() == 1);
  CHECK(client.failed() == 1);
  CHECK(client.puts().size() == 1);
  CHECK(client.next_activity(Cycles(31)).is_never());
  CHECK(client.first() == Cycles(5));
  CHECK(client.last() == Cycles(30));
}
