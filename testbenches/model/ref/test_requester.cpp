// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include "testbenches/model/ref/requester.hpp"

using namespace caravan;
using namespace caravan::test;
using ref::DropReason;

TEST_CASE("A WRITE is cut into packets of the path MTU", "[ref][requester]") {
  Requester a;
  const auto shape = [&](std::uint64_t bytes) {
    a.a.create_qp(config_a());
    a.post(1, bytes);
    return a.sent();
  };
  CHECK(shape(0) == "ONLY+0!");
  CHECK(shape(1) == "ONLY+0!");
  CHECK(shape(256) == "ONLY+0!");
  CHECK(shape(257) == "FIRST+0 LAST+1!");
  CHECK(shape(512) == "FIRST+0 LAST+1!");
  CHECK(shape(513) == "FIRST+0 MIDDLE+1 LAST+2!");
}

TEST_CASE("Packets carry RETH, data and the QP's addresses", "[ref][requester]") {
  Requester a;
  a.post(1, 300);
  CHECK(a.sent() == "FIRST+0 LAST+1!");
  CHECK(a.last[0].ext.reth == packet::Reth{kHbm, kRkey, 300});
  CHECK_FALSE(a.last[1].ext.reth);
  const Buffer data = counting(300);
  CHECK(Buffer(a.last[0].payload.begin(), a.last[0].payload.end()) == Buffer(data.begin(), data.begin() + 256));
  CHECK(Buffer(a.last[1].payload.begin(), a.last[1].payload.end()) == Buffer(data.begin() + 256, data.end()));
  CHECK(a.last[0].ipv4->dst == kIpB);
  CHECK(a.last[0].eth->dst == kMacB);
  CHECK(a.last[0].bth->dest_qp == kQpnB.value());
}

TEST_CASE("AckReq comes at the latest on every n-th packet", "[ref][requester]") {
  auto config = config_a();
  config.ack_every = 3;
  Requester a(config);
  a.post(1, 256 * 7);
  a.post(2, 256 * 3);
  CHECK(a.sent() == "FIRST+0 MIDDLE+1 MIDDLE+2! MIDDLE+3 MIDDLE+4 MIDDLE+5! LAST+6! FIRST+7 MIDDLE+8 LAST+9!");
}

TEST_CASE("No more than the window is in flight", "[ref][requester]") {
  auto config = config_a();
  config.window = 4;
  Requester a(config);
  a.post(1, 256 * 6);
  CHECK(a.sent() == "FIRST+0 MIDDLE+1 MIDDLE+2 MIDDLE+3!");  // a full window asks for an ACK
  CHECK(a.sent().empty());
  a.ack(1);
  CHECK(a.sent() == "MIDDLE+4 LAST+5!");
  CHECK(a.view().outstanding == 4);
  CHECK(a.view().una == base::Psn(kPsnA + 2));
}

TEST_CASE("An ACK completes every message that it covers, in order", "[ref][requester]") {
  Requester a;
  for (std::uint32_t i = 1; i <= 4; ++i) a.post(i, 4);
  a.sent();
  a.ack(2);
  CHECK(a.done() == Done{completion(1), completion(2), completion(3)});
  a.ack(2);
  CHECK(a.a.dropped(DropReason::kStaleAck) == 1);
  a.ack(4);
  CHECK(a.a.dropped(DropReason::kGhostAck) == 1);
  CHECK(a.done().empty());
  a.ack(3);
  CHECK(a.done() == Done{completion(4)});
  a.ack(3);
  CHECK(a.a.dropped(DropReason::kStaleAck) == 2);
}

TEST_CASE("Unsignaled requests complete only when they fail", "[ref][requester]") {
  Requester a;
  a.a.post_write(kQpnA,
                 {.wr_id = 1, .local_va = kSource, .remote_va = kHbm, .rkey = kRkey, .length = 4, .signaled = false});
  a.a.post_write(kQpnA,
                 {.wr_id = 2, .local_va = kSource, .remote_va = kHbm, .rkey = kRkey, .length = 4, .signaled = false});
  a.sent();
  a.ack(0);
  CHECK(a.done().empty());
  a.ack(1, packet::kNakAccess);
  CHECK(a.done() == Done{completion(2, CompletionStatus::kRemoteAccess)});
}

