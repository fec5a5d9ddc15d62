// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "sim/cluster/worker_pool.hpp"

using namespace caravan;
using sim::WorkerPool;

TEST_CASE("worker pool: each item once a run, for any number of threads and any list", "[engine][pool]") {
  for (const unsigned threads : {1u, 2u, 3u, 5u}) {
    WorkerPool pool(threads, 16);
    std::vector<std::uint64_t> done(16, 0), expected(16, 0);  // plain: an item is never on two threads
    const std::function<void(unsigned)> work = [&](unsigned i) { done[i] += i + 1; };
    for (unsigned round = 0; round < 3'000; ++round) {
      std::vector<unsigned> list;
      for (unsigned i = 0; i < 16; ++i) {
        if (((round * 2654435761u) >> i) & 1) list.push_back(i), expected[i] += i + 1;
      }
      pool.run(list, work);
    }
    CHECK(done == expected);
    CHECK(pool.times().size() == threads);
  }
}

TEST_CASE("worker pool: one slow item does not keep the others waiting", "[engine][pool]") {
  WorkerPool pool(2, 4);
  std::atomic<int> others{0};
  // Items 0 and 2 belong to worker 0, which is held in item 0 until the other worker has done all the rest.
  pool.run(std::vector<unsigned>{0, 1, 2, 3}, [&](unsigned i) {
    if (i != 0) {
      ++others;
      return;
    }
    while (others < 3) std::this_thread::yield();
  });
  CHECK(others == 3);
}

TEST_CASE("worker pool: the exception of the lowest item is thrown, and the pool goes on", "[engine][pool]") {
  for (const unsigned threads : {1u, 3u}) {
    WorkerPool pool(threads, 8);
    std::vector<unsigned> all(8);
    std::iota(all.begin(), all.end(), 0u);
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::string what;
      try {
        pool.run(all, [](unsigned i) {
          if (i == 3 || i == 6) throw std::runtime_error("item " + std::to_string(i));
        });
      } catch (const std::runtime_error& error) { what = error.what(); }
      CHECK(what == "item 3");
    }
    std::atomic<int> count{0};
    pool.run(all, [&](unsigned) { ++count; });
    CHECK(count == 8);
  }
}
