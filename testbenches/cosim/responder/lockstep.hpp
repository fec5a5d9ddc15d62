// SPDX-License-Identifier: Apache-2.0
// The responder side of a node in RTL and the reference model side by side: the same tables, the same buffers, the same
// frames, the same answers. V is the Verilated responder_top.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <map>

#include "models/ref/roce_ref.hpp"
#include "testbenches/support/roce_responder_bench.hpp"

namespace caravan::support {

inline constexpr packet::MacAddr kOwnMac{0x02, 0, 0, 0, 0, 0x01}, kPeerMac{0x02, 0, 0, 0, 0, 0x02};
inline constexpr packet::Ipv4Addr kOwnIp = 0x0A000001, kPeerIp = 0x0A000002;

/// What the network layer hands to the RoCE receive half: IPv4 and UDP are sound, the frame is for this station.
inline bool passes_network(const packet::Buffer& frame, const packet::MacAddr& mac, packet::Ipv4Addr ip) {
  const auto p = packet::parse(frame);
  const bool below_bth = p.error != packet::ParseError::kNone && p.error < packet::ParseError::kBthTruncated;
  return !below_bth && p.kind == packet::Kind::kRoce && p.ipv4 && p.udp && p.udp->dst_port == packet::kRoceUdpPort &&
         p.ipv4->dst == ip && (p.eth->dst == mac || p.eth->dst == packet::MacAddr{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF});
}

/// A request of the peer.
inline packet::RoceFrame peer_frame(std::uint32_t qpn, packet::Opcode opcode, std::uint32_t psn) {
  packet::RoceFrame f;
  f.eth = {kOwnMac, kPeerMac};
  packet::Ipv4 ip;
  ip.src = kPeerIp;
  ip.dst = kOwnIp;
  f.ip = ip;
  f.bth.opcode = static_cast<std::uint8_t>(opcode);
  f.bth.dest_qp = qpn;
  f.bth.psn = psn;
  return f;
}

/// An answer without what both may choose for themselves: TOS and MigReq, with them the checksums.
inline packet::Buffer comparable(packet::Buffer frame) {
  frame.at(15) = 0;                                   // TOS
  frame.at(24) = frame.at(25) = 0;                    // IP checksum
  frame.at(43) &= static_cast<std::uint8_t>(~0x40u);  // MigReq
  frame.resize(frame.size() - packet::kIcrcBytes);
  return frame;
}

template <class V>
class LockstepOf {
 public:
  using Kind = StallPattern::Kind;
  RoceResponderBench<V> rtl;
  ref::RoceRef ref{kOwnMac, kOwnIp};
  bool one_by_one = false;  ///< each frame takes effect before the next comes

  explicit LockstepOf(Kind gaps = Kind::kNone, Kind stalls = Kind::kNone, std::uint64_t seed = 1)
      : rtl(kOwnMac, kOwnIp, kPeerMac, kPeerIp, gaps, stalls, seed) {}

