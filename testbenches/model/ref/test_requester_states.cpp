// SPDX-License-Identifier: Apache-2.0
// RNR retries, draining, flushing, and requests that can't be done.
#include "testbenches/model/ref/verbs.hpp"

#include "models/base/errors.hpp"

using namespace caravan;
using namespace caravan::test;

namespace {
constexpr std::uint8_t kRnr = 0x20 | 14;
}

TEST_CASE("Each RNR NAK without progress spends one RNR retry", "[ref][requester][rnr]") {
  auto config = config_a();
  config.rnr_retry = GENERATE(0u, 1u, 6u);
  config.retry_limit = 0;
  Client a(config);
  a.post(1, Operation::kSend, 4);
  a.post(2, Operation::kSend, 4);
  a.sent();
  for (std::uint32_t i = 0; i < config.rnr_retry; ++i) {
    a.ack(0, kRnr);
    CHECK(a.view().rnr_wait);
    CHECK(a.view().rnr_timer == 14);
    CHECK(a.view().rnr_retries == i + 1);
    CHECK(a.sent().empty());
    a.a.timeout(kQpnA);
    CHECK(a.sent() == "SEND_ONLY+0! 4B, SEND_ONLY+1! 4B");
  }
  SECTION("one more fails the QP") {
    a.ack(0, kRnr);
    CHECK(a.done() == "1:7 2:1");
    CHECK(a.view().state == QpState::kError);
  }
  SECTION("progress gives them back") {
    a.ack(1, kRnr);
    CHECK(a.done() == "1:0");
    CHECK(a.view().rnr_retries == 0);
    CHECK(a.view().rnr_wait);
  }
}

TEST_CASE("Seven RNR retries are endless", "[ref][requester][rnr]") {
  Client a;
  a.post(1, Operation::kSend, 4);
  a.sent();
  for (int i = 0; i < 1000; ++i) {
    a.ack(0, kRnr);
    a.a.timeout(kQpnA);
    REQUIRE(a.sent() == "SEND_ONLY+0! 4B");
  }
  a.ack(0);
  CHECK(a.done() == "1:0");
}

TEST_CASE("A sequence NAK for what followed the RNR NAK does not end the wait", "[ref][requester][rnr]") {
  Client a;
  a.post(1, Operation::kSend, 600);
  a.sent();
  a.ack(0, kRnr);
  a.ack(0, packet::kNakSequence);
  CHECK(a.sent().empty());
  CHECK(a.view().rnr_wait);
  CHECK(a.view().retries == 0);
  CHECK(a.a.dropped(DropReason::kStaleAck) == 1);
  a.a.timeout(kQpnA);
  CHECK(a.sent() == "SEND_FIRST+0 256B, SEND_MIDDLE+1 256B, SEND_LAST+2! 88B");
}

TEST_CASE("A QP that is reset in the wait, or made anew, waits no longer", "[ref][requester][rnr]") {
  Client a;
  a.post(1, Operation::kSend, 4);
  a.sent();
  a.ack(0, kRnr);
  SECTION("reset") {
    a.a.set_state(kQpnA, QpState::kReset);
    CHECK(a.done() == "1:1");
  }
  a.a.create_qp(config_a());
  a.post(2, Operation::kSend, 4);
  CHECK(a.sent() == "SEND_ONLY+0! 4B");
}

TEST_CASE("SQD: what was begun is finished, nothing new is begun until RTS", "[ref][requester][sqd]") {
  auto config = config_a();
  config.window = 4;
  Client a(config);
  a.post(1, Operation::kWrite, 256 * 6);
  a.post(2, Operation::kWrite, 4);
  CHECK(a.a.transmit(kQpnA).size() == 4);
  a.a.set_state(kQpnA, QpState::kSqd);
  a.post(3, Operation::kRead, 4);  // waits
  a.ack(1);
  CHECK(a.sent() == "WRITE_MIDDLE+4 256B, WRITE_LAST+5! 256B");
  a.a.timeout(kQpnA);
  CHECK(a.sent().starts_with("WRITE_MIDDLE+2"));
  a.ack(5);
  CHECK(a.done() == "1:0");
  CHECK(a.sent().empty());
  SECTION("resumed") {
    a.a.set_state(kQpnA, QpState::kRts);
    CHECK(a.sent() == "WRITE_ONLY+6! @1000 of 4 4B, READ_REQ+7! @1000 of 4");
  }
  SECTION("given up") {
    a.a.set_state(kQpnA, QpState::kError);
    CHECK(a.done() == "2:1 3:1");
  }
}

