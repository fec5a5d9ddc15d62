// SPDX-License-Identifier: Apache-2.0
// Responder: SEND, WRITE with immediate, receive queues, RNR NAKs.
#include <fmt/format.h>

#include "testbenches/conformance/rows.hpp"

namespace caravan::conformance {
namespace {

using ref::CompletionStatus;

constexpr std::uint32_t kImm = 0xCAFEF00D;

ref::ReceiveCompletion of_write(ref::ReceiveCompletion c) {
  c.is_write = true;
  return c;
}
ref::ReceiveCompletion solicited(ref::ReceiveCompletion c) {
  c.solicited = true;
  return c;
}

Row one_send(std::uint32_t bytes) {
  return {fmt::format("send.only_{}", bytes),
          "SEND_ONLY goes into the posted buffer and completes with its length",
          "1.1, trap 27",
          {create(), post_recv(buffer(1)), inject(send_only(0, bytes).ack_req()), expect({ack(0, 1)}),
           receives({received(1, bytes)}), memory(buffer_va(1), 1, bytes), untouched(buffer_va(1) + bytes, 8)}};
}

std::vector<Row> deliveries() {
  return {
      {"send.message",
       "A SEND of several packets fills one buffer",
       "send_mtu1024",
       {create(), post_recv(buffer(1)), inject(send_first(0)), inject(send_middle(1, 256)), receives({}),
        inject(send_last(2, 512, 88).ack_req()), expect({ack(2, 1)}), receives({received(1, 600)}),
        memory(buffer_va(1), 1, 600)}},
      {"send.immediate",
       "SEND_ONLY with immediate completes with it",
       "1.1, 1.3 vector",
       {create(), post_recv(buffer(1)), inject(send_only(0, 3).imm(kImm).ack_req()), expect({ack(0, 1)}),
        receives({received_imm(1, 3, kImm)}), memory(buffer_va(1), 1, 3)}},
      {"send.last_immediate",
       "SEND_LAST with immediate",
       "send_mtu1024",
       {create(), post_recv(buffer(1)), inject(send_first(0)), inject(send_last(1, 256, 9).imm(kImm).ack_req()),
        expect({ack(1, 1)}), receives({received_imm(1, 265, kImm)})}},
      {"send.solicited",
       "The solicited bit is that of the last packet",
       "send_mtu1024",
       {create(), post_recv(buffer(1)), post_recv(buffer(2)), inject(send_only(0, 8).solicited()),
        receives({solicited(received(1, 8))}), inject(send_first(1).solicited()), inject(send_last(2, 256, 4)),
        receives({received(2, 260)})}},
      {"send.in_order_of_posting",
       "Buffers are used in the order in which they were posted, one a message",
       "issue 4",
       {create(), post_recv(buffer(3)), post_recv(buffer(1)), inject(send_only(0, 8)), inject(send_only(1, 16)),
        receives({received(3, 8), received(1, 16)}), memory(buffer_va(3), 1, 8), memory(buffer_va(1), 1, 16)}},
      {"send.exact_fit",
       "A message as long as the buffer fits",
       "1.5",
       {create(), post_recv(buffer(1, 300)), inject(send_first(0)), inject(send_last(1, 256, 44).ack_req()),
        expect({ack(1, 1)}), receives({received(1, 300)})}},
      {"send.empty_into_nothing",
       "A SEND of no bytes needs a buffer, of no bytes",
       "trap 27",
       {create(), post_recv(buffer(1, 0)), inject(send_only(0, 0).ack_req()), expect({ack(0, 1)}),
        receives({received(1, 0)})}},
      {"send.host_buffer",
       "A buffer in host memory",
       "3 classes",
       {create(), post_recv({.wr_id = 4, .local_va = (8ull << 60) + 0x40, .length = 512}), inject(send_only(0, 100)),
        receives({received(4, 100)}), memory((8ull << 60) + 0x40, 1, 100)}},
      {"send.no_permission_needed",
       "A SEND needs no right to WRITE",
       "ISSUE 4 semantics",
       {create({.write = false}), unregister(), post_recv(buffer(1)), inject(send_only(0, 8).ack_req()),
        expect({ack(0, 1)}), receives({received(1, 8)})}},
      {"send.duplicate",
       "A repeated SEND is acknowledged and takes no second buffer",
       "1.5",
       {create(), post_recv(buffer(1)), post_recv(buffer(2)), inject(send_only(0, 8)), receives({received(1, 8)}),
        inject(send_only(0, 8)), expect({ack(0, 1)}), receives({}), inject(send_only(1, 8).ack_req()),
        expect({ack(1, 2)}), receives({received(2, 8)})}},
      {"send.duplicate_message",
       "A repeated SEND message leaves buffers and completions alone",
       "1.5",
       {create(), post_recv(buffer(1)), post_recv(buffer(2)), inject(send_first(0)), inject(send_last(1, 256, 8)),
        receives({received(1, 264)}), inject(send_first(0)), expect({ack(1, 1)}), inject(send_last(1, 256, 8)),
        expect({ack(1, 1)}), receives({}), untouched(buffer_va(2), 264)}},
      {"send.two_qps",
       "Each QP has receives of its own",
       "trap 11",
       {create(), create({.qpn = 2, .expect = 0x800}), post_recv(buffer(1)), post_recv(buffer(2), 2),
        inject(send_only(0, 8).on(2)), receives({[] {
          auto c = received(2, 8);
          c.qpn = base::Qpn(2);
          return c;
        }()}),
        inject(send_only(0, 8)), receives({received(1, 8)})}},
      {"send.psn_wrap",
       "A SEND message across PSN 0xFFFFFF",
       "Also: PSN wrap",
       {create({.expect = 0xFFFFFF}), post_recv(buffer(1)), inject(send_first(0)),
        inject(send_last(1, 256, 8).ack_req()), expect({ack(1, 1)}), receives({received(1, 264)})}},
  };
}

std::vector<Row> with_immediate() {
  return {
      {"write_imm.only",
       "WRITE with immediate takes a receive, not its buffer",
       "send_mtu1024",
       {create(), post_recv(buffer(1)), inject(write_only(0, 40).imm(kImm).solicited().ack_req()), expect({ack(0, 1)}),
        receives({solicited(of_write(received_imm(1, 40, kImm)))}), memory(kVa, 1, 40), untouched(buffer_va(1), 64)}},
      {"write_imm.last",
       "The receive is taken at LAST",
       "send_mtu1024",
       {create(), post_recv(buffer(1)), inject(write_first(0, 300)), receives({}),
        inject(write_last(1, 256, 44).imm(kImm).ack_req()), expect({ack(1, 1)}),
        receives({of_write(received_imm(1, 300, kImm))}), memory(kVa, 1, 300)}},
      {"write_imm.empty",
       "WRITE of no bytes with immediate",
       "trap 27",
       {create(), post_recv(buffer(1, 0)), inject(write_only(0, 0).imm(kImm).ack_req()), expect({ack(0, 1)}),
        receives({of_write(received_imm(1, 0, kImm))})}},
      {"write_imm.rnr",
       "Without a receive the packet gets an RNR NAK and is not executed",
       "1.2",
       {create(), inject(write_only(0, 40).imm(kImm)), expect({rnr(0, 12, 0)}), untouched(kVa, 40),
        post_recv(buffer(1)), inject(write_only(0, 40).imm(kImm).ack_req()), expect({ack(0, 1)}),
        receives({of_write(received_imm(1, 40, kImm))})}},
      {"write_imm.rnr_at_last",
       "Only the last packet of the message waits for a receive",
       "ISSUE 4 semantics",
       {create(), inject(write_first(0, 300)), silence(), inject(write_last(1, 256, 44).imm(kImm)),
        expect({rnr(1, 12, 0)}), memory(kVa, 1, 256), untouched(kVa + 256, 44), post_recv(buffer(1)),
        inject(write_last(1, 256, 44).imm(kImm).ack_req()), expect({ack(1, 1)}), memory(kVa, 1, 300),
        receives({of_write(received_imm(1, 300, kImm))})}},
      {"write_imm.access_before_rnr",
       "Access is judged before receives are",
       "ISSUE 4 order of checks",
       {create(), inject(write_only(0, 8).imm(kImm).rkey(0x999)), expect({nak(0, 0x62, 0)})}},
      {"write_imm.duplicate",
       "A repeated WRITE with immediate takes no second receive",
       "1.5",
       {create(), post_recv(buffer(1)), post_recv(buffer(2)), inject(write_only(0, 8).imm(kImm)),
        receives({of_write(received_imm(1, 8, kImm))}), inject(write_only(0, 8).imm(kImm)), expect({ack(0, 1)}),
        receives({})}},
  };
}

std::vector<Row> not_ready() {
  return {
      {"rnr.no_receive",
       "A SEND without a receive gets RNR NAK, and nothing moves",
       "1.2, trap 21",
       {create(), inject(send_only(0, 8)), expect({rnr(0, 12, 0)}), receives({}), post_recv(buffer(1)),
        inject(send_only(0, 8).ack_req()), expect({ack(0, 1)}), receives({received(1, 8)})}},
      {"rnr.repeated",
       "Each repetition of the packet gets its RNR NAK",
       "rnr capture",
       {create(), inject(send_only(0, 8)), inject(send_only(0, 8)), inject(send_only(0, 8)),
        expect({rnr(0, 12, 0), rnr(0, 12, 0), rnr(0, 12, 0)})}},
      {"rnr.then_sequence_nak",
       "The packets behind it get one NAK for the gap, as rxe sends it",
       "2 rnr capture",
       {create(), inject(send_first(0)), expect({rnr(0, 12, 0)}), inject(send_middle(1, 256)),
        expect({nak(0, 0x60, 0)}), inject(send_last(2, 512, 8)), silence(), post_recv(buffer(1)), inject(send_first(0)),
        inject(send_middle(1, 256)), inject(send_last(2, 512, 8).ack_req()), expect({ack(2, 1)}),
        receives({received(1, 520)})}},
      {"rnr.again_after_sequence_nak",
       "RNR, gap, RNR: each round has its own NAKs",
       "2 rnr capture",
       {create(), inject(send_first(0)), inject(send_last(1, 256, 8)), expect({rnr(0, 12, 0), nak(0, 0x60, 0)}),
        inject(send_first(0)), inject(send_last(1, 256, 8)), expect({rnr(0, 12, 0), nak(0, 0x60, 0)})}},
      {"rnr.after_messages",
       "The RNR NAK carries the MSN of what was executed",
       "1.2",
       {create(), inject(write_only(0, 8)), inject(send_only(1, 8)), expect({rnr(1, 12, 1)})}},
      {"rnr.read_goes_on",
       "Behind an RNR NAK other operations with that PSN are executed",
       "ISSUE 4 semantics",
       {create(), inject(send_only(0, 8)), expect({rnr(0, 12, 0)}), inject(write_only(0, 8).ack_req()),
        expect({ack(0, 1)})}},
      {"rnr.invalid_first",
       "A SEND of wrong length is invalid, receive or not",
       "ISSUE 4 order of checks",
       {create(), inject(send_first(0, 252)), expect({nak(0, 0x61, 0)})}},
  };
}

std::vector<Row> too_long() {
  return {
      {"send.only_too_long",
       "A SEND longer than its buffer: NAK 0x63, the receive completes with a length error",
       "2 nak_send_too_long",
       {create(), post_recv(buffer(1, 63)), post_recv(buffer(2)), inject(send_only(0, 64)), expect({nak(0, 0x63, 0)}),
        receives({receive_failed(1, CompletionStatus::kLocalLength), receive_failed(2, CompletionStatus::kFlushed)}),
        inject(send_only(0, 8)), silence(), drops(Drop::kQp)}},
      {"send.last_too_long",
       "The packet that passes the end of the buffer is refused",
       "2 nak_send_too_long",
       {create(), post_recv(buffer(1, 300)), inject(send_first(0)), silence(), inject(send_last(1, 256, 45)),
        expect({nak(1, 0x63, 0)}), receives({receive_failed(1, CompletionStatus::kLocalLength)}),
        untouched(buffer_va(1) + 256, 64)}},
      {"send.empty_buffer",
       "A SEND of one byte into a buffer of none",
       "1.2",
       {create(), post_recv(buffer(1, 0)), inject(send_only(0, 1)), expect({nak(0, 0x63, 0)}),
        receives({receive_failed(1, CompletionStatus::kLocalLength)})}},
  };
}

Row timer_code(std::uint32_t code) {
  return {fmt::format("rnr.sends_code_{:02}", code),
          "An RNR NAK carries the QP's timer code",
          "1.2 RNR timer",
          {create({.min_rnr = code}), inject(send_only(0, 8)), expect({rnr(0, static_cast<std::uint8_t>(code), 0)})}};
}

std::vector<Row> posting() {
  return {
      {"recv.bad_buffer",
       "A buffer that is no memory completes at once",
       "issue 4",
       {create(), post_recv({.wr_id = 9, .local_va = 5ull << 60, .length = 64}),
        receives({receive_failed(9, CompletionStatus::kBadRequest)})}},
      {"recv.before_rtr",
       "Receives may be posted in INIT",
       "issue 4",
       {create({.state = ref::QpState::kInit}), post_recv(buffer(1)), receives({}), state(ref::QpState::kRtr),
        inject(send_only(0, 8).ack_req()), expect({ack(0, 1)}), receives({received(1, 8)})}},
      {"recv.flushed_by_error",
       "Software moves the QP to ERROR: its receives are flushed",
       "issue 4",
       {create(), post_recv(buffer(1)), post_recv(buffer(2)), state(ref::QpState::kError),
        receives({receive_failed(1, CompletionStatus::kFlushed), receive_failed(2, CompletionStatus::kFlushed)}),
        post_recv(buffer(3)), receives({receive_failed(3, CompletionStatus::kFlushed)})}},
      {"recv.flushed_midway",
       "A message that was begun is flushed with its receive",
       "issue 4",
       {create(), post_recv(buffer(1)), inject(send_first(0)), state(ref::QpState::kError),
        receives({receive_failed(1, CompletionStatus::kFlushed)})}},
  };
}

}  // namespace

std::vector<Row> send_rows() {
  std::vector<Row> rows;
  for (const std::uint32_t bytes : {0u, 1u, 3u, 64u, 65u, 256u}) rows.push_back(one_send(bytes));
  for (const auto& part : {deliveries(), with_immediate(), not_ready(), too_long(), posting()})
    rows.insert(rows.end(), part.begin(), part.end());
  for (const std::uint32_t code : {0u, 1u, 16u, 31u}) rows.push_back(timer_code(code));
  return rows;
}

}  // namespace caravan::conformance
