// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include <cmath>

#include "workloads/verb_latency/verbs.hpp"

using namespace caravan::workloads;
using namespace caravan::base;

TEST_CASE("the wire's ceiling follows from the headers", "[model][verbs]") {
  CHECK(wire_bytes(Bytes::kib(4), Bytes::kib(4)) == Bytes(4096 + 98));
  CHECK(std::abs(ceiling_bps(Bytes::kib(4), Bytes::kib(4), Rate::gbps(100)) / 1e9 - 97.66) < 0.005);
  // Long messages carry RETH once: the other published figure.
  CHECK(std::abs(ceiling_bps(Bytes::mib(512), Bytes::kib(4), Rate::gbps(100)) / 1e9 - 98.04) < 0.005);
  CHECK(wire_bytes(Bytes(64), Bytes::kib(4)) == Bytes(64 + 98));
  CHECK(wire_bytes(Bytes(1), Bytes::kib(4)) == Bytes(4 + 98));
  CHECK(wire_bytes(Bytes(0), Bytes::kib(4)) == Bytes(98));
  // Two packets; the second is below the minimum frame: 58 + 4 bytes are above 60, so nothing is padded.
  CHECK(wire_bytes(Bytes(257), Bytes(256)) == Bytes(256 + 98 + 4 + 82));
  // READ responses: AETH in the first and the last
  CHECK(wire_bytes(Bytes(64), Bytes::kib(4), ClientOp::kRead) == Bytes(64 + 86));
  CHECK(wire_bytes(Bytes(256 * 3), Bytes(256), ClientOp::kRead) == Bytes(3 * 256 + 86 + 82 + 86));
  // SEND: no RETH
  CHECK(wire_bytes(Bytes::kib(8), Bytes::kib(4), ClientOp::kSend) == Bytes(2 * (4096 + 82)));
  CHECK(packets_of(Bytes(0), Bytes(256)) == 1);
  CHECK(packets_of(Bytes(256), Bytes(256)) == 1);
  CHECK(packets_of(Bytes(257), Bytes(256)) == 2);
}

TEST_CASE("the verb client keeps the given number of messages in flight and drains between sizes", "[model][verbs]") {
  VerbPlan plan;
  plan.sizes = {Bytes(64), Bytes::kib(1)};
  plan.repetitions = 5;
  plan.outstanding = 2;
  plan.qpns = {8, 9};
  plan.rkey = 0x101;
  plan.local_base = 0x1000;
  plan.remote_base = 0x2000;
  plan.window = Bytes::kib(2);
  plan.start = Cycles(7);
  VerbClient client(plan);
  CHECK_FALSE(client.next_request(Cycles(6)));
  CHECK(client.next_activity(Cycles(3)) == Cycles(7));

  std::vector<std::pair<ClientRequest, std::uint64_t>> flight;
  std::vector<ClientRequest> seen;
  std::uint64_t cycle = 7;
  for (; !client.done(); ++cycle) {
    REQUIRE(cycle < 1000);
    if (!flight.empty() && cycle == flight.front().second + 10) {
      client.response({flight.front().first.tag, ClientStatus::kOk, 0}, Cycles(cycle));
      flight.erase(flight.begin());
    }
    if (const auto request = client.next_request(Cycles(cycle))) {
      client.accepted(*request, Cycles(cycle));
      flight.emplace_back(*request, cycle);
      seen.push_back(*request);
    }
    REQUIRE(flight.size() <= 2);
  }
  REQUIRE(seen.size() == 10);
  CHECK(seen[0].qpn == 8);
  CHECK(seen[1].qpn == 9);
  CHECK(seen[1].laddr == 0x1040);
  CHECK(seen[1].raddr == 0x2040);
  CHECK(seen[4].length == 64);
  CHECK(seen[5].length == 1024);
  CHECK(seen[7].laddr == 0x1000);  // wraps after two messages of 1 KiB
  CHECK(seen[9].rkey == 0x101);
  CHECK(client.written() == Bytes::kib(2));
  REQUIRE(client.results().size() == 2);
  const auto& first = client.results()[0];
  CHECK(first.latency.count() == 5);
  CHECK(first.latency.min() == 10);
  CHECK(first.latency.max() == 10);
  CHECK(first.failed == 0);
  // Requests at 7 + 0, 1, 10, 11, 20: the last completion is at 30, the first at 10.
  CHECK(first.last_completion == Cycles(7 + 30));
  CHECK(std::abs(first.goodput_bps(Time::ns(4)) - 5 * 64 * 8 / 120e-9) < 1);
  CHECK(std::abs(first.steady_bps(Time::ns(4)) - 4 * 64 * 8 / 80e-9) < 1);
}
