// SPDX-License-Identifier: Apache-2.0
// Every scripted capture of the Linux stack, replayed against both ends of the RTL endpoint, frames at the MAC.
#include <catch2/catch_test_macros.hpp>

#include <utility>

#include "testbenches/endpoint/rtl_end.hpp"
#include "testbenches/support/capture_replay.hpp"

using namespace caravan;
using support::Capture;
using support::RtlEnd;
using support::Side;

namespace {

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

Capture load(const std::string& name) {
  return support::over_ipv4(support::load_capture(CARAVAN_SOURCE_DIR "/testbenches/support/vectors/rxe/" + name));
}

std::unique_ptr<RtlEnd> make_end(const Capture& capture, Side side) {
  const bool is_b = side == Side::kB;
  const auto& own = is_b ? capture.b : capture.a;
  const auto& peer = is_b ? capture.a : capture.b;
  auto end = std::make_unique<RtlEnd>(own.mac, own.ip);
  end->set_neighbour(0, peer.mac, peer.ip);
  end->set_ackreq_every(66);
  end->create_qp({.qpn = own.qpn,
                  .dest_qpn = peer.qpn,
                  .peer_mac = peer.mac,
                  .peer_ip = peer.ip,
                  .udp_src_port = capture.a.udp_src_port,
                  .pmtu = capture.pmtu,
                  .first_psn_to_send = own.first_psn,
                  .first_psn_to_expect = peer.first_psn,
                  .retry_limit = capture.retry_limit,
                  .timeout_exponent = capture.timeout_exponent,
                  .rnr_retry = capture.rnr_retry,
                  .min_rnr_timer = capture.min_rnr_timer});
  end->set_region(
      own.rkey, {.base = own.va,
                 .length = Capture::kRegionBytes,
                 .access = {.write = !is_b || capture.b_writable, .read = true, .atomic = !is_b || capture.b_atomic}});
  for (const auto& block : is_b ? capture.b_memory : capture.a_memory) end->write_memory(block.va, block.bytes);
  return end;
}

support::ReplayDevice device_of(RtlEnd& end, base::Qpn qpn) {
  return {.deliver =
              [&end](packet::ByteSpan frame) {
                end.push({frame.begin(), frame.end()});
                REQUIRE(end.settle());
              },
          .collect =
              [&end] {
                REQUIRE(end.settle());
                return std::exchange(end.sent(), {});
              },
          .expire_timer =
              [&end] {
                for (const auto sent = end.sent().size(), done = end.completions().size();
                     end.sent().size() == sent && end.completions().size() == done && end.wake_at() != ~0ull;) {
                  end.jump(end.wake_at());
                  REQUIRE(end.settle());
                }
              },
          .post_verb = [&end, qpn](const ref::WorkRequest& request) { end.post(qpn, request); },
          .post_recv = [&end, qpn](const ref::ReceiveRequest& request) { end.post_recv(qpn, request); }};
}

}  // namespace

TEST_CASE("The RTL endpoint answers as Linux did, capture by capture", "[conformance][replay]") {
  for (const char* name : kCaptures) {
    const Capture capture = load(name);
    INFO(capture.name);
    const auto b = make_end(capture, Side::kB);
    CHECK(support::replay_responder(capture, device_of(*b, capture.b.qpn),
                                    {.mask = {.udp_src_port = false, .mig_req = true, .tos_ttl = true}}) == "");
    for (const auto& block : capture.b_expected) CHECK((b->read_memory(block.va, block.bytes.size()) == block.bytes));
    for (const auto& sum : capture.sums)
      CHECK(packet::payload_hash(b->read_memory(capture.b.va + sum.offset, sum.length)) == sum.hash_b);
    CHECK(b->received().size() == capture.received.size());
  }
}

TEST_CASE("The RTL endpoint sends as Linux did, capture by capture", "[conformance][replay]") {
  for (const char* name : kCaptures) {
    const Capture capture = load(name);
    INFO(capture.name);
    const auto a = make_end(capture, Side::kA);
    CHECK(support::replay_requester(capture, device_of(*a, capture.a.qpn),
                                    {.mask = {.udp_src_port = false, .mig_req = true, .tos_ttl = true}}) == "");
    CHECK(a->completions().size() == capture.verbs.size());
    for (const auto& block : capture.a_expected) CHECK((a->read_memory(block.va, block.bytes.size()) == block.bytes));
    for (const auto& sum : capture.sums)
      CHECK(packet::payload_hash(a->read_memory(capture.a.va + sum.offset, sum.length)) == sum.hash_a);
  }
}
