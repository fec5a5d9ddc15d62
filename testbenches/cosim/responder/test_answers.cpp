// SPDX-License-Identifier: Apache-2.0
// Answers of the RTL responder: order, memory, repeated requests, QPs made anew, rates.
#include "testbenches/cosim/responder/answers_bench.hpp"

using namespace caravan;
using namespace caravan::support;
using namespace caravan::support::answers;

TEST_CASE("Answers: latency of READs and atomics in cycles", "[cosim][responder][latency]") {
  const unsigned memory = 40;
  AnswersBench s(memory);
  s.rtl.send(read_frame(1, 0, kVa, 64));
  s.drain();
  // 7 to roce_rd, 2 to its job, 10 and the memory to the frame.
  REQUIRE(s.rtl.frame_at.at(0) == s.rtl.eop_at.at(0) + 19 + memory);
  s.rtl.send(read_frame(1, 1, 0, 0));
  s.drain();
  REQUIRE(s.rtl.frame_at.at(1) == s.rtl.eop_at.at(1) + 17);
  s.rtl.send(add_frame(1, 2, kVa, 1));
  s.drain();
  REQUIRE(s.rtl.frame_at.at(2) == s.rtl.eop_at.at(2) + 22 + memory);
}

TEST_CASE("Answers: READs of all lengths and alignments, HBM and host", "[cosim][responder]") {
  AnswersBench s(20, 256);
  base::Rng rng(3);
  Buffer data(0x3000);
  for (auto& b : data) b = static_cast<std::uint8_t>(rng.next());
  for (auto base : {kVa, kHost}) s.rtl.memory.write(base, data);
  std::uint32_t psn = 0, msn = 0;
  for (std::uint32_t len : {1u, 63u, 64u, 255u, 256u, 257u, 511u, 512u, 513u, 4096u, 5000u}) {
    for (std::uint64_t base : {kVa, kHost}) {
      const std::uint64_t ofs = rng.below(0x1000);
      s.rtl.send(read_frame(1, psn, base + ofs, len));
      s.drain();
      ++msn;
      Buffer got;
      const std::uint32_t n = (len + 255) / 256;
      REQUIRE(s.rtl.frames.size() == n);
      for (std::uint32_t i = 0; i < n; ++i) {
        const auto p = packet::parse(s.rtl.frames[i]);
        REQUIRE(p.ok());
        REQUIRE(p.bth->psn == psn + i);
        REQUIRE(p.bth->dest_qp == 0x101);
        REQUIRE(p.op->opcode == (n == 1       ? Opcode::kReadRespOnly
                                 : i == 0     ? Opcode::kReadRespFirst
                                 : i + 1 == n ? Opcode::kReadRespLast
                                              : Opcode::kReadRespMiddle));
        if (p.ext.aeth) REQUIRE((p.ext.aeth->msn == msn && p.ext.aeth->syndrome == 0x1F));
        got.insert(got.end(), p.payload.begin(), p.payload.end());
      }
      REQUIRE((got == Buffer(data.begin() + ofs, data.begin() + ofs + len)));
      s.rtl.frames.clear();
      psn += n;
    }
  }
}

TEST_CASE("Answers: an acknowledge waits for the READ before it; that of another QP does not", "[cosim][responder]") {
  AnswersBench s(300, 256);
  s.rtl.send(read_frame(1, 0, kVa, 600));
  s.rtl.send(write_frame(1, 3, kVa + 0x1000, Buffer(8)));
  s.rtl.send(write_frame(2, 0, kVa + 0x2000, Buffer(8)));
  s.rtl.send(write_frame(1, 4, kVa + 0x1000, Buffer(8)));
  s.rtl.send(write_frame(1, 9, kVa + 0x1000, Buffer(8)));  // a gap: its NAK waits as well
  s.drain();
  REQUIRE(s.out() == List{{Opcode::kAck, 0},
                          {Opcode::kReadRespFirst, 0},
                          {Opcode::kReadRespMiddle, 1},
                          {Opcode::kReadRespLast, 2},
                          {Opcode::kAck, 5}});
}

