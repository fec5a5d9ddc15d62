// SPDX-License-Identifier: Apache-2.0
// roce_rx_parse: every opcode and payload length at the exact cycle, every reason to drop, agreement with the C++ parser.
#include <catch2/catch_test_macros.hpp>
#include <deque>

#include "Vroce_rx_parse.h"
#include "models/packet/icrc.hpp"
#include "testbenches/support/bench.hpp"
#include "testbenches/support/roce_rx_pins.hpp"

using namespace caravan;
using namespace caravan::support;
using packet::Buffer;
using packet::Opcode;

namespace {

struct Outcome {
  bool stored = false, to_ack = false, to_desc = false;
  RxDesc desc;
  Buffer payload;  // whole beats
  std::uint16_t stats = 0;
  std::uint64_t cycle = 0;
};

struct ParseBench {
  Bench<Vroce_rx_parse> dut;
  std::deque<NetBeat> beats;
  std::vector<Outcome> outcomes;
  std::vector<std::uint64_t> eop_at;
  StallPattern gaps;
  Buffer pending;
  std::size_t room = ~std::size_t{0};  // payload beats that still fit
  bool sending = false;

  explicit ParseBench(StallPattern::Kind kind = StallPattern::Kind::kNone) : gaps(kind) {
    dut->icrc_check_i = 1;
    dut->desc_room_i = dut->ack_room_i = 1;
    dut.add(
        [this] {
          sending = !beats.empty() && !gaps.next();
          dut->net_valid_i = sending;
          if (sending) pack(dut->net_i, beats.front());
          dut->pay_overflow_i = dut->pay_valid_o && room == 0;  // pay_valid_o is a register
        },
        [this] { sample(); });
    dut.reset();
  }
  void sample() {
    if (sending) {
      if (beats.front().eop) eop_at.push_back(dut.cycle());
      beats.pop_front();
    }
    if (dut->pay_valid_o && room > 0) {
      const Buffer beat = PinReader(dut->pay_o).data();
      pending.insert(pending.end(), beat.begin(), beat.end());
      --room;
    }
    REQUIRE(!(dut->commit_o && dut->rollback_o));
    if (dut->commit_o || dut->rollback_o) {
      outcomes.push_back({dut->commit_o != 0, dut->to_ack_o != 0, dut->to_desc_o != 0, unpack_desc(dut->desc_o), pending, dut->stats_o, dut.cycle()});
      pending.clear();
    } else {
      REQUIRE(dut->stats_o == 0);
    }
  }
  void send(const Buffer& frame, std::size_t padding = 0, bool bad = false) {
    for (auto& beat : net_beats(frame, padding, bad)) beats.push_back(beat);
  }
  void drain() {
    REQUIRE(dut.run_until([this] { return beats.empty(); }, 2'000'000));
    for (int i = 0; i < 5; ++i) dut.tick();
    REQUIRE(dut->quiet_o == 1);
    REQUIRE(outcomes.size() == eop_at.size());
    REQUIRE(pending.empty());
  }
  Outcome one(const Buffer& frame, std::size_t padding = 0, bool bad = false) {
    outcomes.clear(), eop_at.clear();
    send(frame, padding, bad);
    drain();
    REQUIRE(outcomes.size() == 1);
    REQUIRE(outcomes[0].cycle == eop_at[0] + 3);
    return outcomes[0];
  }
};

packet::RoceFrame frame_of(Opcode opcode, base::Rng& rng) {
  packet::RoceFrame f;
  packet::Ipv4 ip;
  ip.src = static_cast<std::uint32_t>(rng.next());
  ip.dst = 0x0A000002;
  ip.id = static_cast<std::uint16_t>(rng.next());
  ip.tos = static_cast<std::uint8_t>(rng.next());
  f.ip = ip;
  f.bth.opcode = static_cast<std::uint8_t>(opcode);
  f.bth.dest_qp = static_cast<std::uint32_t>(rng.below(1 << 24));
  f.bth.psn = static_cast<std::uint32_t>(rng.below(1 << 24));
  f.bth.ack_req = rng.chance(0.5);
  f.bth.fecn = rng.chance(0.5);
  f.bth.reserved6 = static_cast<std::uint8_t>(rng.below(64));
  f.bth.pkey = rng.chance(0.5) ? 0xFFFF : 0x7FFF;
  f.ext.reth = packet::Reth{rng.next(), static_cast<std::uint32_t>(rng.next()), static_cast<std::uint32_t>(rng.next())};
  f.ext.aeth = packet::Aeth{static_cast<std::uint8_t>(rng.next()), static_cast<std::uint32_t>(rng.below(1 << 24))};
  return f;
}

Buffer random_bytes(std::size_t n, base::Rng& rng) {
  Buffer b(n);
  for (auto& x : b) x = static_cast<std::uint8_t>(rng.next());
  return b;
}

void reseal(Buffer& frame) {
  frame.resize(frame.size() - packet::kIcrcBytes);
  packet::append_icrc(frame);
}

void set_total_len(Buffer& frame, std::size_t n) { packet::put_be(frame.data() + 16, 2, n); }

void check_stored(const Outcome& o, const packet::RoceFrame& f, const Buffer& payload) {
  REQUIRE(o.stored);
  REQUIRE(o.stats == 1u << kPkts);
  REQUIRE(o.desc.len == payload.size());
  REQUIRE(o.payload.size() == (payload.size() + 63) / 64 * 64);
  REQUIRE(std::equal(payload.begin(), payload.end(), o.payload.begin()));
  packet::Bth bth = f.bth;
  bth.pad_count = static_cast<std::uint8_t>(-payload.size() & 3);
  REQUIRE(o.desc.bth == bth);
  REQUIRE(o.desc.src_ip == std::get<packet::Ipv4>(f.ip).src);
  const auto& op = packet::traits(static_cast<Opcode>(f.bth.opcode));
  if (op.has(packet::kExtReth)) REQUIRE(o.desc.reth == *f.ext.reth);
  if (op.has(packet::kExtAeth)) REQUIRE(o.desc.aeth == *f.ext.aeth);
  REQUIRE(o.to_ack == (f.bth.opcode == 0x11));
  REQUIRE(o.to_desc != o.to_ack);
}

}  // namespace

