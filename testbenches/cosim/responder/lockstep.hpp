// SPDX-License-Identifier: Apache-2.0
// The receive half in RTL and the reference model side by side: the same tables, the same frames, the same answers. V
// is the Verilated roce_rx.
#pragma once

#include <catch2/catch_test_macros.hpp>

#include "models/ref/roce_ref.hpp"
#include "testbenches/support/roce_rx_bench.hpp"

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

template <class V>
class LockstepOf {
 public:
  using Kind = StallPattern::Kind;
  RoceRxBench<V> rtl;
  ref::RoceRef ref{kOwnMac, kOwnIp};

  explicit LockstepOf(Kind gaps = Kind::kNone, Kind stalls = Kind::kNone, std::uint64_t seed = 1)
      : rtl(gaps, stalls, seed) {}

  void create_qp(const ref::QpConfig& q) {
    ref::QpConfig model = q;
    model.write_only = true;  // what the RTL executes so far
    ref.create_qp(model);
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
  /// One frame to both. The reference answers at once, the RTL at the next compare().
  void send(const packet::Buffer& frame) {
    if (!passes_network(frame, kOwnMac, kOwnIp)) return;
    packet::Buffer cut(frame.begin(), frame.begin() + packet::Eth::kBytes + packet::get_be16(frame.data() + 16));
    for (const auto& answer : ref.receive(frame)) {
      const auto p = packet::parse(answer);
      const auto qpn = packet::parse(frame).bth->dest_qp;
      want_.push_back({qpn, p.bth->psn, p.ext.aeth->msn, p.ext.aeth->syndrome});
    }
    const auto p = packet::parse(frame);
    const bool known = p.ok() && p.payload.size() <= 4096;
    if (known && !p.op->is_request && p.bth->tver == 0 && (p.bth->pkey & 0x7FFF) == 0x7FFF) {
      const packet::Aeth aeth = p.ext.aeth.value_or(packet::Aeth{0, 0});
      want_acks_.push_back({p.bth->dest_qp, p.ipv4->src, p.bth->psn, aeth.msn, aeth.syndrome});
    }
    rtl.send(cut);
  }
  /// Both have done the same since the last call. Memory takes time: `deep` compares it too.
  void compare(bool deep) {
    REQUIRE(rtl.drain());
    for (const auto& e : rtl.evt.items())
      UNSCOPED_INFO("rtl " << e.qpn << " " << e.psn << " " << int{e.syndrome} << " " << e.msn);
    for (const auto& e : want_)
      UNSCOPED_INFO("ref " << e.qpn << " " << e.psn << " " << int{e.syndrome} << " " << e.msn);
    REQUIRE(rtl.evt.items() == want_);
    REQUIRE(rtl.rx_rsp.items() == want_acks_);
    std::vector<RxRpc> rpcs;
    for (const auto& call : ref.rpcs()) {
      rpcs.push_back({call.qpn.value(), static_cast<std::uint32_t>(call.data.size()), call.data});
      rpcs.back().data.resize(64);
    }
    REQUIRE(rtl.rpc.items() == rpcs);
    rtl.evt.clear(), rtl.rx_rsp.clear(), rtl.rpc.clear();
    want_.clear(), want_acks_.clear(), ref.rpcs().clear();
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
  std::vector<AckEvt> want_;
  std::vector<RxRsp> want_acks_;
};

}  // namespace caravan::support
