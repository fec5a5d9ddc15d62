// SPDX-License-Identifier: Apache-2.0
// Random work of one queue pair in one direction, and what must come of it. A flow knows both memories: what it posts
// it also does to a copy, in the order of posting, so that every completion, receive and byte can be compared.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>

#include "models/base/rng.hpp"
#include "testbenches/endpoint/rtl_end.hpp"

namespace caravan::stress {

inline constexpr std::uint32_t kRkeys[] = {0x155, 0x266};  ///< region in HBM, in host memory
inline constexpr std::uint64_t kBases[] = {0x1000'0000, 0x8000'0000'1000'0000};
inline constexpr std::uint64_t kPerQp = 0x10'0000;                   ///< bytes of one QP in each memory
inline constexpr std::uint32_t kMaxMessage = 8192, kMaxPackets = 6;  ///< of one work request: bytes, packets

class Flow {
 public:
  Flow(std::uint64_t seed, std::uint32_t qpn, std::uint32_t pmtu, support::RtlEnd& from, support::RtlEnd& to);

  std::uint32_t qpn() const { return qpn_; }
  /// Posts one more work request, if the flow has room for it.
  bool post();
  /// Posts receive buffers at the other end, up to a random number.
  void post_receives();
  std::size_t outstanding() const { return posted_.size(); }
  std::uint64_t posts() const { return posts_; }
  std::uint64_t completed() const { return completed_; }
  /// Messages that still need a receive buffer.
  bool wants_receives() const { return receives_.size() < messages_.size(); }

  /// One completion at `from`, one receive completion at `to`; the text says what is wrong, empty: nothing.
  std::string complete(const ref::Completion& completion);
  std::string receive(const ref::ReceiveCompletion& completion);
  /// When all is done: memory at the other end equals the copy, nothing is left over.
  std::string finish() const;

 private:
  struct Posted {
    std::uint32_t wr_id = 0;
    bool signaled = true, atomic = false;
    std::uint64_t original = 0;
    std::uint64_t sink = 0;  // READ, atomics: where the result must be
    packet::Buffer result;   // empty: nothing to look at
  };
  struct Message {
    packet::Buffer data;  // SEND: what must be in the buffer
    std::uint32_t length = 0, imm = 0;
    bool is_write = false, has_imm = false, solicited = false;
  };
  ref::WorkRequest random_request(Posted& posted, std::optional<Message>& message);
  packet::Buffer source(std::uint64_t offset, std::size_t bytes) const;

  base::Rng rng_;
  std::uint32_t qpn_, longest_;
  support::RtlEnd& from_;
  support::RtlEnd& to_;
  std::array<packet::Buffer, 2> written_;  // copy of the area that WRITEs go to, by memory
  std::array<std::uint64_t, 8> words_{};   // copy of the words that atomics go to; 4 in each memory
  std::deque<Posted> posted_;
  std::deque<Message> messages_;
  std::deque<ref::ReceiveRequest> receives_;
  std::uint32_t next_wr_ = 0, next_receive_ = 0, next_sink_ = 0;
  std::uint64_t posts_ = 0, completed_ = 0;
};

}  // namespace caravan::stress
