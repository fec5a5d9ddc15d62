// SPDX-License-Identifier: Apache-2.0
// Makes frames that a peer might send, from nearly right to garbage, for one endpoint under test.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/base/rng.hpp"
#include "models/packet/packet.hpp"
#include "models/ref/roce_ref.hpp"

namespace caravan::support {

/// The endpoint: its address, its peer's, its queue pairs (several states, services and PMTUs), a region that allows
/// everything and one of class RPC. Work of the endpoint itself reads and writes kLocal.
struct FuzzTarget {
  static constexpr std::uint64_t kLocal = 0x40000, kLocalBytes = 0x40000;
  packet::MacAddr mac{0x02, 0, 0, 0, 0, 0x01}, peer_mac{0x02, 0, 0, 0, 0, 0x02};
  packet::Ipv4Addr ip = 0x0A000001, peer_ip = 0x0A000002;
  std::vector<ref::QpConfig> qps;
  std::uint32_t rkey = 0x0155;  ///< region 1, key 0x55
  ref::Region region{0x10000, 0x8000, {.write = true, .read = true, .atomic = true}, 0};
  std::uint32_t rpc_rkey = 0x0266;  ///< region 2: class RPC
  ref::Region rpc_region{0x3000000000000000ull, 0x1000, {.write = true, .read = false, .atomic = false}, 0};
};

/// RC QPs in each state that software can set, at several PMTUs, and UD QPs; QPNs 1, 2, 3 ...
FuzzTarget default_fuzz_target();

/// Sets the ICRC of an IPv4 frame anew after a change that it covers, so that the change itself decides.
void reseal(packet::Buffer& frame);

/// What was done to the frame last made; for messages.
struct FuzzNote {
  std::uint8_t opcode = 0;
  std::uint32_t qpn = 0;
  std::string change;  ///< "none", or the name of what is wrong
};

/// Cycles through all 256 opcodes and all QPs, so that N frames hold each pair N / (256 · QPs) times; PSN, lengths,
/// addresses and damage are random. The same seed gives the same frames as long as the reference answers the same.
class FrameFuzzer {
 public:
  FrameFuzzer(std::uint64_t seed, const FuzzTarget& target) : rng_(seed, 0xF022), target_(target) {}
  /// The next frame. `state` is asked for the PSNs that would be right.
  packet::Buffer next(const ref::RoceRef& state);
  const FuzzNote& note() const { return note_; }

 private:
  /// The message that the last FIRST began, and bytes of it that nobody sent yet.
  struct Open {
    bool send = false;
    std::uint32_t left = 0;
  };
  /// A READ or atomic that was sent, for repetitions.
  struct Query {
    packet::RoceFrame frame;
  };

  std::uint8_t pick_opcode(std::uint64_t index);
  packet::RoceFrame sound_frame(const ref::QpConfig& qp, const ref::QpView& view, std::uint8_t opcode);
  void spoil_reth(packet::RoceFrame& f);
  std::size_t payload_bytes(const ref::QpConfig& qp, std::uint8_t opcode);
  packet::Buffer next_of_message(const ref::QpConfig& qp, const ref::QpView& view);
  std::optional<packet::Buffer> repeated_query(const ref::QpConfig& qp);
  packet::Buffer finish(packet::Buffer frame);
  void damage(packet::Buffer& frame);

  base::Rng rng_;
  FuzzTarget target_;
  FuzzNote note_;
  std::uint64_t count_ = 0;
  std::map<std::uint32_t, Open> open_;                  // by QPN
  std::map<std::uint32_t, std::deque<Query>> queries_;  // by QPN, the newest last
};

}  // namespace caravan::support
