// SPDX-License-Identifier: Apache-2.0
// Random traffic into the RTL receive half and the reference model: messages of several QPs over a bad channel,
// permissions that come and go, malformed requests, and the frames of the fuzzer.
#include "Vresponder.h"
#include "testbenches/cosim/responder/lockstep.hpp"
#include "testbenches/fuzz/frame_fuzzer.hpp"

using namespace caravan;
using namespace caravan::support;
using packet::Buffer;
using packet::Opcode;
using Kind = StallPattern::Kind;
using Lockstep = LockstepOf<Vresponder>;

namespace {

constexpr std::uint32_t kQps = 4;
constexpr std::uint32_t kHbmRkey = 0x0111, kHostRkey = 0x0222, kRpcRkey = 0x0333, kReadRkey = 0x0444,
                        kAtomicRkey = 0x0555, kHostAtomicRkey = 0x0666;
constexpr std::uint64_t kReadVa = 0x200000, kAtomicVa = 0x300000, kBufferVa = 0x400000;
constexpr std::uint64_t kHostVa = 0x8000000000000000ull, kRpcVa = 0x3000000000000000ull;
const ref::Region kHbmRegion{0x40001, 0x7FFE, {.write = true}, 3},
    kHostRegion{kHostVa + 0x123, 0x8000, {.write = true}, 3}, kRpcRegion{kRpcVa, 0x1000, {.write = true}, 3},
    kReadRegion{kReadVa + 5, 0x8000, {.read = true}, 3},
    kAtomicRegion{kAtomicVa, 64, {.read = true, .atomic = true}, 3};

/// Makes request packets of one QP: whole messages, mostly right ones.
class Peer {
 public:
  Peer(std::uint32_t qpn, std::uint32_t pmtu, base::Rng& rng) : qpn_(qpn), pmtu_(pmtu), rng_(rng) {}
  /// The packet with this PSN; packets that were made once are repeated as they were.
  const Buffer& packet(std::uint32_t psn) {
    if (!made_.contains(psn)) {
      if (psn != next_)
        stray(psn);
      else
        message();
    }
    return made_.at(psn);
  }
  void restart(std::uint32_t psn) { made_.clear(), next_ = psn; }

 private:
  /// A packet from before the time of this connection, or from nowhere.
  void stray(std::uint32_t psn) {
    auto f = peer_frame(qpn_, Opcode::kWriteOnly, psn);
    f.ext.reth = packet::Reth{0x40001, kHbmRkey, 4};
    made_[psn] = packet::build(f, Buffer(4, 0xEE));
  }
  void message() {
    if (rng_.chance(0.2)) return read();
    if (rng_.chance(0.2)) return atomic();
    const bool send = rng_.chance(0.3), imm = rng_.chance(0.3);
    std::uint32_t len = static_cast<std::uint32_t>(rng_.chance(0.1)   ? 0
                                                   : rng_.chance(0.5) ? 1 + rng_.below(70)
                                                                      : 1 + rng_.below(pmtu_ * 4));
    std::uint64_t va = 0x40001 + rng_.below(0x4000);
    std::uint32_t rkey = kHbmRkey;
    if (rng_.chance(0.3)) va = kHostVa + 0x123 + rng_.below(0x4000), rkey = kHostRkey;
    if (!send && rng_.chance(0.2))
      va = kRpcVa + rng_.below(0x800), rkey = kRpcRkey,
      len = rng_.chance(0.97) ? 1 + rng_.below(64) : 65 + rng_.below(500);
    if (rng_.chance(0.01)) rkey ^= 1u << rng_.below(12);
    if (rng_.chance(0.01)) va ^= 1ull << rng_.below(64);
    std::uint32_t dma = len;
    if (rng_.chance(0.01)) dma += rng_.chance(0.5) ? 1 : 0xFFFFFFFFu;
    Buffer data(len);
    for (auto& b : data) b = static_cast<std::uint8_t>(rng_.next());
    std::uint32_t at = 0;
    do {
      const bool first = at == 0, last = at + pmtu_ >= len;
      auto code = first  ? last ? Opcode::kSendOnly : Opcode::kSendFirst
                  : last ? Opcode::kSendLast
                         : Opcode::kSendMiddle;
      if (last && imm) code = static_cast<Opcode>(static_cast<int>(code) + 1);
      Opcode op = send ? code : static_cast<Opcode>(static_cast<int>(code) + 6);
      if (rng_.chance(0.004)) op = static_cast<Opcode>(rng_.below(0x18));
      if (packet::find_opcode(static_cast<std::uint8_t>(op)) == nullptr) op = Opcode::kReadRequest;
      auto f = peer_frame(qpn_, op, next_);
      f.bth.ack_req = last ? rng_.chance(0.8) : rng_.chance(0.1);
      f.bth.solicited = rng_.chance(0.1);
      f.bth.mig_req = rng_.chance(0.5);
      f.ext.reth = packet::Reth{va, rkey, dma};
      f.ext.imm = packet::ImmDt{static_cast<std::uint32_t>(rng_.next())};
      f.ext.atomic = packet::AtomicEth{va & ~7ull, rkey, 1, 1};
      Buffer part(data.begin() + at, data.begin() + std::min(at + pmtu_, len));
      if (rng_.chance(0.004)) part.resize(rng_.below(pmtu_ + 8));
      if (!packet::traits(op).has_payload) part.clear();
      made_[next_] = packet::build(f, part);
      next_ = (next_ + 1) & 0xFFFFFF;
      at += pmtu_;
    } while (at < len);
  }

