// SPDX-License-Identifier: Apache-2.0
// The captures of the Linux stack, replayed against the reference model on both ends.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <utility>

#include "models/base/errors.hpp"
#include "models/ref/roce_ref.hpp"
#include "testbenches/support/capture_replay.hpp"

using namespace caravan;
using ref::CompletionStatus;
using support::Capture;
using support::Side;

namespace {

Capture load(const std::string& name) {
  // This endpoint speaks IPv4: what Linux said over IPv6 is replayed over IPv4.
  return support::over_ipv4(support::load_capture(CARAVAN_SOURCE_DIR "/testbenches/support/vectors/rxe/" + name));
}

/// All captures of an RC queue pair with a script.
constexpr const char* kCaptures[] = {"write_single_mtu1024",
                                     "write_single_mtu4096",
                                     "write_multi_mtu1024",
                                     "write_multi_mtu4096",
                                     "psn_wrap",
                                     "loss_write_middle",
                                     "loss_write_last",
                                     "loss_ack",
                                     "loss_read_req",
                                     "corrupt_icrc",
                                     "loss_retry_exceeded",
                                     "nak_bad_rkey",
                                     "nak_write_readonly",
                                     "nak_read_bad_rkey",
                                     "nak_atomic_noaccess",
                                     "nak_send_too_long",
                                     "send_mtu1024",
                                     "rnr",
                                     "read_mtu1024",
                                     "read_mtu4096",
                                     "atomic",
                                     "ipv6_rc"};

/// The end `side` of the capture's connection.
ref::RoceRef make_end(const Capture& capture, Side side) {
  const bool is_b = side == Side::kB;
  const auto& own = is_b ? capture.b : capture.a;
  const auto& peer = is_b ? capture.a : capture.b;
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
                 .window = 16,
                 .rnr_retry = capture.rnr_retry,
                 .min_rnr_timer = capture.min_rnr_timer});
  end.regions().set(
      own.rkey, {.base = own.va,
                 .length = Capture::kRegionBytes,
                 .access = {.write = !is_b || capture.b_writable, .read = true, .atomic = !is_b || capture.b_atomic}});
  for (const auto& block : is_b ? capture.b_memory : capture.a_memory) end.memory().write(block.va, block.bytes);
  return end;
}

CompletionStatus status_of(const std::string& text) {
  if (text == "success") return CompletionStatus::kOk;
  if (text == "remote access error") return CompletionStatus::kRemoteAccess;
  if (text == "remote operation error") return CompletionStatus::kRemoteOperation;
  if (text == "local QP operation error") return CompletionStatus::kLocalLength;
  if (text == "transport retry counter exceeded") return CompletionStatus::kRetryExceeded;
  throw base::UserError("no completion status for '" + text + "'");
}

support::ReplayDevice device_of(ref::RoceRef& end, base::Qpn qpn, std::vector<packet::Buffer>& out) {
  return {.deliver =
              [&end, &out](packet::ByteSpan frame) {
                for (auto& answer : end.receive(frame)) out.push_back(std::move(answer));
              },
          .collect =
              [&end, &out] {
                for (auto& frame : end.transmit()) out.push_back(std::move(frame));
                return std::exchange(out, {});
              },
          .expire_timer = [&end, qpn] { end.timeout(qpn); },
          .post_verb = [&end, qpn](const ref::WorkRequest& request) { end.post(qpn, request); },
          .post_recv = [&end, qpn](const ref::ReceiveRequest& request) { end.post_recv(qpn, request); }};
}

/// What the values of the atomics were before them, as B said.
std::vector<std::uint64_t> originals(const Capture& capture) {
  std::vector<std::uint64_t> out;
  for (const auto& step : capture.steps) {
    const auto p = packet::parse(step.frame);
    if (p.ext.atomic_ack) out.push_back(p.ext.atomic_ack->original);
  }
  return out;
}

/// The receives of the script as the model completes them.
std::vector<ref::ReceiveCompletion> expected_receives(const Capture& capture) {
  std::vector<ref::ReceiveCompletion> out;
  auto verb = capture.verbs.begin();
  for (const auto& r : capture.received) {
    while (verb->request.op != ref::Operation::kSend && !verb->request.has_imm) ++verb;
    ref::ReceiveCompletion c{.qpn = capture.b.qpn, .wr_id = r.wr_id, .status = status_of(r.status)};
    if (c.status == CompletionStatus::kOk) {
      c.is_write = r.is_write;
      c.solicited = verb->request.solicited;
      c.has_imm = r.has_imm;
      c.imm = r.imm;
      c.length = r.length;
      c.src_ip = capture.a.ip;
    }
    out.push_back(c);
    ++verb;
  }
  return out;
}

}  // namespace

