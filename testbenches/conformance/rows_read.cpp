// SPDX-License-Identifier: Apache-2.0
// Responder: READ.
#include <fmt/format.h>

#include <algorithm>

#include "testbenches/conformance/rows.hpp"

namespace caravan::conformance {
namespace {

using packet::Opcode;

/// The whole answer to a READ; `resumed`: it begins in the middle of an earlier one. `from`: offset in data 1.
std::vector<FrameSpec> answer(std::int64_t psn, std::uint32_t msn, std::uint32_t bytes, std::uint32_t pmtu = 256,
                              bool resumed = false, std::uint64_t from = 0) {
  std::vector<FrameSpec> out;
  const std::uint32_t packets = ref::packets_of(bytes, pmtu);
  for (std::uint32_t i = 0; i < packets; ++i) {
    const bool first = i == 0 && !resumed, last = i + 1 == packets;
    const Opcode opcode = first ? (last ? Opcode::kReadRespOnly : Opcode::kReadRespFirst)
                                : (last ? Opcode::kReadRespLast : Opcode::kReadRespMiddle);
    out.push_back(read_response(opcode, psn + i, msn, from + i * pmtu, std::min(pmtu, bytes - i * pmtu)));
  }
  return out;
}

Row one_read(std::uint32_t bytes, std::uint32_t pmtu) {
  const std::uint32_t packets = ref::packets_of(bytes, pmtu);
  return {
      fmt::format("read.{}_at_{}", bytes, pmtu),
      "A READ is answered by its data, uses max(1, ceil(length / MTU)) PSNs and is one message",
      "1.5, trap 1",
      {create({.pmtu = pmtu}), fill(kVa, 1, bytes), inject(read_request(0, bytes)), expect(answer(0, 1, bytes, pmtu)),
       inject(write_only(packets, 8, 0x8000).ack_req()), expect({ack(packets, 2)})}};
}

std::vector<Row> repeated() {
  const std::vector<Step> done = {create(), fill(kVa, 1, 1000), inject(read_request(0, 1000)),
                                  expect(answer(0, 1, 1000))};
  const auto with = [&](const std::vector<Step>& rest) { return join({done, rest}); };
  return {
      {"read.duplicate", "A repeated READ is executed again: FIRST to LAST, nothing else moves", "1.5",
       with({inject(read_request(0, 1000)), expect(answer(0, 1, 1000)), inject(write_only(4, 8, 0x8000).ack_req()),
             expect({ack(4, 2)})})},
      {"read.duplicate_sees_new_data", "A repeated READ reads the memory of now", "1.5",
       with({fill(kVa, 2, 1000), inject(read_request(0, 256)),
             expect({read_response(Opcode::kReadRespOnly, 0, 1, 0, 256, 2)})})},
      {"read.resumed", "A READ resumed in the middle is answered MIDDLE .. LAST from there", "2 loss_read_req",
       with({inject(read_request(1, 744, 256)), expect(answer(1, 1, 744, 256, true, 256))})},
      {"read.resumed_last", "Resumed at its last packet the answer is LAST alone", "2 loss_read_req",
       with({inject(read_request(3, 232, 768)), expect(answer(3, 1, 232, 256, true, 768))})},
      {"read.resumed_shorter", "A part of a remembered READ may end before that does", "ISSUE 4 semantics",
       with({inject(read_request(1, 300, 256)), expect(answer(1, 1, 300, 256, true, 256))})},
      {"read.shorter_from_first", "The first packet of it alone is ONLY", "1.5 subset",
       with({inject(read_request(0, 100)), expect(answer(0, 1, 100))})},
      {"read.duplicate_other_key", "A repeated READ with another rkey is dropped", "1.5",
       with({inject(read_request(0, 1000).rkey(0x999)), silence(), inject(write_only(4, 8, 0x8000).ack_req()),
             expect({ack(4, 2)})})},
      {"read.duplicate_other_address", "A repeated READ with another address is dropped", "1.5",
       with({inject(read_request(0, 1000, 8)), silence(), drops(Drop::kReplay)})},
      {"read.resumed_wrong_address", "A resumed READ whose address does not belong to its PSN is dropped", "1.5",
       with({inject(read_request(1, 744, 512)), silence(), drops(Drop::kReplay)})},
      {"read.duplicate_longer", "A repeated READ that ends later than the remembered one is dropped", "1.5",
       with({inject(read_request(0, 1001)), silence(), drops(Drop::kReplay)})},
      {"read.duplicate_never_seen", "A READ behind the window that is not remembered is dropped", "1.5",
       with({inject(read_request(-3, 64)), silence(), drops(Drop::kReplay)})},
      {"read.duplicate_permission", "The permission of a repeated READ is that of now", "ISSUE 4 semantics",
       with({region({.read = false}), inject(read_request(0, 1000)), silence(),
             inject(write_only(4, 8, 0x8000).ack_req()), expect({ack(4, 2)})})},
      {"read.duplicate_region_removed", "Nothing is read from a region that was removed", "ISSUE 4 semantics",
       with({unregister(), inject(read_request(0, 1000)), silence(), inject(write_only(4, 0).ack_req()),
             expect({ack(4, 2)})})},
      {"read.duplicate_msn", "The answer to a repeated READ carries the current MSN", "1.2",
       with({inject(write_only(4, 8, 0x8000)), inject(read_request(0, 256)), expect(answer(0, 2, 256))})},
      {"read.duplicate_in_gap", "While a NAK is out a repeated READ is answered", "1.5",
       with({inject(write_only(5, 8, 0x8000)), expect({nak(4, 0x60, 1)}), inject(read_request(0, 256)),
             expect(answer(0, 1, 256))})},
  };
}

Row remembered() {
  std::vector<Step> script = {create(), fill(kVa, 1, 64)};
  for (std::int64_t i = 0; i < 17; ++i) {
    script.push_back(inject(read_request(i, 8)));
    script.push_back(expect(answer(i, static_cast<std::uint32_t>(i + 1), 8)));
  }
  for (const Step& step : {inject(read_request(1, 8)), expect(answer(1, 17, 8)), inject(read_request(0, 8)), silence(),
                           drops(Drop::kReplay)})
    script.push_back(step);
  return {"read.sixteen_remembered", "The last 16 READs and atomics are remembered, the one before them is forgotten",
          "1.5 max_dest_rd_atomic", script};
}

std::vector<Row> others() {
  return {
      {"read.ahead",
       "A READ ahead is a gap like any other packet",
       "1.5",
       {create(), fill(kVa, 1, 64), inject(read_request(1, 64)), expect({nak(0, 0x60, 0)}), inject(read_request(0, 64)),
        expect(answer(0, 1, 64))}},
      {"read.host",
       "READ of host memory",
       "3 classes",
       {create(), region({.rkey = 0x333, .first = 8ull << 60, .bytes = 0x1000}), fill(8ull << 60, 1, 700),
        inject(read_request(0, 700).va(8ull << 60).rkey(0x333)), expect(answer(0, 1, 700))}},
      {"read.unaligned",
       "READ of an address of no alignment",
       "trap 1",
       {create(), fill(kVa + 61, 1, 300), inject(read_request(0, 300, 61)), expect(answer(0, 1, 300))}},
      {"read.after_write",
       "A READ sees the WRITE before it",
       "issue 4",
       {create(), inject(write_only(0, 200)), inject(read_request(1, 200)), expect(answer(1, 2, 200))}},
      {"read.ack_after_answer",
       "An ACK behind a READ leaves after the answer",
       "ISSUE 4 order of responses",
       {create(), fill(kVa, 1, 600), inject(read_request(0, 600)), inject(write_only(3, 8, 0x8000).ack_req()),
        expect([] {
          auto all = answer(0, 1, 600);
          all.push_back(ack(3, 2));
          return all;
        }())}},
      {"read.psn_wrap",
       "A READ whose answer crosses PSN 0xFFFFFF",
       "Also, psn_wrap",
       {create({.expect = 0xFFFFFE}), fill(kVa, 1, 1000), inject(read_request(0, 1000)), expect(answer(0, 1, 1000)),
        inject(read_request(2, 488, 512)), expect(answer(2, 1, 488, 256, true, 512)),
        inject(write_only(4, 8, 0x8000).ack_req()), expect({ack(4, 2)})}},
      {"read.zero_duplicate",
       "A repeated READ of no bytes is answered again",
       "trap 27",
       {create(), inject(read_request(0, 0)), expect({read_response(Opcode::kReadRespOnly, 0, 1, 0, 0)}),
        inject(read_request(0, 0)), expect({read_response(Opcode::kReadRespOnly, 0, 1, 0, 0)}),
        inject(write_only(1, 8).ack_req()), expect({ack(1, 2)})}},
      {"read.two_qps",
       "READs of two QPs: each answer names its own QP",
       "trap 11",
       {create(), create({.qpn = 2, .expect = 0x700}), fill(kVa, 1, 600), inject(read_request(0, 600)),
        inject(read_request(0, 8).on(2)), expect([] {
          auto all = answer(0, 1, 600);
          all.push_back(read_response(Opcode::kReadRespOnly, 0, 1, 0, 8).on(2));
          return all;
        }())}},
  };
}

}  // namespace

std::vector<Row> read_rows() {
  std::vector<Row> rows;
  for (const auto& [bytes, pmtu] : {std::pair{0u, 256u},
                                    {1u, 256u},
                                    {3u, 256u},
                                    {64u, 256u},
                                    {65u, 256u},
                                    {255u, 256u},
                                    {256u, 256u},
                                    {257u, 256u},
                                    {768u, 256u},
                                    {1025u, 512u},
                                    {4096u, 1024u},
                                    {4097u, 4096u},
                                    {16384u, 4096u}})
    rows.push_back(one_read(bytes, pmtu));
  for (auto& row : repeated()) rows.push_back(std::move(row));
  rows.push_back(remembered());
  for (auto& row : others()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace caravan::conformance
