// SPDX-License-Identifier: Apache-2.0
// Requester: how work becomes packets, the window, what an ACK acknowledges.
#include <fmt/format.h>

#include "testbenches/conformance/requests.hpp"
#include "testbenches/conformance/rows.hpp"

namespace caravan::conformance {
namespace {

using ref::CompletionStatus;

/// Script of a QP with data at kSource.
std::vector<Step> started(const std::vector<Step>& rest, const QpSpec& qp = {}) {
  return join({{create(qp), fill(kSource, 1, 8192)}, rest});
}

Row one_write(std::uint32_t bytes) {
  const auto packets = ref::packets_of(bytes, kPmtu);
  return {fmt::format("request.write_{}", bytes),
          "A WRITE is cut at the MTU, asks for an ACK in its last packet, and completes with it",
          "1.5, trap 1, trap 29, AckReq placement",
          started({post(write_of(7, bytes)), expect(message_of(0, bytes)), completes({}), inject(ack(packets - 1, 1)),
                   completes({{7}}), silence(), no_timer()})};
}

std::vector<Row> cutting() {
  return {
      {"request.send_message", "A SEND of several packets", "1.1",
       started({post(send_of(7, 600)), expect(send_message_of(0, 600)), inject(ack(2, 1)), completes({{7}})})},
      {"request.send_empty", "A SEND of no bytes uses one PSN", "trap 27",
       started({post(send_of(7, 0)), expect(send_message_of(0, 0)), inject(ack(0, 1)), completes({{7}}),
                post(write_of(8, 8)), expect(message_of(1, 8))})},
      {"request.send_immediate", "A SEND with immediate and solicited bit: both in its last packet", "send_mtu1024",
       started({post([] {
                  auto r = send_of(7, 300);
                  r.has_imm = r.solicited = true;
                  r.imm = 0xCAFEF00D;
                  return r;
                }()),
                expect({send_first(0), send_last(1, 256, 44).imm(0xCAFEF00D).solicited().ack_req()}), inject(ack(1, 1)),
                completes({{7}})})},
      {"request.write_immediate", "A WRITE with immediate: RETH, then immediate", "1.1",
       started({post([] {
                  auto r = write_of(7, 8);
                  r.has_imm = true;
                  r.imm = 0x01020304;
                  return r;
                }()),
                expect({to_peer(write_only(0, 8)).imm(0x01020304).ack_req()}), inject(ack(0, 1)), completes({{7}})})},
      {"request.inline", "Up to 64 bytes go inline, and the memory is not read", "issue 4",
       started({post([] {
                  auto r = write_of(7, 64);
                  r.inl = true;
                  r.local_va = 0;
                  for (std::size_t i = 0; i < 64; ++i) r.inline_data[i] = data_byte(1, i);
                  return r;
                }()),
                expect({to_peer(write_only(0, 64)).ack_req()}), inject(ack(0, 1)), completes({{7}})})},
      {"request.inline_too_long", "65 bytes inline are refused at once", "issue 4",
       started({post([] {
                  auto r = send_of(7, 65);
                  r.inl = true;
                  return r;
                }()),
                silence(), completes({{7, CompletionStatus::kBadRequest}})})},
      {"request.bad_local", "A source that is no memory is refused at once", "issue 4",
       started({post([] {
                  auto r = write_of(7, 8);
                  r.local_va = 5ull << 60;
                  return r;
                }()),
                silence(), completes({{7, CompletionStatus::kBadRequest}}), post(write_of(8, 8)),
                expect(message_of(0, 8))})},
      {"request.too_long", "More than 2^31 bytes are refused at once", "1.5",
       started({post(write_of(7, (1ull << 31) + 1)), silence(), completes({{7, CompletionStatus::kBadRequest}})})},
      {"request.host_source", "A source in host memory", "3 classes",
       started({fill(8ull << 60, 1, 300), post([] {
                  auto r = write_of(7, 300);
                  r.local_va = 8ull << 60;
                  return r;
                }()),
                expect(message_of(0, 300)), inject(ack(1, 1)), completes({{7}})})},
      {"request.unsignaled", "An unsignaled request completes silently", "issue 4",
       started({post([] {
                  auto r = write_of(7, 8);
                  r.signaled = false;
                  return r;
                }()),
                post(write_of(8, 8)), expect(sent({message_of(0, 8), message_of(1, 8)})), inject(ack(1, 2)),
                completes({{8}})})},
      {"request.psn_wrap", "A WRITE across PSN 0xFFFFFF", "Also, psn_wrap, defect 9",
       started({post(write_of(7, 1000)), expect(message_of(0, 1000)), inject(ack(1, 0)), inject(ack(3, 1)),
                completes({{7}}), no_timer()},
               {.send = 0xFFFFFE})},
      {"request.two_qps", "Two QPs: each ACK acknowledges its own", "trap 11",
       started({create({.qpn = 2, .send = 0x900}), post(write_of(7, 8)), post(write_of(8, 8), 2),
                expect({message_of(0, 8).front(), message_of(0, 8).front().on(2)}), inject(ack(0, 1).on(2)),
                completes({{.wr_id = 8, .qpn = 2}}), inject(ack(0, 1)), completes({{7}})})},
  };
}

std::vector<Row> acknowledges() {
  const std::vector<Step> three = {post(write_of(1, 8)), post(write_of(2, 300)), post(write_of(3, 8)),
                                   expect(sent({message_of(0, 8), message_of(1, 300), message_of(3, 8)}))};
  const auto with = [&](const std::vector<Step>& rest) { return started(join({three, rest})); };
  return {
      {"ack_in.each", "Each ACK completes its message", "1.5",
       with({inject(ack(0, 1)), completes({{1}}), inject(ack(2, 2)), completes({{2}}), inject(ack(3, 3)),
             completes({{3}}), no_timer()})},
      {"ack_in.coalesced", "One ACK completes everything up to its PSN", "1.5, defect 10",
       with({inject(ack(3, 3)), completes({{1}, {2}, {3}}), no_timer()})},
      {"ack_in.inside_message", "An ACK inside a message completes what is before it", "1.5",
       with({inject(ack(1, 1)), completes({{1}}), inject(ack(3, 3)), completes({{2}, {3}})})},
      {"ack_in.stale", "An ACK for what is acknowledged already has no effect", "ghost ACKs",
       with({inject(ack(2, 2)), completes({{1}, {2}}), inject(ack(0, 1)), inject(ack(2, 2)), completes({}),
             drops(Drop::kResponse, 2), inject(ack(3, 3)), completes({{3}})})},
      {"ack_in.ghost", "An ACK for what was never sent has no effect", "ghost ACKs",
       with({inject(ack(4, 3)), inject(ack(0x7FFFFF, 3)), completes({}), drops(Drop::kResponse, 2), inject(ack(3, 3)),
             completes({{1}, {2}, {3}})})},
      {"ack_in.ghost_idle", "An ACK when nothing is in flight has no effect", "ghost ACKs",
       started({inject(ack(0, 1)), inject(ack(-1, 0)), drops(Drop::kResponse, 2), completes({}), post(write_of(1, 8)),
                expect(message_of(0, 8)), inject(ack(0, 1)), completes({{1}})})},
      {"ack_in.credits", "An ACK with a credit count is an ACK", "1.2",
       with({inject(nak(0, 0x00, 1)), completes({{1}}), inject(nak(3, 0x1E, 3)), completes({{2}, {3}})})},
      {"ack_in.msn_ignored", "What an ACK acknowledges is said by its PSN", "1.5",
       with({inject(ack(3, 0x123456)), completes({{1}, {2}, {3}})})},
      {"ack_in.other_peer", "An ACK from another address is dropped", "2",
       with({inject(ack(3, 3).header("source",
                                     [](packet::RoceFrame& f) { std::get<packet::Ipv4>(f.ip).src = 0x0A000066; })),
             completes({}), silence(), inject(ack(3, 3)), completes({{1}, {2}, {3}})})},
      {"ack_in.reserved_syndrome", "A reserved syndrome has no effect", "1.2",
       with({inject(nak(3, 0x40, 3)), completes({}), drops(Drop::kResponse), silence(), inject(ack(3, 3)),
             completes({{1}, {2}, {3}})})},
      {"ack_in.nak_invalid_rd", "NAK code 4 (invalid RD) means nothing to RC", "1.2",
       with({inject(nak(0, 0x64, 3)), completes({}), drops(Drop::kResponse), silence(), inject(ack(3, 3)),
             completes({{1}, {2}, {3}})})},
      {"ack_in.unasked_response", "A READ response or atomic ACK to a WRITE has no effect", "1.5",
       with({inject(atomic_ack(0, 1, 5)), drops(Drop::kResponse), completes({}), inject(ack(3, 3)),
             completes({{1}, {2}, {3}})})},
  };
}

std::vector<Row> window() {
  return {
      {"window.filled", "No more than a window is in flight; AckReq on every 8th packet and where the window is full",
       "1.5, trap 26, AckReq placement",
       started({post(write_of(1, 5120)), expect(window_of(0, 0, 16, 5120)), inject(ack(15, 0)),
                expect(window_of(0, 16, 4, 5120)), inject(ack(19, 1)), completes({{1}})})},
      {"window.opens_by_one", "An ACK of one packet lets one more go", "trap 26",
       started({post(write_of(1, 5120)), expect(window_of(0, 0, 16, 5120)), inject(ack(0, 0)),
                expect(part_of(0, 16, 1, 5120)), inject(ack(1, 0)), expect(part_of(0, 17, 1, 5120))})},
      {"window.messages", "64 requests back to back on each of two QPs, a window at a time", "trap 4",
       [] {
         std::vector<Step> steps = {create(), create({.qpn = 2, .send = 0x4000}), fill(kSource, 1, 64)};
         for (std::uint32_t at = 0; at < 64; at += 16) {
           for (const std::uint32_t qpn : {1u, 2u}) {
             std::vector<FrameSpec> packets;
             std::vector<Done> done;
             for (std::uint32_t i = at; i < at + 16; ++i) {
               steps.push_back(post(write_of(i, 8), qpn));
               packets.push_back(message_of(i, 8).front().on(qpn));
               done.push_back({.wr_id = i, .qpn = qpn});
             }
             steps.push_back(expect(packets));
             steps.push_back(inject(ack(at + 15, at + 16).on(qpn)));
             steps.push_back(completes(done));
           }
         }
         return steps;
       }()},
  };
}

}  // namespace

std::vector<Row> requester_rows() {
  std::vector<Row> rows;
  for (const std::uint32_t bytes : {0u, 1u, 3u, 255u, 256u, 257u, 511u, 512u, 513u, 1537u})
    rows.push_back(one_write(bytes));
  for (const auto& part : {cutting(), acknowledges(), window()}) rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

}  // namespace caravan::conformance
