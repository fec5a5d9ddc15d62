// SPDX-License-Identifier: Apache-2.0
// Answers of the RTL responder: order, memory, repeated requests, QPs made anew, receive queues.
#include "Vresponder.h"
#include "testbenches/cosim/responder/lockstep.hpp"

using namespace caravan;
using namespace caravan::support;
using packet::Buffer;
using packet::Opcode;
using Kind = StallPattern::Kind;
using ref::CompletionStatus;
using Rtl = RoceResponderBench<Vresponder>;

namespace {

constexpr std::uint32_t kRkey = 0x0177;
constexpr std::uint64_t kVa = 0x10000, kHost = 0x8000000000000000ull;

struct Setup {
  Rtl rtl;
  explicit Setup(unsigned latency = 20, std::uint32_t pmtu = 1024)
      : rtl(kOwnMac, kOwnIp, kPeerMac, kPeerIp, Kind::kNone, Kind::kNone, 1, latency) {
    for (std::uint32_t qpn : {1u, 2u, 3u}) rtl.cfg.write(RoceCfg::of_qp(qp(qpn, pmtu)));
    rtl.cfg.write(RoceCfg::of_region(kRkey, {kVa, 0x100000, {.write = true, .read = true, .atomic = true}, 0}));
    rtl.cfg.write(RoceCfg::of_region(0x0288, {kHost, 0x100000, {.write = true, .read = true, .atomic = true}, 0}));
    for (int i = 0; i < 8; ++i) rtl.dut.tick();
  }
  static ref::QpConfig qp(std::uint32_t qpn, std::uint32_t pmtu = 1024) {
    ref::QpConfig q;
    q.qpn = base::Qpn(qpn);
    q.dest_qpn = base::Qpn(0x100 + qpn);
    q.peer_ip = kPeerIp;
    q.pmtu = pmtu;
    return q;
  }
  void drain() { REQUIRE(rtl.drain()); }
  /// {opcode, PSN} of what came out since the last call.
  std::vector<std::pair<Opcode, std::uint32_t>> out() {
    std::vector<std::pair<Opcode, std::uint32_t>> all;
    for (const auto& f : rtl.frames) {
      const auto p = packet::parse(f);
      REQUIRE(p.ok());
      all.emplace_back(p.op->opcode, p.bth->psn);
    }
    rtl.frames.clear();
    return all;
  }
};

Buffer read_frame(std::uint32_t qpn, std::uint32_t psn, std::uint64_t va, std::uint32_t len) {
  auto f = peer_frame(qpn, Opcode::kReadRequest, psn);
  f.ext.reth = packet::Reth{va, va >= kHost ? 0x0288 : kRkey, len};
  return packet::build(f);
}
Buffer write_frame(std::uint32_t qpn, std::uint32_t psn, std::uint64_t va, const Buffer& data, bool ack = true) {
  auto f = peer_frame(qpn, Opcode::kWriteOnly, psn);
  f.bth.ack_req = ack;
  f.ext.reth = packet::Reth{va, va >= kHost ? 0x0288 : kRkey, static_cast<std::uint32_t>(data.size())};
  return packet::build(f, data);
}
Buffer send_frame(std::uint32_t qpn, std::uint32_t psn, const Buffer& data) {
  auto f = peer_frame(qpn, Opcode::kSendOnly, psn);
  f.bth.ack_req = true;
  return packet::build(f, data);
}
Buffer add_frame(std::uint32_t qpn, std::uint32_t psn, std::uint64_t va, std::uint64_t add) {
  auto f = peer_frame(qpn, Opcode::kFetchAdd, psn);
  f.ext.atomic = packet::AtomicEth{va, va >= kHost ? 0x0288 : kRkey, add, 0};
  return packet::build(f);
}
using List = std::vector<std::pair<Opcode, std::uint32_t>>;

}  // namespace

