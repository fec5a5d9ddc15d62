// SPDX-License-Identifier: Apache-2.0
// Responder: sequence of opcodes and lengths. A violation is NAK 0x61, and the QP has failed.
#include "testbenches/conformance/rows.hpp"

namespace caravan::conformance {
namespace {

using packet::Opcode;

/// After `before` the packet with PSN `psn` is refused; the QP is silent from then on and nothing more is written.
Row refused(const std::string& id, const std::string& requirement, const std::string& source,
            const std::vector<Step>& before, const FrameSpec& bad, std::uint32_t msn = 0) {
  return {"invalid." + id, requirement, source,
          join({{create()},
                before,
                {fill(kVa + 0x8000, 3, 512)},
                {inject(bad), expect({nak(bad.psn, 0x61, msn)}), inject(write_only(bad.psn, 8).ack_req()), silence(),
                 inject(write_only(0, 8).ack_req()), silence(), drops(Drop::kQp, 2), memory(kVa + 0x8000, 3, 512)}})};
}

const std::vector<Step> kInWrite = {inject(write_first(0, 600)), silence()};
const std::vector<Step> kInSend = {post_recv(buffer(1)), inject(send_first(0)), silence()};

std::vector<Row> sequence() {
  return {
      refused("middle_without_first", "WRITE_MIDDLE outside a message", "1.5", {}, write_middle(0, 0)),
      refused("last_without_first", "WRITE_LAST outside a message", "1.5", {}, write_last(0, 0, 44)),
      refused("send_middle_without_first", "SEND_MIDDLE outside a message", "1.5", {post_recv(buffer(1))},
              send_middle(0, 0)),
      refused("send_last_without_first", "SEND_LAST outside a message", "1.5", {post_recv(buffer(1))},
              send_last(0, 0, 4)),
      refused("first_in_write", "WRITE_FIRST inside a WRITE", "1.5, interleaved", kInWrite, write_first(1, 600)),
      refused("only_in_write", "WRITE_ONLY inside a WRITE", "1.5, interleaved", kInWrite, write_only(1, 8, 0x8000)),
      refused("read_in_write", "READ of a WRITE in flight: a READ inside a WRITE", "1.5, interleaved", kInWrite,
              read_request(1, 64)),
      refused("atomic_in_write", "FETCH_ADD inside a WRITE", "1.5, interleaved", kInWrite, fetch_add(1, 1, 0x8000)),
      refused("send_only_in_write", "SEND_ONLY inside a WRITE", "1.5, interleaved", kInWrite, send_only(1, 8)),
      refused("send_middle_in_write", "SEND_MIDDLE continues no WRITE", "1.5, interleaved", kInWrite,
              send_middle(1, 256)),
      refused("send_last_in_write", "SEND_LAST ends no WRITE", "1.5, interleaved", kInWrite, send_last(1, 256, 8)),
      refused("write_middle_in_send", "WRITE_MIDDLE continues no SEND", "1.5, interleaved", kInSend,
              write_middle(1, 256)),
      refused("write_last_in_send", "WRITE_LAST ends no SEND", "1.5, interleaved", kInSend, write_last(1, 256, 8)),
      refused("write_only_in_send", "WRITE_ONLY inside a SEND", "1.5, interleaved", kInSend, write_only(1, 8, 0x8000)),
      refused("send_first_in_send", "SEND_FIRST inside a SEND", "1.5, interleaved", kInSend, send_first(1)),
      refused("read_in_send", "READ inside a SEND", "1.5, interleaved", kInSend, read_request(1, 8)),
      refused("atomic_in_send", "COMPARE_SWAP inside a SEND", "1.5, interleaved", kInSend,
              compare_swap(1, 0, 1, 0x8000)),
      refused("send_invalidate", "SEND with invalidate is not supported", "ISSUE 4 semantics", {post_recv(buffer(1))},
              [] {
                FrameSpec s = send_only(0, 8).as(Opcode::kSendOnlyInv);
                s.frame.ext.ieth = packet::Ieth{kRkey};
                return s;
              }()),
  };
}

std::vector<Row> lengths() {
  return {
      refused("first_short", "WRITE_FIRST shorter than the PMTU: the peer has another MTU", "Also: MTU mismatch", {},
              write_first(0, 600, 128, 0x8000)),
      refused("first_long", "WRITE_FIRST longer than the PMTU: the peer has another MTU", "Also: MTU mismatch", {},
              write_first(0, 1200, 512, 0x8000)),
      refused("middle_short", "WRITE_MIDDLE shorter than the PMTU", "1.5", kInWrite, write_middle(1, 256, 252)),
      refused("middle_long", "WRITE_MIDDLE longer than the PMTU", "1.5", {inject(write_first(0, 900))},
              write_middle(1, 256, 260)),
      refused("last_empty", "WRITE_LAST of no bytes", "Also", kInWrite, write_last(1, 256, 0)),
      refused("last_long", "WRITE_LAST longer than the PMTU", "1.5", kInWrite, write_last(1, 256, 344)),
      refused("only_long", "WRITE_ONLY longer than the PMTU", "1.5", {}, write_only(0, 260, 0x8000)),
      refused("send_first_short", "SEND_FIRST shorter than the PMTU", "Also: MTU mismatch", {post_recv(buffer(1))},
              send_first(0, 252)),
      refused("send_last_empty", "SEND_LAST of no bytes", "Also", kInSend, send_last(1, 256, 0)),
      refused("send_only_long", "SEND_ONLY longer than the PMTU", "1.5", {post_recv(buffer(1))}, send_only(0, 260)),
      refused("send_middle_short", "SEND_MIDDLE shorter than the PMTU", "1.5", kInSend, send_middle(1, 256, 4)),
      refused("only_says_more", "WRITE_ONLY with fewer bytes than its RETH says", "1.5", {},
              write_only(0, 8, 0x8000).dma_length(64)),
      refused("only_says_less", "WRITE_ONLY with more bytes than its RETH says", "1.5", {},
              write_only(0, 64, 0x8000).dma_length(8)),
      refused("first_says_less", "WRITE_FIRST that says its message ends with it", "1.5", {},
              write_first(0, 256, 256, 0x8000)),
      refused("middle_overruns", "WRITE_MIDDLE that leaves nothing for a LAST", "1.5", {inject(write_first(0, 512))},
              write_middle(1, 256)),
      refused("last_early", "WRITE_LAST before the length of the RETH is reached", "1.5", kInWrite,
              write_last(1, 256, 88)),
      refused("last_overruns", "WRITE_LAST with more bytes than are left", "1.5", {inject(write_first(0, 260))},
              write_last(1, 256, 8)),
      refused("message_too_long", "A WRITE of more than 2^31 bytes", "1.5", {},
              write_first(0, 600, 256, 0x8000).dma_length(0x80000001)),
      refused("read_too_long", "A READ of more than 2^31 bytes", "1.5", {}, read_request(0, 0x80000001)),
      refused("misaligned_add", "FETCH_ADD at an address that is no multiple of 8", "1.5", {}, fetch_add(0, 1, 0x8004)),
      refused("misaligned_swap", "COMPARE_SWAP at an address that is no multiple of 8", "1.5", {},
              compare_swap(0, 0, 1, 0x8001)),
      refused("invalid_before_access", "An invalid packet with a bad key is invalid, not refused access",
              "ISSUE 4 order of checks", {}, write_only(0, 8, 0x8000).rkey(0x999).dma_length(64)),
  };
}

}  // namespace

std::vector<Row> invalid_rows() {
  std::vector<Row> rows = sequence();
  for (auto& row : lengths()) rows.push_back(std::move(row));
  rows.push_back({"invalid.after_messages",
                  "The NAK carries the MSN and the PSN of the packet that is refused",
                  "1.2",
                  {create(), inject(write_only(0, 8)), inject(write_only(1, 8)), inject(write_middle(2, 0)),
                   expect({nak(2, 0x61, 2)})}});
  rows.push_back({"invalid.sequence_before_invalid",
                  "A packet ahead is out of sequence, whatever else is wrong with it",
                  "ISSUE 4 order of checks",
                  {create(), inject(write_middle(1, 0)), expect({nak(0, 0x60, 0)})}});
  rows.push_back(
      {"invalid.both_halves_fail",
       "A fatal NAK fails the requester half of the QP too, and its receives",
       "2: both QPs in ERROR",
       {create(), post_recv(buffer(1)), post(write_of(5, 8)), expect({[] {
          auto w = write_only(0, 8).ack_req().va(kPeerVa).rkey(kPeerRkey);
          w.payload = packet::Buffer(8);
          return w;
        }()}),
        inject(write_middle(0, 0)), expect({nak(0, 0x61, 0)}), completes({{5, ref::CompletionStatus::kFlushed}}),
        receives({receive_failed(1, ref::CompletionStatus::kFlushed)})}});
  return rows;
}

}  // namespace caravan::conformance
