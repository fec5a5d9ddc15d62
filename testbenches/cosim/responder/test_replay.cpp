// SPDX-License-Identifier: Apache-2.0
// Captures of the Linux stack: the RTL in place of B gets A's frames and sends B's.
#include <utility>

#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "Vresponder.h"
#include "testbenches/cosim/responder/lockstep.hpp"
#include "testbenches/support/capture_replay.hpp"

using namespace caravan;
using namespace caravan::support;

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
                                     "ud"};
/// QPNs and region numbers of the captures are larger than the small tables of this bench.
constexpr std::uint32_t kQpn = 5;

/// The frame with its QPN and rkey mapped to the bench's, sealed anew unless it came damaged.
packet::Buffer mapped(packet::Buffer frame, const Capture& capture) {
  const bool sound = packet::check_icrc(frame);
  const auto p = packet::parse(frame);
  packet::put_be(frame.data() + 47, 3, kQpn);
  if (p.ext.reth || p.ext.atomic) {
    const auto rkey = static_cast<std::uint32_t>(packet::get_be(frame.data() + 62, 4));
    packet::put_be(frame.data() + 62, 4, rkey == capture.b.rkey ? 0x0100u : 0x0F00u | (rkey & 0xFF));
  }
  frame.resize(frame.size() - packet::kIcrcBytes);
  packet::append_icrc(frame);
  if (!sound) frame.back() ^= 0xFF;
  return frame;
}

}  // namespace

TEST_CASE("The RTL responder answers as Linux did", "[cosim][responder][replay]") {
  const Capture capture = load_capture(std::string(CARAVAN_SOURCE_DIR "/testbenches/support/vectors/rxe/") +
                                       GENERATE(from_range(std::begin(kCaptures), std::end(kCaptures))));
  INFO(capture.name);
  RoceResponderBench<Vresponder> rtl(capture.b.mac, capture.b.ip, capture.a.mac, capture.a.ip);
  ref::QpConfig q;
  q.qpn = base::Qpn(kQpn);
  q.dest_qpn = capture.a.qpn;
  q.peer_ip = capture.a.ip;
  q.udp_src_port = capture.a.udp_src_port;
  q.pmtu = capture.pmtu;
  q.first_psn_to_expect = capture.a.first_psn;
  q.min_rnr_timer = capture.min_rnr_timer;
  const bool datagram = capture.name == "ud";
  if (datagram) q.service = ref::QpService::kUd, q.qkey = 0x11111111;
  rtl.cfg.write(RoceCfg::of_qp(q));
  rtl.cfg.write(RoceCfg::of_region(0x0100, {capture.b.va,
                                            Capture::kRegionBytes,
                                            {.write = capture.b_writable, .read = true, .atomic = capture.b_atomic},
                                            0}));
  for (const auto& block : capture.b_memory) rtl.memory.write(block.va, block.bytes);

  ReplayDevice device;
  device.deliver = [&](packet::ByteSpan frame) {
    if (!passes_network({frame.begin(), frame.end()}, capture.b.mac, capture.b.ip)) return;
    rtl.send(mapped({frame.begin(), frame.end()}, capture));
    REQUIRE(rtl.drain());
  };
  device.collect = [&] { return std::exchange(rtl.frames, {}); };
  device.post_recv = [&](const ref::ReceiveRequest& request) {
    rtl.posts.push({kQpn, request});
    REQUIRE(rtl.drain());
  };
  REQUIRE(replay_responder(capture, device, {.mask = {.udp_src_port = false, .mig_req = true, .tos_ttl = true}}) == "");
  for (const auto& block : capture.b_expected) REQUIRE((rtl.memory.read(block.va, block.bytes.size()) == block.bytes));
  for (const auto& sum : capture.sums)
    REQUIRE(packet::payload_hash(rtl.memory.read(capture.b.va + sum.offset, sum.length)) == sum.hash_b);
  REQUIRE(rtl.err.items().size() == (capture.name.starts_with("nak_") ? 1 : 0));
  REQUIRE(rtl.stats[kDropIcrc] == (capture.name == "corrupt_icrc" ? 1 : 0));
  REQUIRE(rtl.received.items().size() == capture.received.size());
  for (std::size_t i = 0; i < capture.received.size(); ++i) {
    const auto& got = rtl.received.items()[i];
    const auto& want = capture.received[i];
    REQUIRE((got.status == ref::CompletionStatus::kOk) == (want.status == "success"));
    REQUIRE(got.wr_id == want.wr_id);
    if (want.status != "success") continue;
    REQUIRE((got.is_write == want.is_write && got.has_imm == want.has_imm && got.imm == want.imm));
    REQUIRE(got.length == want.length - (datagram ? 40 : 0));
  }
}
