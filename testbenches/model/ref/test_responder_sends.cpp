// SPDX-License-Identifier: Apache-2.0
// SEND, immediate data, receive queues and RNR at the responder.
#include "testbenches/model/ref/verbs.hpp"

using namespace caravan;
using namespace caravan::test;

namespace {
using Received = std::vector<ref::ReceiveCompletion>;
constexpr std::uint64_t kBuffer = kHost + 0x1001;
}  // namespace

TEST_CASE("A SEND goes to the buffer at the head, one entry a message", "[ref][send]") {
  Server b;
  b.recv(1, kBuffer, 600);
  b.recv(2, kHbm + 8, 4);
  CHECK(b(data_request(Opcode::kSendFirst, 0, 256)) == "ACK+0 1f/0");
  CHECK(b.received().empty());
  CHECK(b.view().receives == 2);
  CHECK(b(data_request(Opcode::kSendMiddle, 1, 256)) == "ACK+1 1f/0");
  CHECK(b(data_request(Opcode::kSendLast, 2, 88)) == "ACK+2 1f/1");
  CHECK(b.received() == Received{got(1, 600)});
  CHECK(b.b.memory().read(kBuffer, 256) == counting(256));
  CHECK(b.b.memory().read(kBuffer + 512, 89) == [] {
    auto m = counting(88);
    m.push_back(0);
    return m;
  }());
  CHECK(b(data_request(Opcode::kSendOnly, 3, 4)) == "ACK+3 1f/2");
  CHECK(b.received() == Received{got(2, 4)});
  CHECK(b.b.memory().read(kHbm + 8, 4) == counting(4));
  CHECK(b.view().receives == 0);
}

TEST_CASE("Immediate data and the solicited bit of the last packet reach the completion", "[ref][send]") {
  Server b;
  for (std::uint32_t i = 1; i <= 5; ++i) b.recv(i, kBuffer, 1024);
  b(data_request(Opcode::kSendOnlyImm, 0, 3, 0x11, true));
  b(data_request(Opcode::kSendFirst, 1, 256, 0, true));
  b(data_request(Opcode::kSendLastImm, 2, 1, 0x22));
  CHECK(b.received() == Received{got(1, 3, 0x11, false, true), got(2, 257, 0x22)});
  b(data_request(Opcode::kSendOnly, 3, 0, 0, true));  // no bytes, one entry
  CHECK(b.received() == Received{got(3, 0, {}, false, true)});
  // A WRITE with immediate uses an entry up, but not its buffer.
  CHECK(b(data_request(Opcode::kWriteOnlyImm, 4, 12, 0xCAFE)) == "ACK+4 1f/4");
  Request first = data_request(Opcode::kWriteFirst, 5, 256);
  first.dma_length = 300;
  CHECK(b(first) == "ACK+5 1f/4");
  CHECK(b(data_request(Opcode::kWriteLastImm, 6, 44, 0xBEEF, true)) == "ACK+6 1f/5");
  CHECK(b.received() == Received{got(4, 12, 0xCAFE, true), got(5, 300, 0xBEEF, true, true)});
  CHECK(b.b.memory().read(kHbm, 256) == counting(256));
}

TEST_CASE("A WRITE without immediate needs no receive entry", "[ref][send]") {
  Server b;
  CHECK(b({.payload = counting(4)}) == "ACK+0 1f/1");
  CHECK(b.received().empty());
}

