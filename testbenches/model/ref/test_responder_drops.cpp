// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include "models/base/rng.hpp"
#include "testbenches/model/ref/peers.hpp"

using namespace caravan;
using namespace caravan::test;
using packet::Buffer;
using packet::RoceFrame;
using ref::DropReason;
using ref::QpState;

namespace {

Request changed(std::function<void(RoceFrame&)> change) {
  return {.payload = counting(4), .change = std::move(change)};
}

void refix_icrc(Buffer& frame) {
  frame.resize(frame.size() - packet::kIcrcBytes);
  packet::append_icrc(frame);
}

/// Delivers the frame, expects silence, one drop for this reason and an untouched QP.
void check_dropped(const Buffer& frame, DropReason reason) {
  Responder b;
  INFO(packet::describe(frame) << ", expected drop: " << ref::name(reason));
  CHECK(b.deliver(frame) == "-");
  CHECK(b.b.dropped(reason) == 1);
  CHECK(b.b.dropped() == 1);
  CHECK(b.view().epsn == base::Psn(kPsnA));
  CHECK(b.view().msn == 0);
  CHECK(b.view().state == QpState::kRts);
  CHECK(b.b.memory() == ref::SparseMemory());
}

}  // namespace

TEST_CASE("What is not for this endpoint or QP is dropped in silence and counted by reason", "[ref][drop]") {
  const auto drop = [](DropReason reason, std::function<void(RoceFrame&)> change) {
    check_dropped(make(changed(std::move(change))), reason);
  };
  drop(DropReason::kNotForUs, [](RoceFrame& f) { f.eth.dst[5] ^= 1; });
  drop(DropReason::kNotForUs, [](RoceFrame& f) { ++std::get<packet::Ipv4>(f.ip).dst; });
  drop(DropReason::kNotRoce, [](RoceFrame& f) { f.udp.dst_port = 4790; });
  drop(DropReason::kNotRoce, [](RoceFrame& f) { f.ip = packet::Ipv6{}; });
  drop(DropReason::kNetwork, [](RoceFrame& f) { f.udp.checksum = 1; });
  drop(DropReason::kTver, [](RoceFrame& f) { f.bth.tver = 1; });
  drop(DropReason::kPkey, [](RoceFrame& f) { f.bth.pkey = 0xFFFE; });
  drop(DropReason::kPkey, [](RoceFrame& f) { f.bth.pkey = 0; });
  drop(DropReason::kQpn, [](RoceFrame& f) { f.bth.dest_qp = 0x23; });
  drop(DropReason::kPeer, [](RoceFrame& f) { ++std::get<packet::Ipv4>(f.ip).src; });
  drop(DropReason::kOpcode,
       [](RoceFrame& f) { f.bth.opcode = static_cast<std::uint8_t>(packet::Opcode::kUcWriteOnly); });
  drop(DropReason::kOpcode,
       [](RoceFrame& f) { f.bth.opcode = static_cast<std::uint8_t>(packet::Opcode::kUdSendOnly); });
  drop(DropReason::kResponse,
       [](RoceFrame& f) { f.bth.opcode = static_cast<std::uint8_t>(packet::Opcode::kReadRespOnly); });
}

TEST_CASE("Damaged frames are dropped in silence and counted by reason", "[ref][drop]") {
  const auto drop = [](DropReason reason, std::function<void(Buffer&)> damage) {
    Buffer frame = make({.payload = counting(4)});
    damage(frame);
    check_dropped(frame, reason);
  };
  constexpr std::size_t kBth = 14 + 20 + 8;
  drop(DropReason::kIcrc, [](Buffer& f) { f[f.size() - 6] ^= 1; });
  drop(DropReason::kIcrc, [](Buffer& f) { std::fill(f.end() - 4, f.end(), std::uint8_t{0}); });
  drop(DropReason::kIcrc, [](Buffer& f) { std::reverse(f.end() - 4, f.end()); });
  drop(DropReason::kOpcode, [](Buffer& f) { f[kBth] = 0x1F, refix_icrc(f); });
  drop(DropReason::kLength, [](Buffer& f) { f[kBth] = 0x0C, refix_icrc(f); });  // READ request with payload
  drop(DropReason::kNetwork, [](Buffer& f) { f[14 + 10] ^= 1; });               // IP checksum
  drop(DropReason::kNetwork, [](Buffer& f) { f.resize(f.size() - 1); });        // truncated
  drop(DropReason::kNetwork, [](Buffer& f) { ++f[14 + 20 + 5]; });              // UDP length
  drop(DropReason::kNotRoce, [](Buffer& f) { f[12] = 0x81, f[13] = 0; });       // VLAN tag
  drop(DropReason::kNotRoce, [](Buffer& f) { f.resize(5); });
}

