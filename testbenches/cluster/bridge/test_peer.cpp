// SPDX-License-Identifier: Apache-2.0
// A stand-in peer on the bridge's socket: WRITEs to an RTL node and from one, byte for byte, with losses.
#include <catch2/catch_test_macros.hpp>

#include <ctime>

#include <fmt/format.h>

#include "models/packet/packet.hpp"
#include "testbenches/cluster/bridge/running_bridge.hpp"

using namespace caravan;
using support::RunningBridge;

namespace {

constexpr std::uint32_t kNodeQpn = 0x50, kPeerQpn = 0x77, kNodePsn = 0x700000, kPeerPsn = 0xFFFFFE;

/// The peer's frames to the queue pair of node 0.
packet::RoceFrame to_node(packet::Opcode opcode, std::uint32_t psn, bool ack_req) {
  packet::RoceFrame frame;
  frame.eth.src = {2, 0, 0, 0, 0, 3};
  frame.eth.dst = {2, 0, 0, 0, 0, 1};
  packet::Ipv4 ip;
  ip.src = 0x0A000003;
  ip.dst = 0x0A000001;
  frame.ip = ip;
  frame.bth.opcode = static_cast<std::uint8_t>(opcode);
  frame.bth.dest_qp = kNodeQpn;
  frame.bth.psn = psn & 0xFFFFFF;
  frame.bth.ack_req = ack_req;
  return frame;
}

packet::Buffer payload_of(std::size_t size, unsigned seed) {
  packet::Buffer bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(seed + i * 7 + (i >> 8));
  return bytes;
}

std::uint32_t connect(RunningBridge& bridge, unsigned timeout = 14) {
  const auto region = bridge.ask("mr 0x20000000 0x100000");
  REQUIRE(region.starts_with("ok va=0x20000000 lkey=0x"));
  CHECK(bridge.ask(fmt::format("qp rc 1 {:#x}", kNodeQpn)) == "ok qpn=0x50");
  CHECK(bridge.ask(fmt::format("rtr 1024 {:#x} {:#x} ::ffff:10.0.0.3 12", kPeerQpn, kPeerPsn)) == "ok rtr");
  CHECK(bridge.ask(fmt::format("rts {:#x} {} 6 6", kNodePsn, timeout)) == "ok rts");
  return static_cast<std::uint32_t>(std::stoul(region.substr(region.rfind('=') + 1), nullptr, 16));
}

packet::ParsedPacket parse(const packet::Buffer& frame) {
  auto parsed = packet::parse(frame);
  REQUIRE(parsed.is_roce());
  return parsed;
}

void acknowledge(RunningBridge& bridge, std::uint32_t psn, std::uint32_t msn, std::uint8_t syndrome = 0x1F) {
  auto ack = to_node(packet::Opcode::kAck, psn, false);
  ack.ext.aeth = packet::Aeth{syndrome, msn};
  bridge.peer().send_frame(packet::build(ack));
}

}  // namespace

TEST_CASE("A peer's WRITE lands in the RTL node's memory, and the ACK is right to the last byte", "[cluster][bridge]") {
  RunningBridge bridge("write_in");
  const auto rkey = connect(bridge);
  const auto data = payload_of(2500, 11);
  for (unsigned i = 0; i < 3; ++i) {  // the PSN wraps inside
    const auto opcode = i == 0   ? packet::Opcode::kWriteFirst
                        : i == 1 ? packet::Opcode::kWriteMiddle
                                 : packet::Opcode::kWriteLast;
    auto frame = to_node(opcode, kPeerPsn + i, i == 2);
    frame.ext.reth = packet::Reth{0x20000010, rkey, 2500};
    const std::size_t from = i * 1024;
    bridge.peer().send_frame(
        packet::build(frame, packet::ByteSpan(data).subspan(from, std::min<std::size_t>(1024, 2500 - from))));
  }
  const auto answer = bridge.peer().receive_frame();
  REQUIRE(answer);
  const auto ack = parse(*answer);
  packet::RoceFrame right;
  right.eth.src = {2, 0, 0, 0, 0, 1};
  right.eth.dst = {2, 0, 0, 0, 0, 3};
  auto ip = *ack.ipv4;  // id is the sender's choice
  ip.src = 0x0A000001;
  ip.dst = 0x0A000003;
  right.ip = ip;
  right.udp.src_port = 0xC000 | kNodeQpn;
  right.bth.opcode = 0x11;
  right.bth.mig_req = true;
  right.bth.dest_qp = kPeerQpn;
  right.bth.psn = (kPeerPsn + 2) & 0xFFFFFF;
  right.ext.aeth = packet::Aeth{0x1F, 1};
  auto expected = packet::build(right);
  CHECK(ip.tos >> 2 == 0);
  expected.resize(answer->size());
  CHECK(*answer == expected);
  std::string hex;
  for (const auto byte : data) hex += fmt::format("{:02x}", byte);
  CHECK(bridge.ask("get 16 2500") == "ok " + hex);
  CHECK(bridge.ask("get 15 1") == "ok 00");
}

