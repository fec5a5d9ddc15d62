// SPDX-License-Identifier: Apache-2.0
// Requester: READ and atomics.
#include <fmt/format.h>

#include <algorithm>

#include "testbenches/conformance/requests.hpp"
#include "testbenches/conformance/rows.hpp"

namespace caravan::conformance {
namespace {

using packet::Opcode;
using ref::CompletionStatus;

/// Packet `i` of the answer to a READ of `bytes`; data 1.
FrameSpec part(std::uint32_t i, std::uint32_t bytes, std::uint32_t msn = 1, std::int64_t psn = 0) {
  const std::uint32_t packets = ref::packets_of(bytes, kPmtu), from = i * kPmtu;
  const Opcode opcode = packets == 1       ? Opcode::kReadRespOnly
                        : i == 0           ? Opcode::kReadRespFirst
                        : i + 1 == packets ? Opcode::kReadRespLast
                                           : Opcode::kReadRespMiddle;
  return read_response(opcode, psn + i, msn, from, std::min(kPmtu, bytes - from));
}

std::vector<Step> parts(std::uint32_t from, std::uint32_t to, std::uint32_t bytes) {
  std::vector<Step> steps;
  for (std::uint32_t i = from; i < to; ++i) steps.push_back(inject(part(i, bytes)));
  return steps;
}

Row one_read(std::uint32_t bytes) {
  const std::uint32_t packets = ref::packets_of(bytes, kPmtu);
  return {fmt::format("read_in.{}", bytes), "A READ completes when its last byte is in memory, and writes only these",
          "1.5, trap 1, trap 27",
          join({{create(), post(read_of(1, bytes)), expect({read_of_peer(0, bytes)}), completes({})},
                parts(0, packets, bytes),
                {completes({{1}}), memory(kSink, 1, bytes), untouched(kSink + bytes, 8), silence(), no_timer(),
                 fill(kSource, 1, 8), post(write_of(2, 8)), expect(message_of(packets, 8))}})};
}

/// A READ of four packets is in flight.
constexpr std::uint32_t kBytes = 900;
std::vector<Step> started(const std::vector<Step>& rest, const QpSpec& qp = {}) {
  return join(
      {{create(qp), fill(kSource, 1, 1024), post(read_of(1, kBytes)), expect({read_of_peer(0, kBytes)})}, rest});
}
const std::vector<Step> kDone = {completes({{1}}), memory(kSink, 1, kBytes), no_timer(), silence()};

std::vector<Row> reads() {
  return {
      {"read_in.cut", "A long READ is cut into requests of half a window each; new ones go as the window opens",
       "ISSUE 4 requester, trap 26",
       join({{create(), post(read_of(1, 5000)), expect({read_of_peer(0, 2048), read_of_peer(8, 2048, 2048)})},
             [] {
               std::vector<Step> steps;
               for (std::uint32_t i = 0; i < 16; ++i) {
                 const bool first = i % 8 == 0, last = i % 8 == 7;
                 steps.push_back(inject(read_response(first  ? Opcode::kReadRespFirst
                                                      : last ? Opcode::kReadRespLast
                                                             : Opcode::kReadRespMiddle,
                                                      i, 1 + i / 8, std::uint64_t{i} * 256, 256)));
               }
               return steps;
             }(),
             {expect({read_of_peer(16, 904, 4096)}), completes({}),
              inject(read_response(Opcode::kReadRespFirst, 16, 3, 4096, 256)),
              inject(read_response(Opcode::kReadRespMiddle, 17, 3, 4352, 256)),
              inject(read_response(Opcode::kReadRespMiddle, 18, 3, 4608, 256)),
              inject(read_response(Opcode::kReadRespLast, 19, 3, 4864, 136)), completes({{1}}),
              memory(kSink, 1, 5000)}})},
      {"read_in.timeout_first", "A READ whose request was lost is requested again", "loss_read_req",
       started(join({{timer(), expect({read_of_peer(0, kBytes)})}, parts(0, 4, kBytes), kDone}))},
      {"read_in.timeout_middle", "After a timeout the READ resumes at the first missing response", "2 READ lost",
       started(join({parts(0, 2, kBytes),
                     {timer(), expect({read_of_peer(2, kBytes - 512, 512)})},
                     parts(2, 4, kBytes),
                     kDone}))},
      {"read_in.resumed_first", "The resumed answer may begin with FIRST: its opcode is not judged",
       "ISSUE 4 requester",
       started(join(
           {parts(0, 2, kBytes),
            {timer(), expect({read_of_peer(2, kBytes - 512, 512)}), inject(part(2, kBytes).as(Opcode::kReadRespFirst))},
            parts(3, 4, kBytes),
            kDone}))},
      {"read_in.gap", "A response that overtook another: what is missing is requested again", "1.5 implied NAK",
       started(join({parts(0, 1, kBytes),
                     {inject(part(2, kBytes)), expect({read_of_peer(1, kBytes - 256, 256)})},
                     parts(1, 4, kBytes),
                     kDone}))},
      {"read_in.gap_once", "More responses behind the gap ask for nothing more", "1.5, trap 28",
       started(join({{inject(part(1, kBytes)), expect({read_of_peer(0, kBytes)}), inject(part(2, kBytes)),
                      inject(part(3, kBytes)), silence()},
                     parts(0, 4, kBytes),
                     kDone}))},
      {"read_in.duplicate_response", "A response that came before has no effect", "Also",
       started(join({parts(0, 2, kBytes),
                     {inject(part(1, kBytes).seed(9)), drops(Drop::kResponse), silence()},
                     parts(2, 4, kBytes),
                     kDone}))},
      {"read_in.ghost_response", "A response to what was never asked has no effect", "ghost ACKs",
       started(
           join({{inject(part(0, 64, 1, 4).seed(9)), drops(Drop::kResponse), silence()}, parts(0, 4, kBytes), kDone}))},
      {"read_in.unasked",
       "A READ response when nothing is in flight is dropped, its payload goes nowhere",
       "ghost ACKs",
       {create(), inject(part(0, 64)), drops(Drop::kResponse), silence(), untouched(kSink, 64), fill(kSource, 1, 8),
        post(write_of(2, 8)), expect(message_of(0, 8))}},
      {"read_in.short_response", "A response shorter than the packet that was asked for is dropped",
       "ISSUE 4 requester",
       started(join({{inject(read_response(Opcode::kReadRespFirst, 0, 1, 0, 252)), drops(Drop::kResponse),
                      untouched(kSink, 252)},
                     parts(0, 4, kBytes),
                     kDone}))},
      {"read_in.long_last", "A last response longer than what is left is dropped", "ISSUE 4 requester",
       started(join({parts(0, 3, kBytes),
                     {inject(read_response(Opcode::kReadRespLast, 3, 1, 768, 256)), drops(Drop::kResponse),
                      untouched(kSink + kBytes, 124)},
                     parts(3, 4, kBytes),
                     kDone}))},
      {"read_in.ack_is_no_answer", "An ACK with the PSN of a READ does not complete it", "1.5",
       started(
           join({{inject(ack(0, 1)), completes({}), silence(), drops(Drop::kResponse)}, parts(0, 4, kBytes), kDone}))},
      {"read_in.implied_nak_by_ack", "The ACK of a WRITE behind a READ proves that its answer was lost",
       "1.5 implied NAK",
       started(join(
           {{post(write_of(2, 8)), expect(message_of(4, 8))},
            parts(0, 1, kBytes),
            {inject(ack(4, 2)), expect({read_of_peer(1, kBytes - 256, 256), message_of(4, 8).front()}), completes({})},
            parts(1, 4, kBytes),
            {completes({{1}}), inject(ack(4, 2)), completes({{2}}), memory(kSink, 1, kBytes)}}))},
      {"read_in.response_acks_writes",
       "The answer to a READ acknowledges the WRITEs before it",
       "1.5",
       {create(), fill(kSource, 1, 64), post(write_of(1, 8)), post(read_of(2, 64)),
        expect({message_of(0, 8).front(), read_of_peer(1, 64)}), inject(part(0, 64, 2, 1)), completes({{1}, {2}}),
        memory(kSink, 1, 64), no_timer()}},
      {"read_in.sequence_nak", "NAK 0x60 of a READ request: it is requested again", "1.5",
       started(join({{inject(nak(0, 0x60, 0)), expect({read_of_peer(0, kBytes)})}, parts(0, 4, kBytes), kDone}))},
      {"read_in.access_nak", "NAK 0x62 of a READ: error, the rest flushed", "nak_read_bad_rkey",
       started({post(read_of(2, 8)), expect({read_of_peer(4, 8)}), inject(nak(0, 0x62, 0)),
                completes({{1, CompletionStatus::kRemoteAccess}, {2, CompletionStatus::kFlushed}}), no_timer()})},
      {"read_in.retries_exceeded", "A READ that is never answered ends with retry exceeded", "loss_retry_exceeded",
       started({timer(), expect({read_of_peer(0, kBytes)}), timer(), silence(),
                completes({{1, CompletionStatus::kRetryExceeded}})},
               {.retry = 1})},
      {"read_in.progress_resets", "Each response is progress and gives the retries back", "nested retries",
       started(join({{timer(), expect({read_of_peer(0, kBytes)})},
                     parts(0, 1, kBytes),
                     {timer(), expect({read_of_peer(1, kBytes - 256, 256)})},
                     parts(1, 4, kBytes),
                     kDone}),
               {.retry = 1})},
      {"read_in.psn_wrap", "A READ across PSN 0xFFFFFF, resumed there", "psn_wrap, defect 9",
       started(join({parts(0, 2, kBytes),
                     {timer(), expect({read_of_peer(2, kBytes - 512, 512)})},
                     parts(2, 4, kBytes),
                     kDone}),
               {.send = 0xFFFFFE})},
      {"read_in.bad_local",
       "A READ into what is no memory is refused at once",
       "issue 4",
       {create(), post([] {
          auto r = read_of(1, 8);
          r.local_va = 3ull << 60;
          return r;
        }()),
        silence(), completes({{1, CompletionStatus::kBadRequest}})}},
      {"read_in.inline",
       "READ has no inline form",
       "ISSUE 4 requester",
       {create(), post([] {
          auto r = read_of(1, 8);
          r.inl = true;
          return r;
        }()),
        silence(), completes({{1, CompletionStatus::kBadRequest}})}},
      {"read_in.host_sink",
       "A READ into host memory, at any alignment",
       "3 classes",
       {create(), post([] {
          auto r = read_of(1, 300);
          r.local_va = (8ull << 60) + 61;
          return r;
        }()),
        expect({read_of_peer(0, 300)}), inject(part(0, 300)), inject(part(1, 300)), completes({{1}}),
        memory((8ull << 60) + 61, 1, 300)}},
      {"read_in.flushed", "A READ in flight is flushed; its late response writes nothing", "issue 4",
       started(join({parts(0, 1, kBytes),
                     {state(ref::QpState::kError), completes({{1, CompletionStatus::kFlushed}}),
                      inject(part(1, kBytes)), untouched(kSink + 256, 256)}}))},
  };
}

FrameSpec add_of_peer(std::int64_t psn, std::uint64_t add) { return to_peer(fetch_add(psn, add)); }

std::vector<Row> atomics() {
  const std::vector<Step> add = {create(), post(fetch_add_of(1, 5)), expect({add_of_peer(0, 5)})};
  const auto with = [&](const std::vector<Step>& rest) { return join({add, rest}); };
  const std::vector<Step> done = {inject(atomic_ack(0, 1, 0x1122334455667788)),
                                  completes({{1, CompletionStatus::kOk, 0x1122334455667788}}),
                                  memory_u64(kSink, 0x1122334455667788), no_timer()};
  return {
      {"atomic_in.fetch_add", "FETCH_ADD completes with the value before, which is in memory then", "1.1", with(done)},
      {"atomic_in.compare_swap",
       "COMPARE_SWAP: VA, rkey, swap, compare",
       "2 CMP_SWAP order",
       {create(), post(compare_swap_of(1, 7, 9)), expect({to_peer(compare_swap(0, 7, 9))}), inject(atomic_ack(0, 1, 7)),
        completes({{1, CompletionStatus::kOk, 7}}), memory_u64(kSink, 7)}},
      {"atomic_in.result_only",
       "An inline atomic leaves the memory alone",
       "ISSUE 4 requester",
       {create(), post([] {
          auto r = fetch_add_of(1, 5);
          r.inl = true;
          return r;
        }()),
        expect({add_of_peer(0, 5)}), inject(atomic_ack(0, 1, 77)), completes({{1, CompletionStatus::kOk, 77}}),
        untouched(kSink, 8)}},
      {"atomic_in.unaligned_sink",
       "The result goes to any address",
       "ISSUE 4 names",
       {create(), post([] {
          auto r = fetch_add_of(1, 5);
          r.local_va = kSink + 61;
          return r;
        }()),
        expect({add_of_peer(0, 5)}), inject(atomic_ack(0, 1, 77)), completes({{1, CompletionStatus::kOk, 77}}),
        memory_u64(kSink + 61, 77)}},
      {"atomic_in.length",
       "An atomic of another length than 8 is refused at once",
       "ISSUE 4 names",
       {create(), post([] {
          auto r = fetch_add_of(1, 5);
          r.length = 4;
          return r;
        }()),
        silence(), completes({{1, CompletionStatus::kBadRequest}})}},
      {"atomic_in.repeated", "An atomic without answer is sent again as it was", "2 ATOMIC repeated",
       with(join({{timer(), expect({add_of_peer(0, 5)})}, done}))},
      {"atomic_in.duplicate_answer", "The second answer to a repeated atomic has no effect", "2 ATOMIC repeated",
       with(join({{timer(), expect({add_of_peer(0, 5)})},
                  done,
                  {inject(atomic_ack(0, 1, 99)), drops(Drop::kResponse), completes({}),
                   memory_u64(kSink, 0x1122334455667788)}}))},
      {"atomic_in.implied_nak", "The answer to a later atomic proves that the first answer was lost", "1.5 implied NAK",
       with(join(
           {{post(fetch_add_of(2, 6)), expect({add_of_peer(1, 6)}), inject(atomic_ack(1, 2, 1)), completes({}),
             expect({add_of_peer(0, 5), add_of_peer(1, 6)}), inject(atomic_ack(0, 2, 0)), inject(atomic_ack(1, 2, 5)),
             completes({{1, CompletionStatus::kOk, 0}, {2, CompletionStatus::kOk, 5}})}}))},
      {"atomic_in.ack_is_no_answer", "A plain ACK does not complete an atomic", "1.5",
       with(join({{inject(ack(0, 1)), completes({}), silence(), drops(Drop::kResponse)}, done}))},
      {"atomic_in.wrong_answer", "A READ response does not answer an atomic", "ISSUE 4 requester",
       with(join({{inject(part(0, 8)), completes({}), drops(Drop::kResponse), untouched(kSink, 8)}, done}))},
      {"atomic_in.access_nak", "NAK 0x62 of an atomic", "nak_atomic_noaccess",
       with({inject(nak(0, 0x62, 0)), completes({{1, CompletionStatus::kRemoteAccess}}), no_timer()})},
      {"atomic_in.psn_wrap",
       "Atomics across PSN 0xFFFFFF",
       "Also: PSN wrap",
       {create({.send = 0xFFFFFF}), post(fetch_add_of(1, 5)), post(fetch_add_of(2, 6)),
        expect({add_of_peer(0, 5), add_of_peer(1, 6)}), inject(atomic_ack(0, 1, 1)), inject(atomic_ack(1, 2, 6)),
        completes({{1, CompletionStatus::kOk, 1}, {2, CompletionStatus::kOk, 6}})}},
  };
}

}  // namespace

std::vector<Row> query_rows() {
  std::vector<Row> rows;
  for (const std::uint32_t bytes : {0u, 1u, 64u, 255u, 256u, 257u, 768u, 2048u}) rows.push_back(one_read(bytes));
  for (const auto& part : {reads(), atomics()}) rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

}  // namespace caravan::conformance
