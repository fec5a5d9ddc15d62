// SPDX-License-Identifier: Apache-2.0
// Untimed reference model of an RC endpoint, written from the wire documents and not from any RTL. Frames in, frames
// out; time exists only as the call timeout(). This version executes RDMA WRITE; other requests are refused with NAK
// 0x61.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "models/packet/packet.hpp"
#include "models/ref/region_table.hpp"
#include "models/ref/roce_requester.hpp"
#include "models/ref/roce_responder.hpp"
#include "models/ref/roce_types.hpp"
#include "models/ref/sparse_memory.hpp"

namespace caravan::ref {

/// Local ACK timeout of an exponent: 4.096 us * 2^n; never() for 0.
base::Time ack_timeout(std::uint32_t exponent);

/// One network endpoint with its queue pairs, regions and memory.
class RoceRef {
 public:
  using Frames = std::vector<packet::Buffer>;
  RoceRef(const packet::MacAddr& mac, packet::Ipv4Addr ip) : mac_(mac), ip_(ip) {}

  /// Creates a QP, or creates it anew: all its state is set from `config`, work not completed is forgotten.
  void create_qp(const QpConfig& config);
  /// Changes the state only. Going to ERROR flushes. A broken invariant for a QP that does not exist.
  void set_state(base::Qpn qpn, QpState state);
  RegionTable& regions() { return regions_; }
  SparseMemory& memory() { return memory_; }
  const SparseMemory& memory() const { return memory_; }

  /// Takes one frame from the wire; returns the acknowledge it causes, if any. Request packets that it sets free are
  /// fetched with transmit(). Anything that is not to be answered is counted in dropped().
  Frames receive(packet::ByteSpan frame);
  /// Queues a WRITE. One that can't be done completes at once: unknown QP, local class or length (kBadRequest), QP not
  /// in RTS (kFlushed).
  void post_write(base::Qpn qpn, const WriteRequest& request);
  /// Request frames of one QP that may be sent now, at most `limit`.
  Frames transmit(base::Qpn qpn, std::size_t limit = std::numeric_limits<std::size_t>::max());
  /// The same for all QPs, in order of number.
  Frames transmit();
  /// The QP's retry timer has run out.
  void timeout(base::Qpn qpn);

  /// Completions so far, in order; the user may clear them.
  std::vector<Completion>& completions() { return completions_; }
  std::vector<RpcCall>& rpcs() { return rpcs_; }
  std::uint64_t dropped(DropReason reason) const { return drops_[static_cast<std::size_t>(reason)]; }
  std::uint64_t dropped() const;
  std::uint64_t duplicates() const { return duplicates_; }
  std::uint64_t cnps() const { return cnps_; }
  QpView view(base::Qpn qpn) const;
  const QpConfig& config(base::Qpn qpn) const { return qp(qpn).config; }

 private:
  struct Qp {
    QpConfig config;
    RoceResponder responder;
    RoceRequester requester;
  };

  const Qp& qp(base::Qpn qpn) const;
  std::optional<DropReason> refuse(const packet::ParsedPacket& p) const;
  Frames respond(Qp& q, const packet::ParsedPacket& p);
  void requester_receive(Qp& q, const packet::ParsedPacket& p);
  void enter_error(Qp& q);
  packet::RoceFrame headers(const QpConfig& config, packet::Opcode opcode, base::Psn psn) const;
  void drop(DropReason reason) { ++drops_[static_cast<std::size_t>(reason)]; }

  packet::MacAddr mac_;
  packet::Ipv4Addr ip_;
  std::map<base::Qpn, Qp> qps_;
  RegionTable regions_;
  SparseMemory memory_;
  std::vector<Completion> completions_;
  std::vector<RpcCall> rpcs_;
  std::array<std::uint64_t, static_cast<std::size_t>(DropReason::kCount)> drops_{};
  std::uint64_t duplicates_ = 0, cnps_ = 0;
};

}  // namespace caravan::ref
