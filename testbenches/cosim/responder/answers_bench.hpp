// SPDX-License-Identifier: Apache-2.0
// The RTL responder with three QPs and two regions, and the request frames that the tests of its answers send.
#pragma once

#include "Vresponder.h"
#include "testbenches/cosim/responder/lockstep.hpp"

namespace caravan::support::answers {

using packet::Buffer;
using packet::Opcode;
using Kind = StallPattern::Kind;
using Rtl = RoceResponderBench<Vresponder>;

inline constexpr std::uint32_t kRkey = 0x0177, kHostRkey = 0x0288;
inline constexpr std::uint64_t kVa = 0x10000, kHost = 0x8000000000000000ull;
constexpr std::uint32_t rkey_of(std::uint64_t va) { return va >= kHost ? kHostRkey : kRkey; }

struct AnswersBench {
  Rtl rtl;
  explicit AnswersBench(unsigned latency = 20, std::uint32_t pmtu = 1024)
      : rtl(kOwnMac, kOwnIp, kPeerMac, kPeerIp, Kind::kNone, Kind::kNone, 1, latency) {
    for (std::uint32_t qpn : {1u, 2u, 3u}) rtl.cfg.write(RoceCfg::of_qp(qp(qpn, pmtu)));
    rtl.cfg.write(RoceCfg::of_region(kRkey, {kVa, 0x100000, {.write = true, .read = true, .atomic = true}, 0}));
    rtl.cfg.write(RoceCfg::of_region(kHostRkey, {kHost, 0x100000, {.write = true, .read = true, .atomic = true}, 0}));
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

inline Buffer read_frame(std::uint32_t qpn, std::uint32_t psn, std::uint64_t va, std::uint32_t len) {
  auto f = peer_frame(qpn, Opcode::kReadRequest, psn);
  f.ext.reth = packet::Reth{va, rkey_of(va), len};
  return packet::build(f);
}
inline Buffer write_frame(std::uint32_t qpn, std::uint32_t psn, std::uint64_t va, const Buffer& data, bool ack = true) {
  auto f = peer_frame(qpn, Opcode::kWriteOnly, psn);
  f.bth.ack_req = ack;
  f.ext.reth = packet::Reth{va, rkey_of(va), static_cast<std::uint32_t>(data.size())};
  return packet::build(f, data);
}
inline Buffer send_frame(std::uint32_t qpn, std::uint32_t psn, const Buffer& data) {
  auto f = peer_frame(qpn, Opcode::kSendOnly, psn);
  f.bth.ack_req = true;
  return packet::build(f, data);
}
inline Buffer add_frame(std::uint32_t qpn, std::uint32_t psn, std::uint64_t va, std::uint64_t add) {
  auto f = peer_frame(qpn, Opcode::kFetchAdd, psn);
  f.ext.atomic = packet::AtomicEth{va, rkey_of(va), add, 0};
  return packet::build(f);
}
using List = std::vector<std::pair<Opcode, std::uint32_t>>;

}  // namespace caravan::support::answers
