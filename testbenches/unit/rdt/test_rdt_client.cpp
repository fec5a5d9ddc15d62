// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <map>

#include "testbenches/unit/rdt/rdt_bench.hpp"

using namespace caravan::tb;

namespace {
constexpr unsigned kGet = 0, kPut = 1, kWrite = 2;
}

TEST_CASE("A GET is answered exactly 2 cycles after its handshake", "[unit][rdt]") {
  RdtBench b;
  b.store_row(5, {true, 7, 9, 0xABCDEF0123456789});
  b.client.push({kGet, 42, 5});
  b.client.push({kGet, 43, 6});
  REQUIRE(b.dut.run_until([&] { return b.rsp.items().size() == 2; }, 20));
  CHECK(b.rsp.at()[0] == b.client.sent_at()[0] + 2);
  CHECK(b.rsp.at()[1] == b.client.sent_at()[1] + 2);
  CHECK(b.client.sent_at()[1] == b.client.sent_at()[0] + 1);
  CHECK(b.rsp.items()[0].tag == 42);
  CHECK(b.rsp.items()[0].status == ClientStatus::kOk);
  CHECK(b.rsp.items()[0].value == 0xABCDEF0123456789);
  CHECK(b.rsp.items()[1].status == ClientStatus::kNotFound);
}

TEST_CASE("A PUT sends one inline RPC per valid peer, one a cycle, then answers", "[unit][rdt]") {
  RdtBench b;
  b.write_csr(0x000, 3);
  b.set_peer(0, 0x11, 0xAA00);
  b.set_peer(2, 0x22, 0xBB00);
  b.client.push({kPut, 1, 10, 0x1122334455667788});
  REQUIRE(b.dut.run_until([&] { return b.rsp.items().size() == 1; }, 30));
  REQUIRE(b.verbs.items().size() == 2);
  const auto t = b.client.sent_at()[0];
  CHECK(b.verbs.at()[0] == t + 3);
  CHECK(b.verbs.at()[1] == t + 4);
  CHECK(b.rsp.at()[0] == t + 5);
  CHECK(b.rsp.items()[0].value == 1);  // the first timestamp
  for (unsigned i = 0; i < 2; ++i) {
    const Verb& v = b.verbs.items()[i];
    CHECK(v.qpn == (i == 0 ? 0x11u : 0x22u));
    CHECK(v.rkey == (i == 0 ? 0xAA00u : 0xBB00u));
    CHECK(v.raddr == 3ull << 60);
    CHECK(v.inl);
    CHECK_FALSE(v.signaled);
    CHECK(v.len == 64);
    CHECK(v.record.kind == 1);
    CHECK(v.record.opcode == 1);
    CHECK(v.record.src == 3);
    CHECK(v.record.valid == 1);
    CHECK(v.record.key == 10);
    CHECK(v.record.value == 0x1122334455667788);
    CHECK(v.record.ts == 1);
    CHECK(v.record.seq == 0);
  }
}

TEST_CASE("Without peers a PUT is answered at once; a removed peer gets nothing more", "[unit][rdt]") {
  RdtBench b;
  b.client.push({kPut, 1, 1, 1});
  REQUIRE(b.dut.run_until([&] { return b.rsp.items().size() == 1; }, 30));
  CHECK(b.rsp.at()[0] == b.client.sent_at()[0] + 3);
  CHECK(b.verbs.items().empty());
  b.set_peer(1, 0x11, 1);
  b.client.push({kPut, 2, 1, 2});
  REQUIRE(b.dut.run_until([&] { return b.rsp.items().size() == 2; }, 30));
  CHECK(b.verbs.items().size() == 1);
  CHECK(b.verbs.items()[0].record.seq == 1);
  b.set_peer(1, 0x11, 1, false);
  b.client.push({kPut, 3, 1, 3});
  REQUIRE(b.dut.run_until([&] { return b.rsp.items().size() == 3; }, 30));
  CHECK(b.verbs.items().size() == 1);
}

TEST_CASE("Bad requests are answered by name and counted", "[unit][rdt]") {
  RdtBench b;
  b.client.push({kGet, 1, 64});
  b.client.push({kPut, 2, 1ull << 40});
  b.client.push({7, 3, 0});
  b.client.push({255, 4, 0});
  REQUIRE(b.dut.run_until([&] { return b.rsp.items().size() == 4; }, 30));
  const ClientStatus expected[] = {ClientStatus::kBadKey, ClientStatus::kBadKey, ClientStatus::kBadOp,
                                   ClientStatus::kBadOp};
  for (unsigned i = 0; i < 4; ++i) {
    CHECK(b.rsp.items()[i].tag == i + 1);
    CHECK(b.rsp.items()[i].status == expected[i]);
  }
  CHECK(b.stats.bad_req == 4);
  CHECK(b.stats.get + b.stats.put == 0);
}

