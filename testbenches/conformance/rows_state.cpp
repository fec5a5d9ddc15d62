// SPDX-License-Identifier: Apache-2.0
// States of a queue pair; destroy and create.
#include <fmt/format.h>

#include "testbenches/conformance/requests.hpp"
#include "testbenches/conformance/rows.hpp"

namespace caravan::conformance {
namespace {

using ref::CompletionStatus;
using ref::QpState;

Row deaf(const std::string& name, QpState in) {
  return {"state." + name + "_is_deaf",
          "A QP in state " + name + " drops every packet",
          "trap 18, issue 4",
          {create({.state = in}), inject(write_only(0, 8).ack_req()), inject(read_request(0, 8)),
           inject(send_only(0, 8)), inject(fetch_add(0, 1)), silence(), drops(Drop::kQp, 4), untouched(kVa, 8)}};
}

Row hears(const std::string& name, QpState in) {
  return {"state." + name + "_receives",
          "A QP in state " + name + " executes requests",
          "issue 4",
          {create({.state = in}), inject(write_only(0, 8).ack_req()), expect({ack(0, 1)}), memory(kVa, 1, 8)}};
}

Row flushes(const std::string& name, QpState in) {
  return {"state." + name + "_flushes_posts",
          "Work posted in state " + name + " is flushed",
          "issue 4",
          {create({.state = in}), post(write_of(3, 8)), silence(), completes({{3, CompletionStatus::kFlushed}})}};
}

std::vector<Row> states() {
  return {
      {"state.error_flushes_work",
       "Software moves the QP to ERROR: all work is flushed in order, nothing is sent",
       "issue 4",
       {create(), fill(kSource, 1, 1024), post(write_of(1, 700)), post(write_of(2, 8)),
        expect(sent({message_of(0, 700), message_of(3, 8)})), completes({}), state(QpState::kError),
        completes({{1, CompletionStatus::kFlushed}, {2, CompletionStatus::kFlushed}}), silence(), no_timer(),
        post(write_of(3, 8)), completes({{3, CompletionStatus::kFlushed}})}},
      {"state.error_is_deaf",
       "After that it drops requests and acknowledges",
       "issue 4",
       {create(), fill(kSource, 1, 1024), post(write_of(1, 8)), expect(message_of(0, 8)), state(QpState::kError),
        completes({{1, CompletionStatus::kFlushed}}), inject(write_only(0, 8).ack_req()), silence(), drops(Drop::kQp),
        inject(ack(0, 1)), completes({}), silence()}},
      {"state.sqd_finishes_message",
       "SQD: the message that was begun is finished, the next not begun until RTS",
       "issue 4, ISSUE 4 SQD",
       {create(), fill(kSource, 1, 5120), post(write_of(1, 5120)), post(write_of(2, 8)),
        expect(window_of(0, 0, 16, 5120)), state(QpState::kSqd), inject(ack(15, 0)), expect(window_of(0, 16, 4, 5120)),
        inject(ack(19, 1)), completes({{1}}), silence(), state(QpState::kRts), expect(message_of(20, 8)),
        inject(ack(20, 2)), completes({{2}})}},
      {"state.sqd_posts_wait",
       "Work posted in SQD waits for RTS",
       "ISSUE 4 SQD",
       {create({.state = QpState::kSqd}), fill(kSource, 1, 64), post(write_of(1, 8)), silence(), completes({}),
        state(QpState::kRts), expect(message_of(0, 8)), inject(ack(0, 1)), completes({{1}})}},
      {"state.sqd_repeats",
       "What is in flight in SQD is repeated when it is lost",
       "ISSUE 4 SQD",
       {create(), fill(kSource, 1, 64), post(write_of(1, 8)), expect(message_of(0, 8)), state(QpState::kSqd), timer(),
        expect(message_of(0, 8)), inject(ack(0, 1)), completes({{1}})}},
  };
}

std::vector<Row> created_anew() {
  return {
      {"create.new_psns",
       "A QP created anew expects its new PSN; stale packets execute nothing",
       "trap 19",
       {create({.expect = 0x9000}), inject(write_only(0, 8).ack_req()), expect({ack(0, 1)}), create({.expect = 0x100}),
        inject(write_only(0x8F01, 8, 0x800)), expect({nak(0, 0x60, 0)}), untouched(kVa + 0x800, 8),
        inject(write_only(0, 8, 0x400).ack_req()), expect({ack(0, 1)}), memory(kVa + 0x400, 1, 8)}},
      {"create.stale_behind",
       "A stale packet that lies behind the new PSN is an old one",
       "trap 19",
       {create({.expect = 0x100}), inject(write_only(0, 8).ack_req()), expect({ack(0, 1)}), create({.expect = 0x9000}),
        inject(write_only(-0x8EFF, 8, 0x800)), expect({ack(-1, 0)}), untouched(kVa + 0x800, 8),
        inject(write_only(0, 8, 0x400).ack_req()), expect({ack(0, 1)})}},
      {"create.ends_message",
       "A message begun before is over: its MIDDLE is invalid",
       "trap 19",
       {create(), inject(write_first(0, 600)), create({.expect = 101}), inject(write_middle(0, 256)),
        expect({nak(0, 0x61, 0)}), untouched(kVa + 256, 256)}},
      {"create.clears_nak",
       "A NAK that was out is forgotten",
       "trap 19",
       {create(), inject(write_only(1, 8)), expect({nak(0, 0x60, 0)}), create(), inject(write_only(1, 8)),
        expect({nak(0, 0x60, 0)})}},
      {"create.after_fatal",
       "A QP that failed works again once it is created anew",
       "trap 8, trap 19",
       {create(), inject(write_only(0, 8).rkey(0x999)), expect({nak(0, 0x62, 0)}), inject(write_only(0, 8)),
        drops(Drop::kQp), create({.expect = 500}), inject(write_only(0, 8).ack_req()), expect({ack(0, 1)})}},
      {"create.drops_work",
       "Work of the QP before is forgotten: nothing is sent again, no timer runs",
       "trap 19",
       {create(), fill(kSource, 1, 64), post(write_of(1, 8)), expect(message_of(0, 8)), create({.send = 0x7000}),
        no_timer(), silence(), post(write_of(2, 8)), expect(message_of(0, 8)), inject(ack(0, 1)), completes({{2}})}},
      {"create.stale_ack",
       "An ACK of the QP before acknowledges nothing",
       "trap 19",
       {create(), fill(kSource, 1, 64), post(write_of(1, 8)), expect(message_of(0, 8)), create({.send = 0x7000}),
        post(write_of(2, 8)), expect(message_of(0, 8)), inject(ack(-0x6E00, 1)), drops(Drop::kResponse), completes({}),
        inject(ack(0, 1)), completes({{2}})}},
      {"create.stale_nak",
       "A fatal NAK of the QP before fails nothing",
       "trap 19",
       {create(), fill(kSource, 1, 64), post(write_of(1, 8)), expect(message_of(0, 8)), create({.send = 0x7000}),
        post(write_of(2, 8)), expect(message_of(0, 8)), inject(nak(-0x6E00, 0x62, 1)), drops(Drop::kResponse),
        completes({}), inject(ack(0, 1)), completes({{2}})}},
      {"create.second_run",
       "A second run with the same PSNs works without reset",
       "trap 8",
       {create(), fill(kSource, 1, 64), post(write_of(1, 8)), expect(message_of(0, 8)), inject(ack(0, 1)),
        completes({{1}}), inject(write_only(0, 8).ack_req()), expect({ack(0, 1)}), create(), post(write_of(1, 8)),
        expect(message_of(0, 8)), inject(ack(0, 1)), completes({{1}}), inject(write_only(0, 8).ack_req()),
        expect({ack(0, 1)})}},
      {"create.other_qp_untouched",
       "Creating one QP leaves the others alone",
       "trap 19",
       {create(), create({.qpn = 2, .expect = 0x800}), inject(write_first(0, 300)), create({.qpn = 2, .expect = 0x900}),
        inject(write_last(1, 256, 44).ack_req()), expect({ack(1, 1)})}},
  };
}

}  // namespace

std::vector<Row> state_rows() {
  std::vector<Row> rows = {
      deaf("RESET", QpState::kReset),  deaf("INIT", QpState::kInit),  deaf("ERROR", QpState::kError),
      hears("RTR", QpState::kRtr),     hears("SQD", QpState::kSqd),   flushes("RESET", QpState::kReset),
      flushes("INIT", QpState::kInit), flushes("RTR", QpState::kRtr), flushes("ERROR", QpState::kError)};
  for (const auto& part : {states(), created_anew()}) rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

}  // namespace caravan::conformance
