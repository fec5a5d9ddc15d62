// SPDX-License-Identifier: Apache-2.0
// RTL requester against the reference responder over a bad network: memory, completions and every frame.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <map>

#include "models/base/rng.hpp"
#include "models/ref/roce_ref.hpp"
#include "testbenches/cosim/roce_tx/tx_bench.hpp"
#include "testbenches/support/frame_compare.hpp"

using namespace caravan;
using cosim::TxBench;
using cosim::Verb;
using Kind = TxBench::Kind;

namespace {

constexpr packet::MacAddr kMac{2, 0, 0, 0, 0, 1}, kPeerMac{2, 0, 0, 0, 0, 2};
constexpr packet::Ipv4Addr kIp = 0x0A000001, kPeerIp = 0x0A000002;
constexpr std::uint64_t kRegion = 1 << 20;

struct Setup {
  double loss = 0, duplicate = 0, overtake = 0, corrupt = 0;
  Kind stall = Kind::kNone;
  std::uint64_t seed = 1, delay = 100;
  unsigned qps = 4, messages = 60;
};

class Link {
 public:
  Link(const Setup& setup, Kind stall)
      : s(setup),
        tx(kMac, kIp, stall, {.read_latency = 30, .write_latency = 15, .stall = stall}),
        peer(kPeerMac, kPeerIp),
        rng(setup.seed, 3) {
    for (std::uint32_t q = 0; q < s.qps; ++q) {
      ref::QpConfig own{.qpn = base::Qpn(q),
                        .dest_qpn = base::Qpn(0x1000 + q),
                        .peer_mac = kPeerMac,
                        .peer_ip = kPeerIp,
                        .udp_src_port = static_cast<std::uint16_t>(0xC000 + q),
                        .pmtu = 256u << rng.below(5),
                        .first_psn_to_send = base::Psn(0xFFFFF8 + 0x1111 * q),
                        .first_psn_to_expect = base::Psn(0),
                        .retry_limit = 7,
                        .timeout_exponent = 2};
      configs.push_back(own);
      tx.create_qp(own);
      twin.create_qp(own);
      ref::QpConfig other = own;
      other.qpn = own.dest_qpn;
      other.dest_qpn = own.qpn;
      other.peer_mac = kMac;
      other.peer_ip = kIp;
      other.first_psn_to_expect = own.first_psn_to_send;
      peer.create_qp(other);
      peer.regions().set(rkey(q), {.base = base(q), .length = kRegion, .access = {.write = true}});
    }
    tx.on_frame = [this](const packet::Buffer& frame) { travel(frame, true); };
  }
  static std::uint32_t rkey(std::uint32_t q) { return (q << 8) | 0x5A; }
  static std::uint64_t base(std::uint32_t q) { return q * 4 * kRegion; }

  void post(std::uint32_t q, std::uint32_t wr_id) {
    Verb verb{.qpn = base::Qpn(q)};
    auto& r = verb.request;
    const std::uint64_t kind = rng.below(10);
    r.length = kind == 0 ? 0 : kind < 5 ? 1 + rng.below(64) : rng.below(3 * configs[q].pmtu + 100);
    verb.inl = r.length <= 64 && rng.chance(0.5);
    r.wr_id = wr_id;
    r.signaled = rng.chance(0.7);
    r.rkey = rkey(q);
    r.remote_va = base(q) + rng.below(kRegion - r.length);
    // A buffer of its own for each request: it is read when its packets leave.
    r.local_va = (rng.chance(0.3) ? cosim::kHostBit : 0) + wr_id * 0x10000ull + rng.below(4096);
    packet::Buffer bytes(r.length);
    for (auto& b : bytes) b = static_cast<std::uint8_t>(rng.below(256));
    if (verb.inl)
      std::copy(bytes.begin(), bytes.end(), verb.data.begin());
    else
      tx.write_memory(r.local_va, bytes);
    twin.memory().write(r.local_va, bytes);
    expected.write(r.remote_va, bytes);
    tx.post(verb);
    twin.post_write(base::Qpn(q), r);
    if (r.signaled) completions[q].push_back({base::Qpn(q), wr_id, ref::CompletionStatus::kOk});
  }
  /// Runs until `done` or `limit` cycles have gone.
  bool run(const std::function<bool()>& done, std::uint64_t limit) {
    for (std::uint64_t i = 0; i < limit && !done(); ++i) {
      while (!events.empty() && events.begin()->first.first <= tx.now) {
        const auto [frame, to_peer] = events.begin()->second;
        events.erase(events.begin());
        if (!to_peer)
          tx.deliver(frame);
        else
          for (const auto& answer : peer.receive(frame)) travel(answer, false);
      }
      tx.tick();
    }
    return done();
  }
  void check() {
    std::map<std::uint32_t, std::vector<ref::Completion>> by_qp;
    for (const auto& c : tx.completions) by_qp[c.qpn.value()].push_back(c);
    REQUIRE(by_qp == completions);
    REQUIRE(peer.memory().first_difference(expected) == 0);
    REQUIRE(peer.memory() == expected);
    REQUIRE(tx.counts.qp_err == 0);
    REQUIRE(tx.counts.mem_err == 0);
  }
  std::size_t wanted() const {
    std::size_t n = 0;
    for (const auto& [q, list] : completions) n += list.size();
    return n;
  }