  void put(const packet::RoceFrame& f, std::uint32_t packets) {
    made_[next_] = packet::build(f);
    next_ = (next_ + packets) & 0xFFFFFF;
  }
  /// A READ of what nobody writes; later asked again in full, from the middle, or wrongly.
  void read() {
    const std::uint32_t len = static_cast<std::uint32_t>(rng_.chance(0.1) ? 0 : 1 + rng_.below(pmtu_ * 4));
    packet::Reth reth{kReadVa + 5 + rng_.below(0x4000), kReadRkey, len};
    if (rng_.chance(0.01)) reth.va ^= 1ull << rng_.below(64);
    if (rng_.chance(0.01)) reth.rkey ^= 1u << rng_.below(12);
    if (rng_.chance(0.003)) reth.dma_length = 0x80000001;
    auto f = peer_frame(qpn_, Opcode::kReadRequest, next_);
    f.ext.reth = reth;
    const std::uint32_t packets = len == 0 ? 1 : (len + pmtu_ - 1) / pmtu_;
    for (std::uint32_t i = 1; i < packets; ++i) {  // resumed at its i-th packet
      auto again = peer_frame(qpn_, Opcode::kReadRequest, (next_ + i) & 0xFFFFFF);
      again.ext.reth = packet::Reth{reth.va + i * pmtu_, reth.rkey, len - i * pmtu_};
      if (rng_.chance(0.1))
        again.ext.reth->dma_length -= static_cast<std::uint32_t>(rng_.below(again.ext.reth->dma_length));
      if (rng_.chance(0.05)) again.ext.reth->va += 1;
      made_[(next_ + i) & 0xFFFFFF] = packet::build(again);
    }
    put(f, packets);
  }
  void atomic() {
    auto f = peer_frame(qpn_, rng_.chance(0.5) ? Opcode::kCompareSwap : Opcode::kFetchAdd, next_);
    packet::AtomicEth eth{kAtomicVa + 8 * rng_.below(8), kAtomicRkey, rng_.below(3), rng_.below(3)};
    if (rng_.chance(0.5)) eth.va += kHostVa - kAtomicVa + 0x10000, eth.rkey = kHostAtomicRkey;
    if (rng_.chance(0.01)) eth.va += 1 + rng_.below(200);
    f.ext.atomic = eth;
    put(f, 1);
  }

  std::uint32_t qpn_, pmtu_, next_ = 0;
  base::Rng& rng_;
  std::map<std::uint32_t, Buffer> made_;
};

struct World {
  Lockstep pair;
  base::Rng rng;
  std::vector<Peer> peers;
  std::vector<ref::QpConfig> qps;
  std::vector<std::uint32_t> send_at;  // next PSN that each peer sends
  std::deque<Buffer> delayed;
  int rebuilt = 0, sent = 0;
  std::uint32_t posted = 0;

