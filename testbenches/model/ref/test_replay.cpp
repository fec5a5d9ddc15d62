// SPDX-License-Identifier: Apache-2.0
// The captures of the Linux stack that WRITE covers, replayed against the reference model on both ends.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <utility>

#include "models/base/errors.hpp"
#include "models/ref/roce_ref.hpp"
#include "testbenches/support/capture_replay.hpp"

using namespace caravan;
using support::Capture;
using support::Side;

namespace {

Capture load(const std::string& name) {
  return support::load_capture(CARAVAN_SOURCE_DIR "/testbenches/support/vectors/rxe/" + name);
}

constexpr const char* kWriteCaptures[] = {"write_single_mtu1024",
                                          "write_single_mtu4096",
                                          "write_multi_mtu1024",
                                          "write_multi_mtu4096",
                                          "psn_wrap",
                                          "loss_write_middle",
                                          "loss_write_last",
                                          "loss_ack",
                                          "corrupt_icrc",
                                          "loss_retry_exceeded",
                                          "nak_bad_rkey",
                                          "nak_write_readonly"};

/// The end `own` of the capture's connection.
ref::RoceRef make_end(const Capture& capture, Side side) {
  const auto& own = side == Side::kA ? capture.a : capture.b;
  const auto& peer = side == Side::kA ? capture.b : capture.a;
  ref::RoceRef end(own.mac, own.ip);
  end.create_qp({.qpn = own.qpn,
                 .dest_qpn = peer.qpn,
                 .peer_mac = peer.mac,
                 .peer_ip = peer.ip,
                 .udp_src_port = capture.a.udp_src_port,
                 .pmtu = capture.pmtu,
                 .first_psn_to_send = own.first_psn,
                 .first_psn_to_expect = peer.first_psn,
                 .retry_limit = capture.retry_limit,
                 .timeout_exponent = capture.timeout_exponent,
                 .ack_every = 66,
                 .window = 16});
  end.regions().set(
      own.rkey,
      {.base = own.va, .length = Capture::kRegionBytes, .access = {.write = side == Side::kA || capture.b_writable}});
  return end;
}

ref::CompletionStatus status_of(const std::string& text) {
  if (text == "success") return ref::CompletionStatus::kOk;
  if (text == "remote access error") return ref::CompletionStatus::kRemoteAccess;
  if (text == "transport retry counter exceeded") return ref::CompletionStatus::kRetryExceeded;
  throw base::UserError("no completion status for '" + text + "'");
}

support::ReplayDevice device_of(ref::RoceRef& end, base::Qpn qpn, std::vector<packet::Buffer>& out) {
  return {.deliver =
              [&end, &out](packet::ByteSpan frame) {
                for (auto& answer : end.receive(frame)) out.push_back(std::move(answer));
              },
          .post =
              [&end, qpn](const support::CaptureWrite& w) {
                end.post_write(qpn, {.wr_id = w.wr_id,
                                     .local_va = w.local_va,
                                     .remote_va = w.remote_va,
                                     .rkey = w.rkey,
                                     .length = w.length});
              },
          .collect =
              [&end, &out] {
                for (auto& frame : end.transmit()) out.push_back(std::move(frame));
                return std::exchange(out, {});
              },
          .expire_timer = [&end, qpn] { end.timeout(qpn); }};
}

}  // namespace

TEST_CASE("The responder answers as Linux did", "[ref][replay]") {
  const Capture capture = load(GENERATE(from_range(std::begin(kWriteCaptures), std::end(kWriteCaptures))));
  INFO(capture.name);
  ref::RoceRef b = make_end(capture, Side::kB);
  std::vector<packet::Buffer> out;
  CHECK(support::replay_responder(capture, device_of(b, capture.b.qpn, out), {.mask = {.udp_src_port = false}}) == "");
  const bool all_lost = capture.name == "loss_retry_exceeded";
  for (const auto& block : capture.b_expected) CHECK((b.memory().read(block.va, block.bytes.size()) == block.bytes));
  CHECK((b.view(capture.b.qpn).state == ref::QpState::kError) == capture.name.starts_with("nak_"));
  CHECK(b.dropped(ref::DropReason::kIcrc) == (capture.name == "corrupt_icrc" ? 1 : 0));
  if (!all_lost && !capture.name.starts_with("nak_")) CHECK(b.view(capture.b.qpn).msn == capture.writes.size());
}

