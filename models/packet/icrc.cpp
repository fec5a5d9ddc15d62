// SPDX-License-Identifier: Apache-2.0
#include "models/packet/icrc.hpp"

#include <algorithm>
#include <array>

#include "models/base/errors.hpp"

namespace caravan::packet {
namespace {

constexpr std::size_t kEth = 14, kUdp = 8, kBth = 12, kIpv6 = 40;

// Slicing by eight: table n advances a byte by n further zero bytes.
constexpr auto kTables = [] {
  std::array<std::array<std::uint32_t, 256>, 8> t{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t reg = i;
    for (int bit = 0; bit < 8; ++bit) reg = reg >> 1 ^ (reg & 1 ? 0xEDB88320u : 0u);
    t[0][i] = reg;
  }
  for (std::size_t n = 1; n < 8; ++n) {
    for (std::size_t i = 0; i < 256; ++i) t[n][i] = t[n - 1][i] >> 8 ^ t[0][t[n - 1][i] & 0xFF];
  }
  return t;
}();

/// Bytes of the IP header of `frame`, 0 when it is not IP.
std::size_t ip_header_bytes(ByteSpan frame) {
  if (frame.size() < kEth + 20) return 0;
  const std::uint16_t type = get_be16(frame.data() + 12);
  const std::uint8_t version = frame[kEth] >> 4;
  if (type == 0x0800 && version == 4) return std::size_t{frame[kEth] & 0xFu} * 4;
  if (type == 0x86DD && version == 6) return kIpv6;
  return 0;
}

/// Register over the masked headers and everything behind them up to the end of `frame`.
std::uint32_t masked_register(ByteSpan frame, std::size_t ip_bytes) {
  std::array<std::uint8_t, 60 + kUdp + kBth> head{};
  const std::size_t head_bytes = ip_bytes + kUdp + kBth;
  std::copy_n(frame.begin() + kEth, head_bytes, head.begin());
  if (head[0] >> 4 == 4) {
    head[1] = head[8] = head[10] = head[11] = 0xFF;  // TOS, TTL, header checksum
  } else {
    head[0] |= 0x0F;  // traffic class, flow label
    head[1] = head[2] = head[3] = head[7] = 0xFF;
  }
  head[ip_bytes + 6] = head[ip_bytes + 7] = 0xFF;  // UDP checksum
  head[ip_bytes + kUdp + 4] = 0xFF;                // FECN, BECN, reserved
  const std::uint32_t reg = crc32_update(kIcrcSeed, ByteSpan(head).first(head_bytes));
  return crc32_update(reg, frame.subspan(kEth + head_bytes));
}

}  // namespace

std::uint32_t crc32_update(std::uint32_t reg, ByteSpan data) {
  const std::uint8_t* p = data.data();
  std::size_t left = data.size();
  for (; left >= 8; left -= 8, p += 8) {
    reg ^= std::uint32_t{p[0]} | std::uint32_t{p[1]} << 8 | std::uint32_t{p[2]} << 16 | std::uint32_t{p[3]} << 24;
    reg = kTables[7][reg & 0xFF] ^ kTables[6][reg >> 8 & 0xFF] ^ kTables[5][reg >> 16 & 0xFF] ^ kTables[4][reg >> 24] ^
          kTables[3][p[4]] ^ kTables[2][p[5]] ^ kTables[1][p[6]] ^ kTables[0][p[7]];
  }
  for (; left > 0; --left, ++p) reg = reg >> 8 ^ kTables[0][(reg ^ *p) & 0xFF];
  return reg;
}

std::uint32_t compute_icrc(ByteSpan frame) {
  const std::size_t ip_bytes = ip_header_bytes(frame);
  BUG_IF(ip_bytes < 20 || frame.size() < kEth + ip_bytes + kUdp + kBth,
         "ICRC asked of a frame without IP, UDP and BTH");
  return ~masked_register(frame, ip_bytes);
}

void append_icrc(Buffer& frame) {
  const std::uint32_t icrc = compute_icrc(frame);
  for (int shift = 0; shift < 32; shift += 8) frame.push_back(static_cast<std::uint8_t>(icrc >> shift));
}

bool check_icrc(ByteSpan frame) {
  const std::size_t ip_bytes = ip_header_bytes(frame);
  if (ip_bytes < 20 || frame.size() < kEth + ip_bytes) return false;
  const std::uint8_t* ip = frame.data() + kEth;
  const std::size_t packet_bytes = ip_bytes == kIpv6 && ip[0] >> 4 == 6 ? kIpv6 + get_be16(ip + 4) : get_be16(ip + 2);
  if (packet_bytes < ip_bytes + kUdp + kBth + kIcrcBytes || frame.size() < kEth + packet_bytes) return false;
  return masked_register(frame.first(kEth + packet_bytes), ip_bytes) == kIcrcSeed;
}

}  // namespace caravan::packet
