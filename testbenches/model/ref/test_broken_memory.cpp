// SPDX-License-Identifier: Apache-2.0
// Memory that answers with errors: what the peer gets, what software gets.
#include "models/ref/sparse_memory.hpp"
#include "testbenches/model/ref/verbs.hpp"

using namespace caravan;
using namespace caravan::test;
using ref::Broken;

TEST_CASE("Broken bytes fail the accesses that touch them, and keep what they held", "[ref][memory]") {
  ref::SparseMemory m;
  m.write_u64(0x1000, 0x0807060504030201);
  m.break_range(0x1004, 2, Broken::kWrites);
  m.break_range(0xFFFFFFFFFFFFFFC0, 64);
  CHECK(m.write_fails(0x1000, 5));
  CHECK(!m.write_fails(0x1000, 4));
  CHECK(m.write_fails(0x1005, 100));
  CHECK(!m.write_fails(0x1006, 100));
  CHECK(!m.write_fails(0x1004, 0));
  CHECK(!m.read_fails(0x1000, 8));
  CHECK((m.read_fails(~0ull, 1) && m.write_fails(0xFFFFFFFFFFFFFF00, 256)));
  CHECK(!m.read_fails(0xFFFFFFFFFFFFFF00, 0xC0));
  m.write_u64(0x1000, ~0ull);
  CHECK(m.read_u64(0x1000) == 0xFFFF0605FFFFFFFF);
  m.repair();
  CHECK(!m.write_fails(0x1004, 1));
}

TEST_CASE("A READ that memory can't deliver: NAK 0x63 for the first packet that is missing; the QP fails",
          "[ref][read][memory]") {
  const std::uint32_t bad = GENERATE(0u, 1u, 2u);
  Server b;
  b.recv(1, kHbm, 64);
  CHECK(b(read_request(0, kHbm, 768)).substr(0, 15) == "READ_RESP_FIRST");
  const bool again = GENERATE(false, true);
  const std::uint32_t at = again ? 0 : 3;
  b.b.memory().break_range(kHbm + 256 * bad, 64, Broken::kReads);
  const std::string nak = fmt::format("ACK+{} 63/{}", at + bad, again ? 1 : 2);
  const std::string first = fmt::format("READ_RESP_FIRST+{} 1f/{} 256B, ", at, again ? 1 : 2);
  const std::string middle = fmt::format("READ_RESP_MIDDLE+{} 256B, ", at + 1);
  CHECK(b(read_request(at, kHbm, 768)) == (bad > 0 ? first : "") + (bad > 1 ? middle : "") + nak);
  CHECK(b.view().state == QpState::kError);
  CHECK(b.received() == std::vector{lost(1, CompletionStatus::kFlushed)});
  CHECK(b(read_request(at, kHbm + 0x800, 8)).empty());
}

TEST_CASE("An atomic that memory can't do: NAK 0x63, not executed, not counted", "[ref][atomic][memory]") {
  const Broken what = GENERATE(Broken::kReads, Broken::kWrites);
  const Opcode op = GENERATE(Opcode::kFetchAdd, Opcode::kCompareSwap);
  Server b;
  b.b.memory().write_u64(kHbm, 7);
  b.b.memory().break_range(kHbm, 64, what);
  CHECK(b(data_request(Opcode::kWriteOnly, 0, 0)) == "ACK+0 1f/1");
  CHECK(b(atomic_request(op, 1, kHbm, 9, 7)) == "ACK+1 63/1");
  CHECK(b.view().state == QpState::kError);
  b.b.memory().repair();
  CHECK(b.b.memory().read_u64(kHbm) == 7);
  CHECK(b(atomic_request(op, 1, kHbm, 9, 7)).empty());
}

TEST_CASE("A compare that fails writes nothing, so it does not meet the error", "[ref][atomic][memory]") {
  Server b;
  b.b.memory().break_range(kHbm, 64, Broken::kWrites);
  CHECK(b(atomic_request(Opcode::kCompareSwap, 0, kHbm, 9, 7)) == "ATOMIC_ACK+0 1f/1 =0");
}

TEST_CASE("A request whose payload can't be read takes the error; the others are flushed", "[ref][memory]") {
  const Operation op = GENERATE(Operation::kWrite, Operation::kSend);
  const std::uint64_t bad = GENERATE(0u, 256u, 767u);
  Client a;
  a.post(1, Operation::kWrite, 8);
  a.post(2, op, 8);
  CHECK(a.sent() != "");
  a.ack(0);
  CHECK(a.done() == "1:0");
  a.a.memory().break_range(Client::kSource + bad, 1, Broken::kReads);
  a.post(3, op, 768);
  a.post(4, op, 8);
  a.sent();
  // 2 is sent and not acknowledged: nobody knows.
  CHECK(a.done() == "2:1 3:9 4:1");
  CHECK(a.view().state == QpState::kError);
  CHECK(a.sent() == "");
}

TEST_CASE("Data that local memory does not take fail their READ or atomic", "[ref][memory]") {
  Client a;
  a.a.memory().break_range(Client::kSource + 256, 64, Broken::kWrites);
  SECTION("READ, second packet") {
    a.post(1, Operation::kRead, 768);
    a.post(2, Operation::kWrite, 8);
    a.sent();
    a.back(Opcode::kReadRespFirst, 0, 256);
    CHECK(a.done().empty());
    a.back(Opcode::kReadRespMiddle, 1, 256);
    CHECK(a.done() == "1:9 2:1");
  }
  SECTION("atomic") {
    a.a.memory().break_range(Client::kSource, 8, Broken::kWrites);
    a.post(1, Operation::kFetchAdd, 8);
    a.sent();
    a.back(Opcode::kAtomicAck, 0, 0, packet::kSyndromeAck, 44);
    CHECK(a.done() == "1:9");
  }
  CHECK(a.view().state == QpState::kError);
}

TEST_CASE("NAK 0x63 completes the READ with the remote operational error", "[ref][memory]") {
  Client a;
  a.post(1, Operation::kRead, 768);
  a.post(2, Operation::kWrite, 8);
  a.sent();
  a.back(Opcode::kReadRespFirst, 0, 256);
  a.ack(1, packet::kNakOperational);
  CHECK(a.done() == "1:5 2:1");
}
