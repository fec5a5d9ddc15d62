// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include "models/base/errors.hpp"
#include "testbenches/model/ref/requester.hpp"

using namespace caravan;
using namespace caravan::test;
using ref::DropReason;
using ref::QpState;

TEST_CASE("A NAK without progress spends a retry, once until there is progress or a timeout", "[ref][requester]") {
  auto config = config_a();
  config.retry_limit = 2;
  Requester a(config);
  a.post(1, 256 * 2);
  a.sent();
  a.ack(0, packet::kNakSequence);
  CHECK(a.view().retries == 1);
  a.ack(0, packet::kNakSequence);
  CHECK(a.view().retries == 1);
  CHECK(a.sent() == "FIRST+0 LAST+1!");
  a.a.timeout(kQpnA);
  CHECK(a.view().retries == 2);
  CHECK(a.sent() == "FIRST+0 LAST+1!");
  a.ack(0, packet::kNakSequence);
  CHECK(a.done() == Done{completion(1, CompletionStatus::kRetryExceeded)});
}

TEST_CASE("An RNR NAK holds the QP until the timer ends the wait; no retry is spent", "[ref][requester]") {
  auto config = config_a();
  config.retry_limit = 0;
  Requester a(config);
  a.post(1, 4);
  a.post(2, 4);
  a.sent();
  a.ack(1, 0x2E);
  CHECK(a.done() == Done{completion(1)});
  a.post(3, 4);
  CHECK(a.sent().empty());
  a.ack(1, 0x2E);
  CHECK(a.a.dropped(DropReason::kStaleAck) == 1);
  a.a.timeout(kQpnA);
  CHECK(a.sent() == "ONLY+1! ONLY+2!");
  SECTION("a sequence NAK ends the wait at once") {
    a.ack(1, 0x20);
    a.ack(2, packet::kNakSequence);
    CHECK(a.sent() == "ONLY+2!");
  }
  SECTION("so does an ACK for everything") {
    a.ack(1, 0x20);
    a.ack(2);
    a.post(4, 4);
    CHECK(a.sent() == "ONLY+3!");
  }
  CHECK(a.view().state == QpState::kRts);
}

TEST_CASE("The retry limit fails the QP: one error, the rest flushed, nothing more is sent", "[ref][requester]") {
  auto config = config_a();
  config.retry_limit = 3;
  Requester a(config);
  for (std::uint32_t i = 1; i <= 3; ++i) a.post(i, 4);
  a.sent();
  a.ack(0);
  for (int i = 0; i < 3; ++i) {
    a.a.timeout(kQpnA);
    CHECK(a.sent() == "ONLY+1! ONLY+2!");
  }
  CHECK(a.done() == Done{completion(1)});
  a.a.timeout(kQpnA);
  CHECK(a.done() == Done{completion(2, CompletionStatus::kRetryExceeded), completion(3, CompletionStatus::kFlushed)});
  CHECK(a.view().state == QpState::kError);
  CHECK(a.sent().empty());
  a.post(4, 4);
  CHECK(a.done() == Done{completion(4, CompletionStatus::kFlushed)});
}

TEST_CASE("A fatal NAK completes what is before it, fails its message and flushes the rest", "[ref][requester]") {
  for (const auto& [syndrome, status] : {std::pair{packet::kNakInvalid, CompletionStatus::kRemoteInvalid},
                                         {packet::kNakAccess, CompletionStatus::kRemoteAccess},
                                         {packet::kNakOperational, CompletionStatus::kRemoteOperation}}) {
    Requester a;
    for (std::uint32_t i = 1; i <= 3; ++i) a.post(i, 300);
    a.sent();
    a.ack(3, syndrome);
    CHECK(a.done() == Done{completion(1), completion(2, status), completion(3, CompletionStatus::kFlushed)});
    CHECK(a.view().state == QpState::kError);
    CHECK(a.view().outstanding == 0);
  }
}

TEST_CASE("Syndromes without a meaning here are dropped and move nothing", "[ref][requester]") {
  Requester a;
  a.post(1, 4);
  a.sent();
  for (const std::uint8_t syndrome : {0x40, 0x64, 0x7F, 0x80, 0xFF}) a.ack(0, syndrome);
  CHECK(a.a.dropped(DropReason::kSyndrome) == 5);
  CHECK(a.view().outstanding == 1);
  CHECK(a.view().state == QpState::kRts);
}

TEST_CASE("Requests that can't be done complete at once", "[ref][requester]") {
  Requester a;
  const auto status = [&](base::Qpn qpn, const ref::WriteRequest& request) {
    a.a.post_write(qpn, request);
    const auto done = a.done();
    return done.size() == 1 ? done[0].status : CompletionStatus::kOk;
  };
  CHECK(status(base::Qpn(0x99), {}) == CompletionStatus::kBadRequest);
  CHECK(status(kQpnA, {.local_va = kRpc, .length = 4}) == CompletionStatus::kBadRequest);
  CHECK(status(kQpnA, {.local_va = 0x1000'0000'0000'0000, .length = 4}) == CompletionStatus::kBadRequest);
  CHECK(status(kQpnA, {.length = (1ull << 31) + 1}) == CompletionStatus::kBadRequest);
  a.a.set_state(kQpnA, QpState::kRtr);
  CHECK(status(kQpnA, {.length = 4}) == CompletionStatus::kFlushed);
}

TEST_CASE("Settings that can't be are the user's error", "[ref][requester]") {
  ref::RoceRef a(kMacA, kIpA);
  const auto error = [&](auto change) -> std::string {
    auto config = config_a();
    change(config);
    try {
      a.create_qp(config);
    } catch (const base::UserError& e) { return e.what(); }
    return "";
  };
  CHECK(error([](auto& c) { c.pmtu = 1000; }) == "QP 0x11: path MTU 1000 is not one of 256, 512, 1024, 2048, 4096");
  CHECK(error([](auto& c) { c.window = 0; }) == "QP 0x11: window 0 is not in 1..8388607 packets");
  CHECK(error([](auto& c) { c.timeout_exponent = 32; }) == "QP 0x11: timeout exponent 32 is not in 0..31");
}