TEST_CASE("Answers: a READ sees the WRITEs before it, however slow memory is", "[cosim][responder]") {
  for (Kind stalls : StallPattern::kAll) {
    Rtl rtl(kOwnMac, kOwnIp, kPeerMac, kPeerIp, Kind::kNone, stalls, 5, 1);
    rtl.cfg.write(RoceCfg::of_qp(AnswersBench::qp(1)));
    rtl.cfg.write(RoceCfg::of_region(kRkey, {kVa, 0x100000, {.write = true, .read = true}, 0}));
    for (std::uint32_t i = 0; i < 20; ++i) {
      rtl.send(write_frame(1, 2 * i, kVa + 30, Buffer(900, static_cast<std::uint8_t>(i + 1)), false));
      rtl.send(read_frame(1, 2 * i + 1, kVa + 30, 900));
      REQUIRE(rtl.drain());
      REQUIRE(rtl.frames.size() == i + 1);
      const auto p = packet::parse(rtl.frames.back());
      REQUIRE((Buffer(p.payload.begin(), p.payload.end()) == Buffer(900, static_cast<std::uint8_t>(i + 1))));
    }
  }
}

TEST_CASE("Answers: repeated atomics are answered from memory of them, never executed again", "[cosim][responder]") {
  for (std::uint64_t va : {kVa + 0x38, kHost + 0x40}) {
    AnswersBench s;
    for (std::uint32_t i = 0; i < 20; ++i) s.rtl.send(add_frame(1, i, va, 10));
    s.drain();
    REQUIRE(s.rtl.memory.read_u64(va) == 200);
    REQUIRE(s.rtl.frames.size() == 20);
    for (std::uint32_t i = 0; i < 20; ++i) REQUIRE(packet::parse(s.rtl.frames[i]).ext.atomic_ack->original == 10 * i);
    s.rtl.frames.clear();
    // The last 16 are remembered.
    for (std::uint32_t i = 0; i < 20; ++i) s.rtl.send(add_frame(1, i, va, 999));
    s.rtl.send(add_frame(1, 19, va + 8, 1));  // another word
    s.drain();
    REQUIRE(s.rtl.memory.read_u64(va) == 200);
    REQUIRE(s.rtl.lost == 5);
    REQUIRE(s.rtl.frames.size() == 16);
    for (std::uint32_t i = 0; i < 16; ++i) {
      const auto p = packet::parse(s.rtl.frames[i]);
      REQUIRE((p.bth->psn == 4 + i && p.ext.atomic_ack->original == 10 * (4 + i) && p.ext.aeth->msn == 20));
    }
    s.out();
    // An acknowledge is not held for ever behind one that got no answer.
    s.rtl.send(write_frame(1, 20, kVa + 0x100, Buffer(8)));
    s.drain();
    REQUIRE(s.out() == List{{Opcode::kAck, 20}});
  }
}

TEST_CASE("Answers: a QP made anew forgets what it owes and what it remembers", "[cosim][responder]") {
  for (unsigned wait : {0u, 5u, 9u, 12u, 20u, 60u, 200u}) {
    INFO("made anew " << wait << " cycles after the requests");
    AnswersBench s(100, 256);
    s.rtl.send(read_frame(2, 0, kVa, 2000));
    s.rtl.send(read_frame(1, 0, kVa, 0x20000));  // 512 packets
    s.rtl.send(read_frame(1, 512, kVa, 300));
    s.rtl.send(read_frame(3, 0, kVa, 200));
    REQUIRE(s.rtl.dut.run_until([&] { return s.rtl.eop_at.size() == 4; }, 100));
    for (unsigned i = 0; i < wait; ++i) s.rtl.dut.tick();
    auto q = AnswersBench::qp(1, 256);
    q.dest_qpn = base::Qpn(0x999);
    q.first_psn_to_expect = base::Psn(5000);
    s.rtl.cfg.push(RoceCfg::of_qp(q));
    s.rtl.send(write_frame(1, 5000, kVa + 0x1000, Buffer(8)));
    s.drain();
    unsigned old_life = 0, others = 0;
    for (const auto& f : s.rtl.frames) {
      const auto p = packet::parse(f);
      if (p.bth->dest_qp == 0x101) ++old_life;
      if (p.bth->dest_qp == 0x102 || p.bth->dest_qp == 0x103) ++others;
      if (p.bth->dest_qp == 0x999) REQUIRE((p.op->opcode == Opcode::kAck && p.bth->psn == 5000));
    }
    REQUIRE(old_life < 400);
    REQUIRE(others == 9);
    REQUIRE(packet::parse(s.rtl.frames.back()).bth->dest_qp != 0x101);
    s.rtl.frames.clear();
    s.rtl.send(read_frame(1, 0, kVa, 0x20000));  // of the old life: nothing is remembered
    s.drain();
    REQUIRE(s.out().empty());
  }
}

