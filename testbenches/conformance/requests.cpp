// SPDX-License-Identifier: Apache-2.0
#include "testbenches/conformance/requests.hpp"

#include <algorithm>

namespace caravan::conformance {
namespace {

constexpr std::uint32_t kAckEvery = 8;

/// Packet `i` of a WRITE of `bytes` bytes.
FrameSpec packet_of(std::int64_t psn, std::uint32_t i, std::uint32_t bytes) {
  const std::uint32_t packets = ref::packets_of(bytes, kPmtu), from = i * kPmtu;
  const std::uint32_t here = std::min(kPmtu, bytes - from);
  if (packets == 1) return to_peer(write_only(psn, bytes)).ack_req();
  if (i == 0) return to_peer(write_first(psn, bytes));
  if (i + 1 == packets) return write_last(psn + i, from, here).ack_req();
  return write_middle(psn + i, from);
}

}  // namespace

FrameSpec to_peer(const FrameSpec& spec, std::uint64_t offset) { return spec.va(kPeerVa + offset).rkey(kPeerRkey); }

std::vector<FrameSpec> part_of(std::int64_t psn, std::uint32_t first, std::uint32_t count, std::uint32_t bytes,
                               bool last_ack) {
  std::vector<FrameSpec> out;
  for (std::uint32_t i = first; i < first + count; ++i) out.push_back(packet_of(psn, i, bytes));
  if (last_ack && !out.empty()) out.back() = out.back().ack_req();
  return out;
}

std::vector<FrameSpec> message_of(std::int64_t psn, std::uint32_t bytes) {
  return part_of(psn, 0, ref::packets_of(bytes, kPmtu), bytes);
}

std::vector<FrameSpec> window_of(std::int64_t psn, std::uint32_t first, std::uint32_t count, std::uint32_t bytes) {
  auto out = part_of(psn, first, count, bytes);
  for (std::uint32_t i = kAckEvery - 1; i < count; i += kAckEvery) out[i] = out[i].ack_req();
  return out;
}

std::vector<FrameSpec> send_message_of(std::int64_t psn, std::uint32_t bytes) {
  const std::uint32_t packets = ref::packets_of(bytes, kPmtu);
  if (packets == 1) return {send_only(psn, bytes).ack_req()};
  std::vector<FrameSpec> out = {send_first(psn)};
  for (std::uint32_t i = 1; i + 1 < packets; ++i) out.push_back(send_middle(psn + i, std::uint64_t{i} * kPmtu));
  const std::uint32_t from = (packets - 1) * kPmtu;
  out.push_back(send_last(psn + packets - 1, from, bytes - from).ack_req());
  return out;
}

FrameSpec read_of_peer(std::int64_t psn, std::uint32_t bytes, std::uint64_t offset) {
  return to_peer(read_request(psn, bytes), offset);
}

std::vector<FrameSpec> sent(const std::vector<std::vector<FrameSpec>>& parts) {
  std::vector<FrameSpec> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace caravan::conformance
