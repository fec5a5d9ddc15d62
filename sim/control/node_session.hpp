// SPDX-License-Identifier: Apache-2.0
// What the control channel does with one node: a region, queue pairs, verbs, memory. Every method throws
// base::UserError, without a place, when it can't do what is asked. All between runs of the node.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/control/arp_answer.hpp"
#include "sim/control/verb_port.hpp"
#include "verilator/wrap/node_setup.hpp"
#include "verilator/wrap/rtl_node.hpp"

namespace caravan::sim {

/// Where a node's sessions may allocate: what the cluster has not used for itself.
struct SessionLimits {
  unsigned region = 8;            ///< row of the region table
  unsigned first_qpn = 16;        ///< for queue pairs whose number is left open
  std::uint64_t host_to = ~0ull;  ///< regions in host memory end here at the latest: the work queues lie above
  std::uint64_t hbm_from = 0;     ///< regions in HBM begin here at the earliest: the retransmission rings lie below
};

struct RtrAttributes {
  base::Bytes pmtu;
  base::Qpn dest_qpn;
  base::Psn rq_psn;
  packet::Ipv4Addr ip = 0;
  unsigned min_rnr = 0;
};

struct RtsAttributes {
  base::Psn sq_psn;
  unsigned timeout = 0;
  unsigned retry = 0;
  unsigned rnr_retry = 0;
};

struct RegionAccess {
  bool write = true, read = true, atomic = true;
};

class NodeSession {
 public:
  /// `stations[i]` is row i of the node's neighbour table. The node outlives the session.
  NodeSession(vl::RtlNode& node, std::unique_ptr<VerbPort> verbs, Station self, std::vector<Station> stations,
              SessionLimits limits);

  const Station& station() const { return self_; }
  vl::RtlNode& node() { return node_; }

  /// Registers [va, va + size), in place of the region before; returns the rkey, which is a new one.
  std::uint32_t make_region(std::uint64_t va, std::uint64_t size, RegionAccess access);
  /// A queue pair in RESET, from now on the current one; 0: the next free number.
  std::uint32_t make_qp(std::uint32_t qpn);
  void use_qp(std::uint32_t qpn);
  std::uint32_t current_qp() const;
  void to_rtr(const RtrAttributes& attributes);
  /// Creates the queue pair anew with both first PSNs: nothing may have been received on it before.
  void to_rts(const RtsAttributes& attributes);
  void to_state(vl::QpState state);
  /// ERR also when a work request has failed.
  vl::QpState state() const;
  const vl::QpConfig& config() const;

  /// `offset` is in the region; qpn and laddr are set here. Returns the number of the work request.
  std::uint64_t post(VerbRequest verb, std::uint64_t offset);
  /// A buffer of the region for what the peer SENDs.
  std::uint64_t post_receive(std::uint64_t offset, std::uint32_t length);
  VerbPort& verbs() { return *verbs_; }

  void write_memory(std::uint64_t offset, std::span<const std::uint8_t> bytes);
  std::vector<std::uint8_t> read_memory(std::uint64_t offset, std::uint64_t count) const;

 private:
  vl::QpConfig& current();
  const vl::QpConfig& current() const;
  void create(const vl::QpConfig& wanted);
  /// Byte address in its memory of [offset, offset + count) of the region.
  std::uint64_t locate(std::uint64_t offset, std::uint64_t count) const;
  timing::SparseMemory& memory() const;
  unsigned neighbour_of(packet::Ipv4Addr ip) const;

  vl::RtlNode& node_;
  Station self_;
  std::vector<Station> stations_;
  SessionLimits limits_;
  std::unique_ptr<VerbPort> verbs_;
  vl::RegionConfig region_;
  bool has_region_ = false;
  std::map<std::uint32_t, vl::QpConfig> qps_;
  std::uint32_t current_ = 0;
};

}  // namespace caravan::sim
