// SPDX-License-Identifier: Apache-2.0
// Every cell of the coverage table on purpose: for each opcode, length class, QP state and outcome the frames that lead
// there.
#pragma once

#include <string>
#include <vector>

#include "models/packet/packet.hpp"
#include "testbenches/fuzz/fuzz_endpoint.hpp"

namespace caravan::support {

/// What is wrong, or not, with the frame that the cell is about.
enum class Intent : std::uint8_t {
  kPlain,
  kRpc,
  kNoAccess,
  kNoBuffer,
  kSmallBuffer,
  kBehind,
  kAhead,     // twice: the second meets silence
  kSequence,  // a message where none may be, or none where it must
  kPeer,
  kService,  // of the other service than the QP
  kFailed,   // the QP is in error
};
inline constexpr std::uint8_t kIntents = 11;

/// What of the requester's work a response meets.
enum class Meets : std::uint8_t {
  kItsRequest,
  kNothing,    // in flight
  kLater,      // than a READ that has no answer
  kNoRetries,  // its request, and nothing may be repeated
  kLaterNoRetries,
  kDead,  // a QP that does not send
};
inline constexpr std::uint8_t kMeets = 6;

class CellBench {
 public:
  CellBench();
  /// Takes the QP to the cell. Empty, or where RTL and reference differ.
  std::string request(std::uint8_t opcode, std::size_t bytes, ref::QpState state, Intent intent);
  std::string response(std::uint8_t opcode, std::uint8_t syndrome, std::size_t bytes, Meets meets);
  /// Memory is the same at both.
  bool memory_equal();

  static constexpr std::uint32_t kPmtu = 256;

 private:
  struct Frame {
    std::uint8_t opcode = 0;
    std::size_t bytes = 0;
    std::uint32_t psn = 0, dma_length = 0, rkey = 0;
    std::uint64_t va = 0;
    bool datagram_key = true, peer = true;
    std::uint8_t syndrome = 0x1F;
  };
  packet::Buffer build(const Frame& frame) const;
  std::string exchange(const Frame& frame);
  void set_region(bool writable);

  FuzzTarget target_;
  ref::QpConfig qp_;
  FuzzEndpoint both_;
};

}  // namespace caravan::support
