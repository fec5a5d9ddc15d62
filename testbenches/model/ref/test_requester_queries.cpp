// SPDX-License-Identifier: Apache-2.0
// READ, atomics, SEND and immediate data at the requester; implied NAK and partial repetition.
#include "testbenches/model/ref/verbs.hpp"

using namespace caravan;
using namespace caravan::test;

TEST_CASE("SENDs and immediate data are cut and marked as they should be", "[ref][requester]") {
  Client a;
  const auto shape = [&](Operation op, std::uint64_t bytes, bool imm) {
    a.a.create_qp(config_a());
    a.a.post(kQpnA, {.op = op,
                     .local_va = Client::kSource,
                     .remote_va = kHbm,
                     .rkey = kRkey,
                     .length = bytes,
                     .solicited = true,
                     .has_imm = imm,
                     .imm = 0xAB});
    return a.sent();
  };
  CHECK(shape(Operation::kSend, 0, false) == "SEND_ONLY+0!*");
  CHECK(shape(Operation::kSend, 5, true) == "SEND_ONLY_IMM+0!* imm ab 5B");
  CHECK(shape(Operation::kSend, 600, false) == "SEND_FIRST+0 256B, SEND_MIDDLE+1 256B, SEND_LAST+2!* 88B");
  CHECK(shape(Operation::kSend, 257, true) == "SEND_FIRST+0 256B, SEND_LAST_IMM+1!* imm ab 1B");
  CHECK(shape(Operation::kWrite, 0, true) == "WRITE_ONLY_IMM+0!* @1000 of 0 imm ab");
  CHECK(shape(Operation::kWrite, 257, true) == "WRITE_FIRST+0 @1000 of 257 256B, WRITE_LAST_IMM+1!* imm ab 1B");
  // Nobody is told of a plain WRITE: it has no event to solicit.
  CHECK(shape(Operation::kWrite, 4, false) == "WRITE_ONLY+0! @1000 of 4 4B");
}

TEST_CASE("Inline data is sent instead of memory", "[ref][requester]") {
  Client a;
  for (const Operation op : {Operation::kWrite, Operation::kSend}) {
    ref::WorkRequest request{.op = op, .local_va = kRpc, .remote_va = kHbm, .rkey = kRkey, .length = 64, .inl = true};
    request.inline_data.fill(0x5A);
    a.a.post(kQpnA, request);
    const auto frames = a.a.transmit(kQpnA);
    REQUIRE(frames.size() == 1);
    const auto p = packet::parse(frames[0]);
    CHECK(Buffer(p.payload.begin(), p.payload.end()) == Buffer(64, 0x5A));
  }
}

TEST_CASE("A READ takes as many PSNs as its responses and ends with the last of them", "[ref][requester][read]") {
  Client a;
  a.post(1, Operation::kRead, 600);
  a.post(2, Operation::kWrite, 4);
  CHECK(a.sent() == "READ_REQ+0! @1000 of 600, WRITE_ONLY+3! @1000 of 4 4B");
  CHECK(a.view().outstanding == 4);
  a.back(Opcode::kReadRespFirst, 0, 256);
  a.back(Opcode::kReadRespMiddle, 1, 256);
  CHECK(a.view().una == base::Psn(kPsnA + 2));
  CHECK(a.done().empty());
  a.back(Opcode::kReadRespLast, 2, 88);
  CHECK(a.done() == "1:0");
  CHECK(a.a.memory().read(Client::kSource + 256, 256) == counting(256, 101));
  CHECK(a.a.memory().read(Client::kSource + 512, 88) == counting(88, 102));
  a.ack(3);
  CHECK(a.done() == "2:0");
}

TEST_CASE("A READ of no bytes waits for its response as well", "[ref][requester][read]") {
  Client a;
  a.post(1, Operation::kRead, 0);
  CHECK(a.sent() == "READ_REQ+0! @1000 of 0");
  a.back(Opcode::kReadRespOnly, 0, 0);
  CHECK(a.done() == "1:0");
}

