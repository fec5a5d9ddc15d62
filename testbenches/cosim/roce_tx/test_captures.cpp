// SPDX-License-Identifier: Apache-2.0
// The WRITE, loss and NAK captures of the Linux stack: the RTL requester in the place of A must send what Linux sent.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <utility>

#include "models/base/errors.hpp"
#include "testbenches/cosim/roce_tx/tx_bench.hpp"
#include "testbenches/support/capture_replay.hpp"

using namespace caravan;
using cosim::TxBench;

namespace {

constexpr const char* kCaptures[] = {"write_single_mtu1024",
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

ref::CompletionStatus status_of(const std::string& text) {
  if (text == "success") return ref::CompletionStatus::kOk;
  if (text == "remote access error") return ref::CompletionStatus::kRemoteAccess;
  if (text == "transport retry counter exceeded") return ref::CompletionStatus::kRetryExceeded;
  throw base::UserError("no completion status for '" + text + "'");
}

}  // namespace

TEST_CASE("The RTL requester sends as Linux did", "[cosim][roce][replay]") {
  const auto name = GENERATE(from_range(std::begin(kCaptures), std::end(kCaptures)));
  const auto capture =
      support::load_capture(std::string(CARAVAN_SOURCE_DIR "/testbenches/support/vectors/rxe/") + name);
  INFO(name);
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
                .ack_every = 66});
  for (const auto& block : capture.a_memory) tx.write_memory(block.va, block.bytes);
  std::size_t taken = 0;
  const support::ReplayDevice device{.deliver = [&](packet::ByteSpan frame) { tx.deliver(frame); },
                                     .post =
                                         [&](const support::CaptureWrite& w) {
                                           tx.post({.qpn = qpn,
                                                    .request = {.wr_id = w.wr_id,
                                                                .local_va = w.local_va,
                                                                .remote_va = w.remote_va,
                                                                .rkey = w.rkey,
                                                                .length = w.length}});
                                         },
                                     .collect =
                                         [&] {
                                           REQUIRE(tx.settle());
                                           std::vector<packet::Buffer> out(
                                               tx.frames.begin() + static_cast<std::ptrdiff_t>(taken), tx.frames.end());
                                           taken = tx.frames.size();
                                           return out;
                                         },
                                     .expire_timer = [&] { tx.expire_timer(); }};
  CHECK(support::replay_requester(capture, device,
                                  {.mask = {.udp_src_port = false, .mig_req = true, .tos_ttl = true}}) == "");
  std::vector<ref::Completion> expected;
  for (const auto& write : capture.writes) expected.push_back({qpn, write.wr_id, status_of(write.status)});
  CHECK(tx.completions == expected);
}
