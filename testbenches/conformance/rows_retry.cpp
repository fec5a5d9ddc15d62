// SPDX-License-Identifier: Apache-2.0
// Requester: NAKs, timeouts, retries inside retries, retry limits.
#include <fmt/format.h>

#include "testbenches/conformance/requests.hpp"
#include "testbenches/conformance/rows.hpp"

namespace caravan::conformance {
namespace {

using ref::CompletionStatus;

constexpr std::uint32_t kBytes = 900;  // four packets
const std::vector<FrameSpec> kAll = message_of(0, kBytes);

/// One WRITE of four packets is in flight.
std::vector<Step> started(const std::vector<Step>& rest, const QpSpec& qp = {}) {
  return join({{create(qp), fill(kSource, 1, 8192), post(write_of(1, kBytes)), expect(kAll)}, rest});
}

std::vector<FrameSpec> from(std::uint32_t packet) { return part_of(0, packet, 4 - packet, kBytes); }
const std::vector<Step> kDone = {inject(ack(3, 1)), completes({{1}}), silence(), no_timer()};

std::vector<Step> and_done(const std::vector<Step>& steps, const QpSpec& qp = {}) {
  return started(join({steps, kDone}), qp);
}

std::vector<Row> sequence_naks() {
  return {
      {"retry.nak_first", "NAK of the first packet: the message again", "1.5",
       and_done({inject(nak(0, 0x60, 0)), expect(kAll)})},
      {"retry.nak_middle", "A NAK acknowledges what is before it; the rest is sent again", "1.5, loss_write_middle",
       and_done({inject(nak(2, 0x60, 0)), expect(from(2))})},
      {"retry.nak_last", "NAK of the last packet: that packet again", "1.5, trap 10",
       and_done({inject(nak(3, 0x60, 0)), expect(from(3))})},
      {"retry.nak_completes_before", "A NAK completes the messages before it", "1.5",
       join({{create(), fill(kSource, 1, 1024), post(write_of(1, 8)), post(write_of(2, 300)),
              expect(sent({message_of(0, 8), message_of(1, 300)})), inject(nak(1, 0x60, 1)), completes({{1}}),
              expect(message_of(1, 300)), inject(ack(2, 2)), completes({{2}})}})},
      {"retry.duplicate_nak", "The same NAK again starts no second repetition", "trap 28",
       and_done(
           {inject(nak(1, 0x60, 0)), expect(from(1)), inject(nak(1, 0x60, 0)), silence(), drops(Drop::kResponse)})},
      {"retry.nak_during_retry", "A NAK for a later packet during the repetition goes back from there", "trap 28",
       and_done({inject(nak(1, 0x60, 0)), expect(from(1)), inject(nak(2, 0x60, 0)), expect(from(2)),
                 inject(nak(3, 0x60, 0)), expect(from(3))})},
      {"retry.nak_of_acked", "A NAK for what is acknowledged has no effect", "ghost NAK",
       and_done({inject(ack(1, 0)), inject(nak(1, 0x60, 0)), inject(nak(0, 0x60, 0)), silence(),
                 drops(Drop::kResponse, 2)})},
      {"retry.ghost_nak", "A NAK for what was never sent has no effect", "ghost NAK",
       and_done({inject(nak(4, 0x60, 0)), inject(nak(0x12345, 0x62, 0)), silence(), drops(Drop::kResponse, 2)})},
      {"retry.ack_during_retry", "An ACK during the repetition completes; what it covers is not asked for again",
       "nested retries",
       started({inject(nak(1, 0x60, 0)), expect(from(1)), inject(ack(3, 1)), completes({{1}}), no_timer()})},
      {"retry.nak_after_timeout", "The gap that the timeout repaired was met again: its NAK counts", "nested retries",
       and_done({inject(nak(1, 0x60, 0)), expect(from(1)), timer(), expect(from(1)), inject(nak(1, 0x60, 0)),
                 expect(from(1))})},
      {"retry.sends_what_was_posted", "A repetition sends the bytes that were posted, not those of now",
       "issue 4: retransmission ring", and_done({fill(kSource, 9, 4096), inject(nak(1, 0x60, 0)), expect(from(1))})},
      {"retry.new_work_behind", "Work posted during a repetition is sent behind it", "trap 3",
       started({inject(nak(2, 0x60, 0)), expect(from(2)), post(write_of(2, 8)), expect(message_of(4, 8)),
                inject(nak(3, 0x60, 0)), expect(sent({part_of(0, 3, 1, kBytes), message_of(4, 8)})), inject(ack(4, 2)),
                completes({{1}, {2}})})},
      {"retry.psn_wrap", "Go back N across PSN 0xFFFFFF", "defect 9, psn_wrap",
       and_done({inject(nak(1, 0x60, 0)), expect(from(1)), inject(nak(2, 0x60, 0)), expect(from(2))},
                {.send = 0xFFFFFE})},
      {"retry.window_refills", "The window opens by what a NAK acknowledges", "trap 26",
       join({{create(), fill(kSource, 1, 8192), post(write_of(1, 5120)), expect(window_of(0, 0, 16, 5120)),
              inject(nak(2, 0x60, 0))},
             {inject(ack(17, 0)), inject(ack(19, 1)), completes({{1}})}})},
  };
}

std::vector<Row> timeouts() {
  return {
      {"timeout.all_again", "After a timeout the message is sent again from its oldest unacknowledged packet",
       "loss_write_last, loss_ack", and_done({timer(), expect(kAll)})},
      {"timeout.rest_again", "What was acknowledged is not sent again", "1.5",
       and_done({inject(ack(1, 0)), timer(), expect(from(2))})},
      {"timeout.nested", "A loss during the repetition: the timer again", "nested retries",
       and_done({timer(), expect(kAll), timer(), expect(kAll), inject(nak(2, 0x60, 0)), expect(from(2)), timer(),
                 expect(from(2))})},
      {"timeout.exceeded", "After retry_limit repetitions the QP fails: error for the oldest, the rest flushed",
       "loss_retry_exceeded",
       started({post(write_of(2, 8)), expect(message_of(4, 8)), timer(), expect(sent({kAll, message_of(4, 8)})),
                timer(), expect(sent({kAll, message_of(4, 8)})), timer(), silence(),
                completes({{1, CompletionStatus::kRetryExceeded}, {2, CompletionStatus::kFlushed}}), no_timer(),
                post(write_of(3, 8)), completes({{3, CompletionStatus::kFlushed}}), silence()},
               {.retry = 2})},
      {"timeout.limit_0", "retry_limit 0: the first timeout is the last", "1.5",
       started({timer(), silence(), completes({{1, CompletionStatus::kRetryExceeded}})}, {.retry = 0})},
      {"timeout.limit_7", "retry_limit 7 is a plain seven", "ISSUE 4 requester, defect 8",
       [] {
         std::vector<Step> steps;
         for (int i = 0; i < 7; ++i) {
           steps.push_back(timer());
           steps.push_back(expect(kAll));
         }
         steps.push_back(timer());
         steps.push_back(completes({{1, CompletionStatus::kRetryExceeded}}));
         return started(steps);
       }()},
      {"timeout.progress_resets", "Progress gives the retries back", "nested retries",
       and_done({timer(), expect(kAll), inject(ack(0, 0)), timer(), expect(from(1)), inject(ack(1, 0)), timer(),
                 expect(from(2))},
                {.retry = 1})},
      {"timeout.nak_counts", "A NAK without progress costs a retry as a timeout does", "nested retries",
       started({inject(nak(0, 0x60, 0)), expect(kAll), timer(), silence(),
                completes({{1, CompletionStatus::kRetryExceeded}})},
               {.retry = 1})},
      {"timeout.off", "Timeout 0: no timer", "1.2, trap 40",
       started({no_timer(), silence(), inject(nak(0, 0x60, 0)), expect(kAll), inject(ack(3, 1)), completes({{1}})},
               {.timeout = 0})},
      {"timeout.failed_qp_is_deaf", "A QP that failed drops requests too", "2: both QPs in ERROR",
       started({timer(), completes({{1, CompletionStatus::kRetryExceeded}}), inject(write_only(0, 8).ack_req()),
                silence(), drops(Drop::kQp), untouched(kVa, 8)},
               {.retry = 0})},
      {"timeout.late_ack", "An ACK that comes after the repetition completes", "loss_ack",
       started({timer(), expect(kAll), inject(ack(3, 1)), completes({{1}}), inject(ack(3, 1)), drops(Drop::kResponse),
                completes({})})},
  };
}

Row exponent(std::uint32_t n) {
  return {fmt::format("timeout.exponent_{:02}", n), fmt::format("Local ACK timeout 4.096 us * 2^{}", n), "1.2, trap 40",
          and_done({timer(ref::ack_timeout(n)), expect(kAll)}, {.timeout = n})};
}

Row fatal(std::uint8_t syndrome, CompletionStatus status, const std::string& name) {
  return {"fatal." + name,
          fmt::format("NAK {:#x}: error for its request, those before are done, those after flushed", syndrome),
          "1.2, every NAK code",
          started({post(write_of(2, 300)), post(write_of(3, 8)), expect(sent({message_of(4, 300), message_of(6, 8)})),
                   inject(nak(4, syndrome, 1)), completes({{1}, {2, status}, {3, CompletionStatus::kFlushed}}),
                   silence(), no_timer(), post(write_of(4, 8)), completes({{4, CompletionStatus::kFlushed}}),
                   inject(nak(4, syndrome, 1)), silence(), completes({})})};
}

}  // namespace

std::vector<Row> retry_rows() {
  std::vector<Row> rows = sequence_naks();
  for (auto& row : timeouts()) rows.push_back(std::move(row));
  for (const std::uint32_t n : {1u, 4u, 8u, 14u, 18u, 22u}) rows.push_back(exponent(n));
  rows.push_back(fatal(0x61, CompletionStatus::kRemoteInvalid, "invalid"));
  rows.push_back(fatal(0x62, CompletionStatus::kRemoteAccess, "access"));
  rows.push_back(fatal(0x63, CompletionStatus::kRemoteOperation, "operation"));
  rows.push_back({"fatal.during_retry", "A fatal NAK during a repetition", "trap 28: fatal NAK",
                  started({inject(nak(1, 0x60, 0)), expect(from(1)), inject(nak(1, 0x62, 0)),
                           completes({{1, CompletionStatus::kRemoteAccess}}), silence(), no_timer()})});
  rows.push_back(
      {"fatal.receives_flushed", "The receives of the QP are flushed too", "2: both QPs in ERROR",
       started({post_recv(buffer(5)), inject(nak(0, 0x62, 0)), completes({{1, CompletionStatus::kRemoteAccess}}),
                receives({receive_failed(5, CompletionStatus::kFlushed)})})});
  return rows;
}

}  // namespace caravan::conformance