TEST_CASE("Answers: READs of 4 KiB packets fill the line, small ones come one in 3 cycles",
          "[cosim][responder][rate]") {
  AnswersBench s(60, 4096);
  const std::uint32_t n = 12;
  for (std::uint32_t i = 0; i < n; ++i) s.rtl.send(read_frame(1 + i % 3, i / 3 * 8, kVa + 0x9000 * i, 8 * 4096));
  s.drain();
  REQUIRE(s.rtl.frames.size() == 8 * n);
  // 65 beats each; measured from the second frame on, when memory has begun to deliver
  const std::uint64_t cycles = s.rtl.frame_at.back() - s.rtl.frame_at[1];
  REQUIRE(65 * (8 * n - 2) * 1000 >= cycles * 995);
  s.rtl.frames.clear(), s.rtl.frame_at.clear();
  for (std::uint32_t i = 0; i < 100; ++i) s.rtl.send(read_frame(1, 32 + i, kVa + 64 * i, 64));
  s.drain();
  REQUIRE(s.rtl.frames.size() == 100);
  REQUIRE(s.rtl.frame_at[99] - s.rtl.frame_at[30] == 69 * 3);
}

TEST_CASE("Answers: atomics, side by side", "[cosim][responder][rate]") {
  struct Case {
    std::uint64_t va, step;
    unsigned memory, cycles;  // cycles: for 16 of them
  };
  // An answer in 4 cycles as long as the slots cover the memory: 16 of HBM, 8 of the host. A hot word is as fast.
  for (const Case& c : {Case{kVa, 8, 20, 64}, Case{kVa, 64, 40, 64}, Case{kVa, 0, 40, 64}, Case{kVa, 8, 100, 108},
                        Case{kHost, 64, 20, 64}, Case{kHost, 8, 100, 212}}) {
    INFO(c.va << " step " << c.step << " memory " << c.memory);
    AnswersBench s(c.memory);
    for (std::uint32_t i = 0; i < 56; ++i) s.rtl.send(add_frame(1 + i % 3, i / 3, c.va + c.step * i, 1));
    s.drain();
    REQUIRE(s.rtl.frames.size() == 56);
    for (std::uint32_t i = 0; i < 56; ++i)
      REQUIRE(packet::parse(s.rtl.frames[i]).ext.atomic_ack->original == (c.step == 0 ? i : 0));
    REQUIRE(s.rtl.frame_at[55] - s.rtl.frame_at[23] == 2 * c.cycles);
  }
}

TEST_CASE("Answers: a READ sees every atomic before it and none behind it", "[cosim][responder]") {
  for (Kind stalls : StallPattern::kAll) {
    for (std::uint64_t va : {kVa, kHost}) {
      Rtl rtl(kOwnMac, kOwnIp, kPeerMac, kPeerIp, Kind::kNone, stalls, 5, 60);
      for (std::uint32_t qpn : {1u, 2u}) rtl.cfg.write(RoceCfg::of_qp(AnswersBench::qp(qpn)));
      for (std::uint64_t base : {kVa, kHost})
        rtl.cfg.write(
            RoceCfg::of_region(rkey_of(base), {base, 0x100000, {.write = true, .read = true, .atomic = true}, 0}));
      // What each answer must carry, one answer a PSN.
      std::vector<std::uint64_t> want;
      std::uint64_t sum = 0, other = 0;
      const auto psn = [&] { return static_cast<std::uint32_t>(want.size()); };
      for (std::uint32_t i = 0; i < 12; ++i) {
        for (std::uint32_t k = 0; k <= i % 4; ++k) {
          rtl.send(add_frame(1, psn(), va + 8, 1));
          want.push_back(sum++);
          rtl.send(add_frame(1, psn(), (va == kHost ? kVa : kHost) + 64, 1));  // the other memory
          want.push_back(other++);
        }
        rtl.send(read_frame(1, psn(), va + 8, 8));
        want.push_back(sum);
        if (i % 4 == 3) REQUIRE(rtl.drain());  // the receive queue has an end
      }
      REQUIRE(rtl.frames.size() == want.size());
      for (std::size_t i = 0; i < want.size(); ++i) {
        const auto p = packet::parse(rtl.frames[i]);
        REQUIRE(p.bth->psn == i);
        if (p.op->opcode == Opcode::kAtomicAck) {
          REQUIRE(p.ext.atomic_ack->original == want[i]);
        } else {
          std::uint64_t value = 0;
          for (std::size_t k = 8; k-- > 0;) value = value << 8 | p.payload[k];
          REQUIRE(value == want[i]);
        }
      }
    }
  }
}
