// SPDX-License-Identifier: Apache-2.0
// Responder: WRITE, PSN and ACK rules.
#include <fmt/format.h>

#include "testbenches/conformance/rows.hpp"

namespace caravan::conformance {
namespace {

constexpr std::uint32_t kWrap = 0xFFFFFE;

Row one_write(std::uint32_t bytes) {
  return {fmt::format("write.only_{}", bytes),
          fmt::format("WRITE_ONLY of {} bytes, pad {}: exactly these bytes are written", bytes, -bytes & 3u),
          "1.5 pad, defect 3, trap 1",
          {create(), inject(write_only(0, bytes).ack_req()), expect({ack(0, 1)}), memory(kVa, 1, bytes),
           untouched(kVa + bytes, 8)}};
}

/// A message of `bytes` bytes at PMTU `pmtu`, AckReq on its last packet.
std::vector<Step> message(std::int64_t psn, std::uint32_t bytes, std::uint32_t pmtu, std::uint64_t at = 0) {
  std::vector<Step> steps = {inject(write_first(psn, bytes, pmtu, at))};
  std::uint32_t from = pmtu;
  for (; from + pmtu < bytes; from += pmtu) steps.push_back(inject(write_middle(++psn, from, pmtu)));
  steps.push_back(inject(write_last(psn + 1, from, bytes - from).ack_req()));
  return steps;
}

Row one_message(std::uint32_t bytes, std::uint32_t pmtu) {
  const std::int64_t last = (bytes - 1) / pmtu;
  return {fmt::format("write.message_{}_at_{}", bytes, pmtu), "A message of several packets is one ACK and one MSN",
          "1.5, trap 1, defect 4",
          join({{create({.pmtu = pmtu})}, message(0, bytes, pmtu), {expect({ack(last, 1)}), memory(kVa, 1, bytes)}})};
}

std::vector<Row> ack_rules() {
  return {
      {"ack.only_on_request",
       "A packet without AckReq is executed and not acknowledged",
       "1.5, defect 6, 2",
       {create(), inject(write_only(0, 16)), silence(), memory(kVa, 1, 16), inject(write_only(1, 16).ack_req()),
        expect({ack(1, 2)})}},
      {"ack.in_the_middle",
       "AckReq inside a message is answered with that PSN and the MSN so far",
       "1.5",
       {create(), inject(write_first(0, 600).ack_req()), expect({ack(0, 0)}), inject(write_middle(1, 256).ack_req()),
        expect({ack(1, 0)}), inject(write_last(2, 512, 88).ack_req()), expect({ack(2, 1)})}},
      {"ack.msn_per_message",
       "The MSN counts messages, not packets",
       "1.5, defect 4",
       {create(), inject(write_only(0, 4)), inject(write_first(1, 300)), inject(write_last(2, 256, 44)),
        inject(write_only(3, 4).ack_req()), expect({ack(3, 3)})}},
      {"ack.credits_invalid",
       "Every ACK carries syndrome 0x1F: no credit information",
       "1.2, defect 6",
       {create(), inject(write_only(0, 4).ack_req()), expect({nak(0, 0x1F, 1)})}},
      {"ack.two_qps",
       "ACKs name QPN, PSN and MSN of the packet's own QP when two QPs interleave",
       "trap 11",
       {create(), create({.qpn = 2, .expect = 0x5000}), inject(write_first(0, 300)),
        inject(write_only(0, 8, 0x400).on(2).ack_req()), expect({ack(0, 1).on(2)}),
        inject(write_last(1, 256, 44).ack_req()), expect({ack(1, 1)}), inject(write_only(1, 8, 0x500).on(2).ack_req()),
        expect({ack(1, 2).on(2)}), memory(kVa, 1, 300), memory(kVa + 0x400, 1, 8), memory(kVa + 0x500, 1, 8)}},
      {"ack.zero_length",
       "A WRITE of no bytes uses one PSN, is one message and is acknowledged",
       "trap 27, defect 2",
       {create(), inject(write_only(0, 0).ack_req()), expect({ack(0, 1)}), inject(write_only(1, 8).ack_req()),
        expect({ack(1, 2)})}},
      {"ack.padding_not_written",
       "Pad bytes do not reach the memory",
       "defect 3",
       {create(), fill(kVa, 9, 16), inject(write_only(0, 5).ack_req()), expect({ack(0, 1)}), memory(kVa, 1, 5),
        memory(kVa + 5, 9, 11, 5)}},
  };
}

std::vector<Row> psn_rules() {
  const FrameSpec w0 = write_only(0, 32), w1 = write_only(1, 32, 0x100), w2 = write_only(2, 32, 0x200);
  return {
      {"psn.one_nak_per_gap",
       "A gap is answered by one NAK with the expected PSN, then silence",
       "1.5, trap 28",
       {create(), inject(w1.ack_req()), expect({nak(0, 0x60, 0)}), inject(w2.ack_req()), silence(),
        inject(w1.ack_req()), silence(), untouched(kVa, 0x300)}},
      {"psn.nak_again_after_progress",
       "After an in-order packet the next gap gets a NAK again",
       "1.5",
       {create(), inject(w1), expect({nak(0, 0x60, 0)}), inject(w0), silence(), inject(w2), expect({nak(1, 0x60, 1)}),
        inject(w1), inject(w2.ack_req()), expect({ack(2, 3)}), memory(kVa + 0x100, 1, 32)}},
      {"psn.nak_msn",
       "The NAK carries the MSN of what was executed",
       "1.2",
       {create(), inject(w0), inject(w2), expect({nak(1, 0x60, 1)})}},
      {"psn.no_nak_for_duplicate_in_gap",
       "A duplicate while a NAK is out is acknowledged as ever",
       "1.5, trap 28",
       {create(), inject(w0), inject(w2), expect({nak(1, 0x60, 1)}), inject(w0), expect({ack(0, 1)})}},
      {"psn.duplicate_only",
       "A duplicate WRITE is acknowledged again with the newest PSN and MSN, without AckReq",
       "1.5, 2 loss_ack",
       {create(), inject(w0), inject(w1), silence(), fill(kVa, 7, 32), inject(w0), expect({ack(1, 2)}),
        memory(kVa, 7, 32)}},
      {"psn.duplicate_message", "Every packet of a repeated message gets an ACK of its own", "2 loss_ack",
       join({{create()},
             message(0, 600, 256),
             {expect({ack(2, 1)}), fill(kVa, 5, 600)},
             {inject(write_first(0, 600)), expect({ack(2, 1)}), inject(write_middle(1, 256)), expect({ack(2, 1)}),
              inject(write_last(2, 512, 88).ack_req()), expect({ack(2, 1)}), memory(kVa, 5, 600)}})},
      {"psn.duplicate_inside_message",
       "A repeated FIRST inside the message is acknowledged with the last PSN taken",
       "2 loss_write_last",
       {create(), inject(write_first(0, 600)), inject(write_middle(1, 256)), inject(write_first(0, 600)),
        expect({ack(1, 0)}), inject(write_middle(1, 256)), expect({ack(1, 0)}),
        inject(write_last(2, 512, 88).ack_req()), expect({ack(2, 1)}), memory(kVa, 1, 600)}},
      {"psn.duplicate_of_bad_key",
       "Of a duplicate nothing but the PSN is looked at",
       "1.5",
       {create(), inject(w0.ack_req()), expect({ack(0, 1)}), inject(w0.rkey(0x999)), expect({ack(0, 1)})}},
      {"psn.overtaken",
       "A packet that was overtaken is refused once and taken when it is repeated",
       "Also",
       {create(), inject(w1), expect({nak(0, 0x60, 0)}), inject(w0), inject(w1), inject(w2.ack_req()),
        expect({ack(2, 3)}), memory(kVa, 1, 32), memory(kVa + 0x100, 1, 32), memory(kVa + 0x200, 1, 32)}},
      {"psn.wrap_only",
       "WRITE_ONLY packets across PSN 0xFFFFFF",
       "Also, psn_wrap, defect 9",
       {create({.expect = kWrap}), inject(w0.ack_req()), expect({ack(0, 1)}), inject(w1.ack_req()), expect({ack(1, 2)}),
        inject(w2.ack_req()), expect({ack(2, 3)}), inject(w1.ack_req()), expect({ack(2, 3)})}},
      {"psn.wrap_message", "A message across PSN 0xFFFFFF", "Also, psn_wrap",
       join({{create({.expect = kWrap})}, message(0, 1000, 256), {expect({ack(3, 1)}), memory(kVa, 1, 1000)}})},
      {"psn.wrap_gap",
       "A gap across PSN 0xFFFFFF is a gap",
       "defect 9",
       {create({.expect = 0xFFFFFF}), inject(w2), expect({nak(0, 0x60, 0)}), inject(w0), inject(w1.ack_req()),
        expect({ack(1, 2)})}},
      {"psn.farthest_ahead",
       "2^23 - 1 ahead is ahead",
       "1.5, defect 9",
       {create(), inject(write_only(0x7FFFFF, 32)), expect({nak(0, 0x60, 0)}), untouched(kVa, 32)}},
      {"psn.farthest_behind",
       "2^23 behind is behind",
       "1.5, defect 9",
       {create(), inject(write_only(-0x800000, 32)), expect({ack(-1, 0)}), untouched(kVa, 32)}},
      {"psn.before_first",
       "A packet from before the first PSN is an old one: acknowledged, not executed",
       "trap 19",
       {create(), inject(write_only(-1, 32)), expect({ack(-1, 0)}), inject(w0.ack_req()), expect({ack(0, 1)})}},
  };
}

}  // namespace

std::vector<Row> write_rows() {
  std::vector<Row> rows;
  for (const std::uint32_t bytes : {1u, 2u, 3u, 4u, 5u, 8u, 63u, 64u, 65u, 255u, 256u})
    rows.push_back(one_write(bytes));
  for (const auto& [bytes, pmtu] : {std::pair{257u, 256u},
                                    {511u, 256u},
                                    {512u, 256u},
                                    {513u, 256u},
                                    {1025u, 512u},
                                    {3085u, 1024u},
                                    {4097u, 2048u},
                                    {8193u, 4096u},
                                    {16384u, 4096u}})
    rows.push_back(one_message(bytes, pmtu));
  for (auto& row : ack_rules()) rows.push_back(std::move(row));
  for (auto& row : psn_rules()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace caravan::conformance
