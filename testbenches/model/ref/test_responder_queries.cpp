// SPDX-License-Identifier: Apache-2.0
// READ, atomics and what duplicates of them get.
#include "testbenches/model/ref/verbs.hpp"

using namespace caravan;
using namespace caravan::test;

namespace {
Request add(std::uint32_t offset, std::uint64_t value, std::uint64_t va = kHbm) {
  return atomic_request(Opcode::kFetchAdd, offset, va, value);
}
}  // namespace

TEST_CASE("A READ is answered in packets of the path MTU and counts as one message", "[ref][read]") {
  Server b;
  b.b.memory().write(kHbm + 3, counting(1000));
  CHECK(b(read_request(0, kHbm + 3, 1)) == "READ_RESP_ONLY+0 1f/1 1B");
  CHECK(b(read_request(1, kHbm + 3, 256)) == "READ_RESP_ONLY+1 1f/2 256B");
  CHECK(b(read_request(2, kHbm + 3, 257)) == "READ_RESP_FIRST+2 1f/3 256B, READ_RESP_LAST+3 1f/3 1B");
  const auto frames = b.b.receive(make(read_request(4, kHbm + 3, 768)));
  CHECK(show(frames) == "READ_RESP_FIRST+4 1f/4 256B, READ_RESP_MIDDLE+5 256B, READ_RESP_LAST+6 1f/4 256B");
  const auto p = packet::parse(frames[1]);
  CHECK(Buffer(p.payload.begin(), p.payload.end()) == b.b.memory().read(kHbm + 3 + 256, 256));
  CHECK(b.view().epsn == base::Psn(kPsnA + 7));
  CHECK(b({.psn = kPsnA + 7, .payload = counting(4)}) == "ACK+7 1f/5");
}

