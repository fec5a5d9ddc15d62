// SPDX-License-Identifier: Apache-2.0
// Vocabulary of the verbs: work requests, completions, attributes, errors.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/units.hpp"

namespace caravan::host {

/// Memory behind the NIC; its class in bits 63:60 of an address that the NIC gets.
enum class Memory : std::uint64_t { kHbm = 0ull << 60, kHost = 8ull << 60 };
constexpr std::uint64_t address_in(Memory memory, std::uint64_t offset) {
  return static_cast<std::uint64_t>(memory) | offset;
}

/// Values are those of roce_pkg::verb_op_e.
enum class Op : std::uint8_t { kWrite = 0, kSend = 1, kRead = 2, kCompareSwap = 3, kFetchAdd = 4 };

/// Values are those of roce_pkg::cpl_status_e.
enum class Status : std::uint8_t {
  kOk = 0,
  kFlushed = 1,
  kBadRequest = 2,
  kRetryExceeded = 3,
  kRemoteAccess = 4,
  kRemoteOperation = 5,
  kRemoteInvalid = 6,
  kRnrExceeded = 7,
  kLocalLength = 8,
  kLocalMemory = 9
};
std::string_view status_name(Status status);

/// Where remote memory is and what opens it: what a peer has told about one of its regions.
struct RemoteBuffer {
  std::uint64_t address = 0;  ///< virtual address, with class bits
  std::uint32_t rkey = 0;
};
/// A stretch of memory behind the own NIC, address with class bits.
struct LocalBuffer {
  std::uint64_t address = 0;
  std::uint32_t length = 0;
};

struct WorkRequest {
  Op op = Op::kWrite;
  std::uint64_t wr_id = 0;  ///< comes back in the completion
  bool signaled = true;     ///< errors complete in any case
  bool solicited = false;   ///< SEND, WRITE with immediate: the peer's queue raises an event
  LocalBuffer local;        ///< source, or target of READ and atomics (empty: result in the completion only)
  RemoteBuffer remote;      ///< all but SEND
  std::optional<std::uint32_t> immediate;
  std::vector<std::uint8_t> inline_data;  ///< SEND, WRITE: at most 64 bytes, instead of `local`
  std::uint64_t swap_or_add = 0, compare = 0;

  static WorkRequest write(LocalBuffer from, RemoteBuffer to);
  static WorkRequest write_inline(std::vector<std::uint8_t> bytes, RemoteBuffer to);
  static WorkRequest send(LocalBuffer from);
  static WorkRequest send_inline(std::vector<std::uint8_t> bytes);
  /// To a datagram queue pair: `neighbour` is a row of the own neighbour table.
  static WorkRequest datagram(LocalBuffer from, unsigned neighbour, std::uint32_t qpn, std::uint32_t qkey);
  static WorkRequest read(LocalBuffer to, RemoteBuffer from);
  static WorkRequest compare_swap(RemoteBuffer at, std::uint64_t expected, std::uint64_t desired);
  static WorkRequest fetch_add(RemoteBuffer at, std::uint64_t amount);
  WorkRequest& unsignaled() { return signaled = false, *this; }
  WorkRequest& with_immediate(std::uint32_t value) { return immediate = value, *this; }
  WorkRequest& with_event() { return solicited = true, *this; }
  WorkRequest& with_id(std::uint64_t id) { return wr_id = id, *this; }
};

enum class CompletionKind : std::uint8_t { kSend = 0, kReceive = 1, kReceiveWrite = 2 };

struct Completion {
  Status status = Status::kOk;
  CompletionKind kind = CompletionKind::kSend;
  std::uint64_t wr_id = 0;
  std::uint32_t qpn = 0;
  std::uint32_t length = 0;  ///< receives: bytes of the message
  std::optional<std::uint32_t> immediate;
  bool solicited = false;
  std::uint64_t original = 0;                   ///< atomics: the value before
  std::uint32_t source_qpn = 0, source_ip = 0;  ///< datagrams
  base::Time time;                              ///< when the program saw it

  bool ok() const { return status == Status::kOk; }
  /// Itself when ok, else VerbError.
  const Completion& check() const;
};

/// A verb that failed, or that could not be posted.
class VerbError : public std::runtime_error {
 public:
  VerbError(Status status, const std::string& what) : std::runtime_error(what), status_(status) {}
  Status status() const { return status_; }

 private:
  Status status_;
};

/// Remote rights on a region or at a queue pair.
struct Access {
  bool write = true, read = true, atomic = true;
};

enum class Service : std::uint8_t { kReliable = 0, kDatagram = 1 };

/// What a queue pair is made of.
struct QueuePairOptions {
  std::optional<std::uint32_t> qpn;  ///< the next free one when left out
  Service service = Service::kReliable;
  unsigned send_depth = 64, receive_depth = 64;  ///< powers of two, 1..32768
  Access access;
  base::Bytes mtu{4096};
  std::uint32_t first_psn = 0;  ///< of what this side sends
  std::uint32_t qkey = 0;       ///< datagrams
  /// Single work requests go through registers (no fetch over PCIe) when the queue is empty.
  bool push = true;
};

/// What a queue pair must know of its peer.
struct PeerAddress {
  std::uint32_t qpn = 0;
  std::uint32_t ip = 0;
  unsigned neighbour = 0;  ///< row of the neighbour table: how to get there
  std::uint32_t first_psn = 0;
};

struct RetryOptions {
  unsigned timeout = 14;     ///< local ACK timeout 4.096 us * 2^n, 0: off
  unsigned retry_limit = 7;  ///< 0..7
  unsigned rnr_retry = 7;    ///< 0..6; 7: endless
  unsigned min_rnr = 1;      ///< timer code of RNR NAKs that this side sends
};

}  // namespace caravan::host
