// SPDX-License-Identifier: Apache-2.0
// Says in which field two frames differ, leaving out the fields that a sender may choose freely.
#pragma once

#include <string>

#include "models/packet/bytes.hpp"

namespace caravan::support {

/// Fields that are not compared. IP id, IP checksum and ICRC never are: each must only be right by itself.
struct FrameMask {
  bool udp_src_port = true;
  bool mig_req = false;
  bool ack_req = false;
  bool tos_ttl = false;  ///< traffic class and hop limit too
};

/// Empty when both frames are well formed and equal where it counts. Else one line that names the first differing field
/// with both values, followed by both frames decoded.
std::string compare_frames(packet::ByteSpan expected, packet::ByteSpan actual, const FrameMask& mask = {});

}  // namespace caravan::support
