// SPDX-License-Identifier: Apache-2.0
// Who is who in a cluster: addresses, queue pair numbers, first PSNs, memory layout. Everything follows from node
// numbers, so that a trace of one run can be read beside that of another.
#pragma once

#include <cstdint>

#include "models/base/units.hpp"

namespace caravan::sim {

/// 02:00:00:00:00:01 is node 0 (locally administered).
constexpr std::uint64_t mac_of(unsigned node) { return 0x020000000001ull + node; }
/// 10.0.0.1 is node 0.
constexpr std::uint32_t ip_of(unsigned node) { return 0x0A000001u + node; }

/// The queue pair of a node that leads to `peer`. Numbers 0 and 1 are RoCE's management queue pairs.
constexpr base::Qpn qpn_to(unsigned peer) { return base::Qpn(2 + peer); }
/// Further queue pairs between nodes 0 and 1, the same number at both ends; k >= 1.
constexpr base::Qpn extra_qpn(unsigned nodes, unsigned k) { return base::Qpn(2 + nodes + k - 1); }
/// First PSN that `from` sends to `to` on their k-th queue pair: scattered, so that a mix-up of directions shows.
constexpr base::Psn first_psn(unsigned from, unsigned to, unsigned k) {
  return base::Psn((from * 0x9E3779u + to * 0x85EBCAu + k * 0xC2B2AEu + 0x00FFF0u) & base::Psn::kMask);
}
/// UDP source port: the flow's entropy for a multipath fabric.
constexpr std::uint16_t sport_of(unsigned from, unsigned to, unsigned k) {
  return static_cast<std::uint16_t>(0xC000u | ((from * 37u + to * 101u + k * 7u) & 0x3FFFu));
}

// Memory regions of every node: index in the region table, and where they lie.
inline constexpr unsigned kRpcRegion = 1;
inline constexpr unsigned kHbmRegion = 2;
inline constexpr unsigned kHostRegion = 3;
inline constexpr std::uint8_t kRegionKey = 0x5A;

// HBM and host memory: the retransmission rings (HBM only), what is sent from, what is written to.
inline constexpr std::uint64_t kRingBase = 0;
inline constexpr std::uint64_t kSourceBase = 0x1000'0000;
inline constexpr std::uint64_t kTargetBase = 0x2000'0000;
inline constexpr std::uint64_t kRegionBytes = 0x1000'0000;

}  // namespace caravan::sim
