// SPDX-License-Identifier: Apache-2.0
#include "verilator/wrap/node_setup.hpp"

#include <fmt/format.h>

#include <bit>

#include "models/base/errors.hpp"

namespace caravan::vl {
namespace {

// Register offsets of net_pkg, roce_pkg and rdt_pkg, with the block in bits 15:12.
constexpr std::uint16_t kNetMacLo = 0x1000, kNetMacHi = 0x1004, kNetIp = 0x1008;
constexpr std::uint16_t kNeighMacLo = 0x1010, kNeighMacHi = 0x1014, kNeighIp = 0x1018, kNeighCmd = 0x101C;
constexpr std::uint16_t kRoceData0 = 0x2000, kRoceCmd = 0x2040, kRoceStatus = 0x2044, kRingLo = 0x2048,
                        kRingHi = 0x204C;
constexpr std::uint16_t kAckreq = 0x2050, kCtrl = 0x2054;
constexpr std::uint16_t kReplica = 0x3000, kPeerQpn = 0x3010, kPeerRkey = 0x3014, kPeerCmd = 0x3018;
constexpr std::uint16_t kKvKey = 0x3020, kKvValueLo = 0x3024, kKvValueHi = 0x3028, kKvTsLo = 0x302C, kKvMeta = 0x3030;
constexpr std::uint16_t kKvCmd = 0x3034;
constexpr std::uint32_t kQpModify = 1, kQpInit = 2, kRegion = 3;
constexpr std::uint32_t kValid = 1u << 31;
constexpr int kPatience = 10000;  // reads of a busy flag before we call the block dead

std::uint32_t low(std::uint64_t v) { return static_cast<std::uint32_t>(v); }
std::uint32_t high(std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); }

void wait_idle(RtlNode& node, std::uint16_t address, const char* what) {
  for (int i = 0; i < kPatience; ++i) {
    if ((node.read_csr(address) & 1) == 0) return;
  }
  BUG_IF(true, fmt::format("cycle {}, {}: {} stays busy", node.now().count(), node.config().instance, what));
}

void roce_command(RtlNode& node, std::uint32_t kind, std::uint32_t index, const char* what) {
  node.write_csr(kRoceCmd, (kind << 30) | index);
  wait_idle(node, kRoceStatus, "the command register of roce");
  if ((node.read_csr(kRoceStatus) & 2) != 0) {
    throw base::UserError(fmt::format("{}: {} {} does not exist in this node", node.config().instance, what, index));
  }
}

void write_qp(RtlNode& node, const QpConfig& qp, std::uint32_t kind) {
  const std::uint64_t pmtu = qp.pmtu.count();
  if (!std::has_single_bit(pmtu) || pmtu < 256 || pmtu > 4096) {
    throw base::UserError(fmt::format("{}: QP {}: path MTU {} is not one of 256, 512, 1024, 2048, 4096",
                                      node.config().instance, qp.qpn.value(), pmtu));
  }
  if (qp.timeout > 31)
    throw base::UserError(
        fmt::format("{}: QP {}: timeout {} is not in 0..31", node.config().instance, qp.qpn.value(), qp.timeout));
  if (qp.retry_limit > 7)
    throw base::UserError(fmt::format("{}: QP {}: retry limit {} is not in 0..7", node.config().instance,
                                      qp.qpn.value(), qp.retry_limit));
  if (qp.rnr_retry > 7)
    throw base::UserError(
        fmt::format("{}: QP {}: RNR retry {} is not in 0..7", node.config().instance, qp.qpn.value(), qp.rnr_retry));
  if (qp.min_rnr > 31)
    throw base::UserError(fmt::format("{}: QP {}: RNR timer code {} is not in 0..31", node.config().instance,
                                      qp.qpn.value(), qp.min_rnr));
  if (qp.congestion > 2)
    throw base::UserError(fmt::format("{}: QP {}: congestion control {} is not in 0..2", node.config().instance,
                                      qp.qpn.value(), qp.congestion));
  if (qp.neighbour > 255)
    throw base::UserError(fmt::format("{}: QP {}: neighbour row {} is not in 0..255", node.config().instance,
                                      qp.qpn.value(), qp.neighbour));
  const auto code = static_cast<std::uint32_t>(std::countr_zero(pmtu) - 8);
  const std::uint32_t words[] = {
      qp.congestion << 26 | static_cast<std::uint32_t>(qp.datagram) << 25 | qp.min_rnr << 20 | qp.rnr_retry << 17 |
          static_cast<std::uint32_t>(qp.atomic_en) << 16 | static_cast<std::uint32_t>(qp.read_en) << 15 |
          static_cast<std::uint32_t>(qp.write_en) << 14 | qp.retry_limit << 11 | qp.timeout << 6 | code << 3 |
          static_cast<std::uint32_t>(qp.state),
      qp.neighbour << 24 | qp.dest_qpn.value(),
      static_cast<std::uint32_t>(qp.pd) << 16 | qp.sport,
      qp.peer_ip,
      qp.sq_psn.value(),
      qp.rq_psn.value(),
      qp.qkey};
  std::uint16_t address = kRoceData0;
  for (const std::uint32_t word : words) {
    node.write_csr(address, word);
    address = static_cast<std::uint16_t>(address + 4);
  }
  roce_command(node, kind, qp.qpn.value(), "queue pair");
}

}  // namespace

