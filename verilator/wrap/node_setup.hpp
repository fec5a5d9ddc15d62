// SPDX-License-Identifier: Apache-2.0
// What a driver does with a node's registers: addresses, neighbours, queue pairs, regions, peers, the map's contents.
// Values out of range are UserErrors that name the value and what is allowed. All between calls of run_until.
#pragma once

#include <cstdint>

#include "models/base/units.hpp"
#include "verilator/wrap/rtl_node.hpp"

namespace caravan::vl {

/// The low 48 bits; the first byte on the wire is the most significant.
using MacAddress = std::uint64_t;
/// First byte on the wire in the most significant bits.
using Ipv4Address = std::uint32_t;

/// Values are those of roce_pkg::qp_state_e.
enum class QpState : std::uint8_t { kReset = 0, kInit = 1, kRtr = 2, kRts = 3, kSqd = 4, kErr = 5 };

struct QpConfig {
  base::Qpn qpn{};
  QpState state = QpState::kRts;
  base::Bytes pmtu{4096};    ///< 256, 512, 1024, 2048 or 4096
  unsigned timeout = 14;     ///< local ACK timeout 4.096 us * 2^n, n <= 31, 0: off
  unsigned retry_limit = 7;  ///< 0..7
  unsigned rnr_retry = 7;    ///< RNR NAKs without progress before the QP fails, 0..6; 7: endless
  unsigned min_rnr = 12;     ///< timer code of the RNR NAKs that it sends, 0..31 (12: 0.64 ms)
  bool datagram = false;     ///< service UD instead of RC
  unsigned congestion = 0;   ///< 0 none, 1 DCQCN, 2 TIMELY
  bool write_en = true, read_en = false, atomic_en = false;
  base::Qpn dest_qpn{};
  unsigned neighbour = 0;  ///< row of the neighbour table
  Ipv4Address peer_ip = 0;
  std::uint16_t sport = 0xC000;
  std::uint16_t pd = 0;
  base::Psn sq_psn{}, rq_psn{};
  std::uint32_t qkey = 0;  ///< UD: that of the datagrams it accepts
};

struct RegionConfig {
  unsigned index = 0;
  bool valid = true, write_en = true, read_en = false, atomic_en = false;
  std::uint8_t key = 0;
  std::uint16_t pd = 0;
  std::uint64_t first = 0, last = 0;  ///< VA of the first and of the last byte
  std::uint32_t rkey() const { return (index << 8) | key; }
};

/// Address classes in bits 63:60 of a VA (protocols A-01).
inline constexpr std::uint64_t kClassHbm = 0ull << 60, kClassRpc = 3ull << 60, kClassHost = 8ull << 60;

void set_address(RtlNode& node, MacAddress mac, Ipv4Address ip);
void set_neighbour(RtlNode& node, unsigned row, MacAddress mac, Ipv4Address ip, bool valid = true);
/// Creates the queue pair anew: all its dynamic state starts from sq_psn and rq_psn.
void create_qp(RtlNode& node, const QpConfig& qp);
/// Changes the row, keeps the dynamic state.
void modify_qp(RtlNode& node, const QpConfig& qp);
void set_region(RtlNode& node, const RegionConfig& region);
/// HBM byte address of the retransmission rings, 4 KiB aligned.
void set_ring_base(RtlNode& node, std::uint64_t address);
/// AckReq also on every n-th packet of a queue pair; 0: on last packets only.
void set_ackreq_every(RtlNode& node, unsigned packets);
void set_icrc_check(RtlNode& node, bool on);
/// Own id in the replicated data types.
void set_replica(RtlNode& node, std::uint8_t id);
/// Row of the peer table: where this replica's updates go.
void set_peer(RtlNode& node, unsigned row, base::Qpn qpn, std::uint32_t rkey, bool valid = true);
/// A row of the map through the registers, as a driver does it; RtlNode::store_kv and kv_row are the fast way.
void load_kv(RtlNode& node, std::uint64_t key, const KvRow& row);
KvRow read_kv(RtlNode& node, std::uint64_t key);

}  // namespace caravan::vl
