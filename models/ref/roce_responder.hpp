// SPDX-License-Identifier: Apache-2.0
// Responder half of one RC queue pair. Checks in this order: PSN, opcode sequence and lengths (NAK 0x61), access
// (0x62), resources (RNR NAK, 0x63); then commit and answer. roce_responder.cpp has SEND and WRITE,
// roce_responder_queries.cpp READ, atomics and duplicates.
#pragma once

#include <optional>
#include <vector>

#include "models/packet/packet.hpp"
#include "models/ref/receive_queue.hpp"
#include "models/ref/region_table.hpp"
#include "models/ref/replay_memory.hpp"
#include "models/ref/roce_types.hpp"
#include "models/ref/sparse_memory.hpp"

namespace caravan::ref {

/// What a responder may touch.
struct ResponderTargets {
  const RegionTable& regions;
  SparseMemory& memory;
  std::vector<RpcCall>& rpcs;
  ReceiveQueue& receives;
  std::vector<ReceiveCompletion>& received;
};

/// One packet to send back.
struct Response {
  packet::Opcode opcode = packet::Opcode::kAck;
  base::Psn psn;
  packet::Aeth aeth;           ///< of opcodes with AETH
  std::uint64_t original = 0;  ///< ATOMIC_ACK
  std::vector<std::uint8_t> payload;
};

/// What becomes of one request packet.
struct ResponderResult {
  std::vector<Response> responses;
  std::optional<DropReason> drop;
  bool fatal = false;      ///< the QP goes to ERROR after the response
  bool duplicate = false;  ///< an old packet, answered again; nothing is executed twice but a READ
};

class RoceResponder {
 public:
  RoceResponder() = default;
  explicit RoceResponder(base::Psn expected) : epsn_(expected) {}

  /// Takes one well-formed request packet of this QP.
  ResponderResult receive(const packet::ParsedPacket& request, const QpConfig& config, const ResponderTargets& targets);

  base::Psn epsn() const { return epsn_; }
  std::uint32_t msn() const { return msn_; }
  bool nak_sent() const { return nak_sent_; }
  bool in_message() const { return message_.has_value(); }

 private:
  /// The SEND or WRITE that a FIRST packet opened.
  struct Message {
    bool send = false;
    std::uint64_t va = 0;    ///< WRITE: where the next packet goes
    std::uint64_t left = 0;  ///< WRITE: bytes still to come
    std::uint64_t done = 0;  ///< bytes of the packets before
    std::uint32_t rkey = 0;
  };

  ResponderResult ahead();
  ResponderResult in_order(const packet::ParsedPacket& request, const QpConfig& config,
                           const ResponderTargets& targets);
  ResponderResult send(const packet::ParsedPacket& request, const QpConfig& config, const ResponderTargets& targets);
  ResponderResult write(const packet::ParsedPacket& request, const QpConfig& config, const ResponderTargets& targets);
  /// Moves on behind an accepted SEND or WRITE packet; `message` is what the next packet continues.
  ResponderResult accept(const packet::ParsedPacket& request, const Message& message, const QpConfig& config,
                         const ResponderTargets& targets);

  ResponderResult read(const packet::ParsedPacket& request, const QpConfig& config, const ResponderTargets& targets);
  ResponderResult atomic(const packet::ParsedPacket& request, const QpConfig& config, const ResponderTargets& targets);
  ResponderResult duplicate(const packet::ParsedPacket& request, const QpConfig& config,
                            const ResponderTargets& targets) const;
  /// The data packets that answer a READ; `resumed`: it continues an answer of which FIRST has been sent before. Where
  /// memory can't be read they end with a NAK, which is fatal.
  ResponderResult read_responses(base::Psn psn, const packet::Reth& reth, bool resumed, const QpConfig& config,
                                 const SparseMemory& memory) const;
  void count_message() { msn_ = (msn_ + 1) & base::Psn::kMask; }

  Response acknowledge(base::Psn psn, std::uint8_t syndrome = packet::kSyndromeAck) const {
    return {.opcode = packet::Opcode::kAck, .psn = psn, .aeth = {syndrome, msn_}, .original = 0, .payload = {}};
  }
  ResponderResult answer(base::Psn psn, std::uint8_t syndrome) const {
    return {.responses = {acknowledge(psn, syndrome)}, .drop = {}, .fatal = false, .duplicate = false};
  }
  ResponderResult fatal(std::uint8_t syndrome) const {
    return {.responses = {acknowledge(epsn_, syndrome)}, .drop = {}, .fatal = true, .duplicate = false};
  }

  base::Psn epsn_;
  std::uint32_t msn_ = 0;
  bool nak_sent_ = false;
  std::optional<Message> message_;
  ReplayMemory replay_;
};

}  // namespace caravan::ref
