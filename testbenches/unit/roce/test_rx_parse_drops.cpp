// SPDX-License-Identifier: Apache-2.0
// roce_rx_parse: the ICRC, and every reason to drop.
#include "Vroce_rx_parse.h"
#include "testbenches/unit/roce/parse_bench.hpp"

using namespace caravan;
using namespace caravan::support;
using ParserBench = ParseBench<Vroce_rx_parse>;

TEST_CASE("Parser: fields outside the ICRC may change on the way, a flip of any other bit drops the frame",
          "[unit][roce][parse]") {
  base::Rng rng(13);
  ParserBench bench;
  auto f = frame_of(Opcode::kWriteOnly, rng);
  const Buffer payload = random_bytes(9, rng);
  const Buffer good = packet::build(f, payload);
  const auto masked = [](std::size_t byte) {
    return byte < 14 || byte == 15 || byte == 22 || byte == 24 || byte == 25 || byte == 40 || byte == 41 || byte == 46;
  };
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    if (bit / 8 == 16 || bit / 8 == 17) continue;  // total length: the network layer would cut the frame elsewhere
    Buffer frame = good;
    frame[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    const Outcome o = bench.one(frame);
    INFO("bit " << bit);
    REQUIRE(o.stored == masked(bit / 8));
    REQUIRE(o.stats == (o.stored ? 1u << kPkts : 1u << kDropIcrc));
  }
  bench.dut->icrc_check_i = 0;
  Buffer frame = good;
  frame.back() ^= 1;
  check_stored(bench.one(frame), f, payload);
}

TEST_CASE("Parser: each reason to drop counts once and leaves the next frame alone", "[unit][roce][parse]") {
  base::Rng rng(14);
  ParserBench bench;
  const auto f = frame_of(Opcode::kWriteOnly, rng);
  const Buffer payload = random_bytes(100, rng);
  const Buffer good = packet::build(f, payload);
  const auto expect_drop = [&](Buffer frame, RxStat stat) {
    const Outcome o = bench.one(frame);
    REQUIRE(!o.stored);
    REQUIRE(o.stats == 1u << stat);
    check_stored(bench.one(good), f, payload);
  };
  SECTION("TVer") {
    for (unsigned tver = 1; tver < 16; ++tver) {
      auto g = f;
      g.bth.tver = static_cast<std::uint8_t>(tver);
      expect_drop(packet::build(g, payload), kDropHdr);
    }
  }
  SECTION("P_Key") {
    for (unsigned bit = 0; bit < 15; ++bit) {
      auto g = f;
      g.bth.pkey = static_cast<std::uint16_t>(0xFFFF ^ (1u << bit));
      expect_drop(packet::build(g, payload), kDropHdr);
    }
  }
  SECTION("too short for BTH and ICRC, at every length") {
    for (std::size_t n = 1; n < 58; ++n) {
      Buffer frame(good.begin(), good.begin() + n);
      expect_drop(frame, kDropHdr);
    }
  }
  SECTION("too short for the headers of the opcode") {
    for (unsigned code = 0; code < 0x18; ++code) {
      const auto* op = packet::find_opcode(static_cast<std::uint8_t>(code));
      if (op == nullptr || op->ext_bytes() == 0) continue;
      for (std::size_t ext = 0; ext < op->ext_bytes(); ext += 4) {
        Buffer frame(good.begin(), good.begin() + 54 + ext);
        frame[42] = static_cast<std::uint8_t>(code);
        frame[43] = 0;
        set_total_len(frame, frame.size() + 4 - 14);
        packet::append_icrc(frame);
        expect_drop(frame, kDropHdr);
      }
    }
  }
  SECTION("pad larger than what there is, payload not a multiple of four") {
    auto empty = packet::build(f);
    empty[43] = 0x10;
    reseal(empty);
    expect_drop(empty, kDropHdr);
    for (int extra = 1; extra < 4; ++extra) {
      Buffer frame = good;
      frame.insert(frame.end(), extra, 0);
      set_total_len(frame, frame.size() - 14);
      reseal(frame);
      expect_drop(frame, kDropHdr);
    }
  }
  SECTION("payload after an opcode that has none") {
    for (auto op : {Opcode::kAck, Opcode::kReadRequest, Opcode::kAtomicAck, Opcode::kCompareSwap, Opcode::kFetchAdd}) {
      expect_drop(packet::build(frame_of(op, rng), Buffer(4)), kDropHdr);
    }
  }
  SECTION("payload above 4096 bytes") {
    expect_drop(packet::build(f, Buffer(4097)), kDropHdr);
    expect_drop(packet::build(f, Buffer(4100)), kDropHdr);
    expect_drop(packet::build(f, Buffer(9000)), kDropHdr);
  }
  SECTION("IP length that disagrees with the bytes that came") {
    Buffer frame = good;
    set_total_len(frame, frame.size() - 14 - 4);
    reseal(frame);
    expect_drop(frame, kDropHdr);
  }
  SECTION("no room for a payload beat, the first or the last") {
    for (std::size_t room : {0u, 1u}) {
      bench.room = room;
      const Outcome o = bench.one(good);
      REQUIRE(!o.stored);
      REQUIRE(o.stats == 1u << kDropFifo);
      bench.room = 1000;
      check_stored(bench.one(good), f, payload);
    }
  }
  SECTION("no room for a descriptor or an acknowledge") {
    const auto ack = frame_of(Opcode::kAck, rng);
    bench.dut->req_room_i = 0;
    REQUIRE(bench.one(good).stats == 1u << kDropFifo);
    check_stored(bench.one(packet::build(ack)), ack, {});
    bench.dut->req_room_i = 1;
    bench.dut->rsp_room_i = 0;
    REQUIRE(bench.one(packet::build(ack)).stats == 1u << kDropFifo);
    check_stored(bench.one(good), f, payload);
  }
  SECTION("a frame that the network layer refuses is counted there, not here") {
    const Outcome o = bench.one(good, 0, true);
    REQUIRE(!o.stored);
    REQUIRE(o.stats == 0);
    check_stored(bench.one(good), f, payload);
  }
  SECTION("frames of other kinds are not looked at") {
    for (std::uint8_t kind : {0, 2, 3}) {
      auto beats = net_beats(good);
      for (auto& b : beats) b.kind = kind, bench.beats.push_back(b);
      REQUIRE(bench.dut.run_until([&] { return bench.beats.empty(); }, 100));
      bench.eop_at.clear();
      for (int i = 0; i < 6; ++i) bench.dut.tick();
      REQUIRE(bench.outcomes.empty());
    }
  }
}