TEST_CASE("WRITE becomes a signaled verb; its completion, whatever its status, the answer", "[unit][rdt]") {
  RdtBench b;
  const std::map<unsigned, ClientStatus> statuses = {
      {0, ClientStatus::kOk},           {1, ClientStatus::kQpError},
      {2, ClientStatus::kBadOp},        {3, ClientStatus::kRetryExceeded},
      {4, ClientStatus::kRemoteAccess}, {5, ClientStatus::kRemoteOp},
      {6, ClientStatus::kRemoteInvalid}};
  for (const auto& [status, answer] : statuses) {
    const auto n = b.rsp.items().size();
    b.client.push({kWrite, 0xF0000000 | status, 0, 0, 0x77, 0x8000000000001234, 0x5678, 0x900, 4096});
    REQUIRE(b.dut.run_until([&] { return b.verbs.items().size() == n + 1; }, 20));
    const Verb& v = b.verbs.items().back();
    CHECK(b.verbs.at().back() == b.client.sent_at().back() + 1);
    CHECK(v.qpn == 0x77);
    CHECK(v.laddr == 0x8000000000001234);
    CHECK(v.raddr == 0x5678);
    CHECK(v.rkey == 0x900);
    CHECK(v.len == 4096);
    CHECK(v.signaled);
    CHECK_FALSE(v.inl);
    CHECK(v.data_zero);
    b.cpl.push({0x77, v.wr_id, status});
    REQUIRE(b.dut.run_until([&] { return b.rsp.items().size() == n + 1; }, 20));
    CHECK(b.rsp.at().back() == b.cpl.sent_at().back());
    CHECK(b.rsp.items().back().tag == (0xF0000000 | status));
    CHECK(b.rsp.items().back().status == answer);
  }
}

TEST_CASE("WRITEs beyond the slots wait; answers find their tags in any order of completion", "[unit][rdt]") {
  const auto in = GENERATE(from_range(std::begin(StallPattern::kAll), std::end(StallPattern::kAll)));
  const auto out = GENERATE(from_range(std::begin(StallPattern::kAll), std::end(StallPattern::kAll)));
  RdtBench b(in, out);
  constexpr unsigned kTotal = 60;
  for (unsigned i = 0; i < kTotal; ++i) b.client.push({kWrite, 1000 + i, 0, 0, i});
  caravan::base::Rng rng(3);
  std::vector<std::uint32_t> waiting;  // wr_ids
  std::map<std::uint32_t, std::uint32_t> tag_of;
  std::size_t seen = 0, completed = 0, most = 0;
  std::vector<std::uint32_t> order;
  REQUIRE(b.dut.run_until(
      [&] {
        for (; seen < b.verbs.items().size(); ++seen) {
          const Verb& v = b.verbs.items()[seen];
          waiting.push_back(v.wr_id);
          tag_of[v.wr_id] = 1000 + v.qpn;
        }
        most = std::max(most, waiting.size());
        if (!waiting.empty() && b.cpl.empty() && (waiting.size() >= 5 || rng.chance(0.1))) {
          const auto i = rng.below(waiting.size());
          order.push_back(tag_of.at(waiting[i]));
          b.cpl.push({1, waiting[i], 0});
          waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
          ++completed;
        }
        return b.rsp.items().size() == kTotal;
      },
      20000));
  CHECK(most <= 8);
  for (unsigned i = 0; i < kTotal; ++i) CHECK(b.rsp.items()[i].tag == order[i]);
}

TEST_CASE("With all slots taken the ninth WRITE waits, GETs behind it too, until one completes", "[unit][rdt]") {
  RdtBench b;
  for (unsigned i = 0; i < 9; ++i) b.client.push({kWrite, i, 0, 0, i});
  b.tick(40);
  CHECK(b.client.sent_at().size() == 8);
  b.cpl.push({0, b.verbs.items()[3].wr_id, 0});
  b.tick(5);
  REQUIRE(b.client.sent_at().size() == 9);
  CHECK(b.verbs.items()[8].wr_id == b.verbs.items()[3].wr_id);
}

TEST_CASE("A failed update is counted and answers nobody", "[unit][rdt]") {
  RdtBench b;
  b.set_peer(0, 1, 1);
  b.client.push({kPut, 9, 1, 1});
  b.tick(10);
  REQUIRE(b.verbs.items().size() == 1);
  b.cpl.push({1, b.verbs.items()[0].wr_id, 3});
  b.tick(5);
  CHECK(b.stats.flushed == 1);
  CHECK(b.rsp.items().size() == 1);  // of the PUT itself
  CHECK(b.cpl.empty());
}
