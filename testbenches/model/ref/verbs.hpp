// SPDX-License-Identifier: Apache-2.0
// B as a server of all operations, A as a client whose peer is played by the test; frames are shown as short text.
#pragma once

#include <fmt/format.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>
#include <utility>
#include <vector>

#include "testbenches/model/ref/peers.hpp"

namespace caravan::test {

using packet::Buffer;
using packet::Opcode;
using ref::CompletionStatus;
using ref::DropReason;
using ref::Operation;
using ref::QpState;

/// `NAME+offset`, `!` for AckReq, `*` for solicited; then what the extension headers say and the payload bytes.
inline std::string show(const Buffer& frame, std::uint32_t first_psn) {
  const auto p = packet::parse(frame);
  if (!p.is_roce()) return "not RoCE: " + packet::describe(frame);
  std::string text = fmt::format("{}+{}{}{}", p.op->name, base::Psn(p.bth->psn).distance_from(base::Psn(first_psn)),
                                 p.bth->ack_req ? "!" : "", p.bth->solicited ? "*" : "");
  if (p.ext.reth) text += fmt::format(" @{:x} of {}", p.ext.reth->va, p.ext.reth->dma_length);
  if (p.ext.atomic)
    text += fmt::format(" @{:x} {},{}", p.ext.atomic->va, p.ext.atomic->swap_add, p.ext.atomic->compare);
  if (p.ext.aeth) text += fmt::format(" {:02x}/{}", p.ext.aeth->syndrome, p.ext.aeth->msn);
  if (p.ext.atomic_ack) text += fmt::format(" ={}", p.ext.atomic_ack->original);
  if (p.ext.imm) text += fmt::format(" imm {:x}", p.ext.imm->immediate);
  if (!p.payload.empty()) text += fmt::format(" {}B", p.payload.size());
  return text;
}

inline std::string show(const std::vector<Buffer>& frames, std::uint32_t first_psn = kPsnA) {
  std::string text;
  for (const Buffer& frame : frames) text += (text.empty() ? "" : ", ") + show(frame, first_psn);
  return text;
}

inline Request read_request(std::uint32_t offset, std::uint64_t va, std::uint32_t bytes,
                            std::uint32_t rkey = kFullRkey) {
  return {.opcode = Opcode::kReadRequest, .psn = kPsnA + offset, .va = va, .rkey = rkey, .dma_length = bytes};
}
inline Request atomic_request(Opcode opcode, std::uint32_t offset, std::uint64_t va, std::uint64_t swap_add,
                              std::uint64_t compare = 0, std::uint32_t rkey = kFullRkey) {
  return {.opcode = opcode, .psn = kPsnA + offset, .change = [=](packet::RoceFrame& f) {
            f.ext.atomic = packet::AtomicEth{va, rkey, swap_add, compare};
          }};
}
/// A SEND or WRITE packet with immediate data where its opcode has them.
inline Request data_request(Opcode opcode, std::uint32_t offset, std::size_t bytes, std::uint32_t imm = 0,
                            bool solicited = false) {
  return {.opcode = opcode, .psn = kPsnA + offset, .payload = counting(bytes), .change = [=](packet::RoceFrame& f) {
            f.ext.imm = packet::ImmDt{imm};
            f.bth.solicited = solicited;
          }};
}

/// B, ready to respond to everything.
struct Server {
  ref::RoceRef b{kMacB, kIpB};
  explicit Server(const ref::QpConfig& config = config_b()) {
    b.create_qp(config);
    add_regions(b);
  }
  /// Delivers one request; the answers, "" for none.
  std::string operator()(const Request& request) { return show(b.receive(make(request))); }
  void recv(std::uint32_t wr_id, std::uint64_t va, std::uint32_t bytes) {
    b.post_recv(kQpnB, {.wr_id = wr_id, .local_va = va, .length = bytes});
  }
  ref::QpView view() const { return b.view(kQpnB); }
  std::vector<ref::ReceiveCompletion> received() { return std::exchange(b.receive_completions(), {}); }
};

/// A receive completion of B, as far as it depends on the message.
inline ref::ReceiveCompletion got(std::uint32_t wr_id, std::uint32_t bytes, std::optional<std::uint32_t> imm = {},
                                  bool is_write = false, bool solicited = false) {
  return {.qpn = kQpnB,
          .wr_id = wr_id,
          .is_write = is_write,
          .solicited = solicited,
          .has_imm = imm.has_value(),
          .imm = imm.value_or(0),
          .length = bytes,
          .src_ip = kIpA};
}
inline ref::ReceiveCompletion lost(std::uint32_t wr_id, CompletionStatus status) {
  return {.qpn = kQpnB, .wr_id = wr_id, .status = status};
}

/// A, ready to request.
struct Client {
  static constexpr std::uint64_t kSource = kHost + 0x40;
  ref::RoceRef a{kMacA, kIpA};
  explicit Client(const ref::QpConfig& config = config_a()) {
    a.create_qp(config);
    a.memory().write(kSource, counting(8192));
  }
  void post(std::uint32_t wr_id, Operation op, std::uint64_t bytes) {
    a.post(kQpnA, {.op = op,
                   .wr_id = wr_id,
                   .local_va = kSource,
                   .remote_va = kHbm,
                   .rkey = kFullRkey,
                   .length = bytes,
                   .swap_add = 5,
                   .compare = 7});
  }
  std::string sent() { return show(a.transmit(kQpnA)); }
  /// A response of B; MIDDLE has no syndrome.
  void back(Opcode opcode, std::uint32_t offset, std::size_t bytes = 0, std::uint8_t syndrome = packet::kSyndromeAck,
            std::uint64_t original = 0) {
    packet::RoceFrame frame;
    frame.eth = {kMacA, kMacB};
    frame.ip = packet::Ipv4{.src = kIpB, .dst = kIpA};
    frame.bth.opcode = static_cast<std::uint8_t>(opcode);
    frame.bth.dest_qp = kQpnA.value();
    frame.bth.psn = kPsnA + offset;
    frame.ext.aeth = packet::Aeth{syndrome, 0};
    frame.ext.atomic_ack = packet::AtomicAckEth{original};
    CHECK(a.receive(packet::build(frame, counting(bytes, static_cast<std::uint8_t>(100 + offset)))).empty());
  }
  void ack(std::uint32_t offset, std::uint8_t syndrome = packet::kSyndromeAck) {
    back(Opcode::kAck, offset, 0, syndrome);
  }
  ref::QpView view() const { return a.view(kQpnA); }
  /// `wr_id:status[=original]` of each completion since the last call.
  std::string done() {
    std::string text;
    for (const auto& c : std::exchange(a.completions(), {})) {
      text += fmt::format("{}{}:{}", text.empty() ? "" : " ", c.wr_id, static_cast<int>(c.status));
      if (c.original != 0) text += fmt::format("={}", c.original);
    }
    return text;
  }
};

}  // namespace caravan::test