TEST_CASE("Without a receive entry: RNR NAK with the timer of the QP, nothing moves", "[ref][send][rnr]") {
  auto config = config_b();
  config.min_rnr_timer = 24;
  Server b(config);
  SECTION("ONLY, and again as often as it comes") {
    for (int i = 0; i < 3; ++i) CHECK(b(data_request(Opcode::kSendOnly, 0, 4)) == "ACK+0 38/0");
    b.recv(1, kBuffer, 4);
    CHECK(b(data_request(Opcode::kSendOnly, 0, 4)) == "ACK+0 1f/1");
  }
  SECTION("FIRST; what follows of the message gets one sequence NAK for each RNR NAK") {
    for (int i = 0; i < 2; ++i) {
      CHECK(b(data_request(Opcode::kSendFirst, 0, 256)) == "ACK+0 38/0");
      CHECK(b(data_request(Opcode::kSendMiddle, 1, 256)) == "ACK+0 60/0");
      CHECK(b(data_request(Opcode::kSendLast, 2, 4)) == "");
    }
  }
  SECTION("WRITE with immediate only where its entry is needed") {
    Request first = data_request(Opcode::kWriteFirst, 0, 256);
    first.dma_length = 300;
    CHECK(b(first) == "ACK+0 1f/0");
    CHECK(b(data_request(Opcode::kWriteLastImm, 1, 44)) == "ACK+1 38/0");
    CHECK(b.view().in_message);
    CHECK(b.b.memory().read(kHbm + 256, 44) == Buffer(44));
    b.recv(1, kBuffer, 0);
    CHECK(b(data_request(Opcode::kWriteLastImm, 1, 44)) == "ACK+1 1f/1");
    CHECK(b.received() == Received{got(1, 300, 0, true)});
  }
  SECTION("access is looked at before") {
    Request write = data_request(Opcode::kWriteOnlyImm, 0, 4);
    write.rkey = 0xBAD;
    CHECK(b(write) == "ACK+0 62/0");
  }
  if (b.view().state != QpState::kError) CHECK(b.view().state == QpState::kRts);
}

TEST_CASE("A message longer than the buffer fails both sides: remote operation error, local length error",
          "[ref][send]") {
  Server b;
  b.recv(1, kBuffer, 300);
  b.recv(2, kBuffer, 300);
  SECTION("in one packet") {
    b.b.create_qp(config_b());
    b.recv(1, kBuffer, 3);
    b.recv(2, kBuffer, 300);
    CHECK(b(data_request(Opcode::kSendOnly, 0, 4)) == "ACK+0 63/0");
  }
  SECTION("found at a later packet, even if it is not the last") {
    CHECK(b(data_request(Opcode::kSendFirst, 0, 256)) == "ACK+0 1f/0");
    CHECK(b(data_request(Opcode::kSendMiddle, 1, 256)) == "ACK+1 63/0");
    CHECK(b.b.memory().read(kBuffer + 256, 64) == Buffer(64));
  }
  CHECK(b.received() == Received{lost(1, CompletionStatus::kLocalLength), lost(2, CompletionStatus::kFlushed)});
  CHECK(b.view().state == QpState::kError);
  b.recv(3, kBuffer, 4);
  CHECK(b.received() == Received{lost(3, CompletionStatus::kFlushed)});
}

TEST_CASE("A duplicate SEND is acknowledged again and takes no second entry", "[ref][send]") {
  Server b;
  b.recv(1, kBuffer, 64);
  b.recv(2, kBuffer + 64, 64);
  b(data_request(Opcode::kSendOnlyImm, 0, 4));
  b(data_request(Opcode::kWriteOnly, 1, 4));
  CHECK(b.received().size() == 1);
  CHECK(b(data_request(Opcode::kSendOnlyImm, 0, 8)) == "ACK+1 1f/2");
  CHECK(b(data_request(Opcode::kWriteOnlyImm, 1, 8)) == "ACK+1 1f/2");
  CHECK(b(data_request(Opcode::kSendOnlyInv, 1, 8)) == "ACK+1 1f/2");
  CHECK(b.received().empty());
  CHECK(b.view().receives == 1);
  CHECK(b.b.duplicates() == 3);
  CHECK(b.b.memory().read(kBuffer, 8) == Buffer{1, 2, 3, 4, 0, 0, 0, 0});
}