TEST_CASE("A READ of no bytes takes one PSN and needs no region", "[ref][read]") {
  Server b;
  CHECK(b(read_request(0, 0x5000'0000'0000'0000, 0, 0xBAD)) == "READ_RESP_ONLY+0 1f/1");
  CHECK(b.view().epsn == base::Psn(kPsnA + 1));
}

TEST_CASE("READ: what is refused, and how", "[ref][read]") {
  auto config = config_b();
  const auto answer = [&](const Request& request) {
    Server b(config);
    const std::string text = b(request);
    CHECK(b.view().state == QpState::kError);
    CHECK(b.view().epsn == base::Psn(kPsnA));
    return text;
  };
  CHECK(answer(read_request(0, kHbm, 4, 0xBAD)) == "ACK+0 62/0");
  CHECK(answer(read_request(0, kHbm, 4, kRkey)) == "ACK+0 62/0");  // write-only
  CHECK(answer(read_request(0, kHbm - 1, 4)) == "ACK+0 62/0");
  CHECK(answer(read_request(0, kHbm + kRegionBytes - 3, 4)) == "ACK+0 62/0");
  CHECK(answer(read_request(0, kRpc, 4, kRpcRkey)) == "ACK+0 62/0");
  CHECK(answer(read_request(0, kHbm, 0x80000001)) == "ACK+0 61/0");
  config.pd = 1;
  CHECK(answer(read_request(0, kHbm, 4)) == "ACK+0 62/0");
  config = config_b();
  config.remote_read = false;
  CHECK(answer(read_request(0, kHbm, 4)) == "ACK+0 62/0");
  CHECK(answer(read_request(0, kHbm, 0)) == "ACK+0 62/0");
}

TEST_CASE("A READ of the RPC class is refused, whatever its region says", "[ref][read]") {
  Server b;
  b.b.regions().set(kRpcRkey, {.base = kRpc, .length = 64, .access = {.write = true, .read = true, .atomic = true}});
  SECTION("READ") { CHECK(b(read_request(0, kRpc, 4, kRpcRkey)) == "ACK+0 62/0"); }
  SECTION("atomic") { CHECK(b(atomic_request(Opcode::kFetchAdd, 0, kRpc, 1, 0, kRpcRkey)) == "ACK+0 62/0"); }
}

TEST_CASE("FETCH_ADD and CMP_SWAP work on little-endian memory and return what was there", "[ref][atomic]") {
  Server b;
  b.b.memory().write(kHbm, Buffer{0xFF, 0, 0, 0, 0, 0, 0, 0});
  CHECK(b(add(0, 2)) == "ATOMIC_ACK+0 1f/1 =255");
  CHECK(b.b.memory().read(kHbm, 8) == Buffer{1, 1, 0, 0, 0, 0, 0, 0});
  CHECK(b(add(1, ~std::uint64_t{0})) == "ATOMIC_ACK+1 1f/2 =257");
  CHECK(b(atomic_request(Opcode::kCompareSwap, 2, kHbm, 9, 256)) == "ATOMIC_ACK+2 1f/3 =256");
  CHECK(b(atomic_request(Opcode::kCompareSwap, 3, kHbm, 77, 8)) == "ATOMIC_ACK+3 1f/4 =9");
  CHECK(b.b.memory().read_u64(kHbm) == 9);
}

TEST_CASE("Atomics: what is refused, and how", "[ref][atomic]") {
  auto config = config_b();
  const auto answer = [&](std::uint64_t va, std::uint32_t rkey) {
    Server b(config);
    const std::string text = b(atomic_request(Opcode::kCompareSwap, 0, va, 1, 0, rkey));
    CHECK(b.view().state == QpState::kError);
    CHECK(b.b.memory() == ref::SparseMemory());
    return text;
  };
  CHECK(answer(kHbm + 4, kFullRkey) == "ACK+0 61/0");
  CHECK(answer(kHbm + 4, 0xBAD) == "ACK+0 61/0");  // the request before the access
  CHECK(answer(kHbm, kRkey) == "ACK+0 62/0");
  CHECK(answer(kHbm, kReadOnlyRkey) == "ACK+0 62/0");
  CHECK(answer(kHbm + kRegionBytes, kFullRkey) == "ACK+0 62/0");
  config.remote_atomic = false;
  CHECK(answer(kHbm, kFullRkey) == "ACK+0 62/0");
}

TEST_CASE("A duplicate atomic is answered from memory and never executed again", "[ref][atomic][replay_memory]") {
  Server b;
  CHECK(b(add(0, 5)) == "ATOMIC_ACK+0 1f/1 =0");
  CHECK(b(add(1, 10)) == "ATOMIC_ACK+1 1f/2 =5");
  CHECK(b(add(0, 5)) == "ATOMIC_ACK+0 1f/2 =0");
  CHECK(b(add(1, 10)) == "ATOMIC_ACK+1 1f/2 =5");
  CHECK(b.b.memory().read_u64(kHbm) == 15);
  CHECK(b.b.duplicates() == 2);
  // Another operation or place under an old PSN is not a duplicate.
  CHECK(b(atomic_request(Opcode::kCompareSwap, 0, kHbm, 5)) == "");
  CHECK(b(add(0, 5, kHbm + 8)) == "");
  CHECK(b.b.dropped(DropReason::kDuplicate) == 2);
  CHECK(b.view().epsn == base::Psn(kPsnA + 2));
}

TEST_CASE("READs and atomics are remembered together, the oldest is forgotten", "[ref][replay_memory]") {
  auto config = config_b();
  config.rd_atomic = 3;
  Server b(config);
  b(add(0, 1));
  b(read_request(1, kHbm, 8));
  b(add(2, 1));
  CHECK(b(add(0, 1)) == "ATOMIC_ACK+0 1f/3 =0");
  b({.psn = kPsnA + 3, .payload = counting(4), .va = kHbm + 64});  // a WRITE takes no place
  CHECK(b(add(0, 1)) == "ATOMIC_ACK+0 1f/4 =0");
  b(add(4, 1));
  CHECK(b(add(0, 1)) == "");
  CHECK(b(read_request(1, kHbm, 8)) == "READ_RESP_ONLY+1 1f/5 8B");
}

TEST_CASE("Sixteen are remembered unless told otherwise", "[ref][replay_memory]") {
  Server b;
  for (std::uint32_t i = 0; i < 17; ++i) b(add(i, 1));
  CHECK(b(add(0, 1)) == "");
  CHECK(b(add(1, 1)) == "ATOMIC_ACK+1 1f/17 =1");
}

TEST_CASE("A duplicate READ is executed again if it lies inside a remembered one", "[ref][read][replay_memory]") {
  Server b;
  b(read_request(0, kHbm, 1000));
  b({.psn = kPsnA + 4, .payload = counting(4), .va = kHbm + 800});
  const auto now = b.view();
  CHECK(b(read_request(0, kHbm, 1000)) ==
        "READ_RESP_FIRST+0 1f/2 256B, READ_RESP_MIDDLE+1 256B, READ_RESP_MIDDLE+2 256B, READ_RESP_LAST+3 1f/2 232B");
  // From the middle on: no FIRST is sent again.
  CHECK(b(read_request(2, kHbm + 512, 488)) == "READ_RESP_MIDDLE+2 256B, READ_RESP_LAST+3 1f/2 232B");
  const auto last = b.b.receive(make(read_request(3, kHbm + 768, 232)));
  CHECK(show(last) == "READ_RESP_LAST+3 1f/2 232B");
  CHECK(packet::parse(last[0]).payload[32] == 1);  // memory as it is now
  // Shorter ones.
  CHECK(b(read_request(0, kHbm, 512)) == "READ_RESP_FIRST+0 1f/2 256B, READ_RESP_LAST+1 1f/2 256B");
  CHECK(b(read_request(1, kHbm + 256, 1)) == "READ_RESP_LAST+1 1f/2 1B");
  CHECK(b(read_request(0, kHbm, 0)) == "READ_RESP_ONLY+0 1f/2");
  CHECK(b.b.duplicates() == 6);
  // Not inside: another rkey, another place for the PSN, past the end, another PSN.
  b.b.regions().set(0xF012, {.base = kHbm, .length = kRegionBytes, .access = {.read = true}});
  for (const Request& r : {read_request(0, kHbm, 1000, 0xF012), read_request(1, kHbm, 8), read_request(0, kHbm + 1, 8),
                           read_request(2, kHbm + 512, 489), read_request(4, kHbm + 1024, 0)})
    CHECK(b(r) == "");
  CHECK(b.b.dropped(DropReason::kDuplicate) == 5);
  CHECK(b.view().epsn == now.epsn);
  CHECK(b.view().msn == now.msn);
  SECTION("and if it still may") {
    b.b.regions().remove(kFullRkey);
    CHECK(b(read_request(0, kHbm, 1000)) == "");
    CHECK(b.b.dropped(DropReason::kDuplicate) == 6);
    CHECK(b.view().state == QpState::kRts);
  }
  SECTION("and not across a new life of the QP") {
    auto config = config_b();
    config.first_psn_to_expect = base::Psn(kPsnA + 5);
    b.b.create_qp(config);
    CHECK(b(read_request(0, kHbm, 1000)) == "");
  }
}

TEST_CASE("READ responses cross the PSN wrap, and are found again there", "[ref][read][replay_memory]") {
  auto config = config_b();
  config.first_psn_to_expect = base::Psn(0xFFFFFE);
  Server b(config);
  Request r = read_request(0, kHbm, 1000);
  r.psn = 0xFFFFFE;
  b(r);
  CHECK(b.view().epsn == base::Psn(2));
  r = read_request(0, kHbm + 768, 232);
  r.psn = 1;
  CHECK(show(b.b.receive(make(r)), 0) == "READ_RESP_LAST+1 1f/1 232B");
}

TEST_CASE("Regions end where they end, at 2^32 and at 2^64 too", "[ref][region]") {
  ref::RegionTable regions;
  regions.set(1, {.base = 0xFFFF'FF00, .length = 0x100, .access = {.read = true}});
  regions.set(2, {.base = 0x8FFF'FFFF'FFFF'FF00, .length = 0x100, .access = {.write = true, .atomic = true}, .pd = 3});
  CHECK(regions.may_read(1, 0, 0xFFFF'FF00, 0x100));
  CHECK_FALSE(regions.may_read(1, 0, 0xFFFF'FF00, 0x101));
  CHECK_FALSE(regions.may_read(1, 0, 0xFFFF'FFFF, 2));
  CHECK(regions.may_read(1, 0, 0xFFFF'FFFF, 1));
  CHECK_FALSE(regions.may_read(1, 0, 0x1'0000'0000, 1));
  CHECK_FALSE(regions.may_write(1, 0, 0xFFFF'FF00, 1));
  CHECK_FALSE(regions.may_atomic(1, 0, 0xFFFF'FF00, 8));
  CHECK(regions.may_atomic(2, 3, 0x8FFF'FFFF'FFFF'FFF8, 8));
  CHECK_FALSE(regions.may_atomic(2, 3, 0x8FFF'FFFF'FFFF'FFF9, 8));
  CHECK_FALSE(regions.may_atomic(2, 0, 0x8FFF'FFFF'FFFF'FFF8, 8));
  CHECK_FALSE(regions.may_read(2, 3, 0x8FFF'FFFF'FFFF'FFF8, 8));
  CHECK_FALSE(regions.may_write(2, 3, 0x8FFF'FFFF'FFFF'FFFF, ~std::uint64_t{0}));
}
