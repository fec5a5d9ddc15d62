// SPDX-License-Identifier: Apache-2.0
// Two connected endpoints and hand-made request packets for the tests of the RC reference model.
#pragma once

#include <cstdio>
#include <functional>
#include <numeric>
#include <optional>
#include <string>

#include "models/packet/icrc.hpp"
#include "models/ref/roce_ref.hpp"

namespace caravan::test {

inline constexpr packet::MacAddr kMacA = {2, 0, 0, 0, 0, 1}, kMacB = {2, 0, 0, 0, 0, 2};
inline constexpr packet::Ipv4Addr kIpA = 0x0A000001, kIpB = 0x0A000002;
inline constexpr base::Qpn kQpnA(0x11), kQpnB(0x22);
inline constexpr std::uint32_t kPsnA = 0x100, kPsnB = 0x200;
inline constexpr std::uint32_t kRkey = 0x1234, kReadOnlyRkey = 0x5678, kRpcRkey = 0x9ABC, kFullRkey = 0xF011;
inline constexpr std::uint64_t kHbm = 0x1000, kHost = 0x8000'0000'0000'0000, kRpc = 0x3000'0000'0000'0000;
inline constexpr std::uint64_t kRegionBytes = 1 << 20;

inline ref::QpConfig config_a() {
  return {.qpn = kQpnA,
          .dest_qpn = kQpnB,
          .peer_mac = kMacB,
          .peer_ip = kIpB,
          .pmtu = 256,
          .first_psn_to_send = base::Psn(kPsnA),
          .first_psn_to_expect = base::Psn(kPsnB)};
}
inline ref::QpConfig config_b() {
  return {.qpn = kQpnB,
          .dest_qpn = kQpnA,
          .peer_mac = kMacA,
          .peer_ip = kIpA,
          .pmtu = 256,
          .first_psn_to_send = base::Psn(kPsnB),
          .first_psn_to_expect = base::Psn(kPsnA)};
}

inline void add_regions(ref::RoceRef& node) {
  node.regions().set(kRkey, {.base = kHbm, .length = kRegionBytes, .access = {.write = true}});
  node.regions().set(kReadOnlyRkey, {.base = kHbm, .length = kRegionBytes, .access = {.read = true}});
  node.regions().set(kFullRkey,
                     {.base = kHbm, .length = kRegionBytes, .access = {.write = true, .read = true, .atomic = true}});
  node.regions().set(kRpcRkey, {.base = kRpc, .length = 4096, .access = {.write = true}});
}

inline packet::Buffer counting(std::size_t bytes, std::uint8_t first = 1) {
  packet::Buffer data(bytes);
  std::iota(data.begin(), data.end(), first);
  return data;
}

/// A request packet from A to B.
struct Request {
  packet::Opcode opcode = packet::Opcode::kWriteOnly;
  std::uint32_t psn = kPsnA;
  packet::Buffer payload = {};
  std::uint64_t va = kHbm;
  std::uint32_t rkey = kRkey;
  std::optional<std::uint32_t> dma_length = {};  ///< else the payload's
  bool ack_req = true;
  std::function<void(packet::RoceFrame&)> change = {};
};

inline packet::Buffer make(const Request& r) {
  packet::RoceFrame frame;
  frame.eth = {kMacB, kMacA};
  frame.ip = packet::Ipv4{.src = kIpA, .dst = kIpB};
  frame.bth.opcode = static_cast<std::uint8_t>(r.opcode);
  frame.bth.dest_qp = kQpnB.value();
  frame.bth.psn = r.psn;
  frame.bth.ack_req = r.ack_req;
  frame.ext.reth = packet::Reth{r.va, r.rkey, r.dma_length.value_or(static_cast<std::uint32_t>(r.payload.size()))};
  if (r.change) r.change(frame);
  return packet::build(frame, r.payload);
}

/// B, ready to respond.
struct Responder {
  ref::RoceRef b{kMacB, kIpB};
  explicit Responder(ref::QpConfig config = config_b()) {
    b.create_qp(config);
    add_regions(b);
  }
  /// Delivers one request; the answer as `syndrome psn msn`, "-" for none.
  std::string operator()(const Request& request) { return deliver(make(request)); }
  std::string deliver(const packet::Buffer& frame) {
    const auto frames = b.receive(frame);
    if (frames.empty()) return "-";
    const auto p = packet::parse(frames.at(0));
    if (frames.size() != 1 || !p.is_roce() || p.op->opcode != packet::Opcode::kAck || p.bth->dest_qp != kQpnA.value() ||
        p.ipv4->dst != kIpA)
      return "wrong frame";
    return fmt_answer(p.ext.aeth->syndrome, p.bth->psn, p.ext.aeth->msn);
  }
  static std::string fmt_answer(unsigned syndrome, std::uint32_t psn, std::uint32_t msn) {
    char text[64];
    std::snprintf(text, sizeof text, "%02x psn %x msn %u", syndrome, psn, msn);
    return text;
  }
  ref::QpView view() const { return b.view(kQpnB); }
};

}  // namespace caravan::test
