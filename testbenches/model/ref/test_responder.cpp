// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include "testbenches/model/ref/peers.hpp"

using namespace caravan;
using namespace caravan::test;
using packet::Buffer;
using packet::Opcode;
using ref::DropReason;
using ref::QpState;

TEST_CASE("WRITE_ONLY is written and acknowledged", "[ref][responder]") {
  Responder b;
  for (std::uint32_t bytes = 0; bytes <= 256; ++bytes) {
    const Buffer data = counting(bytes);
    CHECK(b({.psn = kPsnA + bytes, .payload = data, .va = kHbm + 7}) ==
          Responder::fmt_answer(0x1F, kPsnA + bytes, bytes + 1));
    CHECK(b.b.memory().read(kHbm + 7, bytes) == data);
  }
}

TEST_CASE("No ACK is sent unless asked for, and it covers everything before", "[ref][responder]") {
  Responder b;
  CHECK(b({.payload = counting(4), .ack_req = false}) == "-");
  CHECK(b({.psn = kPsnA + 1, .payload = counting(4), .ack_req = false}) == "-");
  CHECK(b({.psn = kPsnA + 2, .payload = counting(4)}) == "1f psn 102 msn 3");
  CHECK(b.b.dropped() == 0);
}

TEST_CASE("A message of several packets moves on through memory and counts once", "[ref][responder]") {
  Responder b;
  const Buffer data = counting(600);
  const auto slice = [&](std::size_t from, std::size_t bytes) {
    return Buffer(data.begin() + from, data.begin() + from + bytes);
  };
  CHECK(b({.opcode = Opcode::kWriteFirst, .payload = slice(0, 256), .va = kHbm + 3, .dma_length = 600}) ==
        "1f psn 100 msn 0");
  CHECK(b.view().in_message);
  CHECK(b({.opcode = Opcode::kWriteMiddle, .psn = kPsnA + 1, .payload = slice(256, 256), .ack_req = false}) == "-");
  CHECK(b.view().msn == 0);
  CHECK(b({.opcode = Opcode::kWriteLast, .psn = kPsnA + 2, .payload = slice(512, 88)}) == "1f psn 102 msn 1");
  CHECK_FALSE(b.view().in_message);
  CHECK(b.b.memory().read(kHbm + 3, 600) == data);
}

TEST_CASE("PSN and MSN wrap at 24 bits", "[ref][responder]") {
  auto config = config_b();
  config.first_psn_to_expect = base::Psn(0xFFFFFF);
  Responder b(config);
  CHECK(b({.psn = 0xFFFFFF}) == "1f psn ffffff msn 1");
  CHECK(b({.psn = 0}) == "1f psn 0 msn 2");
  CHECK(b({.psn = 0xFFFFFF}) == "1f psn 0 msn 2");  // a duplicate across the wrap
}

TEST_CASE("A gap is answered by one NAK, then silence until an in-order packet", "[ref][responder]") {
  Responder b;
  CHECK(b({.psn = kPsnA + 2, .payload = counting(4)}) == "60 psn 100 msn 0");
  CHECK(b({.psn = kPsnA + 3, .payload = counting(4)}) == "-");
  CHECK(b.b.dropped(DropReason::kOutOfOrder) == 1);
  CHECK(b.view().nak_sent);
  CHECK(b({.psn = kPsnA - 1}) == "1f psn ff msn 0");  // a duplicate does not end the silence
  CHECK(b({.psn = kPsnA + 9}) == "-");
  CHECK(b({.psn = kPsnA, .payload = counting(4)}) == "1f psn 100 msn 1");
  CHECK(b({.psn = kPsnA + 4}) == "60 psn 101 msn 1");
  CHECK(b.b.memory().read(kHbm, 5) == Buffer{1, 2, 3, 4, 0});
}

TEST_CASE("A duplicate is acknowledged again with the newest PSN and changes nothing", "[ref][responder]") {
  Responder b;
  b({.payload = counting(4)});
  b({.psn = kPsnA + 1, .payload = counting(4), .va = kHbm + 8});
  CHECK(b({.payload = counting(4, 50), .ack_req = false}) == "1f psn 101 msn 2");
  CHECK(b.b.memory().read(kHbm, 4) == counting(4));
  CHECK(b.b.duplicates() == 1);
  SECTION("its permission is not looked at") {
    CHECK(b({.payload = counting(4), .rkey = 0xBAD}) == "1f psn 101 msn 2");
  }
  SECTION("nor its place in a message") {
    CHECK(b({.opcode = Opcode::kWriteMiddle, .payload = counting(4)}) == "1f psn 101 msn 2");
  }
  SECTION("half the PSN space back it still is one, beyond that it is a gap") {
    CHECK(b({.psn = kPsnA + 2 + 0x800000}) == "1f psn 101 msn 2");
    CHECK(b({.psn = kPsnA + 2 + 0x7FFFFF}) == "60 psn 102 msn 2");
  }
  SECTION("an old READ is dropped") {
    CHECK(b({.opcode = Opcode::kReadRequest}) == "-");
    CHECK(b.b.dropped(DropReason::kDuplicate) == 1);
  }
  CHECK(b.view().state == QpState::kRts);
}

