// SPDX-License-Identifier: Apache-2.0
// Responder half of one RC queue pair: PSN check, sequence check, length check, permission check, commit, acknowledge.
#pragma once

#include <optional>
#include <vector>

#include "models/packet/packet.hpp"
#include "models/ref/region_table.hpp"
#include "models/ref/roce_types.hpp"
#include "models/ref/sparse_memory.hpp"

namespace caravan::ref {

/// What a responder may touch.
struct ResponderTargets {
  const RegionTable& regions;
  SparseMemory& memory;
  std::vector<RpcCall>& rpcs;
};

/// What becomes of one request packet.
struct ResponderResult {
  struct Reply {
    base::Psn psn;
    std::uint8_t syndrome = packet::kSyndromeAck;
    std::uint32_t msn = 0;
  };
  std::optional<Reply> reply;
  std::optional<DropReason> drop;
  bool fatal = false;      ///< the QP goes to ERROR after the reply
  bool duplicate = false;  ///< an old packet, acknowledged again and otherwise ignored
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
  /// The WRITE that a FIRST packet opened.
  struct Message {
    std::uint64_t va = 0, left = 0;  ///< of the next packet
    std::uint32_t rkey = 0;
  };

  ResponderResult out_of_order(const packet::ParsedPacket& request, std::int32_t distance);
  ResponderResult in_order(const packet::ParsedPacket& request, const QpConfig& config,
                           const ResponderTargets& targets);
  ResponderResult fatal(std::uint8_t syndrome) const;
  ResponderResult::Reply acknowledge() const { return {epsn_ - 1, packet::kSyndromeAck, msn_}; }

  base::Psn epsn_;
  std::uint32_t msn_ = 0;
  bool nak_sent_ = false;
  std::optional<Message> message_;
};

}  // namespace caravan::ref
