// SPDX-License-Identifier: Apache-2.0
// Bench of roce_rx_parse: frames in, one outcome per frame. V is the Verilated class.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <deque>

#include "models/packet/icrc.hpp"
#include "testbenches/support/bench.hpp"
#include "testbenches/support/roce_rx_pins.hpp"

namespace caravan::support {

using packet::Buffer;
using packet::Opcode;

struct Outcome {
  bool stored = false, to_rsp = false, to_req = false;
  RxDesc desc;
  Buffer payload;  // whole beats
  std::uint32_t stats = 0;
  std::uint64_t cycle = 0;
};

template <class V>
struct ParseBench {
  Bench<V> dut;
  std::deque<NetBeat> beats;
  std::vector<Outcome> outcomes;
  std::vector<std::uint64_t> eop_at;
  StallPattern gaps;
  Buffer pending;
  std::size_t room = ~std::size_t{0};  // payload beats that still fit
  bool sending = false;

  explicit ParseBench(StallPattern::Kind kind = StallPattern::Kind::kNone) : gaps(kind) {
    dut->icrc_check_i = 1;
    dut->req_room_i = dut->rsp_room_i = 1;
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
      outcomes.push_back({dut->commit_o != 0, dut->to_rsp_o != 0, dut->to_req_o != 0, unpack_desc(dut->desc_o), pending,
                          dut->stats_o, dut.cycle()});
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

inline packet::RoceFrame frame_of(Opcode opcode, base::Rng& rng) {
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

inline Buffer random_bytes(std::size_t n, base::Rng& rng) {
  Buffer b(n);
  for (auto& x : b) x = static_cast<std::uint8_t>(rng.next());
  return b;
}

inline void reseal(Buffer& frame) {
  frame.resize(frame.size() - packet::kIcrcBytes);
  packet::append_icrc(frame);
}

inline void set_total_len(Buffer& frame, std::size_t n) { packet::put_be(frame.data() + 16, 2, n); }

inline void check_stored(const Outcome& o, const packet::RoceFrame& f, const Buffer& payload) {
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
  if (op.has(packet::kExtReth)) REQUIRE(o.desc.reth() == *f.ext.reth);
  if (op.has(packet::kExtAeth)) REQUIRE(o.desc.aeth() == *f.ext.aeth);
  REQUIRE(o.to_rsp == !op.is_request);
  REQUIRE(o.to_req != o.to_rsp);
}

}  // namespace caravan::support
