// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include "testbenches/model/ref/peers.hpp"
#include "testbenches/support/frame_compare.hpp"

using namespace caravan;
using namespace caravan::test;
using packet::Buffer;
using packet::RoceFrame;

namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Compares a WRITE with a changed one; the first line of the answer.
std::string difference(std::function<void(RoceFrame&)> change, const support::FrameMask& mask = {}) {
  return first_line(support::compare_frames(make({.payload = counting(5)}),
                                            make({.payload = counting(5), .change = std::move(change)}), mask));
}

}  // namespace

TEST_CASE("The first differing field is named with both values", "[support][compare]") {
  CHECK(difference([](RoceFrame&) {}) == "");
  CHECK(difference([](RoceFrame& f) { f.eth.dst[0] = 4; }) ==
        "eth.dst: expected 02:00:00:00:00:02, got 04:00:00:00:00:02");
  CHECK(difference([](RoceFrame& f) { f.bth.psn = 5; }) == "bth.psn: expected 0x100, got 0x5");
  CHECK(difference([](RoceFrame& f) { f.ext.reth->rkey = 5; }) == "reth.rkey: expected 0x1234, got 0x5");
  CHECK(difference([](RoceFrame& f) { f.bth.psn = 5, f.ext.reth->rkey = 5; }) == "bth.psn: expected 0x100, got 0x5");
  CHECK(first_line(support::compare_frames(make({.payload = counting(5)}), make({.payload = counting(5, 2)}))) ==
        "payload byte 0: expected 0x01, got 0x02");
  CHECK(first_line(support::compare_frames(make({.payload = counting(5)}), make({.payload = counting(9)}))) ==
        "ip.total_length: expected 0x44, got 0x48");
}

TEST_CASE("IP id is never compared, other free fields only when wanted", "[support][compare]") {
  CHECK(difference([](RoceFrame& f) { std::get<packet::Ipv4>(f.ip).id = 77; }) == "");
  CHECK(difference([](RoceFrame& f) { f.udp.src_port = 77; }) == "");
  CHECK(difference([](RoceFrame& f) { f.udp.src_port = 77; }, {.udp_src_port = false}) ==
        "udp.src_port: expected 0xc000, got 0x4d");
  CHECK(difference([](RoceFrame& f) { f.bth.mig_req = true; }) == "bth.mig_req: expected 0x0, got 0x1");
  CHECK(difference([](RoceFrame& f) { f.bth.mig_req = true; }, {.mig_req = true}) == "");
  CHECK(difference([](RoceFrame& f) { f.bth.ack_req = false; }, {.ack_req = true}) == "");
  CHECK(difference([](RoceFrame& f) { std::get<packet::Ipv4>(f.ip).tos = 2; }, {.tos_ttl = true}) == "");
  CHECK(difference([](RoceFrame& f) { std::get<packet::Ipv4>(f.ip).tos = 2; }) == "ip.tos: expected 0x0, got 0x2");
}

TEST_CASE("A malformed frame is never equal", "[support][compare]") {
  Buffer bad = make({});
  bad.back() ^= 1;
  CHECK(first_line(support::compare_frames(make({}), bad)) == "the frame is malformed: The ICRC is wrong.");
  CHECK(first_line(support::compare_frames(bad, make({}))) == "the expected frame is malformed: The ICRC is wrong.");
}
