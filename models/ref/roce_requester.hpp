// SPDX-License-Identifier: Apache-2.0
// Requester half of one RC queue pair: cuts WRITEs into packets, keeps them until acknowledged, goes back N.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "models/packet/packet.hpp"
#include "models/ref/roce_types.hpp"
#include "models/ref/sparse_memory.hpp"

namespace caravan::ref {

/// One request packet, ready to be framed. A retransmission is equal to the first transmission, but for AckReq on the
/// last packet that is repeated.
struct RequestPacket {
  packet::Opcode opcode = packet::Opcode::kWriteOnly;
  base::Psn psn;
  bool ack_req = false;
  std::optional<packet::Reth> reth;
  std::vector<std::uint8_t> payload;
};

class RoceRequester {
 public:
  RoceRequester() = default;
  explicit RoceRequester(base::Psn first) : next_psn_(first) {}

  /// Queues a request that was found well formed.
  void post(const WriteRequest& request);
  /// The packets to send now, at most `limit`: first those to repeat, then new ones as far as the window goes.
  std::vector<RequestPacket> transmit(const QpConfig& config, const SparseMemory& memory, std::size_t limit);
  /// An acknowledge packet. Completed requests are appended to `done`. Returns why it had no effect, if so.
  /// After it failed() says whether the QP must go to ERROR.
  std::optional<DropReason> acknowledge(base::Psn psn, const packet::Aeth& aeth, const QpConfig& config,
                                        std::vector<Completion>& done);
  /// The retry timer has run out: go back to the oldest unacknowledged packet, or fail. After an RNR NAK: its wait is
  /// over, and no retry is spent.
  void timeout(const QpConfig& config, std::vector<Completion>& done);
  /// Completes everything that is left as flushed.
  void flush(base::Qpn qpn, std::vector<Completion>& done);

  bool failed() const { return failed_; }
  base::Psn next_psn() const { return next_psn_; }
  base::Psn una() const { return next_psn_ - static_cast<std::uint32_t>(in_flight_.size()); }
  std::uint32_t outstanding() const { return static_cast<std::uint32_t>(in_flight_.size()); }
  std::uint32_t retries() const { return retries_; }
  std::uint32_t posted() const { return static_cast<std::uint32_t>(requests_.size()); }

 private:
  struct Posted {
    WriteRequest request;
    std::uint64_t cut = 0;      ///< bytes already made into packets
    bool complete_cut = false;  ///< its last packet was made
  };
  struct InFlight {
    RequestPacket packet;
    bool ends_request = false;
  };

  InFlight next_packet(Posted& posted, const QpConfig& config, const SparseMemory& memory);
  /// True when that was progress.
  bool release_before(base::Psn psn, base::Qpn qpn, std::vector<Completion>& done);
  bool naked(bool progress, const QpConfig& config, std::vector<Completion>& done);
  void spend_retry(const QpConfig& config, std::vector<Completion>& done);
  void fail(CompletionStatus status, base::Qpn qpn, std::vector<Completion>& done);
  void complete_front(CompletionStatus status, base::Qpn qpn, std::vector<Completion>& done);

  std::deque<Posted> requests_;     // oldest first; not completed
  std::deque<InFlight> in_flight_;  // PSNs una .. next_psn - 1
  std::size_t resend_at_ = 0;       // index into in_flight_ of the next packet to repeat; its size: none
  base::Psn next_psn_;
  std::uint32_t since_ack_req_ = 0;
  std::uint32_t retries_ = 0;
  bool naked_ = false;     // went back for a NAK and has seen neither progress nor a timeout since
  bool rnr_wait_ = false;  // nothing is sent until the timer ends the wait
  bool failed_ = false;
};

}  // namespace caravan::ref