TEST_CASE("Wrong rkey, bounds, right or domain: NAK remote access with the packet's PSN, QP to ERROR",
          "[ref][responder]") {
  Responder b;
  SECTION("rkey") { CHECK(b({.payload = counting(4), .rkey = 0xBAD}) == "62 psn 100 msn 0"); }
  SECTION("read-only region") { CHECK(b({.payload = counting(4), .rkey = kReadOnlyRkey}) == "62 psn 100 msn 0"); }
  SECTION("before the region") { CHECK(b({.payload = counting(4), .va = kHbm - 1}) == "62 psn 100 msn 0"); }
  SECTION("past its end") { CHECK(b({.payload = counting(4), .va = kHbm + kRegionBytes - 3}) == "62 psn 100 msn 0"); }
  SECTION("the whole message counts at its first packet") {
    CHECK(b({.opcode = Opcode::kWriteFirst,
             .payload = counting(256),
             .va = kHbm + kRegionBytes - 300,
             .dma_length = 301}) == "62 psn 100 msn 0");
  }
  SECTION("an address class without a target") {
    CHECK(b({.payload = counting(4), .va = 0x5000'0000'0000'0000}) == "62 psn 100 msn 0");
  }
  CHECK(b.view().state == QpState::kError);
  CHECK(b.view().epsn == base::Psn(kPsnA));
  CHECK(b.b.memory() == ref::SparseMemory());
  CHECK(b({.payload = counting(4)}) == "-");
  CHECK(b.b.dropped(DropReason::kState) == 1);
}

TEST_CASE("Another protection domain is no access", "[ref][responder]") {
  auto config = config_b();
  config.pd = 1;
  Responder b(config);
  CHECK(b({.payload = counting(4)}) == "62 psn 100 msn 0");
}

TEST_CASE("A WRITE of no bytes needs no region", "[ref][responder]") {
  Responder b;
  CHECK(b({.va = 0x5000'0000'0000'0000, .rkey = 0xBAD}) == "1f psn 100 msn 1");
}

TEST_CASE("A permission taken away stops a message midway", "[ref][responder]") {
  Responder b;
  CHECK(b({.opcode = Opcode::kWriteFirst, .payload = counting(256), .dma_length = 600}) == "1f psn 100 msn 0");
  b.b.regions().set(kRkey, {.base = kHbm, .length = kRegionBytes, .access = {}});
  CHECK(b({.opcode = Opcode::kWriteMiddle, .psn = kPsnA + 1, .payload = counting(256)}) == "62 psn 101 msn 0");
  CHECK(b.b.memory().read(kHbm + 256, 256) == Buffer(256));
}

TEST_CASE("A place that does not fit the message is an invalid request", "[ref][responder]") {
  Responder b;
  const auto first = [&] {
    b({.opcode = Opcode::kWriteFirst, .payload = counting(256), .dma_length = 600, .ack_req = false});
  };
  SECTION("MIDDLE without FIRST") {
    CHECK(b({.opcode = Opcode::kWriteMiddle, .payload = counting(256)}) == "61 psn 100 msn 0");
  }
  SECTION("LAST without FIRST") {
    CHECK(b({.opcode = Opcode::kWriteLast, .payload = counting(4)}) == "61 psn 100 msn 0");
  }
  SECTION("FIRST inside a message") {
    first();
    CHECK(b({.opcode = Opcode::kWriteFirst, .psn = kPsnA + 1, .payload = counting(256), .dma_length = 600}) ==
          "61 psn 101 msn 0");
  }
  SECTION("ONLY inside a message") {
    first();
    CHECK(b({.psn = kPsnA + 1, .payload = counting(4)}) == "61 psn 101 msn 0");
  }
  CHECK(b.view().state == QpState::kError);
}

TEST_CASE("Payload lengths that do not fit place, MTU or DMA length are invalid requests", "[ref][responder]") {
  Responder b;
  const auto first = [&](std::uint32_t total) {
    CHECK(b({.opcode = Opcode::kWriteFirst, .payload = counting(256), .dma_length = total, .ack_req = false}) == "-");
  };
  SECTION("FIRST shorter than the MTU") {
    CHECK(b({.opcode = Opcode::kWriteFirst, .payload = counting(128), .dma_length = 600}) == "61 psn 100 msn 0");
  }
  SECTION("FIRST longer than the MTU") {
    CHECK(b({.opcode = Opcode::kWriteFirst, .payload = counting(512), .dma_length = 600}) == "61 psn 100 msn 0");
  }
  SECTION("FIRST that is the whole message") {
    CHECK(b({.opcode = Opcode::kWriteFirst, .payload = counting(256)}) == "61 psn 100 msn 0");
  }
  SECTION("ONLY longer than the MTU") { CHECK(b({.payload = counting(257)}) == "61 psn 100 msn 0"); }
  SECTION("ONLY with more announced") { CHECK(b({.payload = counting(4), .dma_length = 5}) == "61 psn 100 msn 0"); }
  SECTION("ONLY with less announced") { CHECK(b({.payload = counting(4), .dma_length = 3}) == "61 psn 100 msn 0"); }
  SECTION("more than 2^31 bytes") {
    CHECK(b({.opcode = Opcode::kWriteFirst, .payload = counting(256), .dma_length = 0x80000001}) == "61 psn 100 msn 0");
  }
  SECTION("short MIDDLE") {
    first(600);
    CHECK(b({.opcode = Opcode::kWriteMiddle, .psn = kPsnA + 1, .payload = counting(252)}) == "61 psn 101 msn 0");
  }
  SECTION("MIDDLE where the message ends") {
    first(512);
    CHECK(b({.opcode = Opcode::kWriteMiddle, .psn = kPsnA + 1, .payload = counting(256)}) == "61 psn 101 msn 0");
  }
  SECTION("LAST of no bytes") {
    first(512);
    CHECK(b({.opcode = Opcode::kWriteLast, .psn = kPsnA + 1}) == "61 psn 101 msn 0");
  }
  SECTION("LAST too early") {
    first(600);
    CHECK(b({.opcode = Opcode::kWriteLast, .psn = kPsnA + 1, .payload = counting(256)}) == "61 psn 101 msn 0");
  }
  CHECK(b.view().state == QpState::kError);
}

TEST_CASE("The PSN is looked at before permissions, lengths before the rkey", "[ref][responder]") {
  Responder b;
  CHECK(b({.psn = kPsnA + 1, .payload = counting(4), .rkey = 0xBAD}) == "60 psn 100 msn 0");
  CHECK(b({.payload = counting(4), .rkey = 0xBAD, .dma_length = 5}) == "61 psn 100 msn 0");
}

TEST_CASE("A QP whose peer may not write refuses every WRITE, also one of no bytes", "[ref][responder]") {
  for (const std::size_t bytes : {0u, 4u}) {
    auto config = config_b();
    config.remote_write = false;
    Responder b(config);
    CHECK(b({.payload = counting(bytes)}) == "62 psn 100 msn 0");
    CHECK(b.view().state == QpState::kError);
  }
}

TEST_CASE("A WRITE_ONLY to the RPC class is a call, not memory", "[ref][responder]") {
  Responder b;
  CHECK(b({.payload = counting(64), .va = kRpc, .rkey = kRpcRkey}) == "1f psn 100 msn 1");
  REQUIRE(b.b.rpcs().size() == 1);
  CHECK(b.b.rpcs()[0] == ref::RpcCall{kQpnB, kRpc, counting(64)});
  CHECK(b({.payload = counting(64), .va = kRpc, .rkey = kRpcRkey}) == "1f psn 100 msn 1");  // a duplicate calls nothing
  CHECK(b.b.rpcs().size() == 1);
  CHECK(b.b.memory() == ref::SparseMemory());
  SECTION("at most 64 bytes") {
    CHECK(b({.psn = kPsnA + 1, .payload = counting(65), .va = kRpc, .rkey = kRpcRkey}) == "61 psn 101 msn 1");
  }
  SECTION("one packet") {
    CHECK(b({.opcode = Opcode::kWriteFirst,
             .psn = kPsnA + 1,
             .payload = counting(256),
             .va = kRpc,
             .rkey = kRpcRkey,
             .dma_length = 300}) == "61 psn 101 msn 1");
  }
  SECTION("with permission") { CHECK(b({.psn = kPsnA + 1, .payload = counting(8), .va = kRpc}) == "62 psn 101 msn 1"); }
  CHECK(b.b.rpcs().size() == 1);
}
