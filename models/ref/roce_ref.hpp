// SPDX-License-Identifier: Apache-2.0
// Untimed reference model of an RC and UD endpoint, written from the wire documents and not from any RTL. Frames in,
// frames out; time exists only as the call timeout(). roce_ref.cpp has software's side, roce_ref_frames.cpp the wire's.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "models/packet/packet.hpp"
#include "models/ref/receive_queue.hpp"
#include "models/ref/region_table.hpp"
#include "models/ref/roce_requester.hpp"
#include "models/ref/roce_responder.hpp"
#include "models/ref/roce_types.hpp"
#include "models/ref/sparse_memory.hpp"

namespace caravan::ref {

/// One network endpoint with its queue pairs, regions and memory.
class RoceRef {
 public:
  using Frames = std::vector<packet::Buffer>;
  /// A datagram's payload stands this far behind the start of its receive buffer: room for the GRH, not written.
  static constexpr std::uint32_t kGrhBytes = 40;

  RoceRef(const packet::MacAddr& mac, packet::Ipv4Addr ip) : mac_(mac), ip_(ip) {}

  /// Creates a QP, or creates it anew: all its state is set from `config`, work not completed is forgotten.
  void create_qp(const QpConfig& config);
  /// Changes the state only. Going to ERROR or RESET flushes. A QP that has failed stays in ERROR until it is created
  /// anew. A broken invariant for a QP that does not exist.
  void set_state(base::Qpn qpn, QpState state);
  /// Where datagrams to neighbour `index` go.
  void set_neighbour(std::uint8_t index, const packet::MacAddr& mac, packet::Ipv4Addr ip);
  RegionTable& regions() { return regions_; }
  SparseMemory& memory() { return memory_; }
  const SparseMemory& memory() const { return memory_; }

  /// Takes one frame from the wire; returns the responses that it causes, if any. Request packets that it sets free are
  /// fetched with transmit(). Anything that is not to be answered is counted in dropped().
  Frames receive(packet::ByteSpan frame);
  /// Queues a work request. One that can't be done completes at once: unknown QP, local class, length, or an operation
  /// that the service does not have (kBadRequest), QP neither in RTS nor in SQD (kFlushed). UD takes SENDs of at most
  /// one PMTU; READs are never inline.
  void post(base::Qpn qpn, const WorkRequest& request);
  void post_write(base::Qpn qpn, const WriteRequest& request);
  /// Queues a receive buffer. One that can't be used completes at once: unknown QP, or a buffer neither in HBM nor in
  /// host memory (kBadRequest), QP in RESET or ERROR (kFlushed).
  void post_recv(base::Qpn qpn, const ReceiveRequest& request);
  /// Request frames of one QP that may be sent now, at most `limit`. None but in RTS and, of what was begun, in SQD.
  Frames transmit(base::Qpn qpn, std::size_t limit = std::numeric_limits<std::size_t>::max());
  /// The same for all QPs, in order of number.
  Frames transmit();
  /// The QP's retry timer has run out, or its RNR wait (QpView::rnr_wait).
  void timeout(base::Qpn qpn);
  /// The congestion notification to the peer of a QP. When to send one is the user's affair: see marked().
  packet::Buffer make_cnp(base::Qpn qpn) const;

  /// Completions so far, in order; the user may clear them.
  std::vector<Completion>& completions() { return completions_; }
  std::vector<ReceiveCompletion>& receive_completions() { return received_; }
  std::vector<RpcCall>& rpcs() { return rpcs_; }
  /// QPs for which CNPs came, one entry each; the user may clear it.
  std::vector<base::Qpn>& cnp_qpns() { return cnp_qpns_; }
  /// QPs to which a packet with payload came that a switch had marked (ECN 3), one entry each; the user may clear it.
  std::vector<base::Qpn>& marked() { return marked_; }
  std::uint64_t cnps() const { return cnps_; }
  std::uint64_t dropped(DropReason reason) const { return drops_[static_cast<std::size_t>(reason)]; }
  std::uint64_t dropped() const;
  std::uint64_t duplicates() const { return duplicates_; }
  /// Datagrams that were not sent: their neighbour is not set. They complete all the same.
  std::uint64_t unsent() const { return unsent_; }
  QpView view(base::Qpn qpn) const;
  const QpConfig& config(base::Qpn qpn) const { return qp(qpn).config; }

 private:
  struct Qp {
    QpConfig config;
    RoceResponder responder;
    RoceRequester requester;
    ReceiveQueue receives;
    bool failed = false;  ///< by itself, not by software
  };
  struct Neighbour {
    packet::MacAddr mac{};
    packet::Ipv4Addr ip = 0;
  };

  const Qp& qp(base::Qpn qpn) const;
  Qp& qp(base::Qpn qpn);
  std::optional<DropReason> refuse(const packet::ParsedPacket& p) const;
  std::optional<CompletionStatus> refuse(base::Qpn qpn, const WorkRequest& request) const;
  Frames respond(Qp& q, const packet::ParsedPacket& p);
  void receive_datagram(Qp& q, const packet::ParsedPacket& p);
  void requester_receive(Qp& q, const packet::ParsedPacket& p);
  std::optional<packet::Buffer> frame_of(const QpConfig& config, const RequestPacket& request);
  void fail(Qp& q);
  void flush(Qp& q);
  packet::RoceFrame headers(const QpConfig& config, packet::Opcode opcode, base::Psn psn) const;
  void drop(DropReason reason) { ++drops_[static_cast<std::size_t>(reason)]; }

  packet::MacAddr mac_;
  packet::Ipv4Addr ip_;
  std::map<base::Qpn, Qp> qps_;
  std::map<std::uint8_t, Neighbour> neighbours_;
  RegionTable regions_;
  SparseMemory memory_;
  std::vector<Completion> completions_;
  std::vector<ReceiveCompletion> received_;
  std::vector<RpcCall> rpcs_;
  std::vector<base::Qpn> cnp_qpns_, marked_;
  std::array<std::uint64_t, static_cast<std::size_t>(DropReason::kCount)> drops_{};
  std::uint64_t duplicates_ = 0, cnps_ = 0, unsent_ = 0;
};

}  // namespace caravan::ref
