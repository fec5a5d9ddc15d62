// SPDX-License-Identifier: Apache-2.0
// One RTL endpoint (endpoint_top) with its two memories: frames and verbs in, frames and completions out, cycle by
// cycle. Tests that need the whole node use verilator/wrap; this one posts verbs without a host and is as fast as can
// be.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "models/base/rng.hpp"
#include "models/base/units.hpp"
#include "models/packet/packet.hpp"
#include "models/ref/region_table.hpp"
#include "models/ref/roce_types.hpp"

namespace caravan::support {

/// Event counters of the endpoint, in the order of the packed structs' members from bit 0 up: net_stats_t,
/// roce_rx_stats_t, roce_tx_stats_t.
enum class Event : std::uint8_t {
  kTxFrames,
  kRxDropOther,
  kRxIcmp,
  kRxArp,
  kRxDropUdp,
  kRxDropIp,
  kRxDropMac,
  kRxBadFcs,
  kRxFrames,
  kRxMemErr,
  kRpc,
  kMsgs,
  kWritePkts,
  kNakAccess,
  kNakInvalid,
  kNakSeq,
  kDup,
  kDropOp,
  kDropPeer,
  kDropQp,
  kDropHdr,
  kDropIcrc,
  kDropFifo,
  kRxPkts,
  kSends,
  kNakOp,
  kRnr,
  kReads,
  kAtomics,
  kUd,
  kCnp,
  kDropRq,
  kTxMemErr,
  kBadVerb,
  kDropNeigh,
  kQpErr,
  kTimeout,
  kRxStale,
  kRxNak,
  kRxAck,
  kAckMerged,
  kAcks,
  kRetrans,
  kTxPkts,
  kRsp,
  kCnps,
  kRdLost,
  kCount
};

class RtlEnd {
 public:
  static constexpr std::uint64_t kCyclesPerUs = 250;
  static constexpr std::uint64_t kRings = 0x1'4000'0000;  ///< HBM address of the retransmission rings

  RtlEnd(const packet::MacAddr& mac, packet::Ipv4Addr ip);
  ~RtlEnd();
  RtlEnd(const RtlEnd&) = delete;
  RtlEnd& operator=(const RtlEnd&) = delete;

  // ---- Tables: each call runs the cycles that the write needs.
  void set_neighbour(std::uint8_t index, const packet::MacAddr& mac, packet::Ipv4Addr ip, bool valid = true);
  void create_qp(const ref::QpConfig& config) { set_qp(config, true); }
  /// Changes the row, keeps the dynamic state.
  void modify_qp(const ref::QpConfig& config) { set_qp(config, false); }
  void set_region(std::uint32_t rkey, const ref::Region& region, bool valid = true);
  void set_icrc_check(bool on);
  /// AckReq also on every n-th packet of a QP; 8 after reset.
  void set_ackreq_every(std::uint8_t packets);

  // ---- Work: queued here, handed over as the endpoint takes it.
  void post(base::Qpn qpn, const ref::WorkRequest& request);
  void post_recv(base::Qpn qpn, const ref::ReceiveRequest& request);
  /// One frame for the MAC, padded to the Ethernet minimum.
  void push(const packet::Buffer& frame);
  /// The receive FIFO has room for this frame whatever happens: nothing of it is lost there. As a link does that obeys
  /// pause frames.
  bool has_room(std::size_t bytes) const;

  // ---- Time
  /// One cycle, unless idle(): then nothing happens but that time passes.
  void step();
  /// Nothing is presented and nothing moves before wake_at().
  bool idle() const;
  std::uint64_t now() const { return now_; }
  /// Cycle of the earliest deadline, may be early; ~0: none.
  std::uint64_t wake_at() const;
  /// Time passes without evaluation; only while idle, and not beyond wake_at().
  void jump(std::uint64_t cycle);
  /// Steps until idle, at most `limit` cycles; false: still busy.
  bool settle(std::uint64_t limit = 200'000);

  // ---- Results, taken by the user
  std::vector<packet::Buffer>& sent() { return sent_; }
  std::vector<ref::Completion>& completions() { return completions_; }
  std::vector<ref::ReceiveCompletion>& received() { return received_; }
  std::uint64_t count(Event event) const { return events_[static_cast<std::size_t>(event)]; }
  /// Memory by address with class bits; other classes than HBM and host read as zeros.
  packet::Buffer read_memory(std::uint64_t va, std::size_t bytes) const;
  void write_memory(std::uint64_t va, packet::ByteSpan bytes);
  /// Share of the cycles in which the MAC is not ready to send.
  void set_tx_stalls(double share) { tx_stalls_ = share; }
  std::size_t verbs_waiting() const { return verbs_.size(); }
  std::size_t receives_waiting() const { return receives_.size(); }

 private:
  struct Model;
  void set_qp(const ref::QpConfig& config, bool init);
  void cycle();
  void write_row();
  void count_events();

  std::unique_ptr<Model> model_;
  double tx_stalls_ = 0;
  base::Rng rng_{1, 0xE4D};
  std::deque<packet::Buffer> inbound_;
  std::size_t inbound_at_ = 0;     // byte of the front frame
  std::size_t inbound_bytes_ = 0;  // of all that wait
  unsigned rx_level_ = 0;          // beats in the receive FIFO
  std::deque<std::pair<std::uint32_t, ref::WorkRequest>> verbs_;
  std::deque<std::pair<std::uint32_t, ref::ReceiveRequest>> receives_;
  packet::Buffer outbound_;
  std::vector<packet::Buffer> sent_;
  std::vector<ref::Completion> completions_;
  std::vector<ref::ReceiveCompletion> received_;
  std::array<std::uint64_t, static_cast<std::size_t>(Event::kCount)> events_{};
  std::uint64_t now_ = 0;
  bool quiet_ = false;
  bool row_taken_ = false;
};

}  // namespace caravan::support
