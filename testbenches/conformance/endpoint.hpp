// SPDX-License-Identifier: Apache-2.0
// The endpoint that a row of the conformance table runs against: the reference model, or a whole RTL node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/units.hpp"
#include "models/packet/packet.hpp"
#include "models/ref/region_table.hpp"
#include "models/ref/roce_types.hpp"

namespace caravan::conformance {

/// Where a frame that has no effect is counted.
enum class Drop : std::uint8_t {
  kNetwork,    ///< not RoCE, not for this station, malformed below the BTH, damaged
  kIcrc,       ///< wrong ICRC
  kHeader,     ///< TVer, P_Key, pad count, or length against opcode
  kQp,         ///< no such QP, or its state does not receive
  kPeer,       ///< source address or QKey is not the QP's
  kOpcode,     ///< reserved, or of another service than the QP's
  kReplay,     ///< an old READ or atomic that is not remembered
  kResponse,   ///< a response that changes nothing
  kNoReceive,  ///< UD: no receive buffer, or one too small
  kCount
};

/// What a step needs the endpoint to have. An endpoint that lacks it names the reason, and the row is shown as skipped.
enum class Need : std::uint8_t {
  kSend,
  kRead,
  kAtomic,
  kDatagram,
  kReceive,
  kPostWrite,
  kPostAny,
  kCnp,
  kBroadcast,
  kCount
};

/// Every call may throw std::runtime_error when the endpoint does not come to rest: the row has failed then.
class Endpoint {
 public:
  using Frames = std::vector<packet::Buffer>;
  virtual ~Endpoint() = default;

  /// Empty when the endpoint has it; else the reason, for people.
  virtual std::string lacks(Need need) const = 0;

  virtual void create_qp(const ref::QpConfig& config) = 0;
  virtual void set_state(base::Qpn qpn, ref::QpState state) = 0;
  /// rkey = {region number, key[7:0]}.
  virtual void set_region(std::uint32_t rkey, const ref::Region& region) = 0;
  virtual void remove_region(std::uint32_t rkey) = 0;
  virtual void set_neighbour(std::uint8_t index, const packet::MacAddr& mac, packet::Ipv4Addr ip) = 0;
  virtual void write_memory(std::uint64_t va, packet::ByteSpan bytes) = 0;
  virtual packet::Buffer read_memory(std::uint64_t va, std::size_t bytes) = 0;

  virtual void post(base::Qpn qpn, const ref::WorkRequest& request) = 0;
  virtual void post_recv(base::Qpn qpn, const ref::ReceiveRequest& request) = 0;
  /// One frame arrives; afterwards the endpoint has done everything that it does without a timer.
  virtual void deliver(const packet::Buffer& frame) = 0;
  /// Frames sent since the last call, in order.
  virtual Frames take_frames() = 0;
  virtual std::vector<ref::Completion> take_completions() = 0;
  virtual std::vector<ref::ReceiveCompletion> take_received() = 0;
  /// Lets the timer of the QP run out that runs next: retry timer or RNR wait. Returns how long that took: exactly what
  /// the wire asks for in a model without time, a little more in hardware; nothing when no timer runs.
  virtual std::optional<base::Time> expire_timer(base::Qpn qpn) = 0;
  /// Frames dropped so far for that reason.
  virtual std::uint64_t dropped(Drop reason) const = 0;
  /// CNPs taken so far.
  virtual std::uint64_t cnps() const = 0;
};

/// The endpoint's address and that of its only peer.
inline constexpr packet::MacAddr kOwnMac{0x02, 0, 0, 0, 0, 0x01}, kPeerMac{0x02, 0, 0, 0, 0, 0x02};
inline constexpr packet::Ipv4Addr kOwnIp = 0x0A000001, kPeerIp = 0x0A000002;

}  // namespace caravan::conformance