TEST_CASE("A READ is asked for in pieces of half a window, each when the window has room for it",
          "[ref][requester][read]") {
  auto config = config_a();
  config.window = 6;
  Client a(config);
  a.post(1, Operation::kRead, 256 * 7 + 10);
  CHECK(a.sent() == "READ_REQ+0! @1000 of 768, READ_REQ+3! @1300 of 768");
  a.back(Opcode::kReadRespFirst, 0, 256);
  CHECK(a.sent().empty());
  a.back(Opcode::kReadRespMiddle, 1, 256);
  CHECK(a.sent() == "READ_REQ+6! @1600 of 266");
  CHECK(a.view().outstanding == 6);
  for (std::uint32_t i = 2; i < 7; ++i) a.back(Opcode::kReadRespMiddle, i, 256);  // the opcode is not judged
  CHECK(a.done().empty());
  a.back(Opcode::kReadRespLast, 7, 10);
  CHECK(a.done() == "1:0");
  config.window = 1;
  Client narrow(config);
  narrow.post(1, Operation::kRead, 512);
  CHECK(narrow.sent() == "READ_REQ+0! @1000 of 256");
}

TEST_CASE("No more READs and atomics are outstanding than the responder remembers", "[ref][requester][read]") {
  auto config = config_a();
  config.rd_atomic = 2;
  Client a(config);
  for (std::uint32_t i = 1; i <= 2; ++i) a.post(i, Operation::kRead, 300);
  a.post(3, Operation::kFetchAdd, 8);
  a.post(4, Operation::kWrite, 4);
  CHECK(a.sent() == "READ_REQ+0! @1000 of 300, READ_REQ+2! @1000 of 300");
  a.back(Opcode::kReadRespFirst, 0, 256);
  CHECK(a.sent().empty());
  a.back(Opcode::kReadRespLast, 1, 44);
  CHECK(a.sent() == "FETCH_ADD+4! @1000 5,0, WRITE_ONLY+5! @1000 of 4 4B");
}

TEST_CASE("A response that is not the next one, or of wrong length, is dropped", "[ref][requester][read]") {
  Client a;
  a.post(1, Operation::kRead, 600);
  a.post(2, Operation::kFetchAdd, 8);
  a.sent();
  a.back(Opcode::kReadRespFirst, 0, 255);
  a.back(Opcode::kReadRespOnly, 0, 0);
  a.back(Opcode::kAtomicAck, 0);
  CHECK(a.a.dropped(DropReason::kResponse) == 3);
  CHECK(a.view().una == base::Psn(kPsnA));
  a.back(Opcode::kReadRespFirst, 0, 256);
  a.back(Opcode::kReadRespFirst, 0, 256);  // a copy
  a.back(Opcode::kReadRespLast, 9, 4);     // of a PSN that was never used
  CHECK(a.a.dropped(DropReason::kResponse) == 5);
  a.back(Opcode::kReadRespMiddle, 1, 256);
  a.back(Opcode::kReadRespLast, 2, 256);
  CHECK(a.a.dropped(DropReason::kResponse) == 6);
  a.back(Opcode::kReadRespLast, 2, 88);
  a.back(Opcode::kReadRespOnly, 3, 8);
  CHECK(a.a.dropped(DropReason::kResponse) == 7);
  CHECK(a.a.dropped() == 7);
  CHECK(a.done() == "1:0");
  CHECK(a.view().state == QpState::kRts);
}

TEST_CASE("Atomics put their result into memory and completion, inline ones into the completion only",
          "[ref][requester][atomic]") {
  Client a;
  a.post(1, Operation::kCompareSwap, 8);
  a.a.post(kQpnA, {.op = Operation::kFetchAdd,
                   .wr_id = 2,
                   .local_va = kHbm,
                   .remote_va = kHbm + 8,
                   .rkey = kFullRkey,
                   .length = 8,
                   .inl = true,
                   .swap_add = 6});
  CHECK(a.sent() == "CMP_SWAP+0! @1000 5,7, FETCH_ADD+1! @1008 6,0");
  a.back(Opcode::kAtomicAck, 0, 0, packet::kSyndromeAck, 0x1234);
  a.back(Opcode::kAtomicAck, 1, 0, packet::kSyndromeAck, 99);
  CHECK(a.done() == "1:0=4660 2:0=99");
  CHECK(a.a.memory().read(Client::kSource, 8) == Buffer{0x34, 0x12, 0, 0, 0, 0, 0, 0});
  CHECK(a.a.memory().read(kHbm, 8) == Buffer(8));
}