TEST_CASE("A WRITE of the RTL node reaches the peer; its acknowledge completes it", "[cluster][bridge]") {
  RunningBridge bridge("write_out");
  connect(bridge);
  CHECK(bridge.ask("fill 0x100 1500 3") == "ok filled");
  CHECK(bridge.ask("write 0x100 1500 0x1234500 0xabcd") == "ok wr=1");
  const auto data = payload_of(1500, 3);
  packet::Buffer got;
  for (unsigned i = 0; i < 2; ++i) {
    const auto frame = bridge.peer().receive_frame();
    REQUIRE(frame);
    const auto p = parse(*frame);
    CHECK(p.bth->dest_qp == kPeerQpn);
    CHECK(p.bth->psn == kNodePsn + i);
    CHECK(p.op->opcode == (i == 0 ? packet::Opcode::kWriteFirst : packet::Opcode::kWriteLast));
    if (i == 0) CHECK(*p.ext.reth == packet::Reth{0x1234500, 0xABCD, 1500});
    got.insert(got.end(), p.payload.begin(), p.payload.end());
  }
  CHECK(got == data);
  CHECK(bridge.ask("poll 1 0").starts_with("ok n=0 ms="));
  acknowledge(bridge, kNodePsn + 1, 1);
  CHECK(bridge.ask("poll 1 10000").starts_with("ok [wr=1 success op=1 len=1500 imm=0 f=0] n=1 ms="));
  CHECK(bridge.ask("state") == "ok state=3 sq_psn=0x700000 rq_psn=0xfffffe timeout=14");
}

TEST_CASE("A refusal by the peer is the work request's status", "[cluster][bridge]") {
  RunningBridge bridge("refused");
  connect(bridge);
  CHECK(bridge.ask("write 0 8 0x1234500 0xabcd") == "ok wr=1");
  REQUIRE(bridge.peer().receive_frame());
  acknowledge(bridge, kNodePsn, 0, 0x62);
  CHECK(bridge.ask("poll 1 10000").starts_with("ok [wr=1 remote access error op=1"));
  CHECK(bridge.ask("state").starts_with("ok state=6 "));
  CHECK(bridge.ask("write 0 8 0x1234500 0xabcd") == "ok wr=2");
  CHECK(bridge.ask("poll 1 10000").starts_with("ok [wr=2 Work Request Flushed Error op=1"));
}

TEST_CASE("Timers pass no faster than wall time: a slow peer is not taken for a dead one", "[cluster][bridge]") {
  RunningBridge bridge("slow");
  connect(bridge, 14);  // 67 ms
  CHECK(bridge.ask("write 0 8 0x1234500 0xabcd") == "ok wr=1");
  const auto start = std::chrono::steady_clock::now();
  REQUIRE(bridge.peer().receive_frame());
  // Silence: the frame comes again, and not before the timeout is over on the wall's clock too.
  const auto again = bridge.peer().receive_frame();
  const auto waited = std::chrono::steady_clock::now() - start;
  REQUIRE(again);
  CHECK(parse(*again).bth->psn == kNodePsn);
  CHECK(waited > std::chrono::milliseconds(65));
  acknowledge(bridge, kNodePsn, 1);
  CHECK(bridge.ask("poll 1 10000").starts_with("ok [wr=1 success"));
}

TEST_CASE("Fault rules strike on the peer's port and are replaced at once", "[cluster][bridge]") {
  RunningBridge bridge("faults");
  const auto rkey = connect(bridge);
  CHECK(bridge.ask("fault action=drop from_node=2 to_node=0 opcode=WRITE_ONLY shots=1") == "ok fault");
  auto frame = to_node(packet::Opcode::kWriteOnly, kPeerPsn, true);
  frame.ext.reth = packet::Reth{0x20000000, rkey, 4};
  const auto whole = packet::build(frame, payload_of(4, 9));
  bridge.peer().send_frame(whole);
  CHECK_FALSE(bridge.peer().receive_frame(std::chrono::milliseconds(300)));
  CHECK(bridge.ask("stats fault0") == "ok switch.fault0.matched=1 switch.fault0.struck=1");
  bridge.peer().send_frame(whole);
  CHECK(bridge.peer().receive_frame());
  CHECK(bridge.ask("fault action=duplicate from_node=2 to_node=0") == "ok fault");
  frame.bth.psn = (kPeerPsn + 1) & 0xFFFFFF;
  bridge.peer().send_frame(packet::build(frame, payload_of(4, 10)));
  CHECK(bridge.peer().receive_frame());
  while (bridge.peer().receive_frame(std::chrono::milliseconds(200))) {  // the duplicate's, if it was not merged
  }
  CHECK(bridge.ask("stats roce_rx.dup") == "ok node0.roce_rx.dup=1");
  CHECK(bridge.ask("fault clear") == "ok fault");
  frame.bth.psn = (kPeerPsn + 2) & 0xFFFFFF;
  bridge.peer().send_frame(packet::build(frame, payload_of(4, 11)));
  CHECK(bridge.peer().receive_frame());
  CHECK_FALSE(bridge.peer().receive_frame(std::chrono::milliseconds(200)));
  CHECK(bridge.ask("get 0 4") == "ok 0b121920");
}

TEST_CASE("A bridge with nothing to do costs no processor time", "[cluster][bridge]") {
  RunningBridge bridge("idle");
  connect(bridge);
  const auto before = std::clock();
  CHECK(bridge.ask("poll 1 600").starts_with("ok n=0 ms=6"));
  CHECK(std::clock() - before < CLOCKS_PER_SEC / 10);
}