  Setup s;
  TxBench tx;
  ref::RoceRef peer;
  ref::RoceRef twin{kMac, kIp};  ///< reference requester with the same work
  std::vector<ref::QpConfig> configs;
  ref::SparseMemory expected;
  std::map<std::uint32_t, std::vector<ref::Completion>> completions;

 private:
  void travel(packet::Buffer frame, bool to_peer) {
    if (rng.chance(s.loss)) return;
    if (to_peer && rng.chance(s.corrupt))
      frame[42 + rng.below(frame.size() - 42)] ^= static_cast<std::uint8_t>(1u << rng.below(8));
    const int copies = rng.chance(s.duplicate) ? 2 : 1;
    for (int i = 0; i < copies; ++i)
      events.emplace(std::pair{tx.now + s.delay + (rng.chance(s.overtake) ? 1 + rng.below(80) : 0), sequence++},
                     std::pair{frame, to_peer});
  }
  base::Rng rng;
  std::uint64_t sequence = 0;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::pair<packet::Buffer, bool>> events;
};

}  // namespace

TEST_CASE("Without loss every frame is the reference requester's, in order per QP", "[cosim][roce]") {
  const Kind stall = GENERATE(Kind::kNone, Kind::kRandom, Kind::kBursts);
  const std::uint64_t seed = GENERATE(1u, 2u);
  Link link({.seed = seed}, stall);
  for (unsigned i = 0; i < 60; ++i) link.post(i % 4, i);
  REQUIRE(link.run([&] { return link.tx.completions.size() == link.wanted() && link.tx.quiet(); }, 60'000));
  REQUIRE(link.tx.counts.retrans == 0);
  link.check();
  std::map<std::uint32_t, std::vector<packet::Buffer>> sent, reference;
  for (const auto& frame : link.tx.frames) sent[packet::parse(frame).bth->dest_qp].push_back(frame);
  for (std::uint32_t q = 0; q < 4; ++q) {
    // The twin's window is opened by acknowledging its packets at once, so AckReq for a full window never differs.
    for (auto frames = link.twin.transmit(base::Qpn(q), 1); !frames.empty();
         frames = link.twin.transmit(base::Qpn(q), 1)) {
      const auto p = packet::parse(frames[0]);
      packet::RoceFrame ack;
      ack.eth = {.dst = kMac, .src = kPeerMac};
      ack.ip = packet::Ipv4{.src = kPeerIp, .dst = kIp};
      ack.bth = {.opcode = 0x11, .dest_qp = q, .psn = p.bth->psn};
      ack.ext.aeth = packet::Aeth{.syndrome = 0x1F};
      reference[p.bth->dest_qp].push_back(std::move(frames[0]));
      link.twin.receive(packet::build(ack));
    }
  }
  REQUIRE(sent.size() == reference.size());
  for (const auto& [qpn, frames] : reference) {
    REQUIRE(sent[qpn].size() == frames.size());
    for (std::size_t i = 0; i < frames.size(); ++i)
      REQUIRE(support::compare_frames(frames[i], sent[qpn][i], {.mig_req = true, .ack_req = true, .tos_ttl = true}) ==
              "");
  }
}

TEST_CASE("Loss, duplication, overtaking, corruption: memory and completions are right, nothing is applied twice",
          "[cosim][roce]") {
  const double loss = GENERATE(0.01, 0.1);
  const Kind stall = GENERATE(Kind::kNone, Kind::kRandom);
  const std::uint64_t seed = GENERATE(1u, 2u, 3u);
  Link link({.loss = loss, .duplicate = 0.05, .overtake = 0.05, .corrupt = 0.02, .seed = seed}, stall);
  for (unsigned i = 0; i < link.s.messages; ++i) link.post(i % 4, i);
  REQUIRE(link.run([&] { return link.tx.completions.size() == link.wanted() && link.tx.quiet(); }, 400'000));
  link.run([] { return false; }, 3000);
  link.check();
  REQUIRE(link.tx.counts.retrans > 0);
  for (const auto& frame : link.tx.frames) REQUIRE(packet::parse(frame).is_roce());
}
