// SPDX-License-Identifier: Apache-2.0
#include "models/packet/opcode.hpp"

#include <array>
#include <string>

#include "models/base/errors.hpp"

namespace caravan::packet {
namespace {

using enum Opcode;

constexpr OpcodeTraits row(Opcode op, std::string_view name, Action action, Place place, int ext, bool payload,
                           bool request, Service service = Service::kRc) {
  return {op, name, service, action, place, static_cast<std::uint8_t>(ext), payload, request};
}

constexpr std::array kTable = {
    row(kSendFirst, "SEND_FIRST", Action::kSend, Place::kFirst, 0, true, true),
    row(kSendMiddle, "SEND_MIDDLE", Action::kSend, Place::kMiddle, 0, true, true),
    row(kSendLast, "SEND_LAST", Action::kSend, Place::kLast, 0, true, true),
    row(kSendLastImm, "SEND_LAST_IMM", Action::kSend, Place::kLast, kExtImmDt, true, true),
    row(kSendOnly, "SEND_ONLY", Action::kSend, Place::kOnly, 0, true, true),
    row(kSendOnlyImm, "SEND_ONLY_IMM", Action::kSend, Place::kOnly, kExtImmDt, true, true),
    row(kWriteFirst, "WRITE_FIRST", Action::kWrite, Place::kFirst, kExtReth, true, true),
    row(kWriteMiddle, "WRITE_MIDDLE", Action::kWrite, Place::kMiddle, 0, true, true),
    row(kWriteLast, "WRITE_LAST", Action::kWrite, Place::kLast, 0, true, true),
    row(kWriteLastImm, "WRITE_LAST_IMM", Action::kWrite, Place::kLast, kExtImmDt, true, true),
    row(kWriteOnly, "WRITE_ONLY", Action::kWrite, Place::kOnly, kExtReth, true, true),
    row(kWriteOnlyImm, "WRITE_ONLY_IMM", Action::kWrite, Place::kOnly, kExtReth | kExtImmDt, true, true),
    row(kReadRequest, "READ_REQ", Action::kReadRequest, Place::kOnly, kExtReth, false, true),
    row(kReadRespFirst, "READ_RESP_FIRST", Action::kReadResponse, Place::kFirst, kExtAeth, true, false),
    row(kReadRespMiddle, "READ_RESP_MIDDLE", Action::kReadResponse, Place::kMiddle, 0, true, false),
    row(kReadRespLast, "READ_RESP_LAST", Action::kReadResponse, Place::kLast, kExtAeth, true, false),
    row(kReadRespOnly, "READ_RESP_ONLY", Action::kReadResponse, Place::kOnly, kExtAeth, true, false),
    row(kAck, "ACK", Action::kAck, Place::kOnly, kExtAeth, false, false),
    row(kAtomicAck, "ATOMIC_ACK", Action::kAtomicAck, Place::kOnly, kExtAeth | kExtAtomicAckEth, false, false),
    row(kCompareSwap, "CMP_SWAP", Action::kAtomic, Place::kOnly, kExtAtomicEth, false, true),
    row(kFetchAdd, "FETCH_ADD", Action::kAtomic, Place::kOnly, kExtAtomicEth, false, true),
    row(kSendLastInv, "SEND_LAST_INV", Action::kSend, Place::kLast, kExtIeth, true, true),
    row(kSendOnlyInv, "SEND_ONLY_INV", Action::kSend, Place::kOnly, kExtIeth, true, true),
    row(kUcSendFirst, "UC_SEND_FIRST", Action::kSend, Place::kFirst, 0, true, true, Service::kUc),
    row(kUcSendMiddle, "UC_SEND_MIDDLE", Action::kSend, Place::kMiddle, 0, true, true, Service::kUc),
    row(kUcSendLast, "UC_SEND_LAST", Action::kSend, Place::kLast, 0, true, true, Service::kUc),
    row(kUcSendLastImm, "UC_SEND_LAST_IMM", Action::kSend, Place::kLast, kExtImmDt, true, true, Service::kUc),
    row(kUcSendOnly, "UC_SEND_ONLY", Action::kSend, Place::kOnly, 0, true, true, Service::kUc),
    row(kUcSendOnlyImm, "UC_SEND_ONLY_IMM", Action::kSend, Place::kOnly, kExtImmDt, true, true, Service::kUc),
    row(kUcWriteFirst, "UC_WRITE_FIRST", Action::kWrite, Place::kFirst, kExtReth, true, true, Service::kUc),
    row(kUcWriteMiddle, "UC_WRITE_MIDDLE", Action::kWrite, Place::kMiddle, 0, true, true, Service::kUc),
    row(kUcWriteLast, "UC_WRITE_LAST", Action::kWrite, Place::kLast, 0, true, true, Service::kUc),
    row(kUcWriteLastImm, "UC_WRITE_LAST_IMM", Action::kWrite, Place::kLast, kExtImmDt, true, true, Service::kUc),
    row(kUcWriteOnly, "UC_WRITE_ONLY", Action::kWrite, Place::kOnly, kExtReth, true, true, Service::kUc),
    row(kUcWriteOnlyImm, "UC_WRITE_ONLY_IMM", Action::kWrite, Place::kOnly, kExtReth | kExtImmDt, true, true,
        Service::kUc),
    row(kUdSendOnly, "UD_SEND_ONLY", Action::kSend, Place::kOnly, kExtDeth, true, true, Service::kUd),
    row(kUdSendOnlyImm, "UD_SEND_ONLY_IMM", Action::kSend, Place::kOnly, kExtDeth | kExtImmDt, true, true,
        Service::kUd),
    row(kCnp, "CNP", Action::kCnp, Place::kOnly, 0, true, false, Service::kCnp),
};

constexpr auto kIndex = [] {
  std::array<const OpcodeTraits*, 256> index{};
  for (const auto& t : kTable) index[static_cast<std::uint8_t>(t.opcode)] = &t;
  return index;
}();

}  // namespace

std::size_t OpcodeTraits::ext_bytes() const {
  constexpr std::size_t kBytes[] = {8, 16, 28, 4, 8, 4, 4};  // in the order of Ext
  std::size_t sum = 0;
  for (std::size_t bit = 0; bit < std::size(kBytes); ++bit) sum += (ext >> bit & 1) ? kBytes[bit] : 0;
  return sum;
}

const OpcodeTraits* find_opcode(std::uint8_t opcode) { return kIndex[opcode]; }

const OpcodeTraits& traits(Opcode opcode) {
  const OpcodeTraits* found = find_opcode(static_cast<std::uint8_t>(opcode));
  BUG_IF(found == nullptr, "no traits for opcode " + std::to_string(static_cast<int>(opcode)));
  return *found;
}

}  // namespace caravan::packet
