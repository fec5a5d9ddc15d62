// SPDX-License-Identifier: Apache-2.0
// BTH opcodes of the services we speak or decode (RC, UC, UD, CNP) and what each implies. From the wire tables of the
// Linux driver rxe (rxe_hdr.h, rxe_opcode.c).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace caravan::packet {

enum class Opcode : std::uint8_t {
  kSendFirst = 0x00,
  kSendMiddle = 0x01,
  kSendLast = 0x02,
  kSendLastImm = 0x03,
  kSendOnly = 0x04,
  kSendOnlyImm = 0x05,
  kWriteFirst = 0x06,
  kWriteMiddle = 0x07,
  kWriteLast = 0x08,
  kWriteLastImm = 0x09,
  kWriteOnly = 0x0A,
  kWriteOnlyImm = 0x0B,
  kReadRequest = 0x0C,
  kReadRespFirst = 0x0D,
  kReadRespMiddle = 0x0E,
  kReadRespLast = 0x0F,
  kReadRespOnly = 0x10,
  kAck = 0x11,
  kAtomicAck = 0x12,
  kCompareSwap = 0x13,
  kFetchAdd = 0x14,
  kSendLastInv = 0x16,
  kSendOnlyInv = 0x17,
  kUcSendFirst = 0x20,
  kUcSendMiddle = 0x21,
  kUcSendLast = 0x22,
  kUcSendLastImm = 0x23,
  kUcSendOnly = 0x24,
  kUcSendOnlyImm = 0x25,
  kUcWriteFirst = 0x26,
  kUcWriteMiddle = 0x27,
  kUcWriteLast = 0x28,
  kUcWriteLastImm = 0x29,
  kUcWriteOnly = 0x2A,
  kUcWriteOnlyImm = 0x2B,
  kUdSendOnly = 0x64,
  kUdSendOnlyImm = 0x65,
  kCnp = 0x81,
};

/// Transport service: the top three bits of the opcode, CNP apart.
enum class Service : std::uint8_t { kRc, kUc, kUd, kCnp };
/// What the packet does, whatever its place in a message.
enum class Action : std::uint8_t { kSend, kWrite, kReadRequest, kReadResponse, kAck, kAtomicAck, kAtomic, kCnp };
/// Place in a message.
enum class Place : std::uint8_t { kFirst, kMiddle, kLast, kOnly };

/// Extension headers as a bit set. On the wire they follow the BTH in the order of these bits.
enum Ext : std::uint8_t {
  kExtDeth = 1,
  kExtReth = 2,
  kExtAtomicEth = 4,
  kExtAeth = 8,
  kExtAtomicAckEth = 16,
  kExtImmDt = 32,
  kExtIeth = 64
};

struct OpcodeTraits {
  Opcode opcode;
  std::string_view name;  ///< as in describe(): "WRITE_FIRST"
  Service service;
  Action action;
  Place place;
  std::uint8_t ext;  ///< set of Ext
  bool has_payload;  ///< data (or the 16 reserved bytes of a CNP) may follow the headers
  bool is_request;   ///< goes to the responder half of a QP; otherwise to the requester half

  constexpr bool has(Ext e) const { return (ext & e) != 0; }
  constexpr bool starts_message() const { return place == Place::kFirst || place == Place::kOnly; }
  constexpr bool ends_message() const { return place == Place::kLast || place == Place::kOnly; }
  std::size_t ext_bytes() const;  ///< bytes of all extension headers
};

/// Traits of a wire opcode; null for one that is reserved or of a service that we don't decode.
const OpcodeTraits* find_opcode(std::uint8_t opcode);
/// Traits of a known opcode.
const OpcodeTraits& traits(Opcode opcode);

}  // namespace caravan::packet
