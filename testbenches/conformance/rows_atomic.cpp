// SPDX-License-Identifier: Apache-2.0
// Responder: atomics, and that none is ever executed twice.
#include "testbenches/conformance/rows.hpp"

namespace caravan::conformance {
namespace {

constexpr std::uint64_t kAll = ~0ull;

std::vector<Row> once() {
  return {
      {"atomic.fetch_add",
       "FETCH_ADD answers with the value before, and adds",
       "1.1, atomic",
       {create(), fill_u64(kVa, 100), inject(fetch_add(0, 5)), expect({atomic_ack(0, 1, 100)}), memory_u64(kVa, 105)}},
      {"atomic.fetch_add_wraps",
       "FETCH_ADD is modulo 2^64",
       "atomic: add -1",
       {create(), fill_u64(kVa, 3), inject(fetch_add(0, kAll)), expect({atomic_ack(0, 1, 3)}), memory_u64(kVa, 2),
        inject(fetch_add(1, kAll - 1)), expect({atomic_ack(1, 2, 2)}), memory_u64(kVa, 0)}},
      {"atomic.swap_hit",
       "COMPARE_SWAP stores when the value is the compared one",
       "2 CMP_SWAP order, atomic",
       {create(), fill_u64(kVa, 7), inject(compare_swap(0, 7, 9)), expect({atomic_ack(0, 1, 7)}), memory_u64(kVa, 9)}},
      {"atomic.swap_miss",
       "COMPARE_SWAP of another value changes nothing",
       "atomic",
       {create(), fill_u64(kVa, 7), inject(compare_swap(0, 8, 9)), expect({atomic_ack(0, 1, 7)}), memory_u64(kVa, 7)}},
      {"atomic.swap_high_half",
       "All 64 bits are compared",
       "1.1",
       {create(), fill_u64(kVa, 0x1'0000'0007), inject(compare_swap(0, 7, 9)),
        expect({atomic_ack(0, 1, 0x1'0000'0007)}), memory_u64(kVa, 0x1'0000'0007)}},
      {"atomic.byte_order",
       "Big-endian on the wire, little-endian in memory",
       "2",
       {create(), inject(compare_swap(0, 0, 0x0102030405060708)), expect({atomic_ack(0, 1, 0)}),
        memory_u64(kVa, 0x0102030405060708), inject(fetch_add(1, 0)), expect({atomic_ack(1, 2, 0x0102030405060708)})}},
      {"atomic.in_beat",
       "Only the eight bytes addressed change",
       "issue 4",
       {create(), fill(kVa, 1, 64), fill_u64(kVa + 24, 40), inject(fetch_add(0, 2, 24)), expect({atomic_ack(0, 1, 40)}),
        memory(kVa, 1, 24), memory_u64(kVa + 24, 42), memory(kVa + 32, 1, 32, 32)}},
      {"atomic.host",
       "Atomics on host memory",
       "3 classes",
       {create(), region({.rkey = 0x333, .first = 8ull << 60, .bytes = 0x1000}), fill_u64((8ull << 60) + 8, 1),
        inject(fetch_add(0, 1).va((8ull << 60) + 8).rkey(0x333)), expect({atomic_ack(0, 1, 1)}),
        memory_u64((8ull << 60) + 8, 2)}},
      {"atomic.back_to_back",
       "Atomics on one word see each other",
       "issue 4: one arbiter",
       {create(), create({.qpn = 2, .expect = 0x900}), inject(fetch_add(0, 1)), inject(fetch_add(0, 10).on(2)),
        inject(fetch_add(1, 100)), expect({atomic_ack(0, 1, 0), atomic_ack(0, 1, 1).on(2), atomic_ack(1, 2, 11)}),
        memory_u64(kVa, 111)}},
      {"atomic.after_write",
       "An atomic sees the WRITE before it, a WRITE comes after the atomic before it",
       "issue 4",
       {create(), fill_u64(kVa, 5), inject(fetch_add(0, 1)), expect({atomic_ack(0, 1, 5)}),
        inject(write_only(1, 8).ack_req()), expect({ack(1, 2)}), memory(kVa, 1, 8)}},
      {"atomic.ahead",
       "An atomic ahead is a gap and not executed",
       "1.5",
       {create(), inject(fetch_add(1, 5)), expect({nak(0, 0x60, 0)}), memory_u64(kVa, 0)}},
      {"atomic.psn_wrap",
       "Atomics across PSN 0xFFFFFF",
       "Also: PSN wrap",
       {create({.expect = 0xFFFFFF}), inject(fetch_add(0, 1)), expect({atomic_ack(0, 1, 0)}), inject(fetch_add(1, 1)),
        expect({atomic_ack(1, 2, 1)}), inject(fetch_add(0, 1)), expect({atomic_ack(0, 2, 0)}), memory_u64(kVa, 2)}},
  };
}

std::vector<Row> repeated() {
  const std::vector<Step> done = {create(), fill_u64(kVa, 100), inject(fetch_add(0, 5)),
                                  expect({atomic_ack(0, 1, 100)})};
  const auto with = [&](const std::vector<Step>& rest) { return join({done, rest}); };
  const auto last = memory_u64(kVa, 105);
  return {
      {"atomic.duplicate_add", "A repeated FETCH_ADD is answered from memory of the answer, never executed again",
       "1.5, 2 ATOMIC repeated",
       with({inject(fetch_add(0, 5)), expect({atomic_ack(0, 1, 100)}), inject(fetch_add(0, 5)),
             expect({atomic_ack(0, 1, 100)}), last, inject(write_only(1, 8, 0x8000).ack_req()), expect({ack(1, 2)})})},
      {"atomic.two_adds_lost_answer",
       "Two adds of 5 and 10 with a lost answer leave 15",
       "2 ATOMIC repeated",
       {create(), inject(fetch_add(0, 5)), inject(fetch_add(1, 10)), expect({atomic_ack(0, 1, 0), atomic_ack(1, 2, 5)}),
        inject(fetch_add(0, 5)), inject(fetch_add(1, 10)), expect({atomic_ack(0, 2, 0), atomic_ack(1, 2, 5)}),
        memory_u64(kVa, 15)}},
      {"atomic.duplicate_swap",
       "A repeated COMPARE_SWAP that would hit again by now is not executed",
       "1.5",
       {create(), inject(compare_swap(0, 0, 9)), expect({atomic_ack(0, 1, 0)}), fill_u64(kVa, 0),
        inject(compare_swap(0, 0, 9)), expect({atomic_ack(0, 1, 0)}), memory_u64(kVa, 0)}},
      {"atomic.duplicate_other_address", "A repeated PSN with another address is dropped", "ISSUE 4 semantics",
       with({inject(fetch_add(0, 5, 8)), silence(), drops(Drop::kReplay), last, memory_u64(kVa + 8, 0)})},
      {"atomic.duplicate_other_opcode", "A repeated PSN with another atomic is dropped", "ISSUE 4 semantics",
       with({inject(compare_swap(0, 105, 1)), silence(), drops(Drop::kReplay), last})},
      {"atomic.duplicate_never_seen", "An old atomic that is not remembered is dropped, not executed", "1.5",
       with({inject(fetch_add(-1, 5)), silence(), drops(Drop::kReplay), last})},
      {"atomic.read_at_its_psn", "A READ with the PSN of an atomic is no duplicate of it", "ISSUE 4 semantics",
       with({inject(read_request(0, 8)), silence(), drops(Drop::kReplay), last})},
      {"atomic.at_psn_of_read",
       "An atomic with the PSN of a READ is not executed",
       "1.5",
       {create(), inject(read_request(0, 0)), expect({read_response(packet::Opcode::kReadRespOnly, 0, 1, 0, 0)}),
        inject(fetch_add(0, 5)), silence(), drops(Drop::kReplay), memory_u64(kVa, 0)}},
      {"atomic.write_at_its_psn", "A WRITE with the PSN of an atomic is acknowledged and not executed", "1.5",
       with({inject(write_only(0, 8)), expect({ack(0, 1)}), last})},
      {"atomic.duplicate_after_revoke", "The remembered answer needs no permission", "ISSUE 4 semantics",
       with({region({.atomic = false}), inject(fetch_add(0, 5)), expect({atomic_ack(0, 1, 100)}), last})},
      {"atomic.duplicate_in_gap", "While a NAK is out a repeated atomic is answered", "1.5",
       with({inject(write_only(2, 8)), expect({nak(1, 0x60, 1)}), inject(fetch_add(0, 5)),
             expect({atomic_ack(0, 1, 100)}), last})},
      {"atomic.duplicate_in_message", "A repeated atomic inside a WRITE is answered, and the WRITE goes on", "1.5",
       with({inject(write_first(1, 300, 256, 0x8000)), inject(fetch_add(0, 5)), expect({atomic_ack(0, 1, 100)}),
             inject(write_last(2, 256, 44).ack_req()), expect({ack(2, 2)}), last})},
  };
}

Row forgotten() {
  std::vector<Step> script = {create()};
  for (std::int64_t i = 0; i < 17; ++i) {
    script.push_back(inject(fetch_add(i, 1)));
    script.push_back(expect({atomic_ack(i, static_cast<std::uint32_t>(i + 1), static_cast<std::uint64_t>(i))}));
  }
  for (const Step& step : {inject(fetch_add(1, 1)), expect({atomic_ack(1, 17, 1)}), inject(fetch_add(0, 1)), silence(),
                           drops(Drop::kReplay), memory_u64(kVa, 17)})
    script.push_back(step);
  return {"atomic.sixteen_remembered", "The last 16 atomics are remembered; the one before them is dropped", "1.5",
          script};
}

Row forgotten_by_create() {
  return {"atomic.forgotten_by_create",
          "A QP created anew remembers nothing",
          "trap 19",
          {create(), inject(fetch_add(0, 1)), expect({atomic_ack(0, 1, 0)}), create({.expect = 101}),
           inject(fetch_add(-1, 1)), silence(), drops(Drop::kReplay), memory_u64(kVa, 1)}};
}

}  // namespace

std::vector<Row> atomic_rows() {
  std::vector<Row> rows = once();
  for (auto& row : repeated()) rows.push_back(std::move(row));
  rows.push_back(forgotten());
  rows.push_back(forgotten_by_create());
  return rows;
}

}  // namespace caravan::conformance
