// SPDX-License-Identifier: Apache-2.0
// The captures of the Linux stack: the RTL requester in the place of A must send what Linux sent.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "models/base/errors.hpp"
#include "testbenches/cosim/roce_tx/tx_bench.hpp"
#include "testbenches/support/capture_replay.hpp"

using namespace caravan;
using cosim::TxBench;

namespace {

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

support::Capture load(const std::string& name) {
  // This endpoint speaks IPv4: what Linux said over IPv6 is replayed over IPv4.
  return support::over_ipv4(support::load_capture(CARAVAN_SOURCE_DIR "/testbenches/support/vectors/rxe/" + name));
}

ref::CompletionStatus status_of(const std::string& text) {
  if (text == "success") return ref::CompletionStatus::kOk;
  if (text == "remote access error") return ref::CompletionStatus::kRemoteAccess;
  if (text == "remote operation error") return ref::CompletionStatus::kRemoteOperation;
  if (text == "transport retry counter exceeded") return ref::CompletionStatus::kRetryExceeded;
  throw base::UserError("no completion status for '" + text + "'");
}

support::ReplayDevice device_of(TxBench& tx, base::Qpn qpn, std::size_t& taken) {
  return {.deliver = [&tx](packet::ByteSpan frame) { tx.deliver(frame); },
          .collect =
              [&tx, &taken] {
                REQUIRE(tx.settle());
                std::vector<packet::Buffer> out(tx.frames.begin() + static_cast<std::ptrdiff_t>(taken),
                                                tx.frames.end());
                taken = tx.frames.size();
                return out;
              },
          .expire_timer = [&tx] { tx.expire_timer(); },
          .post_verb = [&tx, qpn](const ref::WorkRequest& request) { tx.post({.qpn = qpn, .request = request}); }};
}

/// What the values of the atomics were before them, as B said.
std::vector<std::uint64_t> originals(const support::Capture& capture) {
  std::vector<std::uint64_t> out;
  for (const auto& step : capture.steps) {
    const auto p = packet::parse(step.frame);
    if (p.ext.atomic_ack) out.push_back(p.ext.atomic_ack->original);
  }
  return out;
}

}  // namespace

TEST_CASE("The RTL requester sends as Linux did", "[cosim][roce][replay]") {
  const auto capture = load(GENERATE(from_range(std::begin(kCaptures), std::end(kCaptures))));
  INFO(capture.name);
  TxBench tx(capture.a.mac, capture.a.ip);
  const base::Qpn qpn = capture.a.qpn;
  REQUIRE(qpn.value() < cosim::kQps);
  tx.create_qp({.qpn = qpn,
                .dest_qpn = capture.b.qpn,
                .peer_mac = capture.b.mac,
                .peer_ip = capture.b.ip,
                .udp_src_port = capture.a.udp_src_port,
                .pmtu = capture.pmtu,
                .first_psn_to_send = capture.a.first_psn,
                .first_psn_to_expect = capture.b.first_psn,
                .retry_limit = capture.retry_limit,
                .timeout_exponent = 14,
                .ack_every = 66,
                .rnr_retry = capture.rnr_retry,
                .min_rnr_timer = capture.min_rnr_timer});
  for (const auto& block : capture.a_memory) tx.write_memory(block.va, block.bytes);
  std::size_t taken = 0;
  CHECK(support::replay_requester(capture, device_of(tx, qpn, taken),
                                  {.mask = {.udp_src_port = false, .mig_req = true, .tos_ttl = true}}) == "");
  const auto values = originals(capture);
  std::size_t atomics = 0;
  std::vector<ref::Completion> expected;
  for (const auto& verb : capture.verbs) {
    expected.push_back({qpn, verb.request.wr_id, status_of(verb.status)});
    if (expected.back().status == ref::CompletionStatus::kOk && ref::is_atomic(verb.request.op))
      expected.back().original = values.at(atomics++);
  }
  REQUIRE(tx.settle());
  CHECK(tx.completions == expected);
  for (const auto& block : capture.a_expected) CHECK(tx.read_memory(block.va, block.bytes.size()) == block.bytes);
  for (const auto& sum : capture.sums)
    CHECK(packet::payload_hash(tx.read_memory(capture.a.va + sum.offset, sum.length)) == sum.hash_a);
}

TEST_CASE("The RTL's datagram is that of Linux", "[cosim][roce][replay]") {
  const auto capture = load("ud");
  TxBench tx(capture.a.mac, capture.a.ip);
  REQUIRE(capture.a.qpn.value() < cosim::kQps);
  tx.create_qp({.qpn = capture.a.qpn,
                .udp_src_port = capture.a.udp_src_port,
                .first_psn_to_send = capture.a.first_psn,
                .service = ref::QpService::kUd});
  tx.set_neighbour(0, capture.b.mac, capture.b.ip);
  for (const auto& block : capture.a_memory) tx.write_memory(block.va, block.bytes);
  std::size_t taken = 0;
  // Linux asked for no ACK here, and for one of each CM datagram: nobody answers, and it need not be the same.
  CHECK(support::replay_requester(capture, device_of(tx, capture.a.qpn, taken),
                                  {.mask = {.mig_req = true, .ack_req = true, .tos_ttl = true}}) == "");
  CHECK(tx.completions == std::vector<ref::Completion>{{capture.a.qpn, capture.verbs[0].request.wr_id}});
}