TEST_CASE("A later ACK does not end a READ or atomic: its response was lost, and it is repeated",
          "[ref][requester][implied]") {
  Client a;
  a.post(1, Operation::kWrite, 4);
  SECTION("READ") {
    a.post(2, Operation::kRead, 600);
    a.post(3, Operation::kWrite, 4);
    a.sent();
    a.ack(4);
    CHECK(a.done() == "1:0");
    CHECK(a.view().retries == 0);  // there was progress
    CHECK(a.sent() == "READ_REQ+1! @1000 of 600, WRITE_ONLY+4! @1000 of 4 4B");
    a.ack(4);  // the same once more
    CHECK(a.sent().empty());
    CHECK(a.a.dropped(DropReason::kStaleAck) == 1);
    a.back(Opcode::kReadRespFirst, 1, 256);
    a.ack(4);
    CHECK(a.view().retries == 1);
    CHECK(a.sent() == "READ_REQ+2! @1100 of 344, WRITE_ONLY+4! @1000 of 4 4B");
    a.back(Opcode::kReadRespMiddle, 2, 256);
    a.back(Opcode::kReadRespLast, 3, 88);
    a.ack(4);
    CHECK(a.done() == "2:0 3:0");
  }
  SECTION("an atomic, by a READ response behind it") {
    a.post(2, Operation::kFetchAdd, 8);
    a.post(3, Operation::kRead, 4);
    a.sent();
    a.back(Opcode::kReadRespOnly, 2, 4);
    CHECK(a.done() == "1:0");
    CHECK(a.sent() == "FETCH_ADD+1! @1000 5,0, READ_REQ+2! @1000 of 4");
    a.back(Opcode::kAtomicAck, 1);
    a.back(Opcode::kReadRespOnly, 2, 4);
    CHECK(a.done() == "2:0 3:0");
  }
  SECTION("whatever else the packet says") {
    a.post(2, Operation::kRead, 4);
    a.post(3, Operation::kSend, 4);
    a.sent();
    a.ack(2, GENERATE(0x60, 0x62, 0x2C));
    CHECK(a.done() == "1:0");
    CHECK(a.view().state == QpState::kRts);
    CHECK_FALSE(a.view().rnr_wait);
    CHECK(a.sent() == "READ_REQ+1! @1000 of 4, SEND_ONLY+2! 4B");
  }
}

TEST_CASE("An ACK that names a READ ends what is before it, and the READ still waits", "[ref][requester][implied]") {
  Client a;
  a.post(1, Operation::kWrite, 4);
  a.post(2, Operation::kRead, 4);
  a.sent();
  a.ack(1);
  CHECK(a.done() == "1:0");
  CHECK(a.sent().empty());
  a.ack(1);
  CHECK(a.a.dropped(DropReason::kStaleAck) == 1);
  CHECK(a.sent().empty());
  a.back(Opcode::kReadRespOnly, 1, 4);
  CHECK(a.done() == "2:0");
}

TEST_CASE("A response acknowledges the WRITEs and SENDs before it", "[ref][requester]") {
  Client a;
  a.post(1, Operation::kWrite, 4);
  a.post(2, Operation::kSend, 4);
  a.post(3, Operation::kFetchAdd, 8);
  a.sent();
  a.back(Opcode::kAtomicAck, 2);
  CHECK(a.done() == "1:0 2:0 3:0");
}

TEST_CASE("After a timeout a READ is asked for from its first missing response on", "[ref][requester][read]") {
  Client a;
  a.post(1, Operation::kRead, 2000);
  CHECK(a.sent() == "READ_REQ+0! @1000 of 2000");
  a.back(Opcode::kReadRespFirst, 0, 256);
  a.back(Opcode::kReadRespMiddle, 1, 256);
  a.a.timeout(kQpnA);
  CHECK(a.sent() == "READ_REQ+2! @1200 of 1488");
  SECTION("the piece that is repeated ends where it did") {
    a.a.timeout(kQpnA);
    a.back(Opcode::kReadRespMiddle, 2, 256);  // on its way before the repetition leaves
    CHECK(a.sent() == "READ_REQ+3! @1300 of 1232");
    CHECK(a.view().outstanding == 5);
  }
  SECTION("a NAK in a response counts like any other") {
    a.back(Opcode::kReadRespLast, 2, 256, packet::kNakAccess);
    CHECK(a.done() == fmt::format("1:{}", static_cast<int>(CompletionStatus::kRemoteAccess)));
  }
}

TEST_CASE("A sequence NAK in the middle of a READ repeats the rest of it", "[ref][requester][read]") {
  Client a;
  a.post(1, Operation::kRead, 600);
  a.sent();
  a.ack(0, packet::kNakSequence);
  CHECK(a.sent() == "READ_REQ+0! @1000 of 600");
  a.back(Opcode::kReadRespFirst, 0, 256);
  a.ack(1, packet::kNakSequence);
  CHECK(a.sent() == "READ_REQ+1! @1100 of 344");
}