TEST_CASE("A sequence NAK acknowledges what is before it and repeats from there, byte for byte", "[ref][requester]") {
  Requester a;
  a.post(1, 4);
  a.post(2, 256 * 4);
  CHECK(a.sent() == "ONLY+0! FIRST+1 MIDDLE+2 MIDDLE+3 LAST+4!");
  const std::vector<Buffer> first = a.frames;
  a.ack(2, packet::kNakSequence);
  CHECK(a.done() == Done{completion(1)});
  CHECK(a.view().retries == 0);  // there was progress
  CHECK(a.sent() == "MIDDLE+2 MIDDLE+3 LAST+4!");
  CHECK(a.frames == std::vector<Buffer>(first.begin() + 2, first.end()));
  a.ack(2, packet::kNakSequence);  // a copy of the NAK
  CHECK(a.sent().empty());
  CHECK(a.a.dropped(DropReason::kStaleAck) == 1);
  a.ack(1, packet::kNakSequence);
  CHECK(a.a.dropped(DropReason::kStaleAck) == 2);
  CHECK(a.sent().empty());
  a.ack(4);
  CHECK(a.done() == Done{completion(2)});
}

TEST_CASE("A timeout repeats from the oldest packet; progress is kept and resets the count", "[ref][requester]") {
  Requester a;
  a.post(1, 256 * 3);
  a.sent();
  a.a.timeout(kQpnA);
  CHECK(a.a.transmit(kQpnA, 2).size() == 2);
  a.ack(2);  // overtakes the repetition: the rest needs no repeating
  CHECK(a.done() == Done{completion(1)});
  CHECK(a.sent().empty());
  CHECK(a.view().retries == 0);
  a.a.timeout(kQpnA);  // nothing in flight: no effect
  CHECK(a.view().retries == 0);
}

TEST_CASE("The last packet that is repeated asks for an ACK", "[ref][requester]") {
  auto config = config_a();
  config.ack_every = 0;
  Requester a(config);
  a.post(1, 256 * 20);
  CHECK(a.a.transmit(kQpnA, 3).size() == 3);
  a.a.timeout(kQpnA);
  a.frames = a.a.transmit(kQpnA, 3);
  CHECK_FALSE(packet::parse(a.frames[1]).bth->ack_req);
  CHECK(packet::parse(a.frames[2]).bth->ack_req);
}

TEST_CASE("An ACK in the middle of a repetition does not cut its rest", "[ref][requester]") {
  Requester a;
  a.post(1, 256 * 3);
  a.sent();
  a.a.timeout(kQpnA);
  CHECK(a.a.transmit(kQpnA, 2).size() == 2);
  a.ack(0);
  CHECK(a.sent() == "LAST+2!");
}

TEST_CASE("New packets follow repeated ones in one go", "[ref][requester]") {
  auto config = config_a();
  config.window = 3;
  Requester a(config);
  a.post(1, 256 * 4);
  CHECK(a.sent() == "FIRST+0 MIDDLE+1 MIDDLE+2!");
  a.ack(1, packet::kNakSequence);
  CHECK(a.sent() == "MIDDLE+1 MIDDLE+2! LAST+3!");
}

TEST_CASE("PSNs wrap in the middle of a window", "[ref][requester]") {
  auto config = config_a();
  config.first_psn_to_send = base::Psn(0xFFFFFE);
  Requester a(config);
  a.post(1, 256 * 4);
  a.sent();
  CHECK(a.view().next_psn == base::Psn(2));
  a.ack(0xFFFFFF - kPsnA);
  CHECK(a.view().una == base::Psn(0));
  CHECK(a.view().outstanding == 2);
  a.ack(1 - kPsnA);
  CHECK(a.done() == Done{completion(1)});
}

TEST_CASE("The local ACK timeout is 4.096 us * 2^n", "[ref][requester]") {
  CHECK(ref::ack_timeout(0).is_never());
  CHECK(ref::ack_timeout(1) == base::Time::ns(8192));
  CHECK(ref::ack_timeout(14) == base::Time::ns(67'108'864));
  CHECK(ref::ack_timeout(31) == base::Time::ns(4096) * (1ll << 31));
}
