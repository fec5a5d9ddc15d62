// SPDX-License-Identifier: Apache-2.0
// Requester: RNR NAKs, their timers and retry limit.
#include <fmt/format.h>

#include "testbenches/conformance/requests.hpp"
#include "testbenches/conformance/rows.hpp"

namespace caravan::conformance {
namespace {

using ref::CompletionStatus;

constexpr std::uint8_t kCode = 2;  // 20 us

/// One SEND of `bytes` is in flight.
std::vector<Step> started(const std::vector<Step>& rest, std::uint32_t bytes = 8, const QpSpec& qp = {}) {
  return join({{create(qp), fill(kSource, 1, 4096), post(send_of(1, bytes)), expect(send_message_of(0, bytes))}, rest});
}

std::vector<Step> round(std::uint32_t bytes = 8) {
  return {inject(rnr(0, kCode, 0)), silence(), timer(ref::rnr_wait(kCode)), expect(send_message_of(0, bytes))};
}

Row code(std::uint32_t n) {
  const auto wait = ref::rnr_wait(static_cast<std::uint8_t>(n));
  return {fmt::format("rnr_in.code_{:02}", n),
          fmt::format("RNR NAK with timer code {}: the SEND again after {} us", n, wait.in_us()),
          n == 0 ? "1.2, trap 30" : "1.2 RNR timer",
          started({inject(rnr(0, static_cast<std::uint8_t>(n), 0)), silence(), timer(wait),
                   expect(send_message_of(0, 8)), inject(ack(0, 1)), completes({{1}}), no_timer()})};
}

std::vector<Step> rounds(int count) {
  std::vector<Step> steps;
  for (int i = 0; i < count; ++i) steps = join({steps, round()});
  return steps;
}

std::vector<Row> limits() {
  return {
      {"rnr_in.retry_0", "rnr_retry 0: the first RNR NAK fails the QP", "trap 21",
       started({post(send_of(2, 8)), expect(send_message_of(1, 8)), inject(rnr(0, kCode, 0)), silence(),
                completes({{1, CompletionStatus::kRnrExceeded}, {2, CompletionStatus::kFlushed}}), no_timer()},
               8, {.rnr_retry = 0})},
      {"rnr_in.retry_1", "rnr_retry 1: one repetition, then the QP fails", "trap 21",
       started(
           join({rounds(1), {inject(rnr(0, kCode, 0)), completes({{1, CompletionStatus::kRnrExceeded}}), no_timer()}}),
           8, {.rnr_retry = 1})},
      {"rnr_in.retry_6", "rnr_retry 6: six repetitions, then the QP fails", "1.2",
       started(join({rounds(6), {inject(rnr(0, kCode, 0)), completes({{1, CompletionStatus::kRnrExceeded}})}}), 8,
               {.rnr_retry = 6})},
      {"rnr_in.retry_7", "rnr_retry 7 is endless", "1.2, trap 21",
       started(join({rounds(10), {inject(ack(0, 1)), completes({{1}})}}), 8, {.retry = 1, .rnr_retry = 7})},
      {"rnr_in.progress_resets", "Progress gives the RNR retries back", "1.2",
       started(join({rounds(1),
                     {post(send_of(2, 8)), expect(send_message_of(1, 8)), inject(ack(0, 1)), completes({{1}}),
                      inject(rnr(1, kCode, 1)), silence(), timer(), expect(send_message_of(1, 8)), inject(ack(1, 2)),
                      completes({{2}})}}),
               8, {.rnr_retry = 1})},
      {"rnr_in.no_retry_spent", "An RNR wait costs no retry of the other kind", "1.2",
       started(join({rounds(3), {timer(), expect(send_message_of(0, 8)), inject(ack(0, 1)), completes({{1}})}}), 8,
               {.retry = 1})},
  };
}

std::vector<Row> waiting() {
  return {
      {"rnr_in.message_again", "After the wait the whole message is sent again", "2 rnr capture",
       started(join({round(600), {inject(ack(2, 1)), completes({{1}})}}), 600)},
      {"rnr_in.acks_before",
       "An RNR NAK acknowledges what is before it",
       "1.5",
       {create(), fill(kSource, 1, 4096), post(write_of(1, 8)), post(send_of(2, 8)),
        expect(sent({message_of(0, 8), send_message_of(1, 8)})), inject(rnr(1, kCode, 1)), completes({{1}}), silence(),
        timer(ref::rnr_wait(kCode)), expect(send_message_of(1, 8)), inject(ack(1, 2)), completes({{2}})}},
      {"rnr_in.not_an_ack", "An RNR NAK acknowledges nothing from its PSN on", "defect 7",
       started(join({{inject(rnr(0, kCode, 0)), completes({}), silence(), timer(), expect(send_message_of(0, 8)),
                      inject(ack(0, 1)), completes({{1}})}}))},
      {"rnr_in.sequence_nak_behind", "The NAK for the packets behind it does not end the wait", "2 rnr capture",
       started({inject(rnr(0, kCode, 0)), inject(nak(0, 0x60, 0)), silence(), timer(), expect(send_message_of(0, 600)),
                inject(ack(2, 1)), completes({{1}})},
               600)},
      {"rnr_in.duplicate", "A second RNR NAK during the wait changes nothing", "trap 28",
       started({inject(rnr(0, kCode, 0)), inject(rnr(0, kCode, 0)), drops(Drop::kResponse), silence(), timer(),
                expect(send_message_of(0, 8)), inject(ack(0, 1)), completes({{1}})},
               8, {.rnr_retry = 1})},
      {"rnr_in.nothing_sent", "Nothing is sent during the wait, new work waits behind", "1.2",
       started({inject(rnr(0, kCode, 0)), post(write_of(2, 8)), silence(), timer(),
                expect(sent({send_message_of(0, 8), message_of(1, 8)})), inject(ack(1, 2)), completes({{1}, {2}})})},
      {"rnr_in.ack_during_wait", "An ACK during the wait ends it: the packet was executed after all", "nested retries",
       started({inject(rnr(0, kCode, 0)), silence(), inject(ack(0, 1)), completes({{1}}), post(write_of(2, 8)),
                expect(message_of(1, 8)), inject(ack(1, 2)), completes({{2}}), no_timer()})},
      {"rnr_in.write_immediate",
       "A WRITE with immediate is repeated whole",
       "1.2",
       {create(), fill(kSource, 1, 512), post([] {
          auto r = write_of(1, 300);
          r.has_imm = true;
          r.imm = 5;
          return r;
        }()),
        expect({to_peer(write_first(0, 300)), write_last(1, 256, 44).imm(5).ack_req()}), inject(rnr(1, kCode, 0)),
        silence(), timer(ref::rnr_wait(kCode)), expect({write_last(1, 256, 44).imm(5).ack_req()}), inject(ack(1, 1)),
        completes({{1}})}},
      {"rnr_in.timeout_after_wait", "After the wait the retry timer runs again", "nested retries",
       started(join({round(),
                     {timer(ref::ack_timeout(14)), expect(send_message_of(0, 8)), inject(ack(0, 1)), completes({{1}}),
                      no_timer()}}))},
      {"rnr_in.fatal_during_wait", "A fatal NAK during the wait fails the QP", "nested retries",
       started({inject(rnr(0, kCode, 0)), inject(nak(0, 0x63, 0)), completes({{1, CompletionStatus::kRemoteOperation}}),
                no_timer()})},
      {"rnr_in.error_during_wait", "Software moves the QP to ERROR during the wait: flushed, no timer left", "trap 21",
       started({inject(rnr(0, kCode, 0)), state(ref::QpState::kError), completes({{1, CompletionStatus::kFlushed}}),
                no_timer(), silence()})},
      {"rnr_in.destroy_during_wait", "Destroy and create during the wait: the new QP works, the old timer is dead",
       "trap 21, trap 19",
       started({inject(rnr(0, kCode, 0)), state(ref::QpState::kReset), completes({{1, CompletionStatus::kFlushed}}),
                create({.send = 0x5000}), no_timer(), silence(), post(send_of(2, 8)), expect(send_message_of(0, 8)),
                inject(rnr(-0x4E00, kCode, 0)), drops(Drop::kResponse), inject(ack(0, 1)), completes({{2}})})},
      {"rnr_in.other_qp_goes_on", "One QP's wait does not stop another", "trap 22",
       started({create({.qpn = 2, .send = 0x900}), inject(rnr(0, kCode, 0)), post(write_of(2, 8), 2),
                expect({message_of(0, 8).front().on(2)}), inject(ack(0, 1).on(2)), completes({{.wr_id = 2, .qpn = 2}}),
                timer(), expect(send_message_of(0, 8)), inject(ack(0, 1)), completes({{1}})})},
  };
}

}  // namespace

std::vector<Row> rnr_rows() {
  std::vector<Row> rows;
  for (const auto& part : {limits(), waiting()}) rows.insert(rows.end(), part.begin(), part.end());
  for (std::uint32_t n = 0; n < 32; ++n) rows.push_back(code(n));
  return rows;
}

}  // namespace caravan::conformance
