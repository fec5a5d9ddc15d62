// SPDX-License-Identifier: Apache-2.0
// Answers of the RTL responder when memory fails: one NAK 0x63, and nothing behind it.
#include "testbenches/cosim/responder/answers_bench.hpp"

using namespace caravan;
using namespace caravan::support;
using namespace caravan::support::answers;

TEST_CASE("Answers: a memory error ends a QP with one NAK 0x63 in its place; the reference agrees",
          "[cosim][responder]") {
  using Lock = LockstepOf<Vresponder>;
  struct Case {
    const char* name;
    int bad;  // packet of the READ of four; 4: atomic, read; 5: atomic, write
    std::uint64_t base;
  };
  for (const Case& c : {Case{"first", 0, kVa}, Case{"middle", 1, kHost}, Case{"middle", 2, kVa}, Case{"last", 3, kHost},
                        Case{"atomic read", 4, kVa}, Case{"atomic write", 5, kHost}, Case{"atomic write", 5, kVa}}) {
    for (Kind stalls : StallPattern::kAll) {
      INFO(c.name << ' ' << c.base);
      Lock s(Kind::kNone, stalls, 7);
      for (std::uint32_t qpn : {1u, 2u}) s.create_qp(AnswersBench::qp(qpn, 256));
      const ref::Region region{c.base, 0x100000, {.write = true, .read = true, .atomic = true}, 0};
      s.set_region(rkey_of(c.base), region);
      for (std::uint32_t i = 0; i < 3; ++i) s.post_recv(base::Qpn(1), {.wr_id = i, .local_va = c.base, .length = 64});
      s.fill(c.base, Buffer(0x1000, 0x5A));
      s.compare(true);
      const auto broken = c.bad == 5 ? ref::Broken::kWrites : ref::Broken::kReads;
      const std::uint64_t at = c.base + 0x100 + 256ull * std::min(c.bad, 4);
      for (auto* memory : {&s.ref.memory(), &s.rtl.memory}) memory->break_range(at, 64, broken);
      s.send(write_frame(1, 0, c.base + 0x800, Buffer(8, 1)));
      s.send(add_frame(1, 1, c.base + 0x40, 3));
      if (c.bad < 4) {
        s.send(read_frame(1, 2, c.base + 0x100, 1024));
      } else {
        s.send(read_frame(1, 2, c.base + 0x100, 1024));
        s.send(add_frame(1, 6, at + 8, 3));
      }
      s.send(write_frame(2, 0, c.base + 0x900, Buffer(8, 1)));
      s.compare(false, true);
      // The QP is silent, whatever comes; its receives are flushed. The other one works.
      s.send(write_frame(1, 7, c.base + 0x800, Buffer(8, 2)));
      s.send(read_frame(1, 2, c.base + 0x100, 1024));
      s.send(send_frame(1, 7, Buffer(8)));
      s.send(add_frame(2, 1, c.base + 0x40, 5));
      s.compare(true);
      REQUIRE(s.ref.view(base::Qpn(1)).state == ref::QpState::kError);
      REQUIRE(s.ref.view(base::Qpn(1)).receives == 0);
      // A new life.
      for (auto* memory : {&s.ref.memory(), &s.rtl.memory}) memory->repair();
      s.create_qp(AnswersBench::qp(1, 256));
      s.send(read_frame(1, 0, c.base + 0x100, 1024));
      s.send(add_frame(1, 4, at + 8, 3));
      s.compare(true);
    }
  }
}

TEST_CASE("Answers: what was accepted behind a failed READ or atomic is not answered", "[cosim][responder]") {
  for (const bool atomic : {false, true}) {
    for (Kind stalls : StallPattern::kAll) {
      Rtl rtl(kOwnMac, kOwnIp, kPeerMac, kPeerIp, Kind::kNone, stalls, 5, 300);
      for (std::uint32_t qpn : {1u, 2u}) rtl.cfg.write(RoceCfg::of_qp(AnswersBench::qp(qpn, 256)));
      rtl.cfg.write(RoceCfg::of_region(kRkey, {kVa, 0x100000, {.write = true, .read = true, .atomic = true}, 0}));
      rtl.memory.break_range(kVa, 64);
      rtl.send(atomic ? add_frame(1, 0, kVa, 1) : read_frame(1, 0, kVa, 200));
      for (std::uint32_t i = 1; i < 9; ++i) {
        rtl.send(i % 3 == 0   ? add_frame(1, i, kVa + 0x100, 1)
                 : i % 3 == 1 ? read_frame(1, i, kVa + 0x200, 8)
                              : write_frame(1, i, kVa + 0x1000, Buffer(8)));
        rtl.send(read_frame(2, i - 1, kVa + 0x300, 8));
      }
      rtl.send(read_frame(1, 12, kVa + 0x200, 8));  // a gap: no NAK either
      REQUIRE(rtl.drain());
      unsigned one = 0, two = 0;
      for (const auto& f : rtl.frames) {
        const auto p = packet::parse(f);
        REQUIRE(p.ok());
        (p.bth->dest_qp == 0x101 ? one : two)++;
        if (p.bth->dest_qp != 0x101) continue;
        REQUIRE((p.op->opcode == Opcode::kAck && p.bth->psn == 0 && p.ext.aeth->syndrome == 0x63));
        REQUIRE(p.ext.aeth->msn == (atomic ? 0 : 1));
      }
      REQUIRE((one == 1 && two == 8));
      REQUIRE(rtl.lost == 0);
      REQUIRE(rtl.stats[kDropQp] + rtl.stats[kReads] + rtl.stats[kAtomics] + rtl.stats[kWritePkts] +
                  rtl.stats[kNakSeq] >=
              18);
    }
  }
}