TEST_CASE("The requester sends as Linux did", "[ref][replay]") {
  const Capture capture = load(GENERATE(from_range(std::begin(kWriteCaptures), std::end(kWriteCaptures))));
  INFO(capture.name);
  REQUIRE_FALSE(capture.writes.empty());
  ref::RoceRef a = make_end(capture, Side::kA);
  for (const auto& block : capture.a_memory) a.memory().write(block.va, block.bytes);
  std::vector<packet::Buffer> out;
  CHECK(support::replay_requester(capture, device_of(a, capture.a.qpn, out), {.mask = {.udp_src_port = false}}) == "");
  std::vector<ref::Completion> expected;
  for (const auto& write : capture.writes) expected.push_back({capture.a.qpn, write.wr_id, status_of(write.status)});
  CHECK(a.completions() == expected);
  CHECK((a.view(capture.a.qpn).state == ref::QpState::kError) ==
        (expected.back().status != ref::CompletionStatus::kOk));
}

TEST_CASE("A replay names the first divergence", "[ref][replay]") {
  const Capture capture = load("loss_write_middle");
  std::vector<packet::Buffer> out;
  SECTION("a wrong field") {
    ref::RoceRef b = make_end(capture, Side::kB);
    auto config = b.config(capture.b.qpn);
    config.first_psn_to_expect = config.first_psn_to_expect + 1;  // calls the first packet a duplicate
    b.create_qp(config);
    const auto text = support::replay_responder(capture, device_of(b, capture.b.qpn, out));
    CHECK(
        text.starts_with("loss_write_middle, frame 8: bth.psn: expected 0x100002, got 0x100000\n  expected: kind=roce "
                         "op=ACK qpn=0x1d psn=0x100002 "));
  }
  SECTION("a missing frame") {
    ref::RoceRef b = make_end(capture, Side::kB);
    b.set_state(capture.b.qpn, ref::QpState::kError);
    CHECK(support::replay_responder(capture, device_of(b, capture.b.qpn, out))
              .starts_with("loss_write_middle, frame 8: the device sent nothing\n"));
  }
  SECTION("a frame too many") {
    ref::RoceRef b = make_end(capture, Side::kB);
    auto device = device_of(b, capture.b.qpn, out);
    device.deliver = [&, deliver = device.deliver](packet::ByteSpan frame) { deliver(frame), deliver(frame); };
    CHECK_FALSE(support::replay_responder(capture, device).empty());
  }
  SECTION("other data") {
    ref::RoceRef a = make_end(capture, Side::kA);
    for (const auto& block : capture.a_memory) a.memory().write(block.va, block.bytes);
    a.memory().write(capture.a.va + 1500, std::vector<std::uint8_t>{0});
    const auto text = support::replay_requester(capture, device_of(a, capture.a.qpn, out));
    CHECK(text.starts_with("loss_write_middle, frame 1: payload byte 476: expected "));
  }
}

TEST_CASE("Merged ACKs are accepted where asked for, a lost NAK or last ACK never", "[ref][replay]") {
  const Capture capture =
      load("loss_write_last");  // its answers: three equal ACKs for duplicates, one for the last packet
  ref::RoceRef b = make_end(capture, Side::kB);
  std::vector<packet::Buffer> out;
  auto device = device_of(b, capture.b.qpn, out);
  std::size_t keep_from = 0;
  device.collect = [&] {
    auto all = std::exchange(out, {});
    return all.size() > keep_from ? std::vector(all.begin() + static_cast<std::ptrdiff_t>(keep_from), all.end())
                                  : std::vector<packet::Buffer>();
  };
  SECTION("only the last") {
    keep_from = 3;
    CHECK(support::replay_responder(capture, device, {.acks_may_merge = true}) == "");
  }
  SECTION("not asked for") {
    keep_from = 3;
    CHECK_FALSE(support::replay_responder(capture, device).empty());
  }
  SECTION("the last one is missing") {
    keep_from = 4;
    CHECK(support::replay_responder(capture, device, {.acks_may_merge = true})
              .starts_with("loss_write_last, frame 11: the device sent nothing"));
  }
}

TEST_CASE("A capture that can't be read is the user's error", "[ref][replay]") {
  CHECK_THROWS_AS(load("no_such_capture"), base::UserError);
}
