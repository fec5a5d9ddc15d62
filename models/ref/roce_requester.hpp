// SPDX-License-Identifier: Apache-2.0
// Requester half of one queue pair: cuts work requests into packets, keeps a row for each PSN until it is done, goes
// back N. roce_requester.cpp makes packets, roce_requester_responses.cpp judges what comes back.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "models/packet/packet.hpp"
#include "models/ref/roce_types.hpp"
#include "models/ref/sparse_memory.hpp"

namespace caravan::ref {

/// One request packet, ready to be framed. A retransmission is equal to the first transmission, but for AckReq on the
/// last packet that is repeated, and for a READ of which a part has come.
struct RequestPacket {
  packet::Opcode opcode = packet::Opcode::kWriteOnly;
  base::Psn psn;
  bool ack_req = false, solicited = false;
  packet::ExtHeaders ext;
  std::vector<std::uint8_t> payload;
  std::uint64_t datagram_to = 0;  ///< UD: as in WorkRequest::remote_va
};

/// One packet that came back.
struct ReceivedResponse {
  base::Psn psn;
  packet::Action action = packet::Action::kAck;  ///< kAck, kReadResponse, kAtomicAck
  std::uint8_t syndrome = packet::kSyndromeAck;  ///< an ACK where the packet has no AETH
  std::uint64_t original = 0;
  packet::ByteSpan payload;
};

class RoceRequester {
 public:
  RoceRequester() = default;
  explicit RoceRequester(base::Psn first) : next_psn_(first) {}

  /// Queues a request that was found well formed.
  void post(const WorkRequest& request) { requests_.push_back({.request = request}); }
  /// The packets to send now, at most `limit`: first those to repeat, then new ones as far as the window goes. Requests
  /// of which nothing was sent yet are begun only in RTS. Datagrams complete here, into `done`; one whose payload can't
  /// be read is not sent. Another request whose payload can't be read fails: see failed(); what was sent before it is
  /// flushed, because nobody knows whether it was executed.
  std::vector<RequestPacket> transmit(const QpConfig& config, const SparseMemory& memory, std::size_t limit,
                                      std::vector<Completion>& done);
  /// A response of an RC peer. Completed requests are appended to `done`; data and atomic results go to `memory`.
  /// Returns why it had no effect, if so. After it failed() says whether the QP must go to ERROR.
  std::optional<DropReason> receive(const ReceivedResponse& response, const QpConfig& config, SparseMemory& memory,
                                    std::vector<Completion>& done);
  /// The retry timer has run out: go back to the oldest unacknowledged packet, or fail. After an RNR NAK: its wait is
  /// over, and no retry is spent.
  void timeout(const QpConfig& config, std::vector<Completion>& done);
  /// Completes everything that is left as flushed.
  void flush(base::Qpn qpn, std::vector<Completion>& done);

  bool failed() const { return failed_; }
  base::Psn next_psn() const { return next_psn_; }
  base::Psn una() const { return next_psn_ - outstanding(); }
  std::uint32_t outstanding() const { return static_cast<std::uint32_t>(in_flight_.size()); }
  std::uint32_t retries() const { return retries_; }
  std::uint32_t rnr_retries() const { return rnr_retries_; }
  bool rnr_waits() const { return rnr_wait_; }
  std::uint8_t rnr_timer() const { return rnr_timer_; }
  std::uint32_t posted() const { return static_cast<std::uint32_t>(requests_.size()); }

 private:
  struct Posted {
    WorkRequest request;
    std::uint64_t cut = 0;      ///< bytes already made into packets
    bool begun = false;         ///< its first packet was made
    bool complete_cut = false;  ///< its last packet was made
  };
  /// One PSN.
  struct Row {
    RequestPacket packet;                             ///< what is sent when a repetition starts here
    std::uint32_t covers = 1;                         ///< rows that this packet stands for: READ from here to its end
    packet::Action awaits = packet::Action::kAck;     ///< what ends the row
    std::uint64_t local_va = 0, bytes = 0;            ///< READ: where its response goes, and how long that must be
    bool ends_request = false, begins_query = false;  ///< begins_query: a READ request or atomic starts here
  };

  bool fits(const Posted& posted, const QpConfig& config) const;
  RequestPacket cut_data(Posted& posted, const QpConfig& config, const SparseMemory& memory);
  RequestPacket cut_read(Posted& posted, const QpConfig& config);
  RequestPacket cut_atomic(Posted& posted);
  RequestPacket cut_datagram(Posted& posted, const QpConfig& config, const SparseMemory& memory);
  void push(Row row);

  /// The first row before `index` that must not be passed over without its own response.
  std::optional<std::size_t> first_unanswered(std::size_t index) const;
  std::optional<DropReason> acknowledged(std::size_t index, const ReceivedResponse& response, const QpConfig& config,
                                         SparseMemory& memory, std::vector<Completion>& done);
  std::optional<DropReason> refused(std::size_t index, std::uint8_t syndrome, const QpConfig& config,
                                    std::vector<Completion>& done);
  std::optional<DropReason> not_ready(bool progress, std::uint8_t timer, const QpConfig& config,
                                      std::vector<Completion>& done);
  /// Ends the first `count` rows; true when there were any: progress.
  bool release(std::size_t count, base::Qpn qpn, std::vector<Completion>& done);
  std::optional<DropReason> go_back(bool progress, const QpConfig& config, std::vector<Completion>& done);
  void spend_retry(const QpConfig& config, std::vector<Completion>& done);
  void fail(CompletionStatus status, base::Qpn qpn, std::vector<Completion>& done);
  /// The payload of the next packet of `posted` can't be read.
  bool unreadable(const Posted& posted, const QpConfig& config, const SparseMemory& memory) const;
  void complete_front(CompletionStatus status, base::Qpn qpn, std::vector<Completion>& done);

  std::deque<Posted> requests_;  // oldest first; not completed
  std::deque<Row> in_flight_;    // PSNs una .. next_psn - 1
  std::size_t resend_at_ = 0;    // index into in_flight_ of the next row to repeat; its size: none
  base::Psn next_psn_;
  std::uint32_t queries_ = 0;  // READ requests and atomics in flight
  std::uint32_t since_ack_req_ = 0;
  std::uint32_t retries_ = 0, rnr_retries_ = 0;
  std::uint64_t original_ = 0;  // result of the atomic that is being completed
  std::uint8_t rnr_timer_ = 0;
  bool naked_ = false;     // went back for a NAK and has seen neither progress nor a timeout since
  bool rnr_wait_ = false;  // nothing is sent until the timer ends the wait
  bool failed_ = false;
};

}  // namespace caravan::ref
