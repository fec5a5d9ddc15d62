// SPDX-License-Identifier: Apache-2.0
// What the parts of the RC reference model say to each other and to its user.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/base/units.hpp"
#include "models/packet/headers.hpp"

namespace caravan::ref {

enum class QpState : std::uint8_t { kReset, kInit, kRtr, kRts, kSqd, kError };
enum class QpService : std::uint8_t { kRc, kUd };

/// What a work request does. Numbers are those of roce_pkg::verb_op_e.
enum class Operation : std::uint8_t { kWrite = 0, kSend = 1, kRead = 2, kCompareSwap = 3, kFetchAdd = 4 };
constexpr bool is_atomic(Operation op) { return op == Operation::kCompareSwap || op == Operation::kFetchAdd; }

inline constexpr std::uint64_t kMaxMessage = 1ull << 31;  ///< bytes
inline constexpr std::size_t kMaxInline = 64;             ///< bytes
inline constexpr std::uint32_t kEndlessRnrRetry = 7;

/// Everything that software sets in a queue pair.
struct QpConfig {
  base::Qpn qpn{};       ///< own number
  base::Qpn dest_qpn{};  ///< the peer's
  packet::MacAddr peer_mac{};
  packet::Ipv4Addr peer_ip = 0;
  std::uint16_t udp_src_port = 0xC000;
  std::uint32_t pmtu = 1024;  ///< bytes: 256, 512, 1024, 2048 or 4096
  QpState state = QpState::kRts;
  base::Psn first_psn_to_send{};
  base::Psn first_psn_to_expect{};
  std::uint32_t retry_limit = 7;        ///< resends without progress before the QP fails
  std::uint32_t timeout_exponent = 14;  ///< local ACK timeout is 4.096 us * 2^n; 0: no timer
  std::uint32_t ack_every = 8;  ///< AckReq at the latest on the n-th packet after the last AckReq; 0: only where a
                                ///< message ends or the window is full
  std::uint32_t window = 16;    ///< packets in flight
  bool remote_write = true;     ///< the peer may WRITE; else NAK remote access
  std::uint16_t pd = 0;         ///< protection domain
  bool remote_read = true;      ///< the peer may READ
  bool remote_atomic = true;    ///< the peer may do atomics
  QpService service = QpService::kRc;
  std::uint32_t rnr_retry = kEndlessRnrRetry;  ///< RNR NAKs without progress before the QP fails; 7: endless
  std::uint32_t min_rnr_timer = 12;            ///< timer code of the RNR NAKs that this QP sends, 0..31
  std::uint32_t qkey = 0;                      ///< UD: what a datagram must carry
  /// READs and atomics that may be outstanding, and that the responder remembers for duplicates.
  std::uint32_t rd_atomic = 16;
};

/// Any work request of a send queue.
struct WorkRequest {
  Operation op = Operation::kWrite;
  std::uint32_t wr_id = 0;
  /// HBM or host memory. WRITE, SEND: source, read when the packets are made; READ: where the data goes; atomics: where
  /// the value before the operation goes, little-endian.
  std::uint64_t local_va = 0;
  std::uint64_t remote_va = 0;  ///< UD: {neighbour[39:32], destination QPN[23:0]}
  std::uint32_t rkey = 0;       ///< UD: QKey
  std::uint64_t length = 0;     ///< bytes, 0..2^31; atomics: 8
  bool signaled = true;         ///< errors complete in any case
  bool solicited = false;       ///< SEND, WRITE with immediate: marks the last packet
  bool has_imm = false;         ///< SEND, WRITE
  std::uint32_t imm = 0;
  bool inl = false;  ///< SEND, WRITE: the payload is inline_data; atomics: the result goes into the completion only
  std::array<std::uint8_t, kMaxInline> inline_data{};
  std::uint64_t swap_add = 0, compare = 0;  ///< operands of atomics
};

/// A posted receive buffer.
struct ReceiveRequest {
  std::uint32_t wr_id = 0;
  std::uint64_t local_va = 0;  ///< HBM or host memory
  std::uint32_t length = 0;    ///< bytes
};

/// RDMA WRITE work request: short for a WorkRequest.
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
  kRemoteInvalid = 6,
  kRnrExceeded = 7,
  kLocalLength = 8,  ///< a message longer than the receive buffer
  kLocalMemory = 9   ///< local memory answered with an error
};

struct Completion {
  base::Qpn qpn;
  std::uint32_t wr_id = 0;
  CompletionStatus status = CompletionStatus::kOk;
  std::uint64_t original = 0;  ///< atomics that succeeded: the value before the operation
  bool operator==(const Completion&) const = default;
};

/// Completion of a posted receive; fields after `status` are zero unless it is kOk.
struct ReceiveCompletion {
  base::Qpn qpn;
  std::uint32_t wr_id = 0;
  CompletionStatus status = CompletionStatus::kOk;
  bool is_write = false;   ///< WRITE with immediate: the buffer was not used
  bool solicited = false;  ///< solicited bit of the last packet
  bool has_imm = false;
  std::uint32_t imm = 0;
  std::uint32_t length = 0;  ///< bytes of the message; UD: without the 40 before it
  base::Qpn src_qpn{};       ///< UD: the sender's
  packet::Ipv4Addr src_ip = 0;
  bool operator==(const ReceiveCompletion&) const = default;
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
  kOpcode,      ///< reserved, or of another service than the QP's
  kQpn,         ///< no such QP
  kState,       ///< the QP does not receive in its state
  kPeer,        ///< source address is not the QP's peer
  kOutOfOrder,  ///< a PSN ahead, after the NAK for this gap was sent
  kDuplicate,   ///< an old READ or atomic that is not remembered, or may no longer be executed
  kStaleAck,    ///< acknowledges what is acknowledged already, or repeats a NAK
  kGhostAck,    ///< acknowledges what was never sent
  kSyndrome,    ///< reserved or unknown NAK code
  kResponse,    ///< READ response or atomic ACK that is not the next one asked for
  kQkey,        ///< UD: another QKey than the QP's
  kNoReceive,   ///< UD: no receive buffer, or one too small
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
  std::uint32_t receives = 0;  ///< posted buffers not yet completed
  // Requester
  base::Psn next_psn, una;  ///< next new PSN; oldest unacknowledged (next_psn when none is)
  std::uint32_t outstanding = 0, retries = 0, posted = 0;  ///< posted: work requests not yet completed
  std::uint32_t rnr_retries = 0;
  bool rnr_wait = false;       ///< nothing is sent until timeout() ends the wait ...
  std::uint8_t rnr_timer = 0;  ///< ... of this timer code
};

/// Local ACK timeout of an exponent: 4.096 us * 2^n; never() for 0.
base::Time ack_timeout(std::uint32_t exponent);
/// Wait that an RNR NAK with this timer code (its low five bits) asks for.
base::Time rnr_wait(std::uint8_t code);
/// PSNs of a message or READ of `bytes` bytes.
constexpr std::uint32_t packets_of(std::uint64_t bytes, std::uint32_t pmtu) {
  return bytes == 0 ? 1 : static_cast<std::uint32_t>((bytes + pmtu - 1) / pmtu);
}

}  // namespace caravan::ref