TEST_CASE("What the Linux stack accepts is accepted", "[ref][drop]") {
  const auto accept = [](std::function<void(RoceFrame&)> change) {
    Responder b;
    CHECK(b(changed(std::move(change))) == "1f psn 100 msn 1");
    CHECK(b.b.dropped() == 0);
  };
  accept([](RoceFrame& f) { f.bth.mig_req = true; });
  accept([](RoceFrame& f) { f.bth.pkey = 0x7FFF; });
  accept([](RoceFrame& f) { f.bth.solicited = true; });
  accept([](RoceFrame& f) { f.bth.fecn = f.bth.becn = true, f.bth.reserved6 = 0x3F, f.bth.reserved7 = 0x7F; });
  accept([](RoceFrame& f) { f.eth.dst.fill(0xFF); });
  accept([](RoceFrame& f) { f.udp.src_port = 1; });
  accept([](RoceFrame& f) {
    std::get<packet::Ipv4>(f.ip) = {.tos = 0xFF, .id = 0xABCD, .flags = 0, .ttl = 1, .src = kIpA, .dst = kIpB};
  });
  Responder b;
  Buffer padded = make({.payload = counting(4)});
  padded.resize(padded.size() + 9, 0x77);
  CHECK(b.deliver(padded) == "1f psn 100 msn 1");
}

TEST_CASE("A QP receives from RTR on, and not in ERROR", "[ref][drop]") {
  for (const auto& [state, receives] : {std::pair{QpState::kReset, false},
                                        {QpState::kInit, false},
                                        {QpState::kRtr, true},
                                        {QpState::kRts, true},
                                        {QpState::kSqd, true},
                                        {QpState::kError, false}}) {
    auto config = config_b();
    config.state = state;
    Responder b(config);
    CHECK((b({.payload = counting(4)}) != "-") == receives);
    CHECK(b.b.dropped(DropReason::kState) == (receives ? 0 : 1));
  }
}

TEST_CASE("A CNP is counted and moves nothing", "[ref][drop]") {
  Responder b;
  CHECK(b({.opcode = packet::Opcode::kCnp, .psn = 0, .payload = Buffer(16)}) == "-");
  CHECK(b.b.cnps() == 1);
  CHECK(b.b.dropped() == 0);
  CHECK(b.view().epsn == base::Psn(kPsnA));
}

TEST_CASE("A QP created anew forgets its past; stale packets are a gap or duplicates", "[ref][drop]") {
  Responder b;
  b({.payload = counting(4), .rkey = 0xBAD});
  auto config = config_b();
  config.first_psn_to_expect = base::Psn(0x500);
  b.b.create_qp(config);
  CHECK(b({.psn = kPsnA + 1}) == "1f psn 4ff msn 0");
  CHECK(b({.psn = 0x500, .payload = counting(4)}) == "1f psn 500 msn 1");
}

TEST_CASE("Random frames: no write outside the region, no PSN moved by a frame that was not accepted", "[ref][fuzz]") {
  base::Rng rng(11);
  Responder b;
  int accepted = 0;
  for (int round = 0; round < 30'000; ++round) {
    const auto before = b.view();
    if (before.state == QpState::kError) {
      auto config = config_b();
      config.first_psn_to_expect = before.epsn;
      b.b.create_qp(config);
      continue;
    }
    Request request{.opcode = packet::traits(packet::Opcode::kWriteOnly).opcode,
                    .psn = (before.epsn + static_cast<std::uint32_t>(rng.below(3)) - 1).value(),
                    .payload = counting(rng.below(300)),
                    .va = kHbm + rng.below(kRegionBytes + 2000) - 1000,
                    .ack_req = rng.chance(0.5)};
    const auto* op = packet::find_opcode(static_cast<std::uint8_t>(rng.below(256)));
    if (op != nullptr && rng.chance(0.7)) request.opcode = op->opcode;
    if (!packet::traits(request.opcode).has_payload) request.payload.clear();
    Buffer frame = make(request);
    const bool damaged = rng.chance(0.2);
    if (damaged) frame[14 + 20 + 8 + 5 + rng.below(frame.size() - 47)] ^= 0x10;  // covered by the ICRC, not the lengths
    const std::string answer = b.deliver(frame);
    const auto after = b.view();
    if (damaged) REQUIRE(answer == "-");
    const auto moved = after.epsn.distance_from(before.epsn);
    const bool read = request.opcode == packet::Opcode::kReadRequest;
    REQUIRE(moved >= 0);
    REQUIRE(moved <= (read ? static_cast<std::int32_t>(ref::packets_of(request.payload.size(), 256)) : 1));
    if (moved > 0) {
      ++accepted;
      REQUIRE_FALSE(damaged);
      REQUIRE(request.psn == before.epsn.value());
      REQUIRE((read || packet::traits(request.opcode).action == packet::Action::kWrite));
    }
  }
  CHECK(accepted > 1000);
  CHECK(b.b.memory().read(kHbm - 4096, 4096) == Buffer(4096));
  CHECK(b.b.memory().read(kHbm + kRegionBytes, 4096) == Buffer(4096));
}
