// SPDX-License-Identifier: Apache-2.0
// roce_sq_list against a set: no QP is listed twice, no kick is lost, whatever coincides.
#include <catch2/catch_test_macros.hpp>

#include <set>

#include "Vtb_roce_sq_list.h"
#include "testbenches/support/bench.hpp"

TEST_CASE("roce_sq_list: a kick in any cycle lists its QP exactly once", "[unit][roce]") {
  caravan::support::Bench<Vtb_roce_sq_list> dut;
  caravan::base::Rng rng(3, 1);
  dut.reset();
  std::set<unsigned> listed;   // in the queue or with the scheduler
  std::deque<unsigned> order;  // in the queue
  int current = -1;            // with the scheduler
  bool retry = false, fresh = false;
  unsigned coincidences = 0;
  for (int cycle = 0; cycle < 20'000; ++cycle) {
    dut->req_valid_i = rng.chance(0.2);
    dut->req_qpn_i = rng.below(4);
    if (!retry) dut->retry_qpn_i = rng.below(4);
    if (!fresh) dut->new_qpn_i = rng.below(4);
    retry = retry || rng.chance(0.2);
    fresh = fresh || rng.chance(0.3);
    dut->retry_valid_i = retry;
    dut->new_valid_i = fresh;
    dut->delist_i = 0;
    dut->requeue_i = 0;
    dut->ready_i = 0;
    dut->cur_qpn_i = current < 0 ? 0 : current;
    dut->clk_i = 0;
    dut->eval();
    REQUIRE((dut->valid_o != 0) == !order.empty());
    if (!order.empty()) REQUIRE(dut->qpn_o == order.front());
    if (current >= 0) {
      const std::uint64_t choice = rng.below(3);
      if (choice == 0) dut->delist_i = 1;
      if (choice == 1 && !dut->busy_o) dut->requeue_i = 1;
    }
    dut->ready_i = current < 0 || dut->delist_i || dut->requeue_i;
    dut->eval();
    // What the edge does: the scheduler's move first, then the kicks in order of preference.
    int next = current;
    if (dut->ready_i) {
      next = order.empty() ? -1 : static_cast<int>(order.front());
      if (!order.empty()) order.pop_front();
    }
    if (dut->delist_i) listed.erase(static_cast<unsigned>(current));
    if (dut->requeue_i) order.push_back(static_cast<unsigned>(current));
    const auto kick = [&](unsigned qpn) {
      if (dut->delist_i && static_cast<int>(qpn) == current) ++coincidences;
      if (listed.insert(qpn).second) order.push_back(qpn);
    };
    if (dut->req_valid_i) kick(dut->req_qpn_i);
    if (retry && dut->retry_ready_o) {
      kick(dut->retry_qpn_i);
      retry = false;
    }
    if (fresh && dut->new_ready_o) {
      kick(dut->new_qpn_i);
      fresh = false;
    }
    current = next;
    dut->clk_i = 1;
    dut->eval();
  }
  REQUIRE(coincidences > 300);
}
