// SPDX-License-Identifier: Apache-2.0
// Whole frames: take apart without ever throwing, put together with right lengths and check sums, print on one line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "models/packet/bytes.hpp"
#include "models/packet/headers.hpp"
#include "models/packet/opcode.hpp"

namespace caravan::packet {

/// What stopped the parser. Each is found in this order, so a frame has exactly one.
enum class ParseError : std::uint8_t {
  kNone,
  kEthTruncated,  ///< shorter than an Ethernet header
  kEtherType,     ///< neither ARP, IPv4 nor IPv6 (a VLAN tag too)
  kArpFormat,     ///< truncated, or not Ethernet and IPv4
  kIpTruncated,
  kIpVersion,  ///< version field disagrees with the EtherType
  kIpOptions,  ///< IPv4 header length is not 20 bytes
  kIpLength,   ///< IP length is smaller than its headers or reaches past the frame
  kIpChecksum,
  kIpFragment,  ///< MF set or a fragment offset
  kIpProtocol,  ///< neither UDP nor ICMP
  kIcmpTruncated,
  kIcmpChecksum,
  kUdpTruncated,
  kUdpLength,     ///< UDP length is not the IP payload's
  kUdpChecksum,   ///< not zero and wrong
  kBthTruncated,  ///< no room for BTH and ICRC
  kIcrc,
  kOpcode,        ///< reserved, or of a service that is not decoded; the BTH is there
  kExtTruncated,  ///< no room for the extension headers of the opcode
  kPadding,       ///< pad count larger than the payload, or payload with pad not a multiple of 4
  kPayload,       ///< payload after an opcode that carries none, or a CNP without its 16 bytes
};
/// Short snake_case name, as in describe(): "icrc".
std::string_view name(ParseError error);
/// One sentence for a person.
std::string_view explain(ParseError error);

/// Extension headers; which of them are present follows from the opcode.
struct ExtHeaders {
  std::optional<Deth> deth;
  std::optional<Reth> reth;
  std::optional<AtomicEth> atomic;
  std::optional<Aeth> aeth;
  std::optional<AtomicAckEth> atomic_ack;
  std::optional<ImmDt> imm;
  std::optional<Ieth> ieth;
  bool operator==(const ExtHeaders&) const = default;
};

/// What a frame claims to be, as far as it could be read.
enum class Kind : std::uint8_t { kOther, kArp, kIcmp, kUdp, kRoce };

/// A frame taken apart. `payload` points into the parsed frame and lives as long as that does. Every header that could
/// be read is present, also when `error` is set.
struct ParsedPacket {
  ParseError error = ParseError::kNone;
  Kind kind = Kind::kOther;
  std::optional<Eth> eth;
  std::optional<Arp> arp;
  std::optional<Ipv4> ipv4;
  std::optional<Ipv6> ipv6;
  std::optional<Icmp> icmp;
  std::optional<Udp> udp;
  std::optional<Bth> bth;
  const OpcodeTraits* op = nullptr;  ///< null for an unknown opcode
  ExtHeaders ext;
  ByteSpan payload;          ///< RoCE: without pad and ICRC; UDP, ICMP: the data
  std::uint32_t icrc = 0;    ///< RoCE: as sent (the first byte on the wire is the least significant)
  std::size_t trailing = 0;  ///< bytes after the IP packet: Ethernet padding
  bool ok() const { return error == ParseError::kNone; }
  bool is_roce() const { return ok() && kind == Kind::kRoce; }
};

/// Takes any bytes apart; never throws.
ParsedPacket parse(ByteSpan frame);

/// A RoCE frame to build. Lengths, pad count, IPv4 checksum and ICRC are computed; every other field is sent as given.
struct RoceFrame {
  Eth eth;                      ///< the EtherType is set from `ip`
  std::variant<Ipv4, Ipv6> ip;  ///< lengths and checksum are set
  Udp udp;                      ///< length is set; the checksum is sent as given (0: none)
  Bth bth;                      ///< pad_count is set from the payload
  ExtHeaders ext;               ///< those of the opcode are sent; one that is missing is sent as zeros
};

/// The whole frame without FCS, not padded to the Ethernet minimum. The opcode must be known.
Buffer build(const RoceFrame& frame, ByteSpan payload = {});

/// The fields of a parsed RoCE frame, so that build(to_frame(parse(x)), payload) == x.
RoceFrame to_frame(const ParsedPacket& packet);

/// FNV-1a, 64 bits: the hash that describe() prints.
std::uint64_t payload_hash(ByteSpan payload);

/// One line `key=value key=value ...`, the same text for the same bytes on every platform. An erroneous frame starts
/// with `error=<name>` and shows what could be read.
std::string describe(ByteSpan frame);
std::string describe(const ParsedPacket& packet);

}  // namespace caravan::packet
