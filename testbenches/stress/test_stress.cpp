// SPDX-License-Identifier: Apache-2.0
// Conservation under stress: completions equal posts, memory equals the model, no QP is stuck, no window is left.
// CARAVAN_STRESS_PACKETS, CARAVAN_STRESS_SEED and CARAVAN_STRESS_QPS change the slice that runs.
#include <fmt/format.h>
#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <cstdlib>

#include "testbenches/stress/stress.hpp"

using namespace caravan;

namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 0);
}

stress::StressResult run(const stress::StressConfig& config) {
  const auto start = std::chrono::steady_clock::now();
  const auto result = stress::Stress(config).run();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print(
      "seed {}: {} packets, {} work requests, {} completions, {} receives, {} cycles, {} evaluated; sent again {}+{}, "
      "timeouts "
      "{}+{}, "
      "RNR {}+{}, duplicates {}+{}, sequence NAKs {}+{}, ICRC drops {}+{}, FIFO drops {}; {:.1f} s\n",
      config.seed, result.packets, result.posts, result.completions, result.receives, result.cycles, result.evaluated,
      result.retransmissions[0], result.retransmissions[1], result.timeouts[0], result.timeouts[1], result.rnr[0],
      result.rnr[1], result.duplicates[0], result.duplicates[1], result.naks[0], result.naks[1], result.icrc_drops[0],
      result.icrc_drops[1], result.fifo_drops, seconds);
  return result;
}

}  // namespace

TEST_CASE("Stress: all operations on many QPs, both ways, over loss, duplication, reordering and damage", "[stress]") {
  const auto result = run({.seed = from_environment("CARAVAN_STRESS_SEED", 1),
                           .qps = static_cast<std::uint32_t>(from_environment("CARAVAN_STRESS_QPS", 64)),
                           .packets = from_environment("CARAVAN_STRESS_PACKETS", 100'000)});
  INFO(result.error);
  CHECK(result.error.empty());
  // The slice did reach what it is for.
  CHECK(result.posts > 1000);
  CHECK(result.receives > 100);
  CHECK(result.retransmissions[0] + result.retransmissions[1] > 0);
  CHECK(result.rnr[0] + result.rnr[1] > 0);
  CHECK(result.duplicates[0] + result.duplicates[1] > 0);
}

TEST_CASE("Stress: a wire without faults needs no repetition but for RNR", "[stress]") {
  const auto result = run(
      {.seed = 5, .qps = 8, .packets = 20'000, .faults = {.loss = 0, .duplication = 0, .reordering = 0, .damage = 0}});
  INFO(result.error);
  CHECK(result.error.empty());
  CHECK(result.icrc_drops[0] + result.icrc_drops[1] == 0);
}

TEST_CASE("Stress: loss from one in ten thousand to one in ten always ends", "[stress]") {
  for (const double loss : {0.0001, 0.001, 0.1}) {
    const auto result = run({.seed = 9, .qps = 16, .packets = 10'000, .faults = {.loss = loss}});
    INFO("loss " << loss << ": " << result.error);
    CHECK(result.error.empty());
  }
}
