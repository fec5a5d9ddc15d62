// SPDX-License-Identifier: Apache-2.0
// What the parts of the RC reference model say to each other and to its user.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/base/units.hpp"
#include "models/packet/headers.hpp"

namespace caravan::ref {

enum class QpState : std::uint8_t { kReset, kInit, kRtr, kRts, kSqd, kError };

/// Everything that software sets in a queue pair.
struct QpConfig {
  base::Qpn qpn;       ///< own number
  base::Qpn dest_qpn;  ///< the peer's
  packet::MacAddr peer_mac{};
  packet::Ipv4Addr peer_ip = 0;
  std::uint16_t udp_src_port = 0xC000;
  std::uint32_t pmtu = 1024;  ///< bytes: 256, 512, 1024, 2048 or 4096
  QpState state = QpState::kRts;
  base::Psn first_psn_to_send;
  base::Psn first_psn_to_expect;
  std::uint32_t retry_limit = 7;        ///< resends without progress before the QP fails
  std::uint32_t timeout_exponent = 14;  ///< local ACK timeout is 4.096 us * 2^n; 0: no timer
  std::uint32_t ack_every = 8;  ///< AckReq at the latest on the n-th packet after the last AckReq; 0: only where a
                                ///< message ends or the window is full
  std::uint32_t window = 16;    ///< packets in flight
  bool remote_write = true;     ///< the peer may WRITE; else NAK remote access
  std::uint16_t pd = 0;         ///< protection domain
};

/// RDMA WRITE work request.
struct WriteRequest {
  std::uint32_t wr_id = 0;
  std::uint64_t local_va = 0;  ///< HBM or host memory; read when the packets are made
  std::uint64_t remote_va = 0;
  std::uint32_t rkey = 0;
  std::uint64_t length = 0;  ///< bytes, 0..2^31
  bool signaled = true;      ///< errors complete in any case
};

/// Numbers are those of roce_pkg::cpl_status_e.
enum class CompletionStatus : std::uint8_t {
  kOk = 0,
  kFlushed = 1,
  kBadRequest = 2,
  kRetryExceeded = 3,
  kRemoteAccess = 4,
  kRemoteOperation = 5,
  kRemoteInvalid = 6
};

struct Completion {
  base::Qpn qpn;
  std::uint32_t wr_id = 0;
  CompletionStatus status = CompletionStatus::kOk;
  bool operator==(const Completion&) const = default;
};

/// A WRITE_ONLY to the RPC class: handed to the dispatcher instead of a memory.
struct RpcCall {
  base::Qpn qpn;
  std::uint64_t va = 0;
  std::vector<std::uint8_t> data;  ///< 1..64 bytes
  bool operator==(const RpcCall&) const = default;
};
inline constexpr std::size_t kMaxRpcBytes = 64;

/// Why a frame had no effect and got no answer.
enum class DropReason : std::uint8_t {
  kNotRoce,   ///< not IPv4 with UDP to port 4791
  kNotForUs,  ///< destination MAC or IP address of someone else
  kNetwork,   ///< wrong length, checksum or fragment below the BTH
  kIcrc,
  kTver,
  kPkey,
  kLength,      ///< pad or payload against opcode, or more than 4096 bytes
  kOpcode,      ///< reserved, or of another service than RC
  kQpn,         ///< no such QP
  kState,       ///< the QP does not receive in its state
  kPeer,        ///< source address is not the QP's peer
  kOutOfOrder,  ///< a PSN ahead, after the NAK for this gap was sent
  kDuplicate,   ///< an old request that is not repeated (READ, atomic)
  kStaleAck,    ///< acknowledges what is acknowledged already, or repeats a NAK
  kGhostAck,    ///< acknowledges what was never sent
  kSyndrome,    ///< reserved or unknown NAK code
  kResponse,    ///< READ response or atomic ACK: nothing asked for one
  kCount
};
std::string_view name(DropReason reason);

/// State of one QP, for comparison with a device.
struct QpView {
  QpState state = QpState::kReset;
  // Responder
  base::Psn epsn;
  std::uint32_t msn = 0;
  bool nak_sent = false, in_message = false;
  // Requester
  base::Psn next_psn, una;  ///< next new PSN; oldest unacknowledged (next_psn when none is)
  std::uint32_t outstanding = 0, retries = 0, posted = 0;  ///< posted: work requests not yet completed
};

}  // namespace caravan::ref
