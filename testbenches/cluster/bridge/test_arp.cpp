// SPDX-License-Identifier: Apache-2.0
// ARP answers of the bridge, byte for byte.
#include <catch2/catch_test_macros.hpp>

#include "models/packet/packet.hpp"
#include "sim/control/arp_answer.hpp"

using namespace caravan;

namespace {

const std::vector<sim::Station> kStations = {{0x020000000001, 0x0A000001}, {0x020000000002, 0x0A000002}};

packet::Buffer request(packet::Ipv4Addr target, std::uint16_t operation = 1) {
  packet::Eth eth;
  eth.dst.fill(0xFF);
  eth.src = {0x02, 0, 0, 0, 0, 3};
  eth.ether_type = packet::kEtherTypeArp;
  packet::Arp arp;
  arp.operation = operation;
  arp.sender_mac = eth.src;
  arp.sender_ip = 0x0A000003;
  arp.target_ip = target;
  packet::Buffer frame(42);
  eth.encode(frame.data());
  arp.encode(frame.data() + 14);
  return frame;
}

}  // namespace

TEST_CASE("ARP requests for simulated nodes are answered as the node would", "[bridge]") {
  const auto reply = sim::answer_arp(request(0x0A000002), kStations);
  REQUIRE(reply);
  packet::Buffer right = {2,    0,    0, 0, 0, 3,                // to who asked
                          2,    0,    0, 0, 0, 2,                // from the node
                          0x08, 0x06, 0, 1, 8, 0, 6,  4, 0, 2,   // a reply
                          2,    0,    0, 0, 0, 2, 10, 0, 0, 2,   // the node is at
                          2,    0,    0, 0, 0, 3, 10, 0, 0, 3};  // told to who asked
  right.resize(60);
  CHECK(*reply == right);
}

TEST_CASE("Nothing else is answered", "[bridge]") {
  CHECK_FALSE(sim::answer_arp(request(0x0A000003), kStations));     // its own address: a probe for a duplicate
  CHECK_FALSE(sim::answer_arp(request(0x0A000009), kStations));     // nobody here
  CHECK_FALSE(sim::answer_arp(request(0x0A000001, 2), kStations));  // a reply
  auto cut = request(0x0A000001);
  cut.resize(30);
  CHECK_FALSE(sim::answer_arp(cut, kStations));
  CHECK(sim::is_arp(cut));
  CHECK_FALSE(sim::is_arp(packet::Buffer(13)));
  CHECK_FALSE(sim::is_arp(packet::Buffer(60)));
}
