// SPDX-License-Identifier: Apache-2.0
// Request packets that the endpoint is expected to send for the work requests of script.hpp: data 1 of kSource, to
// kPeerVa, PMTU 256.
#pragma once

#include <vector>

#include "testbenches/conformance/script.hpp"

namespace caravan::conformance {

inline constexpr std::uint32_t kPmtu = 256;

/// A packet towards the peer's region.
FrameSpec to_peer(const FrameSpec& spec, std::uint64_t offset = 0);
/// WRITE of `bytes` bytes that begins at PSN `psn`; AckReq on its last packet, and nowhere else: at most 7 packets.
std::vector<FrameSpec> message_of(std::int64_t psn, std::uint32_t bytes);
/// `count` packets of it, from packet `first` on. `last_ack`: the last of them carries AckReq.
std::vector<FrameSpec> part_of(std::int64_t psn, std::uint32_t first, std::uint32_t count, std::uint32_t bytes,
                               bool last_ack = true);
/// A full window's packets of a long WRITE at the default interval: AckReq on every eighth since the last AckReq, on
/// the last of `count` and on the last of the message.
std::vector<FrameSpec> window_of(std::int64_t psn, std::uint32_t first, std::uint32_t count, std::uint32_t bytes);
/// SEND of one message, as message_of.
std::vector<FrameSpec> send_message_of(std::int64_t psn, std::uint32_t bytes);
/// READ request for `bytes` at `offset`.
FrameSpec read_of_peer(std::int64_t psn, std::uint32_t bytes, std::uint64_t offset = 0);

std::vector<FrameSpec> sent(const std::vector<std::vector<FrameSpec>>& parts);

}  // namespace caravan::conformance
