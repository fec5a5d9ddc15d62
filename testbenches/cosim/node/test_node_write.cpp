// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <numeric>

#include "models/base/rng.hpp"
#include "testbenches/cosim/node/pair.hpp"

using namespace caravan;
using namespace caravan::tb;

namespace {

constexpr std::uint64_t kGuard = 128;

std::vector<std::uint8_t> random_bytes(std::size_t n, std::uint64_t seed) {
  base::Rng rng(seed);
  std::vector<std::uint8_t> bytes(n);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(rng.next());
  return bytes;
}

ClientRequest write_request(std::uint32_t tag, std::uint64_t laddr, std::uint64_t raddr, std::uint32_t rkey,
                            std::uint32_t length, std::uint32_t qpn = 2) {
  return {
      .op = ClientOp::kWrite, .tag = tag, .qpn = qpn, .laddr = laddr, .raddr = raddr, .rkey = rkey, .length = length};
}

}  // namespace

TEST_CASE("WRITE moves any length from any to any alignment at every path MTU", "[cosim][node]") {
  const std::uint64_t pmtu = GENERATE(256, 512, 1024, 2048, 4096);
  Pair pair({.qps = 2, .pmtu = pmtu, .timeout = 14});
  const std::uint32_t lengths[] = {1,   2,   3,    63,   64,   65,   127,  255,  256, 257,
                                   511, 513, 1023, 1025, 2049, 4095, 4096, 4097, 9000};
  const std::uint64_t shifts[] = {0, 1, 31, 63};
  const auto source = random_bytes(kRegionBytes, pmtu);
  pair[0].hbm().write(0, source);
  pair[0].host().write(0, source);
  std::vector<std::uint8_t> expected_hbm = random_bytes(kRegionBytes, 7), expected_host = random_bytes(kRegionBytes, 8);
  pair[1].hbm().write(0, expected_hbm);
  pair[1].host().write(0, expected_host);
  std::uint32_t tag = 0;
  std::uint64_t at = 0, bytes = 0;
  pair.clients[0].outstanding = 4;
  for (const std::uint32_t length : lengths) {
    for (std::size_t s = 0; s < std::size(shifts); ++s) {
      // Source and target out of step; every other one from or to host memory.
      const std::uint64_t from = at + shifts[s], to = at + shifts[(s + tag) % std::size(shifts)] + kGuard;
      const bool from_host = (tag & 1) != 0, to_host = (tag & 2) != 0;
      pair.clients[0].script.push_back(write_request(tag++, from + (from_host ? vl::kClassHost : 0),
                                                     to + (to_host ? vl::kClassHost : 0),
                                                     to_host ? kHostRkey : kHbmRkey, length));
      std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), length,
                  (to_host ? expected_host : expected_hbm).begin() + static_cast<std::ptrdiff_t>(to));
      at += length + 2 * kGuard;
      bytes += length;
    }
  }
  REQUIRE(at + kGuard < kRegionBytes);
  REQUIRE(pair.run_to_quiet(Time::us(900)));
  REQUIRE(pair.clients[0].answers.size() == tag);
  for (const auto& answer : pair.clients[0].answers) CHECK(answer.response.status == ClientStatus::kOk);
  std::vector<std::uint8_t> got(kRegionBytes);
  pair[1].hbm().read(0, got);
  CHECK(got == expected_hbm);
  pair[1].host().read(0, got);
  CHECK(got == expected_host);
  CHECK(pair.stat(0, "roce_tx.retrans") == 0);
  CHECK(pair.stat(1, "roce_rx.msgs") == tag);
}

TEST_CASE("WRITE of nothing completes and writes nothing", "[cosim][node]") {
  Pair pair;
  pair.clients[0].script = {write_request(1, 0, 64, kHbmRkey, 0)};
  REQUIRE(pair.run_to_quiet(Time::us(20)));
  CHECK(pair.clients[0].answers.at(0).response.status == ClientStatus::kOk);
  CHECK(pair[1].hbm().allocated_pages() == 0);
}