TEST_CASE("Parser: every RC opcode and many payload lengths, with and without gaps", "[unit][roce][parse]") {
  for (auto kind : StallPattern::kAll) {
    base::Rng rng(11, static_cast<std::uint64_t>(kind));
    ParseBench bench(kind);
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
  ParseBench bench;
  for (std::size_t len = 0; len <= 4096; ++len) {
    const auto f = frame_of(Opcode::kWriteOnly, rng);
    const Buffer payload = random_bytes(len, rng);
    check_stored(bench.one(packet::build(f, payload)), f, payload);
  }
}

TEST_CASE("Parser: fields outside the ICRC may change on the way, a flip of any other bit drops the frame", "[unit][roce][parse]") {
  base::Rng rng(13);
  ParseBench bench;
  auto f = frame_of(Opcode::kWriteOnly, rng);
  const Buffer payload = random_bytes(9, rng);
  const Buffer good = packet::build(f, payload);
  const auto masked = [](std::size_t byte) { return byte < 14 || byte == 15 || byte == 22 || byte == 24 || byte == 25 || byte == 40 || byte == 41 || byte == 46; };
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
  ParseBench bench;
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
    bench.dut->desc_room_i = 0;
    REQUIRE(bench.one(good).stats == 1u << kDropFifo);
    check_stored(bench.one(packet::build(ack)), ack, {});
    bench.dut->desc_room_i = 1;
    bench.dut->ack_room_i = 0;
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

TEST_CASE("Parser: opcodes that are not RC go on without payload", "[unit][roce][parse]") {
  base::Rng rng(15);
  ParseBench bench;
  const Buffer good = packet::build(frame_of(Opcode::kWriteOnly, rng), Buffer(32));
  for (unsigned code = 0; code < 256; ++code) {
    const auto* op = packet::find_opcode(static_cast<std::uint8_t>(code));
    if (op != nullptr && op->service == packet::Service::kRc) continue;
    Buffer frame = good;
    frame[42] = static_cast<std::uint8_t>(code);
    reseal(frame);
    const Outcome o = bench.one(frame);
    REQUIRE((o.stored && o.to_desc && o.desc.len == 0 && o.payload.empty() && o.stats == 0));
    REQUIRE(o.desc.bth.opcode == code);
  }
}

TEST_CASE("Parser: back-to-back small frames, random damage: the same verdict as the C++ parser", "[unit][roce][parse]") {
  base::Rng rng(16);
  ParseBench bench;
  std::vector<Buffer> frames;
  for (int i = 0; i < 20000; ++i) {
    const auto* op = packet::find_opcode(static_cast<std::uint8_t>(rng.below(0x18)));
    if (op == nullptr) continue;
    auto f = frame_of(op->opcode, rng);
    if (rng.chance(0.05)) f.bth.tver = 1;
    Buffer frame = packet::build(f, random_bytes(op->has_payload || rng.chance(0.1) ? rng.below(rng.chance(0.2) ? 400 : 12) : 0, rng));
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
    } else if (p.error != packet::ParseError::kOpcode && (p.op == nullptr || p.op->service == packet::Service::kRc || !headers_ok)) {
      REQUIRE(o.stats == 1u << kDropHdr);
    }
  }
  REQUIRE(stored > 10000);
}