void set_address(RtlNode& node, MacAddress mac, Ipv4Address ip) {
  node.write_csr(kNetMacLo, low(mac));
  node.write_csr(kNetMacHi, high(mac) & 0xFFFF);
  node.write_csr(kNetIp, ip);
}

void set_neighbour(RtlNode& node, unsigned row, MacAddress mac, Ipv4Address ip, bool valid) {
  if (row > 255)
    throw base::UserError(fmt::format("{}: neighbour row {} is not in 0..255", node.config().instance, row));
  node.write_csr(kNeighMacLo, low(mac));
  node.write_csr(kNeighMacHi, high(mac) & 0xFFFF);
  node.write_csr(kNeighIp, ip);
  node.write_csr(kNeighCmd, (valid ? kValid : 0) | row);
}

void create_qp(RtlNode& node, const QpConfig& qp) { write_qp(node, qp, kQpInit); }
void modify_qp(RtlNode& node, const QpConfig& qp) { write_qp(node, qp, kQpModify); }

void set_region(RtlNode& node, const RegionConfig& region) {
  if (region.index > 0xFFFFFF) {
    throw base::UserError(
        fmt::format("{}: region {} does not exist in this node", node.config().instance, region.index));
  }
  if (region.valid && region.last < region.first) {
    throw base::UserError(fmt::format("{}: region {}: last byte {:#x} is before the first, {:#x}",
                                      node.config().instance, region.index, region.last, region.first));
  }
  const std::uint32_t words[] = {
      static_cast<std::uint32_t>(region.pd) << 16 | static_cast<std::uint32_t>(region.key) << 8 |
          static_cast<std::uint32_t>(region.atomic_en) << 3 | static_cast<std::uint32_t>(region.read_en) << 2 |
          static_cast<std::uint32_t>(region.write_en) << 1 | static_cast<std::uint32_t>(region.valid),
      low(region.first), high(region.first), low(region.last), high(region.last)};
  std::uint16_t address = kRoceData0;
  for (const std::uint32_t word : words) {
    node.write_csr(address, word);
    address = static_cast<std::uint16_t>(address + 4);
  }
  roce_command(node, kRegion, region.index, "region");
}

void set_ring_base(RtlNode& node, std::uint64_t address) {
  if (address % 4096 != 0) {
    throw base::UserError(fmt::format("{}: the retransmission rings' address {:#x} is not a multiple of 4096",
                                      node.config().instance, address));
  }
  node.write_csr(kRingLo, low(address));
  node.write_csr(kRingHi, high(address));
}

void set_ackreq_every(RtlNode& node, unsigned packets) {
  if (packets > 255)
    throw base::UserError(fmt::format("{}: AckReq every {} packets is not in 0..255", node.config().instance, packets));
  node.write_csr(kAckreq, packets);
}

void set_icrc_check(RtlNode& node, bool on) { node.write_csr(kCtrl, on ? 1 : 0); }
void set_replica(RtlNode& node, std::uint8_t id) { node.write_csr(kReplica, id); }

void set_peer(RtlNode& node, unsigned row, base::Qpn qpn, std::uint32_t rkey, bool valid) {
  if (row > 30) throw base::UserError(fmt::format("{}: peer row {} is not in 0..30", node.config().instance, row));
  node.write_csr(kPeerQpn, qpn.value());
  node.write_csr(kPeerRkey, rkey);
  node.write_csr(kPeerCmd, (valid ? kValid : 0) | row);
}

void load_kv(RtlNode& node, std::uint64_t key, const KvRow& row) {
  if (key >= node.kv_entries()) {
    throw base::UserError(
        fmt::format("{}: key {} is outside the map of {} entries", node.config().instance, key, node.kv_entries()));
  }
  node.write_csr(kKvKey, low(key));
  node.write_csr(kKvValueLo, low(row.value));
  node.write_csr(kKvValueHi, high(row.value));
  node.write_csr(kKvTsLo, low(row.timestamp));
  node.write_csr(kKvMeta, (row.valid ? kValid : 0) | static_cast<std::uint32_t>(row.replica) << 16 |
                              (high(row.timestamp) & 0xFFFF));
  node.write_csr(kKvCmd, 1);
  wait_idle(node, kKvCmd, "the map's command register");
}

KvRow read_kv(RtlNode& node, std::uint64_t key) {
  if (key >= node.kv_entries()) {
    throw base::UserError(
        fmt::format("{}: key {} is outside the map of {} entries", node.config().instance, key, node.kv_entries()));
  }
  node.write_csr(kKvKey, low(key));
  node.write_csr(kKvCmd, 2);
  wait_idle(node, kKvCmd, "the map's command register");
  const std::uint32_t meta = node.read_csr(kKvMeta);
  KvRow row;
  row.valid = (meta & kValid) != 0;
  row.replica = static_cast<std::uint8_t>(meta >> 16);
  row.timestamp = static_cast<std::uint64_t>(meta & 0xFFFF) << 32 | node.read_csr(kKvTsLo);
  row.value = static_cast<std::uint64_t>(node.read_csr(kKvValueHi)) << 32 | node.read_csr(kKvValueLo);
  return row;
}

}  // namespace caravan::vl