TEST_CASE("Any one lost frame of a message is recovered", "[cosim][node]") {
  const unsigned sender = GENERATE(0u, 1u);
  const std::uint64_t lost = GENERATE(0u, 1u, 2u, 5u, 9u);
  Pair pair({.qps = 2, .pmtu = 256, .timeout = 1});
  pair.lose = [&](unsigned from, std::uint64_t n, const auto&) { return from == sender && n == lost; };
  const auto source = random_bytes(2560, 3);
  pair[0].hbm().write(64, source);
  pair.clients[0].script = {write_request(1, 64, 4099, kHbmRkey, 2560)};
  REQUIRE(pair.run_to_quiet(Time::ms(1)));
  CHECK(pair.clients[0].answers.at(0).response.status == ClientStatus::kOk);
  std::vector<std::uint8_t> got(2560);
  pair[1].hbm().read(4099, got);
  CHECK(got == source);
  CHECK(pair.stat(1, "roce_rx.msgs") == 1);
  if (sender == 0) CHECK(pair.stat(0, "roce_tx.retrans") > 0);
}

TEST_CASE("A retransmission sends what was posted, not what the memory holds by now", "[cosim][node]") {
  Pair pair({.qps = 2, .pmtu = 256, .timeout = 1});
  const auto source = random_bytes(1024, 5);
  pair[0].hbm().write(0, source);
  pair.lose = [&](unsigned from, std::uint64_t n, const auto&) { return from == 0 && n < 4; };
  pair.clients[0].script = {write_request(1, 0, 0, kHbmRkey, 1024)};
  pair.run_until(Time::us(5));
  REQUIRE(pair.frames[0] >= 4);
  pair[0].hbm().write(0, random_bytes(1024, 6));
  REQUIRE(pair.run_to_quiet(Time::ms(1)));
  std::vector<std::uint8_t> got(1024);
  pair[1].hbm().read(0, got);
  CHECK(got == source);
}

TEST_CASE("Refused WRITEs end with their reason and leave the memory alone", "[cosim][node]") {
  Pair pair({.qps = 4});
  pair.clients[0].script = {
      write_request(1, 0, kRegionBytes - 10, kHbmRkey, 11, 1),  // one byte too far
      write_request(2, 0, 0, kHbmRkey + 1, 64, 2),              // wrong key
      write_request(3, 0, 1ull << 60, kHbmRkey, 64, 3),         // no such target
      write_request(4, 5ull << 60, 0, kHbmRkey, 64, 4),         // no such source
      write_request(5, 0, 0, kHbmRkey, 64, 600),                // no such queue pair
      write_request(6, 0, 0, kHbmRkey, 64, 1),                  // the queue pair is in error by now
  };
  REQUIRE(pair.run_to_quiet(Time::us(200)));
  const ClientStatus expected[] = {ClientStatus::kRemoteAccess, ClientStatus::kRemoteAccess,
                                   ClientStatus::kRemoteAccess, ClientStatus::kBadOp,
                                   ClientStatus::kBadOp,        ClientStatus::kQpError};
  for (const auto& answer : pair.clients[0].answers) {
    INFO("tag " << answer.response.tag);
    CHECK(answer.response.status == expected[answer.response.tag - 1]);
  }
  CHECK(pair.clients[0].answers.size() == 6);
  CHECK(pair[1].hbm().allocated_pages() == 0);
}

TEST_CASE("A dead peer ends a WRITE with retry exceeded, not with a hang", "[cosim][node]") {
  Pair pair({.qps = 2, .pmtu = 1024, .timeout = 1});
  pair.lose = [](unsigned, std::uint64_t, const auto&) { return true; };
  pair.clients[0].script = {write_request(1, 0, 0, kHbmRkey, 64), write_request(2, 0, 0, kHbmRkey, 64)};
  pair.clients[0].outstanding = 2;
  REQUIRE(pair.run_to_quiet(Time::ms(2)));
  REQUIRE(pair.clients[0].answers.size() == 2);
  CHECK(pair.clients[0].answers[0].response.status == ClientStatus::kRetryExceeded);
  CHECK(pair.clients[0].answers[1].response.status == ClientStatus::kQpError);
  CHECK(pair.frames[0] == 2 * 8);  // once and seven retries
}
