// SPDX-License-Identifier: Apache-2.0
// UD datagrams and congestion notifications.
#include <fmt/format.h>

#include "testbenches/conformance/rows.hpp"

namespace caravan::conformance {
namespace {

constexpr std::uint32_t kQkey = 0x11111111;
const QpSpec kUd{.datagram = true, .qkey = kQkey};

ref::ReceiveCompletion datagram_of(std::uint32_t wr_id, std::uint32_t length) {
  auto c = received(wr_id, length);
  c.src_qpn = base::Qpn(0x77);
  return c;
}

ref::WorkRequest send_datagram(std::uint32_t wr_id, std::uint64_t bytes, std::uint8_t neighbour = 0) {
  auto r = send_of(wr_id, bytes);
  r.remote_va = std::uint64_t{neighbour} << 32 | 0x99;
  r.rkey = kQkey;
  return r;
}

FrameSpec sent_datagram(std::int64_t psn, std::uint32_t bytes) {
  FrameSpec s = datagram(kQkey, bytes).ack_req();
  s.psn = psn;
  s.frame.bth.dest_qp = 0x99;
  s.frame.ext.deth->src_qp = 1;
  return s;
}

std::vector<Row> received_rows() {
  return {
      {"ud.send",
       "A datagram goes behind the 40 bytes that are left for the GRH",
       "1.1, ud capture",
       {create(kUd), post_recv(buffer(1)), inject(datagram(kQkey, 100)), silence(), receives({datagram_of(1, 100)}),
        untouched(buffer_va(1), 40), memory(buffer_va(1) + 40, 1, 100)}},
      {"ud.no_ack",
       "A datagram is not acknowledged, AckReq or not",
       "2: UD carries AckReq",
       {create(kUd), post_recv(buffer(1)), inject(datagram(kQkey, 8).ack_req()), silence(),
        receives({datagram_of(1, 8)})}},
      {"ud.immediate",
       "A datagram with immediate",
       "1.1",
       {create(kUd), post_recv(buffer(1)), inject(datagram(kQkey, 8).imm(0xABCD).solicited()), receives({[] {
          auto c = datagram_of(1, 8);
          c.has_imm = c.solicited = true;
          c.imm = 0xABCD;
          return c;
        }()})}},
      {"ud.empty",
       "A datagram of no bytes",
       "trap 27",
       {create(kUd), post_recv(buffer(1, 40)), inject(datagram(kQkey, 0)), receives({datagram_of(1, 0)})}},
      {"ud.any_psn",
       "No PSN rule holds for datagrams",
       "1.5",
       {create(kUd), post_recv(buffer(1)), post_recv(buffer(2)), inject(datagram(kQkey, 4)), inject(datagram(kQkey, 4)),
        silence(), receives({datagram_of(1, 4), datagram_of(2, 4)})}},
      {"ud.any_source",
       "Datagrams come from any address",
       "ISSUE 4 semantics",
       {create(kUd), post_recv(buffer(1)),
        inject(datagram(kQkey, 8).header("source",
                                         [](packet::RoceFrame& f) { std::get<packet::Ipv4>(f.ip).src = 0x0A000077; })),
        receives({[] {
          auto c = datagram_of(1, 8);
          c.src_ip = 0x0A000077;
          return c;
        }()})}},
      {"ud.wrong_qkey",
       "Another QKey is dropped and counted",
       "issue 4: UD QKey",
       {create(kUd), post_recv(buffer(1)), inject(datagram(kQkey + 1, 8)), silence(), drops(Drop::kPeer), receives({}),
        inject(datagram(kQkey, 8)), receives({datagram_of(1, 8)})}},
      {"ud.no_receive",
       "Without a receive a datagram is dropped, not refused",
       "ISSUE 4 semantics",
       {create(kUd), inject(datagram(kQkey, 8)), silence(), drops(Drop::kNoReceive)}},
      {"ud.small_buffer",
       "A buffer too small for the GRH and the datagram: dropped, the buffer stays",
       "ISSUE 4 semantics",
       {create(kUd), post_recv(buffer(1, 47)), inject(datagram(kQkey, 8)), silence(), drops(Drop::kNoReceive),
        receives({}), inject(datagram(kQkey, 7)), receives({datagram_of(1, 7)})}},
      {"ud.rc_opcode",
       "An RC packet to a UD QP is dropped",
       "ISSUE 4 semantics",
       {create(kUd), inject(write_only(0, 8).ack_req()), silence(), drops(Drop::kOpcode), untouched(kVa, 8)}},
      {"ud.on_rc",
       "A datagram to an RC QP is dropped",
       "ISSUE 4 semantics",
       {create(), post_recv(buffer(1)), inject(datagram(0, 8)), silence(), drops(Drop::kOpcode), receives({})}},
  };
}

std::vector<Row> sent_rows() {
  return {
      {"ud.post",
       "A datagram goes to the neighbour and QPN of its work request and completes when sent",
       "issue 4",
       {create(kUd), fill(kSource, 1, 256), post(send_datagram(3, 100)), expect({sent_datagram(0, 100)}),
        completes({{3}}), no_timer(), post(send_datagram(4, 0)), expect({sent_datagram(1, 0)}), completes({{4}})}},
      {"ud.post_immediate",
       "A datagram with immediate and solicited bit",
       "1.1",
       {create(kUd), fill(kSource, 1, 256), post([] {
          auto r = send_datagram(3, 8);
          r.has_imm = r.solicited = true;
          r.imm = 0x1234;
          return r;
        }()),
        expect({sent_datagram(0, 8).imm(0x1234).solicited()}), completes({{3}})}},
      {"ud.post_unknown_neighbour",
       "An unresolved neighbour wedges nothing: the datagram is lost, the next one sent",
       "trap 14",
       {create(kUd), fill(kSource, 1, 256), post(send_datagram(3, 8, 9)), silence(), completes({{3}}),
        post(send_datagram(4, 8)), expect({sent_datagram(1, 8)}), completes({{4}})}},
      {"ud.post_too_long",
       "A datagram longer than the PMTU is refused at once",
       "issue 4",
       {create(kUd), post(send_datagram(3, 257)), silence(), completes({{3, ref::CompletionStatus::kBadRequest}})}},
      {"ud.post_write",
       "UD has no WRITE",
       "issue 4",
       {create(kUd), post(write_of(3, 8)), silence(), completes({{3, ref::CompletionStatus::kBadRequest}})}},
  };
}

std::vector<Row> cnp_rows() {
  return {
      {"cnp.counted",
       "A CNP is taken, not answered, and moves no PSN",
       "1.4",
       {create(), inject(cnp()), silence(), takes_cnps(1), inject(write_only(0, 8).ack_req()), expect({ack(0, 1)})}},
      {"cnp.in_message",
       "A CNP inside a message does not disturb it",
       "1.4",
       {create(), inject(write_first(0, 300)), inject(cnp()), inject(write_last(1, 256, 44).ack_req()),
        expect({ack(1, 1)}), takes_cnps(1)}},
      {"cnp.wire_format",
       "A CNP as a ConnectX sends it: TOS 0xC2, source port 0, BECN",
       "1.4 capture",
       {create(),
        inject(cnp().header("as captured",
                            [](packet::RoceFrame& f) {
                              std::get<packet::Ipv4>(f.ip).tos = 0xC2;
                              f.udp.src_port = 0;
                            })),
        silence(), takes_cnps(1)}},
      {"cnp.other_source",
       "A CNP from another address is dropped",
       "ISSUE 4 semantics",
       {create(),
        inject(cnp().header("source", [](packet::RoceFrame& f) { std::get<packet::Ipv4>(f.ip).src = 0x0A000077; })),
        silence(), takes_cnps(0), drops(Drop::kPeer)}},
      {"cnp.reset_qp",
       "A CNP for a QP that does not receive is dropped",
       "ISSUE 4 semantics",
       {create({.state = ref::QpState::kReset}), inject(cnp()), silence(), takes_cnps(0), drops(Drop::kQp)}},
  };
}

}  // namespace

std::vector<Row> datagram_rows() {
  std::vector<Row> rows;
  for (const auto& part : {received_rows(), sent_rows(), cnp_rows()}) rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

}  // namespace caravan::conformance
