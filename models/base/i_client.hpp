// SPDX-License-Identifier: Apache-2.0
// Who feeds the client port of one node: a workload generator, a host program, a test.
#pragma once

#include <cstdint>
#include <optional>

#include "models/base/units.hpp"

namespace caravan::base {

/// Operation codes of the client port; values are those of rdt_pkg::client_op_e.
enum class ClientOp : std::uint8_t {
  kGet = 0,
  kPut = 1,
  kWrite = 2,
  kSend = 3,
  kRead = 4,
  kCompareSwap = 5,
  kFetchAdd = 6
};

/// One request at the client port. GET and PUT use key and value; verbs use the others, and atomics use `value` as the
/// swap or add operand and `key` as the compare operand.
struct ClientRequest {
  ClientOp op = ClientOp::kGet;
  std::uint32_t tag = 0;     ///< returned in the response
  std::uint64_t key = 0;     ///< GET, PUT; compare operand
  std::uint64_t value = 0;   ///< PUT; swap or add operand
  std::uint32_t qpn = 0;     ///< verbs: local queue pair
  std::uint64_t laddr = 0;   ///< verbs: local source or target, class in bits 63:60
  std::uint64_t raddr = 0;   ///< verbs but SEND: remote virtual address
  std::uint32_t rkey = 0;    ///< verbs but SEND
  std::uint32_t length = 0;  ///< verbs: bytes; atomics: 8
};

/// Values are those of rdt_pkg::client_status_e.
enum class ClientStatus : std::uint8_t {
  kOk = 0,
  kNotFound = 1,
  kBadKey = 2,
  kBadOp = 3,
  kQpError = 4,
  kRetryExceeded = 5,
  kRemoteAccess = 6,
  kRemoteOp = 7,
  kRemoteInvalid = 8,
  kRnrExceeded = 9
};

struct ClientResponse {
  std::uint32_t tag = 0;
  ClientStatus status = ClientStatus::kOk;
  std::uint64_t value = 0;  ///< GET: the value; atomics: the value before
};

/// Drives one node's client port, inside the node's own thread. Cycles are the node's.
class Client {
 public:
  virtual ~Client() = default;
  /// The request to present from cycle `now` on; asked again after it was accepted. It must not change its mind:
  /// once returned, the same request is presented until accepted.
  virtual std::optional<ClientRequest> next_request(Cycles now) = 0;
  /// The presented request was taken at the clock edge that ends cycle `now`.
  virtual void accepted(const ClientRequest& request, Cycles now) = 0;
  virtual void response(const ClientResponse& response, Cycles now) = 0;
  /// The earliest cycle >= now at which next_request may return a request although no response came; never() when
  /// the client only waits for responses or is done.
  virtual Cycles next_activity(Cycles now) const = 0;
  virtual bool done() const = 0;
};

}  // namespace caravan::base
