// SPDX-License-Identifier: Apache-2.0
// roce_rx_parse: every opcode and payload length at the exact cycle, agreement with the C++ parser.
#include "Vroce_rx_parse.h"
#include "testbenches/unit/roce/parse_bench.hpp"

using namespace caravan;
using namespace caravan::support;
using ParserBench = ParseBench<Vroce_rx_parse>;

TEST_CASE("Parser: every RC opcode and many payload lengths, with and without gaps", "[unit][roce][parse]") {
  for (auto kind : StallPattern::kAll) {
    base::Rng rng(11, static_cast<std::uint64_t>(kind));
    ParserBench bench(kind);
    std::vector<packet::RoceFrame> frames;
    std::vector<Buffer> payloads;
    for (unsigned code = 0; code < 0x18; ++code) {
      const auto* op = packet::find_opcode(static_cast<std::uint8_t>(code));
      if (op == nullptr) continue;
      for (std::size_t len = 0; len <= 4096; len += len < 140 ? 1 : len < 4000 ? 331 : 13) {
        if (len > 0 && !op->has_payload) break;
        frames.push_back(frame_of(op->opcode, rng));
        payloads.push_back(random_bytes(len, rng));
        bench.send(packet::build(frames.back(), payloads.back()), rng.chance(0.1) ? rng.below(200) : 0);
      }
    }
    bench.drain();
    REQUIRE(bench.outcomes.size() == frames.size());
    for (std::size_t i = 0; i < frames.size(); ++i) {
      check_stored(bench.outcomes[i], frames[i], payloads[i]);
      REQUIRE(bench.outcomes[i].cycle == bench.eop_at[i] + 3);
    }
  }
}

TEST_CASE("Parser: WRITE_ONLY of every length 0..4096", "[unit][roce][parse]") {
  base::Rng rng(12);
  ParserBench bench;
  for (std::size_t len = 0; len <= 4096; ++len) {
    const auto f = frame_of(Opcode::kWriteOnly, rng);
    const Buffer payload = random_bytes(len, rng);
    check_stored(bench.one(packet::build(f, payload)), f, payload);
  }
}

TEST_CASE("Parser: opcodes without meaning go on without payload", "[unit][roce][parse]") {
  base::Rng rng(15);
  ParserBench bench;
  const Buffer good = packet::build(frame_of(Opcode::kWriteOnly, rng), Buffer(32));
  for (unsigned code = 0; code < 256; ++code) {
    const auto* op = packet::find_opcode(static_cast<std::uint8_t>(code));
    if (op != nullptr && op->service != packet::Service::kUc) continue;
    Buffer frame = good;
    frame[42] = static_cast<std::uint8_t>(code);
    reseal(frame);
    const Outcome o = bench.one(frame);
    REQUIRE((o.stored && o.to_req && o.desc.len == 0 && o.payload.empty() && o.stats == 0));
    REQUIRE(o.desc.bth.opcode == code);
  }
}

TEST_CASE("Parser: back-to-back small frames, random damage: the same verdict as the C++ parser",
          "[unit][roce][parse]") {
  base::Rng rng(16);
  ParserBench bench;
  std::vector<Buffer> frames;
  for (int i = 0; i < 20000; ++i) {
    const auto* op = packet::find_opcode(static_cast<std::uint8_t>(rng.below(0x18)));
    if (op == nullptr) continue;
    auto f = frame_of(op->opcode, rng);
    if (rng.chance(0.05)) f.bth.tver = 1;
    Buffer frame = packet::build(
        f, random_bytes(op->has_payload || rng.chance(0.1) ? rng.below(rng.chance(0.2) ? 400 : 12) : 0, rng));
    if (rng.chance(0.1)) frame[43 + rng.below(10)] ^= static_cast<std::uint8_t>(1u << rng.below(8)), reseal(frame);
    if (rng.chance(0.1)) frame[42 + rng.below(frame.size() - 42)] ^= static_cast<std::uint8_t>(1u << rng.below(8));
    frames.push_back(frame);
    bench.send(frame, frame.size() < 60 ? 60 - frame.size() : 0);
  }
  bench.drain();
  int stored = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    Buffer frame = frames[i];
    auto ip = packet::Ipv4::decode(frame.data() + 14);
    ip.checksum = ip.right_checksum();
    ip.encode(frame.data() + 14);
    const auto p = packet::parse(frame);
    const Outcome& o = bench.outcomes[i];
    INFO(packet::describe(p));
    const bool headers_ok = p.bth && p.bth->tver == 0 && (p.bth->pkey & 0x7FFF) == 0x7FFF;
    const bool known = p.ok() && p.op->service == packet::Service::kRc;
    if (p.error == packet::ParseError::kIcrc) {
      REQUIRE(o.stats == 1u << kDropIcrc);
    } else if (known && headers_ok) {
      REQUIRE(o.stored);
      REQUIRE(o.desc.bth == *p.bth);
      REQUIRE(o.desc.len == p.payload.size());
      REQUIRE(std::equal(p.payload.begin(), p.payload.end(), o.payload.begin()));
      ++stored;
    } else if (p.error != packet::ParseError::kOpcode &&
               (p.op == nullptr || p.op->service == packet::Service::kRc || !headers_ok)) {
      REQUIRE(o.stats == 1u << kDropHdr);
    }
  }
  REQUIRE(stored > 10000);
}