  World(Kind gaps, Kind stalls, std::uint64_t seed) : pair(gaps, stalls, seed), rng(seed, 0xC051) {
    constexpr std::uint32_t kPmtus[] = {256, 512, 256, 1024};
    for (std::uint32_t i = 0; i < kQps; ++i) {
      ref::QpConfig q;
      q.qpn = base::Qpn(i * 3 + 1);
      q.dest_qpn = base::Qpn(100 + i);
      q.peer_ip = kPeerIp;
      q.pmtu = kPmtus[i];
      q.state = i % 2 ? ref::QpState::kRtr : ref::QpState::kRts;
      q.pd = 3;
      qps.push_back(q);
      peers.emplace_back(q.qpn.value(), q.pmtu, rng);
      send_at.push_back(0);
      rebuild(i);
    }
    pair.set_region(kHbmRkey, kHbmRegion);
    pair.set_region(kHostRkey, kHostRegion);
    pair.set_region(kRpcRkey, kRpcRegion);
    pair.set_region(kReadRkey, kReadRegion);
    pair.set_region(kAtomicRkey, kAtomicRegion);
    pair.set_region(kHostAtomicRkey, {kHostVa + 0x10000, 64, {.atomic = true}, 3});
    Buffer data(0x8000);
    for (auto& b : data) b = static_cast<std::uint8_t>(rng.next());
    pair.fill(kReadVa, data);
  }
  /// Now and then there are no receive buffers left.
  void feed() {
    for (std::uint32_t i = 0; i < kQps; ++i) {
      if (pair.ref.view(qps[i].qpn).receives >= 4 || rng.chance(0.5)) continue;
      const bool host = rng.chance(0.5);
      pair.post_recv(qps[i].qpn, {.wr_id = ++posted,
                                  .local_va = (host ? kHostVa : 0) + kBufferVa + (i << 16) + rng.below(0x8000),
                                  .length = static_cast<std::uint32_t>(rng.chance(0.05) ? rng.below(300) : 4200)});
    }
    if (rng.chance(0.02)) pair.post_recv(base::Qpn(99), {.wr_id = ++posted, .local_va = 0x1000, .length = 10});
    if (rng.chance(0.02)) pair.post_recv(qps[0].qpn, {.wr_id = ++posted, .local_va = kRpcVa, .length = 10});
  }
  void rebuild(std::uint32_t i) {
    qps[i].first_psn_to_expect = base::Psn(rng.chance(0.5) ? 0xFFFFF0u : static_cast<std::uint32_t>(rng.next()));
    pair.create_qp(qps[i]);
    send_at[i] = qps[i].first_psn_to_expect.value();
    peers[i].restart(send_at[i]);
    ++rebuilt;
  }
  /// One packet of a random QP through the channel: lost, doubled, late, damaged, or as it is.
  void step() {
    const auto i = static_cast<std::uint32_t>(rng.below(kQps));
    const auto view = pair.ref.view(qps[i].qpn);
    const bool lost_touch = base::Psn(send_at[i]).distance_from(view.epsn) > 8 || rng.chance(0.02);
    if (lost_touch) send_at[i] = (view.epsn - static_cast<std::uint32_t>(rng.below(6))).value();
    Buffer frame = peers[i].packet(send_at[i]);
    send_at[i] = (send_at[i] + 1) & 0xFFFFFF;
    ++sent;
    if (rng.chance(0.03)) return;
    if (rng.chance(0.02)) frame[42 + rng.below(frame.size() - 42)] ^= static_cast<std::uint8_t>(1u << rng.below(8));
    if (rng.chance(0.01)) {
      auto f = peer_frame(qps[i].qpn.value(), rng.chance(0.9) ? Opcode::kAck : Opcode::kReadRespOnly,
                          static_cast<std::uint32_t>(rng.below(1 << 24)));
      f.ext.aeth = packet::Aeth{static_cast<std::uint8_t>(rng.next()), static_cast<std::uint32_t>(rng.below(1 << 24))};
      pair.send(packet::build(f));
      pair.send(packet::build(peer_frame(qps[i].qpn.value(), Opcode::kUcSendOnly, view.epsn.value())));
    }
    if (rng.chance(0.01)) {
      auto ip = packet::Ipv4::decode(frame.data() + 14);
      ip.src ^= 1u << rng.below(32);
      ip.checksum = ip.right_checksum();
      ip.encode(frame.data() + 14);
      frame.resize(frame.size() - packet::kIcrcBytes);
      packet::append_icrc(frame);
    }
    if (rng.chance(0.03)) {
      delayed.push_back(frame);
      return;
    }
    pair.send(frame);
    if (rng.chance(0.03)) pair.send(frame);
    if (!delayed.empty() && rng.chance(0.3)) {
      pair.send(delayed.front());
      delayed.pop_front();
    }
  }
  /// Queue pairs in error are made anew; permissions change now and then.
  void maintain() {
    for (std::uint32_t i = 0; i < kQps; ++i) {
      if (pair.ref.view(qps[i].qpn).state == ref::QpState::kError && rng.chance(0.3)) rebuild(i);
    }
    if (rng.chance(0.01)) pair.remove_region(kHostRkey, kHostRegion);
    if (rng.chance(0.2)) pair.set_region(kHostRkey, kHostRegion);
    if (rng.chance(0.005)) {
      const auto i = static_cast<std::uint32_t>(rng.below(kQps));
      qps[i].remote_write = !qps[i].remote_write;
      rebuild(i);
    }
    for (auto& q : qps) q.remote_write = q.remote_write || rng.chance(0.02);
  }
};

}  // namespace