TEST_CASE("Answers: latency of READs and atomics in cycles", "[cosim][responder][latency]") {
  const unsigned memory = 40;
  Setup s(memory);
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
  Setup s(20, 256);
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
  Setup s(300, 256);
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
    rtl.cfg.write(RoceCfg::of_qp(Setup::qp(1)));
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
    Setup s;
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
      for (std::uint32_t qpn : {1u, 2u}) s.create_qp(Setup::qp(qpn, 256));
      const ref::Region region{c.base, 0x100000, {.write = true, .read = true, .atomic = true}, 0};
      s.set_region(c.base == kHost ? 0x0288 : kRkey, region);
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
      s.create_qp(Setup::qp(1, 256));
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
      for (std::uint32_t qpn : {1u, 2u}) rtl.cfg.write(RoceCfg::of_qp(Setup::qp(qpn, 256)));
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

TEST_CASE("Answers: a QP made anew forgets what it owes and what it remembers", "[cosim][responder]") {
  for (unsigned wait : {0u, 5u, 9u, 12u, 20u, 60u, 200u}) {
    INFO("made anew " << wait << " cycles after the requests");
    Setup s(100, 256);
    s.rtl.send(read_frame(2, 0, kVa, 2000));
    s.rtl.send(read_frame(1, 0, kVa, 0x20000));  // 512 packets
    s.rtl.send(read_frame(1, 512, kVa, 300));
    s.rtl.send(read_frame(3, 0, kVa, 200));
    REQUIRE(s.rtl.dut.run_until([&] { return s.rtl.eop_at.size() == 4; }, 100));
    for (unsigned i = 0; i < wait; ++i) s.rtl.dut.tick();
    auto q = Setup::qp(1, 256);
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

TEST_CASE("Answers: a receive completes when its bytes are in memory", "[cosim][responder]") {
  Rtl rtl(kOwnMac, kOwnIp, kPeerMac, kPeerIp, Kind::kNone, Kind::kMostly, 3);
  rtl.cfg.write(RoceCfg::of_qp(Setup::qp(1)));
  for (std::uint32_t i = 0; i < 16; ++i)
    rtl.posts.push({1, {.wr_id = i, .local_va = 0x50000 + 0x1000 * i + 7, .length = 1024}});
  REQUIRE(rtl.drain());
  std::size_t seen = 0;
  rtl.dut.add([] {},
              [&] {
                if (!rtl.dut->rq_cpl_valid_o || seen > rtl.received.items().size()) return;
                const auto c = unpack_rq_cpl(rtl.dut->rq_cpl_o);
                if (c.wr_id < seen) return;
                ++seen;
                // All bursts of this message and of those before are answered by now.
                REQUIRE(rtl.memory.read(0x50000 + 0x1000 * c.wr_id + 7, 1000) ==
                        Buffer(1000, static_cast<std::uint8_t>(c.wr_id + 1)));
                REQUIRE(rtl.hbm.answered() >= c.wr_id + 1);
              });
  for (std::uint32_t i = 0; i < 16; ++i) rtl.send(send_frame(1, i, Buffer(1000, static_cast<std::uint8_t>(i + 1))));
  REQUIRE(rtl.drain());
  REQUIRE(seen == 16);
  for (std::uint32_t i = 0; i < 16; ++i)
    REQUIRE((rtl.received.items().at(i).wr_id == i && rtl.received.items().at(i).length == 1000));
}

TEST_CASE("Receive queue: order, a full ring, refusals", "[cosim][responder][rq]") {
  Setup s;
  for (std::uint32_t i = 0; i < 20; ++i) s.rtl.posts.push({1, {.wr_id = i, .local_va = kVa + 64 * i, .length = 64}});
  REQUIRE(!s.rtl.dut.run_until([&] { return s.rtl.posts.empty(); }, 500));
  REQUIRE(s.rtl.posts.sent_at().size() == 16);  // the ring is full
  REQUIRE(s.rtl.dut->quiet_o == 1);             // and waiting is quiet
  for (std::size_t i = 1; i < 16; ++i) REQUIRE(s.rtl.posts.sent_at()[i] == s.rtl.posts.sent_at()[i - 1] + 2);
  for (std::uint32_t i = 0; i < 20; ++i) s.rtl.send(send_frame(1, i, Buffer(8, static_cast<std::uint8_t>(i + 1))));
  s.drain();
  REQUIRE(s.rtl.received.items().size() == 20);
  for (std::uint32_t i = 0; i < 20; ++i) {
    REQUIRE((s.rtl.received.items()[i].wr_id == i && s.rtl.received.items()[i].status == CompletionStatus::kOk));
    REQUIRE(s.rtl.memory.read(kVa + 64 * i, 8) == Buffer(8, static_cast<std::uint8_t>(i + 1)));
  }
  s.rtl.received.clear();
  s.rtl.posts.push({16, {.wr_id = 1, .local_va = kVa, .length = 64}});        // no such QP
  s.rtl.posts.push({0xFFFFFF, {.wr_id = 2, .local_va = kVa, .length = 64}});  // nor this
  s.rtl.posts.push({1, {.wr_id = 3, .local_va = 0x3000000000000000ull, .length = 64}});
  s.rtl.posts.push({7, {.wr_id = 4, .local_va = kVa, .length = 64}});  // never created
  s.drain();
  const auto status = [&](std::size_t i) { return s.rtl.received.items().at(i).status; };
  REQUIRE(s.rtl.received.items().size() == 4);
  for (std::size_t i = 0; i < 3; ++i) REQUIRE(status(i) == CompletionStatus::kBadRequest);
  REQUIRE(status(3) == CompletionStatus::kFlushed);
  REQUIRE((s.rtl.received.items()[1].qpn.value() == 0xFFFFFF && s.rtl.received.items()[1].wr_id == 2));
}

TEST_CASE("Receive queue: flushed when the QP fails or is put out of use, forgotten when it is made anew",
          "[cosim][responder][rq]") {
  enum class Way { kNak, kRequester, kError, kReset, kInit };
  for (Way way : {Way::kNak, Way::kRequester, Way::kError, Way::kReset, Way::kInit}) {
    INFO("way " << static_cast<int>(way));
    Setup s;
    for (std::uint32_t i = 0; i < 5; ++i) s.rtl.posts.push({1, {.wr_id = i, .local_va = kVa, .length = 64}});
    s.rtl.posts.push({2, {.wr_id = 50, .local_va = kVa, .length = 64}});
    s.drain();
    s.rtl.send(send_frame(1, 0, Buffer(8)));
    s.drain();
    auto q = Setup::qp(1);
    if (way == Way::kNak) s.rtl.send(send_frame(1, 1, Buffer(65)));
    if (way == Way::kRequester) {
      s.rtl.dut->qp_err_i = 1;
      s.rtl.dut->qp_err_valid_i = 1;
      s.rtl.dut.tick();
      s.rtl.dut->qp_err_valid_i = 0;
    }
    if (way == Way::kError) q.state = ref::QpState::kError;
    if (way == Way::kReset) q.state = ref::QpState::kReset;
    if (way == Way::kError || way == Way::kReset) s.rtl.cfg.write(RoceCfg::of_qp(q, false));
    if (way == Way::kInit) s.rtl.cfg.write(RoceCfg::of_qp(q));
    s.drain();
    const auto& all = s.rtl.received.items();
    if (way == Way::kInit) {
      REQUIRE(all.size() == 1);
    } else {
      REQUIRE(all.size() == 5);
      for (std::uint32_t i = 1; i < 5; ++i) {
        const bool cause = way == Way::kNak && i == 1;
        REQUIRE(all[i].wr_id == i);
        REQUIRE(all[i].status == (cause ? CompletionStatus::kLocalLength : CompletionStatus::kFlushed));
      }
      s.rtl.posts.push({1, {.wr_id = 9, .local_va = kVa, .length = 64}});  // posted too late
      s.drain();
      REQUIRE((all.size() == 6 && all[5].status == CompletionStatus::kFlushed));
      s.rtl.cfg.write(RoceCfg::of_qp(Setup::qp(1)));
    }
    s.rtl.received.clear();
    s.rtl.frames.clear();
    // A new life: its queue is empty, then works. The other QP has kept its buffer.
    s.rtl.send(send_frame(1, 0, Buffer(8)));
    s.drain();
    REQUIRE(packet::parse(s.rtl.frames.at(0)).ext.aeth->is_rnr());
    s.rtl.posts.push({1, {.wr_id = 60, .local_va = kVa, .length = 64}});
    s.drain();
    s.rtl.send(send_frame(1, 0, Buffer(8)));
    s.rtl.send(send_frame(2, 0, Buffer(8)));
    s.drain();
    REQUIRE(s.rtl.received.items().size() == 2);
    REQUIRE((s.rtl.received.items()[0].wr_id == 60 && s.rtl.received.items()[1].wr_id == 50));
  }
}

TEST_CASE("Receive queue: completions that nobody takes hold the responder, and nothing is lost",
          "[cosim][responder][rq]") {
  Rtl rtl(kOwnMac, kOwnIp, kPeerMac, kPeerIp, Kind::kNone, Kind::kMostly, 9);
  for (std::uint32_t qpn : {1u, 2u, 3u}) rtl.cfg.write(RoceCfg::of_qp(Setup::qp(qpn)));
  std::uint32_t psn[4] = {}, posted = 0;
  for (int round = 0; round < 12; ++round) {
    for (std::uint32_t qpn : {1u, 2u, 3u})
      for (int i = 0; i < 4; ++i) rtl.posts.push({qpn, {.wr_id = posted++, .local_va = kVa, .length = 64}});
    REQUIRE(rtl.dut.run_until([&] { return rtl.posts.empty(); }, 10'000));
    for (int i = 0; i < 4; ++i)
      for (std::uint32_t qpn : {1u, 2u, 3u}) rtl.send(send_frame(qpn, psn[qpn]++, Buffer(16)));
    REQUIRE(rtl.drain());
  }
  REQUIRE(rtl.received.items().size() == posted);
  REQUIRE(rtl.stats[kRnr] == 0);
}

TEST_CASE("Answers: READs of 4 KiB packets fill the line, small ones come one in 3 cycles",
          "[cosim][responder][rate]") {
  Setup s(60, 4096);
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
    Setup s(c.memory);
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
      for (std::uint32_t qpn : {1u, 2u}) rtl.cfg.write(RoceCfg::of_qp(Setup::qp(qpn)));
      for (std::uint64_t base : {kVa, kHost})
        rtl.cfg.write(RoceCfg::of_region(base == kHost ? 0x0288 : kRkey,
                                         {base, 0x100000, {.write = true, .read = true, .atomic = true}, 0}));
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