TEST_CASE("The responder answers as Linux did", "[ref][replay]") {
  const Capture capture = load(GENERATE(from_range(std::begin(kCaptures), std::end(kCaptures))));
  INFO(capture.name);
  ref::RoceRef b = make_end(capture, Side::kB);
  std::vector<packet::Buffer> out;
  CHECK(support::replay_responder(capture, device_of(b, capture.b.qpn, out), {.mask = {.udp_src_port = false}}) == "");
  const bool all_lost = capture.name == "loss_retry_exceeded";
  for (const auto& block : capture.b_expected) CHECK((b.memory().read(block.va, block.bytes.size()) == block.bytes));
  for (const auto& sum : capture.sums)
    CHECK(packet::payload_hash(b.memory().read(capture.b.va + sum.offset, sum.length)) == sum.hash_b);
  CHECK(b.receive_completions() == expected_receives(capture));
  CHECK((b.view(capture.b.qpn).state == ref::QpState::kError) == capture.name.starts_with("nak_"));
  CHECK(b.dropped(ref::DropReason::kIcrc) == (capture.name == "corrupt_icrc" ? 1 : 0));
  if (!all_lost && !capture.name.starts_with("nak_")) CHECK(b.view(capture.b.qpn).msn == capture.verbs.size());
}

TEST_CASE("The requester sends as Linux did", "[ref][replay]") {
  const Capture capture = load(GENERATE(from_range(std::begin(kCaptures), std::end(kCaptures))));
  INFO(capture.name);
  REQUIRE_FALSE(capture.verbs.empty());
  ref::RoceRef a = make_end(capture, Side::kA);
  std::vector<packet::Buffer> out;
  CHECK(support::replay_requester(capture, device_of(a, capture.a.qpn, out), {.mask = {.udp_src_port = false}}) == "");
  const auto values = originals(capture);
  std::size_t atomics = 0;
  std::vector<ref::Completion> expected;
  for (const auto& verb : capture.verbs) {
    expected.push_back({capture.a.qpn, verb.request.wr_id, status_of(verb.status)});
    if (expected.back().status == CompletionStatus::kOk && ref::is_atomic(verb.request.op))
      expected.back().original = values.at(atomics++);
  }
  CHECK(a.completions() == expected);
  for (const auto& block : capture.a_expected) CHECK((a.memory().read(block.va, block.bytes.size()) == block.bytes));
  for (const auto& sum : capture.sums)
    CHECK(packet::payload_hash(a.memory().read(capture.a.va + sum.offset, sum.length)) == sum.hash_a);
  CHECK((a.view(capture.a.qpn).state == ref::QpState::kError) == (expected.back().status != CompletionStatus::kOk));
}

TEST_CASE("A datagram of Linux is received, and ours equals it", "[ref][replay]") {
  const Capture capture = load("ud");
  ref::QpConfig config{.qpn = capture.b.qpn, .service = ref::QpService::kUd, .qkey = 0x11111111};
  std::vector<packet::Buffer> out;
  SECTION("received") {
    ref::RoceRef b(capture.b.mac, capture.b.ip);
    b.create_qp(config);
    CHECK(support::replay_responder(capture, device_of(b, capture.b.qpn, out)) == "");
    REQUIRE(capture.received.size() == 1);
    CHECK(b.receive_completions() ==
          std::vector<ref::ReceiveCompletion>{{.qpn = capture.b.qpn,
                                               .wr_id = capture.received[0].wr_id,
                                               .length = capture.received[0].length - ref::RoceRef::kGrhBytes,
                                               .src_qpn = capture.a.qpn,
                                               .src_ip = capture.a.ip}});
    REQUIRE(capture.b_expected.size() == 1);
    CHECK(b.memory().read(capture.b_expected[0].va, 16) == capture.b_expected[0].bytes);
  }
  SECTION("sent") {
    config.qpn = capture.a.qpn;
    config.first_psn_to_send = capture.a.first_psn;
    ref::RoceRef a(capture.a.mac, capture.a.ip);
    a.create_qp(config);
    a.set_neighbour(0, capture.b.mac, capture.b.ip);
    for (const auto& block : capture.a_memory) a.memory().write(block.va, block.bytes);
    // Linux asked for no ACK here, and for one of each CM datagram: nobody answers, and it need not be the same.
    CHECK(support::replay_requester(capture, device_of(a, capture.a.qpn, out), {.mask = {.ack_req = true}}) == "");
    CHECK(a.completions() == std::vector<ref::Completion>{{capture.a.qpn, capture.verbs[0].request.wr_id}});
  }
}

TEST_CASE("Packets of the unreliable connected service are dropped", "[ref][replay]") {
  const Capture capture = load("uc");
  ref::RoceRef b = make_end(capture, Side::kB);
  for (const auto& step : capture.steps) CHECK(b.receive(step.frame).empty());
  CHECK(b.dropped(ref::DropReason::kOpcode) == capture.steps.size());
  CHECK(b.memory() == ref::SparseMemory());
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
