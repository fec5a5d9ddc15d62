// SPDX-License-Identifier: Apache-2.0
// Captures of the Linux stack: the RTL receive half in place of B gets A's frames and asks for the same acknowledges.
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "Vroce_rx.h"
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
                                     "corrupt_icrc",
                                     "loss_retry_exceeded",
                                     "nak_bad_rkey",
                                     "nak_write_readonly"};
/// QPNs and region numbers of the captures are larger than the small tables of this bench.
constexpr std::uint32_t kQpn = 5;

/// The frame with its QPN and rkey mapped to the bench's, sealed anew unless it came damaged.
packet::Buffer mapped(packet::Buffer frame, const Capture& capture) {
  const bool sound = packet::check_icrc(frame);
  const auto p = packet::parse(frame);
  packet::put_be(frame.data() + 47, 3, kQpn);
  if (p.ext.reth)
    packet::put_be(frame.data() + 62, 4,
                   p.ext.reth->rkey == capture.b.rkey ? 0x0100u : 0x0F00u | (p.ext.reth->rkey & 0xFF));
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
  RoceRxBench<Vroce_rx> rtl;
  ref::QpConfig q;
  q.qpn = base::Qpn(kQpn);
  q.dest_qpn = capture.a.qpn;
  q.peer_ip = capture.a.ip;
  q.pmtu = capture.pmtu;
  q.first_psn_to_expect = capture.a.first_psn;
  rtl.cfg.write(RoceCfg::of_qp(q));
  rtl.cfg.write(RoceCfg::of_region(0x0100, {capture.b.va, Capture::kRegionBytes, {.write = capture.b_writable}, 0}));

  // What the RTL asks to be acknowledged becomes the frame that the send half would make of it.
  ReplayDevice device;
  device.deliver = [&](packet::ByteSpan frame) {
    if (!passes_network({frame.begin(), frame.end()}, capture.b.mac, capture.b.ip)) return;
    rtl.send(mapped({frame.begin(), frame.end()}, capture));
    REQUIRE(rtl.drain());
  };
  device.collect = [&] {
    std::vector<packet::Buffer> out;
    for (const auto& e : rtl.evt.items()) {
      packet::RoceFrame f;
      f.eth = {capture.a.mac, capture.b.mac};
      packet::Ipv4 ip;
      ip.src = capture.b.ip;
      ip.dst = capture.a.ip;
      f.ip = ip;
      f.udp.src_port = capture.a.udp_src_port;
      f.bth.opcode = static_cast<std::uint8_t>(packet::Opcode::kAck);
      f.bth.dest_qp = capture.a.qpn.value();
      f.bth.psn = e.psn;
      f.ext.aeth = packet::Aeth{e.syndrome, e.msn};
      out.push_back(packet::build(f));
    }
    rtl.evt.clear();
    return out;
  };
  REQUIRE(replay_responder(capture, device) == "");
  for (const auto& block : capture.b_expected) REQUIRE((rtl.memory.read(block.va, block.bytes.size()) == block.bytes));
  REQUIRE(rtl.err.items().size() == (capture.name.starts_with("nak_") ? 1 : 0));
  REQUIRE(rtl.stats[kDropIcrc] == (capture.name == "corrupt_icrc" ? 1 : 0));
}
