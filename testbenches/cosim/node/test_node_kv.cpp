// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <map>

#include "models/base/errors.hpp"
#include "models/base/rng.hpp"
#include "testbenches/cosim/node/pair.hpp"

using namespace caravan;
using namespace caravan::tb;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("A node tells what it is; unknown registers read as zero", "[cosim][node]") {
  Pair pair;
  CHECK(pair[0].read_csr(0x0000) == 0x4352564E);
  CHECK(pair[0].read_csr(0x0008) == 512);
  CHECK(pair[0].read_csr(0x000C) == pair[0].kv_entries());
  CHECK(pair[0].read_csr(0x0FFC) == 0);
  CHECK(pair[0].read_csr(0xF000) == 0);
  CHECK(pair[0].now().count() == 0);  // time stood still
}

TEST_CASE("The map through registers and directly is one map", "[cosim][node]") {
  Pair pair;
  const vl::KvRow row{true, 7, 0x123456789ABC, 0x1122334455667788};
  vl::load_kv(pair[0], 131071, row);
  CHECK(pair[0].kv_row(131071) == row);
  const vl::KvRow other{true, 9, 5, 6};
  pair[0].store_kv(3, other);
  CHECK(vl::read_kv(pair[0], 3) == other);
  CHECK(pair[0].kv_digest() != pair[1].kv_digest());
}

TEST_CASE("A PUT at one node appears at the other", "[cosim][node]") {
  Pair pair;
  pair[0].store_kv(1, {true, 9, 41, 0});
  pair.clients[0].script = {{.op = ClientOp::kPut, .tag = 1, .key = 77, .value = 0xDEADBEEFCAFEF00D}};
  REQUIRE(pair.run_to_quiet(Time::us(60), true));
  REQUIRE(pair.clients[0].answers.size() == 1);
  CHECK(pair.clients[0].answers[0].response.status == ClientStatus::kOk);
  CHECK(pair.clients[0].answers[0].response.value == 42);  // above the loaded row
  CHECK(pair[1].kv_row(77) == vl::KvRow{true, 1, 42, 0xDEADBEEFCAFEF00D});
  CHECK(pair.stat(1, "rdt.remote_applied") == 1);
  CHECK(pair.stat(0, "roce_tx.rx_ack") == 1);
  pair.clients[1].script = {{.op = ClientOp::kGet, .tag = 5, .key = 77}};
  pair[1].set_client(&pair.clients[1]);
  REQUIRE(pair.run_to_quiet(Time::us(100)));
  CHECK(pair.clients[1].answers.at(0).response.value == 0xDEADBEEFCAFEF00D);
}

TEST_CASE("Replicas that write the same keys at once end equal", "[cosim][node]") {
  Pair pair;
  base::Rng rng(4);
  for (auto& client : pair.clients) {
    client.outstanding = 3;
    for (std::uint32_t i = 0; i < 150; ++i) {
      client.script.push_back({.op = rng.chance(0.7) ? ClientOp::kPut : ClientOp::kGet,
                               .tag = i,
                               .key = rng.below(12),
                               .value = rng.next()});
    }
  }
  REQUIRE(pair.run_to_quiet(Time::us(400), true));
  CHECK(pair[0].kv_digest() == pair[1].kv_digest());
  CHECK(pair.stat(0, "rdt.put") == pair.stat(1, "rdt.remote_applied") + pair.stat(1, "rdt.remote_stale"));
  CHECK(pair.stat(1, "rdt.remote_stale") > 0);
  CHECK(pair[0].kv_row(0).valid);
}

TEST_CASE("Updates survive a cable that loses a quarter of all frames", "[cosim][node]") {
  Pair pair;
  base::Rng rng(8);  // not every n-th: that can hit the first packet of every retransmission
  pair.lose = [&](unsigned, std::uint64_t, const auto&) { return rng.chance(0.25); };
  for (std::uint32_t i = 0; i < 20; ++i) {
    pair.clients[0].script.push_back({.op = ClientOp::kPut, .tag = i, .key = i, .value = i + 100});
  }
  REQUIRE(pair.run_to_quiet(Time::ms(3), true));
  CHECK(pair[0].kv_digest() == pair[1].kv_digest());
  CHECK(pair.stat(1, "rdt.remote_applied") == 20);  // none twice
  CHECK(pair.stat(0, "roce_tx.retrans") > 0);
}

TEST_CASE("Values out of range are the user's errors", "[cosim][node]") {
  Pair pair;
  CHECK_THROWS_WITH(vl::create_qp(pair[0], {.qpn = base::Qpn(1), .pmtu = base::Bytes(1500)}),
                    ContainsSubstring("node0: QP 1: path MTU 1500 is not one of 256, 512, 1024, 2048, 4096"));
  CHECK_THROWS_WITH(vl::create_qp(pair[0], {.qpn = base::Qpn(512)}),
                    ContainsSubstring("queue pair 512 does not exist"));
  CHECK_THROWS_WITH(vl::set_region(pair[0], {.index = 64}), ContainsSubstring("region 64 does not exist"));
  CHECK_THROWS_WITH(vl::set_region(pair[0], {.index = 1, .first = 5, .last = 4}),
                    ContainsSubstring("last byte 0x4 is before the first, 0x5"));
  CHECK_THROWS_WITH(vl::set_ring_base(pair[0], 100), ContainsSubstring("0x64 is not a multiple of 4096"));
  CHECK_THROWS_WITH(vl::load_kv(pair[0], 131072, {}),
                    ContainsSubstring("key 131072 is outside the map of 131072 entries"));
  CHECK_THROWS_WITH(vl::parse_skip("yes", "run.toml:3"),
                    ContainsSubstring("run.toml:3: skip mode 'yes' is not one of off, on, verify"));
}