  /// The peer's address is the bench's.
  void create_qp(ref::QpConfig q) {
    q.peer_mac = kPeerMac;
    ref.create_qp(q);
    rtl.cfg.write(RoceCfg::of_qp(q));
  }
  void set_region(std::uint32_t rkey, const ref::Region& region) {
    ref.regions().set(rkey, region);
    rtl.cfg.write(RoceCfg::of_region(rkey, region));
  }
  void remove_region(std::uint32_t rkey, const ref::Region& region) {
    ref.regions().remove(rkey);
    rtl.cfg.write(RoceCfg::of_region(rkey, region, false));
  }
  void fill(std::uint64_t va, const packet::Buffer& bytes) {
    ref.memory().write(va, bytes);
    rtl.memory.write(va, bytes);
  }
  void post_recv(base::Qpn qpn, const ref::ReceiveRequest& r) {
    ref.post_recv(qpn, r);
    rtl.posts.push({qpn.value(), r});
  }
  /// One frame to both. The reference answers at once, the RTL at the next compare().
  void send(const packet::Buffer& frame) {
    if (!passes_network(frame, kOwnMac, kOwnIp)) return;
    packet::Buffer cut(frame.begin(), frame.begin() + packet::Eth::kBytes + packet::get_be16(frame.data() + 16));
    for (const auto& answer : ref.receive(frame)) want_.push_back(answer);
    rtl.send(cut);
    if (one_by_one) REQUIRE(rtl.drain());
  }
  /// Both have done the same since the last call. `deep` compares memory too. `merged`: acknowledges of a QP may have
  /// been merged into later ones.
  void compare(bool deep, bool merged = false) {
    REQUIRE(rtl.drain());
    for (const auto& f : rtl.frames) REQUIRE(packet::check_icrc(f));
    for (const auto& f : rtl.frames) UNSCOPED_INFO("rtl " << packet::describe(f));
    for (const auto& f : want_) UNSCOPED_INFO("ref " << packet::describe(f));
    if (merged)
      compare_merged();
    else
      compare_all();
    std::vector<RxRpc> rpcs;
    for (const auto& call : ref.rpcs()) {
      rpcs.push_back({call.qpn.value(), static_cast<std::uint32_t>(call.data.size()), call.data});
      rpcs.back().data.resize(64);
    }
    REQUIRE(rtl.rpc.items() == rpcs);
    REQUIRE(by_qp(rtl.received.items()) == by_qp(ref.receive_completions()));
    REQUIRE(rtl.cnps == ref.cnp_qpns());
    rtl.frames.clear(), rtl.rpc.clear(), rtl.received.clear(), rtl.cnps.clear(), rtl.marked.clear();
    want_.clear(), ref.rpcs().clear(), ref.receive_completions().clear(), ref.cnp_qpns().clear();
    if (deep) {
      REQUIRE(rtl.memory.first_difference(ref.memory()) == 0);
      REQUIRE(rtl.memory == ref.memory());
    }
  }
  /// PSN and MSN of a QP that receives, seen from outside: the answer to a duplicate carries both.
  void probe(base::Qpn qpn) {
    packet::RoceFrame f = peer_frame(qpn.value(), packet::Opcode::kWriteOnly, (ref.view(qpn).epsn - 1).value());
    f.ext.reth = packet::Reth{};
    send(packet::build(f));
    compare(false);
  }

 private:
  using Streams = std::map<std::uint32_t, std::vector<packet::Buffer>>;

  static std::map<std::uint32_t, std::vector<ref::ReceiveCompletion>> by_qp(
      const std::vector<ref::ReceiveCompletion>& all) {
    std::map<std::uint32_t, std::vector<ref::ReceiveCompletion>> out;
    for (const auto& c : all) out[c.qpn.value()].push_back(c);
    return out;
  }
  /// Answers by the peer's QP, in order.
  static Streams streams(const std::vector<packet::Buffer>& frames, bool acks, bool data) {
    Streams out;
    for (const auto& f : frames) {
      const bool ack = f.at(42) == static_cast<std::uint8_t>(packet::Opcode::kAck);
      if (ack ? acks : data) out[static_cast<std::uint32_t>(packet::get_be(f.data() + 47, 3))].push_back(comparable(f));
    }
    return out;
  }
  void compare_all() { REQUIRE(streams(rtl.frames, true, true) == streams(want_, true, true)); }
  /// Data in order and complete; of the acknowledges any, in order, but the last one of each QP.
  void compare_merged() {
    REQUIRE(streams(rtl.frames, false, true) == streams(want_, false, true));
    const auto got = streams(rtl.frames, true, false), want = streams(want_, true, false);
    REQUIRE(got.size() == want.size());
    for (const auto& [qpn, acks] : got) {
      INFO("acknowledges to QP " << qpn);
      REQUIRE(want.contains(qpn));
      const auto& all = want.at(qpn);
      std::size_t at = 0;
      for (const auto& ack : acks) {
        while (at < all.size() && all[at] != ack) ++at;
        REQUIRE(at < all.size());
      }
      const auto newest = [](const packet::Buffer& f) { return packet::get_be(f.data() + 51, 3); };
      REQUIRE(newest(acks.back()) == newest(all.back()));
    }
  }
  std::vector<packet::Buffer> want_;
};

}  // namespace caravan::support
