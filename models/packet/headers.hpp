// SPDX-License-Identifier: Apache-2.0
// Byte-exact protocol headers, fields in wire order. Every header has kBytes, decode (from at least kBytes bytes) and
// encode (to at least kBytes bytes); encode(decode(x)) == x for any bytes, reserved bits included.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "models/packet/bytes.hpp"
#include "models/packet/opcode.hpp"

namespace caravan::packet {

using MacAddr = std::array<std::uint8_t, 6>;
using Ipv6Addr = std::array<std::uint8_t, 16>;
/// Host order: 10.0.0.1 is 0x0A000001.
using Ipv4Addr = std::uint32_t;

inline constexpr std::uint16_t kEtherTypeIpv4 = 0x0800, kEtherTypeArp = 0x0806, kEtherTypeIpv6 = 0x86DD;
inline constexpr std::uint8_t kProtocolIcmp = 1, kProtocolUdp = 17;
inline constexpr std::uint16_t kRoceUdpPort = 4791;
inline constexpr std::uint16_t kDefaultPkey = 0xFFFF;

struct Eth {
  static constexpr std::size_t kBytes = 14;
  MacAddr dst{}, src{};
  std::uint16_t ether_type = kEtherTypeIpv4;
  static Eth decode(const std::uint8_t* p);
  void encode(std::uint8_t* p) const;
  bool operator==(const Eth&) const = default;
};

struct Arp {
  static constexpr std::size_t kBytes = 28;
  std::uint16_t hardware = 1, protocol = kEtherTypeIpv4;
  std::uint8_t hardware_bytes = 6, protocol_bytes = 4;
  std::uint16_t operation = 1;  ///< 1 request, 2 reply
  MacAddr sender_mac{};
  Ipv4Addr sender_ip = 0;
  MacAddr target_mac{};
  Ipv4Addr target_ip = 0;
  static Arp decode(const std::uint8_t* p);
  void encode(std::uint8_t* p) const;
  bool operator==(const Arp&) const = default;
};

/// Without options.
struct Ipv4 {
  static constexpr std::size_t kBytes = 20;
  std::uint8_t version = 4, ihl = 5;
  std::uint8_t tos = 0;  ///< DSCP in the upper six bits, ECN in the lower two
  std::uint16_t total_length = 0, id = 0;
  std::uint8_t flags = 2;  ///< reserved, DF, MF
  std::uint16_t fragment_offset = 0;
  std::uint8_t ttl = 64, protocol = kProtocolUdp;
  std::uint16_t checksum = 0;
  Ipv4Addr src = 0, dst = 0;
  static Ipv4 decode(const std::uint8_t* p);
  void encode(std::uint8_t* p) const;
  /// The checksum that belongs to the other fields.
  std::uint16_t right_checksum() const;
  bool operator==(const Ipv4&) const = default;
};

struct Ipv6 {
  static constexpr std::size_t kBytes = 40;
  std::uint8_t version = 6, traffic_class = 0;
  std::uint32_t flow_label = 0;
  std::uint16_t payload_length = 0;
  std::uint8_t next_header = kProtocolUdp, hop_limit = 64;
  Ipv6Addr src{}, dst{};
  static Ipv6 decode(const std::uint8_t* p);
  void encode(std::uint8_t* p) const;
  bool operator==(const Ipv6&) const = default;
};

struct Udp {
  static constexpr std::size_t kBytes = 8;
  std::uint16_t src_port = 0xC000, dst_port = kRoceUdpPort, length = 0, checksum = 0;
  static Udp decode(const std::uint8_t* p);
  void encode(std::uint8_t* p) const;
  bool operator==(const Udp&) const = default;
};

struct Icmp {
  static constexpr std::size_t kBytes = 8;
  std::uint8_t type = 8, code = 0;  ///< 8 echo request, 0 echo reply
  std::uint16_t checksum = 0, id = 0, sequence = 0;
  static Icmp decode(const std::uint8_t* p);
  void encode(std::uint8_t* p) const;
  bool operator==(const Icmp&) const = default;
};

struct Bth {
  static constexpr std::size_t kBytes = 12;
  std::uint8_t opcode = 0;
  bool solicited = false, mig_req = false;
  std::uint8_t pad_count = 0, tver = 0;
  std::uint16_t pkey = kDefaultPkey;
  bool fecn = false, becn = false;
  std::uint8_t reserved6 = 0;
  std::uint32_t dest_qp = 0;  ///< 24 bits
  bool ack_req = false;
  std::uint8_t reserved7 = 0;
  std::uint32_t psn = 0;  ///< 24 bits
  static Bth decode(const std::uint8_t* p);
  void encode(std::uint8_t* p) const;
  bool operator==(const Bth&) const = default;
};

struct Deth {
  static constexpr std::size_t kBytes = 8;
  std::uint32_t qkey = 0;
  std::uint8_t reserved = 0;
  std::uint32_t src_qp = 0;
  static Deth decode(const std::uint8_t* p);
  void encode(std::uint8_t* p) const;
  bool operator==(const Deth&) const = default;
};

struct Reth {
  static constexpr std::size_t kBytes = 16;
  std::uint64_t va = 0;
  std::uint32_t rkey = 0, dma_length = 0;
  static Reth decode(const std::uint8_t* p);
  void encode(std::uint8_t* p) const;
  bool operator==(const Reth&) const = default;
};

struct AtomicEth {
  static constexpr std::size_t kBytes = 28;
  std::uint64_t va = 0;
  std::uint32_t rkey = 0;
  std::uint64_t swap_add = 0, compare = 0;
  static AtomicEth decode(const std::uint8_t* p);
  void encode(std::uint8_t* p) const;
  bool operator==(const AtomicEth&) const = default;
};

/// Values of the AETH syndrome that we send or act on.
inline constexpr std::uint8_t kSyndromeAck = 0x1F, kNakSequence = 0x60, kNakInvalid = 0x61, kNakAccess = 0x62,
                              kNakOperational = 0x63;
inline constexpr std::uint8_t kNakRnr = 0x20;  ///< RNR NAK; the low five bits are its timer code

struct Aeth {
  static constexpr std::size_t kBytes = 4;
  std::uint8_t syndrome = kSyndromeAck;
  std::uint32_t msn = 0;  ///< 24 bits
  static Aeth decode(const std::uint8_t* p);
  void encode(std::uint8_t* p) const;
  bool is_ack() const { return syndrome >> 5 == 0; }
  bool is_rnr() const { return syndrome >> 5 == 1; }
  bool is_nak() const { return syndrome >> 5 == 3; }
  bool operator==(const Aeth&) const = default;
};

struct AtomicAckEth {
  static constexpr std::size_t kBytes = 8;
  std::uint64_t original = 0;
  static AtomicAckEth decode(const std::uint8_t* p);
  void encode(std::uint8_t* p) const;
  bool operator==(const AtomicAckEth&) const = default;
};

struct ImmDt {
  static constexpr std::size_t kBytes = 4;
  std::uint32_t immediate = 0;
  static ImmDt decode(const std::uint8_t* p);
  void encode(std::uint8_t* p) const;
  bool operator==(const ImmDt&) const = default;
};

struct Ieth {
  static constexpr std::size_t kBytes = 4;
  std::uint32_t rkey = 0;
  static Ieth decode(const std::uint8_t* p);
  void encode(std::uint8_t* p) const;
  bool operator==(const Ieth&) const = default;
};

/// One's complement sum of 16-bit words, folded, not inverted; `sum` carries a partial result in.
std::uint32_t internet_sum(ByteSpan data, std::uint32_t sum = 0);
/// UDP checksum over the pseudo header and `udp` (header with checksum field zero, and data); 0 is sent as 0xFFFF.
std::uint16_t udp_checksum(Ipv4Addr src, Ipv4Addr dst, ByteSpan udp);
std::uint16_t udp_checksum(const Ipv6Addr& src, const Ipv6Addr& dst, ByteSpan udp);

/// "52:54:00:00:00:01"
std::string to_text(const MacAddr& mac);
/// "10.0.0.1"
std::string to_text(Ipv4Addr ip);
/// Eight groups of four digits, never shortened.
std::string to_text(const Ipv6Addr& ip);
/// 10.0.0.1 from its text; nothing for any other text.
std::optional<Ipv4Addr> parse_ipv4(const std::string& text);

}  // namespace caravan::packet
