// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include <deque>

#include "workloads/incast/client.hpp"
#include "workloads/incast/table.hpp"

using namespace caravan::workloads;
using namespace caravan::base;

TEST_CASE("the incast client begins and ends at its cycles and keeps its messages in flight", "[model][incast]") {
  IncastPlan plan;
  plan.qpn = 7, plan.size = 4096, plan.outstanding = 3, plan.begin = Cycles(100), plan.end = Cycles(1000);
  plan.remote_base = 0x5000;
  IncastClient client(plan);
  std::deque<std::pair<std::uint32_t, std::uint64_t>> flight;
  std::size_t most = 0;
  std::uint64_t last = 0;
  for (std::uint64_t cycle = 0; !client.done(); ++cycle) {
    REQUIRE(cycle < 1200);
    if (!flight.empty() && cycle == flight.front().second + 50) {
      client.response({flight.front().first, ClientStatus::kOk, 0}, Cycles(cycle));
      flight.pop_front();
    }
    const Cycles activity = client.next_activity(Cycles(cycle));
    if (cycle < 100) CHECK(activity == Cycles(100));
    if (const auto request = client.next_request(Cycles(cycle))) {
      CHECK(activity == Cycles(cycle));
      CHECK(cycle >= 100);
      CHECK(request->length == 4096);
      CHECK(request->raddr == 0x5000);
      client.accepted(*request, Cycles(cycle));
      flight.emplace_back(request->tag, cycle);
      last = cycle;
    }
    most = std::max(most, flight.size());
  }
  CHECK(most == 3);
  CHECK(last >= 949);
  CHECK(last < 1000);
  CHECK(client.issued() == client.completed());
  CHECK(client.next_activity(Cycles(2000)).is_never());
}

TEST_CASE("the incast client stops at a failure", "[model][incast]") {
  IncastPlan plan;
  plan.begin = Cycles(0), plan.end = Cycles(1'000'000), plan.outstanding = 1;
  IncastClient client(plan);
  client.accepted(*client.next_request(Cycles(5)), Cycles(5));
  CHECK_FALSE(client.next_request(Cycles(6)));
  client.response({0, ClientStatus::kRetryExceeded, 0}, Cycles(90));
  CHECK(client.done());
  CHECK(client.failed() == 1);
  CHECK_FALSE(client.next_request(Cycles(100)));
}

TEST_CASE("the incast table: rates, fairness, queue, drops, CSV", "[model][incast]") {
  IncastTable table(2, Time::us(10));
  table.received(0, Time::us(1), Bytes(100'000));
  table.received(1, Time::us(25), Bytes(25'000));
  table.received(0, Time::us(25), Bytes(75'000));
  table.queue(Time::us(3), Bytes(5'000), 4);
  table.queue(Time::us(9), Bytes(4'000), 4);
  table.queue(Time::us(12), Bytes(9'000), 11);
  REQUIRE(table.intervals() == 3);
  CHECK(table.gbps(0, 0) == 80);
  CHECK(table.gbps(1, 0) == 0);
  CHECK(table.total_gbps(2) == 80);
  CHECK(table.mean_gbps(0, 2) == 40);
  CHECK(table.fairness(0, 1) == 0.5);  // one of two has everything
  CHECK(table.fairness(2, 3) == 0.8);  // (75 + 25)^2 / (2 (75^2 + 25^2))
  CHECK(table.fairness(1, 2) == 1);
  CHECK(table.longest_queue(0) == 5'000);
  CHECK(table.longest_queue(0, 3) == 9'000);
  CHECK(table.drops(0) == 4);
  CHECK(table.drops(1, 3) == 7);
  CHECK(table.to_csv() ==
        "time_us,queue_bytes,drops,flow0_gbps,flow1_gbps\n"
        "0.000,5000,4,80.000,0.000\n10.000,9000,7,0.000,0.000\n20.000,0,0,60.000,20.000\n");
}
