// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "testbenches/model/packet/vectors.hpp"

using namespace caravan;
using namespace caravan::test;

namespace {

packet::Buffer text_bytes(std::string_view text) { return {text.begin(), text.end()}; }

/// Byte range [first, first + count).
packet::ByteSpan part(const packet::Buffer& bytes, std::size_t first, std::size_t count) {
  return packet::ByteSpan(bytes).subspan(first, count);
}

}  // namespace

TEST_CASE("CRC-32 has its published check value, for any split of the input", "[packet][icrc]") {
  const auto digits = text_bytes("123456789");
  CHECK(~packet::crc32_update(0xFFFFFFFF, digits) == 0xCBF43926);
  const auto text = text_bytes("The register may be handed on between calls of any length.");
  const auto whole = packet::crc32_update(0xFFFFFFFF, text);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    CHECK(packet::crc32_update(packet::crc32_update(0xFFFFFFFF, part(text, 0, cut)),
                               part(text, cut, text.size() - cut)) == whole);
  }
}

TEST_CASE("The seed is the register after eight bytes of ones", "[packet][icrc]") {
  CHECK(packet::crc32_update(0xFFFFFFFF, packet::Buffer(8, 0xFF)) == packet::kIcrcSeed);
}

TEST_CASE("Golden vectors parse, carry the right ICRC and are rebuilt byte for byte", "[packet]") {
  for (const Vector& vector : kVectors) {
    INFO(vector.name);
    const packet::Buffer frame = frame_of(vector);
    const auto p = packet::parse(frame);
    REQUIRE(p.is_roce());
    CHECK(p.op->opcode == vector.opcode);
    CHECK(p.bth->dest_qp == vector.qpn);
    CHECK(p.bth->psn == vector.psn);
    CHECK(packet::check_icrc(frame));
    CHECK(packet::build(packet::to_frame(p), p.payload) == frame);
  }
}

TEST_CASE("The fields of the golden vectors", "[packet]") {
  const auto frames = [] {
    std::vector<packet::Buffer> all;
    for (const Vector& vector : kVectors) all.push_back(frame_of(vector));
    return all;
  }();
  const auto write = packet::parse(frames[0]);
  CHECK(write.ext.reth == packet::Reth{0x0000700000001000, 0x12345678, 8});
  CHECK(write.bth->ack_req);
  CHECK(packet::Buffer(write.payload.begin(), write.payload.end()) == packet::Buffer{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(packet::parse(frames[1]).ext.reth == packet::Reth{0x0000700000001000, 0x12345678, 8});
  CHECK(packet::parse(frames[2]).ext.atomic == packet::AtomicEth{0x0000700000001000, 0x12345678, 1, 0});
  CHECK(packet::parse(frames[3]).ext.atomic == packet::AtomicEth{0x0000700000001000, 0x12345678, 5, 0});
  CHECK(packet::parse(frames[4]).ext.aeth == packet::Aeth{packet::kSyndromeAck, 1});
  CHECK(packet::parse(frames[5]).ext.aeth == packet::Aeth{packet::kNakSequence, 1});
  const auto atomic_ack = packet::parse(frames[6]);
  CHECK(atomic_ack.ext.aeth == packet::Aeth{packet::kSyndromeAck, 3});
  CHECK(atomic_ack.ext.atomic_ack == packet::AtomicAckEth{0xDEADBEEF});
  const auto send = packet::parse(frames[7]);
  CHECK(send.ext.imm == packet::ImmDt{0xCAFEF00D});
  CHECK(std::string(send.payload.begin(), send.payload.end()) == "abc");
  CHECK(send.bth->pad_count == 1);
  CHECK(send.udp->length == 0x20);
}

TEST_CASE("A captured CNP of a ConnectX-4 Lx", "[packet]") {
  const packet::Buffer frame = from_hex(kCnpFrame);
  const auto p = packet::parse(frame);
  REQUIRE(p.is_roce());
  CHECK(p.op->opcode == packet::Opcode::kCnp);
  CHECK(p.bth->becn);
  CHECK(p.bth->dest_qp == 0x118);
  CHECK(p.payload.size() == 16);
  CHECK(packet::build(packet::to_frame(p), p.payload) == frame);
}

TEST_CASE("Worked examples, register after each header", "[packet][icrc]") {
  SECTION("WRITE_ONLY of one byte") {
    const packet::Buffer frame = from_hex(kWriteExample);
    const packet::Buffer input = from_hex(
        "ffffffffffffffff45ff00408a2b4000ff11ffff0a0000010a000002c12112b7002cffff0a30ffffff0000118010000100000000100010"
        "00000002970000000101000000");
    std::uint32_t reg = packet::crc32_update(0xFFFFFFFF, part(input, 0, 8));
    CHECK(reg == 0xDEBB20E3);
    reg = packet::crc32_update(reg, part(input, 8, 20));
    CHECK(reg == 0xDDF6F2C2);
    reg = packet::crc32_update(reg, part(input, 28, 8));
    CHECK(reg == 0xC5828538);
    reg = packet::crc32_update(reg, part(input, 36, 12));
    CHECK(reg == 0x93D5A337);
    reg = packet::crc32_update(reg, part(input, 48, 20));
    CHECK(reg == 0x8B0D64B2);
    CHECK(packet::compute_icrc(part(frame, 0, frame.size() - 4)) == 0x74F29B4D);
    CHECK(packet::parse(frame).icrc == 0x74F29B4D);
    CHECK(packet::check_icrc(frame));
  }
  SECTION("its ACK") {
    packet::Buffer frame = from_hex(kAckExample);
    CHECK(packet::compute_icrc(part(frame, 0, frame.size() - 4)) == 0x5D68C97B);
    const packet::Buffer whole = frame;
    fix_icrc(frame);
    CHECK(frame == whole);
  }
}

TEST_CASE("What switches may change leaves the ICRC good, anything else makes it bad", "[packet][icrc]") {
  const packet::Buffer good = frame_of(kVectors[0]);
  const std::size_t ip = packet::Eth::kBytes;
  const auto is_free = [&](std::size_t byte) {
    for (const std::size_t masked : {1u, 8u, 10u, 11u, 26u, 27u, 32u}) {
      if (byte == ip + masked) return true;
    }
    return byte < ip;
  };
  for (std::size_t byte = 0; byte < good.size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      packet::Buffer changed = good;
      changed[byte] ^= static_cast<std::uint8_t>(1 << bit);
      // The EtherType, IP version, header length and total length decide what is checked at all.
      if (byte >= 12 && byte < ip) continue;
      INFO("byte " << byte << " bit " << bit);
      CHECK(packet::check_icrc(changed) == is_free(byte));
    }
  }
  packet::Buffer marked = good;
  marked[ip + 1] = 0x03;  // congestion experienced
  marked[ip + 8] = 63;
  fix_ip_checksum(marked);
  CHECK(packet::parse(marked).ok());
}

TEST_CASE("IPv6: traffic class, flow label and hop limit are outside the ICRC", "[packet][icrc]") {
  const packet::Buffer good = frame_of(kVectors[8]);
  const std::size_t ip = packet::Eth::kBytes;
  for (std::size_t byte = ip; byte < good.size(); ++byte) {
    packet::Buffer changed = good;
    changed[byte] ^= 0x0F;
    const std::size_t at = byte - ip;
    const bool is_free = at <= 3 || at == 7 || at == 46 || at == 47 || at == 52;
    INFO("byte " << at);
    CHECK(packet::check_icrc(changed) == is_free);
  }
}
