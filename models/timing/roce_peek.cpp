// SPDX-License-Identifier: Apache-2.0
#include "models/timing/roce_peek.hpp"

#include "models/base/fingerprint.hpp"

namespace caravan::timing {
namespace {

constexpr std::size_t kEth = 14;

std::uint64_t big_endian(const std::uint8_t* p, unsigned n) {
  std::uint64_t v = 0;
  for (unsigned i = 0; i < n; ++i) v = v << 8 | p[i];
  return v;
}

bool is_ipv4(const std::vector<std::uint8_t>& f) {
  return f.size() >= kEth + 20 && f[12] == 0x08 && f[13] == 0x00 && f[14] >> 4 == 4;
}
bool is_ipv6(const std::vector<std::uint8_t>& f) {
  return f.size() >= kEth + 40 && f[12] == 0x86 && f[13] == 0xDD && f[14] >> 4 == 6;
}

}  // namespace

// Written out: compilers make one load and a swap of it.
FrameMacs peek_macs(const std::vector<std::uint8_t>& f) {
  const auto mac = [&f](std::size_t at) {
    const std::uint8_t* p = &f[at];
    return (std::uint64_t{p[0]} << 56 | std::uint64_t{p[1]} << 48 | std::uint64_t{p[2]} << 40 |
            std::uint64_t{p[3]} << 32 | std::uint64_t{p[4]} << 24 | std::uint64_t{p[5]} << 16 |
            std::uint64_t{p[6]} << 8 | std::uint64_t{p[7]}) >>
           16;
  };
  return {mac(0), mac(6)};
}

FramePeek peek(const std::vector<std::uint8_t>& f) {
  FramePeek result;
  if (f.size() < kEth) return result;
  result.dst_mac = peek_macs(f).dst_mac;
  result.src_mac = peek_macs(f).src_mac;
  std::size_t udp = 0;
  if (is_ipv4(f)) {
    result.src_ip = static_cast<std::uint32_t>(big_endian(&f[kEth + 12], 4));
    result.dst_ip = static_cast<std::uint32_t>(big_endian(&f[kEth + 16], 4));
    result.src_host = *result.src_ip;
    const bool first_fragment = (big_endian(&f[kEth + 6], 2) & 0x1FFF) == 0;
    if (f[kEth + 9] == 17 && first_fragment) udp = kEth + 4u * (f[kEth] & 0xF);
  } else if (is_ipv6(f)) {
    base::Fingerprint hash;
    hash.bytes(&f[kEth + 8], 16);
    result.src_host = hash.value();
    if (f[kEth + 6] == 17) udp = kEth + 40;
  }
  constexpr std::size_t kUdp = 8, kBth = 12;
  if (udp == 0 || f.size() < udp + kUdp + kBth || big_endian(&f[udp + 2], 2) != 4791) return result;
  const std::size_t bth = udp + kUdp;
  result.bth = FramePeek::Bth{f[bth], base::Qpn(static_cast<std::uint32_t>(big_endian(&f[bth + 5], 3))),
                              base::Psn(static_cast<std::uint32_t>(big_endian(&f[bth + 9], 3))),
                              static_cast<std::uint32_t>(bth)};
  return result;
}

bool ecn_capable(const std::vector<std::uint8_t>& f) {
  if (is_ipv4(f)) return (f[kEth + 1] & 3) != 0;
  if (is_ipv6(f)) return (f[kEth + 1] >> 4 & 3) != 0;
  return false;
}

bool mark_ce(std::vector<std::uint8_t>& f, bool only_capable) {
  if (only_capable && !ecn_capable(f)) return false;
  if (is_ipv6(f)) {
    f[kEth + 1] |= 0x30;
    return true;
  }
  if (!is_ipv4(f)) return false;
  // RFC 1624: new checksum = ~(~old + ~old word + new word), in ones' complement.
  const std::uint32_t before = static_cast<std::uint32_t>(big_endian(&f[kEth], 2));
  f[kEth + 1] |= 3;
  const std::uint32_t after = static_cast<std::uint32_t>(big_endian(&f[kEth], 2));
  std::uint32_t sum = (~static_cast<std::uint32_t>(big_endian(&f[kEth + 10], 2)) & 0xFFFF) + (~before & 0xFFFF) + after;
  sum = (sum & 0xFFFF) + (sum >> 16);
  sum = (sum & 0xFFFF) + (sum >> 16);
  f[kEth + 10] = static_cast<std::uint8_t>(~sum >> 8);
  f[kEth + 11] = static_cast<std::uint8_t>(~sum);
  return true;
}

}  // namespace caravan::timing
