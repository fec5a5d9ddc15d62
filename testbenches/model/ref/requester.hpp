// SPDX-License-Identifier: Apache-2.0
// One requesting endpoint whose peer is played by the test.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <utility>
#include <vector>

#include "testbenches/model/ref/peers.hpp"

namespace caravan::test {

using packet::Buffer;
using packet::Opcode;
using ref::Completion;
using ref::CompletionStatus;

inline constexpr std::uint64_t kSource = kHost + 0x40;

/// A, ready to request. Sent frames are shown as `place+PSN offset`, with `!` for AckReq.
struct Requester {
  ref::RoceRef a{kMacA, kIpA};
  std::vector<packet::ParsedPacket> last;
  std::vector<Buffer> frames;
  explicit Requester(const ref::QpConfig& config = config_a()) {
    a.create_qp(config);
    a.memory().write(kSource, counting(8192));
  }
  void post(std::uint32_t wr_id, std::uint64_t bytes) {
    a.post_write(kQpnA, {.wr_id = wr_id, .local_va = kSource, .remote_va = kHbm, .rkey = kRkey, .length = bytes});
  }
  std::string sent() {
    frames = a.transmit(kQpnA);
    last.clear();
    std::string text;
    for (const Buffer& frame : frames) {
      last.push_back(packet::parse(frame));
      const auto& p = last.back();
      text += (text.empty() ? "" : " ") + std::string(p.op->name.substr(6)) + "+" + std::to_string(p.bth->psn - kPsnA) +
              (p.bth->ack_req ? "!" : "");
    }
    return text;
  }
  /// An acknowledge from B.
  void ack(std::uint32_t offset, std::uint8_t syndrome = packet::kSyndromeAck) {
    packet::RoceFrame frame;
    frame.eth = {kMacA, kMacB};
    frame.ip = packet::Ipv4{.src = kIpB, .dst = kIpA};
    frame.bth.opcode = static_cast<std::uint8_t>(Opcode::kAck);
    frame.bth.dest_qp = kQpnA.value();
    frame.bth.psn = kPsnA + offset;
    frame.ext.aeth = packet::Aeth{syndrome, 0};
    CHECK(a.receive(packet::build(frame)).empty());
  }
  ref::QpView view() const { return a.view(kQpnA); }
  std::vector<Completion> done() { return std::exchange(a.completions(), {}); }
};

inline Completion completion(std::uint32_t wr_id, CompletionStatus status = CompletionStatus::kOk) {
  return {kQpnA, wr_id, status};
}
using Done = std::vector<Completion>;

}  // namespace caravan::test
