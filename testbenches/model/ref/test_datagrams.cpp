// SPDX-License-Identifier: Apache-2.0
// Unreliable datagrams and congestion notification.
#include "testbenches/model/ref/verbs.hpp"

using namespace caravan;
using namespace caravan::test;

namespace {

constexpr std::uint32_t kQkey = 0x11223344;
constexpr std::uint64_t kBuffer = kHost + 0x40;

ref::QpConfig datagrams(ref::QpConfig config) {
  config.service = ref::QpService::kUd;
  config.qkey = kQkey;
  return config;
}

Request datagram(std::size_t bytes, std::function<void(packet::RoceFrame&)> change = {}) {
  return {.opcode = Opcode::kUdSendOnly, .psn = 0x777, .payload = counting(bytes), .change = [=](packet::RoceFrame& f) {
            f.ext.deth = packet::Deth{.qkey = kQkey, .src_qp = 0x99};
            f.ext.imm = packet::ImmDt{0xD0};
            if (change) change(f);
          }};
}

}  // namespace

TEST_CASE("A datagram of any sender goes 40 bytes behind the start of the buffer, unanswered", "[ref][ud]") {
  Server b(datagrams(config_b()));
  b.recv(1, kBuffer, 300);
  b.recv(2, kBuffer + 0x1000, 296);
  CHECK(b(datagram(4, [](auto& f) {
          f.bth.ack_req = true;
          std::get<packet::Ipv4>(f.ip).src = 0x0A0000FE;
        })).empty());
  CHECK(b(datagram(256, [](auto& f) {
          f.bth.opcode = 0x65;
          f.bth.solicited = true;
        })).empty());
  auto first = got(1, 4), second = got(2, 256, 0xD0, false, true);
  first.src_qpn = second.src_qpn = base::Qpn(0x99);
  first.src_ip = 0x0A0000FE;
  CHECK(b.received() == std::vector{first, second});
  CHECK(b.b.memory().read(kBuffer + 39, 6) == Buffer{0, 1, 2, 3, 4, 0});
  CHECK(b.b.memory().read(kBuffer + 0x1000 + 40, 256) == counting(256));
  CHECK(b.view().epsn == base::Psn(kPsnA));
  CHECK(b.b.dropped() == 0);
}

TEST_CASE("Datagrams that do not fit the QP are dropped and take no buffer", "[ref][ud]") {
  Server b(datagrams(config_b()));
  const auto drop = [&](DropReason reason, const Request& request) {
    const auto before = b.b.dropped(reason);
    CHECK(b(request).empty());
    INFO(ref::name(reason));
    CHECK(b.b.dropped(reason) == before + 1);
  };
  drop(DropReason::kNoReceive, datagram(4));
  b.recv(1, kBuffer, 43);
  drop(DropReason::kNoReceive, datagram(4));
  drop(DropReason::kQkey, datagram(3, [](auto& f) { f.ext.deth->qkey ^= 1; }));
  drop(DropReason::kLength, datagram(257));
  drop(DropReason::kOpcode, {.payload = counting(4)});
  drop(DropReason::kOpcode, read_request(0, kHbm, 4));
  CHECK(b.received().empty());
  CHECK(b.view().receives == 1);
  CHECK(b(datagram(3)).empty());
  CHECK(b.received().size() == 1);
  b.b.set_state(kQpnB, QpState::kInit);
  drop(DropReason::kState, datagram(3));
}

TEST_CASE("A datagram to an RC QP is dropped", "[ref][ud]") {
  Server b;
  b.recv(1, kBuffer, 300);
  CHECK(b(datagram(4)).empty());
  CHECK(b.b.dropped(DropReason::kOpcode) == 1);
}