TEST_CASE("SQD: a READ that was begun is asked for to its end", "[ref][requester][sqd]") {
  auto config = config_a();
  config.window = 2;
  Client a(config);
  a.post(1, Operation::kRead, 600);
  CHECK(a.sent() == "READ_REQ+0! @1000 of 256, READ_REQ+1! @1100 of 256");
  a.a.set_state(kQpnA, QpState::kSqd);
  a.back(Opcode::kReadRespOnly, 0, 256);
  CHECK(a.sent() == "READ_REQ+2! @1200 of 88");
}

TEST_CASE("Error flushes all operations in order of posting", "[ref][requester]") {
  Client a;
  for (const auto& [id, op, bytes] : {std::tuple{1u, Operation::kRead, 600u},
                                      {2u, Operation::kFetchAdd, 8u},
                                      {3u, Operation::kSend, 4u},
                                      {4u, Operation::kWrite, 4u}})
    a.post(id, op, bytes);
  a.sent();
  SECTION("by software") {
    a.a.set_state(kQpnA, QpState::kError);
    CHECK(a.done() == "1:1 2:1 3:1 4:1");
  }
  SECTION("by a NAK for the READ") {
    a.ack(0, packet::kNakAccess);
    CHECK(a.done() == "1:4 2:1 3:1 4:1");
  }
  SECTION("by the responder of the same QP") {
    packet::RoceFrame f;
    f.eth = {kMacA, kMacB};
    f.ip = packet::Ipv4{.src = kIpB, .dst = kIpA};
    f.bth = {.opcode = 0x0A, .dest_qp = kQpnA.value(), .psn = kPsnB};
    f.ext.reth = packet::Reth{0, 0xBAD, 4};
    CHECK(a.a.receive(packet::build(f, counting(4))).size() == 1);
    CHECK(a.done() == "1:1 2:1 3:1 4:1");
  }
  CHECK(a.view().outstanding == 0);
  CHECK(a.sent().empty());
}

TEST_CASE("Requests of any operation that can't be done complete at once", "[ref][requester]") {
  Client a;
  const auto bad = [&](const ref::WorkRequest& request) {
    a.a.post(kQpnA, request);
    return a.done() == fmt::format("0:{}", static_cast<int>(CompletionStatus::kBadRequest));
  };
  CHECK(bad({.op = static_cast<Operation>(5), .length = 4}));
  CHECK(bad({.op = Operation::kRead, .local_va = kRpc, .length = 4}));
  CHECK(bad({.op = Operation::kRead, .length = 4, .inl = true}));
  CHECK(bad({.op = Operation::kRead, .length = (1ull << 31) + 1}));
  CHECK(bad({.op = Operation::kSend, .length = 65, .inl = true}));
  CHECK(bad({.op = Operation::kFetchAdd, .length = 4}));
  CHECK(bad({.op = Operation::kCompareSwap, .local_va = kRpc, .length = 8}));
  CHECK_FALSE(bad({.op = Operation::kCompareSwap, .local_va = kRpc, .length = 8, .inl = true}));
}

TEST_CASE("More settings that can't be are the user's error", "[ref][requester]") {
  ref::RoceRef a(kMacA, kIpA);
  const auto error = [&](auto change) -> std::string {
    auto config = config_a();
    change(config);
    try {
      a.create_qp(config);
    } catch (const base::UserError& e) { return e.what(); }
    return "";
  };
  CHECK(error([](auto& c) { c.rnr_retry = 8; }) == "QP 0x11: RNR retry limit 8 is not in 0..7");
  CHECK(error([](auto& c) { c.min_rnr_timer = 32; }) == "QP 0x11: RNR timer code 32 is not in 0..31");
  CHECK(error([](auto& c) { c.rd_atomic = 0; }) ==
        "QP 0x11: at least one READ or atomic must be allowed to be outstanding, not 0");
}