TEST_CASE("Lockstep: after every frame the same acknowledges, calls and memory", "[cosim][responder]") {
  World world(Kind::kNone, Kind::kNone, 21);
  world.pair.one_by_one = true;
  for (int i = 0; i < 12'000; ++i) {
    INFO("step " << i);
    world.feed();
    REQUIRE(world.pair.rtl.drain());
    world.step();
    world.pair.compare(i % 64 == 0);
    world.maintain();
    if (i % 32 == 0) {
      for (const auto& q : world.qps) world.pair.probe(q.qpn);
    }
  }
  world.pair.compare(true);
  const auto& s = world.pair.rtl.stats;
  // Everything that can happen has happened.
  for (auto stat : {kRpc, kMsgs, kWritePkts, kSends, kReads, kAtomics, kRnr, kNakOp, kNakAccess, kNakInvalid, kNakSeq,
                    kDup, kDropPeer, kDropQp, kDropIcrc, kPkts}) {
    INFO("statistic " << stat);
    REQUIRE(s[stat] > 10);
  }
  REQUIRE(s[kDropFifo] == 0);
  REQUIRE(s[kDropIcrc] == world.pair.ref.dropped(ref::DropReason::kIcrc));
  REQUIRE(s[kDup] == world.pair.ref.duplicates() + world.pair.ref.dropped(ref::DropReason::kDuplicate));
  REQUIRE(world.pair.rtl.lost > 10);
  REQUIRE(world.rebuilt > 20);
}

TEST_CASE("Lockstep: bursts of frames without waiting, under gaps and stalls", "[cosim][responder]") {
  for (Kind gaps : {Kind::kNone, Kind::kRandom, Kind::kBursts}) {
    for (Kind stalls : {Kind::kNone, Kind::kEveryOther, Kind::kRandom, Kind::kBursts}) {
      World world(gaps, stalls, 22 + static_cast<std::uint64_t>(stalls));
      // Every second world stands still while it says that it is quiet.
      const bool gated = (static_cast<int>(gaps) + static_cast<int>(stalls)) % 2 != 0;
      if (gated) world.pair.rtl.dut.gate([&world] { return world.pair.rtl.dut->quiet_o != 0; });
      for (int burst = 0; burst < 120; ++burst) {
        world.feed();
        REQUIRE(world.pair.rtl.drain());
        for (int i = 0; i < 6; ++i)
          world.step();  // 6 (at most 18) packets of at most 17 beats: the FIFO of 256 beats holds them
        INFO("burst " << burst);
        world.pair.compare(burst % 40 == 0, true);
        world.maintain();
      }
      for (const auto& q : world.qps) world.pair.probe(q.qpn);
      world.pair.compare(true);
      REQUIRE(world.pair.rtl.stats[kDropFifo] == 0);
      REQUIRE(world.pair.rtl.stats[kWritePkts] > 100);
      REQUIRE((world.pair.rtl.dut.gated() > 0) == gated);
    }
  }
}

TEST_CASE("Lockstep: frames of the fuzzer, all opcodes and QP states", "[cosim][responder]") {
  auto target = default_fuzz_target();
  REQUIRE(target.mac == kOwnMac);
  Lockstep pair;
  const auto set_up = [&] {
    for (const auto& q : target.qps) pair.create_qp(q);
  };
  set_up();
  pair.set_region(target.rkey, target.region);
  pair.set_region(target.rpc_rkey, target.rpc_region);
  FrameFuzzer fuzzer(7, target);
  for (int i = 0; i < 24'000; ++i) {
    const Buffer frame = fuzzer.next(pair.ref);
    INFO("frame " << i << " opcode " << int{fuzzer.note().opcode} << " qpn " << fuzzer.note().qpn << " change "
                  << fuzzer.note().change << "\n"
                  << packet::describe(frame));
    pair.send(frame);
    pair.compare(i % 500 == 0);
    for (const auto& q : target.qps) {
      if (q.state != ref::QpState::kError && pair.ref.view(q.qpn).state == ref::QpState::kError && i % 8 == 0)
        pair.create_qp(q);
    }
  }
  pair.compare(true);
  REQUIRE(pair.rtl.stats[kWritePkts] > 100);
}
