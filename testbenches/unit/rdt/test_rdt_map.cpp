// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <map>

#include "models/ref/rdt_ref.hpp"
#include "testbenches/unit/rdt/rdt_bench.hpp"

using namespace caravan::tb;
namespace ref = caravan::ref;

namespace {
constexpr unsigned kGet = 0, kPut = 1;
}

TEST_CASE("A remote update wins by timestamp, then by replica id, and raises the clock", "[unit][rdt]") {
  RdtBench b;
  b.write_csr(0x000, 5);
  auto remote = [&](unsigned src, std::uint64_t ts, std::uint64_t value) {
    Record r;
    r.src = src, r.ts = ts, r.key = 3, r.value = value;
    b.rpc.push(r);
    b.tick(4);
  };
  remote(2, 10, 100);
  CHECK(b.load_row(3) == RdtBench::Row{true, 2, 10, 100});
  remote(1, 10, 200);  // same time, smaller id
  remote(9, 9, 300);   // earlier
  remote(2, 10, 400);  // the same stamp again
  CHECK(b.load_row(3) == RdtBench::Row{true, 2, 10, 100});
  CHECK(b.stats.stale == 3);
  remote(3, 10, 500);
  CHECK(b.load_row(3) == RdtBench::Row{true, 3, 10, 500});
  CHECK(b.stats.applied == 2);
  b.client.push({kPut, 1, 4, 7});
  b.tick(10);
  CHECK(b.load_row(4) == RdtBench::Row{true, 5, 11, 7});
}

TEST_CASE("A stored row is read back and raises the clock; an invalid one does not", "[unit][rdt]") {
  RdtBench b;
  b.store_row(63, {true, 4, 0x123456789ABC, 0xFEDCBA9876543210});
  CHECK(b.load_row(63) == RdtBench::Row{true, 4, 0x123456789ABC, 0xFEDCBA9876543210});
  b.store_row(1, {false, 0, 0x7FFFFFFFFFFF, 0});
  CHECK_FALSE(b.load_row(1).valid);
  b.client.push({kPut, 1, 0, 0});
  b.tick(10);
  CHECK(b.rsp.items().at(0).value == 0x123456789ABD);
}

TEST_CASE("Registers refuse keys and peers that do not exist", "[unit][rdt]") {
  RdtBench b;
  b.write_csr(0x020, 64);
  b.write_csr(0x034, 1);
  CHECK(b.read_csr(0x034) == 0);
  b.set_peer(3, 1, 1);  // rows 0..2 exist
  b.client.push({kPut, 1, 0, 0});
  b.tick(10);
  CHECK(b.verbs.items().empty());
  CHECK(b.rsp.items().size() == 1);
  CHECK(b.read_csr(0xFFC) == 0);
}

TEST_CASE("Bad RPCs are dropped, counted, and change nothing", "[unit][rdt]") {
  RdtBench b;
  std::vector<Record> bad(8);
  bad[0].kind = 2;
  bad[1].opcode = 0;
  bad[2].valid = 0;
  bad[3].len = 63;
  bad[4].key = 64;
  bad[5].key = 1ull << 32;
  bad[6].ts = 1ull << 47;
  bad[7].ts = ~0ull;
  for (auto& r : bad) {
    r.value = 1;
    b.rpc.push(r);
  }
  b.tick(12);
  CHECK(b.rpc.empty());
  CHECK(b.stats.bad_rpc == 8);
  CHECK(b.stats.applied + b.stats.stale == 0);
  CHECK_FALSE(b.load_row(0).valid);
  Record good;
  good.ts = (1ull << 47) - 1;
  b.rpc.push(good);
  b.tick(4);
  CHECK(b.stats.applied == 1);
}