TEST_CASE("What may not stand inside a message is an invalid request", "[ref][send]") {
  for (const bool send : {true, false}) {
    for (const Opcode op : {Opcode::kSendFirst, Opcode::kSendOnly, Opcode::kWriteFirst, Opcode::kWriteOnly,
                            Opcode::kReadRequest, Opcode::kFetchAdd, send ? Opcode::kWriteLast : Opcode::kSendLast,
                            send ? Opcode::kWriteMiddle : Opcode::kSendMiddle, Opcode::kSendLastInv}) {
      Server b;
      b.recv(1, kBuffer, 4096);
      Request first = data_request(send ? Opcode::kSendFirst : Opcode::kWriteFirst, 0, 256);
      first.dma_length = 600;
      CHECK(b(first) == "ACK+0 1f/0");
      INFO(send << " " << packet::traits(op).name);
      Request second = data_request(op, 1, packet::traits(op).has_payload ? 256 : 0);
      second.rkey = kFullRkey;
      CHECK(b(second) == "ACK+1 61/0");
      CHECK(b.view().state == QpState::kError);
      CHECK(b.received() == Received{lost(1, CompletionStatus::kFlushed)});
    }
  }
}

TEST_CASE("SEND packets outside a message, of wrong length, or with invalidate are invalid requests", "[ref][send]") {
  const auto answer = [](Opcode op, std::size_t bytes) {
    Server b;
    b.recv(1, kBuffer, 4096);
    return b(data_request(op, 0, bytes));
  };
  CHECK(answer(Opcode::kSendMiddle, 256) == "ACK+0 61/0");
  CHECK(answer(Opcode::kSendLast, 4) == "ACK+0 61/0");
  CHECK(answer(Opcode::kSendLastImm, 4) == "ACK+0 61/0");
  CHECK(answer(Opcode::kSendFirst, 255) == "ACK+0 61/0");
  CHECK(answer(Opcode::kSendFirst, 257) == "ACK+0 61/0");
  CHECK(answer(Opcode::kSendOnly, 257) == "ACK+0 61/0");
  CHECK(answer(Opcode::kSendOnlyInv, 4) == "ACK+0 61/0");
  Server b;
  b.recv(1, kBuffer, 4096);
  b(data_request(Opcode::kSendFirst, 0, 256));
  CHECK(b(data_request(Opcode::kSendLast, 1, 0)) == "ACK+1 61/0");
}

TEST_CASE("Receives that can't be used complete at once; those of a QP that ends are flushed", "[ref][send]") {
  Server b;
  b.b.post_recv(base::Qpn(0x99), {.wr_id = 7});
  CHECK(b.received().at(0).status == CompletionStatus::kBadRequest);
  b.recv(1, kRpc, 4);
  CHECK(b.received() == Received{lost(1, CompletionStatus::kBadRequest)});
  b.recv(2, kBuffer, 4);
  b.recv(3, kBuffer, 4);
  SECTION("by software") { b.b.set_state(kQpnB, QpState::kError); }
  SECTION("by reset") { b.b.set_state(kQpnB, QpState::kReset); }
  SECTION("by a fatal NAK") { CHECK(b({.payload = counting(4), .rkey = 0xBAD}) == "ACK+0 62/0"); }
  CHECK(b.received() == Received{lost(2, CompletionStatus::kFlushed), lost(3, CompletionStatus::kFlushed)});
  b.recv(4, kBuffer, 4);
  CHECK(b.received() == Received{lost(4, CompletionStatus::kFlushed)});
  auto config = config_b();
  config.state = QpState::kInit;
  b.b.create_qp(config);
  b.recv(5, kBuffer, 4);
  CHECK(b.view().receives == 1);
}

TEST_CASE("A QP that failed stays in ERROR until it is reset or made anew", "[ref][send]") {
  Server b;
  b({.payload = counting(4), .rkey = 0xBAD});
  b.b.set_state(kQpnB, QpState::kRts);
  CHECK(b.view().state == QpState::kError);
  b.b.create_qp(config_b());
  CHECK(b.view().state == QpState::kRts);
}

TEST_CASE("The waits of RNR NAKs", "[ref][rnr]") {
  CHECK(ref::rnr_wait(0) == base::Time::us(655'360));
  CHECK(ref::rnr_wait(1) == base::Time::us(10));
  CHECK(ref::rnr_wait(12) == base::Time::us(640));
  CHECK(ref::rnr_wait(24) == base::Time::us(40'960));
  CHECK(ref::rnr_wait(31) == base::Time::us(491'520));
  for (std::uint8_t code = 2; code < 32; ++code) CHECK(ref::rnr_wait(code) > ref::rnr_wait(code - 1));
}
