// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include "testbenches/model/packet/vectors.hpp"

using namespace caravan;
using namespace caravan::test;

TEST_CASE("A frame is described on one line, always with the same text", "[packet][describe]") {
  CHECK(packet::describe(frame_of(kVectors[0])) ==
        "kind=roce op=WRITE_ONLY qpn=0x11 psn=0x000100 ackreq=1 va=0x0000700000001000 rkey=0x12345678 len=8 "
        "src=10.0.0.1 dst=10.0.0.2 ecn=2 "
        "sport=49152 bytes=8 hash=a4dc49e2b28ecb7d");
  CHECK(packet::describe(frame_of(kVectors[5])) ==
        "kind=roce op=ACK qpn=0x22 psn=0x000105 ackreq=0 syndrome=0x60 meaning=nak_sequence msn=1 src=10.0.0.1 "
        "dst=10.0.0.2 ecn=2 sport=49152 bytes=0");
  CHECK(packet::describe(from_hex(kCnpFrame)) ==
        "kind=roce op=CNP qpn=0x118 psn=0x000000 ackreq=0 becn=1 src=10.0.17.1 dst=10.0.18.1 ecn=2 dscp=48 sport=0 "
        "bytes=16 hash=88201fb960ff6465");
}

TEST_CASE("A bad frame shows what could be read and a hash of all bytes", "[packet][describe]") {
  packet::Buffer frame = frame_of(kVectors[4]);
  frame.back() ^= 1;
  const std::string line = packet::describe(frame);
  CHECK(
      line.starts_with("error=icrc kind=roce op=ACK qpn=0x22 psn=0x000100 ackreq=0 syndrome=0x1f meaning=ack msn=1 "));
  CHECK(line.find(" frame_bytes=62 frame_hash=") != std::string::npos);
  CHECK(packet::describe(packet::Buffer(3, 9)).starts_with("error=eth_truncated kind=other frame_bytes=3 "));
}

TEST_CASE("Addresses from and to text", "[packet][headers]") {
  CHECK(packet::to_text(packet::Ipv4Addr{0x0A000001}) == "10.0.0.1");
  CHECK(packet::to_text(packet::MacAddr{0x52, 0x54, 0, 0, 0, 1}) == "52:54:00:00:00:01");
  CHECK(packet::parse_ipv4("192.168.0.255") == 0xC0A800FF);
  for (const char* bad : {"", "10.0.0", "10.0.0.256", "10.0.0.1.2", "10.0.0.x", "10,0,0,1", "10.0.0.-1"}) {
    INFO(bad);
    CHECK_FALSE(packet::parse_ipv4(bad));
  }
}
