// SPDX-License-Identifier: Apache-2.0
// How the control channel has verbs executed by a node: what is posted, what completes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace caravan::sim {

/// Values are those of roce_pkg::verb_op_e.
enum class VerbKind : std::uint8_t { kWrite = 0, kSend = 1, kRead = 2, kCompareSwap = 3, kFetchAdd = 4 };

/// A work request; fields that its kind does not use are ignored.
struct VerbRequest {
  VerbKind kind = VerbKind::kWrite;
  std::uint32_t qpn = 0;
  std::uint64_t laddr = 0;   ///< source, or target of READ and atomics; with class bits
  std::uint32_t length = 0;  ///< bytes; 8 for atomics
  std::uint64_t raddr = 0;
  std::uint32_t rkey = 0;
  std::optional<std::uint32_t> immediate;
  std::uint64_t swap_add = 0, compare = 0;
  bool solicited = false;
  bool signaled = true;  ///< a success is reported too
};

/// A buffer for what a peer SENDs.
struct ReceiveRequest {
  std::uint32_t qpn = 0;
  std::uint64_t address = 0;  ///< with class bits
  std::uint32_t length = 0;
};

/// Values are those of roce_pkg::cpl_status_e.
enum class VerbStatus : std::uint8_t {
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
/// The words of libibverbs: "success", "remote access error".
std::string_view status_text(VerbStatus status);

struct VerbCompletion {
  std::uint64_t wr = 0;  ///< as returned when it was posted
  std::uint32_t qpn = 0;
  VerbStatus status = VerbStatus::kOk;
  unsigned wc_opcode = 0;  ///< as libibverbs numbers it
  std::uint32_t length = 0;
  std::optional<std::uint32_t> immediate;
};

/// All between runs of the node. What can't be posted is a base::UserError.
class VerbPort {
 public:
  virtual ~VerbPort() = default;
  /// The queue pair was created anew: nothing is posted on it.
  virtual void reset(std::uint32_t qpn) = 0;
  /// Return the number of the work request, from 1.
  virtual std::uint64_t post(const VerbRequest& request) = 0;
  virtual std::uint64_t post(const ReceiveRequest& request) = 0;
  virtual std::size_t completed() = 0;
  /// The oldest completions, `most` at most.
  virtual std::vector<VerbCompletion> take(std::size_t most) = 0;
  /// Whether a work request on this queue pair has failed since reset().
  virtual bool failed(std::uint32_t qpn) const = 0;
};

/// ibv_wc_opcode of a work request.
unsigned wc_opcode_of(VerbKind kind);
inline constexpr unsigned kWcReceive = 128, kWcReceiveWrite = 129;

}  // namespace caravan::sim