TEST_CASE("Datagrams go to their neighbour and complete when sent", "[ref][ud]") {
  auto config = datagrams(config_a());
  Client a(config);
  a.a.set_neighbour(7, {2, 0, 0, 0, 0, 9}, 0x0A000009);
  const auto post = [&](std::uint32_t id, std::uint64_t bytes, std::uint64_t to, bool imm = false) {
    a.a.post(kQpnA, {.op = Operation::kSend,
                     .wr_id = id,
                     .local_va = Client::kSource,
                     .remote_va = to,
                     .rkey = kQkey,
                     .length = bytes,
                     .solicited = imm,
                     .has_imm = imm,
                     .imm = 0xE});
  };
  for (std::uint32_t i = 1; i <= 20; ++i) post(i, 256, 0x7'0000'0055);  // no window holds them
  const auto frames = a.a.transmit(kQpnA);
  REQUIRE(frames.size() == 20);
  CHECK(show(frames[19], kPsnA) == "UD_SEND_ONLY+19! 256B");
  const auto p = packet::parse(frames[0]);
  CHECK(p.eth->dst == packet::MacAddr{2, 0, 0, 0, 0, 9});
  CHECK(p.ipv4->dst == 0x0A000009);
  CHECK(p.bth->dest_qp == 0x55);
  CHECK(p.ext.deth == packet::Deth{kQkey, 0, kQpnA.value()});
  CHECK(a.a.completions().size() == 20);
  a.done();
  post(21, 0, 0x7'0000'0055, true);
  CHECK(a.sent() == "UD_SEND_ONLY_IMM+20!* imm e");
  CHECK(a.done() == "21:0");
  post(22, 4, 0x8'0000'0055);
  CHECK(a.sent().empty());
  CHECK(a.a.unsent() == 1);
  CHECK(a.done() == "22:0");
  post(23, 257, 0x7'0000'0055);
  CHECK(a.done() == "23:2");
  a.a.post(kQpnA, {.op = Operation::kWrite, .wr_id = 24, .length = 4});
  CHECK(a.done() == "24:2");
  a.a.set_state(kQpnA, QpState::kSqd);
  post(25, 4, 0x7'0000'0055);
  CHECK(a.sent().empty());
  a.a.set_state(kQpnA, QpState::kError);
  CHECK(a.done() == "25:1");
}

TEST_CASE("CNPs: built for the peer, noted by QP, from the peer only", "[ref][cnp]") {
  Server b;
  Client a;
  const Buffer cnp = a.a.make_cnp(kQpnA);
  const auto p = packet::parse(cnp);
  REQUIRE(p.is_roce());
  CHECK(p.op->opcode == Opcode::kCnp);
  CHECK(p.bth->becn);
  CHECK(p.bth->psn == 0);
  CHECK(p.bth->dest_qp == kQpnB.value());
  CHECK(p.ipv4->total_length == 60);
  CHECK(p.ipv4->tos >> 2 == 48);
  CHECK(b.b.receive(cnp).empty());
  CHECK(b.b.cnp_qpns() == std::vector{kQpnB});
  CHECK(b.view().epsn == base::Psn(kPsnA));
  auto other = packet::to_frame(p);
  std::get<packet::Ipv4>(other.ip).src = 0x0A0000FE;
  CHECK(b.b.receive(packet::build(other, Buffer(16))).empty());
  CHECK(b.b.dropped(DropReason::kPeer) == 1);
  b.b.set_state(kQpnB, QpState::kInit);
  CHECK(b.b.receive(cnp).empty());
  CHECK(b.b.dropped(DropReason::kState) == 1);
  CHECK(b.b.cnps() == 1);
}

TEST_CASE("Marked packets with payload are noted by QP", "[ref][cnp]") {
  Server b;
  const auto marked = [](std::uint32_t offset, std::size_t bytes, std::uint8_t ecn) {
    return Request{.psn = kPsnA + offset, .payload = counting(bytes), .change = [=](packet::RoceFrame& f) {
                     std::get<packet::Ipv4>(f.ip).tos = ecn;
                   }};
  };
  b(marked(0, 4, 3));
  b(marked(1, 4, 2));
  b(marked(2, 0, 3));
  CHECK(b.b.marked() == std::vector{kQpnB});
}