TEST_CASE("Local and remote operations share the kernel one for one", "[unit][rdt]") {
  RdtBench b;
  for (unsigned i = 0; i < 40; ++i) {
    b.client.push({kGet, i, i});
    Record r;
    r.key = i;
    b.rpc.push(r);
  }
  b.tick(60);
  REQUIRE(b.taken.size() >= 40);
  for (unsigned i = 1; i < 40; ++i) {
    CHECK(b.taken[i].remote != b.taken[i - 1].remote);
    CHECK(b.taken[i].cycle == b.taken[i - 1].cycle + 1);
  }
}

TEST_CASE("The map equals the reference under every stall pattern", "[unit][rdt]") {
  const auto in = GENERATE(from_range(std::begin(StallPattern::kAll), std::end(StallPattern::kAll)));
  const auto out = GENERATE(from_range(std::begin(StallPattern::kAll), std::end(StallPattern::kAll)));
  RdtBench b(in, out);
  constexpr unsigned kOwn = 2, kKeys = 6, kOps = 150;
  b.write_csr(0x000, kOwn);
  b.set_peer(1, 0x31, 0x500);
  caravan::base::Rng rng(static_cast<std::uint64_t>(in) * 10 + static_cast<std::uint64_t>(out));
  std::vector<Request> local;
  std::vector<Record> remote;
  for (unsigned i = 0; i < kOps; ++i) {
    local.push_back({rng.chance(0.5) ? kGet : kPut, i, rng.below(kKeys), rng.next()});
    Record r;
    r.src = 3 + static_cast<unsigned>(rng.below(3)), r.ts = 1 + i * 3 + rng.below(40), r.key = rng.below(kKeys);
    r.value = r.ts * 1000003 + r.src + r.key * 7;  // one value a stamp
    remote.push_back(r);
    b.client.push(local.back());
    b.rpc.push(remote.back());
  }
  b.taken.clear();
  REQUIRE(b.dut.run_until([&] { return b.rsp.items().size() == kOps && b.rpc.empty(); }, 20000));
  b.tick(4);
  CHECK(b.dut->quiet_o == 1);

  // The same operations in the order in which the kernel took them.
  ref::RdtReplica model(kOwn);
  std::map<std::uint32_t, std::pair<ClientStatus, std::uint64_t>> expected;
  std::vector<ref::KvUpdate> sent;
  std::size_t l = 0, r = 0;
  unsigned wins = 0;
  for (const auto& taken : b.taken) {
    if (taken.remote) {
      const Record& record = remote[r++];
      wins += model.apply({record.key, record.value, {record.ts, static_cast<std::uint8_t>(record.src)}});
    } else if (local[l].op == kGet) {
      const auto value = model.get(local[l].key);
      expected[local[l].tag] = {value ? ClientStatus::kOk : ClientStatus::kNotFound, value.value_or(0)};
      ++l;
    } else {
      sent.push_back(model.put(local[l].key, local[l].value));
      expected[local[l].tag] = {ClientStatus::kOk, sent.back().stamp.timestamp};
      ++l;
    }
  }
  REQUIRE(l == kOps);
  REQUIRE(r == kOps);
  for (const auto& response : b.rsp.items()) {
    const auto [status, value] = expected.at(response.tag);
    CHECK(response.status == status);
    if (status == ClientStatus::kOk) CHECK(response.value == value);
    expected.erase(response.tag);
  }
  CHECK(expected.empty());
  CHECK(b.stats.applied == wins);
  CHECK(b.stats.applied + b.stats.stale == kOps);
  REQUIRE(b.verbs.items().size() == sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i) {
    const Record& record = b.verbs.items()[i].record;
    CHECK(record.key == sent[i].key);
    CHECK(record.value == sent[i].value);
    CHECK(record.ts == sent[i].stamp.timestamp);
    CHECK(record.seq == i);
  }
  for (unsigned key = 0; key < kKeys; ++key) {
    const auto entry = model.map().find(key);
    const auto row = b.load_row(key);
    REQUIRE(row.valid == entry.has_value());
    if (entry) CHECK(row == RdtBench::Row{true, entry->stamp.replica, entry->stamp.timestamp, entry->value});
  }
}
